import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import http2 from 'node:http2';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generate } from 'selfsigned';
import { connectDatabase, db } from '../src/db/client.ts';
import { storePushSettings } from '../src/resolvers/pushes/settings.ts';
import { Encrypter } from '../src/server/encryption/encrypter.ts';
import { readKeyFile } from '../src/server/encryption/key-file.ts';
import { call } from './calls.ts';
import type { Comparison, Figures } from './comparison.ts';
import type { Environment } from './environment.ts';
import { startScript } from './processes.ts';
import { queries } from './seeded.ts';
import { APPLICATION, startService } from './service.ts';

const DEVICES = 5_000;
/** Concurrent pushes of the baseline, as in the service. */
const IN_FLIGHT = 256;
const FEW = 10_000;
const MANY = 100_000;
const LOOK_EVERY_MS = 50;

const HOOK = fileURLToPath(new URL('./report-peak.mjs', import.meta.url));
const MEMORY_NOTE = `push, memory – peak memory of a process that pushes to ${FEW} devices compared with ${MANY}, each in a separate process, measured once: the ratio is the growth`;

interface Apple {
  url: string;
  ca: string;
}

export async function push(environment: Environment): Promise<Comparison[]> {
  const { serviceUrl, databaseUrl, folder } = environment;
  const apple = await startApple(environment);
  await setUp({ databaseUrl, dataDir: join(folder, 'data') }, apple);
  await insertDevices(databaseUrl, MANY);
  const event = (tag: string) => sendToAll(serviceUrl, databaseUrl, tag);

  const measured = new Map<string, Promise<Figures>>();
  const measure = (tag: string) => () => {
    measured.set(tag, measured.get(tag) ?? peakOf(tag, environment));
    return measured.get(tag)!;
  };
  return [
    {
      name: `push to ${DEVICES} devices`,
      service: async () => {
        const start = performance.now();
        await event(`users-${DEVICES}`);
        return { 'devices/s': (DEVICES * 1000) / (performance.now() - start) };
      },
      bare: () => sendBare(apple),
    },
    {
      name: `push, memory, ${MANY / 1000}k : ${FEW / 1000}k devices`,
      service: measure(`users-${MANY}`),
      bare: measure(`users-${FEW}`),
      note: () => MEMORY_NOTE,
    },
  ];
}

async function startApple({ cleanup }: Environment): Promise<Apple> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keySize: 2048,
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
    ],
  });
  const { url } = await startScript(new URL('./bare/apple.ts', import.meta.url), { key, cert }, cleanup);
  return { url, ca: cert };
}

async function setUp({ databaseUrl, dataDir }: { databaseUrl: string; dataDir: string }, { url, ca }: Apple) {
  await connectDatabase({ connectionString: databaseUrl });
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const apns = { topic: 'org.example.bench', teamId: 'TEAM', keyId: 'KEY', key };
  await storePushSettings(
    { applicationId: APPLICATION.id, environment: 'production', endpoint: url, ca, apns },
    { encrypter: new Encrypter(await readKeyFile(dataDir)), now: new Date() },
  );
  await db.$disconnect();
}

/** The first n users have the tag `users-<n>`. */
async function insertDevices(databaseUrl: string, count: number): Promise<void> {
  const tags = [DEVICES, FEW, MANY].map((size) => `CASE WHEN n <= ${size} THEN 'users-${size}' END`);
  await queries(databaseUrl, [
    `INSERT INTO users (application_id, login, tags, created_at, updated_at)
     SELECT ${APPLICATION.id}, 'pushed-' || n, array_remove(ARRAY[${tags.join(', ')}], NULL), now(), now()
     FROM generate_series(1, ${count}) n`,
    `INSERT INTO push_subscriptions
       (application_id, user_id, channel, environment, platform, udid, sequence, created_at, updated_at)
     SELECT application_id, id, 'apns', 'production', 'ios', 'd', lpad(to_hex(id), 64, '0'), now(), now()
     FROM users WHERE login LIKE 'pushed-%'`,
    'VACUUM ANALYZE',
  ]);
}

/** @throws if a device was not served */
async function sendToAll(url: string, databaseUrl: string, tag: string): Promise<void> {
  const headers = { Authorization: `ApiKey ${APPLICATION.apiKey}` };
  const event = { environment: 'production', push_type: 'apns', message: 'aGVsbG8=', user: { tags: { any: [tag] } } };
  const { id } = JSON.parse(await call(`${url}/events.json`, 201, { method: 'POST', headers, json: { event } })).event;
  for (;;) {
    const status = JSON.parse(await call(`${url}/events/${id}/status.json`, 200, { headers })).event;
    if (!status.active) {
      const size = Number(tag.replace('users-', ''));
      if (status.delivered !== size) throw new Error(`${status.delivered} of ${size} devices were served`);
      break;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  // So that no round works on the rows of another.
  await queries(databaseUrl, ['TRUNCATE push_deliveries, push_sends']);
}

async function sendBare({ url, ca }: Apple): Promise<Figures> {
  const session = http2.connect(url, { ca });
  await once(session, 'connect');
  const body = JSON.stringify({ aps: { alert: 'hello' } });
  let sent = 0;
  const worker = async () => {
    while (sent < DEVICES) {
      const token = (++sent).toString(16).padStart(64, '0');
      const stream = session.request({
        ':method': 'POST',
        ':path': `/3/device/${token}`,
        'apns-topic': 'org.example.bench',
      });
      stream.end(body);
      stream.resume();
      await once(stream, 'close');
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  const took = performance.now() - start;
  session.close();
  return { 'devices/s': (DEVICES * 1000) / took };
}

/** A separate process that has pushed nothing before. The measured service is idle in the meantime. */
async function peakOf(tag: string, { databaseUrl, folder, cleanup }: Environment): Promise<Figures> {
  const own = await startService({ databaseUrl, dataDir: join(folder, 'data') }, cleanup, ['--import', HOOK]);
  await sendToAll(own.url, databaseUrl, tag);
  const reported = once(own.child, 'message') as Promise<[{ peak: number }]>;
  own.child.send('peak');
  const [{ peak }] = await reported;
  await own.stop();
  return { MB: peak / 1024 / 1024 };
}

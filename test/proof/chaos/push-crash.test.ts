import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { connectDatabase, db } from '../../../src/db/client.ts';
import { Encrypter } from '../../../src/platform/encryption/encrypter.ts';
import { storePushSettings } from '../../../src/resolvers/pushes/settings.ts';
import { type OwnDatabase, startOwnDatabase } from '../../support/app/postgres-server.ts';
import { createDataDir, type Service, startService } from '../../support/app/service.ts';
import { until } from '../../support/clients/websocket.ts';
import { type Apple, startApns } from '../../support/fakes/apns.ts';
import { appleToken } from '../../support/fixtures/pushes.ts';

const DEVICES = 5_000;
const APPLICATION_ID = 92;
const ENCRYPTION_KEY = randomBytes(32).toString('hex');

let database: OwnDatabase;
let apple: Apple;
let folder: Awaited<ReturnType<typeof createDataDir>>;
let settings: Record<string, string>;

beforeAll(async () => {
  database = await startOwnDatabase();
  apple = await startApns();
  folder = await createDataDir();
  settings = {
    DATABASE_URL: database.url,
    ENCRYPTION_KEY,
    BOOTSTRAP_APPLICATION_ID: String(APPLICATION_ID),
    BOOTSTRAP_API_KEY: 'the-key',
  };
  await connectDatabase(database.config);
}, 600_000);

afterAll(async () => {
  await db.$disconnect();
  await apple.down();
  await database.drop();
  await folder.remove();
}, 600_000);

async function insertDevices(): Promise<void> {
  const client = new pg.Client(database.config);
  await client.connect();
  await client.query(
    `INSERT INTO users (application_id, id, tags, created_at, updated_at)
      SELECT $1, n, '{crowd}', now(), now() FROM generate_series(1, $2::int) n`,
    [APPLICATION_ID, DEVICES],
  );
  await client.query(
    `INSERT INTO push_subscriptions
        (application_id, user_id, channel, environment, platform, udid, sequence, created_at, updated_at)
      SELECT $1, n, 'apns', 'production', 'ios', 'd', lpad(to_hex(n), 64, '0'), now(), now()
      FROM generate_series(1, $2::int) n`,
    [APPLICATION_ID, DEVICES],
  );
  await client.end();
}

function sendToAll({ url }: Service): Promise<Response> {
  const event = { environment: 'production', push_type: 'apns', message: 'aGk=', user: { tags: { any: 'crowd' } } };
  return fetch(`${url}/events.json`, {
    method: 'POST',
    headers: { Authorization: 'ApiKey the-key', 'Content-Type': 'application/json' },
    body: JSON.stringify({ event }),
  });
}

test('when one of two processes is killed during a send, every device is served and the log is complete', async () => {
  const [victim, survivor] = await Promise.all([
    startService(folder.dataDir, settings),
    startService(folder.dataDir, settings),
  ]);
  onTestFinished(async () => {
    await Promise.all([victim.kill(), survivor.kill()]);
  });
  const { endpoint, ca, ...apns } = apple.settings;
  await storePushSettings(
    { applicationId: APPLICATION_ID, environment: 'production', endpoint, ca, apns },
    { encrypter: new Encrypter(Buffer.from(ENCRYPTION_KEY, 'hex')), now: new Date() },
  );
  await insertDevices();

  const begun = Date.now();
  expect((await sendToAll(victim)).status).toBe(201);
  await until(() => apple.pushes.length >= 1_500);
  await victim.kill();
  const atDeath = apple.pushes.length;
  await until(async () => (await db.event.count({ where: { occuredCount: 1 } })) === 1);

  const served = new Map<string, Set<string>>();
  for (const { token, headers } of apple.pushes) {
    served.set(token, (served.get(token) ?? new Set()).add(headers['apns-id']!));
  }
  expect([...served.keys()].sort()).toEqual(Array.from({ length: DEVICES }, (_, n) => appleToken(n + 1)).sort());
  // Repeated pushes have the id of the first, which they replace on the device.
  expect([...served.values()].every((ids) => ids.size === 1)).toBe(true);
  expect(new Set(apple.pushes.map(({ headers }) => headers['apns-collapse-id'])).size).toBe(1);
  const [send, ...more] = await db.pushSend.findMany();
  expect(more).toEqual([]);
  expect(send).toMatchObject({ recipients: DEVICES, delivered: DEVICES, failed: 0, isSpread: true });
  expect(await db.pushDelivery.count({ where: { status: 'delivered', attempts: 1 } })).toBe(DEVICES);
  expect(await db.event.findFirst()).toMatchObject({ active: false, occuredCount: 1 });

  const duplicates = apple.pushes.length - DEVICES;
  // Pushes in flight or not yet recorded: at most those open in the killed process, and a batch.
  expect(duplicates).toBeLessThanOrEqual(4 * 250);
  console.info(
    `${DEVICES} devices, killed after ${atDeath} pushes: ${duplicates} duplicates, done after ${Date.now() - begun} ms`,
  );
  expect(await survivor.stop()).toBe(0);
}, 600_000);

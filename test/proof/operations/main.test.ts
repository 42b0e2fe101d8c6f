import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { cliJson } from '../../support/app/cli.ts';
import { startOwnDatabase } from '../../support/app/postgres-server.ts';
import { createDataDir, exitCode, failToStart, launch, type Service, startService } from '../../support/app/service.ts';
import { until } from '../../support/app/until.ts';

const SECRETS = {
  BOOTSTRAP_APPLICATION_ID: '92',
  BOOTSTRAP_AUTH_KEY: 'AUTHKEY',
  BOOTSTRAP_AUTH_SECRET: 'secret',
  BOOTSTRAP_API_KEY: 'the-key',
};

let folder: Awaited<ReturnType<typeof createDataDir>>;

beforeAll(async () => {
  folder = await createDataDir();
});

afterAll(() => folder.remove());

async function call(service: Service, path: string, body?: Record<string, string>, userId?: number) {
  const response = await fetch(service.url + path, {
    method: body ? 'POST' : 'GET',
    body: body && new URLSearchParams(body),
    headers: { Authorization: 'ApiKey the-key', ...(userId ? { 'On-Behalf-Of': String(userId) } : {}) },
  });
  return { status: response.status, body: await response.json() };
}

async function createUser(service: Service, login: string): Promise<number> {
  const { body } = await call(service, '/users.json', { 'user[login]': login, 'user[password]': 'password-1' });
  return body.user.id;
}

test('the service starts without configuration, keeps data through a stop and a kill, and shares it with a second process', async () => {
  const first = await startService(folder.dataDir, SECRETS);
  const credentialsFile = join(folder.dataDir, 'credentials.json');
  expect(JSON.parse(await readFile(credentialsFile, 'utf8'))).toEqual({
    applicationId: 92,
    authKey: 'AUTHKEY',
    authSecret: 'secret',
    apiKey: 'the-key',
  });
  for (const file of [credentialsFile, join(folder.dataDir, 'encryption.key')]) {
    const { mode, size } = await stat(file);
    expect(size).toBeGreaterThan(64);
    if (process.platform !== 'win32') expect(mode & 0o777).toBe(0o600);
  }
  expect(first.output()).toContain('the-key');
  expect((await fetch(`${first.url}/healthz`)).status).toBe(200);
  expect((await fetch(`${first.url}/readyz`)).status).toBe(200);

  const alice = await createUser(first, 'alice');
  const bob = await createUser(first, 'bob');
  const sent = await call(
    first,
    '/chat/Message.json',
    { recipient_id: String(bob), message: 'before the stop' },
    alice,
  );
  expect(sent.status).toBe(201);
  const messages = `/chat/Message.json?mark_as_read=0&chat_dialog_id=${sent.body.chat_dialog_id}`;

  const closed = new Promise<number>((resolve) => {
    createClient({
      url: `${first.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      lazy: false,
      onNonLazyError: () => {},
      retryAttempts: 0,
      connectionParams: { Authorization: 'ApiKey the-key' },
      on: { connected: () => void first.stop(), closed: (event) => resolve((event as { code: number }).code) },
    });
  });
  expect(await closed).toBe(1001);
  expect(await first.stop()).toBe(0);

  const second = await startService(folder.dataDir, { BOOTSTRAP_API_KEY: 'another-key' });
  expect(second.output()).not.toContain('another-key');
  expect((await call(second, messages, undefined, bob)).body.items).toMatchObject([{ message: 'before the stop' }]);
  await call(second, '/chat/Message.json', { recipient_id: String(bob), message: 'before the kill' }, alice);
  await second.kill();

  const third = await startService(folder.dataDir);
  const fourth = await startService(folder.dataDir);
  expect((await call(third, messages, undefined, bob)).body.items).toMatchObject([
    { message: 'before the stop' },
    { message: 'before the kill' },
  ]);

  const listener = createClient({
    url: `${fourth.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { Authorization: 'ApiKey the-key', 'On-Behalf-Of': String(bob) },
  });
  const received = listener.iterate<{ messageSent: { message: { text: string } } }>({
    query: 'subscription ($since: String) { messageSent(since: $since) { message { text } } }',
    variables: { since: '2' },
  });
  const next = async () => (await received.next()).value.data.messageSent.message.text;
  expect(await next()).toBe('before the kill');
  await call(third, '/chat/Message.json', { recipient_id: String(bob), message: 'on another process' }, alice);
  expect(await next()).toBe('on another process');
  await listener.dispose();

  expect(await third.stop()).toBe(0);
  expect((await call(fourth, messages, undefined, bob)).body.items).toHaveLength(3);
  expect(await fourth.stop()).toBe(0);
});

test.each([
  ['PORT', { PORT: 'http' }],
  ['DATABASE_URL', { DATABASE_URL: 'postgresql://postgres@127.0.0.1:1/x' }],
])('an invalid %s stops the start with one line that names it', async (name, env: Record<string, string>) => {
  const { code, output } = await failToStart(env);
  expect(code).toBe(1);
  expect(output).toMatch(new RegExp(`^atrium: ${name}: .+\\n$`));
});

test('a start that cannot write the credentials file creates no application, so that no secret is lost', async () => {
  const { dataDir, remove } = await createDataDir();
  const credentials = join(dataDir, 'credentials.json');
  await mkdir(credentials); // a folder blocks the file
  expect((await failToStart({ DATA_DIR: dataDir })).output).toMatch(
    /^(atrium: (creating|starting|applying|loading) .+\n)+atrium: DATA_DIR: .+\n$/,
  );
  await rm(credentials, { recursive: true });

  const service = await startService(dataDir, SECRETS);
  expect(JSON.parse(await readFile(credentials, 'utf8'))).toMatchObject({ applicationId: 92, apiKey: 'the-key' });
  expect(await service.stop()).toBe(0);
  await remove();
});

/** Log lines of the default level of these tests: warnings and above. */
function logged({ output }: Service): { level: number; count?: number; msg: string }[] {
  const lines = output().split('\n');
  return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
}

test('a service with another encryption key reports how many secrets it cannot decrypt, and serves requests', async () => {
  const { dataDir, remove } = await createDataDir();
  const own = { ENCRYPTION_KEY: '01'.repeat(32) };
  const other = { ENCRYPTION_KEY: '02'.repeat(32) };
  const first = await startService(dataDir, { ...SECRETS, ...own });
  const set = (...args: string[]) => cliJson({ DATA_DIR: dataDir, ...own }, ...args, '--application', '92');
  await set('assistant', 'create', '--name', 'N', '--base-url', 'http://127.0.0.1:1', '--model', 'm', '--api-key', 'k');
  await set('push', 'web', '--environment', 'production', '--subject', 'mailto:a@b.example');
  await set('social', 'set', '--provider', 'facebook', '--app-id', '1', '--app-secret', 's');
  expect(await first.stop()).toBe(0);

  const second = await startService(dataDir, other);
  expect((await call(second, '/users.json')).status).toBe(200);
  expect(await second.stop()).toBe(0);
  const msg = 'ENCRYPTION_KEY cannot decrypt existing secrets; has it changed?';
  expect(logged(second)).toEqual([expect.objectContaining({ level: 40, count: 3, msg })]);

  const third = await startService(dataDir, own);
  expect(await third.stop()).toBe(0);
  expect(logged(third)).toEqual([]);
  await remove();
}, 600_000);

test('a service that receives SIGTERM while it starts stops gracefully', async () => {
  const { dataDir, remove } = await createDataDir();
  const service = launch({ DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'info' });
  const pid = join(dataDir, 'postgres', 'postmaster.pid');
  await until(() => existsSync(pid) || existsSync(join(dataDir, 'postgres', 'PG_VERSION')));
  service.child.kill('SIGTERM');
  expect(await exitCode(service.child)).toBe(0);
  expect(service.output()).toContain('stopping');
  expect(existsSync(pid)).toBe(false);
  await remove();
});

test('a service survives an outage of its database, serves afterwards, and can stop during an outage', async () => {
  const { dataDir, remove } = await createDataDir();
  const database = await startOwnDatabase();
  onTestFinished(async () => {
    await database.drop();
    await remove();
  });
  const service = await startService(dataDir, { ...SECRETS, DATABASE_URL: database.url });
  const statusOf = async (path: string) => (await fetch(service.url + path)).status;
  const listener = createClient({
    url: `${service.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { Authorization: 'ApiKey the-key' },
  });
  const received = listener.iterate({ query: 'subscription { messageSent { message { text } } }' });
  const first = received.next();
  const [alice, bob] = [await createUser(service, 'alice'), await createUser(service, 'bob')];
  const send = (message: string) => call(service, '/chat/Message.json', { recipient_id: String(bob), message }, alice);
  // Messages sent before the subscription starts are not delivered.
  const isHeard = first.then(() => true);
  while (!(await Promise.race([isHeard, send('before').then(() => false)])));

  await database.stop();
  expect([await statusOf('/healthz'), await statusOf('/readyz')]).toEqual([200, 503]);
  expect((await send('meanwhile')).status).toBe(503);
  await database.start();
  while ((await statusOf('/readyz')) !== 200);
  expect((await send('after')).status).toBe(201);
  for await (const { data } of received) {
    if ((data as { messageSent: { message: { text: string } } }).messageSent.message.text === 'after') break;
  }

  await database.stop();
  expect(await service.stop()).toBe(0);
  expect(service.output()).not.toMatch(/nhandled|did not stop/);
  await listener.dispose();
});

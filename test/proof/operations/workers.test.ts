import { existsSync } from 'node:fs';
import { get } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createClient } from 'graphql-ws';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { createDataDir, failToStart, freshDataDir, type Service, startService } from '../../support/app/service.ts';
import { until } from '../../support/app/until.ts';

const KEY = { Authorization: 'ApiKey the-key' };
const LISTENERS = 4;
const SENDERS = 4;
/** A connection that is passed to a worker while it is killed gets no response. */
const TIMEOUT_MS = 3_000;

test('workers share the port and the embedded database, and a killed worker is replaced without a lost message', {
  timeout: 120_000,
}, async () => {
  const { dataDir, remove } = await createDataDir();
  const env = { BOOTSTRAP_API_KEY: 'the-key', WORKERS: '2', LOG_LEVEL: 'info' };
  const service = await startService(dataDir, env);
  onTestFinished(async () => {
    await service.stop();
    await remove();
  });
  const [alice, bob] = [await createUser(service, 'alice'), await createUser(service, 'bob')];
  const { chat_dialog_id: dialogId } = await send(service, alice, { recipient_id: String(bob), message: 'first' });

  const listeners = Array.from({ length: LISTENERS }, () => listen(service, bob, dialogId));
  onTestFinished(() => Promise.all(listeners.map(({ stop }) => stop())).then(() => {}));
  await until(async () => {
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    return [1, 2].every((worker) => Number(sample(metrics, `atrium_subscriptions{worker="${worker}"}`)) > 0);
  });
  const before = await processIds(service);

  const acknowledged: string[] = [];
  let isOver = false;
  const sending = Array.from({ length: SENDERS }, async () => {
    while (!isOver) {
      // Only the requests of the killed worker fail.
      const sent = await send(service, alice, { chat_dialog_id: dialogId, message: 'one more' }).catch(() => undefined);
      if (sent) acknowledged.push(sent._id);
    }
  });
  await until(() => acknowledged.length > 50);
  process.kill(before.get(1)!, 'SIGKILL');
  await until(async () => {
    const now = (await processIds(service)).get(1);
    return now !== undefined && now !== before.get(1);
  });
  const sentBefore = acknowledged.length;
  await until(() => acknowledged.length > sentBefore + 50);
  isOver = true;
  await Promise.all(sending);

  const after = await processIds(service);
  expect(after.get(2)).toBe(before.get(2));
  expect(service.output()).toContain('a worker exited and is restarted');
  await until(() => listeners.every(({ received }) => acknowledged.every((id) => received.has(id))));

  await Promise.all(listeners.map(({ stop }) => stop()));
  expect(await service.stop()).toBe(0);
  for (const pid of [...before.values(), ...after.values()]) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  expect(existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false);
});

test('workers share the counts of rate limits', async () => {
  const service = await startService((await freshDataDir()).DATA_DIR, {
    BOOTSTRAP_API_KEY: 'the-key',
    WORKERS: '2',
    LOG_LEVEL: 'info',
    RATE_LIMIT: 'on',
  });
  onTestFinished(() => service.stop().then(() => {}));
  const remaining: number[] = [];
  for (let nth = 0; nth < 8; nth++) remaining.push(await remainingOf(service));
  expect((await processIds(service)).size).toBe(2);
  expect(new Set(remaining).size).toBe(remaining.length);
});

test('a service whose workers cannot listen exits with a line that names the variable', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  const { port } = other.address() as { port: number };
  const { code, output } = await failToStart({ ...(await freshDataDir()), WORKERS: '2', PORT: String(port) });
  expect(code).toBe(1);
  expect(output).toMatch(/^atrium: HOST, PORT: .*EADDRINUSE/m);
});

async function call(service: Service, path: string, body: Record<string, string>, headers: Record<string, string>) {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(service.url + path, {
    method: 'POST',
    body: new URLSearchParams(body),
    headers,
    signal,
  });
  expect(response.status).toBe(201);
  return response.json();
}

async function createUser(service: Service, login: string): Promise<number> {
  const { user } = await call(service, '/users.json', { 'user[login]': login, 'user[password]': 'password-1' }, KEY);
  return user.id;
}

function send(service: Service, sender: number, message: Record<string, string>) {
  return call(service, '/chat/Message.json', message, { ...KEY, 'On-Behalf-Of': String(sender) });
}

/** Reconnects and resumes from the start, so that the set of its messages is complete. */
function listen(service: Service, userId: number, dialogId: string) {
  const client = createClient({
    url: `${service.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { ...KEY, 'On-Behalf-Of': String(userId) },
    retryAttempts: 100,
    retryWait: async () => {},
    shouldRetry: () => true,
  });
  const received = new Set<string>();
  const query = `subscription ($dialogId: ID, $since: String) {
    messageSent(dialogId: $dialogId, since: $since) { message { id } } }`;
  client.subscribe<{ messageSent: { message: { id: string } } }>(
    { query, variables: { dialogId, since: '0' } },
    { next: ({ data }) => void received.add(data!.messageSent.message.id), error: () => {}, complete: () => {} },
  );
  return { received, stop: async () => client.dispose() };
}

/** Opens a connection for each request, because workers take turns by connection. @returns process ids by worker */
async function processIds(service: Service): Promise<Map<number, number>> {
  const start = service.output().length;
  const answers = await Promise.allSettled(Array.from({ length: 4 }, () => remainingOf(service)));
  const answered = answers.filter(({ status }) => status === 'fulfilled').length;
  const requests = () =>
    [
      ...service
        .output()
        .slice(start)
        .matchAll(/^\{.*\}$/gm),
    ]
      .map(([line]) => JSON.parse(line))
      .filter(({ route }) => route === '/account_settings');
  await until(() => requests().length >= answered);
  return new Map(requests().map(({ worker, pid }) => [worker, pid]));
}

function remainingOf(service: Service): Promise<number> {
  return new Promise((resolve, reject) => {
    const url = `${service.url}/account_settings.json`;
    const request = get(url, { agent: false, headers: KEY, timeout: TIMEOUT_MS }, (response) => {
      response.resume();
      resolve(Number(/r=(\d+)/.exec(String(response.headers.ratelimit))?.[1]));
    });
    request.on('timeout', () => request.destroy(new Error('no response'))).on('error', reject);
  });
}

function sample(metrics: string, series: string): string | undefined {
  return metrics
    .split('\n')
    .find((line) => line.startsWith(series))
    ?.slice(series.length);
}

test('workers that are stopped are first not ready, and still serve', async () => {
  const { dataDir, remove } = await createDataDir();
  onTestFinished(remove);
  const service = await startService(dataDir, { WORKERS: '2', DRAIN_SECONDS: '2' });
  let isDraining = false;
  let hasStopped = false;
  const stopping = service.stop().finally(() => {
    hasStopped = true;
  });
  await until(async () => {
    const response = await fetch(`${service.url}/readyz`).catch(() => undefined);
    isDraining ||= response?.status === 503;
    return isDraining || hasStopped;
  });
  expect([isDraining, await stopping]).toEqual([true, 0]);
});

import { once } from 'node:events';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createDatabase, type TestDatabase } from '../../support/app/database.ts';
import { createDataDir, type Service, startService } from '../../support/app/service.ts';
import { conversations, expectAnswers, SMUGGLED, sendBytes, statusesIn, UPGRADE } from './connections.ts';
import { isFault } from './log.ts';
import { fuzz, RUNS, TEST_TIMEOUT_MS } from './run.ts';
import { frames, type SpokenMessage, spoken, spokenMessages } from './socket-messages.ts';

/** A separate process, because an uncaught error would end it. */
let service: Service;
let database: TestDatabase;
let folder: Awaited<ReturnType<typeof createDataDir>>;

beforeAll(async () => {
  database = await createDatabase();
  folder = await createDataDir();
  service = await startService(folder.dataDir, {
    DATABASE_URL: String(database.config.connectionString),
    BOOTSTRAP_API_KEY: 'KEY',
  });
});
afterAll(async () => {
  expect(await service.stop()).toBe(0);
  await database.drop();
  await folder.remove();
});

async function expectAlive(): Promise<void> {
  const response = await fetch(`${service.url}/readyz`);
  expect(response.status).toBe(200);
  expect(service.output().split('\n').filter(isFault)).toEqual([]);
}

test.each(SMUGGLED)('a request with %s is rejected as one request', async (_name, rest) => {
  const received = await sendBytes(service.url, [Buffer.from(`POST /login HTTP/1.1\r\nHost: a\r\n${rest}`, 'latin1')]);
  expect(statusesIn(received)).toEqual([400]);
  await expectAlive();
});

test(
  'arbitrary bytes on a connection are answered or rejected',
  async () => {
    await fuzz(conversations, async (parts) => expectAnswers(await sendBytes(service.url, parts)), RUNS * 25);
    await expectAlive();
  },
  TEST_TIMEOUT_MS,
);

test(
  'arbitrary frames at most close the WebSocket',
  async () => {
    await fuzz(
      frames,
      async (sent) => {
        const received = await sendBytes(service.url, [UPGRADE, ...sent]);
        expect(received).toMatch(/^HTTP\/1\.1 101 /);
        expect(received).not.toContain('permessage-deflate');
      },
      RUNS * 25,
    );
    await expectAlive();
  },
  TEST_TIMEOUT_MS,
);

const CLOSINGS = [1000, 1002, 1003, 1005, 1006, 1007, 1009, 4400, 4401, 4403, 4406, 4408, 4409, 4429];

test(
  'messages in any order at most close the WebSocket',
  async () => {
    const as = fc.constantFrom('x', '');
    await fuzz(fc.tuple(as, spokenMessages), async ([token, messages]) => converse(token, messages), RUNS * 25);
    await expectAlive();
  },
  TEST_TIMEOUT_MS,
);

async function converse(token: string, messages: SpokenMessage[]): Promise<void> {
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  const closed = once(socket, 'close');
  await once(socket, 'open');
  const receivedEvents: string[] = [];
  socket.on('message', (data) => receivedEvents.push(String(data)));
  socket.send(JSON.stringify({ type: 'connection_init', payload: { Authorization: 'ApiKey KEY' } }));
  for (const message of messages) socket.send(spoken(message, token));
  socket.close();
  const [code] = await closed;
  expect(CLOSINGS).toContain(code);
  for (const text of receivedEvents) expect(text).not.toMatch(/INTERNAL_SERVER_ERROR/);
}

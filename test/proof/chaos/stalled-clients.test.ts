import { once } from 'node:events';
import { connect as dial, type Socket } from 'node:net';
import { pino } from 'pino';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { running, useApp } from '../../support/app/app.ts';
import { findDifferences } from '../../support/app/integrity.ts';
import { LOCKED_HERE, sql } from '../../support/app/sql.ts';
import { until } from '../../support/app/until.ts';
import { rest } from '../../support/clients/rest.ts';
import { closeSockets, listen } from '../../support/clients/websocket.ts';
import { createBlob, type ShownBlob, storeBlob, storedFiles, uploadFields } from '../../support/fixtures/blobs.ts';
import { createDialog, MESSAGE_SENT, type QuickUser, quickUsers, send } from '../../support/fixtures/chat.ts';
import { faultsIn } from './assertions.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

// test/realtime/sessions.test.ts and test/proof/attacks/limits.test.ts cover sockets that do not read.

let output = '';
useApp({
  stalledAfter: 3_000,
  log: pino({ level: 'info' }, { write: (line: string) => (output += line) }),
});

const CLIENTS = 10;
const TOGETHER = 100;
/** Exceeds the buffers of both sides. */
const LARGE = Buffer.alloc(20 * 1024 * 1024, 'x');

let alice: QuickUser;
let bob: QuickUser;
let dialogId: string;
let sockets: Socket[] = [];

beforeAll(async () => {
  [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
  dialogId = await createDialog(alice, [bob]);
});

beforeEach(() => {
  output = '';
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  await closeSockets();
  expect(await findDifferences()).toEqual([]);
  expect(faultsIn(output)).toEqual([]);
});

async function say(text: string): Promise<Socket> {
  const { hostname, port } = new URL(running.url);
  const socket = dial(Number(port), hostname);
  sockets.push(socket);
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.pause();
  await new Promise<void>((resolve) => socket.write(text, () => resolve()));
  return socket;
}

function head(method: string, path: string, headers: Record<string, string | number> = {}): string {
  const lines = Object.entries({ Host: 'x', ...alice.headers, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

function cutOff(route: string): number {
  const lines = output.split('\n').flatMap((line) => (line.includes('"isCutOff":true') ? [JSON.parse(line)] : []));
  return lines.filter((line) => line.route === route).length;
}

async function expectServed(): Promise<void> {
  const { status } = await rest('GET', `/chat/Message?chat_dialog_id=${dialogId}`, { as: bob });
  expect(status).toBe(200);
}

test('clients that do not read a download are cut off, while others receive all of it', async () => {
  const { uid }: ShownBlob = await storeBlob(alice, LARGE, { public: true });
  for (let nth = 0; nth < CLIENTS; nth++) await say(head('GET', `/blobs/${uid}`));
  const answer = await fetch(`${running.url}/blobs/${uid}`);
  expect((await answer.arrayBuffer()).byteLength).toBe(LARGE.length);
  while (cutOff('/blobs/:uid') < CLIENTS) await expectServed();
});

test('clients that do not read an event stream are cut off, and their queues are bounded', async () => {
  const SLOW = `subscription ($dialogId: ID, $since: String) {
    messageSent(dialogId: $dialogId, since: $since) { cursor message { text } } }`;
  const body = JSON.stringify({ query: SLOW, variables: { dialogId } });
  const { hub, outbox } = running.app.services;
  const headers = { 'Content-Type': 'application/json', Accept: 'text/event-stream', 'Content-Length': body.length };
  const quick = await listen('subscription { messageSent { cursor } }', {}, bob);
  const first = await send(alice, dialogId, 'x'.repeat(30_000));
  for (let nth = 0; nth < CLIENTS; nth++) await say(head('POST', '/graphql', headers) + body);
  await until(() => hub.subscriptionCount === 1 + CLIENTS);
  let sent = 1;
  while (hub.subscriptionCount > 1) {
    // One message repeated: only the amount of unsent data matters here.
    await sql(
      `INSERT INTO events_outbox (application_id, kind, dialog_id, subject_id, user_id, created_at)
       SELECT application_id, 'messageSent', id, $2, user_id, created_at FROM dialogs, generate_series(1, $3) WHERE id = $1`,
      [dialogId, first, TOGETHER],
    );
    outbox.wake();
    sent += TOGETHER;
    await quick.atLeast(sent);
  }
  expect(sent).toBeLessThan(20_000);
  const cursors = quick.payloads().map(({ messageSent }) => BigInt(messageSent.cursor));
  expect(cursors).toEqual([...new Set(cursors)].sort((a, b) => (a < b ? -1 : 1)));
  expect(cursors).toHaveLength(sent);
  await sql('DELETE FROM events_outbox WHERE position > $1', [String(cursors[0])]);
});

test('clients that stop in the middle of a request are cut off, and nothing of it is stored', async () => {
  const blob = await createBlob(alice);
  const before = await storedFiles();
  const fields = Object.entries(uploadFields(blob))
    .map(([name, value]) => `--B\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    .join('');
  const file = '--B\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhalf of';
  const multipart = { 'Content-Type': 'multipart/form-data; boundary=B', 'Content-Length': 100_000 };
  const json = { 'Content-Type': 'application/json', 'Content-Length': 100_000 };
  const silent: Socket[] = [];
  for (let nth = 0; nth < CLIENTS; nth++) {
    silent.push(await say(''), await say(`GET /users HTTP/1.1\r\nHost: x\r\nX-Slow`));
    await say(head('POST', '/uploads', multipart) + fields + file);
    await say(`${head('POST', '/chat/Message', json)}{"chat_dialog_id":"${dialogId}"`);
    await say(`${head('POST', '/graphql', json)}{"query":"`);
  }
  for (const socket of silent) socket.resume();
  const isOver = () =>
    cutOff('/uploads') >= CLIENTS &&
    cutOff('/chat/Message') >= CLIENTS &&
    cutOff('/graphql') >= CLIENTS &&
    silent.every(({ destroyed }) => destroyed);
  while (!isOver()) await expectServed();
  await until(async () => (await sql('SELECT FROM unclaimed_files')).length === 0);
  expect(await storedFiles()).toEqual(before);
});

test('clients that wait for a response or the next event are not cut off', async () => {
  const listening = await listen(MESSAGE_SENT, { dialogId }, bob);
  const holder = sql('SELECT pg_sleep(7), count(*) FROM (SELECT FROM dialogs FOR UPDATE) held');
  await until(
    async () =>
      (
        await sql(
          `SELECT FROM pg_locks WHERE ${LOCKED_HERE} AND relation = 'dialogs'::regclass AND mode = 'RowShareLock'`,
        )
      ).length > 0,
  );
  const id = await send(alice, dialogId, 'late');
  await holder;
  expect((await listening.atLeast(1))[0].messageSent.message.id).toBe(id);
});

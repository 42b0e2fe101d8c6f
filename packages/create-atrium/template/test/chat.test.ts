import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { startServer } from '../server.mjs';
import { connect } from '../web/atrium.ts';
import { addNote, listDialogs, listNotes, openPrivate, send, signUp, watchMessages } from '../web/chat.ts';

let server: Awaited<ReturnType<typeof startServer>>;
let dataDir: string;

beforeAll(async () => {
  globalThis.WebSocket ??= WebSocket as never; // Node.js has one since version 22
  dataDir = await mkdtemp(join(tmpdir(), 'my-atrium-app-'));
  await chmod(dataDir, 0o755); // PostgreSQL does not run as root, but as a user who must be able to enter the folder
  server = await startServer({ port: 0, dataDir });
});

afterAll(async () => {
  await server.stop();
  await rm(dataDir, { recursive: true });
});

async function newUser(login: string) {
  const client = connect(server.url, () => Promise.reject(new Error('The session has expired')));
  await signUp(client, login, 'correct-horse');
  return client;
}

test('a message reaches the other user at once, and counts as unread until it is read', async () => {
  const [alice, bob] = [await newUser('alice'), await newUser('bob')];
  const { id } = await openPrivate(alice, 'bob');
  const seen = vi.fn();
  const stop = watchMessages(
    bob,
    id,
    (messages) => seen(messages.map(({ text }) => text)),
    () => {},
  );
  await vi.waitFor(() => expect(seen).toHaveBeenLastCalledWith([]), 10_000);
  await send(alice, id, 'Lunch?', crypto.randomUUID());
  await vi.waitFor(() => expect(seen).toHaveBeenLastCalledWith(['Lunch?']), 10_000);
  stop();
  expect(await listDialogs(bob)).toMatchObject([{ name: 'alice', lastMessage: 'Lunch?', unreadMessagesCount: 1 }]);
});

test('a message that is sent twice with one id is stored once', async () => {
  const [carol, dave] = [await newUser('carol'), await newUser('dave')];
  const { id } = await openPrivate(carol, 'dave');
  const clientId = crypto.randomUUID();
  await send(carol, id, 'Hello', clientId);
  await send(carol, id, 'Hello', clientId);
  expect(await listDialogs(dave)).toMatchObject([{ unreadMessagesCount: 1 }]);
});

test('all users see a note', async () => {
  await addNote(await newUser('erin'), 'The office is closed on Friday');
  const notes = await listNotes(await newUser('frank'));
  expect(notes.map(({ text }) => text)).toEqual(['The office is closed on Friday']);
});

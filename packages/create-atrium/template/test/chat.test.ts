import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { startServer } from '../server.mjs';
import { type Backend, connect, openPrivate } from '../web/atrium.ts';

let server: Awaited<ReturnType<typeof startServer>>;
let dataDir: string;
const clients: Backend[] = [];

beforeAll(async () => {
  globalThis.WebSocket ??= WebSocket as never; // Node.js has one since version 22
  dataDir = await mkdtemp(join(tmpdir(), 'my-atrium-app-'));
  await chmod(dataDir, 0o755); // PostgreSQL does not run as root, but as a user who must be able to enter the folder
  server = await startServer({ port: 0, dataDir });
});

afterAll(async () => {
  for (const client of clients) client.close();
  await server.stop();
  await rm(dataDir, { recursive: true });
});

async function newUser(login: string): Promise<Backend> {
  const atrium = connect(server.backend, server.applicationId);
  clients.push(atrium);
  await atrium.session.signUp({ login, password: 'correct-horse' });
  return atrium;
}

test('a message reaches the other user at once, and counts as unread until it is read', async () => {
  const [alice, bob] = [await newUser('alice'), await newUser('bob')];
  const id = await openPrivate(alice, 'bob');
  const seen = vi.fn();
  const stop = bob.chat.dialog(id).watch(({ messages }) => seen(messages.map(({ text }) => text)));
  await alice.chat.dialog(id).send('Lunch?');
  await vi.waitFor(() => expect(seen).toHaveBeenLastCalledWith(['Lunch?']), 10_000);
  stop();
  const unread = async () => (await bob.chat.dialogs()).items.map(({ name, unreadCount }) => [name, unreadCount]);
  expect(await unread()).toEqual([['alice', 1]]);
  await bob.chat.dialog(id).markRead();
  expect(await unread()).toEqual([['alice', 0]]);
});

test('all users see a note', async () => {
  await (await newUser('carol')).records('Note').create({ text: 'The office is closed on Friday' });
  const { items } = await (await newUser('dave')).records('Note').list();
  expect(items.map(({ text }) => text)).toEqual(['The office is closed on Friday']);
});

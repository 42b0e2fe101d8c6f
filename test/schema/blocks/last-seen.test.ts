import { afterEach, expect, test } from 'vitest';
import { clock, running, useApp } from '../../support/app/app.ts';
import { startAnother } from '../../support/app/other-apps.ts';
import { sql } from '../../support/app/sql.ts';
import { closeSockets, connect, until } from '../../support/clients/websocket.ts';
import { insertUser } from '../../support/fixtures/callers.ts';
import { execute } from '../../support/fixtures/chat.ts';
import { apiKey, type Caller, createUsers } from '../../support/fixtures/users.ts';

useApp();

afterEach(() => closeSockets());

const seen = async (user: { id: number }, as: Caller): Promise<string | null> =>
  (await execute(`{ user(id: ${user.id}) { lastSeenAt } }`, {}, as)).user.lastSeenAt;
const now = () => running.now().toISOString();

test('a user is seen now while online in any process, then at the end of the connection', async () => {
  const another = await startAnother();
  const [alice, bob] = await createUsers(2);
  const begin = now();
  clock.advance(60_000);
  expect(await seen(bob, alice)).toBe(begin);
  const socket = await connect(bob, another);
  await until(async () => (await seen(bob, alice)) === now());
  clock.advance(60_000);
  expect(await seen(bob, alice)).toBe(now());
  const end = now();
  await socket.close();
  clock.advance(60_000);
  await until(async () => (await seen(bob, alice)) === end);
  await another.stop();
  const rows = await sql<{ at: Date }>('SELECT last_seen_at AS at FROM users WHERE id = $1', [bob.id]);
  expect(rows[0]!.at.toISOString()).toBe(end);
});

test('a user who was never online has not been seen', async () => {
  expect(await seen({ id: await insertUser() }, apiKey)).toBeNull();
});

test('a blocked user does not see when the blocker was online', async () => {
  const [alice, bob] = await createUsers(2);
  await connect(alice);
  await execute(`mutation { blockUser(userId: ${bob.id}) { id } }`, {}, alice);
  expect(await seen(alice, bob)).toBeNull();
  expect(await seen(alice, apiKey)).toBe(now());
  expect(await seen(bob, alice)).not.toBeNull();
  const { users } = await execute('{ users { edges { node { id lastSeenAt } } } }', {}, bob);
  const nodes = users.edges.map(({ node }: { node: { id: number; lastSeenAt: string | null } }) => node);
  expect(nodes.find(({ id }: { id: number }) => id === alice.id)).toEqual({ id: alice.id, lastSeenAt: null });
});

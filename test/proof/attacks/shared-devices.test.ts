import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { type AtriumOptions, createAtrium, memoryStorage } from '../../../packages/client/src/index.ts';
import { db } from '../../../src/db/client.ts';
import { hashSecret } from '../../../src/lib/tokens.ts';
import { APPLICATION, running, useApp } from '../../support/app/app.ts';
import { ownConnection, sql } from '../../support/app/sql.ts';
import { rest } from '../../support/clients/rest.ts';
import { until } from '../../support/clients/websocket.ts';
import { execute } from '../../support/fixtures/chat.ts';
import { created } from '../../support/fixtures/chat-cast.ts';
import { subscribeDevice } from '../../support/fixtures/pushes.ts';
import { apiKey, createUser, createUsers, openSession, type TestUser } from '../../support/fixtures/users.ts';

useApp();
beforeAll(() => execute('mutation { updateApplication(input: { publicSignIn: true }) { id } }', {}, apiKey));

const LOGIN = 'mutation ($login: String!) { loginUser(input: { login: $login, password: "password-1" }) { id } }';

const WAITING = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

const sequence = (name: string) => ({ client_identification_sequence: name });
const devicesOf = async ({ id: userId }: TestUser) => ({
  subscriptions: await db.pushSubscription.findMany({ where: { userId }, select: { sequence: true, channel: true } }),
  tokens: await db.pushToken.count({ where: { userId } }),
});

async function signedIn(user: TestUser, options: Partial<AtriumOptions>) {
  const { url } = running;
  const atrium = createAtrium({ url, applicationId: APPLICATION.id, webSocket: WebSocket, ...options });
  onTestFinished(() => atrium.close());
  await atrium.session.signIn(user);
  return atrium;
}

/** A promise that the test resolves. */
function signal() {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { give, given };
}

describe('#76 the next person on a shared device', () => {
  test.each<[string, (as: TestUser) => Promise<unknown>]>([
    ['DELETE /session', (as) => rest('DELETE', '/session', { as })],
    ['DELETE /login', (as) => rest('DELETE', '/login', { as })],
    ['deleteSession', (as) => execute('mutation { deleteSession }', {}, as)],
    ['logoutUser', (as) => execute('mutation { logoutUser }', {}, as)],
    ['loginUser of another user', async (as) => execute(LOGIN, { login: (await createUser()).login }, as)],
  ])('%s removes the devices of that session, and no others', async (_name, leave) => {
    const user = await createUser();
    const elsewhere = await openSession(user);
    await subscribeDevice(elsewhere, 'gcm', sequence(`elsewhere-${user.id}`));
    await subscribeDevice(user, 'gcm', sequence(`here-${user.id}`));
    await subscribeDevice(user, 'email', sequence(`mail-${user.id}`));
    const push_token = { environment: 'development', ...sequence(`token-${user.id}`) };
    await created('/push_tokens', { push_token, device: { platform: 'ios', udid: 'u' } }, user);
    await leave(user);
    expect(await devicesOf(user)).toEqual({
      subscriptions: [
        { channel: 'gcm', sequence: `elsewhere-${user.id}` },
        { channel: 'email', sequence: null },
      ],
      tokens: 0,
    });
  });

  test('a user who signs in again with the same token keeps the devices', async () => {
    const user = await createUser();
    await subscribeDevice(user, 'gcm', sequence(`again-${user.id}`));
    await execute(LOGIN, { login: user.login }, user);
    expect((await devicesOf(user)).subscriptions).toHaveLength(1);
  });

  test('a device that is being registered while its session ends is removed', async () => {
    const user = await createUser();
    const holder = await ownConnection();
    await holder.query('BEGIN');
    await holder.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `${APPLICATION.id}:${hashSecret('in flight')}`,
    ]);
    const waiting = async () => (await sql(WAITING)).length;
    const subscribing = subscribeDevice(user, 'gcm', sequence('in flight'));
    await until(async () => (await waiting()) === 1);
    let hasLeft = false;
    const leaving = rest('DELETE', '/session', { as: user }).then(() => {
      hasLeft = true;
    });
    await until(async () => hasLeft || (await waiting()) === 2);
    await holder.query('COMMIT');
    await holder.end();
    await Promise.all([subscribing, leaving]);
    expect(await devicesOf(user)).toEqual({ subscriptions: [], tokens: 0 });
  });

  test('copies on the device that are being written while the user signs out do not remain', async () => {
    const storage = memoryStorage();
    const [writing, written, ended] = [signal(), signal(), signal()];
    const put: typeof storage.put = async (...copy) => {
      writing.give();
      await written.given;
      await storage.put(...copy);
    };
    const observed: typeof fetch = async (...request) => {
      const response = await fetch(...request);
      if (String(request[1]?.body).includes('deleteSession')) ended.give();
      return response;
    };
    const [user, friend, next] = await createUsers(3);
    const atrium = await signedIn(user, { deviceStorage: { ...storage, put }, fetch: observed });
    await atrium.users.byId(friend.id);
    await writing.given;
    const leaving = atrium.session.signOut();
    await ended.given;
    await openSession(); // the client has received the response before this one
    written.give();
    await leaving;
    // Copies of the next user are written after those that are left.
    await atrium.session.signIn(next);
    await until(async () => (await storage.get('cache', `user:${next.id}`)) !== undefined);
    expect(await storage.all('cache')).toHaveLength(1);
  });

  test('a response for a user who has signed out is not copied to the device', async () => {
    const storage = memoryStorage();
    const [answered, released] = [signal(), signal()];
    const held: typeof fetch = async (...request) => {
      const response = await fetch(...request);
      if (!String(request[1]?.body).includes('query User(')) return response;
      answered.give();
      await released.given;
      return response;
    };
    const [user, other] = await createUsers(2);
    const atrium = await signedIn(user, { deviceStorage: storage, fetch: held });
    const found = atrium.users.byId(other.id);
    await answered.given;
    await atrium.session.signOut();
    released.give();
    await found;
    await atrium.session.signIn(await createUser());
    await until(async () => (await storage.all('cache')).length > 0);
    expect(await storage.get('cache', `user:${other.id}`)).toBeUndefined();
  });
});

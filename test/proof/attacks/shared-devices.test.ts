import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { type AtriumOptions, createAtrium, memoryStorage } from '../../../packages/client/src/index.ts';
import { db } from '../../../src/db/client.ts';
import { hashSecret } from '../../../src/lib/tokens.ts';
import { APPLICATION, running, useApp } from '../../support/app/app.ts';
import { useChatExample } from '../../support/app/chat-example.ts';
import { ownConnection, sql } from '../../support/app/sql.ts';
import { hasBrowser, useBrowser } from '../../support/clients/browser.ts';
import { message, signUp, startDialog, write } from '../../support/clients/chat-example.ts';
import { rest } from '../../support/clients/rest.ts';
import { until } from '../../support/clients/websocket.ts';
import { startBrowser } from '../../support/fakes/browser.ts';
import { execute } from '../../support/fixtures/chat.ts';
import { created } from '../../support/fixtures/chat-cast.ts';
import { registerDevice, setUpWeb, subscribeDevice } from '../../support/fixtures/pushes.ts';
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

describe('#74 the next person on a shared device', () => {
  test.each<[string, (as: TestUser) => Promise<unknown>]>([
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

  test.each([
    ['DELETE', '/session'],
    ['DELETE', '/login'],
  ])('%s %s keeps the devices, because legacy clients delete them themselves', async (method, path) => {
    const user = await createUser();
    await subscribeDevice(user, 'gcm', sequence(`legacy-${user.id}`));
    await rest(method, path, { as: user });
    expect((await devicesOf(user)).subscriptions).toHaveLength(1);
  });

  test('a user who signs in again keeps the devices, and loses them to the next user', async () => {
    const [user, next] = await createUsers(2);
    const { client } = await signedIn(user, {});
    await subscribeDevice({ headers: { 'SVC-Token': client.session!.token } }, 'gcm', sequence(`again-${user.id}`));
    await execute(LOGIN, { login: user.login }, { headers: { 'SVC-Token': client.session!.token } });
    const sessions = () => db.session.count({ where: { userId: user.id } });
    const before = await sessions();
    await client.signIn(user);
    await until(async () => (await sessions()) === before);
    expect((await devicesOf(user)).subscriptions).toHaveLength(1);
    await client.signIn(next);
    await until(async () => (await devicesOf(user)).subscriptions.length === 0);
  });

  test('a device that is being registered while its session ends is removed', async () => {
    const user = await createUser();
    const holder = await ownConnection();
    await holder.query('BEGIN');
    await holder.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `${APPLICATION.id}:${hashSecret('in flight')}`,
    ]);
    const waiting = async () => (await sql(WAITING)).length;
    // The response may list the subscription no longer.
    const subscribing = registerDevice(user, 'gcm', sequence('in flight'));
    await until(async () => (await waiting()) === 1);
    let hasLeft = false;
    const leaving = execute('mutation { deleteSession }', {}, user).then(() => {
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

  describe.skipIf(!hasBrowser)('in the chat example', () => {
    useBrowser();
    const example = useChatExample();

    /** Like the subscription of a browser, whose push service is not reachable from here. */
    const pushManagerOf = (subscription: string) => `
      PushManager.prototype.getSubscription = async () => localStorage.subscribed
        ? { ...${subscription}, toJSON: () => (${subscription}), unsubscribe: async () => delete localStorage.subscribed }
        : null;
      PushManager.prototype.subscribe = function () {
        localStorage.subscribed = 'yes';
        return this.getSubscription();
      };`;

    test('sign-out leaves no copies, no pushes and no signed-in tab', async () => {
      await setUpWeb('production');
      const browser = await startBrowser();
      onTestFinished(() => browser.stop().then(() => {}));
      const page = await signUp(example, 'Rosa Lindgren');
      await page.context().addInitScript(pushManagerOf(JSON.stringify(browser.subscription('rosa'))));
      await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
      for (const search of ['?reset_token=SECRET', '']) await page.goto(example.url + search);
      await page.evaluate(() => fetch('/reset-password?reset_token=SECRET'));
      await createUser({ full_name: 'Hugo Brandt' });
      await startDialog(page, 'Hugo Brandt');
      await write(page, 'PRIVATE');
      await message(page, 'PRIVATE').getByText('Sent', { exact: true }).waitFor({ state: 'attached' });
      await page.getByRole('button', { name: 'Account of' }).click();
      await page.getByRole('button', { name: 'Notify me about new messages' }).click();
      await page.getByRole('button', { name: 'Turn off notifications' }).waitFor();
      expect(await db.pushSubscription.count({ where: { channel: 'web' } })).toBe(1);
      const second = await page.context().newPage();
      await second.goto(page.url());
      await message(second, 'PRIVATE').waitFor();
      const copied = () =>
        page.evaluate(async () => {
          const names = await caches.keys();
          const kept = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
          return kept.flat().map(({ url }) => new URL(url).pathname + new URL(url).search);
        });
      for (const path of await copied()) expect(path).toMatch(/^\/(assets\/[^?]+|icon\.svg|manifest\.webmanifest)?$/);
      expect(await copied()).toContain('/');
      await page.evaluate(async () =>
        (await caches.open('of an earlier version')).put('/left', new Response('PRIVATE')),
      );

      await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Sign out' }).click()]);
      for (const tab of [page, second]) await tab.getByRole('button', { name: 'Create an account' }).waitFor();
      expect(await copied()).not.toContain('/left');
      const stored = await page.evaluate(() => Object.keys(localStorage));
      expect(stored.filter((name) => !['theme', 'udid'].includes(name))).toEqual([]);
      expect(await db.pushSubscription.count({ where: { channel: 'web' } })).toBe(0);
      const left = await page.evaluate(async () => {
        const found: unknown[] = [];
        for (const { name } of await indexedDB.databases()) {
          const opening = indexedDB.open(name!);
          await new Promise((resolve) => (opening.onsuccess = resolve));
          for (const store of opening.result.objectStoreNames) {
            const reading = opening.result.transaction(store).objectStore(store).getAll();
            await new Promise((resolve) => (reading.onsuccess = resolve));
            found.push(...reading.result);
          }
        }
        return found;
      });
      expect(left).toEqual([]);
      await page.context().close();
    });

    test('sign-out without a connection ends the session in other tabs, too', async () => {
      const page = await signUp(example, 'Nadia Persson');
      const second = await page.context().newPage();
      await second.goto(example.url);
      await second.getByRole('heading', { name: 'Chats' }).waitFor();
      example.network.target = 'http://127.0.0.1:1';
      example.network.cut();
      onTestFinished(() => {
        example.network.target = running.url;
      });
      await page.getByRole('button', { name: 'Account of' }).click();
      await page.getByRole('button', { name: 'Sign out' }).click();
      for (const tab of [page, second]) await tab.getByRole('button', { name: 'Create an account' }).waitFor();
      await page.context().close();
    });

    test('a user sees whether the browser is subscribed for them, not whether it is for an earlier user', async () => {
      const browser = await startBrowser();
      onTestFinished(() => browser.stop().then(() => {}));
      const page = await signUp(example, 'Emil Novak');
      await page.context().addInitScript(pushManagerOf(JSON.stringify(browser.subscription('emil'))));
      await page.evaluate(() => localStorage.setItem('subscribed', 'by an earlier user'));
      await page.reload();
      await page.getByRole('button', { name: 'Account of' }).click();
      await page.getByRole('button', { name: 'Notify me about new messages' }).waitFor();
      await page.context().close();
    });
  });
});

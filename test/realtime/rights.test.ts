import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { App } from '../../src/server/lifecycle.ts';
import { clock, running, useApp } from '../support/app/app.ts';
import { createTenant, startAnother } from '../support/app/other-apps.ts';
import { rest } from '../support/clients/rest.ts';
import { streamEvents } from '../support/clients/sse.ts';
import { closeSockets, connect, listen, until } from '../support/clients/websocket.ts';
import { createDialog, execute, send } from '../support/fixtures/chat.ts';
import { apiKey, type Caller, createUser, onBehalfOf, openSession, type TestUser } from '../support/fixtures/users.ts';

useApp();

const EVENTS = 'subscription ($dialogId: ID) { dialogEvents(dialogId: $dialogId) { __typename cursor dialogId } }';

interface Opened {
  received: () => unknown[];
  /** Close code of the socket, or `ended` for a stream. */
  over: Promise<number | 'ended'>;
}

async function overSocket(as: Caller, dialogId: string | undefined, app: App): Promise<Opened> {
  const { socket, payloads: received } = await listen(EVENTS, { dialogId }, as, app);
  return { received, over: socket.closed.then(({ code }) => code) };
}

async function overEvents(as: Caller, dialogId: string | undefined, app: App): Promise<Opened> {
  const before = app.services.hub.subscriptionCount;
  const stream = await streamEvents(EVENTS, { dialogId }, as, app);
  await until(() => app.services.hub.subscriptionCount > before);
  return { received: () => stream.results, over: stream.ended.then(() => 'ended' as const) };
}

let second: App;

beforeEach(async () => {
  second = await startAnother();
});

afterEach(async () => {
  clock.reset();
  await closeSockets();
  await second.stop();
});

interface Losing {
  as: Caller;
  lose: () => Promise<unknown>;
}

const json = (body: object) => ({ json: body });

/** Ways to lose credentials; the user remains an occupant unless they are deleted. */
const ENDS: [name: string, prepare: (user: TestUser) => Promise<Losing>][] = [
  ['logout by DELETE /login', async (user) => ({ as: user, lose: () => rest('DELETE', '/login.json', { as: user }) })],
  ['logout by logoutUser', async (user) => ({ as: user, lose: () => execute('mutation { logoutUser }', {}, user) })],
  [
    'the end of the session by DELETE /session',
    async (user) => ({ as: user, lose: () => rest('DELETE', '/session.json', { as: user }) }),
  ],
  [
    'the login of somebody else with the same token',
    async (user) => {
      const other = await createUser();
      return {
        as: user,
        lose: () =>
          rest('POST', '/login.json', { as: user, ...json({ login: other.login, password: other.password }) }),
      };
    },
  ],
  [
    'the expiry of the session',
    async (user) => ({
      as: user,
      lose: async () => clock.reset(121 * 60_000),
    }),
  ],
  [
    'a new password, set in another session',
    async (user) => {
      const as = await openSession(user);
      const change = { user: { old_password: user.password, password: 'password-2' } };
      return { as, lose: () => rest('PUT', `/users/${user.id}.json`, { as: user, ...json(change) }) };
    },
  ],
  [
    'a new password, set by the API key',
    async (user) => ({
      as: user,
      lose: () => rest('PUT', `/users/${user.id}.json`, { as: apiKey, ...json({ user: { password: 'password-2' } }) }),
    }),
  ],
  [
    'the deletion of the user',
    async (user) => ({ as: user, lose: () => rest('DELETE', `/users/${user.id}.json`, { as: user }) }),
  ],
  [
    'the deletion of the user for whom the API key acts',
    async (user) => ({
      as: onBehalfOf(user),
      lose: () => rest('DELETE', `/users/${user.id}.json`, { as: onBehalfOf(user) }),
    }),
  ],
  [
    'the revocation of the API key',
    async () => {
      const key = await newKey();
      return { as: key, lose: key.revoke };
    },
  ],
  [
    'the revocation of the API key that acts for a user',
    async (user) => {
      const key = await newKey();
      return { as: { headers: { ...key.headers, 'On-Behalf-Of': String(user.id) } }, lose: key.revoke };
    },
  ],
];

async function newKey(): Promise<Caller & { revoke: () => Promise<unknown> }> {
  const made = await execute('mutation { createApiKey(name: "another") { id key } }', {}, apiKey);
  const { id, key } = made.createApiKey;
  const revoke = () => execute('mutation ($id: Int!) { revokeApiKey(id: $id) { id } }', { id }, apiKey);
  return { headers: { Authorization: `ApiKey ${key}` }, revoke };
}

describe.each(ENDS)('%s', (_name, prepare) => {
  test('the loss of credentials ends sockets and streams, of one dialog and of all, on every process, and no others', async () => {
    const [user, alice] = [await createUser(), await createUser()];
    const dialogId = await createDialog(alice, [user]);
    const { as, lose } = await prepare(user);
    const opened: Opened[] = [];
    for (const app of [running.app, second]) {
      for (const of of [dialogId, undefined]) {
        opened.push(await overSocket(as, of, app), await overEvents(as, of, app));
      }
    }
    const idle = [await connect(as), await connect(as, second)];
    const staying = [await overSocket(apiKey, dialogId, running.app), await overEvents(apiKey, undefined, second)];
    await send(onBehalfOf(alice), dialogId, 'before');
    for (const { received } of [...opened, ...staying]) await until(() => received().length === 1);

    await lose();
    const ends = await Promise.all(opened.map(({ over }) => over));
    expect(ends).toEqual(opened.map((_, nth) => (nth % 2 === 0 ? 4403 : 'ended')));
    for (const { closed } of idle) expect((await closed).code).toBe(4403);

    const before = staying.map(({ received }) => received().length);
    await send(onBehalfOf(alice), dialogId, 'after');
    for (const [nth, { received }] of staying.entries()) await until(() => received().length > before[nth]!);
    for (const { received } of opened) expect(received().length).toBeLessThanOrEqual(before[0]!);
    // Only the subscriptions of the API key remain.
    await until(() => running.app.services.hub.subscriptionCount === 1 && second.services.hub.subscriptionCount === 1);
    await expect(listen(EVENTS, { dialogId }, as)).rejects.toBeTruthy();
  });
});

describe('refused subscriptions', () => {
  const codeOf = (code: string) => [{ extensions: { code } }];

  test('an application session cannot subscribe to dialog events', async () => {
    const application = await openSession();
    const user = await createUser();
    const dialogId = await createDialog(user, [], 'PUBLIC_GROUP');
    for (const variables of [{}, { dialogId }]) {
      await expect(listen(EVENTS, variables, application)).rejects.toMatchObject(codeOf('FORBIDDEN'));
      const stream = await streamEvents(EVENTS, variables, application);
      await stream.ended;
      expect(stream.results).toMatchObject([{ errors: codeOf('FORBIDDEN') }]);
    }
    expect(running.app.services.hub.subscriptionCount).toBe(0);
  });

  test('callers of another application cannot subscribe to dialogs of this one', async () => {
    const user = await createUser();
    const other = await createTenant(1);
    for (const dialogId of [await createDialog(user, [user]), await createDialog(user, [], 'PUBLIC_GROUP')]) {
      for (const as of [other.key, other.users[0]!]) {
        await expect(listen(EVENTS, { dialogId }, as)).rejects.toMatchObject(codeOf('NOT_FOUND'));
        const stream = await streamEvents(EVENTS, { dialogId }, as);
        await stream.ended;
        expect(stream.results).toMatchObject([{ errors: codeOf('NOT_FOUND') }]);
      }
    }
  });

  test('a caller without valid credentials cannot subscribe', async () => {
    const bad: Caller[] = [
      { headers: {} },
      { headers: { 'SVC-Token': 'x' } },
      { headers: { Authorization: 'ApiKey x' } },
    ];
    for (const as of bad) {
      await expect(connect(as)).rejects.toThrow('4403');
      const stream = await streamEvents(EVENTS, {}, as);
      await stream.ended;
      expect(stream.results).toMatchObject([{ errors: codeOf('UNAUTHENTICATED') }]);
    }
  });
});

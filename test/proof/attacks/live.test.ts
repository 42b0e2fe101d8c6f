import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { clock, running, useApp } from '../../support/app/app.ts';
import { DIALOG_EVENTS } from '../../support/clients/live.ts';
import { rest } from '../../support/clients/rest.ts';
import { streamEvents } from '../../support/clients/sse.ts';
import { GRAPHQL_TRANSPORTS } from '../../support/clients/transports.ts';
import { closeSockets, connect, listen, until } from '../../support/clients/websocket.ts';
import { signedInAdministrator } from '../../support/fixtures/administrators.ts';
import { createDialog, execute, quickUsers, send } from '../../support/fixtures/chat.ts';
import { created } from '../../support/fixtures/chat-cast.ts';
import { defineClass } from '../../support/fixtures/typed-classes.ts';
import {
  apiKey,
  createUser,
  createUsers,
  onBehalfOf,
  openSession,
  type TestUser,
} from '../../support/fixtures/users.ts';

useApp();

beforeAll(() => defineClass('cars', { make: 'String' }));

afterEach(async () => {
  clock.reset();
  await closeSockets();
});

const CARS = `subscription ($where: JSON) {
  recordChanged(className: "cars", where: $where) { change record { id fields } } }`;

describe('#1 check on one path only', () => {
  test('dialog events reach only current occupants, over sockets and streams', async () => {
    const [alice, bob] = await quickUsers(2);
    const dialogId = await createDialog(alice!, [bob!]);
    const lobby = await createDialog(alice!, [], 'PUBLIC_GROUP');
    const received = await listen(DIALOG_EVENTS, {}, bob!);
    const streamed = await streamEvents(DIALOG_EVENTS, {}, bob!);
    await until(() => running.app.services.hub.subscriptionCount === 2);
    await send(alice!, dialogId, 'for both');
    const json = { pull_all: { occupants_ids: [bob!.id] } };
    expect((await rest('PUT', `/chat/Dialog/${dialogId}`, { as: alice, json })).status).toBe(200);
    await send(alice!, dialogId, 'SECRET');
    await send(alice!, lobby, 'bell');
    for (const notified of [() => JSON.stringify(received.payloads()), () => JSON.stringify(streamed.results)]) {
      await until(() => notified().includes('bell'));
      expect(notified()).toContain('for both');
      expect(notified()).not.toContain('SECRET');
    }
    streamed.abort();
  });

  test('record events show only what the subscriber may read at delivery', async () => {
    const [olga, mallory] = await createUsers(2);
    const received = await listen(CARS, {}, mallory);
    const { _id } = await created('/data/cars', { make: 'AB' }, olga);
    await rest('PUT', `/data/cars/${_id}`, { as: olga, json: { permissions: { read: { access: 'owner' } } } });
    await rest('PUT', `/data/cars/${_id}`, { as: olga, json: { make: 'SECRET' } });
    await created('/data/cars', { make: 'bell' }, olga);
    await until(() => JSON.stringify(received.payloads()).includes('bell'));
    const notified = received.payloads().map(({ recordChanged: { change, record } }) => [change, record?.fields.make]);
    expect(notified).toEqual([
      ['CREATED', 'AB'],
      ['UPDATED', undefined],
      ['CREATED', 'bell'],
    ]);
  });
});

describe('#3 a revoked or expired session stops streaming', () => {
  const password = { old_password: 'password-1', password: 'password-2' };
  const ENDS: [name: string, end: (user: TestUser) => Promise<unknown>][] = [
    ['logout', (as) => rest('DELETE', '/login', { as })],
    ['DELETE /session', (as) => rest('DELETE', '/session', { as })],
    ['expiry', async () => clock.reset(121 * 60_000)],
    [
      'a password change',
      async (user) => rest('PUT', `/users/${user.id}`, { as: await openSession(user), json: { user: password } }),
    ],
    ['deletion of the user by an API key', (user) => rest('DELETE', `/users/${user.id}`, { as: apiKey })],
  ];

  test.each(ENDS)('%s closes the sockets and streams of the session', async (_name, end) => {
    const user = await createUser();
    const dialogId = await createDialog(user, [user]);
    const { socket } = await listen(DIALOG_EVENTS, { dialogId }, user);
    const idle = await connect(user);
    const streamed = await streamEvents(DIALOG_EVENTS, {}, user);
    await until(() => running.app.services.hub.subscriptionCount === 2);
    await end(user);
    expect((await socket.closed).code).toBe(4403);
    expect((await idle.closed).code).toBe(4403);
    await streamed.ended;
  });

  test('removal from a dialog completes the subscription', async () => {
    const [alice, bob] = await quickUsers(2);
    const dialogId = await createDialog(alice!, [bob!]);
    const { socket } = await listen(DIALOG_EVENTS, { dialogId }, bob!);
    const json = { pull_all: { occupants_ids: [bob!.id] } };
    await rest('PUT', `/chat/Dialog/${dialogId}`, { as: alice, json });
    expect(await socket.find(({ type }) => type === 'complete')).toMatchObject({ id: 'listening' });
  });
});

describe('#4 filters reveal unreadable values', () => {
  test('filters, orders, counts, groups and subscriptions reveal nothing about unreadable records', async () => {
    const [olga, mallory] = await createUsers(2);
    const json = { make: 'SECRET-4', permissions: { read: { access: 'owner' } } };
    const { _id } = await created('/data/cars', json, olga);
    const where = { make: { eq: 'SECRET-4' } };
    const received = await listen(CARS, { where }, mallory);
    for (const query of ['make=SECRET-4', 'make[ctn]=SECRET-4', `_id=${_id}`, `user_id=${olga.id}`]) {
      for (const more of ['', '&count=1', '&group_by=make', '&sort_desc=make']) {
        const { status, text } = await rest('GET', `/data/cars?${query}${more}`, { as: mallory });
        expect(status, query + more).toBe(200);
        expect(text, query + more).not.toContain('SECRET-4');
        expect(text, query + more).not.toContain(_id);
        if (more === '&count=1') expect(JSON.parse(text).items).toEqual({ count: 0 });
      }
    }
    const list = 'query ($where: JSON) { records(className: "cars", filter: $where) { totalCount } }';
    for (const [, transport] of GRAPHQL_TRANSPORTS) {
      expect((await transport(list, { where }, mallory)).data).toEqual({ records: { totalCount: 0 } });
    }
    await rest('PUT', `/data/cars/${_id}`, { as: olga, json: { make: 'other' } });
    await rest('PUT', `/data/cars/${_id}`, { as: olga, json: { make: 'SECRET-4' } });
    await created('/data/cars', { make: 'SECRET-4' }, olga);
    expect(await received.atLeast(1)).toMatchObject([{ recordChanged: { change: 'CREATED' } }]);
  });

  test('filters and orders reject secret columns', async () => {
    const mallory = await createUser();
    for (const name of ['password', 'password_hash', 'passwordHash', 'verified_phone', 'login_key']) {
      const filtered = await rest('GET', `/users?filter[]=string+${name}+ne+x`, { as: mallory });
      expect([name, filtered.status]).toEqual([name, 422]);
      const ordered = await rest('GET', `/users?order=asc+string+${name}`, { as: mallory });
      expect([name, ordered.status]).toEqual([name, 422]);
      for (const [, transport] of GRAPHQL_TRANSPORTS) {
        const document = `{ users(filter: { ${name}: { eq: "x" } }) { totalCount } }`;
        expect(await transport(document, {}, mallory)).toMatchObject({
          errors: [{ extensions: { code: 'BAD_USER_INPUT' } }],
        });
      }
    }
    for (const name of ['readers', 'permissions', 'is_open', 't1', 'application_id']) {
      const answer = await rest('GET', `/data/cars?sort_asc=${name}`, { as: mallory });
      expect([name, answer.status]).toEqual([name, 422]);
    }
  });
});

describe('#76 acting as a user is not taken for the user', () => {
  test('sockets of administrators and API keys that act as a user do not make that user online', async () => {
    const alice = await createUser();
    const { Cookie, Origin, ...headers } = (await signedInAdministrator('owner')).headers as Record<string, string>;
    const asAlice = { headers: { ...headers, 'On-Behalf-Of': String(alice.id) } };
    await connect(asAlice, undefined, { Cookie: Cookie!, Origin: Origin! });
    await connect(onBehalfOf(alice));
    const isOnline = async () =>
      (await execute('query ($id: Int!) { presence(userIds: [$id]) { online } }', { id: alice.id }, apiKey)).presence;
    expect(await isOnline()).toEqual([{ online: false }]);
    await connect(alice);
    expect(await isOnline()).toEqual([{ online: true }]);
  });
});

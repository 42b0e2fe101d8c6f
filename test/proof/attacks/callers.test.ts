import { beforeAll, describe, expect, test } from 'vitest';
import type { Access } from '../../../src/lib/access.ts';
import { operationAccess } from '../../../src/schema/index.ts';
import { useApp } from '../../support/app/app.ts';
import { createTenant, type Tenant } from '../../support/app/other-apps.ts';
import { rowCounts } from '../../support/app/sql.ts';
import { rest } from '../../support/clients/rest.ts';
import { codeOf, GRAPHQL_TRANSPORTS } from '../../support/clients/transports.ts';
import { connect } from '../../support/clients/websocket.ts';
import { createDialog, execute, send } from '../../support/fixtures/chat.ts';
import { created } from '../../support/fixtures/chat-cast.ts';
import { defineClass } from '../../support/fixtures/typed-classes.ts';
import {
  apiKey,
  type Caller,
  createUser,
  createUsers,
  openSession,
  type TestUser,
} from '../../support/fixtures/users.ts';
import { rootFields } from '../../support/operations/root-fields.ts';
import { routes, rulesOf } from '../../support/operations/routes.ts';

useApp();

let alice: TestUser;
beforeAll(async () => {
  alice = await createUser();
  await defineClass('cars', { make: 'String' });
});

const FOR_SESSIONS: Access[] = ['anyone', 'session', 'token'];

describe('#15 internal classes', () => {
  const NAMES =
    '_User users _Session sessions applications api_keys identity_providers members messages pg_class pg_catalog information_schema _prisma_migrations pgboss public.users';

  test('no class name gives access to a table of the service, on any transport', async () => {
    for (const name of NAMES.split(' ')) {
      for (const as of [alice, apiKey]) {
        for (const [method, path] of [
          ['GET', `/data/${name}`],
          ['GET', `/data/${name}/${alice.id}`],
          ['POST', `/data/${name}`],
          ['DELETE', `/data/${name}/by_criteria`],
        ] as const) {
          const { status, body } = await rest(method, path, { as });
          const isRefused = status === 403 && body.errors[0] === 'Undefined class';
          expect([method, path, status, isRefused]).toEqual([method, path, 403, true]);
        }
        for (const [, transport] of GRAPHQL_TRANSPORTS) {
          const document = 'query ($name: String!) { records(className: $name) { totalCount } }';
          expect(codeOf(await transport(document, { name }, as))).toBe('FORBIDDEN');
        }
      }
    }
  });

  test('a class may have the name of an internal table', async () => {
    await defineClass('users', { login: 'String' });
    await defineClass('sessions', { token: 'String' });
    for (const name of ['users', 'sessions']) {
      const { status, body } = await rest('GET', `/data/${name}`, { as: apiKey });
      expect([status, body.items]).toEqual([200, []]);
    }
  });
});

describe('#16 restricted credentials', () => {
  test('an application session cannot run operations that require a user, and changes nothing', async () => {
    const session = await openSession();
    const refused = rootFields().filter(({ path }) => !FOR_SESSIONS.includes(operationAccess.get(path)!));
    expect(refused.length).toBeGreaterThan(80);
    const before = await rowCounts();
    const socket = await connect(session);
    for (const { kind, path, document } of refused) {
      const isConsole = operationAccess.get(path) === 'administrator';
      const message = isConsole ? 'Sign in to the console' : 'Forbidden. Need user.';
      if (kind !== 'subscription') {
        const answer = await GRAPHQL_TRANSPORTS[0]![1](document, {}, session);
        expect([path, answer.errors?.[0]?.message]).toEqual([path, message]);
      }
      const answer = await socket.run(document);
      expect([path, answer.errors?.[0]?.message]).toEqual([path, message]);
    }
    await socket.close();
    expect(await rowCounts()).toEqual(before);
  });

  test('an application session cannot use endpoints for users, and a user cannot use endpoints for API keys', async () => {
    const session = await openSession();
    const before = await rowCounts();
    let asked = 0;
    for (const route of routes) {
      const { method, path, upload } = route;
      if (upload || rulesOf(route).access === 'anyone' || /^\/(session|login)/.test(path)) continue;
      const filled = path.replaceAll(/:(class\w*|name|child\w*)/gi, 'cars').replaceAll(/:\w+/g, '1');
      const answer = await rest(method.toUpperCase(), filled, { as: session });
      const isForSessions = /^\/users|^\/data.*|^\/blobs\/|^\/geodata/.test(path) && method === 'get';
      if (isForSessions || path === '/users') continue;
      asked++;
      expect([method, path, answer.status, answer.body?.errors]).toEqual([
        method,
        path,
        422,
        { base: ['Forbidden. Need user.'] },
      ]);
    }
    expect(asked).toBeGreaterThan(40);
    for (const [method, path] of [
      ['GET', '/class'],
      ['POST', '/class'],
      ['DELETE', '/class/cars'],
    ] as const) {
      expect((await rest(method, path, { as: alice })).status).toBe(403);
    }
    expect(await rowCounts()).toEqual(before);
  });
});

describe('#17 application sessions', () => {
  test('an application session cannot read chats, address books, devices or events, nor a disabled users list', async () => {
    const session = await openSession();
    const [bob] = await createUsers(1);
    const dialogId = await createDialog(alice, [bob], 'PUBLIC_GROUP');
    await send(alice, dialogId, 'hi');
    for (const path of [
      '/chat/Dialog',
      `/chat/Message?chat_dialog_id=${dialogId}`,
      '/address_book',
      '/address_book/registered_users',
      '/subscriptions',
      '/events',
      '/blobs',
    ]) {
      expect([path, (await rest('GET', path, { as: session })).status]).toEqual([path, 422]);
    }
    await execute(
      'mutation ($id: Int!) { updateUser(id: $id, input: { fullName: "Listed", tags: ["t"] }) { id } }',
      { id: bob.id },
      bob,
    );
    const set = (usersList: boolean) =>
      execute(
        'mutation ($on: Boolean) { updateApplication(input: { usersList: $on }) { usersList } }',
        { on: usersList },
        apiKey,
      );
    const lists = ['/users', '/users/by_full_name?full_name=listed', '/users/by_tags?tags=t'];
    for (const path of lists) expect([path, (await rest('GET', path, { as: session })).status]).toEqual([path, 200]);
    await set(false);
    const documents = [
      '{ users { totalCount } }',
      '{ usersByFullName(fullName: "listed") { totalCount } }',
      '{ usersByTags(tags: ["t"]) { totalCount } }',
    ];
    for (const as of [session, alice]) {
      for (const path of lists) expect([path, (await rest('GET', path, { as })).status]).toEqual([path, 403]);
      for (const document of documents) {
        for (const [, transport] of GRAPHQL_TRANSPORTS)
          expect([document, codeOf(await transport(document, {}, as))]).toEqual([document, 'FORBIDDEN']);
      }
    }
    for (const path of lists) expect([path, (await rest('GET', path, { as: apiKey })).status]).toEqual([path, 200]);
    await set(true);
  });

  test('an application session reads only open records and writes none', async () => {
    const session = await openSession();
    const { _id } = await created('/data/cars', { make: 'closed', permissions: { read: { access: 'owner' } } }, alice);
    await created('/data/cars', { make: 'open', permissions: { update: { access: 'open' } } }, alice);
    const { body } = await rest('GET', '/data/cars', { as: session });
    expect(body.items.map(({ make }: { make: string }) => make)).toEqual(['open']);
    expect((await rest('GET', `/data/cars/${_id}`, { as: session })).status).not.toBe(200);
    expect((await rest('PUT', `/data/cars/${body.items[0]._id}`, { as: session, json: { make: 'x' } })).status).toBe(
      422,
    );
  });
});

describe('#20 state shared between requests or applications', () => {
  test('concurrent callers of several applications each receive only their own data', async () => {
    const tenants = await Promise.all([createTenant(5), createTenant(5), createTenant(5)]);
    const dialogs = new Map<Caller, string>();
    for (const { users } of tenants) {
      for (const user of users) dialogs.set(user, await createDialog(user, [user], 'GROUP', `of ${user.id}`));
    }
    const callers = tenants.flatMap(({ users }) => users);
    const rounds = Array.from({ length: 8 }, () => callers).flat();
    const document = 'query ($id: ID!) { me { id } dialog(id: $id) { name userId } dialogs { totalCount } }';
    const answers = await Promise.all(
      rounds.map((user, nth) => GRAPHQL_TRANSPORTS[nth % 2]![1](document, { id: dialogs.get(user) }, user)),
    );
    for (const [nth, { data }] of answers.entries()) {
      const { id } = rounds[nth]!;
      expect(data).toEqual({ me: { id }, dialog: { name: `of ${id}`, userId: id }, dialogs: { totalCount: 1 } });
    }
  });

  test('classes of the same name in two applications are independent', async () => {
    const [one, two] = (await Promise.all([createTenant(1), createTenant(1)])) as [Tenant, Tenant];
    await defineClass('boats', { length: 'Integer' }, { as: one.key });
    await defineClass('boats', { colour: 'String' }, { as: two.key });
    const [first, second] = [one.users[0]!, two.users[0]!];
    const answers = await Promise.all([
      rest('POST', '/data/boats', { as: first, json: { length: 7, colour: 'red' } }),
      rest('POST', '/data/boats', { as: second, json: { length: 7, colour: 'red' } }),
    ]);
    expect(answers.map(({ body }) => [body.length, body.colour])).toEqual([
      [7, undefined],
      [undefined, 'red'],
    ]);
    const document = '{ boats { length } }';
    for (const [, transport] of GRAPHQL_TRANSPORTS) {
      expect(codeOf(await transport(document, {}, first))).toBe('served');
      expect(codeOf(await transport(document, {}, second))).toBe('BAD_USER_INPUT');
    }
  });
});

describe('#46 client-chosen ids', () => {
  test('clients cannot choose ids, and group names that look like grants grant nothing', async () => {
    const [olga, mallory] = await createUsers(2);
    const mine = '0123456789abcdef01234567';
    const made = [
      await created('/chat/Dialog', { _id: mine, id: mine, type: 2, name: 'G', occupants_ids: [olga.id] }, mallory),
      await created('/data/cars', { _id: mine, id: mine, make: 'x' }, mallory),
      (await created('/blobs', { blob: { id: 1, uid: mine, name: 'a', content_type: 'text/plain' } }, mallory)).blob,
    ];
    for (const { _id, uid } of made) expect([_id, uid]).not.toContain(mine);
    // Grants are stored as `u:7`, `*` and `!`.
    const permissions = (groups: string) => ({ read: { access: 'open_for_groups', groups: [groups] } });
    for (const group of ['*', '!', `u:${mallory.id}`, 'role:admin']) {
      const { _id } = await created('/data/cars', { make: 'x', permissions: permissions(group) }, olga);
      expect([group, (await rest('GET', `/data/cars/${_id}`, { as: mallory })).status === 200]).toEqual([group, false]);
      expect((await rest('GET', `/data/cars/${_id}`, { as: olga })).status).toBe(200);
    }
    const { _id } = await created(
      '/data/cars',
      { make: 'x', permissions: { read: { access: 'open_for_users_ids', ids: [olga.id] } } },
      alice,
    );
    const tags = { user: { tag_list: `u:${olga.id},*,g:x,role:admin` } };
    expect((await rest('PUT', `/users/${mallory.id}`, { as: mallory, json: tags })).status).toBe(200);
    expect((await rest('GET', `/data/cars/${_id}`, { as: mallory })).status).not.toBe(200);
  });

  test('an idempotency key is scoped to one user', async () => {
    const [olga, mallory] = await createUsers(2);
    const dialogId = await createDialog(olga, [mallory]);
    const headers = { 'Idempotency-Key': 'the-same' };
    const json = (message: string) => ({ chat_dialog_id: dialogId, message });
    const first = await rest('POST', '/chat/Message', { as: olga, headers, json: json('of Olga') });
    const second = await rest('POST', '/chat/Message', { as: mallory, headers, json: json('of Mallory') });
    expect([first.body.message, second.body.message]).toEqual(['of Olga', 'of Mallory']);
    expect(second.body._id).not.toBe(first.body._id);
  });
});

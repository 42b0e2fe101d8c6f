import { getNamedType, isObjectType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { hasScope, requiredScope, SCOPE_GROUPS } from '../../../src/lib/scopes.ts';
import { schema, scopeOf } from '../../../src/schema/index.ts';
import { APPLICATION, clock, running, useApp } from '../../support/app/app.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { rest } from '../../support/clients/rest.ts';
import { closeSockets, connect } from '../../support/clients/websocket.ts';
import { errorOfOperation } from '../../support/fixtures/administrators.ts';
import { createDialog, execute, type QuickUser, quickUsers, sendMany } from '../../support/fixtures/chat.ts';
import { defineClass } from '../../support/fixtures/typed-classes.ts';
import { apiKey, type Caller, createUser } from '../../support/fixtures/users.ts';
import { isFor } from '../../support/operations/contract.ts';
import { rootFields } from '../../support/operations/root-fields.ts';

useApp();

const CREATE = `mutation ($restrictions: ApiKeyRestrictions) {
  createApiKey(name: "worker", restrictions: $restrictions) { id key }
}`;
const UPDATE = 'mutation ($id: Int!, $input: UpdateApiKeyInput!) { updateApiKey(id: $id, input: $input) { id } }';
const ROTATE = 'mutation ($id: Int!, $hours: Int!) { rotateApiKey(id: $id, overlapHours: $hours) { key } }';
const LIST = '{ apiKeys { id scopes onBehalfOf networks expiresAt lastUsedAt previousExpiresAt } }';
const ME = '{ me { id } }';

const withKey = (key: string): Caller => ({ headers: { Authorization: `ApiKey ${key}` } });
const actingFor = ({ headers }: Caller, { id }: { id: number }): Caller => ({
  headers: { ...headers, 'On-Behalf-Of': String(id) },
});

async function errorOf(
  query: string,
  variables: Record<string, unknown>,
  as: Caller,
): Promise<Record<string, unknown>> {
  const { errors } = await graphql(query, variables, as);
  return errors?.[0]?.extensions ?? {};
}

async function createKey(restrictions: object): Promise<{ id: number; as: Caller }> {
  const { createApiKey } = await execute(CREATE, { restrictions }, apiKey);
  return { id: createApiKey.id, as: withKey(createApiKey.key) };
}

async function listed(id: number) {
  const { apiKeys } = await execute(LIST, {}, apiKey);
  return apiKeys.find((key: { id: number }) => key.id === id);
}

describe('scopes of API keys', () => {
  test('every operation that API keys may run refuses a key with all other scopes, and names the missing one', async () => {
    const user = await createUser();
    const all = SCOPE_GROUPS.flatMap((group) => [`${group}:read`, `${group}:write`]).concat('pushes:send');
    for (const operation of rootFields().filter(({ path }) => isFor({ path }, 'session', 'user', 'userOrKey', 'key'))) {
      const [type, name] = operation.path.split('.') as [string, string];
      const declared = scopeOf(name)!;
      const required = requiredScope(declared, type === 'Mutation', declared === 'records' ? 'x' : undefined);
      const others = all.filter((scope) => !hasScope([scope], required));
      const { as } = await createKey({ scopes: others });
      const refused = await errorOfOperation(operation, as, user);
      expect([operation.path, refused]).toEqual([
        operation.path,
        { code: 'FORBIDDEN', message: `The API key lacks the scope ${required}` },
      ]);
    }
  });

  test('a key with the scope of an operation may run it', async () => {
    const { as } = await createKey({ scopes: ['users:read', 'records:Car:*'] });
    expect((await execute('{ users { totalCount } }', {}, as)).users.totalCount).toBeGreaterThanOrEqual(0);
    expect(await errorOf('{ records(className: "Bus") { edges { node { id } } } }', {}, as)).toMatchObject({
      reason: 'SCOPE_REQUIRED',
      parameters: { scope: 'records:Bus:read' },
    });
    expect(await errorOf('{ records(className: "Car") { edges { node { id } } } }', {}, as)).toMatchObject({
      reason: 'CLASS_UNDEFINED',
    });
    expect((await rest('GET', '/users.json', { as })).status).toBe(200);
    expect((await rest('GET', '/chat/Dialog.json', { as })).status).toBe(403);
  });

  test('scopes match their group, verb and class only', () => {
    expect(hasScope(['messages:write'], 'messages:write')).toBe(true);
    expect(hasScope(['messages:write'], 'messages:read')).toBe(false);
    expect(hasScope(['messages:*'], 'messages:read')).toBe(true);
    expect(hasScope(['*:read'], 'users:read')).toBe(true);
    expect(hasScope(['*:read'], 'users:write')).toBe(false);
    expect(hasScope(['pushes:write'], 'pushes:send')).toBe(true);
    expect(hasScope(['pushes:send'], 'pushes:write')).toBe(false);
    expect(hasScope(['records:Car:read'], 'records:Car:read')).toBe(true);
    expect(hasScope(['records:Car:read'], 'records:Cart:read')).toBe(false);
    expect(hasScope(['records:*:read'], 'records:Car:read')).toBe(true);
    expect(hasScope(['records:read'], 'records:Car:read')).toBe(true);
    expect(hasScope(['*:*', '*:write'], 'keys:write')).toBe(false);
    expect(hasScope(['*'], 'keys:write')).toBe(true);
  });

  test('a field that leads to the data of another group needs the scope of that group', async () => {
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const dialogId = await createDialog(alice, [bob], 'PRIVATE');
    await sendMany(alice, dialogId, 1);
    const { as } = await createKey({ scopes: ['messages:read', 'dialogs:*', 'pushes:*'] });
    const page = (field: string) => `{ messages(dialogId: "${dialogId}") { edges { node { ${field} } } } }`;
    expect((await execute(page('senderId'), {}, actingFor(as, bob))).messages.edges).toHaveLength(1);
    const answer = await errorOf(page('sender { id }'), {}, actingFor(as, bob));
    expect(answer).toMatchObject({ reason: 'SCOPE_REQUIRED', parameters: { scope: 'users:read' } });
  });

  test('operations of one class need the scope of that class', async () => {
    await defineClass('Car', { make: 'String' });
    await defineClass('Bus', { make: 'String' });
    const { as } = await createKey({ scopes: ['records:Car:read'] });
    expect((await execute('{ cars { id } }', {}, as)).cars).toEqual([]);
    for (const [query, scope] of [
      ['{ buses { id } }', 'records:Bus:read'],
      ['{ busesConnection { totalCount } }', 'records:Bus:read'],
      ['mutation { createCar(input: { make: "x" }) { id } }', 'records:Car:write'],
    ] as const) {
      expect(await errorOf(query, {}, as)).toMatchObject({ reason: 'SCOPE_REQUIRED', parameters: { scope } });
    }
  });

  test('unknown scopes and too many of them are refused', async () => {
    for (const scopes of [[], ['cars:read'], ['keys:write'], ['users'], ['*', 'users:read'], ['users:send'], ['']]) {
      const error = await errorOf(CREATE, { restrictions: { scopes } }, apiKey);
      expect([scopes, error.code]).toEqual([scopes, 'UNPROCESSABLE']);
    }
  });

  test('a restricted key cannot manage keys', async () => {
    const { id, as } = await createKey({ scopes: ['*:*'] });
    for (const [query, variables] of [
      [LIST, {}],
      [CREATE, {}],
      [UPDATE, { id, input: { scopes: null } }],
      [ROTATE, { id, hours: 1 }],
    ] as const) {
      expect(await errorOf(query, variables, as)).toMatchObject({ reason: 'SCOPE_REQUIRED' });
    }
  });
});

test('every field that leads to data of another group declares its scope', () => {
  const ENTITIES = ['User', 'Dialog', 'Message', 'Blob', 'Record'];
  const leads = Object.values(schema.getTypeMap()).flatMap((type) =>
    isObjectType(type) && !/^(Query|Mutation|Subscription|__.*|.*Edge|.*Connection)$/.test(type.name)
      ? Object.values(type.getFields())
          .filter((field) => ENTITIES.includes(getNamedType(field.type).name))
          .map((field) => {
            const { scope = 'own group' } = (field.extensions.pothosOptions ?? {}) as { scope?: string };
            return `${type.name}.${field.name}: ${scope}`;
          })
      : [],
  );
  expect(leads.sort()).toEqual([
    'AddressBook.registeredUsers: users:read',
    'DialogChanged.dialog: dialogs:read',
    'FoundRecords.records: own group',
    'Geodatum.user: users:read',
    'Message.files: files:read',
    'Message.sender: users:read',
    'MessageEdited.message: own group',
    'MessagePage.items: own group',
    'MessageSent.dialog: dialogs:read',
    'MessageSent.message: own group',
    'RecordChanged.record: own group',
    'RecordPage.items: own group',
    'RegisteredContact.user: users:read',
    'Signal.dialog: dialogs:read',
    'Typing.dialog: dialogs:read',
    'UpdatedRecords.items: own group',
  ]);
});

describe('restrictions of API keys', () => {
  test.each([
    ['update', UPDATE, { input: { scopes: ['users:read'] } }],
    ['rotation', ROTATE, { hours: 1 }],
  ])('a subscription that was opened with a key ends at its %s', async (_name, document, variables) => {
    const { id, as } = await createKey({});
    const socket = await connect(as);
    const running = socket.run('subscription { messageSent { cursor } }').catch(() => 'closed');
    await execute(document, { id, ...variables }, apiKey);
    expect((await socket.closed).code).toBe(4403);
    expect(await running).toBe('closed');
  });

  test('a key acts only on behalf of its users', async () => {
    const [alice, bob] = [await createUser(), await createUser()];
    const { id, as } = await createKey({ onBehalfOf: [alice.id] });
    expect((await execute(ME, {}, actingFor(as, alice))).me.id).toBe(alice.id);
    expect(await errorOf(ME, {}, actingFor(as, bob))).toMatchObject({ reason: 'KEY_USER_FORBIDDEN' });
    expect(await errorOf(ME, {}, actingFor(as, { id: 1_000_000 }))).toMatchObject({ reason: 'KEY_USER_FORBIDDEN' });
    expect((await listed(id)).onBehalfOf).toEqual([alice.id]);
    await execute(UPDATE, { id, input: { onBehalfOf: null } }, apiKey);
    expect((await execute(ME, {}, actingFor(as, bob))).me.id).toBe(bob.id);
  });

  test('a key is refused outside of its networks', async () => {
    const { id, as } = await createKey({ networks: ['203.0.113.0/24', '2001:db8::/32'] });
    expect(await errorOf('{ application { id } }', {}, as)).toMatchObject({ reason: 'KEY_NETWORK_FORBIDDEN' });
    await execute(UPDATE, { id, input: { networks: ['127.0.0.0/8', '::1'] } }, apiKey);
    expect((await execute('{ application { id } }', {}, as)).application.id).toBe(APPLICATION.id);
    for (const network of ['203.0.113.0/33', '2001:db8::/65', 'example.org', '']) {
      const error = await errorOf(CREATE, { restrictions: { networks: [network] } }, apiKey);
      expect([network, error.reason]).toEqual([network, 'NETWORK_INVALID']);
    }
  });

  test('a key expires, and the sockets opened with it close', async () => {
    const at = new Date(running.app.services.now().getTime() + 60_000);
    const { id, as } = await createKey({ expiresAt: at });
    const socket = await connect(as);
    expect((await listed(id)).expiresAt).toBe(at.toISOString());
    clock.advance(60_000);
    expect(await errorOf('{ application { id } }', {}, as)).toMatchObject({ reason: 'UNAUTHORIZED' });
    expect((await socket.closed).code).toBe(4403);
    closeSockets();
    expect(await errorOf(CREATE, { restrictions: { expiresAt: at } }, apiKey)).toMatchObject({ reason: 'TIME_PAST' });
  });

  test('the previous secret stays valid during the overlap of a rotation', async () => {
    const { id, as } = await createKey({});
    const { rotateApiKey } = await execute(ROTATE, { id, hours: 2 }, apiKey);
    const rotated = withKey(rotateApiKey.key);
    const isValid = async (caller: Caller) => (await rest('GET', '/class.json', { as: caller })).status === 200;
    expect([await isValid(as), await isValid(rotated)]).toEqual([true, true]);
    clock.advance(2 * 3_600_000);
    expect([await isValid(as), await isValid(rotated)]).toEqual([false, true]);
    const again = await execute(ROTATE, { id, hours: 0 }, apiKey);
    expect([await isValid(rotated), await isValid(withKey(again.rotateApiKey.key))]).toEqual([false, true]);
    expect(await errorOf(ROTATE, { id, hours: 721 }, apiKey)).toMatchObject({ reason: 'OUT_OF_RANGE' });
  });

  test('the latest use of a key is listed at once and stored', async () => {
    const { id, as } = await createKey({});
    expect((await listed(id)).lastUsedAt).toBeNull();
    await execute('{ application { id } }', {}, as);
    const at = running.app.services.now().toISOString();
    expect((await listed(id)).lastUsedAt).toBe(at);
    await running.app.services.sessionClock.flush();
    const row = await db.apiKey.findUniqueOrThrow({
      where: { applicationId_id: { applicationId: APPLICATION.id, id } },
    });
    expect(row.lastUsedAt?.toISOString()).toBe(at);
  });
});

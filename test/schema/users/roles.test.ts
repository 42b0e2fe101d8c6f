import { describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { APPLICATION, useApp } from '../../support/app/app.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { execute, reasonOf } from '../../support/fixtures/chat.ts';
import { defineClass } from '../../support/fixtures/typed-classes.ts';
import { apiKey, type Caller, createUser, onBehalfOf } from '../../support/fixtures/users.ts';

useApp();

const DEFINE = 'mutation ($name: String!) { defineRole(name: $name, description: "d") { name description } }';
const DELETE = 'mutation ($name: String!) { deleteRole(name: $name) }';
const ASSIGN = 'mutation ($id: Int!, $role: String!) { assignRole(userId: $id, role: $role) { roles } }';
const REVOKE = 'mutation ($id: Int!, $role: String!) { revokeRole(userId: $id, role: $role) { roles } }';
const SET = 'mutation ($input: UpdateApplicationInput!) { updateApplication(input: $input) { id } }';
const TAG = 'mutation ($id: Int!, $tags: [String!]) { updateUser(id: $id, input: { tags: $tags }) { tags } }';

describe('roles', () => {
  test('an API key defines, assigns, revokes and deletes roles, and users see them', async () => {
    const alice = await createUser();
    expect(await execute(DEFINE, { name: 'editor' }, apiKey)).toEqual({
      defineRole: { name: 'editor', description: 'd' },
    });
    expect((await execute(ASSIGN, { id: alice.id, role: 'editor' }, apiKey)).assignRole.roles).toEqual(['editor']);
    expect((await execute(ASSIGN, { id: alice.id, role: 'editor' }, apiKey)).assignRole.roles).toEqual(['editor']);
    expect((await execute('{ me { roles } }', {}, alice)).me.roles).toEqual(['editor']);
    const filter = '{ users(filter: { roles: { eq: "editor" } }) { edges { node { id } } } }';
    expect((await execute(filter, {}, apiKey)).users.edges).toEqual([{ node: { id: alice.id } }]);
    expect((await execute(REVOKE, { id: alice.id, role: 'editor' }, apiKey)).revokeRole.roles).toEqual([]);
    await execute(ASSIGN, { id: alice.id, role: 'editor' }, apiKey);
    expect(await execute(DELETE, { name: 'editor' }, apiKey)).toEqual({ deleteRole: true });
    expect((await execute('{ me { roles } roles: __typename }', {}, alice)).me.roles).toEqual([]);
    expect((await execute('{ roles { name } }', {}, apiKey)).roles).toEqual([]);
  });

  test('users cannot define or assign roles, not even with a tag of the name', async () => {
    const alice = await createUser();
    await execute(DEFINE, { name: 'boss' }, apiKey);
    expect((await graphql(DEFINE, { name: 'king' }, alice)).errors?.[0]?.extensions?.code).toBe('FORBIDDEN');
    expect((await graphql(ASSIGN, { id: alice.id, role: 'boss' }, alice)).errors?.[0]?.extensions?.code).toBe(
      'FORBIDDEN',
    );
    const permissions = { read: { access: 'OPEN_FOR_GROUPS', groups: ['role:boss'] } };
    await defineClass('Secret', { text: 'String' }, { permissions });
    await execute('mutation { createSecret(input: { text: "x" }) { id } }', {}, apiKey);
    const list = '{ secrets { text } }';
    for (const groups of ['SELF', 'GRANTED']) {
      await execute(SET, { input: { groups } }, apiKey);
      await execute(TAG, { id: alice.id, tags: ['role:boss', 'boss'] }, alice);
      expect([groups, (await execute(list, {}, alice)).secrets]).toEqual([groups, []]);
      await execute(TAG, { id: alice.id, tags: ['role:boss', 'boss'] }, apiKey);
      expect([groups, (await execute(list, {}, alice)).secrets]).toEqual([groups, []]);
    }
    await execute(ASSIGN, { id: alice.id, role: 'boss' }, apiKey);
    expect((await execute(list, {}, alice)).secrets).toEqual([{ text: 'x' }]);
    const shown = '{ class(name: "Secret") { permissions { read { access groups } } } }';
    expect((await execute(shown, {}, apiKey)).class.permissions.read).toEqual({
      access: 'OPEN_FOR_GROUPS',
      groups: ['role:boss'],
    });
    await execute(REVOKE, { id: alice.id, role: 'boss' }, apiKey);
    expect((await execute(list, {}, alice)).secrets).toEqual([]);
  });

  test('invalid names, unknown roles and unknown users are refused', async () => {
    const alice = await createUser();
    for (const name of ['', 'Editor', '1st', 'a b', 'x'.repeat(41), 'rôle']) {
      expect([name, await reasonOf(DEFINE, { name }, apiKey)]).toEqual([name, 'ROLE_NAME_INVALID']);
    }
    expect(await reasonOf(ASSIGN, { id: alice.id, role: 'ghost' }, apiKey)).toBe('ROLE_NOT_FOUND');
    expect(await reasonOf(DELETE, { name: 'ghost' }, apiKey)).toBe('ROLE_NOT_FOUND');
    await execute(DEFINE, { name: 'real' }, apiKey);
    expect(await reasonOf(ASSIGN, { id: 2_000_000, role: 'real' }, apiKey)).toBe('USER_NOT_FOUND');
    expect(await reasonOf(REVOKE, { id: 0, role: 'real' }, apiKey)).toBe('USER_NOT_FOUND');
  });

  test('with dialogCreators, only users with a role create dialogs, also by a message', async () => {
    const [alice, bob] = [await createUser(), await createUser()];
    await execute(DEFINE, { name: 'host' }, apiKey);
    await execute(SET, { input: { dialogCreators: ['host'] } }, apiKey);
    const create = 'mutation ($ids: [Int!]) { createDialog(input: { type: PRIVATE, occupantIds: $ids }) { id } }';
    const group =
      'mutation ($ids: [Int!]) { createDialog(input: { type: GROUP, name: "g", occupantIds: $ids }) { id } }';
    const send = 'mutation ($id: Int!) { sendMessage(input: { recipientId: $id, text: "hi" }) { id } }';
    expect(await reasonOf(create, { ids: [bob.id] }, alice)).toBe('ROLE_REQUIRED');
    expect(await reasonOf(group, { ids: [bob.id] }, alice)).toBe('ROLE_REQUIRED');
    expect(await reasonOf(send, { id: bob.id }, alice)).toBe('ROLE_REQUIRED');
    await execute(ASSIGN, { id: alice.id, role: 'host' }, apiKey);
    await execute(create, { ids: [bob.id] }, alice);
    await execute(send, { id: alice.id }, bob);
    await execute(group, { ids: [alice.id] }, onBehalfOf(bob));
    expect(await reasonOf(SET, { input: { dialogCreators: ['No Role'] } }, apiKey)).toBe('ROLE_NAME_INVALID');
    await execute(SET, { input: { dialogCreators: [] } }, apiKey);
    await execute(group, { ids: [alice.id] }, bob);
  });

  test('with verifiedEmailRequired, users without a verified address read, but send and create nothing', async () => {
    const [alice, bob] = [await createUser({ email: 'alice@example.org' }), await createUser()];
    await defineClass('Note', { text: 'String' });
    await execute(SET, { input: { verifiedEmailRequired: true } }, apiKey);
    const send = 'mutation ($id: Int!) { sendMessage(input: { recipientId: $id, text: "hi" }) { id } }';
    const note = 'mutation { createNote(input: { text: "x" }) { id } }';
    const generic = 'mutation { createRecord(input: { className: "Note", fields: {} }) { id } }';
    const verify = (verifiedEmail: string | null) =>
      db.user.updateMany({ where: { applicationId: APPLICATION.id, id: alice.id }, data: { verifiedEmail } });
    await verify(null);
    expect((await execute('{ me { emailVerified } notes { id } }', {}, alice)).me.emailVerified).toBe(false);
    for (const query of [send, note, generic]) {
      const variables = query === send ? { id: bob.id } : {};
      expect([query, await reasonOf(query, variables, alice)]).toEqual([query, 'EMAIL_NOT_VERIFIED']);
      expect([query, await reasonOf(query, variables, onBehalfOf(alice))]).toEqual([query, undefined]);
    }
    await verify('alice@example.org');
    expect((await execute('{ me { emailVerified } }', {}, alice)).me.emailVerified).toBe(true);
    await execute(send, { id: bob.id }, alice);
    await execute(note, {}, alice);
    await execute(SET, { input: { verifiedEmailRequired: false } }, apiKey);
    await execute(note, {}, bob);
  });

  test('a key acts on behalf of users with its roles', async () => {
    const [alice, bob] = [await createUser(), await createUser()];
    await execute(DEFINE, { name: 'agent' }, apiKey);
    await execute(ASSIGN, { id: alice.id, role: 'agent' }, apiKey);
    const { createApiKey } = await execute(
      'mutation { createApiKey(name: "k", restrictions: { onBehalfOf: [], onBehalfOfRoles: ["agent"] }) { key } }',
      {},
      apiKey,
    );
    const acting = (id: number): Caller => ({
      headers: { Authorization: `ApiKey ${createApiKey.key}`, 'On-Behalf-Of': String(id) },
    });
    expect((await execute('{ me { id } }', {}, acting(alice.id))).me.id).toBe(alice.id);
    expect(await reasonOf('{ me { id } }', {}, acting(bob.id))).toBe('KEY_USER_FORBIDDEN');
  });
});

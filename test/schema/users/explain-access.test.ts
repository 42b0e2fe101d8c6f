import { expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { createBlob } from '../../support/fixtures/blobs.ts';
import { createDialog, execute, reasonOf } from '../../support/fixtures/chat.ts';
import { defineClass } from '../../support/fixtures/typed-classes.ts';
import { apiKey, createUser, createUsers, type TestUser } from '../../support/fixtures/users.ts';

useApp();

const EXPLAIN = `query ($userId: Int!, $operation: AccessOperation!, $className: String, $id: String) {
  explainAccess(userId: $userId, operation: $operation, className: $className, id: $id) {
    isAllowed rule grant sentence permission { access groups ids } } }`;
const CHANGES = `query ($className: String!, $permissions: ClassPermissionsInput!) {
  permissionChanges(className: $className, permissions: $permissions) {
    action gained lost before { access } after { access groups } } }`;
const SET = 'mutation ($input: UpdateApplicationInput!) { updateApplication(input: $input) { id } }';
const CREATE = `mutation ($input: CreateRecordInput!) { createRecord(input: $input) { id } }`;
const UPDATE = `mutation ($name: String!, $id: ID!) { updateRecord(className: $name, id: $id, input: {}) { id } }`;
const DELETE = `mutation ($name: String!, $id: ID!) { deleteRecord(className: $name, id: $id) }`;
const READ = `query ($name: String!, $id: ID!) { record(className: $name, id: $id) { id } }`;

const explain = async (user: { id: number }, operation: string, more: object = {}) =>
  (await execute(EXPLAIN, { userId: user.id, operation, ...more }, apiKey)).explainAccess;

const isDone = async (document: string, variables: object, user: TestUser) =>
  (await graphql(document, variables as Record<string, unknown>, user)).errors === undefined;

test('what is explained is what happens, for every kind of permission and user', async () => {
  const [owner, named, tagged, editor, other] = await createUsers(5);
  const chief = await createUser();
  const tag = 'mutation ($id: Int!) { updateUser(id: $id, input: { tags: ["crew"] }) { id } }';
  await execute(tag, { id: tagged.id }, apiKey);
  await execute('mutation { defineRole(name: "editor", description: "") { name } }', {}, apiKey);
  await execute('mutation ($id: Int!) { assignRole(userId: $id, role: "editor") { id } }', { id: editor.id }, apiKey);
  await execute('mutation ($id: Int!) { assignRole(userId: $id, role: "editor") { id } }', { id: chief.id }, apiKey);
  const kinds = [
    { access: 'OPEN' },
    { access: 'OWNER' },
    { access: 'OPEN_FOR_USERS_IDS', ids: [named.id] },
    { access: 'OPEN_FOR_GROUPS', groups: ['crew', 'role:editor'] },
  ];
  const closed = { access: 'NOT_ALLOWED' };
  const seen = new Set<string>();
  for (const [nth, permissions] of [{}, { read: closed, update: closed, delete: closed, create: closed }].entries()) {
    const className = `Explained${nth}`;
    await defineClass(className, { text: 'String' }, nth === 0 ? { permissions: { create: kinds[3] } } : {});
    for (const permission of kinds) {
      const input = { className, permissions: { read: permission, update: permission, delete: permission } };
      const creator = { headers: { ...apiKey.headers, 'On-Behalf-Of': String(nth === 0 ? chief.id : owner.id) } };
      const make = async () => (await execute(CREATE, { input }, creator)).createRecord.id as string;
      const ids = await Promise.all([make(), make(), make(), make(), make(), make()]);
      if (nth === 1) {
        const close = `mutation ($name: String!, $input: UpdateClassInput!) { updateClass(name: $name, input: $input) { id } }`;
        await execute(close, { name: className, input: { permissions } }, apiKey);
      }
      for (const [place, user] of [owner, named, tagged, editor, other, chief].entries()) {
        const id = ids[place]!;
        const of = { name: className, id };
        const done: [string, () => Promise<boolean>][] = [
          ['READ_RECORD', () => isDone(READ, of, user)],
          ['UPDATE_RECORD', () => isDone(UPDATE, of, user)],
          ['DELETE_RECORD', () => isDone(DELETE, of, user)],
        ];
        for (const [operation, run] of done) {
          const { isAllowed, rule, grant, sentence } = await explain(user, operation, { className, id });
          expect([user.login, operation, permission, rule, isAllowed]).toEqual([
            ...[user.login, operation, permission, rule],
            await run(),
          ]);
          expect(['CLASS_CLOSED', 'NOT_GRANTED'].includes(rule)).toBe(!isAllowed);
          seen.add(`${rule} ${grant ?? ''}`.trim());
          expect(sentence).toMatch(/^[A-Z].*\.$/);
        }
        const creating = await explain(user, 'CREATE_RECORD', { className });
        expect(creating.isAllowed).toBe(await isDone(CREATE, { input: { className } }, user));
      }
      if (nth === 1) {
        const reopen = `mutation ($name: String!) { updateClass(name: $name, input: { permissions: {
          create: { access: OPEN }, read: { access: OPEN }, update: { access: OWNER }, delete: { access: OWNER } } }) { id } }`;
        await execute(reopen, { name: className }, apiKey);
      }
    }
  }
  expect([...seen].sort()).toEqual([
    ...['CLASS_CLOSED', 'GROUP crew', 'NAMED_USER', 'NOT_GRANTED', 'OPEN', 'OWNER', 'ROLE editor'],
  ]);
}, 60_000);

test('dialogs, blocks, policies and unknown objects are explained like the operations decide', async () => {
  const [alice, bob, carol] = await createUsers(3);
  const group = { id: await createDialog(alice, [bob]) };
  const open = 'mutation ($id: Int!) { createDialog(input: { type: PRIVATE, occupantIds: [$id] }) { id } }';
  const pair = (await execute(open, { id: bob.id }, alice)).createDialog;
  const ruleOf = async (user: TestUser, operation: string, id?: string) =>
    (await explain(user, operation, { id })).rule;
  expect(await ruleOf(bob, 'READ_DIALOG', group.id)).toBe('OCCUPANT');
  expect(await ruleOf(carol, 'READ_DIALOG', group.id)).toBe('NOT_AN_OCCUPANT');
  expect(await ruleOf(carol, 'SEND_MESSAGE', 'f'.repeat(24))).toBe('NOT_FOUND');
  await execute('mutation ($id: Int!) { blockUser(userId: $id) { id } }', { id: alice.id }, bob);
  expect(await ruleOf(alice, 'SEND_MESSAGE', pair.id)).toBe('BLOCKED');
  expect(await ruleOf(alice, 'SEND_MESSAGE', group.id)).toBe('OCCUPANT');
  await execute(SET, { input: { dialogCreators: ['host'], verifiedEmailRequired: true } }, apiKey);
  expect([await ruleOf(carol, 'CREATE_DIALOG'), await ruleOf(carol, 'SEND_MESSAGE', group.id)]).toEqual([
    ...['ROLE_REQUIRED', 'EMAIL_NOT_VERIFIED'],
  ]);
  await execute(SET, { input: { dialogCreators: [], verifiedEmailRequired: false } }, apiKey);
  expect(await ruleOf(carol, 'CREATE_DIALOG')).toBe('ALL_USERS');
  await execute('mutation ($id: Int!) { blockUser(userId: $id) { id } }', { id: carol.id }, apiKey);
  expect(await ruleOf(carol, 'READ_DIALOG', group.id)).toBe('USER_BLOCKED');
  const unknown = { userId: 2 ** 31 - 1, operation: 'CREATE_DIALOG' };
  expect(await reasonOf(EXPLAIN, unknown, apiKey)).toBe('USER_NOT_FOUND');
  expect(await reasonOf(EXPLAIN, { userId: bob.id, operation: 'READ_RECORD' }, apiKey)).toBe('CLASS_REQUIRED');
  expect(await reasonOf(EXPLAIN, { userId: bob.id, operation: 'READ_DIALOG' }, apiKey)).toBe('ID_REQUIRED');
  expect(await reasonOf(EXPLAIN, { userId: bob.id, operation: 'CREATE_DIALOG' }, bob)).toBe('OPERATION_FORBIDDEN');
});

test('access to files is explained like they are served', async () => {
  const [owner, other] = await createUsers(2);
  const FIND = 'query ($id: Int!) { blob(id: $id) { id } }';
  const RENAME = 'mutation ($id: Int!) { updateBlob(id: $id, input: { name: "new.txt" }) { id } }';
  const files = [await createBlob(owner), await createBlob(owner, { public: true })];
  const rules = async (user: TestUser) => {
    const found: string[] = [];
    for (const { id } of files) {
      for (const [operation, document] of [['READ_FILE', FIND] as const, ['UPDATE_FILE', RENAME] as const]) {
        const { isAllowed, rule } = await explain(user, operation, { id: String(id) });
        expect([operation, rule, await isDone(document, { id }, user)]).toEqual([operation, rule, isAllowed]);
        found.push(rule);
      }
    }
    return found;
  };
  const setting = (filesByNumber: string) => execute(SET, { input: { filesByNumber } }, apiKey);
  await setting('OWNER');
  expect(await rules(owner)).toEqual(['OWNER', 'OWNER', 'OWNER', 'OWNER']);
  expect(await rules(other)).toEqual(['OTHER_OWNER', 'OTHER_OWNER', 'PUBLIC_FILE', 'OTHER_OWNER']);
  await setting('SESSION');
  expect(await rules(other)).toEqual(['ALL_USERS', 'OTHER_OWNER', 'PUBLIC_FILE', 'OTHER_OWNER']);
  for (const id of ['99999999', 'no id', '-1', '0'])
    expect(await explain(other, 'READ_FILE', { id })).toMatchObject({ isAllowed: false, rule: 'NOT_FOUND' });
});

test('a change of permissions is counted before it is made', async () => {
  await defineClass('Counted', { text: 'String' });
  const before = (await execute('{ users(first: 1) { totalCount } }', {}, apiKey)).users.totalCount as number;
  const reader = await createUser();
  await execute('mutation { defineRole(name: "reader", description: "") { name } }', {}, apiKey);
  await execute('mutation ($id: Int!) { assignRole(userId: $id, role: "reader") { id } }', { id: reader.id }, apiKey);
  const permissions = {
    read: { access: 'OPEN_FOR_GROUPS', groups: ['role:reader'] },
    update: { access: 'OPEN_FOR_GROUPS', groups: ['role:reader'] },
    delete: { access: 'OWNER' },
  };
  const { permissionChanges } = await execute(CHANGES, { className: 'Counted', permissions }, apiKey);
  const blocked = 1;
  expect(permissionChanges).toMatchObject([
    { action: 'READ', gained: 0, lost: before - blocked, before: { access: 'OPEN' } },
    { action: 'UPDATE', gained: 1, lost: 0, after: { groups: ['role:reader'] } },
    { action: 'DELETE', gained: 0, lost: 0 },
  ]);
  expect(await reasonOf(CHANGES, { className: 'None', permissions }, apiKey)).toBe('CLASS_UNDEFINED');
});

import { beforeAll, describe, expect, test } from 'vitest';
import { running, useApp } from '../../support/app/app.ts';
import { createTenant, type Tenant } from '../../support/app/other-apps.ts';
import { errorOf, execute, type QuickUser, quickUsers } from '../../support/fixtures/chat.ts';
import { anonymous, apiKey, type Caller, openSession } from '../../support/fixtures/users.ts';

useApp();

const CLASS = `id name applicationId createdAt updatedAt
  fields { name type array required unique index }
  permissions { create { access ids groups } read { access ids groups }
    update { access ids groups } delete { access ids groups } }`;
const CREATE = `mutation ($input: CreateClassInput!) { createClass(input: $input) { ${CLASS} } }`;
const UPDATE = `mutation ($name: String!, $input: UpdateClassInput!) { updateClass(name: $name, input: $input) { ${CLASS} } }`;
const FIND = `query ($name: String!) { class(name: $name) { ${CLASS} } }`;
const LIST = `{ classes { ${CLASS} } }`;
const DELETE = 'mutation ($name: String!) { deleteClass(name: $name) }';

const create = async (input: object, as: Caller = apiKey) => (await execute(CREATE, { input }, as)).createClass;
const update = async (name: string, input: object) => (await execute(UPDATE, { name, input }, apiKey)).updateClass;
const refused = (input: object) => errorOf(CREATE, { input }, apiKey);

const permission = (access: string, named: object = {}) => ({ access, ids: null, groups: null, ...named });
const DEFAULTS = {
  create: permission('OPEN'),
  read: permission('OPEN'),
  update: permission('OWNER'),
  delete: permission('OWNER'),
};
const field = (name: string, type: string, options: object = {}) => ({
  ...{ name, type, array: false, required: false, unique: false, index: 'NONE' },
  ...options,
});

let alice: QuickUser;
let tenant: Tenant;
beforeAll(async () => {
  [alice] = (await quickUsers(1)) as [QuickUser];
  tenant = await createTenant(1);
});

describe('class definitions', () => {
  test('a class is returned as defined, with its fields in order', async () => {
    const at = running.now().toISOString();
    const fields = [
      { name: 'make', type: 'STRING', required: true, unique: true, index: true },
      { name: 'tags', type: 'STRING', array: true, index: true },
      { name: 'at', type: 'DATE' },
    ];
    const permissions = {
      create: { access: 'OPEN_FOR_GROUPS', groups: ['a', 'b', 'a'] },
      read: { access: 'NOT_ALLOWED' },
      delete: { access: 'OPEN_FOR_USERS_IDS', ids: [] },
    };
    const made = await create({ name: 'Cars', fields, permissions });
    const shown = {
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      name: 'Cars',
      applicationId: 92,
      createdAt: at,
      updatedAt: at,
      fields: [
        field('make', 'STRING', { required: true, unique: true, index: 'READY' }),
        field('tags', 'STRING', { array: true, index: 'READY' }),
        field('at', 'DATE'),
      ],
      permissions: {
        create: permission('OPEN_FOR_GROUPS', { groups: ['a', 'b'] }),
        read: permission('NOT_ALLOWED'),
        update: permission('OWNER'),
        delete: permission('OPEN_FOR_USERS_IDS', { ids: [] }),
      },
    };
    expect(made).toEqual(shown);
    expect((await execute(FIND, { name: 'Cars' }, apiKey)).class).toEqual(made);
  });

  test('updating a class adds fields, options and permissions and keeps the omitted ones', async () => {
    await create({ name: 'Grown', fields: [{ name: 'a', type: 'INTEGER', required: true }] });
    const changed = await update('Grown', {
      fields: [
        { name: 'b', type: 'FLOAT', array: true },
        { name: 'a', type: 'INTEGER', unique: true },
      ],
      permissions: { update: { access: 'OPEN' } },
    });
    expect(changed.fields).toEqual([
      field('a', 'INTEGER', { required: true, unique: true }),
      field('b', 'FLOAT', { array: true }),
    ]);
    expect(changed.permissions).toEqual({ ...DEFAULTS, update: permission('OPEN') });
    for (const nothing of [{}, { fields: null, permissions: null }, { fields: [], permissions: {} }]) {
      expect(await update('Grown', nothing)).toEqual(changed);
    }
    const off = { fields: [{ name: 'a', type: 'INTEGER', required: false, unique: false }] };
    expect((await update('Grown', off)).fields[0]).toEqual(field('a', 'INTEGER'));
  });

  test('classes lists the classes of the application by name', async () => {
    for (const name of ['Zeta', 'alpha', 'Beta']) await create({ name }, tenant.key);
    const { classes } = await execute(LIST, {}, tenant.key);
    expect(classes.map(({ name }: { name: string }) => name)).toEqual(['Beta', 'Zeta', 'alpha']);
    await create({ name: 'Zeta' });
    await execute(DELETE, { name: 'Zeta' }, tenant.key);
    expect((await execute(FIND, { name: 'Zeta' }, apiKey)).class.name).toBe('Zeta');
    expect(await errorOf(FIND, { name: 'Beta' }, apiKey)).toMatchObject({ message: 'Undefined class' });
  });

  test('a deleted class can be defined again and starts empty', async () => {
    const { id } = await create({ name: 'Again', fields: [{ name: 'a', type: 'INTEGER' }] });
    expect(await execute(DELETE, { name: 'Again' }, apiKey)).toEqual({ deleteClass: true });
    const made = await create({ name: 'Again', fields: [{ name: 'a', type: 'STRING' }] });
    expect(made.id).not.toBe(id);
    expect(made.fields).toEqual([field('a', 'STRING')]);
  });
});

describe('rejected class definitions', () => {
  const INVALID = 'Name is invalid';
  test.each([
    ...['', ' ', '1a', '_a', 'a-b', 'a b', 'é', 'a'.repeat(51), "a'b", 'a"b', 'a;--', 'a->>b', 'a\u2028', 'a\n'],
    ...['__proto__', 'constructor', 'prototype', 'file', 'permissions', 'class_name', 'user_id', 'created_at', 'id'],
    ...['updated_at', 'limit', 'skip', 'sort_asc', 'sort_desc', 'count', 'output', 'group_by', '_id', '_parent_id'],
  ])('defineClass rejects the name %j for a class or field', async (name) => {
    expect(await refused({ name })).toMatchObject({ message: INVALID, code: 'UNPROCESSABLE' });
    const fields = [{ name, type: 'STRING' }];
    expect(await refused({ name: 'Fine', fields })).toMatchObject({ message: INVALID, code: 'UNPROCESSABLE' });
  });

  test.each(['toString', 'valueOf', 'hasOwnProperty', 'or', 'and', 'select', 'a'.repeat(50), 'A_1'])(
    'defineClass accepts the unusual name %s',
    async (name) => {
      const { fields } = await create({ name, fields: [{ name, type: 'STRING' }] });
      expect(fields).toEqual([field(name, 'STRING')]);
      expect((await execute(FIND, { name }, apiKey)).class.name).toBe(name);
    },
  );

  const ids = Array.from({ length: 1_001 }, (_, nth) => nth + 1);
  test.each<[what: string, input: object, sentence: string]>([
    ['an array of files', { fields: [{ name: 'f', type: 'FILE', array: true }] }, 'Field f has an unknown type'],
    [
      'a field with two types',
      {
        fields: [
          { name: 'f', type: 'STRING' },
          { name: 'f', type: 'DATE' },
        ],
      },
      'Field f already has another type',
    ],
    [
      'a field that is both an array and a single value',
      {
        fields: [
          { name: 'f', type: 'DATE' },
          { name: 'f', type: 'DATE', array: true },
        ],
      },
      'Field f already has another type',
    ],
    ['a unique array', { fields: [{ name: 'f', type: 'DATE', array: true, unique: true }] }, "Field f can't be unique"],
    ['a unique location', { fields: [{ name: 'f', type: 'LOCATION', unique: true }] }, "Field f can't be unique"],
    ['a unique file', { fields: [{ name: 'f', type: 'FILE', unique: true }] }, "Field f can't be unique"],
    ['an indexed file', { fields: [{ name: 'f', type: 'FILE', index: true }] }, "Field f can't be indexed"],
    [
      'too many fields',
      { fields: ids.slice(0, 201).map((id) => ({ name: `f${id}`, type: 'STRING' })) },
      'Too many fields (maximum is 200)',
    ],
    [
      'too many indexes',
      { fields: ids.slice(0, 9).map((id) => ({ name: `f${id}`, type: 'STRING', index: true })) },
      'Too many indexed fields (maximum is 8 numbers, dates and booleans, 8 strings and 2 locations)',
    ],
    [
      'permissions without user ids',
      { permissions: { read: { access: 'OPEN_FOR_USERS_IDS' } } },
      'Field ids should be an array',
    ],
    [
      'permissions without groups',
      { permissions: { read: { access: 'OPEN_FOR_GROUPS' } } },
      'Field groups should be an array',
    ],
    [
      'too many users',
      { permissions: { read: { access: 'OPEN_FOR_USERS_IDS', ids } } },
      'Too many ids (maximum is 1000)',
    ],
  ])('defineClass rejects %s', async (_what, input, sentence) => {
    expect(await refused({ name: 'Refused', ...input })).toMatchObject({ message: sentence, code: 'UNPROCESSABLE' });
    expect(await errorOf(FIND, { name: 'Refused' }, apiKey)).toMatchObject({ message: 'Undefined class' });
  });

  test('defineClass rejects a name that is taken, also for concurrent definitions', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => create({ name: 'Wanted' })));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await refused({ name: 'Wanted' })).toMatchObject({
      message: 'Name has already been taken',
      code: 'UNPROCESSABLE',
    });
  });

  test('a rejected change of a class changes nothing', async () => {
    const before = await create({ name: 'Kept', fields: [{ name: 'a', type: 'INTEGER' }] });
    const fields = [
      { name: 'b', type: 'STRING' },
      { name: 'a', type: 'STRING' },
      { name: '1', type: 'STRING' },
    ];
    const input = { fields, permissions: { read: { access: 'OWNER' } } };
    expect(await errorOf(UPDATE, { name: 'Kept', input }, apiKey)).toMatchObject({
      message: 'Field a already has another type, Name is invalid',
      code: 'UNPROCESSABLE',
    });
    expect((await execute(FIND, { name: 'Kept' }, apiKey)).class).toEqual(before);
  });
});

describe('rights to define classes', () => {
  const CALLS: [query: string, variables: object][] = [
    [CREATE, { input: { name: 'Theirs' } }],
    [UPDATE, { name: 'Nope', input: {} }],
    [FIND, { name: 'Nope' }],
    [LIST, {}],
    [DELETE, { name: 'Nope' }],
  ];

  test.each(CALLS)('only an API key can run %.60s…', async (query, variables) => {
    const refusal = (as: Caller) => errorOf(query, variables as Record<string, unknown>, as);
    expect(await refusal(anonymous)).toMatchObject({ message: 'Token is required', code: 'UNAUTHENTICATED' });
    expect(await refusal(alice)).toMatchObject({
      message: "You don't have appropriate permissions to do this operation",
      code: 'FORBIDDEN',
    });
    expect(await refusal(await openSession())).toMatchObject({
      message: 'Forbidden. Need user.',
      code: 'FORBIDDEN',
    });
  });

  test('an unknown class is reported as undefined to permitted callers', async () => {
    for (const [query, variables] of [CALLS[1]!, CALLS[2]!, CALLS[4]!]) {
      for (const name of ['Nope', 'isPrototypeOf', '__proto__', '', "'; --"]) {
        expect(await errorOf(query, { ...variables, name }, apiKey)).toMatchObject({
          message: 'Undefined class',
          code: 'FORBIDDEN',
        });
      }
    }
  });
});

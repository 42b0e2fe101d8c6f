import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { expectConsistentRecords } from '../../support/app/record-integrity.ts';
import { sql } from '../../support/app/sql.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { errorOf, execute, type QuickUser, quickUsers } from '../../support/fixtures/chat.ts';
import { apiKey } from '../../support/fixtures/users.ts';

useApp();

const CREATE_CLASS = 'mutation ($input: CreateClassInput!) { createClass(input: $input) { id } }';
const UPDATE_CLASS = `mutation ($name: String!, $input: UpdateClassInput!) {
  updateClass(name: $name, input: $input) { fields { name required unique index } } }`;
const CREATE = 'mutation ($input: CreateRecordInput!) { createRecord(input: $input) { id fields } }';
const CREATE_MANY = `mutation ($className: String!, $records: [NewRecordInput!]!) {
  createRecords(className: $className, records: $records) { id } }`;
const UPDATE = `mutation ($className: String!, $id: ID!, $input: UpdateRecordInput!) {
  updateRecord(className: $className, id: $id, input: $input) { fields } }`;
const UPDATE_MANY = `mutation ($className: String!, $records: [ChangedRecordInput!]!) {
  updateRecords(className: $className, records: $records) { records { id } } }`;
const UPDATE_ALL = `mutation ($className: String!, $criteria: JSON, $input: UpdateRecordInput!) {
  updateRecordsByCriteria(className: $className, criteria: $criteria, input: $input) { totalFound } }`;
const DELETE = 'mutation ($className: String!, $id: ID!) { deleteRecord(className: $className, id: $id) }';

let alice: QuickUser;
beforeAll(async () => {
  [alice] = (await quickUsers(1)) as [QuickUser];
});

let classes = 0;
async function newClass(type = 'STRING', more: object = {}): Promise<string> {
  const className = `Unique${++classes}`;
  const fields = [
    { name: 'code', type, unique: true, ...more },
    { name: 'note', type: 'STRING' },
  ];
  await execute(CREATE_CLASS, { input: { name: className, fields } }, apiKey);
  return className;
}

const make = async (className: string, fields: object): Promise<string> =>
  (await execute(CREATE, { input: { className, fields } }, alice)).createRecord.id;
const refused = (className: string, fields: object) => errorOf(CREATE, { input: { className, fields } }, alice);
const change = (className: string, id: string, fields: object) =>
  execute(UPDATE, { className, id, input: { fields } }, alice);
const setOptions = (name: string, field: object) => execute(UPDATE_CLASS, { name, input: { fields: [field] } }, apiKey);

const TAKEN = { message: 'Field code has already been taken', code: 'UNPROCESSABLE' };

describe('unique values', () => {
  test.each<[type: string, value: unknown, same: unknown, other: unknown]>([
    ['STRING', 'a', 'a', 'A'],
    ['INTEGER', 1, '1', 2],
    ['FLOAT', 1.5, '1.50', 1.25],
    ['BOOLEAN', true, 'true', false],
    ['DATE', '2026-11-20', '2026-11-20T00:00:00Z', '2026-11-21'],
  ])('a unique value of type %s belongs to one record', async (type, value, same, other) => {
    const className = await newClass(type);
    await make(className, { code: value });
    expect(await refused(className, { code: same })).toMatchObject(TAKEN);
    await make(className, { code: other });
    await expectConsistentRecords();
  });

  test('of concurrent creations with one value, one succeeds, and other records of its statement are stored', async () => {
    const className = await newClass();
    const codes = Array.from({ length: 30 }, (_, nth) => `c${nth % 10}`);
    const answers = await Promise.all(
      codes.map((code) => graphql(CREATE, { input: { className, fields: { code } } }, alice)),
    );
    expect(answers.filter(({ errors }) => !errors)).toHaveLength(10);
    const sentences = answers.flatMap(({ errors }) => errors?.map(({ message }) => message) ?? []);
    expect(sentences).toEqual(Array.from({ length: 20 }, () => TAKEN.message));
    await expectConsistentRecords();
  });

  test('unset values are not unique', async () => {
    const className = await newClass();
    for (const fields of [{}, {}, { code: null }, { note: 'x' }]) await make(className, fields);
    expect(await make(className, { code: '' })).toBeDefined();
    expect(await refused(className, { code: '' })).toMatchObject(TAKEN);
  });

  test('unique values of different classes are independent', async () => {
    const [one, two] = [await newClass(), await newClass()];
    await make(one, { code: 'a' });
    await make(two, { code: 'a' });
    await expectConsistentRecords();
  });

  test('an update to a taken value is rejected and the record keeps its value', async () => {
    const className = await newClass();
    const [, second] = [await make(className, { code: 'a' }), await make(className, { code: 'b' })];
    const input = { fields: { code: 'a', note: 'new' } };
    expect(await errorOf(UPDATE, { className, id: second, input }, alice)).toMatchObject(TAKEN);
    expect(await refused(className, { code: 'b' })).toMatchObject(TAKEN);
    await change(className, second, { code: 'b', note: 'same' });
    await expectConsistentRecords();
  });

  test('a value is free again after an update, an unset or a deletion', async () => {
    const className = await newClass();
    const ids = [];
    for (const code of ['a', 'b', 'c']) ids.push(await make(className, { code }));
    await change(className, ids[0]!, { code: 'z' });
    await change(className, ids[1]!, { code: null });
    await execute(DELETE, { className, id: ids[2] }, alice);
    for (const code of ['a', 'b', 'c']) await make(className, { code });
    expect(await refused(className, { code: 'z' })).toMatchObject(TAKEN);
    await expectConsistentRecords();
  });

  test('one request can swap values between two records', async () => {
    const className = await newClass();
    const [one, two] = [await make(className, { code: 'a' }), await make(className, { code: 'b' })];
    const records = [
      { id: one, changes: { fields: { code: 'b' } } },
      { id: two, changes: { fields: { code: 'a' } } },
    ];
    await execute(UPDATE_MANY, { className, records }, alice);
    await expectConsistentRecords();
  });

  test('a value repeated within one request is rejected and nothing is stored', async () => {
    const className = await newClass();
    const records = ['a', 'b', 'a'].map((code) => ({ fields: { code } }));
    expect(await errorOf(CREATE_MANY, { className, records }, alice)).toMatchObject({
      message: 'Record 3: Field code has already been taken',
    });
    const ids = [await make(className, { code: 'a' }), await make(className, { code: 'b' })];
    const input = { fields: { code: 'x' } };
    const criteria = { code: { in: ['a', 'b'] } };
    expect(await errorOf(UPDATE_ALL, { className, criteria, input }, alice)).toMatchObject(TAKEN);
    const both = ids.map((id) => ({ id, changes: input }));
    expect(await errorOf(UPDATE_MANY, { className, records: both }, alice)).toMatchObject(TAKEN);
    await expectConsistentRecords();
  });

  test('a value can move between records under concurrent updates', async () => {
    const className = await newClass('INTEGER');
    const ids = [];
    for (const code of [0, 1, 2, 3]) ids.push(await make(className, { code }));
    await Promise.all(
      ids.map(async (id, at) => {
        for (let nth = 0; nth < 10; nth++) {
          const { errors } = await graphql(
            UPDATE,
            { className, id, input: { fields: { code: (at + nth) % 5 } } },
            alice,
          );
          if (errors) expect(errors.map(({ message }) => message)).toEqual([TAKEN.message]);
        }
      }),
    );
    await expectConsistentRecords();
  });

  test('two concurrent swaps of values succeed or are rejected as taken', async () => {
    const className = await newClass();
    const ids = [await make(className, { code: 'a' }), await make(className, { code: 'b' })];
    for (let round = 0; round < 5; round++) {
      await Promise.all(
        ids.map(async (id, at) => {
          const code = 'ab'[(at + round + 1) % 2];
          const { errors } = await graphql(UPDATE, { className, id, input: { fields: { code } } }, alice);
          if (errors) expect(errors.map(({ message }) => message)).toEqual([TAKEN.message]);
        }),
      );
    }
    await expectConsistentRecords();
  });

  test('a value longer than the index limit is rejected', async () => {
    const className = await newClass();
    const long = (length: number) => ({ code: 'é'.repeat(length / 2) });
    await make(className, long(1_000));
    const TOO_LONG = { message: 'Field code is too long (maximum is 1000 bytes)', code: 'UNPROCESSABLE' };
    expect(await refused(className, long(1_002))).toMatchObject(TOO_LONG);
  });
});

describe('fields that become unique', () => {
  const open = { name: 'code', type: 'STRING', unique: false };
  const closed = { ...open, unique: true };

  test('a field cannot become unique while records share a value, and nothing changes', async () => {
    const className = await newClass('STRING', { unique: false });
    const ids = [await make(className, { code: 'a' }), await make(className, { code: 'a' })];
    const both = { name: className, input: { fields: [closed, { name: 'more', type: 'STRING' }] } };
    expect(await errorOf(UPDATE_CLASS, both, apiKey)).toMatchObject({
      message: 'Field code has values that are not unique',
      code: 'UNPROCESSABLE',
    });
    expect(await sql('SELECT FROM class_fields WHERE name = $1', ['more'])).toEqual([]);
    await make(className, { code: 'a' });
    await execute(DELETE, { className, id: ids[0] }, alice);
    await expectConsistentRecords();
  });

  test('a field can stop being unique and become unique again', async () => {
    const className = await newClass();
    const first = await make(className, { code: 'a' });
    await setOptions(className, open);
    const second = await make(className, { code: 'a' });
    await expectConsistentRecords();
    await execute(DELETE, { className, id: first }, alice);
    await setOptions(className, closed);
    expect(await refused(className, { code: 'a' })).toMatchObject(TAKEN);
    await change(className, second, { code: 'b' });
    await make(className, { code: 'a' });
    await expectConsistentRecords();
  });

  test('concurrent creations of one value while a field becomes unique leave one record, or the field not unique', async () => {
    for (let round = 0; round < 4; round++) {
      const className = await newClass('STRING', { unique: false });
      const [{ errors }, ...made] = await Promise.all([
        graphql(UPDATE_CLASS, { name: className, input: { fields: [closed] } }, apiKey),
        ...Array.from({ length: 6 }, () => graphql(CREATE, { input: { className, fields: { code: 'a' } } }, alice)),
      ]);
      const stored = made.filter((answer) => !answer.errors).length;
      if (errors) expect([errors[0]!.message, stored]).toEqual(['Field code has values that are not unique', 6]);
      else expect(stored).toBe(1);
      await expectConsistentRecords();
    }
  });
});

describe('required fields', () => {
  test('a required field must be present in new records and after updates', async () => {
    const className = await newClass('INTEGER', { unique: false, required: true });
    const REQUIRED = { message: 'Field code is required', code: 'UNPROCESSABLE' };
    for (const fields of [{}, { code: null }]) expect(await refused(className, fields)).toMatchObject(REQUIRED);
    const id = await make(className, { code: 0 });
    const input = { fields: { code: null } };
    expect(await errorOf(UPDATE, { className, id, input }, alice)).toMatchObject(REQUIRED);
    await change(className, id, { note: 'x' });
  });

  test('a field that becomes required leaves existing records unchanged until they are updated', async () => {
    const className = await newClass('INTEGER', { unique: false });
    const id = await make(className, { note: 'x' });
    await setOptions(className, { name: 'code', type: 'INTEGER', required: true });
    const input = { fields: { note: 'y' } };
    expect(await errorOf(UPDATE, { className, id, input }, alice)).toMatchObject({
      message: 'Field code is required',
    });
    await change(className, id, { note: 'y', code: 1 });
    await setOptions(className, { name: 'code', type: 'INTEGER', required: false });
    await change(className, id, { code: null });
  });
});

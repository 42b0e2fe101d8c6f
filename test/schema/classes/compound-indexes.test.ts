import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { expectConsistentRecords } from '../../support/app/record-integrity.ts';
import { sql } from '../../support/app/sql.ts';
import { until } from '../../support/clients/websocket.ts';
import { errorOf, execute, type QuickUser, quickUsers } from '../../support/fixtures/chat.ts';
import { apiKey } from '../../support/fixtures/users.ts';

useApp();

const CREATE_CLASS = 'mutation ($input: CreateClassInput!) { createClass(input: $input) { name } }';
const UPDATE_CLASS = `mutation ($name: String!, $input: UpdateClassInput!) {
  updateClass(name: $name, input: $input) { name } }`;
const CLASS = 'query ($name: String!) { class(name: $name) { indexes { fields unique state } } }';
const CREATE = 'mutation ($input: CreateRecordInput!) { createRecord(input: $input) { id } }';
const CREATE_MANY =
  'mutation ($className: String!, $records: [NewRecordInput!]!) { createRecords(className: $className, records: $records) { id } }';
const UPDATE = `mutation ($className: String!, $id: ID!, $fields: JSON) {
  updateRecord(className: $className, id: $id, input: { fields: $fields }) { id } }`;
const DELETE = 'mutation ($className: String!, $id: ID!) { deleteRecord(className: $className, id: $id) }';
const RECORDS = `query ($className: String!, $filter: JSON, $orderBy: RecordOrder, $first: Int, $after: String, $last: Int, $before: String) {
  records(className: $className, filter: $filter, orderBy: $orderBy, first: $first, after: $after, last: $last, before: $before) {
    totalCount pageInfo { endCursor startCursor hasNextPage hasPreviousPage } edges { node { fields } } } }`;

const FIELDS = [
  { name: 'n', type: 'INTEGER' },
  { name: 'make', type: 'STRING' },
  { name: 'price', type: 'FLOAT' },
  { name: 'sold', type: 'BOOLEAN' },
  { name: 'at', type: 'DATE' },
  { name: 'model', type: 'STRING' },
];
const INDEXES = [
  { fields: ['make', 'price'] },
  { fields: ['make', 'sold', 'at'] },
  { fields: ['sold', 'make'] },
  { fields: ['make', 'model'] },
];

let alice: QuickUser;
beforeAll(async () => {
  [alice] = (await quickUsers(1)) as [QuickUser];
});

let classes = 0;
async function createClass(indexes: object[], fields: object[] = FIELDS): Promise<string> {
  const name = `Compound${++classes}`;
  await execute(CREATE_CLASS, { input: { name, fields, indexes } }, apiKey);
  return name;
}

const create = (className: string, fields: object) => execute(CREATE, { input: { className, fields } }, alice);
const setIndexes = (name: string, indexes: object[]) => execute(UPDATE_CLASS, { name, input: { indexes } }, apiKey);
const indexesOf = async (name: string) => (await execute(CLASS, { name }, apiKey)).class.indexes;
const isReady = async (name: string) =>
  (await indexesOf(name)).every(({ state }: { state: string }) => state === 'READY');

const MAKES = ['a', 'ab', 'a\u0001', 'a\u0001b', 'a\u0002', 'b', 'ä', '', 'v', 'w', 'a b', null];
const PRICES = [0, -1, 1, -0.5, 0.5, 1e300, -1e300, 1e-300, -1e-300, 2, 3, null];
const DATES = ['1960-01-01T00:00:00Z', '1970-01-01T00:00:00Z', '2024-02-29T12:00:00Z', null];

/** Every combination that two prime steps reach; unset values included. */
const RECORDS_OF_ALL_KINDS = Array.from({ length: 300 }, (_, n) => ({
  n,
  make: MAKES[n % MAKES.length],
  price: PRICES[(n * 7) % PRICES.length],
  sold: [true, false, null][(n * 5) % 3],
  at: DATES[(n * 11) % DATES.length],
  model: MAKES[(n * 13) % MAKES.length],
}));

async function fill(className: string): Promise<void> {
  for (let from = 0; from < RECORDS_OF_ALL_KINDS.length; from += 100) {
    const records = RECORDS_OF_ALL_KINDS.slice(from, from + 100).map((fields) => ({ fields }));
    await execute(CREATE_MANY, { className, records }, alice);
  }
}

interface Page {
  totalCount: number;
  pageInfo: { endCursor: string | null; startCursor: string | null; hasNextPage: boolean; hasPreviousPage: boolean };
  edges: { node: { fields: { n: number } } }[];
}

const read = async (variables: Record<string, unknown>): Promise<Page> =>
  (await execute(RECORDS, variables, alice)).records;
const numbersOf = ({ edges }: Page) => edges.map(({ node }) => node.fields.n);

/** The first pages of three, forwards and then backwards. */
async function walk(className: string, filter: object, orderBy: object | null): Promise<unknown[]> {
  const answers: unknown[] = [];
  let page = await read({ className, filter, orderBy, first: 3 });
  answers.push(page.totalCount, numbersOf(page));
  while (page.pageInfo.hasNextPage && answers.length < 4) {
    page = await read({ className, filter, orderBy, first: 3, after: page.pageInfo.endCursor });
    answers.push(numbersOf(page));
  }
  page = await read({ className, filter, orderBy, last: 3 });
  answers.push(numbersOf(page));
  while (page.pageInfo.hasPreviousPage && answers.length < 6) {
    page = await read({ className, filter, orderBy, last: 3, before: page.pageInfo.startCursor });
    answers.push(numbersOf(page));
  }
  return answers;
}

const FILTERS: object[] = [
  ...['a', 'a\u0001', '', 'w', null].map((make) => ({ make: { eq: make } })),
  { make: { eq: 'a' }, price: { gte: -0.5, lt: 2 } },
  { make: { eq: 'ab' }, price: { gt: 0 } },
  { make: { eq: 'b' }, price: { lte: 1 } },
  { make: { eq: 'b' }, price: { eq: null } },
  { make: { eq: null }, price: { gt: -1e299 } },
  { make: { eq: 'a' }, price: { eq: 0 } },
  { make: { eq: 'a' }, sold: { eq: true } },
  { make: { eq: 'a' }, sold: { eq: null }, at: { lt: '1970-01-02T00:00:00Z' } },
  { make: { eq: 'ä' }, sold: { eq: false }, at: { eq: '2024-02-29T12:00:00Z' } },
  { sold: { eq: true }, make: { eq: 'a\u0001b' } },
  { make: { eq: 'a' }, model: { eq: 'a\u0002' } },
  { make: { eq: 'a' }, or: [{ price: { lt: 0 } }, { price: { eq: null } }] },
  { make: { eq: 'a' }, and: [{ make: { eq: 'ab' } }] },
  { make: { in: ['a', 'b'] }, price: { lt: 1 } },
];

describe('compound indexes', () => {
  test('lists have the same pages with and without compound indexes', async () => {
    const [plain, indexed] = [await createClass([]), await createClass(INDEXES)];
    await fill(plain);
    await fill(indexed);
    for (const filter of FILTERS) {
      for (const field of [null, 'price', 'at', 'model']) {
        for (const direction of field ? ['ASC', 'DESC'] : ['ASC']) {
          const orderBy = field === null ? null : { field, direction };
          const what = JSON.stringify([filter, orderBy]);
          expect([what, await walk(indexed, filter, orderBy)]).toEqual([what, await walk(plain, filter, orderBy)]);
        }
      }
    }
    await expectConsistentRecords();
  });

  test('an index of existing records is built in the background, and queries give the same answers throughout', async () => {
    const name = await createClass([]);
    await fill(name);
    const filter = { make: { eq: 'a' }, price: { gte: -1 } };
    const before = await walk(name, filter, { field: 'price', direction: 'DESC' });
    for (const indexes of [
      [{ fields: ['make', 'price'] }],
      [],
      [{ fields: ['make', 'price'] }, { fields: ['sold', 'at'] }],
    ]) {
      await setIndexes(name, indexes);
      expect(await walk(name, filter, { field: 'price', direction: 'DESC' })).toEqual(before);
      await until(async () => (await isReady(name)) && (await indexesOf(name)).length === indexes.length);
      expect(await walk(name, filter, { field: 'price', direction: 'DESC' })).toEqual(before);
      await expectConsistentRecords();
    }
    expect(await indexesOf(name)).toEqual([
      { fields: ['make', 'price'], unique: false, state: 'READY' },
      { fields: ['sold', 'at'], unique: false, state: 'READY' },
    ]);
  });

  test('updated and deleted records are found by their new values only', async () => {
    const name = await createClass([{ fields: ['make', 'price'] }]);
    const { createRecord } = await create(name, { n: 1, make: 'a', price: 1 });
    await create(name, { n: 2, make: 'a', price: 2 });
    await execute(UPDATE, { className: name, id: createRecord.id, fields: { price: 3 } }, alice);
    const prices = async () =>
      numbersOf(await read({ className: name, filter: { make: 'a' }, orderBy: { field: 'price', direction: 'ASC' } }));
    expect(await prices()).toEqual([2, 1]);
    await execute(UPDATE, { className: name, id: createRecord.id, fields: { make: null } }, alice);
    expect(await prices()).toEqual([2]);
    await execute(DELETE, { className: name, id: createRecord.id }, alice);
    expect(numbersOf(await read({ className: name, filter: { make: null } }))).toEqual([]);
    await expectConsistentRecords();
  });

  test('a unique index refuses a second record with the same values, and accepts records without all values', async () => {
    const name = await createClass([{ fields: ['make', 'model'], unique: true }]);
    const taken = { message: 'Fields make, model have already been taken', code: 'UNPROCESSABLE' };
    await create(name, { n: 1, make: 'a', model: 'b' });
    expect(
      await errorOf(CREATE, { input: { className: name, fields: { make: 'a', model: 'b' } } }, alice),
    ).toMatchObject(taken);
    const { createRecord } = await create(name, { n: 2, make: 'a', model: 'c' });
    await create(name, { make: 'a' });
    await create(name, { make: 'a' });
    const toTaken = { className: name, id: createRecord.id, fields: { model: 'b' } };
    expect(await errorOf(UPDATE, toTaken, alice)).toMatchObject(taken);
    await execute(UPDATE, { className: name, id: createRecord.id, fields: { model: 'd' } }, alice);
    await create(name, { make: 'a', model: 'c' });
    const twice = {
      className: name,
      records: [{ fields: { make: 'x', model: 'y' } }, { fields: { make: 'x', model: 'y' } }],
    };
    expect((await errorOf(CREATE_MANY, twice, alice)).message).toContain('Fields make, model have already been taken');
    await expectConsistentRecords();
  });

  test('an existing index becomes unique only if its values are', async () => {
    const name = await createClass([{ fields: ['make', 'model'] }]);
    await create(name, { make: 'a', model: 'b' });
    const { createRecord } = await create(name, { make: 'a', model: 'b' });
    const unique = { name, input: { indexes: [{ fields: ['make', 'model'], unique: true }] } };
    expect(await errorOf(UPDATE_CLASS, unique, apiKey)).toMatchObject({
      message: 'Fields make, model have values that are not unique',
      code: 'UNPROCESSABLE',
    });
    await execute(DELETE, { className: name, id: createRecord.id }, alice);
    await execute(UPDATE_CLASS, unique, apiKey);
    expect(
      await errorOf(CREATE, { input: { className: name, fields: { make: 'a', model: 'b' } } }, alice),
    ).toMatchObject({
      message: 'Fields make, model have already been taken',
    });
    await setIndexes(name, [{ fields: ['make', 'model'] }]);
    await create(name, { make: 'a', model: 'b' });
    await expectConsistentRecords();
  });

  test('a text of an indexed field may have 400 bytes', async () => {
    const name = await createClass([{ fields: ['make', 'model'] }]);
    const longest = '\u0001'.repeat(400);
    await create(name, { make: longest, model: longest });
    expect(
      await errorOf(CREATE, { input: { className: name, fields: { make: 'x'.repeat(401) } } }, alice),
    ).toMatchObject({
      message: 'Field make is too long (maximum is 400 bytes)',
    });
    const other = await createClass([]);
    await create(other, { make: 'x'.repeat(401) });
    const input = { indexes: [{ fields: ['make', 'price'] }] };
    expect(await errorOf(UPDATE_CLASS, { name: other, input }, apiKey)).toMatchObject({
      message: 'Field make is too long (maximum is 400 bytes)',
    });
    expect(await indexesOf(other)).toEqual([]);
  });

  test.each([
    [[{ fields: [] }], 'A compound index should have 2 to 3 different fields'],
    [[{ fields: ['make'] }], 'A compound index should have 2 to 3 different fields'],
    [[{ fields: ['make', 'make'] }], 'A compound index should have 2 to 3 different fields'],
    [[{ fields: ['n', 'make', 'price', 'sold'] }], 'A compound index should have 2 to 3 different fields'],
    [[{ fields: ['make', 'none'] }], 'Index make,none has an unknown field'],
    [[{ fields: ['make', 'tags'] }], "Field tags can't be part of a compound index"],
    [[{ fields: ['make', 'place'] }], "Field place can't be part of a compound index"],
    [[{ fields: ['n', 'make'] }, { fields: ['n', 'make'] }], 'Index n,make is listed twice'],
    [
      ['make', 'price', 'sold', 'at', 'model', 'f1', 'f2', 'f3', 'f4'].map((field) => ({ fields: ['n', field] })),
      'Too many compound indexes (maximum is 8)',
    ],
  ])('the indexes %j are refused, and nothing is created', async (indexes, message) => {
    const name = `Compound${++classes}`;
    const more = ['f1', 'f2', 'f3', 'f4'].map((field) => ({ name: field, type: 'INTEGER' }));
    const fields = [
      ...FIELDS,
      ...more,
      { name: 'tags', type: 'STRING', array: true },
      { name: 'place', type: 'LOCATION' },
    ];
    expect(await errorOf(CREATE_CLASS, { input: { name, fields, indexes } }, apiKey)).toMatchObject({
      message,
      code: 'UNPROCESSABLE',
    });
    expect(await errorOf(CLASS, { name }, apiKey)).toMatchObject({ message: 'Undefined class' });
  });

  test('a cursor with a value of another type is refused', async () => {
    const name = await createClass([{ fields: ['make', 'price'] }]);
    await create(name, { make: 'a', price: 1 });
    const after = Buffer.from(JSON.stringify(['text', '0'.repeat(24)])).toString('base64url');
    const variables = { className: name, filter: { make: 'a' }, orderBy: { field: 'price', direction: 'ASC' }, after };
    expect(await errorOf(RECORDS, variables, alice)).toMatchObject({
      message: 'Invalid cursor',
      code: 'BAD_USER_INPUT',
    });
  });
});

describe('explainRecords', () => {
  const EXPLAIN = `query ($className: String!, $filter: JSON, $orderBy: RecordOrder, $first: Int) {
    explainRecords(className: $className, filter: $filter, orderBy: $orderBy, first: $first) {
      indexes rowsRead rowsReturned suggestedIndex } }`;
  const FIELDS_WITH_INDEX = FIELDS.map((field) => (field.name === 'price' ? { ...field, index: true } : field));
  const explain = async (variables: Record<string, unknown>) =>
    (await execute(EXPLAIN, variables, apiKey)).explainRecords;

  test('a list that discards most rows names the compound index that would help, and uses it afterwards', async () => {
    const name = await createClass([], FIELDS_WITH_INDEX);
    const { createRecord } = await create(name, {});
    await sql(
      `INSERT INTO records (application_id, id, class_key, user_id, is_open, readers, updaters, deleters, fields,
         created_at, updated_at, n1)
       SELECT r.application_id, substr(r.id, 1, 12) || lpad(to_hex(n), 12, '0'), r.class_key, 0, true, '{*}', '{}', '{}',
         jsonb_build_object('make', CASE WHEN n % 50 = 7 THEN 'rare' ELSE 'common' END, 'price', n), now(), now(), n
       FROM records r, generate_series(1, 5000) n WHERE r.id = $1`,
      [createRecord.id],
    );
    const list = {
      className: name,
      filter: { make: 'rare', price: { gte: 100 } },
      orderBy: { field: 'price', direction: 'DESC' },
      first: 20,
    };
    const before = await explain(list);
    expect(before).toMatchObject({ rowsReturned: 20, suggestedIndex: ['make', 'price'] });
    expect(before.rowsRead).toBeGreaterThan(80);
    await setIndexes(name, [{ fields: before.suggestedIndex }]);
    await until(() => isReady(name));
    expect(await explain(list)).toEqual({
      indexes: ['make,price'],
      rowsRead: 20,
      rowsReturned: 20,
      suggestedIndex: null,
    });
  });

  test('only an API key may explain a list', async () => {
    const name = await createClass([]);
    expect(await errorOf(EXPLAIN, { className: name }, alice)).toMatchObject({ code: 'FORBIDDEN' });
  });

  test('a filter, an order or a length that a list refuses is refused', async () => {
    const name = await createClass([]);
    const refused: [object, string][] = [
      [{ filter: { none: 1 } }, 'Incorrect filter: none'],
      [{ orderBy: { field: 'none', direction: 'ASC' } }, 'Incorrect sort field: none'],
      [{ first: 101 }, 'first should be between 1 and 100'],
    ];
    for (const [variables, message] of refused) {
      expect(await errorOf(EXPLAIN, { className: name, ...variables }, apiKey)).toMatchObject({ message });
    }
  });
});

import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { APPLICATION, useApp } from '../../support/app/app.ts';
import { type Statement, statementsAbout } from '../../support/app/query-plans.ts';
import { ownConnection, sql, statementsOf } from '../../support/app/sql.ts';
import { DIALOG_EVENTS, eventsOf } from '../../support/clients/live.ts';
import { closeSockets, listen, until } from '../../support/clients/websocket.ts';
import { errorOf, execute, type QuickUser, quickUsers } from '../../support/fixtures/chat.ts';
import { sweepNow } from '../../support/fixtures/groups.ts';
import { apiKey, type Caller } from '../../support/fixtures/users.ts';

useApp();

const CREATE = `mutation ($input: CreateDialogInput!) { createDialog(input: $input) { id dataClassName data } }`;
const UPDATE = `mutation ($id: ID!, $input: UpdateDialogInput!) {
  updateDialog(id: $id, input: $input) { id name dataClassName data updatedAt } }`;
const FIND = 'query ($id: ID!) { dialog(id: $id) { dataClassName data } }';
const LIST = `query ($filter: DialogFilter, $dataClassName: String, $orderBy: DialogOrder, $first: Int, $after: String) {
  dialogs(filter: $filter, dataClassName: $dataClassName, orderBy: $orderBy, first: $first, after: $after) {
    totalCount pageInfo { endCursor hasNextPage } edges { node { id name dataClassName data } } } }`;
const CREATE_CLASS = 'mutation ($input: CreateClassInput!) { createClass(input: $input) { id } }';
const UPDATE_CLASS =
  'mutation ($name: String!, $input: UpdateClassInput!) { updateClass(name: $name, input: $input) { id } }';
const DELETE_CLASS = 'mutation ($name: String!) { deleteClass(name: $name) }';

let alice: QuickUser;
let bob: QuickUser;
beforeAll(async () => {
  [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
});
afterEach(() => closeSockets());

let classes = 0;
async function newClass(...fields: object[]): Promise<string> {
  const name = `Class${++classes}`;
  await execute(CREATE_CLASS, { input: { name, fields } }, apiKey);
  return name;
}
const LEVEL = { name: 'level', type: 'INTEGER' };
const MOTTO = { name: 'motto', type: 'STRING' };

async function newDialog(input: object, as: Caller = alice) {
  const given = { type: 'GROUP', name: 'G', occupantIds: [bob.id], ...input };
  return (await execute(CREATE, { input: given }, as)).createDialog;
}
const change = async (id: string, input: object, as: Caller = alice) =>
  (await execute(UPDATE, { id, input }, as)).updateDialog;
const dataOf = async (id: string, as: Caller = alice) => (await execute(FIND, { id }, as)).dialog;

describe('dialog data over GraphQL', () => {
  test('data is created, returned and updated like record fields', async () => {
    const name = await newClass(LEVEL, MOTTO, { name: 'since', type: 'DATE' }, { name: 'home', type: 'LOCATION' });
    const data = { level: '5', since: '2026-11-20T10:00:00.123Z', home: { lat: 1, lon: 2 }, nope: 1 };
    const { id, ...made } = await newDialog({ dataClassName: name, data });
    const shown = { level: 5, motto: null, since: '2026-11-20T10:00:00.123Z', home: [1, 2] };
    expect(made).toEqual({ dataClassName: name, data: shown });
    expect(await dataOf(id, bob)).toEqual({ dataClassName: name, data: shown });
    expect((await change(id, { data: { motto: 'M', home: null } })).data).toEqual({ ...shown, motto: 'M', home: null });
  });

  test('a dialog without data has null for className and data', async () => {
    expect(await newDialog({})).toMatchObject({ dataClassName: null, data: null });
    const { id } = await newDialog({ dataClassName: null, data: null });
    expect(await dataOf(id)).toEqual({ dataClassName: null, data: null });
  });

  test('null input changes nothing', async () => {
    const name = await newClass(LEVEL);
    const { id } = await newDialog({ dataClassName: name, data: { level: 1 } });
    const changed = await change(id, { data: null, dataClassName: null });
    expect(changed).toMatchObject({ dataClassName: name, data: { level: 1 } });
  });

  test.each<[what: string, input: object, refusal: object]>([
    ['an unknown class', { dataClassName: 'Nope' }, { message: 'Undefined class', code: 'FORBIDDEN' }],
    ['a missing class', { data: { level: 1 } }, { message: 'Undefined class', code: 'FORBIDDEN' }],
    [
      'a value that is not an object',
      { dataClassName: 'Known', data: [1] },
      { message: 'data should be an object', code: 'BAD_USER_INPUT' },
    ],
    ['a text', { dataClassName: 'Known', data: 'x' }, { message: 'data should be an object', code: 'BAD_USER_INPUT' }],
    [
      'an invalid value',
      { dataClassName: 'Known', data: { level: 'x' } },
      { message: 'Field level should be an integer', code: 'UNPROCESSABLE' },
    ],
    [
      'a missing value',
      { dataClassName: 'Strict', data: {} },
      { message: 'Field level is required', code: 'UNPROCESSABLE' },
    ],
  ])('dialog data with %s is rejected', async (_what, input, refusal) => {
    const known = { name: 'Known', fields: [LEVEL] };
    for (const one of [known, { name: 'Strict', fields: [{ ...LEVEL, required: true }] }]) {
      await execute(CREATE_CLASS, { input: one }, apiKey).catch(() => {}); // created by the first row
    }
    const given = { type: 'GROUP', name: 'G', occupantIds: [bob.id], ...input };
    expect(await errorOf(CREATE, { input: given }, alice)).toMatchObject(refusal);
    const { id } = await newDialog({});
    expect(await errorOf(UPDATE, { id, input }, alice)).toMatchObject(refusal);
    expect(await dataOf(id)).toEqual({ dataClassName: null, data: null });
  });

  test('filters of data combine with filters of the dialog, also within or and and', async () => {
    const dataClassName = await newClass(LEVEL, MOTTO);
    for (const level of [1, 2, 3]) await newDialog({ name: `n${level}`, dataClassName, data: { level } });
    const orderBy = { field: 'ID', direction: 'ASC' };
    const found = async (filter: object) => {
      const { dialogs } = await execute(LIST, { dataClassName, filter, orderBy }, alice);
      expect(dialogs.totalCount).toBe(dialogs.edges.length);
      return dialogs.edges.map(({ node }: { node: { name: string } }) => node.name);
    };
    expect(await found({ data: { level: { gt: 1 } } })).toEqual(['n2', 'n3']);
    expect(await found({ data: { or: [{ level: 1 }, { level: { gte: 3 } }] } })).toEqual(['n1', 'n3']);
    expect(await found({ or: [{ data: { level: 1 } }, { name: { eq: 'n2' } }] })).toEqual(['n1', 'n2']);
    expect(await found({ and: [{ data: { level: { notIn: [2] } } }, { name: { ne: 'n3' } }] })).toEqual(['n1']);
    const refused = (filter: object, name: string | null = dataClassName) =>
      errorOf(LIST, { dataClassName: name, filter }, alice);
    expect(await refused({ data: { level: 1 } }, null)).toMatchObject({ message: 'Undefined class' });
    expect(await refused({ or: [{ data: { id: { gt: '1' } } }] })).toMatchObject({
      message: 'Incorrect filter: data[id][gt]',
      code: 'UNPROCESSABLE',
    });
    expect(await refused({ data: [1] })).toMatchObject({ message: 'data should be an object', code: 'BAD_USER_INPUT' });
  });
});

describe('subscribers of dialog data', () => {
  const EVENTS = DIALOG_EVENTS.replace('dialog { id', 'dialog { dataClassName data id');

  test('a subscriber receives changed data, also of classes and fields that were created after it subscribed', async () => {
    const { id } = await newDialog({});
    const [ofBob, ofKey] = [await listen(EVENTS, { dialogId: id }, bob), await listen(EVENTS, {}, apiKey)];
    const dataClassName = await newClass(LEVEL);
    await change(id, { dataClassName, data: { level: 1 } });
    for (const one of [ofBob, ofKey]) await until(() => eventsOf(one).length === 1);
    await execute(UPDATE_CLASS, { name: dataClassName, input: { fields: [MOTTO] } }, apiKey);
    await change(id, { data: { motto: 'M' } });
    for (const one of [ofBob, ofKey]) {
      await until(() => eventsOf(one).length === 2);
      expect(eventsOf(one).map(({ __typename, dialog }) => [__typename, dialog.dataClassName, dialog.data])).toEqual([
        ['DialogChanged', dataClassName, { level: 1 }],
        ['DialogChanged', dataClassName, { level: 1, motto: 'M' }],
      ]);
    }
  });
});

describe('deleting a class with dialog data', () => {
  test('deleting a class removes the data immediately, and a new class of the same name does not restore it', async () => {
    const dataClassName = await newClass(LEVEL);
    const { id } = await newDialog({ dataClassName, data: { level: 1 } });
    const other = await newClass(LEVEL);
    const { id: otherId } = await newDialog({ dataClassName: other, data: { level: 7 } });
    await execute(DELETE_CLASS, { name: dataClassName }, apiKey);
    const gone = { dataClassName: null, data: null };
    expect(await dataOf(id)).toEqual(gone);
    expect(await errorOf(UPDATE, { id, input: { data: { level: 2 } } }, alice)).toMatchObject({
      message: 'Undefined class',
    });
    expect(await errorOf(LIST, { dataClassName }, alice)).toMatchObject({ message: 'Undefined class' });
    await execute(CREATE_CLASS, { input: { name: dataClassName, fields: [LEVEL] } }, apiKey);
    expect(await dataOf(id)).toEqual(gone);
    expect((await execute(LIST, { dataClassName }, alice)).dialogs.totalCount).toBe(0);
    await sweepNow();
    const rows = await sql('SELECT data, data_class_key FROM dialogs WHERE id = $1', [id]);
    expect(rows).toEqual([{ data: null, data_class_key: null }]);
    expect(await sql('SELECT FROM deleted_classes')).toEqual([]);
    expect((await change(id, { dataClassName, data: { level: 3 } })).data).toEqual({ level: 3 });
    expect(await dataOf(otherId)).toEqual({ dataClassName: other, data: { level: 7 } });
  });

  test('deleting a class concurrently with writes leaves no data', async () => {
    const dataClassName = await newClass(LEVEL);
    const dialogs = await Promise.all([1, 2, 3, 4].map((level) => newDialog({ dataClassName, data: { level } })));
    const outcomes = await Promise.allSettled([
      ...dialogs.map(({ id }) => change(id, { dataClassName, data: { level: 9 } })),
      execute(DELETE_CLASS, { name: dataClassName }, apiKey),
      ...dialogs.map(() => newDialog({ dataClassName, data: { level: 9 } })),
    ]);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(String(outcome.reason)).toContain('Undefined class');
    }
    await sweepNow();
    const left = await sql(
      `SELECT FROM dialogs d WHERE data_class_key IS NOT NULL AND NOT EXISTS (
        SELECT FROM record_classes c WHERE c.key = d.data_class_key)`,
    );
    expect(left).toEqual([]);
  });
});

describe('dialog data while its class changes', () => {
  test('concurrent changes of data and class all take effect without wrongly typed or lost values', async () => {
    const dataClassName = await newClass(LEVEL);
    const { id } = await newDialog({ dataClassName, data: { level: 0 } });
    const names = Array.from({ length: 12 }, (_, nth) => `f${nth}`);
    await Promise.all(
      names.map(async (name) => {
        await execute(UPDATE_CLASS, { name: dataClassName, input: { fields: [{ name, type: 'INTEGER' }] } }, apiKey);
        await change(id, { data: { [name]: '1' } });
      }),
    );
    expect((await dataOf(id)).data).toEqual({ level: 0, ...Object.fromEntries(names.map((name) => [name, 1])) });
  });

  test('a private dialog is created only once', async () => {
    const dataClassName = await newClass(LEVEL);
    const [carol] = (await quickUsers(1)) as [QuickUser];
    const made = await Promise.all([
      ...[1, 2, 3].map((level) =>
        newDialog({ type: 'PRIVATE', name: null, occupantIds: [carol.id], dataClassName, data: { level } }),
      ),
      execute(UPDATE_CLASS, { name: dataClassName, input: { fields: [MOTTO] } }, apiKey),
    ]);
    const dialogs = made.slice(0, 3);
    expect(new Set(dialogs.map(({ id }) => id)).size).toBe(1);
    expect([1, 2, 3]).toContain(dialogs[0].data.level);
  });
});

describe('cost of dialog lists with data', () => {
  test('a list runs the same number of statements for many dialogs with data as for one', async () => {
    const [dave] = (await quickUsers(1)) as [QuickUser];
    const dataClassName = await newClass(LEVEL);
    for (let level = 0; level < 12; level++) await newDialog({ dataClassName, data: { level } }, dave);
    const cost = async (first: number) => {
      const sent = await statementsOf(async () => {
        expect((await execute(LIST, { dataClassName, first }, dave)).dialogs.edges).toHaveLength(first);
      });
      return sent.length;
    };
    expect(await cost(12)).toBe(await cost(1));
  });

  test('a filter by class or value uses an index', async () => {
    const dataClassName = await newClass(LEVEL);
    const { id } = await newDialog({ dataClassName, data: { level: 7 } });
    await sql(
      `INSERT INTO dialogs (application_id, id, type, user_id, name, data_class_key, data, created_at, updated_at)
       SELECT $1, md5(n::text), 2, 1, 'x', CASE WHEN n % 2 = 0 THEN d.data_class_key + n % 50 END,
         CASE WHEN n % 2 = 0 THEN jsonb_build_object('level', 100 + n) END, now(), now()
       FROM generate_series(1, 20000) n, dialogs d WHERE d.id = $2`,
      [APPLICATION.id, id],
    );
    await sql('VACUUM ANALYZE dialogs');
    const filter = { data: { level: 7 } };
    const statements = await statementsAbout(/data_class_key = /, async () => {
      const { dialogs } = await execute(LIST, { dataClassName, filter }, apiKey);
      expect(dialogs.edges.map(({ node }: { node: { id: string } }) => node.id)).toEqual([id]);
    });
    expect(statements).toHaveLength(1);
    // The page and the count.
    expect((await planOf(statements[0]!)).match(/dialogs_data_idx/g)).toHaveLength(2);
  });
});

async function planOf({ text, values }: Statement): Promise<string> {
  const client = await ownConnection();
  try {
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values as unknown[]);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  } finally {
    await client.end();
  }
}

import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { APPLICATION, running, useApp } from '../../support/app/app.ts';
import { expectConsistentRecords } from '../../support/app/record-integrity.ts';
import { createDataDir, type Service, startService } from '../../support/app/service.ts';
import { ownConnection, sql } from '../../support/app/sql.ts';
import { until } from '../../support/clients/websocket.ts';
import { errorOf, execute, type QuickUser, quickUsers } from '../../support/fixtures/chat.ts';
import { sweepNow } from '../../support/fixtures/groups.ts';
import { apiKey } from '../../support/fixtures/users.ts';

useApp();

const CREATE_CLASS = 'mutation ($input: CreateClassInput!) { createClass(input: $input) { id } }';
const UPDATE_CLASS = `mutation ($name: String!, $input: UpdateClassInput!) {
  updateClass(name: $name, input: $input) { fields { name index } } }`;
const DELETE_CLASS = 'mutation ($name: String!) { deleteClass(name: $name) }';
const CLASS = 'query ($name: String!) { class(name: $name) { fields { name index } } }';
const CREATE = 'mutation ($input: CreateRecordInput!) { createRecord(input: $input) { id } }';
const RECORDS = `query ($className: String!, $filter: JSON, $orderBy: RecordOrder) {
  records(className: $className, filter: $filter, orderBy: $orderBy, first: 3) { totalCount edges { node { fields } } } }`;

const RANK = { name: 'rank', type: 'INTEGER' };

let alice: QuickUser;
beforeAll(async () => {
  [alice] = (await quickUsers(1)) as [QuickUser];
});

let classes = 0;
/** A class with the given number of records, stored before it had an index; the rank is their number. */
async function classWith(records: number, ...fields: object[]): Promise<string> {
  const name = `Indexed${++classes}`;
  await execute(CREATE_CLASS, { input: { name, fields: [RANK, ...fields] } }, apiKey);
  await execute(CREATE, { input: { className: name, fields: {} } }, apiKey); // the class has open records
  await sql(
    `INSERT INTO records (application_id, id, class_key, user_id, is_open, readers, updaters, deleters, fields,
       created_at, updated_at)
     SELECT c.application_id, lpad(to_hex(c.key), 8, '0') || lpad(to_hex(n), 16, '0'), c.key, 0, true, '{*}', '{}', '{}',
       jsonb_build_object('rank', n), now(), now()
     FROM record_classes c, generate_series(1, $2) n WHERE c.name = $1`,
    [name, records],
  );
  return name;
}

const setIndex = (name: string, index: boolean, field: object = RANK) =>
  execute(UPDATE_CLASS, { name, input: { fields: [{ ...field, index }] } }, apiKey);

async function stateOf(name: string, field = 'rank'): Promise<string> {
  const { fields } = (await execute(CLASS, { name }, apiKey)).class;
  return fields.find((one: { name: string }) => one.name === field).index;
}

const countSlots = async (name: string) => {
  const [row] = await sql<{ filled: number; all: number }>(
    `SELECT count(*) FILTER (WHERE r.n1 IS NOT NULL)::int AS filled, count(*)::int AS all
     FROM records r JOIN record_classes c ON c.key = r.class_key WHERE c.name = $1`,
    [name],
  );
  return row!;
};

async function expectAnswers(className: string, ranks: number): Promise<void> {
  const ask3 = async (filter: object, direction: string) => {
    const { records } = await execute(RECORDS, { className, filter, orderBy: { field: 'rank', direction } }, alice);
    return [records.totalCount, ...records.edges.map(({ node }: { node: { fields: object } }) => node.fields)];
  };
  const shown = (...found: (number | null)[]) => found.map((rank) => expect.objectContaining({ rank }));
  expect(await ask3({ rank: { gt: ranks - 2 } }, 'ASC')).toEqual([2, ...shown(ranks - 1, ranks)]);
  expect(await ask3({ rank: { lte: ranks } }, 'DESC')).toEqual([ranks, ...shown(ranks, ranks - 1, ranks - 2)]);
  expect(await ask3({ rank: { in: [1, 2] } }, 'DESC')).toEqual([2, ...shown(2, 1)]);
}

/** Runs the action while a record of the class is locked, so that building the index waits. */
async function whileRecordIsHeld<Result>(name: string, nth: number, act: () => Promise<Result>): Promise<Result> {
  const holder = await ownConnection();
  try {
    await holder.query('BEGIN');
    await holder.query(
      `SELECT FROM records r JOIN record_classes c ON c.key = r.class_key
       WHERE c.name = $1 AND (r.fields ->> 'rank')::int = $2 FOR UPDATE OF r`,
      [name, nth],
    );
    return await act();
  } finally {
    await holder.query('ROLLBACK');
    await holder.end();
  }
}

const isBuilderWaiting = async () => {
  const waiting = await sql(
    `SELECT FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%"isLeft"%'`,
  );
  return waiting.length > 0;
};

const isBuilderAtWork = async () => {
  const atWork = await sql(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'
       AND query LIKE '%"isLeft"%'`,
  );
  return atWork.length > 0;
};

describe('record indexes', () => {
  test('an index of an empty class is ready immediately', async () => {
    const name = `Indexed${++classes}`;
    await execute(CREATE_CLASS, { input: { name, fields: [{ ...RANK, index: true }] } }, apiKey);
    expect(await stateOf(name)).toBe('READY');
  });

  test('adding, removing and adding an index on existing records does not change query results', async () => {
    const name = await classWith(5_000);
    await expectAnswers(name, 5_000);
    for (const index of [true, false, true]) {
      await setIndex(name, index);
      await expectAnswers(name, 5_000);
      await until(async () => (await stateOf(name)) === (index ? 'READY' : 'NONE'));
      await expectAnswers(name, 5_000);
      expect(await countSlots(name)).toEqual({ filled: index ? 5_001 : 0, all: 5_001 });
    }
    await expectConsistentRecords();
  });

  test('an index is not used while it is built, and new records fill it themselves', async () => {
    const name = await classWith(4_500);
    await whileRecordIsHeld(name, 4_400, async () => {
      await setIndex(name, true);
      await until(isBuilderWaiting);
      expect(await stateOf(name)).toBe('BUILDING');
      expect((await countSlots(name)).filled).toBeGreaterThan(0);
      await expectAnswers(name, 4_500);
      await execute(CREATE, { input: { className: name, fields: { rank: 4_501 } } }, alice);
      await expectAnswers(name, 4_501);
    });
    await until(async () => (await stateOf(name)) === 'READY');
    await expectAnswers(name, 4_501);
    await expectConsistentRecords();
  });

  test('an index that is removed while it is built ends up empty', async () => {
    const name = await classWith(4_500);
    await whileRecordIsHeld(name, 4_400, async () => {
      await setIndex(name, true);
      await until(isBuilderWaiting);
      const givenUp = setIndex(name, false);
      givenUp.catch(() => {});
      return { givenUp };
    }).then(({ givenUp }) => givenUp);
    await until(async () => (await stateOf(name)) === 'NONE');
    await sweepNow();
    expect((await countSlots(name)).filled).toBe(0);
    await expectAnswers(name, 4_500);
    await expectConsistentRecords();
  });

  test('deleting a class while its index is built deletes the index', async () => {
    const name = await classWith(4_500);
    await whileRecordIsHeld(name, 4_400, async () => {
      await setIndex(name, true);
      await until(isBuilderWaiting);
      const deleted = execute(DELETE_CLASS, { name }, apiKey);
      deleted.catch(() => {});
      return { deleted };
    }).then(({ deleted }) => deleted);
    await expectConsistentRecords();
    expect((await countSlots(name)).all).toBe(0);
  });

  test('an index on texts that are too long is rejected', async () => {
    const note = { name: 'note', type: 'STRING' };
    const name = await classWith(1, note);
    await execute(CREATE, { input: { className: name, fields: { note: 'x'.repeat(1_001) } } }, alice);
    const input = { fields: [{ ...note, index: true }] };
    expect(await errorOf(UPDATE_CLASS, { name, input }, apiKey)).toMatchObject({
      message: 'Field note is too long (maximum is 1000 bytes)',
      code: 'UNPROCESSABLE',
    });
    expect(await stateOf(name, 'note')).toBe('NONE');
  });
});

describe('index builds of a killed process', () => {
  let other: Service | undefined;
  let remove: (() => Promise<void>) | undefined;
  afterEach(async () => {
    await other?.kill();
    await remove?.();
  });

  test('the sweep of another process finishes a partial index', async () => {
    const name = await classWith(7_000);
    const folder = await createDataDir();
    remove = folder.remove;
    other = await startService(folder.dataDir, { DATABASE_URL: running.database.config.connectionString! });
    await whileRecordIsHeld(name, 4_400, async () => {
      const response = await fetch(`${other!.url}/graphql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...apiKey.headers },
        body: JSON.stringify({
          query: UPDATE_CLASS,
          variables: { name, input: { fields: [{ ...RANK, index: true }] } },
        }),
      });
      expect(((await response.json()) as { errors?: unknown }).errors).toBeUndefined();
      await until(isBuilderWaiting);
      await other!.kill();
      expect(await stateOf(name)).toBe('BUILDING');
    });
    // The waiting statement may still complete, but no process starts the next one.
    await until(async () => !(await isBuilderAtWork()));
    const { filled } = await countSlots(name);
    expect(filled).toBeGreaterThan(0);
    expect(filled).toBeLessThan(7_000);
    await expectAnswers(name, 7_000);
    await sweepNow();
    expect(await stateOf(name)).toBe('READY');
    await expectAnswers(name, 7_000);
    await expectConsistentRecords();
  });
});

test('every indexable type fills its slots, and a ninth index of one kind is rejected', async () => {
  const KINDS = { i: 'INTEGER', f: 'FLOAT', s: 'STRING', b: 'BOOLEAN', d: 'DATE', l: 'LOCATION' };
  const fields = Object.entries(KINDS).map(([name, type]) => ({ name, type }));
  const values = { i: -7, f: 1.5e300, s: 'é"\\', b: true, d: '2026-11-20T10:00:00.123Z', l: '-12.5,179.25' };
  const name = await classWith(0, ...fields);
  await execute(CREATE, { input: { className: name, fields: values } }, alice);
  const indexed = fields.map((field) => ({ ...field, index: true }));
  await execute(UPDATE_CLASS, { name, input: { fields: indexed } }, apiKey);
  await sweepNow();
  await execute(CREATE, { input: { className: name, fields: values } }, alice);
  await expectConsistentRecords();
  const slots = await sql(
    `SELECT n1, n2, n3, n4, t1, p1::text FROM records r JOIN record_classes c ON c.key = r.class_key AND c.name = $1
     WHERE r.fields <> '{}' AND r.application_id = $2`,
    [name, APPLICATION.id],
  );
  expect(slots).toHaveLength(2);
  expect(slots[0]).toEqual(slots[1]);
  const more = Array.from({ length: 5 }, (_, nth) => ({ name: `more${nth}`, type: 'INTEGER', index: true }));
  expect(await errorOf(UPDATE_CLASS, { name, input: { fields: more } }, apiKey)).toMatchObject({
    message: 'Too many indexed fields (maximum is 8 numbers, dates and booleans, 8 strings and 2 locations)',
  });
  await execute(UPDATE_CLASS, { name, input: { fields: more.slice(1) } }, apiKey);
});

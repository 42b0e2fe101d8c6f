import { beforeAll, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { ownConnection, sql } from '../../support/app/sql.ts';
import { rest } from '../../support/clients/rest.ts';
import { type QuickUser, quickUsers } from '../../support/fixtures/chat.ts';
import { defineClass } from '../../support/fixtures/typed-classes.ts';

useApp();

const COUNT = 1_150;
const LARGEST = Number.MAX_SAFE_INTEGER;

let alice: QuickUser;
beforeAll(async () => {
  [alice] = (await quickUsers(1)) as [QuickUser];
  await defineClass('rows', { n: 'Integer', code: 'String' });
  const record = Array.from({ length: 50 }, () => ({ n: 1 }));
  for (let stored = 0; stored < COUNT; stored += record.length) {
    const { status } = await rest('POST', '/data/rows/multi', { as: alice, json: { record } });
    expect(status).toBe(201);
  }
});

const idsInOrder = async () => (await sql<{ id: string }>('SELECT id FROM records ORDER BY id')).map(({ id }) => id);

async function events(kind: string): Promise<number> {
  const [row] = await sql<{ count: number }>('SELECT count(*)::int AS count FROM events_outbox WHERE kind = $1', [
    kind,
  ]);
  return row!.count;
}

const update = (json: object) => rest('PUT', '/data/rows/by_criteria', { as: alice, json });

test('an update over several batches changes each match once and returns a page across batches', async () => {
  const ids = await idsInOrder();
  const { status, body } = await update({ search_criteria: { n: { gte: 1 } }, inc: { n: 1 }, skip: 495, limit: 10 });
  expect([status, body.total_found]).toEqual([200, COUNT]);
  expect(body.items.map(({ _id, n }: { _id: string; n: number }) => [_id, n])).toEqual(
    ids.slice(495, 505).map((id) => [id, 2]),
  );
  expect(await sql(`SELECT DISTINCT fields ->> 'n' AS n FROM records`)).toEqual([{ n: '2' }]);
  expect(await events('recordUpdated')).toBe(COUNT);
});

test('when a batch fails, the earlier batches remain changed and published, and the error states their number', async () => {
  const before = await events('recordUpdated');
  const last = (await idsInOrder()).at(-1)!;
  expect((await rest('PUT', `/data/rows/${last}`, { as: alice, json: { n: LARGEST } })).status).toBe(200);
  const { status, body } = await update({ search_criteria: { n: { gte: 2 } }, inc: { n: 1 } });
  expect(status).toBe(422);
  expect(body.errors).toEqual(['Field n should be an integer', 'Records that were changed before the failure: 1000']);
  expect(
    await sql(`SELECT fields ->> 'n' AS n, count(*)::int AS count FROM records GROUP BY 1 ORDER BY 2 DESC`),
  ).toEqual([
    { n: '3', count: 1_000 },
    { n: '2', count: COUNT - 1_001 },
    { n: String(LARGEST), count: 1 },
  ]);
  expect((await events('recordUpdated')) - before).toBe(1_001);
});

test('concurrent updates of one caller are all applied', async () => {
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => update({ search_criteria: { n: { lt: 100 } }, inc: { n: 10 } })),
  );
  expect(answers.map(({ status, body }) => [status, body.total_found])).toEqual(Array(4).fill([200, COUNT - 1]));
  const numbers = await sql<{ n: string }>(`SELECT DISTINCT fields ->> 'n' AS n FROM records ORDER BY 1`);
  expect(numbers.map(({ n }) => Number(n))).toEqual([42, 43, LARGEST]);
});

test('a statement that waits too long for a lock fails as unavailable, not as an internal error', async () => {
  const holder = await ownConnection();
  await holder.query('BEGIN; SELECT FROM records FOR UPDATE');
  const { status, body } = await update({ search_criteria: { n: { gte: 0 } }, inc: { n: 1 } });
  await holder.end();
  expect([status, body]).toEqual([503, { errors: ['Service unavailable'] }]);
});

test('a deletion by criteria covers all batches', async () => {
  const { status, body } = await rest('DELETE', '/data/rows/by_criteria', { as: alice, form: 'n[gte]=0' });
  expect([status, body]).toEqual([200, { total_deleted: COUNT }]);
  expect(await idsInOrder()).toEqual([]);
  expect(await events('recordDeleted')).toBe(COUNT);
});

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import pg from 'pg';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { coalesce } from '../../../src/db/coalesce.ts';
import { lanes } from '../../../src/db/lanes.ts';
import { allShards } from '../../../src/db/shards.ts';
import { APPLICATION, running, useApp } from '../../support/app/app.ts';
import { sql } from '../../support/app/sql.ts';
import { until } from '../../support/app/until.ts';
import { graphql, socketClient } from '../../support/clients/graphql.ts';
import { rest } from '../../support/clients/rest.ts';
import { insertSession, insertUser } from '../../support/fixtures/callers.ts';
import { execute } from '../../support/fixtures/chat.ts';
import { defineClass } from '../../support/fixtures/typed-classes.ts';
import type { Caller } from '../../support/fixtures/users.ts';

useApp();

const MIB = 1024 * 1024;
/** 24 records of 250 kB: 6 MB. */
const COUNT = 24;
const WORDS = Array(50_000).fill('ab');

let mallory: Caller;
let malloryId: number;
let bob: Caller;
beforeAll(async () => {
  await defineClass('Wordy', { words: '[String]', title: 'String', n: 'Integer' });
  await defineClass('Small', { title: 'String' });
  malloryId = await insertUser();
  mallory = await insertSession(malloryId);
  bob = await insertSession(await insertUser());
  expect((await rest('POST', '/data/Small', { as: bob, json: { title: 'small' } })).status).toBe(201);
});

let ids: string[];
beforeEach(async () => {
  await sql(`DELETE FROM records WHERE class_key = (SELECT key FROM record_classes WHERE name = 'Wordy')`);
  const json = { title: 'large', n: 0 };
  const { body } = await rest('POST', '/data/Wordy', { as: mallory, json });
  await sql(
    `UPDATE records SET fields = fields || jsonb_build_object('words',
       (SELECT jsonb_agg('ab'::text) FROM generate_series(1, $2::int))) WHERE id = $1`,
    [body._id, WORDS.length],
  );
  await sql(
    `INSERT INTO records SELECT (jsonb_populate_record(r, jsonb_build_object('id', lpad(n::text, 24, '0')))).*
     FROM records r, generate_series(1, $2::int) n WHERE r.id = $1`,
    [body._id, COUNT - 1],
  );
  ids = (await sql<{ id: string }>(`SELECT id FROM records WHERE fields ? 'words' ORDER BY id`)).map(({ id }) => id);
  expect(ids).toHaveLength(COUNT);
});

/** Occupies a turn of Mallory's large reads until it is released. */
function holdTurn(): () => void {
  let release = () => {};
  const run = () =>
    new Promise<void>((resolve) => {
      release = resolve;
    });
  void lanes.largeReads.run(run, [`application:${APPLICATION.id}`, `user:${malloryId}`]);
  onTestFinished(() => release());
  return () => release();
}

interface Sent {
  text: string;
  bytes: number;
  /** Event loop turns since the previous statement on the same connection completed. */
  turns: number;
}

async function watch(action: () => Promise<unknown>): Promise<Sent[]> {
  const sent: Sent[] = [];
  const answeredAt = new WeakMap<pg.Client, number>();
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  count();
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function spied(this: pg.Client, ...args: unknown[]) {
    const { text = '', values = [] } = args[0] as { text?: string; values?: unknown[] };
    const bytes = Math.max(0, ...values.map((value) => (typeof value === 'string' ? value.length : 0)));
    sent.push({ text, bytes, turns: turns - (answeredAt.get(this) ?? turns) });
    const result = (query as (...all: unknown[]) => unknown).apply(this, args);
    if (result instanceof Promise) result.finally(() => answeredAt.set(this, turns)).catch(() => {});
    return result;
  } as typeof query;
  try {
    await action();
  } finally {
    pg.Client.prototype.query = query;
    isDone = true;
  }
  return sent;
}

async function received(action: () => Promise<unknown>): Promise<number> {
  const clients = () =>
    (allShards()[0]!.pool as unknown as { _clients: { connection: { stream: { bytesRead: number } } }[] })._clients.map(
      ({ connection }) => connection.stream,
    );
  const before = new Map(clients().map((stream) => [stream, stream.bytesRead]));
  await action();
  return clients().reduce((sum, stream) => sum + stream.bytesRead - (before.get(stream) ?? 0), 0);
}

const UPDATE = `mutation ($input: UpdateRecordInput!) {
  updateRecordsByCriteria(className: "Wordy", criteria: { n: { gte: 0 } }, limit: 100, skip: 0, input: $input) {
    totalFound } }`;

const updates = (sent: Sent[]) => sent.filter(({ text }) => text.includes('UPDATE records'));

const stored = () =>
  sql<{ n: number; words: number; count: number }>(
    `SELECT (fields ->> 'n')::int AS n, jsonb_array_length(fields -> 'words') AS words, count(*)::int AS count
     FROM records WHERE fields ? 'words' GROUP BY 1, 2`,
  );

describe('#51 large records', () => {
  test.each<[string, object, number]>([
    ['a value', { fields: { title: 'other' } }, 50_000],
    ['items to add', { addToSet: { words: [...WORDS.slice(1), 'cd'] } }, 50_001],
    ['items to remove', { pullAll: { words: Array.from({ length: 40_000 }, (_, n) => `x${n}`) } }, 50_000],
  ])('an update by criteria is split into steps of bounded size: %s', async (_name, input, words) => {
    let answer: unknown;
    const sent = updates(
      await watch(async () => {
        answer = await execute(UPDATE, { input: { ...input, inc: { n: 1 } } }, mallory);
      }),
    );
    expect(answer).toEqual({ updateRecordsByCriteria: { totalFound: COUNT } });
    expect(await stored()).toEqual([{ n: 1, words, count: COUNT }]);
    expect(sent.length).toBeGreaterThanOrEqual(2);
    for (const { bytes } of sent) expect(bytes).toBeLessThan(4.5 * MIB);
  });

  test('an update by criteria yields to the event loop between records', async () => {
    const sent = updates(await watch(() => execute(UPDATE, { input: { addToSet: { words: ['cd'] } } }, mallory)));
    expect(sent[0]!.turns).toBeGreaterThanOrEqual(5);
  });

  test('records that become large through the update count with their new size', async () => {
    await sql(`UPDATE records SET fields = fields || '{"words": []}' WHERE fields ? 'words'`);
    const sent = updates(await watch(() => execute(UPDATE, { input: { fields: { words: WORDS } } }, mallory)));
    expect(sent.length).toBeGreaterThanOrEqual(2);
    for (const { bytes } of sent) expect(bytes).toBeLessThan(4.5 * MIB);
    expect(await stored()).toEqual([{ n: 0, words: WORDS.length, count: COUNT }]);
  });

  test('a deletion by criteria is split into several statements', async () => {
    let answer: unknown;
    const sent = await watch(async () => {
      answer = (await rest('DELETE', '/data/Wordy/by_criteria', { as: mallory, form: 'n[gte]=0' })).body;
    });
    expect(answer).toEqual({ total_deleted: COUNT });
    expect(sent.filter(({ text }) => text.includes('DELETE FROM records')).length).toBeGreaterThanOrEqual(2);
  });

  const UPDATE_MANY = `mutation ($records: [ChangedRecordInput!]!) {
    updateRecords(className: "Wordy", records: $records) { records { id fields } notFoundIds } }`;

  test('an update of several records is split into several statements and remains atomic', async () => {
    const records = ids.map((id) => ({ id, changes: { inc: { n: 1 }, push: { words: 'cd' } } }));
    const refused = [...records, { id: ids[0]!, changes: { fields: { words: [...WORDS, ...WORDS] } } }];
    expect((await graphql(UPDATE_MANY, { records: refused }, mallory)).errors).toMatchObject([
      { message: 'Record is too large (maximum is 262144 bytes)' },
    ]);
    expect(await stored()).toEqual([{ n: 0, words: 50_000, count: COUNT }]);
    let answer: { updateRecords: { records: { id: string; fields: { n: number; words: string[] } }[] } } | undefined;
    const sent = updates(
      await watch(async () => {
        answer = await execute(UPDATE_MANY, { records }, mallory);
      }),
    );
    expect(answer!.updateRecords.records.map(({ id, fields }) => [id, fields.n, fields.words.length])).toEqual(
      ids.map((id) => [id, 1, 50_001]),
    );
    expect(await stored()).toEqual([{ n: 1, words: 50_001, count: COUNT }]);
    expect(sent.length).toBeGreaterThanOrEqual(2);
    for (const { bytes } of sent) expect(bytes).toBeLessThan(4.5 * MIB);
  });

  test('coalesce limits the total size of a batch', async () => {
    const batches: number[][] = [];
    const store = coalesce(
      async (sizes: number[]) => {
        batches.push(sizes);
        return sizes;
      },
      { maxBytes: 10, bytesOf: (size) => size },
    );
    await Promise.all([4, 4, 4, 20, 1, 9, 1].map(store));
    expect(batches).toEqual([[4, 4], [4], [20], [1, 9], [1]]);
  });

  const LISTS: [string, (as: Caller) => Promise<unknown>][] = [
    ['records', (as) => execute('{ records(className: "Wordy", first: 100) { edges { node { id } } } }', {}, as)],
    ['a typed list', (as) => execute('{ wordies(first: 100) { id owner { login } } }', {}, as)],
    ['one field', (as) => execute('{ wordies(first: 100) { title } }', {}, as)],
    [
      'records by id',
      (as) => execute(`{ recordsById(className: "Wordy", ids: ${JSON.stringify(ids)}) { records { id } } }`, {}, as),
    ],
    [
      'a page',
      (as) => execute('{ recordPage(className: "Wordy") { items { id permissions { read { access } } } } }', {}, as),
    ],
    ['one record', (as) => execute(`{ record(className: "Wordy", id: "${ids[0]}") { id } }`, {}, as)],
  ];

  test.each(LISTS)('large fields are not read unless they are requested: %s', async (_name, list) => {
    await list(mallory);
    expect(await received(() => list(mallory))).toBeLessThan(MIB);
  });

  test('requested large fields are identical in every operation and on every transport', async () => {
    const fields = { words: WORDS, title: 'large', n: 0 };
    const { record } = await execute(`{ record(className: "Wordy", id: "${ids[0]}") { fields } }`, {}, mallory);
    expect(record).toEqual({ fields });
    // Not `rest`: validating such a large response against the OpenAPI document takes long.
    const response = await fetch(`${running.url}/data/Wordy.json?limit=100`, { headers: mallory.headers });
    const { items } = (await response.json()) as { items: { _id: string; words: string[]; n: number }[] };
    expect(items.map(({ _id, words, n }) => [_id, words.length, n])).toEqual(ids.map((id) => [id, WORDS.length, 0]));
    const [first] = (await execute('{ wordies(first: 3) { words title n } }', {}, mallory)).wordies;
    expect(first).toEqual(fields);
    const several = await rest('GET', `/data/Wordy/${ids[1]},${ids[0]}`, { as: mallory });
    expect(several.body.items.map(({ words }: { words: string[] }) => words.length)).toEqual([50_000, 50_000]);
    const client = socketClient(mallory);
    const query = '{ records(className: "Wordy", first: 2) { edges { node { fields } } } }';
    for await (const { data } of client.iterate({ query })) {
      expect(data).toEqual({ records: { edges: [{ node: { fields } }, { node: { fields } }] } });
    }
    await client.dispose();
  });

  test('reads of large records take turns per caller, and other lists do not wait', async () => {
    const release = holdTurn();
    const list = '{ wordies(first: 10) { words } }';
    const answered: string[] = [];
    const calls = Array.from({ length: 3 }, async () => {
      await execute(list, {}, mallory);
      answered.push('mallory');
    });
    await until(() => lanes.largeReads.load.waiting === 3 || answered.length > 0);
    expect(answered).toEqual([]);
    await execute('{ smalls(first: 100) { title } }', {}, mallory);
    await execute('{ wordies(first: 100) { id } }', {}, mallory);
    await execute(list, {}, bob);
    expect([answered, lanes.largeReads.load]).toEqual([[], { running: 1, waiting: 3 }]);
    release();
    await Promise.all(calls);
    expect(answered).toHaveLength(3);
  });

  test('the service stops reading once the response exceeds its limit', async () => {
    const lists = Array.from({ length: 6 }, (_, nth) => `a${nth}: wordies(first: 100) { words }`).join(' ');
    await execute('{ wordies(first: 1) { id } }', {}, mallory);
    let answer: { errors?: { message: string }[] } = {};
    const bytes = await received(async () => {
      answer = await graphql(`{ ${lists} }`, {}, mallory);
    });
    expect(answer.errors).toMatchObject([{ message: `The response is larger than ${16 * MIB} bytes` }]);
    expect(bytes).toBeLessThan(22 * MIB);
  });

  test('the service reads nothing for a caller who disconnected while waiting', async () => {
    const release = holdTurn();
    const leaving = new AbortController();
    const closed = new Promise<void>((resolve) => {
      const started = (message: unknown) => {
        unsubscribe('http.server.request.start', started);
        (message as { response: ServerResponse }).response.once('close', resolve);
      };
      subscribe('http.server.request.start', started);
    });
    const call = fetch(`${running.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...mallory.headers },
      body: JSON.stringify({ query: '{ wordies(first: 100) { words } }' }),
      signal: leaving.signal,
    }).catch(() => {});
    await until(() => lanes.largeReads.load.waiting === 1);
    leaving.abort();
    await call;
    await closed;
    const bytes = await received(async () => {
      release();
      await until(() => lanes.largeReads.load.running + lanes.largeReads.load.waiting === 0);
    });
    expect(bytes).toBeLessThan(MIB);
  });
});

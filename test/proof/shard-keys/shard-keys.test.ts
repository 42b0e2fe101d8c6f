import { AsyncResource } from 'node:async_hooks';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase, db } from '../../../src/db/client.ts';
import { createPool } from '../../../src/db/pool.ts';
import { findBlobByUid } from '../../../src/resolvers/blobs/rows.ts';
import { newUid } from '../../../src/resolvers/blobs/uids.ts';
import { type OwnDatabase, startOwnDatabase } from '../../support/app/postgres-server.ts';
import { EXCEPTIONS } from './exceptions.ts';
import { judge } from './judge.ts';
import { sent } from './sent-statements.ts';
import { unplacedTables } from './statement.ts';
import { shardKeys } from './tables.ts';

let database: OwnDatabase;
let pool: pg.Pool;
let askAsService: (sql: string) => Promise<unknown>;
let findBlobAsService: typeof findBlobByUid;
beforeAll(async () => {
  database = await startOwnDatabase();
  pool = createPool({ ...database.config, max: 1 });
  askAsService = AsyncResource.bind((text: string) => pool.query({ text }));
  await connectDatabase(database.config);
  findBlobAsService = AsyncResource.bind(findBlobByUid);
});
afterAll(async () => {
  await db.$disconnect();
  await pool.end();
  await database.drop();
});

test('a statement belongs to the caller that sends it, not to the one that released the connection', async () => {
  const askAsTest = (text: string) => pool.query({ text });
  await Promise.all(
    Array.from({ length: 5 }, (_, nth) => [
      askAsTest(`SELECT ${nth} AS "of the test"`),
      askAsService(`SELECT ${nth} AS "of the service"`),
    ]).flat(),
  );
  expect([...sent].filter((text) => text.includes('"of the'))).toEqual(
    Array.from({ length: 5 }, (_, nth) => `SELECT ${nth} AS "of the service"`),
  );
});

test('simultaneous look-ups of files of two applications are two statements', async () => {
  const before = new Set(sent);
  await Promise.all([newUid(1), newUid(2)].map((uid) => findBlobAsService(uid)));
  const statements = [...sent].filter((text) => !before.has(text));
  expect(statements).toEqual([expect.stringContaining('"public"."blobs"')]);
  expect(judge(statements).faults).toEqual([]);
});

test.each([
  ['by a parameter', 'SELECT 1 FROM users WHERE application_id = $1 AND id = $2'],
  ['by a parameter with a cast', 'SELECT 1 FROM users u WHERE u.application_id = $1::int'],
  ['by a pair of parameters', 'SELECT 1 FROM users WHERE (application_id, id) = ($1, $2)'],
  [
    'beside a list of ids',
    'SELECT 1 FROM unnest($1::int[]) WITH ORDINALITY AS w (id, ord) JOIN users u ON u.application_id = $2 AND u.id = w.id',
  ],
  [
    'beside an unqualified column of a list',
    'SELECT 1 FROM json_to_recordset($1) AS g (id int), users WHERE application_id = $2 AND users.id = g.id',
  ],
  [
    'by a join',
    'SELECT 1 FROM dialogs d JOIN members m ON m.application_id = d.application_id WHERE d.application_id = $1',
  ],
  [
    'by a join over columns of one name',
    'SELECT 1 FROM dialogs JOIN members m USING (application_id) WHERE m.application_id = 1',
  ],
  [
    'by a subquery with an application',
    'DELETE FROM users WHERE (application_id, id) IN (SELECT application_id, id FROM sessions WHERE application_id = $1)',
  ],
  [
    'by a named query',
    'WITH gone AS (SELECT application_id, id FROM users WHERE application_id = $1) DELETE FROM sessions s USING gone g WHERE g.application_id = s.application_id',
  ],
  [
    'by both arms of a union',
    'SELECT 1 FROM (SELECT application_id FROM users UNION SELECT application_id FROM dialogs) AS either WHERE either.application_id = $1',
  ],
  ['by inserted values', 'INSERT INTO users (id, application_id) VALUES (1, $1) ON CONFLICT DO NOTHING'],
  ['by several rows of inserted values', 'INSERT INTO users (id, application_id) VALUES (1, $1), (2, $2)'],
  [
    'by a parameter inserted beside a list',
    'INSERT INTO users (application_id, id) SELECT $1::int, t.id FROM unnest($2::int[]) AS t (id)',
  ],
  [
    'around a subquery',
    'SELECT (SELECT count(*) FROM members m WHERE m.application_id = d.application_id) FROM dialogs d WHERE d.application_id = $1',
  ],
])('a statement that specifies its application %s is accepted', (_how, sql) => {
  expect(unplacedTables(sql, shardKeys)).toEqual([]);
});

test.each([
  [['users'], 'SELECT 1 FROM users WHERE id = $1'],
  [['users'], 'UPDATE users SET login = $1'],
  [['users'], 'DELETE FROM users WHERE application_id > $1'],
  [['users'], 'SELECT 1 FROM users WHERE application_id = $1 OR id = $2'],
  [['users'], 'SELECT 1 FROM users WHERE NOT application_id = $1'],
  [['users'], 'INSERT INTO users (id) VALUES ($1)'],
  [['users'], 'DELETE FROM users WHERE application_id = ANY($1::int[])'],
  [['users'], 'SELECT 1 FROM users WHERE application_id IN ($1, $2)'],
  [['users t'], 'SELECT 1 FROM "public"."users" AS "t" WHERE ("t"."application_id", "t"."id") IN (($1, $2), ($3, $4))'],
  [['users'], 'SELECT 1 FROM users WHERE (application_id = $1 AND id = 1) OR (application_id = $2 AND id = 2)'],
  [
    ['users'],
    'DELETE FROM users WHERE (application_id, id) IN (SELECT a, b FROM unnest($1::int[], $2::int[]) AS t (a, b))',
  ],
  [['users'], 'DELETE FROM users WHERE (application_id, id) IN (VALUES ($1::int, $2::int))'],
  [
    ['users u'],
    'SELECT 1 FROM unnest($1::int[], $2::int[]) AS w (application_id, id) JOIN users u USING (application_id, id)',
  ],
  [
    ['users u'],
    'SELECT 1 FROM json_to_recordset($1) AS g ("applicationId" int) LEFT JOIN users u ON u.application_id = g."applicationId"',
  ],
  [
    ['users u'],
    'WITH g AS (SELECT application_id FROM unnest($1::int[]) AS t (application_id)) SELECT 1 FROM g JOIN users u ON u.application_id = g.application_id',
  ],
  [
    ['users u'],
    'WITH g (a) AS (SELECT t FROM unnest($1::int[]) AS t (t)) SELECT 1 FROM g JOIN users u ON u.application_id = g.a',
  ],
  [
    ['users u'],
    'SELECT 1 FROM (VALUES ($1::int), ($2)) AS g (application_id) JOIN users u ON u.application_id = g.application_id',
  ],
  [['users'], 'INSERT INTO users (application_id) SELECT t.a FROM unnest($1::int[]) AS t (a)'],
  [['members m'], 'SELECT 1 FROM dialogs d JOIN members m ON m.dialog_id = d.id WHERE d.application_id = $1'],
  [['dialogs d', 'members m'], 'SELECT 1 FROM dialogs d JOIN members m ON m.application_id = d.application_id'],
  [
    ['dialogs d'],
    'SELECT 1 FROM dialogs d WHERE EXISTS (SELECT FROM members m WHERE m.application_id = $1 AND m.application_id = d.application_id)',
  ],
  [
    ['users'],
    'WITH all_users AS MATERIALIZED (SELECT application_id, id FROM users) SELECT 1 FROM sessions s WHERE s.application_id = $1',
  ],
  [
    ['users', 'users'],
    'DELETE FROM users WHERE (application_id, id) IN (SELECT application_id, id FROM users LIMIT $1)',
  ],
  [
    ['dialogs'],
    'SELECT 1 FROM (SELECT application_id FROM users WHERE application_id = $1 UNION SELECT application_id FROM dialogs) AS either',
  ],
])('unplacedTables reports %j for: %s', (tables, sql) => {
  expect(unplacedTables(sql, shardKeys)).toEqual(tables);
});

test('a statement without its application is a fault unless it is listed, and unused exceptions are reported', () => {
  const { faults, unusedExceptions } = judge([
    'SELECT 1\n  FROM users WHERE id = $1',
    'SELECT 1 FROM applications WHERE name = $1',
  ]);
  expect(faults).toEqual(['users: SELECT 1 FROM users WHERE id = $1']);
  expect(unusedExceptions).toEqual(EXCEPTIONS);
  const needed = judge(['SELECT 1 FROM events_outbox e LEFT JOIN dialogs d ON d.application_id = e.application_id']);
  expect(needed).toEqual({
    faults: [],
    unrouted: [],
    unusedExceptions: EXCEPTIONS.filter(({ part }) => !part.includes('events_outbox')),
  });
});

test('a statement that names its application in a form that the service cannot read is reported', () => {
  const readable = 'SELECT 1 FROM users WHERE application_id = $1';
  const reversed = 'SELECT 1 FROM users WHERE $1 = application_id';
  expect(judge([readable, reversed]).unrouted).toEqual([reversed]);
});

test('shardKeys contains every table with an application', () => {
  expect(shardKeys.size).toBeGreaterThan(30);
  expect(shardKeys.get('messages')).toBe('application_id');
});

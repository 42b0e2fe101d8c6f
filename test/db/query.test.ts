import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase, db, Prisma } from '../../src/db/client.ts';
import { isDatabaseUnavailable, isDeadlock, sqlState } from '../../src/db/failures.ts';
import { query } from '../../src/db/query.ts';
import { BACKGROUND, transact } from '../../src/db/transact.ts';
import { type OwnDatabase, startOwnDatabase } from '../support/app/postgres-server.ts';

let database: OwnDatabase;
beforeAll(async () => {
  database = await startOwnDatabase();
  const client = new pg.Client(database.config);
  await client.connect();
  // Results must not depend on the time zone of the process.
  await client.query(`ALTER DATABASE atrium SET timezone = 'Asia/Kolkata'`);
  await client.query('ALTER DATABASE atrium SET jit = on');
  await client.end();
  await connectDatabase(database.config);
});
afterAll(async () => {
  await db.$disconnect();
  await database.drop();
});

test.each([
  `1::int2 AS value`,
  `(-2147483648)::int4 AS value`,
  `9007199254740993::int8 AS value`,
  `ARRAY[1, NULL, 9007199254740993]::int8[] AS value`,
  `ARRAY[1, 2]::int4[] AS value`,
  `'{}'::int4[] AS value`,
  `1.5::float4 AS value`,
  `0.1::float8 AS value`,
  `12345678901234567890.123::numeric AS value`,
  `ARRAY[0.1, NULL]::numeric[] AS value`,
  `true AS value`,
  `ARRAY[true, NULL, false] AS value`,
  `'it''s "so"'::text AS value`,
  `ARRAY['a,b', NULL, '"', '\\', 'NULL'] AS value`,
  `'2026-01-31 12:00:00.123456+05:30'::timestamptz AS value`,
  `'2026-01-31 12:00:00Z'::timestamptz AS value`,
  `'1890-01-31 12:00:00.5Z'::timestamptz AS value`,
  `'2026-07-31 12:00:00.1'::timestamp AS value`,
  `ARRAY['2026-01-31 12:00Z', NULL]::timestamptz[] AS value`,
  `'2026-01-31'::date AS value`,
  `ARRAY['2026-01-31']::date[] AS value`,
  `'{"a": [1, "x", null], "b": 1e3}'::json AS value`,
  `'{"a": 12345678901234567890}'::jsonb AS value`,
  `'null'::json AS value`,
  `'"text"'::jsonb AS value`,
  `'\\x00ff'::bytea AS value`,
  `'f47ac10b-58cc-4372-a567-0e02b2c3d479'::uuid AS value`,
  `NULL::timestamptz AS value`,
  `NULL AS value, 2 AS other`,
  `1 AS value WHERE false`,
])('%s is parsed like Prisma parses it', async (columns) => {
  const statement = Prisma.sql`SELECT ${Prisma.raw(columns)}`;
  expect(await query(statement)).toStrictEqual(await db.$queryRaw(statement));
});

test.each([
  ['int4', 7],
  ['int8', 9_007_199_254_740_993n],
  ['float8', 0.1],
  ['bool', false],
  ['text', 'it\'s "so" \\ ü 🙂'],
  ['text', null],
  ['text', undefined],
  ['timestamptz', new Date('2026-07-31T12:00:00.123Z')],
  ['timestamptz', new Date('0044-03-15T12:00:00Z')],
  ['timestamptz', new Date('+012026-07-31T12:00:00Z')],
  ['timestamp', new Date('2026-07-31T12:00:00.123Z')],
  ['date', new Date('2026-07-31T23:00:00Z')],
  ['timestamptz[]', [new Date('2026-07-31T12:00:00.123Z')]],
  ['int4[]', [1, 2, null]],
  ['int8[]', [1n, 2n]],
  ['text[]', ['a', null, '"b"', '{c,d}', '\\']],
  ['text[]', []],
  ['jsonb', { a: [1, null], at: new Date(0) }],
  ['numeric', new Prisma.Decimal('12345678901234567890.5')],
  ['bytea', new Uint8Array([0, 255])],
  ['bytea', Buffer.from('bytes')],
])('a %s parameter is sent like Prisma sends it: %o', async (type, value) => {
  const cast = Prisma.raw(type);
  const notified = (given: unknown) => Prisma.sql`SELECT (${given}::${cast})::text AS value`;
  expect(await query(notified(value))).toStrictEqual(await db.$queryRaw(notified(value)));
});

test('PostgreSQL does not compile statements, even in a database that turns compilation on', async () => {
  expect(await query`SELECT current_setting('jit') AS jit`).toEqual([{ jit: 'off' }]);
});

test('statements are composed of fragments', async () => {
  const where = Prisma.join([Prisma.sql`n > ${1}`, Prisma.sql`n < ${4}`], ' AND ');
  expect(await query<{ n: number }>`SELECT n FROM generate_series(${0}::int, 9) n WHERE ${where}`).toEqual([
    { n: 2 },
    { n: 3 },
  ]);
});

test.each([
  ['SELECT 1/0', '22012'],
  ['SELECT * FROM nothing', '42P01'],
  ["SELECT 'x'::int", '22P02'],
])('%s fails with the SQL state %s, like in a transaction', async (text, state) => {
  const statement = Prisma.raw(text);
  const failures = [query(statement), transact(BACKGROUND, (transaction) => transaction.$queryRaw(statement))];
  for (const failure of failures) {
    const error = await failure.then(
      () => expect.unreachable(),
      (reason: unknown) => reason,
    );
    expect(sqlState(error)).toBe(state);
    expect(isDatabaseUnavailable(error)).toBe(false);
    expect(isDeadlock(error)).toBe(false);
  }
});

test.each([
  ['57P01', { isAway: true, isCircle: false }],
  ['53100', { isAway: true, isCircle: false }],
  ['40P01', { isAway: false, isCircle: true }],
  ['23514', { isAway: false, isCircle: false }],
])('a transaction that fails with %s at COMMIT reports that state', async (state, { isAway, isCircle }) => {
  // The driver reports an error of COMMIT in another form than an error of a statement.
  const fails = transact(BACKGROUND, async (transaction) => {
    await transaction.$executeRawUnsafe('CREATE TABLE late (id int)');
    await transaction.$executeRawUnsafe(
      `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'at the end' USING ERRCODE = '${state}'; END $$`,
    );
    await transaction.$executeRawUnsafe(
      `CREATE CONSTRAINT TRIGGER late AFTER INSERT ON late DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION fail()`,
    );
    await transaction.$executeRawUnsafe('INSERT INTO late VALUES (1)');
  });
  const error = await fails.then(
    () => expect.unreachable(),
    (reason: unknown) => reason,
  );
  expect(sqlState(error)).toBe(state);
  expect(isDatabaseUnavailable(error)).toBe(isAway);
  expect(isDeadlock(error)).toBe(isCircle);
});

test('every statement fails as unavailable while the database is down, and succeeds once it is back', async () => {
  await database.stop();
  const error = await query`SELECT 1`.then(
    () => expect.unreachable(),
    (reason: unknown) => reason,
  );
  expect(isDatabaseUnavailable(error)).toBe(true);
  await database.start();
  expect(await query`SELECT 1 AS one`).toEqual([{ one: 1 }]);
});

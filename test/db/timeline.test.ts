import pg from 'pg';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { connectTo } from '../../src/db/connection.ts';
import { onNewTimeline } from '../../src/db/timeline.ts';
import { createDatabase, type TestDatabase } from '../support/app/database.ts';

let database: TestDatabase;

beforeEach(async () => {
  database = await createDatabase();
  onTestFinished(() => database.drop());
});

async function onDatabase(sql: string): Promise<Record<string, string>[]> {
  const client = new pg.Client(database.config);
  await client.connect();
  return client.query(sql).then(({ rows }) => client.end().then(() => rows));
}

/** The next value of each sequence, by its name. */
async function nextValues(): Promise<Map<string, bigint>> {
  const rows = await onDatabase(
    `SELECT c.oid::regclass AS name, nextval(c.oid) AS value FROM pg_class c
     WHERE c.relkind = 'S' AND c.relnamespace = 'public'::regnamespace`,
  );
  return new Map(rows.map(({ name, value }) => [name!, BigInt(value!)]));
}

const OTHER = "UPDATE timelines SET name = 'of the lost primary'";

test('the first connections to a new timeline advance each sequence once', async () => {
  const before = await nextValues();
  expect(before.size).toBeGreaterThan(15);
  await onDatabase(OTHER);
  const begunAt = BigInt(Date.now()) * 1000n;
  const clients = await Promise.all(Array.from({ length: 8 }, () => connectTo(database.config)));
  await Promise.all(clients.map((client) => client.end()));
  const after = await nextValues();
  for (const [name, value] of after) {
    if (value >= begunAt) expect(name).toMatch(/position|audit_entries_id/);
    else expect([name, value]).toEqual([name, before.get(name)! + 1_000_002n]);
  }
  expect(after.get('events_outbox_position_seq')).toBeGreaterThan(begunAt);
  await (await connectTo(database.config)).end();
  expect(await nextValues()).toEqual(new Map([...after].map(([name, value]) => [name, value + 1n])));
});

test('promotions do not exhaust a sequence of 32 bits', async () => {
  await onDatabase("SELECT setval('users_id_seq', 2147000000)");
  for (let nth = 0; nth < 3; nth++) {
    await onDatabase(OTHER);
    await (await connectTo(database.config)).end();
  }
  const next = (await nextValues()).get('users_id_seq')!;
  expect([next > 2_147_000_000n, next < 2_147_005_000n]).toEqual([true, true]);
});

test('listeners are notified before the connection is used, and only of changes', async () => {
  const seen: string[] = [];
  onTestFinished(onNewTimeline(() => seen.push('new timeline')));
  const connect = async () => {
    const client = await connectTo(database.config);
    seen.push('connected');
    await client.end();
  };
  await connect();
  await connect();
  await onDatabase(
    "CREATE OR REPLACE FUNCTION current_timeline() RETURNS text LANGUAGE sql AS $$ SELECT 'of a promoted standby' $$",
  );
  await connect();
  expect(seen).toEqual(['connected', 'connected', 'new timeline', 'connected']);
});

test('a role that may not read the timeline notices a new server by its start', async () => {
  await onDatabase(`
    CREATE ROLE restricted_${process.pid};
    GRANT ALL ON ALL TABLES IN SCHEMA public TO restricted_${process.pid};
    GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO restricted_${process.pid};
    REVOKE EXECUTE ON FUNCTION pg_walfile_name(pg_lsn) FROM PUBLIC`);
  onTestFinished(async () => {
    await onDatabase(`DROP OWNED BY restricted_${process.pid}; DROP ROLE restricted_${process.pid}`);
  });
  const options = `-c role=restricted_${process.pid}`;
  await (await connectTo({ ...database.config, options })).end();
  const [timeline] = await onDatabase('SELECT name FROM timelines');
  expect(timeline!.name).toMatch(/^started at \d+\.\d+$/);
  const before = await nextValues();
  await (await connectTo({ ...database.config, options })).end();
  expect((await nextValues()).get('users_id_seq')).toBe(before.get('users_id_seq')! + 1n);
});

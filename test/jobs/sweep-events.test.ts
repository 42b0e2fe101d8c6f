import { beforeEach, describe, expect, test } from 'vitest';
import { connectTo } from '../../src/db/connection.ts';
import { sweepEvents } from '../../src/jobs/sweep-events.ts';
import { endOfStream, keptPosition, readMissed } from '../../src/realtime/outbox-reader.ts';
import { APPLICATION, running, useApp } from '../support/app/app.ts';
import { rowsReadBy, statementsAbout } from '../support/app/query-plans.ts';
import { ownConnection, sql } from '../support/app/sql.ts';

useApp();

const SMALLEST = 100n;
const BEGIN = new Date('2026-01-01T00:00:00Z');
const at = (hour: number) => new Date(BEGIN.getTime() + hour * 3_600_000);

const APPEND = `INSERT INTO events_outbox (application_id, kind, subject_id, created_at)
  SELECT $1, 'apiKeyRevoked', n, $3 FROM generate_series(1, $2) n RETURNING position`;

async function append(count: number, hour: number): Promise<bigint[]> {
  const rows = await sql<{ position: string }>(APPEND, [APPLICATION.id, count, at(hour)]);
  return rows.map(({ position }) => BigInt(position));
}

/** First positions and numbers of rows. */
async function partitions(): Promise<{ first: bigint; rows: number }[]> {
  const names = await sql<{ name: string }>(`
    SELECT relname AS name FROM pg_class JOIN pg_inherits ON oid = inhrelid
    WHERE inhparent = 'events_outbox'::regclass ORDER BY split_part(relname, '_', 2)::bigint`);
  return Promise.all(
    names.map(async ({ name }) => {
      const [row] = await sql<{ rows: number }>(`SELECT count(*)::int AS rows FROM outbox.${name}`);
      return { first: BigInt(name.split('_')[1]!), rows: row!.rows };
    }),
  );
}

/** So that the next positions are in a partition of the smallest size. */
beforeEach(async () => {
  await append(1, -1000);
  const last = (await partitions()).at(-1)!.first;
  await sql("SELECT setval(pg_get_serial_sequence('events_outbox', 'position'), $1)", [String(last)]);
  await append(1, -1000);
  await sweepEvents(at(-999), SMALLEST);
});

describe('partitions', () => {
  test('expired ones are dropped, and all other events remain', async () => {
    const positions: bigint[] = [];
    for (let hour = 0; hour < 20; hour++) {
      positions.push(...(await append(50, hour)));
      await sweepEvents(at(-1), SMALLEST);
    }
    const before = await partitions();
    expect(before.length).toBeGreaterThan(5);
    await sweepEvents(at(10), SMALLEST);
    const after = await partitions();
    expect(after.length).toBeLessThan(before.length - 2);
    const kept = positions.slice(500);
    expect(
      (await readMissed(APPLICATION.id, kept[0]! - 1n, await endOfStream(), 1000)).map((row) => row.position),
    ).toEqual(kept);
    expect([
      await isCursorKept(positions[499]!),
      await isCursorKept(kept[0]!),
      await isCursorKept(kept.at(-1)!),
    ]).toEqual([false, true, true]);
    // The expired rows of the first partition go with it.
    expect(after[0]!.rows).toBeGreaterThan(0);
  });

  test('become larger as more events are stored, so that their number is limited', async () => {
    for (let hour = 0; hour < 60; hour++) {
      await append(100, hour);
      await sweepEvents(at(-1), SMALLEST);
    }
    expect((await partitions()).length).toBeLessThan(35);
    for (let hour = 60; hour < 120; hour++) {
      await append(100, hour);
      await sweepEvents(at(hour - 40), SMALLEST);
    }
    expect((await partitions()).length).toBeLessThan(14);
  });

  test('the last event never expires, and rows before it are deleted one by one', async () => {
    const positions = await append(20, 0);
    await sweepEvents(at(1000), SMALLEST);
    expect((await partitions()).reduce((sum, { rows }) => sum + rows, 0)).toBe(1);
    expect([await isCursorKept(positions.at(-1)!), await isCursorKept(positions.at(-2)!)]).toEqual([true, false]);
  });

  test('positions that jump are stored, and the next sweep gives their partition an end', async () => {
    const end = await endOfStream();
    await sql("SELECT setval(pg_get_serial_sequence('events_outbox', 'position'), $1)", [String(end + 10_000_000n)]);
    const positions = await append(10, 1);
    expect((await partitions()).at(-1)!.rows).toBe(10);
    await sweepEvents(at(0), SMALLEST);
    expect((await partitions()).at(-1)!.rows).toBe(0);
    const missed = await readMissed(APPLICATION.id, end, await endOfStream(), 100);
    expect(missed.map(({ position }) => position)).toEqual(positions);
  });

  test('partitions do not become larger when a new timeline advances the positions', async () => {
    await append(10, 0);
    await sql("UPDATE timelines SET name = 'of the lost primary'");
    await (await connectTo(running.database.config)).end();
    const [position] = await append(1, 1);
    expect(position!).toBeGreaterThan(1_000_000_000_000_000n);
    await sweepEvents(at(-1), SMALLEST);
    expect((await partitions()).at(-1)!.first).toBe(position! + SMALLEST);
  });

  test('a sweep does not wait for a long transaction, and the next one catches up', async () => {
    await append(90, 0);
    const before = await partitions();
    const long = await ownConnection();
    await long.query('BEGIN');
    await long.query(APPEND, [APPLICATION.id, 1, at(0)]);
    await sweepEvents(at(-1), SMALLEST);
    expect((await partitions()).map(({ first }) => first)).toEqual(before.map(({ first }) => first));
    await long.query('COMMIT');
    await long.end();
    await sweepEvents(at(-1), SMALLEST);
    expect((await partitions()).length).toBe(before.length + 1);
  });

  test('sweeps of several processes change them once, beside writers', async () => {
    let isDone = false;
    const write = async () => {
      const positions: bigint[] = [];
      while (!isDone) positions.push(...(await append(7, 0)));
      return positions;
    };
    const writing = Promise.all([write(), write(), write()]);
    const from = await endOfStream();
    for (let round = 0; round < 20; round++) {
      await Promise.all([1, 2, 3].map(() => sweepEvents(at(-1), SMALLEST)));
    }
    isDone = true;
    const written = (await writing).flat().sort((a, b) => Number(a - b));
    const missed = await readMissed(APPLICATION.id, from, await endOfStream(), written.length + 1);
    expect(missed.map(({ position }) => position)).toEqual(expect.arrayContaining(written.filter((one) => one > from)));
  });
});

test('readers handle no more rows than they return, however many partitions there are', async () => {
  for (let hour = 0; hour < 10; hour++) {
    await append(300, hour);
    await sweepEvents(at(-1), SMALLEST);
  }
  await sql('ANALYZE events_outbox');
  const end = await endOfStream();
  const [read] = await statementsAbout(/e\.position <= /, () => readMissed(APPLICATION.id, end - 1000n, end, 50));
  const [last] = await statementsAbout(/max\(position\)/, () => endOfStream());
  for (const mode of ['custom', 'generic'] as const) {
    expect(await rowsReadBy(read!, mode)).toBeLessThanOrEqual(50);
    expect(await rowsReadBy(last!, mode)).toBe(1);
  }
});

async function isCursorKept(position: bigint): Promise<boolean> {
  return (await keptPosition({ applicationId: APPLICATION.id, position })) !== undefined;
}

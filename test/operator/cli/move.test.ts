import pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { type MoveOptions, moveApplication } from '../../../src/operator/move/move.ts';
import { readMovedTables } from '../../../src/operator/move/tables.ts';
import { APPLICATION, useApp } from '../../support/app/app.ts';
import { findDifferences } from '../../support/app/integrity.ts';
import { sql } from '../../support/app/sql.ts';
import { currentInstallation, emptyInstallation, type Installation } from '../../support/fixtures/archives.ts';
import { createFullData, type FullData } from '../../support/fixtures/full-data.ts';

/** Rows that stay, and counts that triggers maintain. */
const LEFT = ['administrator_roles', 'blob_counts', 'geodata_counts', 'row_changes'];

/** Columns that the service changes in the background. */
const CHANGING = ['last_request_at', 'updated_at', 'retry_at', 'seq', 'hash'];

const OF_THE_DATABASE = [
  'events_outbox',
  'moved_positions',
  'audit_chains',
  'request_log_hours',
  'request_figures',
  ...LEFT,
];

const OWN = { audit_entries: [], activity_hours: [] };

useApp();

let made: FullData;
beforeAll(async () => {
  made = await createFullData();
  // No process of the test sends it.
  await sql('UPDATE push_sends SET finished_at = created_at WHERE finished_at IS NULL');
}, 600_000);

test('every table of applications is moved, or is known to stay', async () => {
  const { inUse, refusing } = await onDatabase(currentInstallation(), readMovedTables);
  const decided = new Set([...inUse, ...refusing].map(({ name }) => name).concat(LEFT));
  expect((await tablesOfApplications()).filter((name) => !decided.has(name))).toEqual([]);
});

test('a moved application has every row in the other database and none in its own, and the others keep theirs', async () => {
  const target = await emptyInstallation();
  await failAfterRefusal(target);
  // Is permitted again, and must be noted.
  await sql(`UPDATE users SET full_name = 'Renamed meanwhile' WHERE application_id = $1`, [APPLICATION.id]);
  const other = await rowsOf(currentInstallation(), made.other.id);
  const before = await rowsOf(currentInstallation(), APPLICATION.id);
  const steps: string[] = [];
  await move(target, (step) => steps.push(step));
  expect(steps).toEqual(['copying', 'switching', 'removing']);
  const after = await rowsOf(target, APPLICATION.id);
  // The move is an entry too, and events are counted that the other database has not counted.
  expect(after.audit_entries).toHaveLength((before.audit_entries?.length ?? 0) + 1);
  expect(after.activity_hours?.join()).toContain('"messages": 16');
  expect({ ...after, ...OWN }).toEqual({ ...before, ...OWN });
  expect(await rowsOf(currentInstallation(), APPLICATION.id)).toEqual({});
  expect(await rowsOf(currentInstallation(), made.other.id)).toEqual(other);
  expect(await findDifferences({ ...target, dataDir: currentInstallation().dataDir })).toEqual([]);
  const [row] = await sql<{ count: number }>('SELECT count(*)::int AS count FROM applications WHERE id = $1', [
    APPLICATION.id,
  ]);
  expect(row!.count).toBe(0);
}, 600_000);

async function failAfterRefusal(target: Installation): Promise<void> {
  let job: Promise<unknown> | undefined;
  const moving = move(target, (step) => {
    if (step !== 'copying') return;
    job = sql(
      `INSERT INTO jobs (application_id, id, kind, state, administrator_id, administrator_name, created_at, process_id)
      VALUES ($1, $2, 'check', 'running', 1, 'Ada', now(), '1')`,
      [APPLICATION.id, '0'.repeat(24)],
    );
  });
  await expect(moving).rejects.toThrow(`a backup or check of application ${APPLICATION.id} is running`);
  await job;
  await sql('DELETE FROM jobs WHERE application_id = $1', [APPLICATION.id]);
}

function move(target: Installation, onStep: MoveOptions['onStep']) {
  return moveApplication({
    databases: [currentInstallation().database, target.database],
    applicationId: APPLICATION.id,
    to: 1,
    onStep,
    onRows: () => {},
    wake: () => {},
    settleMs: 0,
  });
}

function tablesOfApplications(): Promise<string[]> {
  return sql<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.columns
    WHERE table_schema = 'public' AND column_name = 'application_id'`,
  ).then((rows) => rows.map(({ name }) => name));
}

async function rowsOf(place: Installation, applicationId: number): Promise<Record<string, string[]>> {
  const tables = (await tablesOfApplications()).filter((name) => !OF_THE_DATABASE.includes(name));
  return onDatabase(place, async (client) => {
    const found: Record<string, string[]> = {};
    for (const name of tables) {
      const { rows } = await client.query<{ row: string }>(
        `SELECT (to_jsonb(t) - $2::text[])::text AS row FROM "${name}" t WHERE application_id = $1 ORDER BY 1`,
        [applicationId, CHANGING],
      );
      if (rows.length > 0) found[name] = rows.map(({ row }) => row);
    }
    return found;
  });
}

async function onDatabase<Result>({ database }: Installation, work: (client: pg.Client) => Promise<Result>) {
  const client = new pg.Client(database);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

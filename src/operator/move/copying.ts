import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { HOME_LIFETIME_MS } from '../../db/shards.ts';
import { SECOND } from '../../lib/time.ts';
import { DELETED, MOVED } from '../../resolvers/applications/delete.ts';
import { countMovedActivity } from '../../resolvers/applications/stats.ts';
import { inTransaction, nameActor, raiseSequences } from '../archive/import-progress.ts';
import { forgetChanges, noteChanges, permitChanges, refuseChanges, repeatChanges } from './changes.ts';
import { reservePositions } from './positions.ts';
import { copyRows, type Move } from './rows.ts';
import { APPLICATIONS, type MovedTable, type MovedTables, sequencesOf } from './tables.ts';

/** The rest of the changes is repeated while writes are refused. */
const FEW_CHANGES = 500;

const PUSH_TIMEOUT_MS = 30 * SECOND;
const PUSH_POLL_MS = 200;

/** The application was deleted while it was copied. */
export class DeletedError extends Error {
  constructor({ applicationId }: Pick<Move, 'applicationId'>) {
    super(`application ${applicationId} is being deleted`);
  }
}

export interface CopyOptions extends Omit<Move, 'shift'> {
  /** Number of the target. */
  to: number;
  onStep: (step: 'copying' | 'switching') => void;
}

/**
 * Copies the rows of an application while it is used, then refuses its writes and switches. What an interrupted run has
 * copied remains. If it fails before the switch, writes are permitted again.
 */
export async function copyApplication({ to, onStep, ...options }: CopyOptions, tables: MovedTables): Promise<void> {
  const { source, target, applicationId } = options;
  await arrive(options);
  const { shift, limit } = await reservePositions(source, target, applicationId);
  const move: Move = { ...options, shift };
  onStep('copying');
  await noteChanges(move, tables.inUse);
  await copyInUse(move, tables.inUse);
  await source.query('UPDATE applications SET moves_to = $2 WHERE id = $1', [applicationId, to]);
  // A statement may be sent later than its database was looked up.
  const noticed = pause(2 * HOME_LIFETIME_MS);
  while ((await repeat(move, tables.inUse)) > FEW_CHANGES);
  await noticed;
  await repeat(move, tables.inUse);
  onStep('switching');
  try {
    await switchOver(move, tables, limit);
  } catch (error) {
    // If this fails too, the first failure is the cause, and repeating the command continues.
    await permitAgain(move, tables).catch(() => {});
    throw error;
  }
}

async function switchOver(move: Move, tables: MovedTables, limit: bigint): Promise<void> {
  const pushed = tables.refusing.filter(({ name }) => name.startsWith('push_'));
  const others = tables.refusing.filter((table) => !pushed.includes(table));
  await refuseChanges(move, [...tables.inUse, ...others, APPLICATIONS]);
  await settlePushes(move);
  await refuseChanges(move, pushed);
  await commitSwitch(move, tables, limit);
}

/** Not if it is unknown whether the target has committed the switch. */
async function permitAgain(move: Move, { inUse, refusing }: MovedTables): Promise<void> {
  const { source, target, applicationId } = move;
  const { rows } = await target.query<{ state: string | null }>(
    'SELECT import_id AS state FROM applications WHERE id = $1',
    [applicationId],
  );
  if (rows[0]?.state !== MOVED) return;
  await noteChanges(move, inUse);
  await permitChanges(source, [...refusing.filter((table) => !isIn(table, inUse)), APPLICATIONS]);
  await source.query('UPDATE applications SET moves_to = NULL WHERE id = $1', [applicationId]);
}

function isIn({ name }: MovedTable, tables: readonly MovedTable[]): boolean {
  return tables.some((table) => table.name === name);
}

/** All access is denied until the end, as during an import. */
async function arrive({ source, target, applicationId }: Omit<CopyOptions, 'to' | 'onStep'>): Promise<void> {
  const values = `'{"import_id": "${MOVED}", "imported_entries": 0, "user_count": 0, "moves_to": null}'::jsonb`;
  const { rows } = await source.query<{ row: string }>(
    `SELECT (to_jsonb(a) || ${values})::text AS row FROM applications a WHERE id = $1`,
    [applicationId],
  );
  await target.query(
    `INSERT INTO applications SELECT * FROM json_populate_record(NULL::applications, $1::json) ON CONFLICT DO NOTHING`,
    [rows[0]!.row],
  );
}

/** Tables that an interrupted run has copied need only their changes. */
async function copyInUse(move: Move, tables: MovedTable[]): Promise<void> {
  const { target, applicationId } = move;
  const { rows } = await target.query<{ copied: number }>(
    'SELECT imported_entries AS copied FROM applications WHERE id = $1',
    [applicationId],
  );
  const { copied } = rows[0]!;
  const repeated = await inSnapshot(move.source, async () => {
    const positions = await inTransaction(target, () => repeatChanges(move, tables.slice(0, copied + 1)));
    for (const [nth, table] of tables.entries()) {
      if (nth < copied) continue;
      await copyRows(move, table);
      await target.query('UPDATE applications SET imported_entries = $2 WHERE id = $1', [applicationId, nth + 1]);
    }
    return positions;
  });
  await forgetChanges(move, repeated);
}

async function repeat(move: Move, tables: MovedTable[]): Promise<number> {
  const repeated = await inSnapshot(move.source, () => inTransaction(move.target, () => repeatChanges(move, tables)));
  await forgetChanges(move, repeated);
  move.onRows(repeated.length);
  return repeated.length;
}

/** Messages become pushes where they were sent. Deliveries whose outcome is unknown are repeated in the target. */
async function settlePushes({ source, applicationId }: Move): Promise<void> {
  const deadline = performance.now() + PUSH_TIMEOUT_MS;
  for (;;) {
    const { rows } = await source.query<{ isFound: boolean; isDelivering: boolean }>(
      `SELECT NOT EXISTS (SELECT FROM push_sends WHERE application_id = $1 AND NOT is_spread AND finished_at IS NULL)
          AND (NOT EXISTS (SELECT FROM push_subscriptions WHERE application_id = $1)
            OR NOT EXISTS (SELECT FROM events_outbox e, push_cursor c
              WHERE e.position > c.position AND e.application_id = $1 AND e.kind = 'messageSent')) AS "isFound",
        EXISTS (SELECT FROM push_sends s WHERE s.application_id = $1 AND s.finished_at IS NULL
          AND NOT EXISTS (SELECT FROM push_deliveries d WHERE d.application_id = s.application_id
            AND d.send_id = s.id AND d.status = 'pending' AND d.retry_at IS NOT NULL)) AS "isDelivering"`,
      [applicationId],
    );
    const { isFound, isDelivering } = rows[0]!;
    const isLate = performance.now() > deadline;
    if (isFound && (!isDelivering || isLate)) return;
    if (isLate)
      throw new Error(
        `pushes of application ${applicationId} are waiting and no process sends them; start one and repeat the command`,
      );
    await pause(PUSH_POLL_MS);
  }
}

/** One transaction of the target, after which the application is there. */
async function commitSwitch(move: Move, tables: MovedTables, limit: bigint): Promise<void> {
  const { source, target, shift, applicationId } = move;
  const values = `'{"import_id": null, "imported_entries": 0, "moves_to": null}'::jsonb`;
  await raiseSequences(target, await sequencesOf(source, [APPLICATIONS, ...tables.inUse, ...tables.refusing]));
  await inSnapshot(source, async () => {
    await requireNoJobs(source, applicationId);
    const { rows } = await source.query<{ row: string; state: string | null; last: string; counted: string }>(
      `SELECT (to_jsonb(a) || ${values} - 'user_count')::text AS row, import_id AS state,
        (SELECT last_value FROM events_outbox_position_seq) AS last, (SELECT position FROM activity_cursor) AS counted
      FROM applications a WHERE id = $1`,
      [applicationId],
    );
    const { row, state, last, counted } = rows[0]!;
    if (state === DELETED) throw new DeletedError(move);
    if (BigInt(last) > limit)
      throw new Error(
        `the positions of events have jumped; undo the move of application ${applicationId}, and repeat it`,
      );
    await inTransaction(target, async () => {
      await repeatChanges(move, tables.inUse);
      for (const table of tables.refusing) await copyRows(move, table);
      await target.query(
        `UPDATE push_deliveries SET retry_at = now()
        WHERE application_id = $1 AND status = 'pending' AND retry_at IS NULL`,
        [applicationId],
      );
      await target.query(countMovedActivity(applicationId, BigInt(counted) + shift, BigInt(last) + shift));
      await nameActor(target);
      await target.query(await updateOfApplication(target), [row, applicationId]);
    });
  });
}

/** The process that runs a job would not find it. */
export async function requireNoJobs(source: pg.Client, applicationId: number): Promise<void> {
  const { rows } = await source.query(
    `SELECT FROM jobs WHERE application_id = $1 AND state IN ('queued', 'running') LIMIT 1`,
    [applicationId],
  );
  if (rows.length > 0)
    throw new Error(`a backup or check of application ${applicationId} is running: wait until it ends, or cancel it`);
}

/** Read-only, so that readers of the outbox do not wait for it to end. */
async function inSnapshot<Result>(source: pg.Client, work: () => Promise<Result>): Promise<Result> {
  await source.query('BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY');
  try {
    return await work();
  } finally {
    await source.query('ROLLBACK').catch(() => {});
  }
}

/** Triggers have counted its users. */
async function updateOfApplication(target: pg.Client): Promise<string> {
  const { rows } = await target.query<{ columns: string }>(
    `SELECT string_agg(quote_ident(attname), ', ') AS columns FROM pg_attribute
    WHERE attrelid = 'applications'::regclass AND attnum > 0 AND NOT attisdropped AND attname NOT IN ('id', 'user_count')`,
  );
  const { columns } = rows[0]!;
  return `UPDATE applications SET (${columns}) = (SELECT ${columns} FROM json_populate_record(NULL::applications, $1::json))
    WHERE id = $2`;
}

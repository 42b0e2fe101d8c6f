import { setTimeout as delay } from 'node:timers/promises';
import { applicationOf, coalesce } from '../db/coalesce.ts';
import { columns, columnsOf, withJson } from '../db/columns.ts';
import { DIALOG_TYPE } from '../db/dialog-types.ts';
import { query } from '../db/query.ts';
import { onShardOf } from '../db/shards.ts';
import { timelineChanges } from '../db/timeline.ts';
import type { EventDetail, OutboxRow } from './outbox.ts';

/** An outbox row with data of its dialog; null if there is no dialog, or it was deleted. */
export interface StreamRow extends Omit<OutboxRow, 'kind'> {
  /** `typing` and `signal` are not stored in the outbox; their `position` is -1. */
  kind: OutboxRow['kind'] | 'typing' | 'signal';
  dialogType: number | null;
  memberVersion: number | null;
  /** Absent for events that are not stored. */
  createdAt?: Date;
  /** Users who have hidden the message; set while recipients are resolved, never for `messageSent`. */
  hiddenFrom?: number[] | undefined;
  /** Users who block the acting user, if the event is one that they then do not receive. */
  blockerIds?: number[] | null;
}

interface ReadRow extends StreamRow {
  oldestRunning: bigint;
}

const EVENT = columnsOf('OutboxEvent', 'e', [
  'position',
  'applicationId',
  'kind',
  'dialogId',
  'subjectId',
  'userId',
  'name',
  'classKey',
  'createdAt',
]);
/** Excludes the images of records, because they are large and only subscribers of the class need them. */
const DETAIL = withJson<{ detail: EventDetail | null }>()(
  columns({ detail: ['json', 'CASE WHEN e.class_key IS NULL THEN e.detail END'] }),
);
const AUDIENCE = columns({ audienceIds: ['int[] | null', 'e.audience_ids'] });
const DIALOG = columns({ dialogType: ['int | null', 'd.type'], memberVersion: ['int | null', 'd.member_version'] });
const BLOCKERS = columns({
  blockerIds: [
    'int[] | null',
    `CASE WHEN e.user_id IS NOT NULL AND e.kind IN ('messageSent', 'messageEdited', 'messagesMarked') THEN (
      SELECT array_agg(b.user_id) FROM user_blocks b
      WHERE b.application_id = e.application_id AND b.blocked_id = e.user_id
        AND CASE WHEN e.kind = 'messagesMarked' OR d.type = ${DIALOG_TYPE.PRIVATE} THEN b.in_private ELSE b.in_groups END) END`,
  ],
});
const OLDEST_RUNNING = columns({ oldestRunning: ['bigint', 'pg_snapshot_xmin(pg_current_snapshot())::text::bigint'] });

const BATCH = 500;

export const GAP_RETRY_MS = 5;

/**
 * Reads the outbox in order of positions, each row once, and never past a position whose transaction is still in
 * flight. Positions are dense except for rolled-back transactions. A gap is settled when every transaction that had
 * begun when the gap was first seen has ended. The next transaction id marks these transactions; the end of a snapshot
 * does not, because it follows the last transaction that has *ended*.
 */
export class OutboxReader {
  /** All positions up to here are read or were rolled back. */
  horizon = 0n;
  /** The first transaction id assigned after the first gap was noticed. */
  #gapBarrier: bigint | undefined;
  #timeline = timelineChanges();

  /** Starts at the end of the outbox and returns only later rows. */
  async start(): Promise<void> {
    this.#gapBarrier = undefined;
    // Transactions with lower positions may still be in flight.
    const [end] = await query<{ position: bigint; nextTransaction: bigint }>`
      SELECT coalesce(max(position), 0) AS position, pg_current_xact_id()::text::bigint AS "nextTransaction"
      FROM events_outbox`;
    this.horizon = end!.position;
    while ((await oldestRunning()) < end!.nextTransaction) {
      if (this.#isTimelineNew()) return this.start();
      await delay(GAP_RETRY_MS);
    }
  }

  /** @returns the next rows; `isBehind` is 'more' if more are available now, 'gap' after `GAP_RETRY_MS` */
  async read(): Promise<{ rows: StreamRow[]; isBehind: 'no' | 'more' | 'gap' }> {
    const read = await this.#readOn();
    const rows: StreamRow[] = [];
    for (const row of read) {
      if (row.position !== this.horizon + 1n) {
        // A failing query must not lose the rows already read.
        if (rows.length > 0) return { rows, isBehind: 'more' };
        if (!(await this.#isGapSettled(row))) return { rows, isBehind: 'gap' };
      }
      this.#gapBarrier = undefined;
      this.horizon = row.position;
      rows.push(row);
    }
    return { rows, isBehind: read.length === BATCH ? 'more' : 'no' };
  }

  async #readOn(): Promise<ReadRow[]> {
    try {
      return await readAfter(this.horizon, BATCH);
    } catch (error) {
      // After a crash PostgreSQL may assign ids below the barrier again.
      this.#gapBarrier = undefined;
      throw error;
    }
  }

  async #isGapSettled({ oldestRunning }: ReadRow): Promise<boolean> {
    if (this.#isTimelineNew()) this.#gapBarrier = undefined;
    this.#gapBarrier ??= await nextTransaction();
    return oldestRunning >= this.#gapBarrier;
  }

  /** Whether PostgreSQL may assign ids below the barrier again. */
  #isTimelineNew(): boolean {
    const previous = this.#timeline;
    this.#timeline = timelineChanges();
    return this.#timeline !== previous;
  }
}

export function readMissed(applicationId: number, after: bigint, upTo: bigint, limit: number): Promise<StreamRow[]> {
  return query`
    SELECT ${EVENT}, ${DETAIL}, ${AUDIENCE}, ${DIALOG}, ${BLOCKERS}
    FROM events_outbox e LEFT JOIN dialogs d ON d.application_id = e.application_id AND d.id = e.dialog_id
    WHERE e.position > ${after} AND e.position <= ${upTo} AND e.application_id = ${applicationId}
    ORDER BY e.position LIMIT ${limit}`;
}

/** The rows with `after` < position <= `upTo`, of all applications; both positions must be settled. */
export function readRange(after: bigint, upTo: bigint): Promise<StreamRow[]> {
  return query`
    SELECT ${EVENT}, ${DETAIL}, ${AUDIENCE}, ${DIALOG}, ${BLOCKERS}
    FROM events_outbox e LEFT JOIN dialogs d ON d.application_id = e.application_id AND d.id = e.dialog_id
    WHERE e.position > ${after} AND e.position <= ${upTo}
    ORDER BY e.position`;
}

/**
 * The position here of one that may come from an earlier database of the application; undefined if events after it have
 * expired. 0 precedes the first row. Expired rows may still be stored.
 */
export const keptPosition = coalesce(
  async (wanted: { applicationId: number; position: bigint }[], applicationId: number) => {
    const positions = [...new Set(wanted.map(({ position }) => position))];
    const rows = await onShardOf(
      applicationId,
      () => query<{ given: bigint; position: bigint; isKept: boolean }>`
        SELECT w.position AS given, w.position + coalesce(m.shift, 0) AS position,
          CASE WHEN m.shift IS NOT NULL THEN w.position + m.shift >= s.position
            WHEN w.position > 0 THEN EXISTS (
              SELECT FROM events_outbox e WHERE e.position = w.position AND e.position >= s.position)
            ELSE coalesce((SELECT min(e.position) FROM events_outbox e WHERE e.position >= s.position) = 1, true)
          END AS "isKept"
        FROM outbox_start s CROSS JOIN unnest(${positions}::bigint[]) w (position)
        LEFT JOIN moved_positions m
          ON m.application_id = ${applicationId} AND w.position BETWEEN m.first AND m.last
        WHERE s.id = 1`,
    );
    const kept = new Map(rows.map((row) => [row.given, row.isKept ? row.position : undefined]));
    return wanted.map(({ position }) => kept.get(position));
  },
  { max: 10_000, applicationOf },
);

/** The last committed position; earlier ones may still be in flight. */
export async function endOfStream(): Promise<bigint> {
  const [row] = await query<{ end: bigint }>`SELECT coalesce(max(position), 0) AS "end" FROM events_outbox`;
  return row!.end;
}

/** The last stored position up to this one. */
export async function lastKept(upTo: bigint): Promise<bigint> {
  const [row] = await query<{ last: bigint }>`
    SELECT coalesce(max(position), 0) AS last FROM events_outbox WHERE position <= ${upTo}`;
  return row!.last;
}

// One statement, so that rows and transactions come from the same snapshot.
function readAfter(position: bigint, limit: number): Promise<ReadRow[]> {
  return query`
    SELECT ${EVENT}, ${DETAIL}, ${AUDIENCE}, ${DIALOG}, ${BLOCKERS}, ${OLDEST_RUNNING}
    FROM events_outbox e LEFT JOIN dialogs d ON d.application_id = e.application_id AND d.id = e.dialog_id
    WHERE e.position > ${position}
    ORDER BY e.position LIMIT ${limit}`;
}

async function oldestRunning(): Promise<bigint> {
  const [row] = await query<{ xmin: bigint }>`
    SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS xmin`;
  return row!.xmin;
}

async function nextTransaction(): Promise<bigint> {
  const [row] = await query<{ id: bigint }>`SELECT pg_current_xact_id()::text::bigint AS id`;
  return row!.id;
}

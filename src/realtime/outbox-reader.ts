import { db } from '../db/client.ts';
import { columns, columnsOf, withJson } from '../db/columns.ts';
import { query } from '../db/query.ts';
import type { EventDetail, OutboxRow } from './outbox.ts';

/** A row with what delivery needs to know of its dialog; nulls when it has none, or none any more. */
export interface StreamRow extends Omit<OutboxRow, 'kind'> {
  /** `typing` is told past the stream: its row has no place in it (`position` -1). */
  kind: OutboxRow['kind'] | 'typing';
  dialogType: number | null;
  memberVersion: number | null;
  /** When it happened; absent where it is told past the stream. */
  createdAt?: Date;
  /** `messageEdited`, once its audience is asked for: who has deleted the message for themselves. */
  hiddenFrom?: number[] | undefined;
}

interface ReadRow extends StreamRow {
  /** Oldest transaction that was running when the rows were read. */
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
/** Images of records are large, and needed only where somebody watches their class. */
const DETAIL = withJson<{ detail: EventDetail | null }>()(
  columns({ detail: ['json', 'CASE WHEN e.class_key IS NULL THEN e.detail END'] }),
);
const AUDIENCE = columns({ audienceIds: ['int[] | null', 'e.audience_ids'] });
const DIALOG = columns({ dialogType: ['int | null', 'd.type'], memberVersion: ['int | null', 'd.member_version'] });
const OLDEST_RUNNING = columns({ oldestRunning: ['bigint', 'pg_snapshot_xmin(pg_current_snapshot())::text::bigint'] });

/** Rows of one read; a longer backlog takes several. */
const BATCH = 500;

/** Time after which a position that was missing is looked for again. */
export const GAP_RETRY_MS = 5;

/**
 * Reads the stream in the order of positions, each row once, and never past a position whose transaction is still
 * under way. Positions are dense but for those of transactions that were rolled back. A missing one is waited for
 * until every transaction that had begun when it was first missed has ended: then it never comes. The next id tells
 * which those are; the end of a snapshot does not, as it lies right behind the last one that has *ended*.
 */
export class OutboxReader {
  /** Everything up to here has been read, or will never come. */
  horizon = 0n;
  /** Transactions from this one on began after the first missing position was noticed. */
  #gapBarrier: bigint | undefined;

  /** Starts at the end of the stream: only what is written from now on is read. */
  async start(): Promise<void> {
    this.#gapBarrier = undefined;
    // Rows up to the last one seen here may still be missing between others; their transactions run now.
    const [end] = await query<{ position: bigint; nextTransaction: bigint }>`
      SELECT coalesce(max(position), 0) AS position, pg_current_xact_id()::text::bigint AS "nextTransaction"
      FROM events_outbox`;
    this.horizon = end!.position;
    while ((await oldestRunning()) < end!.nextTransaction) await delay(GAP_RETRY_MS);
  }

  /** @returns the next rows; `isBehind` tells that more may be had, at once or after `GAP_RETRY_MS` */
  async read(): Promise<{ rows: StreamRow[]; isBehind: 'no' | 'more' | 'gap' }> {
    const read = await this.#readOn();
    const rows: StreamRow[] = [];
    for (const row of read) {
      if (row.position !== this.horizon + 1n) {
        // What is already read must not be lost with a question that fails.
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
      // A database that has crashed may give out ids below the barrier again.
      this.#gapBarrier = undefined;
      throw error;
    }
  }

  async #isGapSettled({ oldestRunning }: ReadRow): Promise<boolean> {
    this.#gapBarrier ??= await nextTransaction();
    return oldestRunning >= this.#gapBarrier;
  }
}

/** Rows of an application behind a position and up to another, for a subscriber who missed them. */
export function readMissed(applicationId: number, after: bigint, upTo: bigint, limit: number): Promise<StreamRow[]> {
  return query`
    SELECT ${EVENT}, ${DETAIL}, ${AUDIENCE}, ${DIALOG}
    FROM events_outbox e LEFT JOIN dialogs d ON d.application_id = e.application_id AND d.id = e.dialog_id
    WHERE e.position > ${after} AND e.position <= ${upTo} AND e.application_id = ${applicationId}
    ORDER BY e.position LIMIT ${limit}`;
}

/** Whether a position that a client holds is still kept, and with it everything behind it. 0 lies before the first row. */
export async function isKept(position: bigint): Promise<boolean> {
  if (position > 0n) return (await db.outboxEvent.count({ where: { position } })) > 0;
  const oldest = await db.outboxEvent.findFirst({ orderBy: { position: 'asc' }, select: { position: true } });
  return oldest === null || oldest.position === 1n;
}

/** The last position that is committed; others before it may still be under way. */
export async function endOfStream(): Promise<bigint> {
  const [row] = await query<{ end: bigint }>`SELECT coalesce(max(position), 0) AS "end" FROM events_outbox`;
  return row!.end;
}

// One statement, so that rows and transactions are those of one moment.
function readAfter(position: bigint, limit: number): Promise<ReadRow[]> {
  return query`
    SELECT ${EVENT}, ${DETAIL}, ${AUDIENCE}, ${DIALOG}, ${OLDEST_RUNNING}
    FROM events_outbox e LEFT JOIN dialogs d ON d.application_id = e.application_id AND d.id = e.dialog_id
    WHERE e.position > ${position}
    ORDER BY e.position LIMIT ${limit}`;
}

async function oldestRunning(): Promise<bigint> {
  const [row] = await query<{ xmin: bigint }>`
    SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS xmin`;
  return row!.xmin;
}

/** The id of a transaction that begins now; all that have begun before have smaller ones. */
async function nextTransaction(): Promise<bigint> {
  const [row] = await query<{ id: bigint }>`SELECT pg_current_xact_id()::text::bigint AS id`;
  return row!.id;
}

function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

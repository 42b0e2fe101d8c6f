import { db, Prisma, plannedForValues, type Transaction } from '../db/client.ts';
import { isLockConflict } from '../db/failures.ts';
import { BACKGROUND, transact } from '../db/transact.ts';

/** Partitions for the stored events, because each one makes reads of the outbox slower. */
const PARTITIONS = 8n;

/** In positions. */
const SMALLEST_PARTITION = 1_000_000n;

/** Rows per statement. */
const READ_BATCH = 100_000;
const DELETE_BATCH = 5_000;

/** Writers queue behind a lock that is waited for. */
const LOCK_TIMEOUT_MS = 100;

/** Named `outbox.events_<first>`. It ends where the next one begins; the last one has no end and is usually empty. */
interface Partition {
  name: string;
  first: bigint;
}

/**
 * Expires events from the start, so that all events after a stored cursor are stored. The last event never expires,
 * because it is the current cursor. Rows are deleted one by one only from a partition that is still written to: few
 * events, or the rest after many. Several processes may run it at once.
 */
export async function sweepEvents(before: Date, smallest = SMALLEST_PARTITION): Promise<void> {
  const start = await moveStart(before);
  if (hasChanges(await planChanges(db, start, smallest))) await changePartitions(start, smallest);
  await deleteRows(start);
}

/** @returns the first position that has not expired */
async function moveStart(before: Date): Promise<bigint> {
  for (;;) {
    const [moved] = await db.$queryRaw<{ start: bigint; isEnd: boolean }[]>`
      WITH next AS MATERIALIZED (
        SELECT e.position, e.created_at >= ${before} AS is_kept FROM events_outbox e
        WHERE e.position >= (SELECT position FROM outbox_start WHERE id = 1) ORDER BY e.position LIMIT ${READ_BATCH}
      ), found AS (
        SELECT coalesce(min(position) FILTER (WHERE is_kept), max(position)) AS position,
          count(*) < ${READ_BATCH} OR bool_or(is_kept) AS is_end
        FROM next
      )
      UPDATE outbox_start s SET position = greatest(s.position, found.position) FROM found WHERE s.id = 1
      RETURNING s.position AS start, found.is_end AS "isEnd"`;
    if (moved!.isEnd) return moved!.start;
  }
}

interface Changes {
  expired: Partition[];
  /** The last partition, and where it is to end. */
  last: Partition;
  end: bigint | undefined;
}

/** Bounds are set ahead of the events, so that a partition is empty when it gets its end. */
async function planChanges(
  database: Pick<Transaction, '$queryRaw'>,
  start: bigint,
  smallest: bigint,
): Promise<Changes> {
  const partitions = await listPartitions(database);
  const position = await lastPosition(database);
  const last = partitions.at(-1)!;
  // Positions jump when a timeline begins, so that their difference is not the number of events.
  const size = largerOf(smallest, (position - largerOf(start, await firstPosition(database))) / PARTITIONS);
  return {
    expired: partitions.filter((_, nth) => nth + 1 < partitions.length && partitions[nth + 1]!.first <= start),
    last,
    // Positions may have jumped into the last partition.
    end: last.first - position < size ? largerOf(last.first, position) + size : undefined,
  };
}

function hasChanges({ expired, end }: Changes): boolean {
  return expired.length > 0 || end !== undefined;
}

/** Does nothing while a long transaction uses the outbox; the next sweep tries again. */
async function changePartitions(start: bigint, smallest: bigint): Promise<void> {
  try {
    await transact(BACKGROUND, async (transaction) => {
      // Without a name, because most texts are sent once.
      const run = (statement: string) => transaction.$executeRaw`${plannedForValues}${Prisma.raw(statement)}`;
      await run(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
      // Once it is granted, no transaction with a position is in flight.
      await run('LOCK TABLE ONLY events_outbox IN ACCESS EXCLUSIVE MODE');
      const { expired, last, end } = await planChanges(transaction, start, smallest);
      for (const { name } of expired) await run(`DROP TABLE outbox.${name}`);
      if (end === undefined) return;
      await run(`ALTER TABLE events_outbox DETACH PARTITION outbox.${last.name}`);
      await run(
        `ALTER TABLE events_outbox ATTACH PARTITION outbox.${last.name} FOR VALUES FROM (${last.first}) TO (${end})`,
      );
      await run(`CREATE TABLE outbox.events_${end} PARTITION OF events_outbox FOR VALUES FROM (${end}) TO (MAXVALUE)`);
    });
  } catch (error) {
    if (!isLockConflict(error)) throw error;
  }
}

async function deleteRows(start: bigint): Promise<void> {
  const [, second] = await listPartitions(db);
  if (second!.first <= (await lastPosition(db))) return;
  let deleted: number;
  do {
    deleted = await db.$executeRaw`
      DELETE FROM events_outbox WHERE position IN (
        SELECT position FROM events_outbox WHERE position < ${start} ORDER BY position LIMIT ${DELETE_BATCH})`;
  } while (deleted === DELETE_BATCH);
}

function listPartitions(database: Pick<Transaction, '$queryRaw'>): Promise<Partition[]> {
  return database.$queryRaw`
    SELECT c.relname::text AS name, split_part(c.relname, '_', 2)::bigint AS first
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'events_outbox'::regclass ORDER BY first`;
}

async function lastPosition(database: Pick<Transaction, '$queryRaw'>): Promise<bigint> {
  const [row] = await database.$queryRaw<{ position: bigint }[]>`
    SELECT coalesce(max(position), 0) AS position FROM events_outbox`;
  return row!.position;
}

async function firstPosition(database: Pick<Transaction, '$queryRaw'>): Promise<bigint> {
  const [row] = await database.$queryRaw<{ position: bigint }[]>`SELECT first_position AS position FROM timelines`;
  return row!.position;
}

function largerOf(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

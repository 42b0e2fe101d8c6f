import type { Context } from '../../context.ts';
import { db, Prisma } from '../../db/client.ts';
import { columns } from '../../db/columns.ts';
import { query } from '../../db/query.ts';
import { BadInputError, NotFoundError } from '../../lib/errors.ts';
import { problem } from '../../lib/problems.ts';
import { DAY, HOUR } from '../../lib/time.ts';

export interface ApplicationStats {
  users: number;
  usersOnline: number;
  files: number;
  fileBytes: number;
  pushesDelivered: number;
  pushesFailed: number;
  pushesWaiting: number;
  hours: ActivityHour[];
}

export interface ActivityHour {
  hour: Date;
  messages: number;
  reactions: number;
  recordChanges: number;
  pushesDelivered: number;
  pushesFailed: number;
}

export const MAX_HOURS = 24 * 31;

/** Rows without an owner count all files of the application. */
const ALL_FILES = 0;

/** Reads counters and the rows of the period only. @throws {BadInputError} {NotFoundError} */
export async function findApplicationStats(
  applicationId: number,
  hours: number,
  { now, presence }: Pick<Context, 'now' | 'presence'>,
): Promise<ApplicationStats> {
  if (hours < 1 || hours > MAX_HOURS)
    throw new BadInputError(problem('NOT_BETWEEN', { name: 'hours', min: 1, max: MAX_HOURS }));
  const at = now();
  const [application, files, pushes, counted] = await Promise.all([
    db.application.findUnique({ where: { id: applicationId }, select: { userCount: true } }),
    db.blobCount.findUnique({ where: { applicationId_userId: { applicationId, userId: ALL_FILES } } }),
    query<{ delivered: number; failed: number; waiting: number }>`
      SELECT coalesce(sum(delivered), 0)::int AS delivered, coalesce(sum(failed), 0)::int AS failed,
        coalesce(sum(recipients - delivered - failed) FILTER (WHERE finished_at IS NULL), 0)::int AS waiting
      FROM push_sends
      WHERE application_id = ${applicationId} AND id >= ${firstIdOf(new Date(at.getTime() - DAY))}`,
    findHours(applicationId, new Date(hourOf(at).getTime() - (hours - 1) * HOUR)),
  ]);
  if (!application) throw new NotFoundError();
  const byHour = new Map(counted.map((row) => [row.hour.getTime(), row]));
  const wanted = Array.from({ length: hours }, (_, index) => hourOf(at).getTime() - (hours - 1 - index) * HOUR);
  return {
    users: application.userCount,
    usersOnline: presence.countOnline(applicationId),
    files: files?.number ?? 0,
    fileBytes: Number(files?.bytes ?? 0),
    pushesDelivered: pushes[0]!.delivered,
    pushesFailed: pushes[0]!.failed,
    pushesWaiting: pushes[0]!.waiting,
    hours: wanted.map((time) => byHour.get(time) ?? { ...NOTHING, hour: new Date(time) }),
  };
}

/** The counted hours, and events of the last minutes that are not counted yet. */
function findHours(applicationId: number, since: Date): Promise<ActivityHour[]> {
  return query`
    SELECT ${SUMS}
    FROM (
      SELECT hour, messages, reactions, record_changes, pushes_delivered, pushes_failed FROM activity_hours
      WHERE application_id = ${applicationId} AND hour >= ${since}
      UNION ALL
      SELECT ${HOUR_OF_EVENT}, ${COUNTS_OF_EVENTS}, 0, 0
      FROM events_outbox e JOIN applications a ON a.id = e.application_id AND a.import_id IS NULL
      WHERE e.position > (SELECT position FROM activity_cursor WHERE id = 1) AND e.application_id = ${applicationId}
        AND e.kind IN (${COUNTED}) AND e.created_at >= ${since}
      GROUP BY 1) AS h
    GROUP BY hour`;
}

const SUMS = columns({
  hour: ['time', 'hour'],
  messages: ['int', 'sum(messages)::int'],
  reactions: ['int', 'sum(reactions)::int'],
  recordChanges: ['int', 'sum(record_changes)::int'],
  pushesDelivered: ['int', 'sum(pushes_delivered)::int'],
  pushesFailed: ['int', 'sum(pushes_failed)::int'],
});

const NOTHING = { messages: 0, reactions: 0, recordChanges: 0, pushesDelivered: 0, pushesFailed: 0 };

const COUNTED = Prisma.raw("'messageSent', 'reactionAdded', 'recordCreated', 'recordUpdated', 'recordDeleted'");

const HOUR_OF_EVENT = Prisma.raw("date_trunc('hour', e.created_at, 'UTC')");

/** Messages, reactions and changes of records. */
const COUNTS_OF_EVENTS = Prisma.raw(`
  count(*) FILTER (WHERE e.kind = 'messageSent')::int,
  count(*) FILTER (WHERE e.kind = 'reactionAdded')::int,
  count(*) FILTER (WHERE e.kind IN ('recordCreated', 'recordUpdated', 'recordDeleted'))::int`);

const ADD_COUNTS = Prisma.raw(`
  ON CONFLICT (application_id, hour) DO UPDATE SET messages = h.messages + excluded.messages,
    reactions = h.reactions + excluded.reactions, record_changes = h.record_changes + excluded.record_changes`);

/** Later than any transaction that appends events lasts, so that no event appears that the cursor has passed. */
const SETTLED_SECONDS = 120;

/** Events per statement. */
const BATCH = 20_000;

/** Counts the events since the last call; each exactly once, also if several processes call it. */
export async function countActivity(now: Date): Promise<void> {
  const before = new Date(now.getTime() - SETTLED_SECONDS * 1000);
  while ((await countBatch(before)) === BATCH);
}

async function countBatch(before: Date): Promise<number> {
  const [row] = await db.$queryRaw<{ count: number }[]>`
    WITH cursor AS (SELECT position FROM activity_cursor WHERE id = 1 FOR UPDATE),
    next AS (
      SELECT e.application_id, e.kind, e.created_at, e.position FROM events_outbox e, cursor c
      WHERE e.position > c.position ORDER BY e.position LIMIT ${BATCH}),
    events AS MATERIALIZED (
      SELECT * FROM (
        SELECT *, bool_and(created_at < ${before}) OVER (ORDER BY position) AS is_settled FROM next) AS n
      WHERE is_settled),
    counted AS (
      INSERT INTO activity_hours AS h (application_id, hour, messages, reactions, record_changes)
      SELECT e.application_id, ${HOUR_OF_EVENT}, ${COUNTS_OF_EVENTS}
      FROM events e JOIN applications a ON a.id = e.application_id AND a.import_id IS NULL
      WHERE e.kind IN (${COUNTED}) AND NOT EXISTS (SELECT FROM moved_positions p
        WHERE p.application_id = e.application_id AND e.position BETWEEN p.first + p.shift AND p.last + p.shift)
      GROUP BY 1, 2 ${ADD_COUNTS}),
    moved AS (
      UPDATE activity_cursor SET position = greatest(position, (SELECT max(position) FROM events)) WHERE id = 1)
    SELECT count(*)::int AS count FROM events`;
  return row!.count;
}

/**
 * Counts events that an application brings from another database, which has not counted them.
 * @param after position, as `upTo`
 */
export function countMovedActivity(
  applicationId: number,
  after: bigint,
  upTo: bigint,
): { text: string; values: unknown[] } {
  const { text, values } = Prisma.sql`
    INSERT INTO activity_hours AS h (application_id, hour, messages, reactions, record_changes)
    SELECT e.application_id, ${HOUR_OF_EVENT}, ${COUNTS_OF_EVENTS} FROM events_outbox e
    WHERE e.application_id = ${applicationId} AND e.position > ${after} AND e.position <= ${upTo} AND e.kind IN (${COUNTED})
    GROUP BY 1, 2 ${ADD_COUNTS}`;
  return { text, values };
}

/** Keeps a year of figures. */
export async function trimActivity(now: Date): Promise<void> {
  await db.activityHour.deleteMany({ where: { hour: { lt: new Date(now.getTime() - 366 * DAY) } } });
}

function hourOf(time: Date): Date {
  return new Date(Math.floor(time.getTime() / HOUR) * HOUR);
}

/** Ids begin with the seconds of their creation (src/db/ids.ts). */
function firstIdOf(time: Date): string {
  return Math.floor(time.getTime() / 1000)
    .toString(16)
    .padStart(8, '0');
}

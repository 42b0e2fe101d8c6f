import type { ActingContext } from '../../context.ts';
import { db, Prisma } from '../../db/client.ts';
import { applicationOf, coalesce } from '../../db/coalesce.ts';
import { columns } from '../../db/columns.ts';
import { query } from '../../db/query.ts';
import { inLiveSearchTurn } from '../../db/search-turns.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { ForbiddenError, NotFoundError } from '../../lib/errors.ts';
import type { RecordImage } from '../../realtime/outbox.ts';
import type { StreamEvent, Subscription } from '../../realtime/subscription.ts';
import { type ClassDefinition, catalogueOf, classNamed } from '../classes/catalogue.ts';
import { isForbidden, isGranted, namesGroup } from '../classes/grants.ts';
import { HELD_GRANTS } from '../users/granted-tags.ts';
import { RECORDS, whereOf } from './conditions.ts';
import { countValues, readRecordFilter } from './filter.ts';
import { type PresentedRecord, RECORD_COLUMNS, type RecordRow } from './rows.ts';

export interface RecordSubscription {
  className: string;
  where?: unknown;
  since?: string | null;
}

export interface RecordChange {
  position: bigint;
  recordId: string;
  kind: 'recordCreated' | 'recordUpdated' | 'recordDeleted';
  /** Current state at delivery; null if deleted, or no longer matching. */
  record: PresentedRecord | null;
}

/** Rights and filter are checked at delivery (`recordChange`), because both may change until then. */
export async function subscribeToRecords(
  { className, where, since }: RecordSubscription,
  { viewer, hub }: ActingContext,
): Promise<Subscription> {
  const definition = await classNamed(className, viewer);
  const condition = readRecordFilter(where, definition.fields, 'refuse');
  whereOf(condition);
  const filter = { text: textOf(where), valueCount: countValues(condition) };
  const subscription = await hub.subscribe(
    { viewer, kind: 'recordChanged', classKey: definition.key, filter },
    since ?? undefined,
  );
  // Deleting the class ends all subscriptions; it may have been deleted during `subscribe`.
  const classCount = await db.recordClass.count({
    where: { applicationId: viewer.applicationId, key: definition.key },
  });
  if (classCount > 0) return subscription;
  await subscription.return();
  throw new ForbiddenError('CLASS_UNDEFINED');
}

/** The record matches and is readable now, or did before. @throws {NotFoundError} otherwise: drops the event */
export async function recordChange(event: StreamEvent, where: unknown, context: ActingContext): Promise<RecordChange> {
  const { viewer } = context;
  const { payload } = event;
  // Rights are read at delivery; subscribers share only the past image.
  const [{ row, revision, catalogueVersion }, before] = await Promise.all([
    currentRow(payload),
    event.once('before', async () => (payload.kind === 'recordCreated' ? null : imageBefore(payload))),
  ]);
  const definition = await classOfEvent(payload, catalogueVersion);
  if (!definition) throw new NotFoundError();
  const images = [row && imageOf(row), before];
  const isNamed = await event.once(`where ${revision} ${textOf(where)}`, () =>
    namedBy(where, definition, { id: payload.subjectId, images }, context),
  );
  const [isShown, wasShown] = await Promise.all(
    images.map(
      async (image, index) => image !== null && isNamed[index] === true && isReadable(image, definition, viewer),
    ),
  );
  if (!isShown && !wasShown) throw new NotFoundError();
  return {
    position: payload.position,
    recordId: payload.subjectId,
    kind: payload.kind as RecordChange['kind'],
    record: isShown ? { ...row!, class: definition } : null,
  };
}

interface CurrentRow {
  row: RecordRow | null;
  /** Differs after each change of the row. */
  revision: string | null;
  catalogueVersion: number;
}

const CURRENT = columns({
  ord: ['int', 'w.ord::int'],
  catalogueVersion: ['int', 'a.catalogue_version'],
  revision: ['text | null', 'r.xmin::text'],
  exists: ['boolean', 'r.id IS NOT NULL'],
});

const currentRow = coalesce(
  async (events: StreamEvent['payload'][], applicationId: number): Promise<CurrentRow[]> => {
    // Hundreds of subscribers may request the same record.
    const wanted = [...new Map(events.map((event) => [event.subjectId, event])).values()];
    const rows = await query`
      SELECT ${RECORD_COLUMNS}, ${CURRENT}
      FROM unnest(${wanted.map(({ subjectId }) => subjectId)}::text[]) WITH ORDINALITY AS w (id, ord)
      JOIN applications a ON a.id = ${applicationId}
      LEFT JOIN records r ON r.application_id = ${applicationId} AND r.id = w.id`;
    const found = new Map(
      rows.map(({ ord, exists, revision, catalogueVersion, ...row }) => [
        wanted[ord - 1]!.subjectId,
        { row: exists ? row : null, revision, catalogueVersion },
      ]),
    );
    return events.map(({ subjectId }) => found.get(subjectId) ?? { row: null, revision: null, catalogueVersion: 0 });
  },
  { max: 10_000, applicationOf },
);

const imageBefore = coalesce(
  async (events: StreamEvent['payload'][], applicationId: number): Promise<(RecordImage | null)[]> => {
    const rows = await query<{ position: bigint; before: RecordImage | null }>`
      SELECT position, detail -> 'before' AS before FROM events_outbox
      WHERE application_id = ${applicationId} AND position = ANY(${events.map(({ position }) => position)}::bigint[])`;
    const images = new Map(rows.map(({ position, before }) => [position, before]));
    return events.map(({ position }) => images.get(position) ?? null);
  },
  { max: 500, applicationOf },
);

async function classOfEvent(
  { applicationId, classKey }: StreamEvent['payload'],
  atLeast: number,
): Promise<ClassDefinition | undefined> {
  const { byKey } = await catalogueOf(applicationId, atLeast);
  return byKey.get(classKey!);
}

function imageOf({ parentId, userId, readers, fields, createdAt, updatedAt }: RecordRow): RecordImage {
  return {
    parent_id: parentId,
    user_id: userId,
    readers,
    fields,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}

/** Cache key of a filter. */
function textOf(where: unknown): string {
  return JSON.stringify(where ?? null);
}

/** Evaluates the condition of lists in the database. @throws {NotFoundError} no subscription has this filter */
async function namedBy(
  where: unknown,
  definition: ClassDefinition,
  { id, images }: { id: string; images: (RecordImage | null)[] },
  { viewer, hub }: ActingContext,
): Promise<boolean[]> {
  const condition = readRecordFilter(where, definition.fields, 'refuse');
  if ('all' in condition && condition.all.length === 0) return images.map(() => true);
  const given = images.flatMap((image, ord) => (image ? [{ ord, id, ...image }] : []));
  const matching = Prisma.sql`
    SELECT r.ord FROM json_to_recordset(${JSON.stringify(given)}::json) AS r (ord int, id text, parent_id text,
      user_id int, fields jsonb, created_at timestamptz, updated_at timestamptz)
    WHERE ${whereOf(condition, { ...RECORDS, hasSlots: false })}`;
  const rows = await inLiveSearchTurn(jobOwnerOf(viewer), async () => {
    // All subscribers with this filter share the result.
    if (!hub.hasRecordFilter(definition, textOf(where))) throw new NotFoundError();
    return query<{ ord: number }>(matching);
  });
  const named = new Set(rows.map(({ ord }) => ord));
  return images.map((_image, ord) => named.has(ord));
}

async function isReadable(
  { user_id: ownerId, readers }: RecordImage,
  definition: ClassDefinition,
  viewer: ActingContext['viewer'],
): Promise<boolean> {
  if (viewer.kind === 'key') return true;
  if (isForbidden(definition.readers)) return false;
  if (ownerId === viewer.userId || isGranted(readers, viewer.userId, [])) return true;
  return namesGroup(readers) && isGranted(readers, viewer.userId, await heldGrantsOf(viewer));
}

const heldGrantsOf = coalesce(
  async (wanted: { applicationId: number; userId: number }[], applicationId: number): Promise<string[][]> => {
    const rows = await query<{ ord: number; held: string[] }>`
      SELECT w.ord::int AS ord, ${HELD_GRANTS} AS held
      FROM unnest(${wanted.map(({ userId }) => userId)}::int[]) WITH ORDINALITY AS w (id, ord)
      JOIN users u ON u.application_id = ${applicationId} AND u.id = w.id
      JOIN applications a ON a.id = ${applicationId}`;
    const held = new Map(rows.map((row) => [row.ord, row.held]));
    return wanted.map((_one, index) => held.get(index + 1) ?? []);
  },
  { max: 500, applicationOf },
);

import type { IdentifiedContext } from '../../context.ts';
import { Prisma } from '../../db/client.ts';
import { coalesce } from '../../db/coalesce.ts';
import { columns } from '../../db/columns.ts';
import { query } from '../../db/query.ts';
import type { IdentifiedViewer } from '../../lib/access.ts';
import { groupBy } from '../../lib/collections.ts';
import { NotFoundError } from '../../lib/errors.ts';
import { distinctIds, isStringId } from '../../lib/string-ids.ts';
import { type ClassDefinition, classNamed } from '../classes/catalogue.ts';
import { forbidden, isReadable, type RecordReader, readable } from './access.ts';
import { LISTED_COLUMNS, type ListedRow, type PresentedRecord } from './rows.ts';

/** `notFoundIds` includes unreadable records. */
export interface FoundRecords {
  records: PresentedRecord[];
  notFoundIds: string[];
}

type ReadRow = ListedRow & { isReadable: boolean };
const PLACE = columns({ place: ['int', 'wanted.place::int'] });

/** @param ownOnly requires the owner or an API key alone @throws {ForbiddenError} {NotFoundError} */
export async function findRecord(
  className: string,
  id: string,
  { viewer }: IdentifiedContext,
  { ownOnly }: { ownOnly?: boolean | null | undefined } = {},
): Promise<PresentedRecord> {
  const definition = await classNamed(className, viewer);
  const row = isStringId(id) ? await readRow({ definition, id, viewer }) : undefined;
  if (!row) throw new NotFoundError();
  const isOwn = viewer.kind === 'key' || (viewer.kind === 'user' && row.userId === viewer.userId);
  if (!row.isReadable || (ownOnly && !isOwn)) throw forbidden();
  return { ...row, class: definition };
}

/** In the requested order. @throws {ForbiddenError} `Undefined class` @throws {UnprocessableError} more than 100 ids */
export async function findRecordsById(
  className: string,
  ids: string[],
  { viewer }: IdentifiedContext,
): Promise<FoundRecords> {
  const definition = await classNamed(className, viewer);
  const requested = distinctIds(ids);
  const rows = await readRows(definition, requested, viewer);
  const byId = new Map(rows.filter(({ isReadable }) => isReadable).map((row) => [row.id, row]));
  return {
    records: requested.flatMap((id) => {
      const row = byId.get(id);
      return row ? [{ ...row, class: definition }] : [];
    }),
    notFoundIds: requested.filter((id) => !byId.has(id)),
  };
}

/** @throws {ForbiddenError} `Undefined class` @throws {NotFoundError} unknown, of another class, or unreadable */
export async function requireParent(className: string, id: string, viewer: IdentifiedViewer): Promise<void> {
  const definition = await classNamed(className, viewer);
  const [parent] = isStringId(id)
    ? await query<{ id: string }>`
        SELECT r.id FROM records r
        WHERE r.application_id = ${definition.applicationId} AND r.id = ${id} AND r.class_key = ${definition.key}
          AND ${readable(definition, viewer)}`
    : [];
  if (!parent) throw new NotFoundError();
}

interface Wanted {
  definition: ClassDefinition;
  id: string;
  viewer: IdentifiedViewer;
}

/** Batches reads per class; rights are still checked per viewer. */
const readRow = coalesce(async (wanted: Wanted[]): Promise<(ReadRow | undefined)[]> => {
  const rows = new Map<Wanted, ReadRow>();
  const groups = [...groupBy(wanted, ({ definition }) => definition).values()].flatMap((ofClass) => [
    ...groupBy(ofClass, ({ viewer }) => viewer.kind).values(),
  ]);
  // In parallel, so that classes do not delay each other.
  const read = async (alike: Wanted[]) => {
    for (const { place, ...row } of await readForEach(alike)) rows.set(alike[place - 1]!, row);
  };
  await Promise.all(groups.map(read));
  return wanted.map((one) => rows.get(one));
});

/** One class, and viewers of one kind. `place` is the 1-based position in `wanted`. */
function readForEach(wanted: Wanted[]): Promise<(ReadRow & { place: number })[]> {
  const { definition, viewer } = wanted[0]!;
  const reader: RecordReader = viewer.kind === 'user' ? { ...viewer, userId: Prisma.sql`wanted.user_id` } : viewer;
  const userIds = wanted.map((one) => (one.viewer.kind === 'user' ? one.viewer.userId : null));
  return query`
    SELECT ${LISTED_COLUMNS}, ${isReadable(definition, reader)}, ${PLACE}
    FROM unnest(${wanted.map(({ id }) => id)}::text[], ${userIds}::int[]) WITH ORDINALITY AS wanted (id, user_id, place)
    JOIN records r ON r.application_id = ${definition.applicationId} AND r.id = wanted.id AND r.class_key = ${definition.key}`;
}

function readRows(definition: ClassDefinition, ids: string[], viewer: IdentifiedViewer): Promise<ReadRow[]> {
  const possible = ids.filter(isStringId);
  if (possible.length === 0) return Promise.resolve([]);
  return query`
    SELECT ${LISTED_COLUMNS}, ${isReadable(definition, viewer)} FROM records r
    WHERE r.application_id = ${definition.applicationId} AND r.id = ANY(${possible}::text[]) AND r.class_key = ${definition.key}`;
}

import type { ActingContext } from '../../context.ts';
import { db, Prisma } from '../../db/client.ts';
import { coalesce } from '../../db/coalesce.ts';
import { isDeadlock, sqlState } from '../../db/failures.ts';
import { newId } from '../../db/ids.ts';
import { query } from '../../db/query.ts';
import { BadInputError, UnprocessableError } from '../../lib/errors.ts';
import { isOpen } from '../../lib/grants.ts';
import { newFields } from '../../lib/record-changes.ts';
import { isStringId } from '../../lib/string-ids.ts';
import { catalogueOf, type KnownClass } from '../classes/catalogue.ts';
import { creating, forbidden, readable } from './access.ts';
import { requireParent } from './find.ts';
import { ClassChanged, withClass } from './hold-class.ts';
import { grantsIn, missingKinds, openGrants, type RecordPermissions } from './permissions.ts';
import { type RecordRow, type ShownRecord, SLOT_COLUMNS, SLOT_NAMES, SLOT_VALUES, slotsOf } from './rows.ts';
import { takenValues, uniqueFields } from './unique.ts';

export interface NewRecord {
  /** Values by field, in any form of gaps §9.1. */
  fields?: unknown;
  permissions?: RecordPermissions | null;
  /** A record of any class. */
  parentId?: string | null;
}

/** One of several new records. */
export interface NumberedRecord extends NewRecord {
  /** How errors name it; its place, from 1, when it is left out. */
  number?: number | null;
}

/** Records of one request. */
export const MAX_RECORDS = 100;

/**
 * Stores a record of the caller's (gaps §9.3).
 * @throws {ForbiddenError} `Undefined class`; the caller may not create records of it
 * @throws {UnprocessableError} values or permissions against the rules; `Parent record was not found`
 */
export async function createRecord(
  { className, ...input }: NewRecord & { className: string },
  context: ActingContext,
): Promise<ShownRecord> {
  const [record] = await create(className, [{ ...input, prefix: '' }], context);
  return record!;
}

/**
 * Stores a record below another of a given class.
 * @throws as `createRecord`
 * @throws {NotFoundError} the parent is unknown, of another class, or out of the caller's sight
 */
export async function createChildRecord(
  { className, parentClassName, ...input }: NewRecord & { className: string; parentClassName: string },
  context: ActingContext,
): Promise<ShownRecord> {
  const hasParent = () => requireParent(parentClassName, input.parentId ?? '', context.viewer);
  const [record] = await create(className, [{ ...input, prefix: '' }], context, hasParent);
  return record!;
}

/**
 * Stores several records, all or none.
 * @throws {BadInputError} none, or more than 100
 * @throws {UnprocessableError} `Record <number>: <sentence>`
 * @throws {ForbiddenError} as `createRecord`
 */
export async function createRecords(
  className: string,
  inputs: NumberedRecord[],
  context: ActingContext,
): Promise<ShownRecord[]> {
  if (inputs.length === 0) throw new BadInputError('Record data is missing');
  if (inputs.length > MAX_RECORDS) throw new BadInputError(`A request may hold at most ${MAX_RECORDS} records`);
  const named = inputs.map(({ number, ...input }, index) => ({ ...input, prefix: `Record ${number ?? index + 1}: ` }));
  return create(className, named, context);
}

type NamedRecord = NewRecord & { prefix: string };

/** What is wrong with the values is told before what is missing, and that before what is forbidden (gaps §1.4). */
function create(
  className: string,
  inputs: NamedRecord[],
  context: ActingContext,
  requireParents = (rows: RecordRow[]): Promise<void> => requireVisibleParents(rows, inputs, context),
): Promise<ShownRecord[]> {
  return withClass(className, context, async (known) => {
    const rows = rowsOf(known, inputs, context);
    await requireParents(rows);
    await requireCreating(known, context);
    const missing = missingKinds(known, rows);
    if (missing) throw new ClassChanged(missing);
    // If a parent has gone, the next try finds out which.
    if (!(await storeUnique({ known, rows }, inputs))) throw new ClassChanged();
    context.outbox.wake();
    return rows.map((row) => ({ ...row, class: known }));
  });
}

async function requireCreating(known: KnownClass, { viewer }: ActingContext): Promise<void> {
  const mayCreate = creating(known, viewer);
  if (mayCreate === true) return;
  if (mayCreate === false) throw forbidden();
  const [row] = await query<{ may: boolean }>`SELECT ${mayCreate} AS may`;
  if (!row!.may) throw forbidden();
}

/** @throws {UnprocessableError} the sentences of all records */
function rowsOf(known: KnownClass, inputs: NamedRecord[], { viewer, now }: ActingContext): RecordRow[] {
  const at = now();
  const problems: string[] = [];
  const rows = inputs.map(({ fields: given, permissions, parentId, prefix }): RecordRow => {
    const { fields, problems: found } = newFields(known.fields, given);
    problems.push(...found.map((sentence) => prefix + sentence));
    return {
      applicationId: known.applicationId,
      id: newId(at),
      classKey: known.key,
      parentId: parentId || null,
      userId: viewer.kind === 'user' ? viewer.userId : 0,
      ...grantsIn(permissions, openGrants(known), (sentence) => problems.push(prefix + sentence)),
      fields,
      createdAt: at,
      updatedAt: at,
    };
  });
  if (problems.length > 0) throw new UnprocessableError(...problems);
  return rows;
}

/** Parents that the caller can't see are unknown to them. */
async function requireVisibleParents(
  rows: RecordRow[],
  inputs: NamedRecord[],
  { viewer }: ActingContext,
): Promise<void> {
  const ids = [...new Set(rows.flatMap(({ parentId }) => parentId ?? []))];
  if (ids.length === 0) return;
  const { byKey } = await catalogueOf(viewer.applicationId, viewer.catalogueVersion);
  const parents = await db.record.findMany({
    where: { applicationId: viewer.applicationId, id: { in: ids.filter(isStringId) } },
    select: { id: true, classKey: true },
  });
  const visible = new Set<string>();
  for (const classKey of new Set(parents.map((parent) => parent.classKey))) {
    const known = byKey.get(classKey);
    if (!known) continue;
    const seen = await query<{ id: string }>`
      SELECT r.id FROM records r
      WHERE r.application_id = ${known.applicationId} AND r.id = ANY(${parents.map(({ id }) => id)}::text[])
        AND r.class_key = ${classKey} AND ${readable(known, viewer)}`;
    for (const { id } of seen) visible.add(id);
  }
  const problems = rows.flatMap(({ parentId }, index) =>
    parentId && !visible.has(parentId) ? [`${inputs[index]!.prefix}Parent record was not found`] : [],
  );
  if (problems.length > 0) throw new UnprocessableError(...problems);
}

interface Batch {
  known: KnownClass;
  rows: RecordRow[];
}

/** @returns false: somebody was in the way, and the work has to begin anew */
async function storeUnique(batch: Batch, inputs: NamedRecord[]): Promise<boolean> {
  try {
    return await store(batch);
  } catch (error) {
    // Others may have wanted the same values in another order.
    if (isDeadlock(error)) return false;
    if (sqlState(error) !== '23505') throw error;
    const taken = await takenValues(batch.known, batch.rows);
    // Whoever had the value may be gone already; then there is nothing to complain about.
    if (taken.length === 0) return false;
    throw new UnprocessableError(
      ...taken.map(({ ord, field }) => `${inputs[ord]!.prefix}Field ${field} has already been taken`),
    );
  }
}

interface StoredBatch {
  batch: number;
  isKnown: boolean;
  hasParents: boolean;
}

/**
 * The batches of one turn of the event loop are stored by one statement. It holds the classes, so that nobody changes or
 * deletes them meanwhile, and stores a batch only if its class is still the one its values were cast by; it holds the
 * parents, so that no record outlives the one it was put below.
 */
const store = coalesce(async (batches: Batch[]): Promise<boolean[]> => {
  const given = batches.flatMap(({ known, rows }, batch) => {
    const unique = uniqueFields(known);
    return rows.map(({ createdAt, updatedAt: _same, ...row }) => ({
      batch,
      version: known.version,
      ...row,
      at: createdAt,
      isOpen: isOpen(row.readers),
      unique,
      ...slotsOf(known, row.fields),
    }));
  });
  const keys = batches.some(({ known }) => uniqueFields(known).length > 0)
    ? Prisma.sql`, claimed AS (
      INSERT INTO record_keys (application_id, class_key, field, value, record_id)
      SELECT g."applicationId", g."classKey", u.field, g.fields ->> u.field, g.id
      FROM sound g, json_array_elements_text(g."unique") AS u (field) WHERE jsonb_exists(g.fields, u.field)
      ORDER BY 1, 2, 3, 4
    )`
    : Prisma.empty;
  const rows = await query<StoredBatch>`
    WITH given AS MATERIALIZED (
      SELECT g.* FROM json_to_recordset(${JSON.stringify(given)}::json) AS g (
        batch int, version int, "applicationId" int, id text, "classKey" int, "parentId" text, "userId" int,
        "isOpen" boolean, readers json, updaters json, deleters json, fields jsonb, at timestamptz(3), "unique" json,
        ${SLOT_COLUMNS})
    ), held AS MATERIALIZED (
      SELECT c.key, c.version FROM record_classes c
      WHERE (c.application_id, c.key) IN (SELECT "applicationId", "classKey" FROM given)
      ORDER BY c.key FOR KEY SHARE
    ), parents AS MATERIALIZED (
      SELECT r.application_id, r.id FROM records r
      WHERE (r.application_id, r.id) IN (SELECT "applicationId", "parentId" FROM given WHERE "parentId" IS NOT NULL)
      ORDER BY r.id FOR KEY SHARE
    ), checked AS MATERIALIZED (
      SELECT g.batch, bool_and(h.key IS NOT NULL) AS "isKnown",
        bool_and(g."parentId" IS NULL OR p.id IS NOT NULL) AS "hasParents"
      FROM given g LEFT JOIN held h ON h.key = g."classKey" AND h.version = g.version
      LEFT JOIN parents p ON p.application_id = g."applicationId" AND p.id = g."parentId"
      GROUP BY g.batch
    ), sound AS MATERIALIZED (
      SELECT g.* FROM given g JOIN checked c USING (batch) WHERE c."isKnown" AND c."hasParents"
    ), stored AS (
      INSERT INTO records (application_id, id, class_key, parent_id, user_id, is_open, readers, updaters, deleters,
        fields, created_at, updated_at, ${SLOT_NAMES})
      SELECT g."applicationId", g.id, g."classKey", g."parentId", g."userId", g."isOpen",
        ARRAY(SELECT json_array_elements_text(g.readers)), ARRAY(SELECT json_array_elements_text(g.updaters)),
        ARRAY(SELECT json_array_elements_text(g.deleters)), g.fields, g.at, g.at, ${SLOT_VALUES}
      FROM sound g
      RETURNING application_id, id, class_key, user_id, created_at
    )${keys}, announced AS (
      INSERT INTO events_outbox (application_id, kind, class_key, subject_id, user_id, created_at)
      SELECT application_id, 'recordCreated', class_key, id, nullif(user_id, 0), created_at FROM stored ORDER BY id
    )
    SELECT batch, "isKnown", "hasParents" FROM checked`;
  const checked = new Map(rows.map((row) => [row.batch, row]));
  return batches.map((_batch, index) => {
    const { isKnown, hasParents } = checked.get(index)!;
    return isKnown && hasParents;
  });
});

import type { ActingContext } from '../../context.ts';
import { db } from '../../db/client.ts';
import { isDeadlock, sqlState } from '../../db/failures.ts';
import { newId } from '../../db/ids.ts';
import { query } from '../../db/query.ts';
import { jobOwnerOf, userIdOf } from '../../lib/access.ts';
import { BadInputError, UnprocessableError } from '../../lib/errors.ts';
import { inRecord, type Problem, problem } from '../../lib/problems.ts';
import { isStringId } from '../../lib/string-ids.ts';
import { type ClassDefinition, catalogueOf } from '../classes/catalogue.ts';
import { creating, forbidden, readable } from './access.ts';
import { newFields } from './changes.ts';
import { requireParent } from './find.ts';
import { ClassChanged, withClass } from './lock-class.ts';
import { grantsIn, missingKinds, openGrants, type RecordPermissions } from './permissions.ts';
import type { PresentedRecord, RecordRow } from './rows.ts';
import { mapInSlices } from './sizes.ts';
import { type Batch, storeBatch } from './store.ts';
import { takenKeys, takenProblem } from './unique.ts';

export interface NewRecord {
  /** Values by field, in any form that `castField` accepts. */
  fields?: unknown;
  permissions?: RecordPermissions | null;
  parentId?: string | null;
}

export interface NumberedRecord extends NewRecord {
  /** Number in error messages; default: position, from 1. */
  number?: number | null;
}

/** Records per request. */
export const MAX_RECORDS = 100;

/** @throws {ForbiddenError} `Undefined class`, or no create rights @throws {UnprocessableError} with all messages */
export async function createRecord(
  { className, ...input }: NewRecord & { className: string },
  context: ActingContext,
): Promise<PresentedRecord> {
  const [record] = await create(className, [{ ...input, number: undefined }], context);
  return record!;
}

/** @throws like `createRecord` @throws {NotFoundError} the parent is unknown, of another class, or unreadable */
export async function createChildRecord(
  { className, parentClassName, ...input }: NewRecord & { className: string; parentClassName: string },
  context: ActingContext,
): Promise<PresentedRecord> {
  const hasParent = () => requireParent(parentClassName, input.parentId ?? '', context.viewer);
  const [record] = await create(className, [{ ...input, number: undefined }], context, hasParent);
  return record!;
}

/** All or none. @throws {BadInputError} none, or more than 100 @throws like `createRecord` */
export async function createRecords(
  className: string,
  inputs: NumberedRecord[],
  context: ActingContext,
): Promise<PresentedRecord[]> {
  if (inputs.length === 0) throw new BadInputError('RECORDS_MISSING');
  if (inputs.length > MAX_RECORDS) throw new BadInputError(problem('TOO_MANY_RECORDS', { max: MAX_RECORDS }));
  const named = inputs.map(({ number, ...input }, index) => ({ ...input, number: number ?? index + 1 }));
  return create(className, named, context);
}

/** A record with the number that error messages name; without a number, they name none. */
type NamedRecord = NewRecord & { number: number | undefined };

/** Validates values first, then parents, then rights. */
function create(
  className: string,
  inputs: NamedRecord[],
  context: ActingContext,
  requireParents = (rows: RecordRow[]): Promise<void> => requireVisibleParents(rows, inputs, context),
): Promise<PresentedRecord[]> {
  return withClass(className, context, async (definition) => {
    const { rows, bytes } = await rowsOf(definition, inputs, context);
    await requireParents(rows);
    await requireCreating(definition, context);
    const missing = missingKinds(definition, rows);
    if (missing) throw new ClassChanged(missing);
    // If a parent was deleted, the retry reports it.
    const owner = jobOwnerOf(context.viewer);
    if (!(await storeUnique({ definition, rows, bytes, owner }, inputs))) throw new ClassChanged();
    context.outbox.wake();
    return rows.map((row) => ({ ...row, class: definition }));
  });
}

async function requireCreating(definition: ClassDefinition, { viewer }: ActingContext): Promise<void> {
  const mayCreate = creating(definition, viewer);
  if (mayCreate === true) return;
  if (mayCreate === false) throw forbidden();
  const [row] = await query<{ may: boolean }>`SELECT ${mayCreate} AS may`;
  if (!row!.may) throw forbidden();
}

/** @throws {UnprocessableError} the messages of all records */
async function rowsOf(
  definition: ClassDefinition,
  inputs: NamedRecord[],
  { viewer, now }: ActingContext,
): Promise<{ rows: RecordRow[]; bytes: number }> {
  const at = now();
  const problems: Problem[] = [];
  let bytes = 0;
  const rows = await mapInSlices(inputs, ({ fields: given, permissions, parentId, number }): [RecordRow, number] => {
    const { fields, problems: found, bytes: size } = newFields(definition.fields, given);
    bytes += size;
    problems.push(...found.map((problem) => inRecord(number, problem)));
    const row = {
      applicationId: definition.applicationId,
      id: newId(at),
      classKey: definition.key,
      parentId: parentId || null,
      userId: userIdOf(viewer),
      ...grantsIn(permissions, openGrants(definition), (problem) => problems.push(inRecord(number, problem))),
      fields,
      createdAt: at,
      updatedAt: at,
    };
    return [row, size];
  });
  if (problems.length > 0) throw new UnprocessableError(...problems);
  return { rows, bytes };
}

/** Treats unreadable parents as unknown, so that errors do not reveal them. */
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
    const definition = byKey.get(classKey);
    if (!definition) continue;
    const seen = await query<{ id: string }>`
      SELECT r.id FROM records r
      WHERE r.application_id = ${definition.applicationId} AND r.id = ANY(${parents.map(({ id }) => id)}::text[])
        AND r.class_key = ${classKey} AND ${readable(definition, viewer)}`;
    for (const { id } of seen) visible.add(id);
  }
  const problems = rows.flatMap(({ parentId }, index) =>
    parentId && !visible.has(parentId) ? [inRecord(inputs[index]!.number, 'PARENT_NOT_FOUND')] : [],
  );
  if (problems.length > 0) throw new UnprocessableError(...problems);
}

/** @returns false if a concurrent change requires a retry */
async function storeUnique(batch: Batch, inputs: NamedRecord[]): Promise<boolean> {
  try {
    return await storeBatch(batch);
  } catch (error) {
    // Concurrent inserts of the same values in another order.
    if (isDeadlock(error)) return false;
    if (sqlState(error) !== '23505') throw error;
    const taken = await takenKeys(batch.definition, batch.rows);
    // The conflicting record may have been deleted since.
    if (taken.length === 0) return false;
    throw new UnprocessableError(...taken.map(({ ord, field }) => inRecord(inputs[ord]!.number, takenProblem(field))));
  }
}

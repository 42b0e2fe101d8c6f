import { Prisma, type Transaction } from '../../db/client.ts';
import { sqlState } from '../../db/failures.ts';
import { UnprocessableError } from '../../lib/errors.ts';
import { distinct, type Problem, problem } from '../../lib/problems.ts';
import type { ClassDefinition, ClassIndex, StoredField } from './catalogue.ts';
import { type CompoundSlot, MAX_COMPOUND_BYTES, SLOTS } from './slots.ts';

export interface IndexInput {
  fields: string[];
  unique?: boolean | null;
}

export interface IndexChange {
  before: ClassIndex | undefined;
  after: ClassIndex;
}

export const MAX_INDEXES = SLOTS.compound.length;
const MAX_INDEX_FIELDS = 3;

/** Name of a compound index in errors, and in `record_keys` if it is unique. Names of fields have no comma. */
export function indexName({ fields }: Pick<ClassIndex, 'fields'>): string {
  return fields.join(',');
}

/**
 * Changes that make `inputs` the compound indexes of a class.
 * @param inputs omitted: no changes
 * @param isEmpty the class has no records to index
 * @throws {UnprocessableError} with all messages that apply
 */
export function changedIndexes(
  known: readonly ClassIndex[],
  inputs: readonly IndexInput[] | null | undefined,
  fields: ReadonlyMap<string, StoredField>,
  { isEmpty }: { isEmpty: boolean },
): IndexChange[] {
  if (!inputs) return [];
  const problems = inputs.flatMap((input) => problemsOf(input, fields));
  const names = inputs.map(indexName);
  const repeated = names.find((name, place) => names.indexOf(name) < place);
  if (repeated !== undefined) problems.push(problem('INDEX_REPEATED', { index: repeated }));
  if (inputs.length > MAX_INDEXES) problems.push(TOO_MANY);
  if (problems.length > 0) throw new UnprocessableError(...distinct(problems));

  const current = new Map(known.map((index) => [indexName(index), index]));
  const dropped = known.filter((index) => index.state !== 'dropping' && !names.includes(indexName(index)));
  const taken = new Set<string>(known.map(({ slot }) => slot));
  const wanted = inputs.flatMap((input): IndexChange[] => {
    const before = current.get(indexName(input));
    const isUnique = input.unique ?? false;
    if (before && before.state !== 'dropping') {
      return before.isUnique === isUnique ? [] : [{ before, after: { ...before, isUnique } }];
    }
    const slot = before?.slot ?? freeSlot(taken);
    taken.add(slot);
    return [{ before, after: { slot, fields: input.fields, isUnique, state: isEmpty ? 'ready' : 'building' } }];
  });
  const drops = dropped.map((before) => ({
    before,
    after: { ...before, isUnique: false, state: 'dropping' as const },
  }));
  return [...drops, ...wanted];
}

const TOO_MANY = problem('TOO_MANY_INDEXES', { max: MAX_INDEXES });

/** The slot of a dropped index is free once it has been cleared in all records. */
function freeSlot(taken: ReadonlySet<string>): CompoundSlot {
  const free = SLOTS.compound.find((slot) => !taken.has(slot));
  if (!free) throw new UnprocessableError(problem('TOO_MANY_INDEXES_FOR_NOW', { max: MAX_INDEXES }));
  return free;
}

function problemsOf(input: IndexInput, fields: ReadonlyMap<string, StoredField>): Problem[] {
  const { length } = input.fields;
  if (length < 2 || length > MAX_INDEX_FIELDS || new Set(input.fields).size < length) {
    return [problem('INDEX_FIELD_COUNT', { max: MAX_INDEX_FIELDS })];
  }
  return input.fields.flatMap((name) => {
    const field = fields.get(name);
    if (!field) return [problem('INDEX_FIELD_UNKNOWN', { index: indexName(input) })];
    const hasOrder = !field.isArray && field.type !== 'Location' && field.type !== 'File';
    return hasOrder ? [] : [problem('FIELD_NOT_FOR_INDEX', { field: name })];
  });
}

/** Checks existing records against the index, and adds or removes its unique keys. */
export async function prepareIndex(
  transaction: Transaction,
  { applicationId, key, fields }: ClassDefinition,
  { before, after }: IndexChange,
): Promise<void> {
  const records = Prisma.sql`records r WHERE r.application_id = ${applicationId} AND r.class_key = ${key}`;
  if (after.state === 'building' && before?.state !== 'building') {
    for (const name of after.fields) {
      if (fields.get(name)?.type !== 'String') continue;
      const [long] = await transaction.$queryRaw<{ id: string }[]>`
        SELECT r.id FROM ${records} AND octet_length(r.fields ->> ${name}) > ${MAX_COMPOUND_BYTES} LIMIT 1`;
      if (long) throw new UnprocessableError(problem('FIELD_TOO_LONG', { field: name, max: MAX_COMPOUND_BYTES }));
    }
  }
  if (after.isUnique && !before?.isUnique) {
    const added = transaction.$executeRaw`
      INSERT INTO record_keys (application_id, class_key, field, value, record_id)
      SELECT r.application_id, r.class_key, ${indexName(after)}, compound_key(r.fields, ${after.fields}::text[]), r.id
      FROM ${records} AND jsonb_exists_all(r.fields, ${after.fields}::text[])`;
    await added.catch((error) => {
      if (sqlState(error) !== '23505') throw error;
      throw new UnprocessableError(problem('FIELDS_NOT_UNIQUE', { fields: after.fields.join(', ') }));
    });
  }
  if (before?.isUnique && !after.isUnique) {
    await transaction.recordKey.deleteMany({ where: { applicationId, classKey: key, field: indexName(after) } });
  }
}

export async function storeIndexes(
  transaction: Transaction,
  { applicationId, key }: { applicationId: number; key: number },
  changes: readonly IndexChange[],
): Promise<void> {
  for (const { after } of changes) {
    const { slot, ...data } = after;
    await transaction.classIndex.upsert({
      where: { applicationId_classKey_slot: { applicationId, classKey: key, slot } },
      create: { applicationId, classKey: key, ...after },
      update: data,
    });
  }
}

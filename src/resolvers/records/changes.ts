import { isObject, type ParameterValue } from '../../lib/bracket-keys.ts';
import { readInteger } from '../../lib/parameter-values.ts';
import { MAX_INDEXED_BYTES } from '../classes/slots.ts';
import {
  type Cast,
  castField,
  castScalar,
  type Scalar,
  type StoredFields,
  type StoredValue,
  type TypedField,
} from '../classes/values.ts';

/** A field with what its class demands of it. */
export interface RuledField extends TypedField {
  isRequired: boolean;
  isUnique: boolean;
  slot: string | null;
}

export type RuledFields = ReadonlyMap<string, RuledField>;

/** Update operators, each an object of arguments by field (gaps §9.4). */
export interface RecordOperators {
  inc?: unknown;
  push?: unknown;
  addToSet?: unknown;
  pull?: unknown;
  pullAll?: unknown;
  pop?: unknown;
}

export interface RecordChanges extends RecordOperators {
  /** Values by field; an array field also takes `{ "<index>": item }`. */
  fields?: unknown;
}

/** What an input makes of the fields of a record: the new ones, or what is wrong. */
export interface ChangedRecord {
  fields: StoredFields;
  problems: string[];
  /** Those of the problems that do not depend on what the record held before; `problemsOf` finds most of them first. */
  inputProblems: string[];
  isTooLarge: boolean;
}

/** Longest object of the fields, as JSON in UTF-8 (gaps §17). */
const MAX_BYTES = 262_144;

/** The fields of a new record; names that the class does not know are ignored (gaps §9.1). */
export function newFields(rules: RuledFields, given: unknown): ChangedRecord {
  return changedFields(rules, {}, { fields: given }, { isNew: true });
}

/** The fields of a record after a change; a field that is set to null is unset. */
export function changedFields(
  rules: RuledFields,
  before: StoredFields,
  changes: RecordChanges,
  { isNew = false, isTrial = false }: { isNew?: boolean; isTrial?: boolean } = {},
): ChangedRecord {
  const record = new ChangingRecord(rules, before);
  record.each('fields', changes.fields, (field, given) => {
    if (field.type === 'File') return;
    const isByIndex = !isNew && field.isArray && isObject(given) && !('lat' in given);
    if (isByIndex) record.replaceItems(field, given);
    else record.give(field, castField(field, given));
  });
  for (const [name, operator, apply] of OPERATORS) {
    record.each(name, changes[name], (field, given) => {
      const value = apply(field, record.valueOf(field), given);
      if (value === undefined) record.problems.push(`Operator ${operator} can't be used with field ${field.name}`);
      else record.set(field, value);
    });
  }
  if (!isTrial) record.check();
  return record;
}

/** What is wrong with a change whatever the record is like that it comes to. */
export function problemsOf(rules: RuledFields, changes: RecordChanges): string[] {
  return changedFields(rules, {}, changes, { isTrial: true }).problems;
}

/** Whether a unique field is to change, so that other records decide whether that is refused. */
export function mentionsUnique(rules: RuledFields, changes: RecordChanges): boolean {
  return ['fields' as const, ...OPERATORS.map(([name]) => name)].some((name) => {
    const given = changes[name] as ParameterValue | undefined;
    return isObject(given) && Object.keys(given).some((field) => rules.get(field)?.isUnique);
  });
}

class ChangingRecord implements ChangedRecord {
  readonly problems: string[] = [];
  readonly inputProblems: string[] = [];
  isTooLarge = false;
  readonly fields: StoredFields;
  readonly #rules: RuledFields;
  /** Fields whose whole value the input gives. */
  readonly #given = new Set<string>();

  constructor(rules: RuledFields, before: StoredFields) {
    this.#rules = rules;
    this.fields = { ...before };
  }

  /** The given arguments of the fields that the class knows. */
  each(what: string, given: unknown, apply: (field: RuledField, given: ParameterValue) => void): void {
    if (given === undefined || given === null) return;
    if (!isObject(given as ParameterValue)) {
      this.problems.push(`${what} should be an object`);
      return;
    }
    for (const [name, value] of Object.entries(given)) {
      const field = this.#rules.get(name);
      if (field) apply(field, value);
    }
  }

  valueOf({ name }: TypedField): StoredValue | undefined {
    return Object.hasOwn(this.fields, name) ? this.fields[name] : undefined;
  }

  give(field: TypedField, cast: Cast<StoredValue | null>): void {
    this.#given.add(field.name);
    this.set(field, cast);
  }

  set({ name }: TypedField, cast: Cast<StoredValue | null>): void {
    if (cast.problem !== undefined) this.problems.push(cast.problem);
    else if (cast.value === null) delete this.fields[name];
    else this.fields[name] = cast.value;
  }

  /** `{ "1": "x" }` replaces the second item; an index beyond the end appends. */
  replaceItems(field: RuledField, given: Record<string, ParameterValue>): void {
    const items = [...((this.valueOf(field) as Scalar[] | undefined) ?? [])];
    const entries = Object.entries(given).map(([key, item]) => [readIndex(key), item] as const);
    if (entries.some(([index]) => index === undefined)) {
      this.problems.push(`Field ${field.name} should be an array`);
      return;
    }
    for (const [index, item] of entries.sort(([a], [b]) => a! - b!)) {
      const cast = castScalar(field, item);
      if (cast.problem !== undefined) this.problems.push(cast.problem);
      else items[Math.min(index!, items.length)] = cast.value;
    }
    this.set(field, { value: items });
  }

  check(): void {
    if (this.problems.length > 0) return;
    for (const field of this.#rules.values()) {
      const value = this.valueOf(field);
      const isShort = (field.isUnique || field.slot !== null) && field.type === 'String' && !field.isArray;
      if (field.isRequired && value === undefined) this.#refuse(field, `Field ${field.name} is required`);
      else if (isShort && value !== undefined && Buffer.byteLength(String(value)) > MAX_INDEXED_BYTES) {
        this.#refuse(field, `Field ${field.name} is too long (maximum is ${MAX_INDEXED_BYTES} bytes)`);
      }
    }
    this.isTooLarge = Buffer.byteLength(JSON.stringify(this.fields)) > MAX_BYTES;
    if (this.isTooLarge) {
      this.problems.push(`Record is too large (maximum is ${MAX_BYTES} bytes)`);
    }
  }

  #refuse({ name }: RuledField, problem: string): void {
    this.problems.push(problem);
    if (this.#given.has(name)) this.inputProblems.push(problem);
  }
}

/** @returns undefined where the operator does not fit the field or its argument */
type Operator = (
  field: RuledField,
  value: StoredValue | undefined,
  given: ParameterValue,
) => Cast<StoredValue | null> | undefined;

const OPERATORS: [name: keyof RecordOperators, operator: string, apply: Operator][] = [
  ['inc', 'inc', increment],
  ['push', 'push', onArray((items, added) => [...items, ...added])],
  ['addToSet', 'add_to_set', onArray(withMissing)],
  ['pull', 'pull', pull],
  ['pullAll', 'pull_all', onArray(withoutListed)],
  ['pop', 'pop', pop],
];

function increment(field: RuledField, value: StoredValue | undefined, given: ParameterValue): ReturnType<Operator> {
  if (field.isArray || (field.type !== 'Integer' && field.type !== 'Float')) return undefined;
  const step = castScalar(field, given);
  if (step.problem !== undefined) return step;
  // The sum has to be one that the type can hold.
  return castScalar(field, (Number(value ?? 0) + Number(step.value)) as ParameterValue);
}

function onArray(change: (items: Scalar[], given: Scalar[]) => Scalar[]): Operator {
  return (field, value, given) => {
    if (!field.isArray) return undefined;
    const cast = castField(field, given);
    if (cast.problem !== undefined) return cast;
    return { value: change((value as Scalar[] | undefined) ?? [], (cast.value as Scalar[] | null) ?? []) };
  };
}

function withMissing(items: Scalar[], added: Scalar[]): Scalar[] {
  const known = new Set(items.map(keyOf));
  const missing = added.filter((item) => known.size < known.add(keyOf(item)).size);
  return [...items, ...missing];
}

function withoutListed(items: Scalar[], listed: Scalar[]): Scalar[] {
  const keys = new Set(listed.map(keyOf));
  return items.filter((item) => !keys.has(keyOf(item)));
}

/** Equal for equal items: long arrays are compared by it, as comparing each with each would take forever. */
function keyOf(item: Scalar): string {
  return JSON.stringify(item);
}

const COMPARISONS: Record<string, (order: number) => boolean> = {
  lt: (order) => order < 0,
  lte: (order) => order <= 0,
  gt: (order) => order > 0,
  gte: (order) => order >= 0,
};

/** Removes the items that equal a value, or that operators match: all of them, where several are given. */
function pull(field: RuledField, value: StoredValue | undefined, given: ParameterValue): ReturnType<Operator> {
  if (!field.isArray) return undefined;
  const items = (value as Scalar[] | undefined) ?? [];
  if (!isObject(given) || 'lat' in given) {
    const cast = castScalar(field, given);
    return cast.problem !== undefined ? cast : { value: withoutListed(items, [cast.value]) };
  }
  const tests: ((item: Scalar) => boolean)[] = [];
  for (const [operator, argument] of Object.entries(given)) {
    const isCompared = Object.hasOwn(COMPARISONS, operator) && field.type !== 'Boolean' && field.type !== 'Location';
    if (isCompared || operator === 'ne') {
      const cast = castScalar(field, argument);
      if (cast.problem !== undefined) return cast;
      tests.push(isCompared ? comparison(COMPARISONS[operator]!, cast.value) : differsFrom(cast.value));
    } else if (operator === 'in' || operator === 'nin' || operator === 'notIn') {
      const cast = castField(field, argument);
      if (cast.problem !== undefined) return cast;
      const listed = new Set(((cast.value as Scalar[] | null) ?? []).map(keyOf));
      tests.push((item) => listed.has(keyOf(item)) === (operator === 'in'));
    } else {
      return undefined;
    }
  }
  return { value: items.filter((item) => !tests.every((test) => test(item))) };
}

function pop(field: RuledField, value: StoredValue | undefined, given: ParameterValue): ReturnType<Operator> {
  const end = readInteger(given);
  if (!field.isArray || (end !== 1 && end !== -1)) return undefined;
  const items = (value as Scalar[] | undefined) ?? [];
  return { value: end === 1 ? items.slice(0, -1) : items.slice(1) };
}

function readIndex(key: string): number | undefined {
  return /^\d{1,6}$/.test(key) ? Number(key) : undefined;
}

function differsFrom(other: Scalar): (item: Scalar) => boolean {
  const key = keyOf(other);
  return (item) => keyOf(item) !== key;
}

/**
 * Numbers by size, texts by the order of their code points, as the database sorts them. The argument is converted once:
 * it may be long, and the items many.
 */
function comparison(isMatch: (order: number) => boolean, than: Scalar): (item: Scalar) => boolean {
  if (typeof than !== 'string') return (item) => isMatch(Number(item) - Number(than));
  const bytes = Buffer.from(than);
  return (item) => isMatch(Buffer.compare(Buffer.from(String(item)), bytes));
}

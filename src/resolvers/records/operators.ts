import { readInteger } from '../../lib/casts.ts';
import { isObject, type JsonValue } from '../../lib/json.ts';
import { type Cast, castField, castScalar, type Scalar, type StoredValue, type TypedField } from '../classes/values.ts';

/** Each an object of arguments by field. */
export interface RecordOperators {
  inc?: unknown;
  push?: unknown;
  addToSet?: unknown;
  pull?: unknown;
  pullAll?: unknown;
  pop?: unknown;
}

export type ValueChange = (value: StoredValue | undefined) => Cast<StoredValue | null>;

type ItemsChange = (items: Scalar[]) => Scalar[];

/** Parses the argument once for all records, because both may be long. Undefined if it does not fit the field. */
type Operator = (field: TypedField, given: JsonValue) => ValueChange | undefined;

/** In order of application. */
export const OPERATORS: [name: keyof RecordOperators, operator: string, read: Operator][] = [
  ['inc', 'inc', increment],
  ['push', 'push', onArray((added) => (items) => [...items, ...added])],
  ['addToSet', 'add_to_set', onArray(addingMissing)],
  ['pull', 'pull', pull],
  ['pullAll', 'pull_all', onArray(removingListed)],
  ['pop', 'pop', pop],
];

function increment(field: TypedField, given: JsonValue): ValueChange | undefined {
  if (field.isArray || (field.type !== 'Integer' && field.type !== 'Float')) return undefined;
  const step = castScalar(field, given);
  if (step.problem !== undefined) return () => step;
  // Checks that the sum fits the type.
  return (value) => castScalar(field, (Number(value ?? 0) + Number(step.value)) as JsonValue);
}

function onArray(changing: (given: Scalar[]) => ItemsChange): Operator {
  return (field, given) => {
    if (!field.isArray) return undefined;
    const cast = castField(field, given);
    if (cast.problem !== undefined) return () => cast;
    return changed(changing((cast.value as Scalar[] | null) ?? []));
  };
}

const changed =
  (change: ItemsChange): ValueChange =>
  (value) => ({ value: change((value as Scalar[] | undefined) ?? []) });

function addingMissing(added: Scalar[]): ItemsChange {
  const unique = new Map<unknown, Scalar>();
  for (const item of added) if (!unique.has(keyOf(item))) unique.set(keyOf(item), item);
  return (items) => {
    const known = new Set(items.map(keyOf));
    const missing = [...unique].flatMap(([key, item]) => (known.has(key) ? [] : [item]));
    return [...items, ...missing];
  };
}

function removingListed(listed: Scalar[]): ItemsChange {
  const keys = new Set(listed.map(keyOf));
  return (items) => items.filter((item) => !keys.has(keyOf(item)));
}

/** Comparison by key keeps operations on long arrays linear. */
function keyOf(item: Scalar): unknown {
  return typeof item === 'object' ? JSON.stringify(item) : item;
}

const COMPARISONS: Record<string, (order: number) => boolean> = {
  lt: (order) => order < 0,
  lte: (order) => order <= 0,
  gt: (order) => order > 0,
  gte: (order) => order >= 0,
};

/** Removes items that equal a value, or that match all given operators. */
function pull(field: TypedField, given: JsonValue): ValueChange | undefined {
  if (!field.isArray) return undefined;
  if (!isObject(given) || 'lat' in given) {
    const cast = castScalar(field, given);
    return cast.problem !== undefined ? () => cast : changed(removingListed([cast.value]));
  }
  const tests: ((item: Scalar) => boolean)[] = [];
  for (const [operator, argument] of Object.entries(given)) {
    const isCompared = Object.hasOwn(COMPARISONS, operator) && field.type !== 'Boolean' && field.type !== 'Location';
    if (isCompared || operator === 'ne') {
      const cast = castScalar(field, argument);
      if (cast.problem !== undefined) return () => cast;
      tests.push(isCompared ? comparison(COMPARISONS[operator]!, cast.value) : differsFrom(cast.value));
    } else if (operator === 'in' || operator === 'nin' || operator === 'notIn') {
      const cast = castField(field, argument);
      if (cast.problem !== undefined) return () => cast;
      const listed = new Set(((cast.value as Scalar[] | null) ?? []).map(keyOf));
      tests.push((item) => listed.has(keyOf(item)) === (operator === 'in'));
    } else {
      return undefined;
    }
  }
  return changed((items) => items.filter((item) => !tests.every((test) => test(item))));
}

function pop(field: TypedField, given: JsonValue): ValueChange | undefined {
  const end = readInteger(given);
  if (!field.isArray || (end !== 1 && end !== -1)) return undefined;
  return changed((items) => (end === 1 ? items.slice(0, -1) : items.slice(1)));
}

function differsFrom(other: Scalar): (item: Scalar) => boolean {
  const key = keyOf(other);
  return (item) => keyOf(item) !== key;
}

/** Sorts texts by code point, as the database does. Converts the argument once, because it may be long. */
function comparison(isMatch: (order: number) => boolean, than: Scalar): (item: Scalar) => boolean {
  if (typeof than !== 'string') return (item) => isMatch(Number(item) - Number(than));
  const bytes = Buffer.from(than);
  return (item) => isMatch(Buffer.compare(Buffer.from(String(item)), bytes));
}

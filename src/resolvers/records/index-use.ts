import { Prisma } from '../../db/client.ts';
import type { ClassDefinition, ClassIndex } from '../classes/catalogue.ts';
import { AFTER_PARTS, compoundPart, SET_PART, UNSET_PART } from '../classes/slots.ts';
import { comparable, slotColumn } from './conditions.ts';
import type { FilterField, FilterTest, FilterValue, RecordCondition } from './filter.ts';

/** A range of a compound index that contains all matches of a filter. */
export interface IndexUse {
  index: ClassIndex;
  column: Prisma.Sql;
  /** Key of the first fields, which have exact values. */
  prefix: string;
  /** Condition of the range. */
  range: Prisma.Sql;
  /** Conditions that the range does not cover. */
  residual: RecordCondition;
  /** The range is sorted by this field and then by id; null: by id. Undefined: it has another order. */
  sortedBy: FilterField | null | undefined;
}

const RANGE_OPERATORS = new Set(['lt', 'lte', 'gt', 'gte']);

/**
 * The best compound index for a filter: one that returns the requested order, else the one that covers most conditions.
 * Undefined if none has an exact value for its first field.
 */
export function indexUseOf(
  { indexes, fields }: ClassDefinition,
  condition: RecordCondition,
  order: FilterField | undefined,
): IndexUse | undefined {
  const ready = indexes.filter(({ state }) => state === 'ready');
  if (ready.length === 0) return undefined;
  const tests = conjunctsOf(condition);
  const uses = ready.flatMap((index) => useOf(index, tests, fields, order) ?? []);
  const rank = ({ use, covered }: (typeof uses)[number]) => covered + (use.sortedBy === undefined ? 0 : tests.length);
  return uses.sort((a, b) => rank(b) - rank(a))[0]?.use;
}

export function isRange({ operator }: FilterTest): boolean {
  return RANGE_OPERATORS.has(operator);
}

/** Conditions that all must match. */
export function conjunctsOf(condition: RecordCondition): RecordCondition[] {
  return 'all' in condition ? condition.all.flatMap(conjunctsOf) : [condition];
}

function useOf(
  index: ClassIndex,
  tests: RecordCondition[],
  fields: ClassDefinition['fields'],
  order: FilterField | undefined,
): { use: IndexUse; covered: number } | undefined {
  const isById = !order || order.name === '_id';
  const last = index.fields.at(-1)!;
  const exact: FilterTest[] = [];
  for (const name of index.fields) {
    const test = tests.find((one): one is FilterTest => isTestOf(one, name) && one.operator === 'eq');
    // The order by the last field needs it as a range, whose cursors have its value.
    if (!test || (name === last && order?.name === last)) break;
    exact.push(test);
  }
  if (exact.length === 0) return undefined;
  const next = index.fields[exact.length];
  const between = tests.filter(
    (one): one is FilterTest => isTestOf(one, next) && (one.operator === 'eq' || isRange(one)),
  );
  const covered = new Set<RecordCondition>([...exact, ...between]);
  const column = slotColumn(index.slot);
  const prefix = exact.map(partOf).join('');
  const isSortedByLast = next === last && order?.name === last;
  const use: IndexUse = {
    index,
    column,
    prefix,
    range: rangeOf(column, prefix, { isComplete: next === undefined, between }),
    residual: { all: tests.filter((test) => !covered.has(test)) },
    sortedBy: isSortedByLast ? fields.get(last)! : isById && next === undefined ? null : undefined,
  };
  return { use, covered: covered.size };
}

export function isTestOf(condition: RecordCondition, name: string | undefined): condition is FilterTest {
  return 'field' in condition && condition.field.name === name;
}

function partOf({ value }: FilterTest): string {
  return value === null ? UNSET_PART : compoundPart(comparable(value as FilterValue)!);
}

function rangeOf(
  column: Prisma.Sql,
  prefix: string,
  { isComplete, between }: { isComplete: boolean; between: FilterTest[] },
): Prisma.Sql {
  if (isComplete) return Prisma.sql`${column} = ${prefix}`;
  const isSet = between.length > 0 && !between.some(({ value }) => value === null);
  const bounds = [
    Prisma.sql`${column} >= ${isSet ? prefix + SET_PART : prefix}`,
    Prisma.sql`${column} < ${prefix + (isSet ? UNSET_PART : AFTER_PARTS)}`,
    ...between.flatMap((test) => boundsOf(column, prefix + partOf(test), test.operator)),
  ];
  return Prisma.join(bounds, ' AND ');
}

/** Keys with the value begin with `key`. */
function boundsOf(column: Prisma.Sql, key: string, operator: FilterTest['operator']): Prisma.Sql[] {
  const fromKey = Prisma.sql`${column} >= ${key}`;
  const fromNext = Prisma.sql`${column} >= ${key + AFTER_PARTS}`;
  const beforeKey = Prisma.sql`${column} < ${key}`;
  const beforeNext = Prisma.sql`${column} < ${key + AFTER_PARTS}`;
  switch (operator) {
    case 'gt':
      return [fromNext];
    case 'gte':
      return [fromKey];
    case 'lt':
      return [beforeKey];
    case 'lte':
      return [beforeNext];
    default:
      return [fromKey, beforeNext];
  }
}

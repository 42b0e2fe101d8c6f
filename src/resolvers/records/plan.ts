import { Prisma } from '../../db/client.ts';
import type { PageRequest } from '../../lib/pagination.ts';
import type { ClassDefinition } from '../classes/catalogue.ts';
import { centreOf, readySlot, slotColumn, whereOf } from './conditions.ts';
import { COMMON_FIELDS, type FilterField, type FilterTest, type Near, type RecordCondition } from './filter.ts';
import { conjunctsOf, type IndexUse, indexUseOf, isTestOf } from './index-use.ts';
import { type RecordOrder, sortFieldOf, type Walk, walkOf } from './order.ts';

export interface PageOfRecords {
  condition: RecordCondition;
  orderBy?: RecordOrder | null | undefined;
  parentId?: string | null | undefined;
  page: PageRequest;
  limit: number;
  skip: number;
}

export interface PagePlan {
  definition: ClassDefinition;
  where: Prisma.Sql;
  walk: Walk;
  page: PageRequest;
  limit: number;
  skip: number;
  isSortedByTime: boolean;
  /** Which index is best depends on the values: PostgreSQL assumes that a hundredth of all records contains any value. */
  hasContainment: boolean;
  /** Another index that contains all matches, in another order than the page. */
  matches: Matches | undefined;
  /** One range of a compound index is the sorted list, so that a page costs the same for any number of records. */
  isOneRange: boolean;
}

interface Matches {
  /** `FROM …`: all matches among the restricted rows, or `limit` of them. */
  rows: (restricted: Prisma.Sql, limit: number) => Prisma.Sql;
  /** Number of rows that the first try reads. */
  firstBound: number;
  /** Conditions of the field that sorts the page. */
  sortRange: Prisma.Sql;
}

const FIRST_BOUND = 500;

/** @throws {UnprocessableError} `Incorrect sort field: …` */
export function planPage(
  definition: ClassDefinition,
  { condition, orderBy, parentId, page, limit, skip }: PageOfRecords,
): PagePlan {
  const sortField = sortFieldOf(definition, orderBy);
  const use = indexUseOf(definition, condition, sortField);
  const where = whereIn(definition, { condition, use, parentId });
  return {
    definition,
    where,
    hasContainment: where.sql.includes(' @> '),
    walk: walkOf(sortField, orderBy?.direction === 'desc', { page, use }),
    page,
    limit,
    skip,
    isSortedByTime: sortField?.type === 'Moment',
    matches: parentId == null ? matchesOf({ condition, page: skip + limit }, sortField ?? ID_FIELD, use) : undefined,
    isOneRange: parentId == null && use?.sortedBy !== undefined && conjunctsOf(use.residual).length === 0,
  };
}

/** Of records in any order. */
export function conditionOf(definition: ClassDefinition, condition: RecordCondition): Prisma.Sql {
  return whereIn(definition, { condition, use: indexUseOf(definition, condition, undefined) });
}

interface Conditions {
  condition: RecordCondition;
  use: IndexUse | undefined;
  parentId?: string | null | undefined;
}

function whereIn({ applicationId, key }: ClassDefinition, { condition, use, parentId }: Conditions): Prisma.Sql {
  const below = parentId == null ? Prisma.sql`true` : Prisma.sql`r.parent_id = ${parentId}`;
  const matches = use ? Prisma.sql`${use.range} AND ${whereOf(use.residual)}` : whereOf(condition);
  return Prisma.sql`r.application_id = ${applicationId} AND r.class_key = ${key} AND ${below} AND ${matches}`;
}

const ID_FIELD: FilterField = COMMON_FIELDS._id!;

/** Undefined if the order has no index, or if one index serves both. */
function matchesOf(
  { condition, page }: { condition: RecordCondition; page: number },
  sortField: FilterField,
  use: IndexUse | undefined,
): Matches | undefined {
  if (use?.sortedBy !== undefined || !hasIndexOfOrder(sortField)) return undefined;
  const tests = conjunctsOf(condition);
  const sortRange = whereOf({ all: tests.filter((test) => isTestOf(test, sortField.name)) });
  if (use) return { rows: rowsInRange(use.range, use.column), firstBound: FIRST_BOUND, sortRange };
  for (const test of tests) {
    if (!('field' in test) || test.field.name === sortField.name) continue;
    const slot = readySlot(test.field);
    if (slot && test.operator === 'eq')
      return { rows: rowsInRange(whereOf(test), slotColumn(slot)), firstBound: FIRST_BOUND, sortRange };
    if (slot && test.operator === 'near')
      return { rows: nearestRows(test, slotColumn(slot)), firstBound: page, sortRange };
  }
  return undefined;
}

const rowsInRange =
  (range: Prisma.Sql, column: Prisma.Sql): Matches['rows'] =>
  (restricted, limit) =>
    Prisma.sql`
    FROM records r WHERE ${restricted} AND ${range} ORDER BY ${column}, r.id LIMIT ${limit}`;

// PostgreSQL assumes a thousandth of all records in any area. The nearest need no such assumption, and are few at first,
// because they may be out of the area.
const nearestRows =
  (test: FilterTest, point: Prisma.Sql): Matches['rows'] =>
  (restricted, limit) =>
    Prisma.sql`
    FROM (
      SELECT * FROM records r WHERE ${restricted} AND ${point} IS NOT NULL
      ORDER BY ${point} <-> ${centreOf(test.value as Near)} LIMIT ${limit}
    ) r WHERE ${whereOf(test)}`;

function hasIndexOfOrder(field: FilterField): boolean {
  return readySlot(field) !== undefined || ['_id', 'created_at', 'updated_at'].includes(field.name);
}

import { Prisma } from '../../db/client.ts';
import type { PageRequest } from '../../lib/pagination.ts';
import type { ClassDefinition } from '../classes/catalogue.ts';
import { readySlot, slotColumn, whereOf } from './conditions.ts';
import { COMMON_FIELDS, type FilterField, type FilterTest, type RecordCondition } from './filter.ts';
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
  condition: Prisma.Sql;
  /** What selects the index. None for places, because a sorted list of those nearby would be read completely. */
  orderBy: Prisma.Sql;
  /** Conditions of the field that sorts the page. */
  sortRange: Prisma.Sql;
}

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
    matches: parentId == null ? matchesOf(condition, sortField ?? ID_FIELD, use) : undefined,
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
function matchesOf(condition: RecordCondition, sortField: FilterField, use: IndexUse | undefined): Matches | undefined {
  if (use?.sortedBy !== undefined || !hasIndexOfOrder(sortField)) return undefined;
  const tests = conjunctsOf(condition);
  const sortRange = whereOf({ all: tests.filter((test) => isTestOf(test, sortField.name)) });
  if (use) return { condition: use.range, orderBy: orderOf(use.column), sortRange };
  for (const test of tests) {
    const orderBy = 'field' in test && !isTestOf(test, sortField.name) ? orderOfMatches(test) : undefined;
    if (orderBy) return { condition: whereOf(test), orderBy, sortRange };
  }
  return undefined;
}

/** Undefined: no index contains the matches. */
function orderOfMatches({ field, operator }: FilterTest): Prisma.Sql | undefined {
  const slot = readySlot(field);
  if (!slot || !['eq', 'near'].includes(operator)) return undefined;
  return operator === 'near' ? Prisma.empty : orderOf(slotColumn(slot));
}

const orderOf = (column: Prisma.Sql) => Prisma.sql`ORDER BY ${column}, r.id`;

function hasIndexOfOrder(field: FilterField): boolean {
  return readySlot(field) !== undefined || ['_id', 'created_at', 'updated_at'].includes(field.name);
}

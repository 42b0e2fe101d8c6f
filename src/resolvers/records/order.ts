import { Prisma } from '../../db/client.ts';
import { between, type FilteredField, type Order, orderBy } from '../../db/conditions.ts';
import { BadInputError, UnprocessableError } from '../../lib/errors.ts';
import type { Cursor, PageRequest } from '../../lib/pagination.ts';
import { problem } from '../../lib/problems.ts';
import type { ClassDefinition, ClassField } from '../classes/catalogue.ts';
import { compoundPart, slotKindOf, slotText, UNSET_NUMBER, UNSET_PART, UNSET_TEXT } from '../classes/slots.ts';
import { COMMON_COLUMNS, plainColumn, RECORDS, readySlot, slotColumn } from './conditions.ts';
import { type FilterField, fieldNamed } from './filter.ts';
import type { IndexUse } from './index-use.ts';

export interface RecordOrder {
  field: string;
  direction: 'asc' | 'desc';
}

export interface Stretch {
  where: Prisma.Sql;
  orderBy: Prisma.Sql;
}

export interface Walk {
  /** In walking order; may be empty. */
  stretches: Stretch[];
  /** Column of the cursor value. */
  value: Prisma.Sql;
  /** Sort direction of the combined stretches, by `value` and `id`. */
  isDescending: boolean;
}

const ID: Omit<Order, 'isDescending'> = {
  column: Prisma.sql`r.id`,
  cast: 'text',
  id: Prisma.sql`r.id`,
  isAlwaysSet: true,
};

/** Undefined: by `_id`. @throws {UnprocessableError} `Incorrect sort field: …` */
export function sortFieldOf(
  { fields }: ClassDefinition,
  order: RecordOrder | null | undefined,
): FilterField | undefined {
  if (!order) return undefined;
  const field = fieldNamed(order.field, fields);
  if (!field || field.isArray || field.type === 'Location' || field.type === 'File') {
    throw new UnprocessableError(problem('SORT_INCORRECT', { field: order.field }));
  }
  return field;
}

/** By `_id` by default; unset last, ties by `_id`. @param use of a compound index */
export function walkOf(
  field: FilterField | undefined,
  isDescending: boolean,
  { page, use }: { page: PageRequest; use: IndexUse | undefined },
): Walk {
  if (field && use?.sortedBy) return slotWalk(compoundOrder(use, field), isDescending, page);
  if (!field || field.name === '_id') return oneStretch({ ...ID, isDescending }, page);
  const common = Object.hasOwn(COMMON_COLUMNS, field.name) ? COMMON_COLUMNS[field.name] : undefined;
  if (common) {
    const isAlwaysSet = field.name !== '_parent_id';
    return oneStretch({ ...orderOf(common), isDescending, isAlwaysSet }, page);
  }
  const slot = readySlot(field);
  if (!slot) return oneStretch({ ...orderOf(plainColumn(field, RECORDS)), isDescending }, page);
  return slotWalk(slotOrder(slotColumn(slot), slotKindOf(field as ClassField) === 'text'), isDescending, page);
}

function orderOf({ column, cast }: FilteredField): Omit<Order, 'isDescending'> {
  return { column, cast, id: Prisma.sql`r.id` };
}

function oneStretch(order: Order, page: PageRequest): Walk {
  const stretch = { where: between(page, order), orderBy: orderBy(order, page.isBackward) };
  return { stretches: [stretch], value: order.column, isDescending: order.isDescending };
}

interface SlotOrder {
  column: Prisma.Sql;
  cast: 'text' | 'float8';
  unset: Prisma.Sql;
  value: Prisma.Sql;
  /** Cursors contain the plain value, the index its stored form. */
  stored: (value: Cursor['value']) => Cursor['value'];
}

function slotOrder(column: Prisma.Sql, isText: boolean): SlotOrder {
  if (isText) {
    const unset = Prisma.sql`${UNSET_TEXT}::text`;
    return {
      column,
      cast: 'text',
      unset,
      value: Prisma.sql`CASE WHEN ${column} < ${unset} THEN substr(${column}, 2) END`,
      stored: (value) => (value === null ? UNSET_TEXT : slotText(String(value))),
    };
  }
  const unset = Prisma.sql`${UNSET_NUMBER}::float8`;
  const value = Prisma.sql`CASE WHEN ${column} < ${unset} THEN ${column} END`;
  return { column, cast: 'float8', unset, value, stored: (plain) => plain };
}

function compoundOrder({ column, prefix }: IndexUse, field: FilterField): SlotOrder {
  const unset = prefix + UNSET_PART;
  const type = field.type === 'String' ? 'string' : 'number';
  const stored = (value: Cursor['value']) => {
    if (value === null) return unset;
    if (typeof value !== type) throw new BadInputError('CURSOR_INVALID');
    return prefix + compoundPart(value);
  };
  const value = plainColumn(field, RECORDS).column;
  return { column, cast: 'text', unset: Prisma.sql`${unset}::text`, value, stored };
}

// A descending index scan finds unset values first, so that they are a separate stretch after the set ones.
function slotWalk({ column, cast, unset, value, stored }: SlotOrder, isDescending: boolean, page: PageRequest): Walk {
  const order: Order = { column, cast, id: Prisma.sql`r.id`, isDescending, isAlwaysSet: true };
  const marked = {
    ...page,
    after: page.after && { ...page.after, value: stored(page.after.value) },
    before: page.before && { ...page.before, value: stored(page.before.value) },
  };
  const isSet = Prisma.sql`${column} < ${unset}`;
  const isUnset = Prisma.sql`${column} = ${unset}`;
  const byValue = orderBy(order, page.isBackward);
  if (!isDescending) {
    const where = Prisma.sql`${column} IS NOT NULL AND ${slotBetween(marked, order, unset)}`;
    return { stretches: [{ where, orderBy: byValue }], value, isDescending };
  }
  const isPastSet = page.after !== undefined && page.after.value === null;
  const isBeforeUnset = page.before !== undefined && page.before.value !== null;
  const byId: Order = { ...ID, isDescending };
  const ofUnset = {
    ...page,
    after: isPastSet ? byItsId(page.after) : undefined,
    before: isBeforeUnset ? undefined : byItsId(page.before),
  };
  const ofSet = {
    ...marked,
    after: isPastSet ? undefined : marked.after,
    before: isBeforeUnset ? marked.before : undefined,
  };
  const set = { where: Prisma.sql`${isSet} AND ${slotBetween(ofSet, order, unset)}`, orderBy: byValue };
  const last = {
    where: Prisma.sql`${isUnset} AND ${between(ofUnset, byId)}`,
    orderBy: orderBy(byId, page.isBackward),
  };
  const stretches = [...(isPastSet ? [] : [set]), ...(isBeforeUnset ? [] : [last])];
  return { stretches: page.isBackward ? stretches.reverse() : stretches, value, isDescending };
}

/** Unset values are equal, so only the id orders them. */
function byItsId(cursor: Cursor | undefined): Cursor | undefined {
  return cursor && { value: cursor.id, id: cursor.id };
}

/** Cursors of unset numbers contain null, because JSON has no NaN. */
function slotBetween(page: PageRequest, order: Order, unset: Prisma.Sql): Prisma.Sql {
  const { column, id } = order;
  const bounds: Prisma.Sql[] = [];
  const { after, before } = page;
  if (after?.value === null) bounds.push(Prisma.sql`(${column}, ${id}) > (${unset}, ${after.id})`);
  if (before?.value === null) bounds.push(Prisma.sql`(${column}, ${id}) < (${unset}, ${before.id})`);
  const set = {
    ...page,
    after: after?.value === null ? undefined : after,
    before: before?.value === null ? undefined : before,
  };
  return Prisma.join([between(set, order), ...bounds], ' AND ');
}

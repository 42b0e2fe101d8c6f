import { Prisma } from '../../db/client.ts';
import { between, type FilteredField, type Order, orderBy } from '../../db/conditions.ts';
import { UnprocessableError } from '../../lib/errors.ts';
import type { Cursor, PageRequest } from '../../lib/pagination.ts';
import type { ClassDefinition, ClassField } from '../classes/catalogue.ts';
import { slotKindOf, slotText, UNSET_NUMBER, UNSET_TEXT } from '../classes/slots.ts';
import { COMMON_COLUMNS, plainColumn, RECORDS, readySlot, slotColumn } from './conditions.ts';
import { type FilterField, fieldNamed } from './filter.ts';

export interface RecordOrder {
  /** Of the class, or one that all records have. */
  field: string;
  direction: 'asc' | 'desc';
}

/** One stretch of an ordered list: its rows, and how they are walked. */
export interface Stretch {
  where: Prisma.Sql;
  orderBy: Prisma.Sql;
}

/** An ordered list of records. */
export interface Walk {
  /** In the order in which they are walked; none is there for nothing. */
  stretches: Stretch[];
  /** Column of the value that a cursor holds of each row. */
  value: Prisma.Sql;
  /** What the rows of all stretches together are sorted by, as columns `value` and `id`. */
  isDescending: boolean;
}

const ID: Omit<Order, 'isDescending'> = {
  column: Prisma.sql`r.id`,
  cast: 'text',
  id: Prisma.sql`r.id`,
  isAlwaysSet: true,
};

/**
 * How a page of records is walked: by `_id` unless asked otherwise, unset values last, ties by `_id` in the same
 * direction.
 * @throws {UnprocessableError} `Incorrect sort field: <field>`
 */
export function walkOf(known: ClassDefinition, asked: RecordOrder | null | undefined, page: PageRequest): Walk {
  const isDescending = asked?.direction === 'desc';
  const field = asked ? requireSortable(known, asked.field) : undefined;
  if (!field || field.name === '_id') return oneStretch({ ...ID, isDescending }, page);
  const common = Object.hasOwn(COMMON_COLUMNS, field.name) ? COMMON_COLUMNS[field.name] : undefined;
  if (common) {
    const isAlwaysSet = field.name !== '_parent_id';
    return oneStretch({ ...orderOf(common), isDescending, isAlwaysSet }, page);
  }
  const slot = readySlot(field);
  if (!slot) return oneStretch({ ...orderOf(plainColumn(field, RECORDS)), isDescending }, page);
  return slotWalk(slotColumn(slot), slotKindOf(field as ClassField) === 'text', isDescending, page);
}

function requireSortable({ fields }: ClassDefinition, name: string): FilterField {
  const field = fieldNamed(name, fields);
  if (!field || field.isArray || field.type === 'Location' || field.type === 'File') {
    throw new UnprocessableError(`Incorrect sort field: ${name}`);
  }
  return field;
}

function orderOf({ column, cast }: FilteredField): Omit<Order, 'isDescending'> {
  return { column, cast, id: Prisma.sql`r.id` };
}

function oneStretch(order: Order, page: PageRequest): Walk {
  const stretch = { where: between(page, order), orderBy: orderBy(order, page.isBackward) };
  return { stretches: [stretch], value: order.column, isDescending: order.isDescending };
}

/**
 * Along a slot's index: up it finds the unset ones last by itself; down it finds them first, so that the set ones are a
 * stretch of their own before them.
 */
function slotWalk(column: Prisma.Sql, isText: boolean, isDescending: boolean, page: PageRequest): Walk {
  const cast = isText ? 'text' : 'float8';
  const unset = Prisma.sql`${isText ? UNSET_TEXT : UNSET_NUMBER}::${Prisma.raw(cast)}`;
  const value = isText
    ? Prisma.sql`CASE WHEN ${column} < ${unset} THEN substr(${column}, 2) END`
    : Prisma.sql`CASE WHEN ${column} < ${unset} THEN ${column} END`;
  const order: Order = { column, cast, id: Prisma.sql`r.id`, isDescending, isAlwaysSet: true };
  const marked = {
    ...page,
    after: page.after && markUnset(page.after, isText),
    before: page.before && markUnset(page.before, isText),
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

/** Unset values are all the same: where one lies among them, its id says. */
function byItsId(cursor: Cursor | undefined): Cursor | undefined {
  return cursor && { value: cursor.id, id: cursor.id };
}

/** A cursor holds the value as it is; the index has another one. */
function markUnset({ value, id }: Cursor, isText: boolean): Cursor {
  if (isText) return { value: value === null ? UNSET_TEXT : slotText(String(value)), id };
  return { value, id };
}

/** Cursors of unset numbers hold no number that JSON could. */
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

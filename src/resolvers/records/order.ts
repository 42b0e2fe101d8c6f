import { Prisma } from '../../db/client.ts';
import { between, type FilteredField, type Order, orderBy } from '../../db/conditions.ts';
import { UnprocessableError } from '../../lib/errors.ts';
import type { Cursor, PageRequest } from '../../lib/pagination.ts';
import type { ClassDefinition, ClassField } from '../classes/catalogue.ts';
import { slotKindOf, slotText, UNSET_NUMBER, UNSET_TEXT } from '../classes/slots.ts';
import { COMMON_COLUMNS, plainColumn, RECORDS, readySlot, slotColumn } from './conditions.ts';
import { type FilterField, fieldNamed } from './filter.ts';

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

/** By `_id` by default; unset last, ties by `_id`. @throws {UnprocessableError} `Incorrect sort field: …` */
export function walkOf(known: ClassDefinition, requested: RecordOrder | null | undefined, page: PageRequest): Walk {
  const isDescending = requested?.direction === 'desc';
  const field = requested ? requireSortable(known, requested.field) : undefined;
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

// A descending index scan finds unset values first, so that they are a separate stretch after the set ones.
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

/** Unset values are equal, so only the id orders them. */
function byItsId(cursor: Cursor | undefined): Cursor | undefined {
  return cursor && { value: cursor.id, id: cursor.id };
}

/** Cursors contain the plain value, the index its stored form. */
function markUnset({ value, id }: Cursor, isText: boolean): Cursor {
  if (isText) return { value: value === null ? UNSET_TEXT : slotText(String(value)), id };
  return { value, id };
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

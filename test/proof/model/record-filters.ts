import {
  type Asked,
  type FieldTest,
  type Filter,
  type Item,
  keyOf,
  type Near,
  type Order,
  type Place,
  Refusal,
  type Stored,
  type Value,
} from './record-words.ts';

export function heldBy(record: Stored, { name, type }: Asked): Value | undefined {
  switch (name) {
    case '_id':
      return record.id;
    case '_parent_id':
      return record.parentId ?? undefined;
    case 'user_id':
      return record.userId;
    case 'created_at':
      return type === 'Moment' ? record.createdAt : undefined;
    case 'updated_at':
      return type === 'Moment' ? record.updatedAt : undefined;
    default:
      return record.fields.get(name);
  }
}

export function requireFitting(filter: Filter): void {
  if ('all' in filter) filter.all.forEach(requireFitting);
  else if ('any' in filter) filter.any.forEach(requireFitting);
  else if (!fits(filter)) throw new Refusal('invalid');
}

function fits({ asked: { type, isArray }, operator, value }: FieldTest): boolean {
  switch (operator) {
    case 'eq':
      return true;
    case 'ne':
      return type !== 'Location' || value === null;
    case 'in':
    case 'nin':
    case 'or':
      return type !== 'Location';
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      return !isArray && ['Integer', 'Float', 'Date', 'Moment', 'Id', 'User'].includes(type);
    case 'all':
      return isArray;
    case 'ctn':
      return type === 'String' && !isArray;
    case 'near':
      return type === 'Location' && !isArray;
  }
}

export function matches(record: Stored, filter: Filter): boolean {
  if ('any' in filter) return filter.any.some((part) => matches(record, part));
  if (!('all' in filter)) return matchesTest(record, filter);
  const isAlternative = (part: Filter) => 'operator' in part && part.operator === 'or';
  const alternatives = filter.all.filter(isAlternative);
  return (
    filter.all.every((part) => isAlternative(part) || matches(record, part)) &&
    (alternatives.length === 0 || alternatives.some((part) => matches(record, part)))
  );
}

function matchesTest(record: Stored, test: FieldTest): boolean {
  const { asked, operator, value } = test;
  const own = heldBy(record, asked);
  const items = own === undefined ? [] : [own].flat();
  const named = value === null ? [] : ([value].flat() as Item[]);
  const lasts = asked.type === 'Moment' || (asked.type === 'Date' && !asked.isArray);
  const isNamed = (item: Item, nth: number) => {
    if (!lasts) return keyOf(item) === keyOf(named[nth]!);
    return Number(item) >= Number(named[nth]) && Number(item) < Number(named[nth]) + test.lengths[nth]!;
  };
  const isAnyNamed = () => items.some((item) => named.some((_value, nth) => isNamed(item, nth)));
  switch (operator) {
    case 'eq':
      return value === null ? own === undefined : isAnyNamed();
    case 'ne':
      return value === null ? own !== undefined : !isAnyNamed();
    case 'in':
    case 'or':
      return isAnyNamed();
    case 'nin':
      return !isAnyNamed();
    case 'all':
      return own !== undefined && named.every((_value, nth) => items.some((item) => isNamed(item, nth)));
    case 'ctn':
      return own !== undefined && String(own).toLowerCase().includes(String(value).toLowerCase());
    case 'near':
      return own !== undefined && distance(own as Place, value as Near) <= (value as Near).metres;
    default:
      return own !== undefined && isBeyond(operator, own as Item, named[0]!, lasts ? test.lengths[0]! : 0);
  }
}

/** Compares with a bound that lasts for `lasts` ms: `lt` and `gte` use its start, `lte` and `gt` its end. */
function isBeyond(operator: 'lt' | 'lte' | 'gt' | 'gte', own: Item, bound: Item, lasts: number): boolean {
  if (lasts > 0) {
    const [from, until] = [Number(bound), Number(bound) + lasts];
    return { lt: Number(own) < from, lte: Number(own) < until, gt: Number(own) >= until, gte: Number(own) >= from }[
      operator
    ];
  }
  const order = compare(own, bound);
  return { lt: order < 0, lte: order <= 0, gt: order > 0, gte: order >= 0 }[operator];
}

export function compare(one: Item, other: Item): number {
  if (typeof one === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(String(other)));
  return Number(one) - Number(other);
}

/** Great-circle distance in meters. */
function distance(one: Place, other: Place): number {
  const [a, b] = [radians(one.lat), radians(other.lat)];
  const half = (angle: number) => Math.sin(angle / 2) ** 2;
  const share = half(b - a) + Math.cos(a) * Math.cos(b) * half(radians(other.lon - one.lon));
  return 2 * 6_371_008.8 * Math.asin(Math.min(1, Math.sqrt(share)));
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

/** @throws {Refusal} the order is undefined for two of the values */
export function sorted(records: Stored[], order: Order | undefined): Stored[] {
  const sign = order?.isDescending ? -1 : 1;
  const byId = (one: Stored, other: Stored) => sign * compare(one.id, other.id);
  if (!order) return records.toSorted(byId);
  const { asked } = order;
  if (asked.isArray || asked.type === 'Location') throw new Refusal('invalid');
  return records.toSorted((one, other) => {
    const [a, b] = [heldBy(one, asked), heldBy(other, asked)];
    if (a === undefined || b === undefined) return a === b ? byId(one, other) : a === undefined ? 1 : -1;
    return sign * compare(a as Item, b as Item) || byId(one, other);
  });
}

export interface Group {
  value: Value | undefined;
  count: number;
  results: (number | null)[];
}

export const FUNCTIONS = ['avg', 'min', 'max', 'sum'] as const;
export type GroupFunction = (typeof FUNCTIONS)[number];

/** Groups records by the values of a field; the order is undefined. */
export function grouped(
  records: Stored[],
  by: Asked,
  calculations: { asked: Asked; calculation: GroupFunction }[],
): Group[] {
  const isNumber = ({ type, isArray }: Asked) => !isArray && (type === 'Integer' || type === 'Float');
  if (!calculations.every(({ asked }) => isNumber(asked))) throw new Refusal('invalid');
  // Common times are shown in Unix seconds.
  const groupOf = (record: Stored) =>
    by.type === 'Moment' ? Math.floor(Number(heldBy(record, by)) / 1000) : heldBy(record, by);
  const groups = new Map<string, Stored[]>();
  for (const record of records) {
    const value = groupOf(record);
    const key = value === undefined ? '' : JSON.stringify([value].flat().map(keyOf)) + Array.isArray(value);
    groups.set(key, [...(groups.get(key) ?? []), record]);
  }
  return [...groups.values()].map((members) => ({
    value: groupOf(members[0]!),
    count: members.length,
    results: calculations.map(({ asked, calculation }) => {
      const numbers = members.flatMap((member) => (heldBy(member, asked) as number | undefined) ?? []);
      return numbers.length === 0 ? null : calculated(numbers, calculation);
    }),
  }));
}

function calculated(numbers: number[], calculation: GroupFunction): number {
  const sum = numbers.reduce((total, number) => total + number, 0);
  return { avg: sum / numbers.length, sum, min: Math.min(...numbers), max: Math.max(...numbers) }[calculation];
}

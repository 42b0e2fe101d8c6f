import type { Parameters } from '../lib/bracket-keys.ts';
import { readInteger, readText } from '../lib/casts.ts';
import { UnprocessableError } from '../lib/errors.ts';
import { isObject, type JsonValue } from '../lib/json.ts';
import { problem } from '../lib/problems.ts';
import { DAY } from '../lib/time.ts';
import {
  readSpan,
  type Span,
  spanFrom,
  type TimestampFilter,
  timestampFilter,
  within,
} from '../lib/timestamp-filters.ts';

type Condition = Record<string, unknown>;

export type UserFilterPart = Record<string, Condition> | TimestampFilter;

type FieldType = 'number' | 'digits' | 'text' | 'moment';

export const FIELDS: Record<string, readonly [field: string, type: FieldType]> = {
  id: ['id', 'number'],
  full_name: ['fullName', 'text'],
  email: ['email', 'text'],
  login: ['login', 'text'],
  phone: ['phone', 'text'],
  created_at: ['createdAt', 'moment'],
  updated_at: ['updatedAt', 'moment'],
  last_request_at: ['lastRequestAt', 'moment'],
  external_user_id: ['externalUserId', 'number'],
  facebook_id: ['facebookId', 'digits'],
};

const COMPARISONS: Record<string, 'gt' | 'lt' | 'gte' | 'lte'> = { gt: 'gt', lt: 'lt', ge: 'gte', le: 'lte' };

export const ORDERS = {
  id: 'ID',
  full_name: 'FULL_NAME',
  email: 'EMAIL',
  login: 'LOGIN',
  phone: 'PHONE',
  website: 'WEBSITE',
  created_at: 'CREATED_AT',
  updated_at: 'UPDATED_AT',
  last_request_at: 'LAST_REQUEST_AT',
  external_user_id: 'EXTERNAL_USER_ID',
} as const;

/** Refused, because a client that sends them expects an order. */
const OTHER_SORTS = ['sort', 'sort_by', 'sort_asc', 'sort_desc'];

/** Ignores the stated type, because clients send wrong ones. @throws {UnprocessableError} `Incorrect filter: <item>` */
export function readUserFilters({ filter }: Parameters): UserFilterPart[] {
  return textsIn(filter).flatMap((text) => text.split(/,(?=(?:number|string|date)[ +])/).map(readUserFilter));
}

/** `desc string id` → `{ field: 'ID', direction: 'DESC' }` @throws {UnprocessableError} `Incorrect order: <value>` */
export function readUserOrder(parameters: Parameters) {
  const other = OTHER_SORTS.find((name) => parameters[name] !== undefined);
  if (other !== undefined)
    throw new UnprocessableError(problem('ORDER_INCORRECT', { order: readText(parameters[other]) ?? '' }));
  const order = readText(parameters.order);
  if (order === undefined || order === null || order === '') return undefined;
  const [, direction, field] = /^(asc|desc)[ +]\w+[ +](\w+)$/.exec(order) ?? [];
  if (!field || !Object.hasOwn(ORDERS, field)) throw new UnprocessableError(problem('ORDER_INCORRECT', { order }));
  return {
    field: ORDERS[field as keyof typeof ORDERS],
    direction: direction === 'asc' ? ('ASC' as const) : ('DESC' as const),
  };
}

function readUserFilter(item: string): UserFilterPart {
  const [, name = '', operator = '', value = ''] =
    /^(?:number|string|date)[ +](\w+)[ +](\w+)[ +](.*)$/s.exec(item) ?? [];
  const known = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
  const part = known && partOf(known, operator, value);
  if (!part) throw new UnprocessableError(problem('FILTER_INCORRECT', { filter: item }));
  return part;
}

function partOf([field, type]: readonly [string, FieldType], operator: string, value: string) {
  return type === 'moment' ? momentPart(field, operator, value) : plainPart(field, type, operator, value);
}

function plainPart(
  field: string,
  type: Exclude<FieldType, 'moment'>,
  operator: string,
  value: string,
): UserFilterPart | undefined {
  const cast = CASTS[type];
  if (operator === 'eq' || operator === 'ne') return condition(field, operator, cast(value));
  if (operator === 'in') return condition(field, 'in', all(value.split(',').map((text) => cast(text.trim()))));
  if (type === 'text') return undefined;
  if (operator === 'between') {
    const [low, high, ...more] = value.split(',').map((text) => cast(text.trim()));
    return low === undefined || high === undefined || more.length > 0
      ? undefined
      : { [field]: { gte: low, lte: high } };
  }
  return Object.hasOwn(COMPARISONS, operator) ? condition(field, COMPARISONS[operator]!, cast(value)) : undefined;
}

/** A date without time means the complete day in comparisons for equality, and its start as a bound. */
function momentPart(field: string, operator: string, value: string): UserFilterPart | undefined {
  switch (operator) {
    case 'eq':
    case 'ne': {
      const span = daySpan(value);
      return span && timestampFilter(field, operator, [span]);
    }
    case 'in': {
      const spans = all(value.split(',').map(daySpan));
      return spans && timestampFilter(field, 'in', spans);
    }
    case 'between': {
      const [low, high, ...more] = value.split(',').map(daySpan);
      return low && high && more.length === 0 ? within(field, { from: low.from, until: high.until }) : undefined;
    }
    default: {
      const span = readSpan(value.trim());
      return span && Object.hasOwn(COMPARISONS, operator)
        ? timestampFilter(field, COMPARISONS[operator]!, [span])
        : undefined;
    }
  }
}

function daySpan(text: string): Span | undefined {
  const moment = text.trim();
  const span = readSpan(moment);
  return span && /^\d{4}[-.]\d\d[-.]\d\d$/.test(moment) ? spanFrom(span.from.getTime(), DAY) : span;
}

const CASTS: Record<Exclude<FieldType, 'moment'>, (text: string) => string | number | undefined> = {
  number: (text) => readInteger(text.trim()),
  // Ids of other services may exceed the range of exact numbers.
  digits: (text) => (/^-?[0-9]{1,40}$/.test(text.trim()) ? text.trim() : undefined),
  text: (text) => text,
};

function condition(field: string, operator: string, value: unknown): UserFilterPart | undefined {
  return value === undefined ? undefined : { [field]: { [operator]: value } };
}

function all<Item>(items: (Item | undefined)[]): Item[] | undefined {
  return items.includes(undefined) ? undefined : (items as Item[]);
}

function textsIn(value: JsonValue | undefined): string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (isObject(value)) return Object.values(value).flatMap(textsIn);
  const text = readText(value);
  return text === undefined || text === null || text === '' ? [] : [text];
}

import { readTimestamp } from './casts.ts';
import type { OptionalJson } from './json.ts';
import { SECOND } from './time.ts';

// Responses truncate times to seconds, while rows store milliseconds. A time in a filter therefore covers its complete
// second, so that a time from a response finds the same row.

/** `from` is inclusive, `until` exclusive. */
export interface Span {
  from: Date;
  until: Date;
}

export type TimestampFilter =
  | Record<string, Record<string, Date | null | never[]>>
  | { or: TimestampFilter[] }
  | { and: TimestampFilter[] };

export type TimestampOperator = 'eq' | 'ne' | 'in' | 'notIn' | 'lt' | 'lte' | 'gt' | 'gte';

/** One millisecond for a time with a fraction. */
export function readSpan(value: OptionalJson): Span | undefined {
  const start = readTimestamp(value);
  return start === undefined ? undefined : spanFrom(start, isWhole(value) ? SECOND : 1);
}

/** @param start milliseconds since 1970 @param length milliseconds */
export function spanFrom(start: number, length: number): Span {
  return { from: new Date(start), until: new Date(start + length) };
}

/** Operators other than `in` and `notIn` use only the first span. */
export function timestampFilter(field: string, operator: TimestampOperator, spans: Span[]): TimestampFilter {
  const [{ from, until } = spanFrom(0, 0)] = spans;
  switch (operator) {
    case 'eq':
      return within(field, { from, until });
    case 'ne':
      return outside(field, { from, until });
    case 'in':
      return spans.length > 0 ? { or: spans.map((span) => within(field, span)) } : { [field]: { in: [] } };
    case 'notIn':
      return { and: spans.map((span) => outside(field, span)) };
    case 'lt':
      return { [field]: { lt: from } };
    case 'lte':
      return { [field]: { lt: until } };
    case 'gt':
      return { [field]: { gte: until } };
    case 'gte':
      return { [field]: { gte: from } };
  }
}

export function within(field: string, { from, until }: Span): TimestampFilter {
  return { [field]: { gte: from, lt: until } };
}

function outside(field: string, { from, until }: Span): TimestampFilter {
  return { or: [{ [field]: { lt: from } }, { [field]: { gte: until } }, { [field]: { eq: null } }] };
}

/** The dots of `2023.02.28` are not decimal points. */
function isWhole(value: OptionalJson): boolean {
  return typeof value === 'string' ? /^(?:[^.,]*|\d{4}\.\d\d\.\d\d)$/.test(value) : Number.isInteger(value);
}

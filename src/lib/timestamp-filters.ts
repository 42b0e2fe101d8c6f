import { type ParameterInput, readTimestamp } from './parameter-values.ts';
import { SECOND } from './time.ts';

// Answers cut moments to whole seconds, while records keep their milliseconds. So that what an answer shows finds the
// record it was shown of, a moment in a filter stands for all the time that it names.

/** From a moment on until before another. */
export interface Span {
  from: Date;
  until: Date;
}

/** A filter of one field, in the words of GraphQL. */
export type TimestampFilter =
  | Record<string, Record<string, Date | null | never[]>>
  | { or: TimestampFilter[] }
  | { and: TimestampFilter[] };

export type TimestampOperator = 'eq' | 'ne' | 'in' | 'notIn' | 'lt' | 'lte' | 'gt' | 'gte';

/** The second that a moment names; one with a fraction names a millisecond. */
export function readSpan(value: ParameterInput): Span | undefined {
  const start = readTimestamp(value);
  return start === undefined ? undefined : spanFrom(start, isWhole(value) ? SECOND : 1);
}

/** @param start milliseconds since 1970, as all its times */
export function spanFrom(start: number, length: number): Span {
  return { from: new Date(start), until: new Date(start + length) };
}

/** What a filter asks of a field; of all operators but `in` and `notIn` the first span counts. */
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

/** From the first moment of one span to the last of another, which may be the same. */
export function within(field: string, { from, until }: Span): TimestampFilter {
  return { [field]: { gte: from, lt: until } };
}

/** Unset values lie outside of every span. */
function outside(field: string, { from, until }: Span): TimestampFilter {
  return { or: [{ [field]: { lt: from } }, { [field]: { gte: until } }, { [field]: { eq: null } }] };
}

/** The dots of `2023.02.28` are no decimal points. */
function isWhole(value: ParameterInput): boolean {
  return typeof value === 'string' ? /^(?:[^.,]*|\d{4}\.\d\d\.\d\d)$/.test(value) : Number.isInteger(value);
}

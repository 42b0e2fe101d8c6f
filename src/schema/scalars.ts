import { GraphQLScalarType } from 'graphql';
import { DateTimeResolver, JSONResolver, SafeIntResolver } from 'graphql-scalars';
import { readFlag } from '../lib/casts.ts';
import { BadInputError } from '../lib/errors.ts';
import { isoMilliseconds, unixSeconds } from '../lib/time.ts';
import { builder } from './builder.ts';

// Serialized as text, because `JSON.stringify` would spend most of its time on the dates of a page.
const DateTime = new GraphQLScalarType<Date, string>({
  ...DateTimeResolver.toConfig(),
  serialize: (value) => isoMilliseconds(DateTimeResolver.serialize(value)),
});

builder.addScalarType('DateTime', DateTime as GraphQLScalarType, {
  description: 'A time in ISO 8601, in UTC with milliseconds: `2026-11-20T17:46:59.000Z`.',
});
builder.addScalarType('JSON', JSONResolver, { description: 'Any JSON value.' });
builder.addScalarType('SafeInt', SafeIntResolver, { description: 'A whole number up to ±(2^53 − 1).' });

builder.scalarType('Digits', {
  description:
    'A whole number of up to 40 digits, as a string: `"12345678901234567890"`. Input may also be a JSON number.',
  serialize: (value) => String(value),
  parseValue: (value) => {
    const text = typeof value === 'number' ? String(value) : value;
    if (typeof text === 'string' && /^-?[0-9]{1,40}$/.test(text)) return text;
    throw new BadInputError('DIGITS_INVALID');
  },
});

builder.scalarType('UnixTime', {
  description:
    'A time in whole Unix seconds. Input may also be a string of digits, a date such as `2026-11-20`, or ISO ' +
    '8601, as legacy clients send.',
  serialize: (value) => (value instanceof Date ? unixSeconds(value) : Number(value)),
  parseValue: (value) => value,
});

builder.scalarType('Seconds', {
  description: 'A duration in whole seconds. Input may also be a string: `"60"`.',
  serialize: (value) => Number(value),
  parseValue: (value) => value,
});

/** Like the two scalars above, passes invalid values on, so that the resolver reports them with its other errors. */
builder.scalarType('Flag', {
  description: 'A boolean. Input may also be 1, 0, `"1"`, `"0"`, `"true"`, `"false"` or `""`, as legacy clients send.',
  serialize: (value) => Boolean(value),
  parseValue: (value) => readFlag(value) ?? value,
});

export const SortDirection = builder.enumType('SortDirection', {
  description: 'Sort direction of a list.',
  values: {
    ASC: { value: 'asc', description: 'Ascending: smallest, earliest or alphabetically first value first.' },
    DESC: { value: 'desc', description: 'Descending: largest, latest or alphabetically last value first.' },
  } as const,
});

import { DateTimeResolver, JSONResolver, SafeIntResolver } from 'graphql-scalars';
import { BadInputError } from '../lib/errors.ts';
import { unixSeconds } from '../lib/time.ts';
import { builder } from './builder.ts';

builder.addScalarType('DateTime', DateTimeResolver, {
  description: 'A moment as ISO 8601 in UTC with milliseconds: `2026-11-20T17:46:59.000Z`.',
});
builder.addScalarType('JSON', JSONResolver, { description: 'Any JSON value.' });
builder.addScalarType('SafeInt', SafeIntResolver, { description: 'A whole number up to ±(2^53 − 1).' });

builder.scalarType('Digits', {
  description: 'A whole number of up to 40 digits as text, `"12345678901234567890"`; shorter ones may come as numbers.',
  serialize: (value) => String(value),
  parseValue: (value) => {
    const text = typeof value === 'number' ? String(value) : value;
    if (typeof text === 'string' && /^-?[0-9]{1,40}$/.test(text)) return text;
    throw new BadInputError('Digits should be a whole number of up to 40 digits');
  },
});

builder.scalarType('UnixTime', {
  description:
    'Whole Unix seconds. As input also any moment that legacy clients write: digits as text, `2026-11-20`, ISO 8601.',
  serialize: (value) => (value instanceof Date ? unixSeconds(value) : Number(value)),
  parseValue: (value) => value,
});

builder.scalarType('Seconds', {
  description: 'Whole seconds; as input also as text.',
  serialize: (value) => Number(value),
  parseValue: (value) => value,
});

/** Unreadable values pass, as those of the two before do, so that the rule of the field can name them beside its other texts. */
builder.scalarType('Flag', {
  description: 'A boolean; also 1, 0, "1", "0", "true", "false" and "" as legacy clients write them.',
  serialize: (value) => Boolean(value),
  parseValue: (value) => FLAGS.get(value) ?? value,
});

const FLAGS = new Map<unknown, boolean>([
  ...[true, 1, '1', 'true'].map((value) => [value, true] as const),
  ...[false, 0, '0', 'false', ''].map((value) => [value, false] as const),
]);

export const SortDirection = builder.enumType('SortDirection', {
  description: 'Which way a list is sorted.',
  values: {
    ASC: { value: 'asc', description: 'The smallest, earliest or first of the alphabet first.' },
    DESC: { value: 'desc', description: 'The greatest, latest or last of the alphabet first.' },
  } as const,
});

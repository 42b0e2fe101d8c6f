import { describe, expect, test } from 'vitest';
import { UnprocessableError } from '../../../src/lib/errors.ts';
import { readUserFilters, readUserOrder } from '../../../src/rest/user-filters.ts';
import { fc } from '../../support/app/properties.ts';

const FIELDS = {
  id: 'id',
  external_user_id: 'externalUserId',
} as const;
const TEXTS = { full_name: 'fullName', email: 'email', login: 'login', phone: 'phone' } as const;
const COMPARISONS = { gt: 'gt', lt: 'lt', ge: 'gte', le: 'lte', eq: 'eq', ne: 'ne' } as const;

const type = fc.constantFrom('number', 'string', 'date');
const separator = fc.constantFrom(' ', '+');
const integer = fc.maxSafeInteger();

const numberFilter = fc
  .tuple(type, separator, fc.constantFrom(...keys(FIELDS)), fc.constantFrom(...keys(COMPARISONS)), integer)
  .map(([type, by, field, operator, value]) => ({
    text: [type, field, operator, value].join(by),
    part: { [FIELDS[field]]: { [COMPARISONS[operator]]: value } },
  }));

/** Any text that does not start another filter; never empty where a value is required. */
const value = fc.string({ unit: 'grapheme' }).filter((text) => !/,(?:number|string|date)[ +]/.test(text));

const textFilter = fc
  .tuple(type, separator, fc.constantFrom(...keys(TEXTS)), fc.constantFrom('eq', 'ne'), value)
  .map(([type, by, field, operator, value]) => ({
    text: [type, field, operator, value].join(by),
    part: { [TEXTS[field]]: { [operator]: value } },
  }));

const momentFilter = fc
  .tuple(type, separator, fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') }))
  .map(([type, by, moment]) => ({
    text: [type, 'created_at', 'ge', moment.toISOString()].join(by),
    part: { createdAt: { gte: moment } },
  }));

const printed = fc.oneof(numberFilter, textFilter, momentFilter);

describe('the grammar of filters', () => {
  test('every printed filter is parsed from its own parameter', () => {
    fc.assert(
      fc.property(fc.array(printed, { minLength: 1 }), (filters) => {
        expect(readUserFilters({ filter: filters.map(({ text }) => text) })).toEqual(filters.map(({ part }) => part));
      }),
    );
  });

  test('several printed filters are parsed from one parameter', () => {
    fc.assert(
      fc.property(fc.array(printed, { minLength: 1 }), (filters) => {
        const filter = filters.map(({ text }) => text).join(',');
        expect(readUserFilters({ filter })).toEqual(filters.map(({ part }) => part));
      }),
    );
  });

  test('any other text yields a filter or the documented refusal', () => {
    const word = fc.oneof(
      fc.constantFrom('number', 'string', 'date', 'id', 'created_at', 'login', 'facebook_id', 'in', 'between', 'ne'),
      fc.constantFrom(',', ' ', '+', '2019-01-01', '9'.repeat(30), '__proto__', 'constructor'),
      fc.string({ unit: 'binary' }),
    );
    const text = fc.array(word).map((words) => words.join(' '));
    const anything = fc.oneof(
      text,
      fc.array(text),
      fc.dictionary(fc.string(), text),
      fc.jsonValue() as fc.Arbitrary<never>,
    );
    fc.assert(
      fc.property(anything, text, (filter, order) => {
        refusedOrRead(() => readUserFilters({ filter }), /^Incorrect filter: /);
        refusedOrRead(() => readUserOrder({ order }), /^Incorrect order: /);
      }),
      { numRuns: 1_000 },
    );
  });

  test('a date that does not exist is rejected', () => {
    expect(() => readUserFilters({ filter: 'date created_at eq 2019-02-30' })).toThrow(UnprocessableError);
  });
});

function refusedOrRead(read: () => unknown, sentence: RegExp): void {
  try {
    read();
  } catch (error) {
    expect(error).toBeInstanceOf(UnprocessableError);
    expect((error as Error).message).toMatch(sentence);
  }
}

function keys<Names extends object>(names: Names): (keyof Names)[] {
  return Object.keys(names) as (keyof Names)[];
}

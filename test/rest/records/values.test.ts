import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { rest } from '../../support/clients/rest.ts';
import { createRecordCast, newCar, outcomeOf, type RecordCast } from '../../support/fixtures/cars.ts';

useApp();

let cast: RecordCast;
let id: string;
beforeAll(async () => {
  cast = await createRecordCast();
  id = await newCar({}, cast.olga);
});

// Each value is sent as JSON, and texts and numbers also as a form, in a creation and in an update.

const LAST_INTEGER = 9_007_199_254_740_991;

const GOOD: [field: string, given: unknown, shown: unknown][] = [
  ['make', 'AB', 'AB'],
  ['make', '', ''],
  ['make', ' a\n ', ' a\n '],
  ['make', 5, '5'],
  ['make', 1.5, '1.5'],
  ['make', true, 'true'],
  ['make', "Robert'); DROP TABLE records;--", "Robert'); DROP TABLE records;--"],
  ['make', '🚗\u2028', '🚗\u2028'],
  ['year', 2020, 2020],
  ['year', '2020', 2020],
  ['year', '-7', -7],
  ['year', '+7', 7],
  ['year', '007', 7],
  ['year', 0, 0],
  ['year', -0, 0],
  ['year', 1e3, 1000],
  ['year', 2.0, 2],
  ['year', LAST_INTEGER, LAST_INTEGER],
  ['year', String(-LAST_INTEGER), -LAST_INTEGER],
  ['price', 1.5, 1.5],
  ['price', '1.5', 1.5],
  ['price', '-.5', -0.5],
  ['price', '1e3', 1000],
  ['price', 7, 7],
  ['price', 1e300, 1e300],
  ['price', '0.1', 0.1],
  ['sold', true, true],
  ['sold', false, false],
  ['sold', 1, true],
  ['sold', 0, false],
  ['sold', '1', true],
  ['sold', '0', false],
  ['sold', 'true', true],
  ['sold', 'false', false],
  ['sold', '', false],
  ['built', 1_480_327_065, '2016-11-28T09:57:45Z'],
  ['built', '1480327065', '2016-11-28T09:57:45Z'],
  ['built', 1_480_327_065.456, '2016-11-28T09:57:45Z'],
  ['built', -1, '1969-12-31T23:59:59Z'],
  ['built', '2023-02-28', '2023-02-28T00:00:00Z'],
  ['built', '2023.02.28', '2023-02-28T00:00:00Z'],
  ['built', '2023-02-28 23:59:59', '2023-02-28T23:59:59Z'],
  ['built', '2023-02-28T23:59:59Z', '2023-02-28T23:59:59Z'],
  ['built', '2023-02-28T23:59:59.999+02:00', '2023-02-28T21:59:59Z'],
  ['built', '0001-01-01', '0001-01-01T00:00:00Z'],
  ['built', '9999-12-31 23:59:59', '9999-12-31T23:59:59Z'],
  ['place', '50.1, 8.7', [50.1, 8.7]],
  ['place', '50.1,8.7', [50.1, 8.7]],
  ['place', ' -90 , -180 ', [-90, -180]],
  ['place', [90, 180], [90, 180]],
  ['place', ['50', '8'], [50, 8]],
  ['place', [0, -0], [0, 0]],
  ['tags', ['a', 'b,c'], ['a', 'b,c']],
  ['tags', 'a, b,,c', ['a', 'b', 'c']],
  ['tags', ['a,b'], ['a,b']],
  ['tags', [], []],
  ['tags', '', []],
  ['tags', 7, ['7']],
  ['tags', [1, true, 'x', ''], ['1', 'true', 'x', '']],
  ['sizes', ['1', 2], [1, 2]],
  ['sizes', '1, 2', [1, 2]],
  ['sizes', 3, [3]],
  ['rates', '1.5,2', [1.5, 2]],
  ['flags', [1, 0, 'true'], [true, false, true]],
  ['flags', 'true,false', [true, false]],
  ['dates', ['2023-02-28', 0], ['2023-02-28T00:00:00Z', '1970-01-01T00:00:00Z']],
  ['dates', '2023-02-28,2023.03.01', ['2023-02-28T00:00:00Z', '2023-03-01T00:00:00Z']],
  [
    'places',
    ['1,2', [3, 4]],
    [
      [1, 2],
      [3, 4],
    ],
  ],
  ['places', '1,2', [[1, 2]]],
  ['places', [1, 2], [[1, 2]]],
  ['places', [], []],
  ['motor', { file_id: 'x' }, null],
  ['motor', 'x', null],
  ...['make', 'year', 'price', 'sold', 'built', 'place', 'tags', 'places', 'motor'].map(
    (field): [string, unknown, unknown] => [field, null, null],
  ),
];

const WANTED = {
  make: 'Field make should be a string',
  year: 'Field year should be an integer',
  price: 'Field price should be a number',
  sold: 'Field sold should be a boolean',
  built: 'Field built should be a date',
  place: 'Field place should be a location',
  tags: 'Field tags should be a string',
  sizes: 'Field sizes should be an integer',
  rates: 'Field rates should be a number',
  flags: 'Field flags should be a boolean',
  dates: 'Field dates should be a date',
  places: 'Field places should be a location',
};

/** JSON as text, for numbers that JavaScript cannot represent. */
const BAD: [field: keyof typeof WANTED, values: string[]][] = [
  ['make', ['{}', '["a"]', '[]', '{"gt":"a"}']],
  [
    'year',
    [
      '1.5',
      '"1.5"',
      '"a"',
      '""',
      '" 1"',
      '"1e3"',
      '"0x10"',
      '"٣"',
      'true',
      '[1]',
      '{}',
      '9007199254740992',
      '1e400',
      '"9007199254740993"',
      '"NaN"',
      '"Infinity"',
    ],
  ],
  [
    'price',
    ['"a"', '""', '"1,5"', '"0x10"', '"1e400"', '1e400', '-1e400', '"NaN"', '"Infinity"', '"1e"', 'true', '[1]', '{}'],
  ],
  ['sold', ['2', '"yes"', '"TRUE"', '"on"', '-1', '[]', '{}', '0.5']],
  [
    'built',
    [
      '"yesterday"',
      '""',
      '"2023-02-30"',
      '"2023-13-01"',
      '"0000-01-01"',
      '"10000-01-01"',
      '"2023-02-28 24:00:00"',
      '253402300800',
      '-62135596801',
      '1e400',
      '1e300',
      '"NaN"',
      'true',
      '[]',
      '{}',
    ],
  ],
  [
    'place',
    [
      '"50"',
      '"a,b"',
      '"1,2,3"',
      '""',
      '[1]',
      '[1,2,3]',
      '["a","b"]',
      '[[1,2]]',
      '5',
      'true',
      '{}',
      '{"lat":1}',
      '"NaN,1"',
      '[1e400,1]',
    ],
  ],
  ['tags', ['[{}]', '[["a"]]', '[null]']],
  ['sizes', ['"a"', '["1.5"]', '[1,[2]]', '[null]', '[1e400]', '"1;2"']],
  ['rates', ['"a"', '["x"]', '[[1.5]]']],
  ['flags', ['[2]', '"yes"']],
  ['dates', ['["x"]', '"2023-02-30"', '[true]']],
  ['places', ['"a"', '["1"]', '[1,2,3]', '[[1,2,3]]', '[null]', '["1,2,3"]']],
];

const OUT_OF_RANGE: [given: unknown, sentence: string][] = [
  ['90.001, 8', 'Latitude must be less than or equal to 90'],
  [[-91, 8], 'Latitude must be greater than or equal to -90'],
  ['8, 180.5', 'Longitude must be less than or equal to 180'],
  [[8, -1e300], 'Longitude must be greater than or equal to -180'],
  ['91, 181', 'Latitude must be less than or equal to 90'],
];

const body = (field: string, json: string) => ({
  as: cast.olga,
  form: `{${JSON.stringify(field)}:${json}}`,
  headers: { 'Content-Type': 'application/json' },
});

describe('accepted values', () => {
  test.each(GOOD)('%s stores %j as %j', async (field, given, shown) => {
    const json = JSON.stringify(given);
    const created = await rest('POST', '/data/cars', body(field, json));
    expect([created.status, created.body[field]]).toEqual([201, shown]);
    const changed = await rest('PUT', `/data/cars/${id}`, body(field, json));
    expect([changed.status, changed.body[field]]).toEqual([200, shown]);
    const read = await rest('GET', `/data/cars/${id}`, { as: cast.olga });
    expect(read.body).toEqual(changed.body);
    if (typeof given === 'object') return;
    const form = await rest('POST', '/data/cars', {
      as: cast.olga,
      form: `${field}=${encodeURIComponent(String(given))}`,
    });
    expect([form.status, form.body[field]]).toEqual([201, shown]);
  });
});

describe('rejected values', () => {
  test.each(BAD.flatMap(([field, values]) => values.map((value) => [field, value] as const)))(
    '%s rejects %s',
    async (field, value) => {
      const before = await rest('GET', `/data/cars/${id}`, { as: cast.olga });
      const outcome = [422, { errors: [WANTED[field]] }];
      expect(outcomeOf(await rest('POST', '/data/cars', body(field, value)))).toEqual(outcome);
      expect(outcomeOf(await rest('PUT', `/data/cars/${id}`, body(field, value)))).toEqual(outcome);
      expect((await rest('GET', `/data/cars/${id}`, { as: cast.olga })).body).toEqual(before.body);
    },
  );

  test.each(['tags', 'sizes', 'flags', 'dates', 'places'])('%s rejects an object for a list', async (field) => {
    const outcome = [422, { errors: [`Field ${field} should be an array`] }];
    expect(outcomeOf(await rest('POST', '/data/cars', body(field, '{"a":1}')))).toEqual(outcome);
    expect(outcomeOf(await rest('PUT', `/data/cars/${id}`, body(field, '{"a":1}')))).toEqual(outcome);
  });

  test.each(OUT_OF_RANGE)('a location at %j is rejected: %s', async (given, sentence) => {
    for (const [field, json] of [
      ['place', JSON.stringify(given)],
      ['places', JSON.stringify([given])],
    ] as const) {
      expect(outcomeOf(await rest('POST', '/data/cars', body(field, json)))).toEqual([422, { errors: [sentence] }]);
    }
  });

  test('rejected values were not stored', async () => {
    const { body: list } = await rest('GET', '/data/cars?count=1', { as: cast.olga });
    const forms = GOOD.filter(([, given]) => typeof given !== 'object').length;
    expect(list.items.count).toBe(1 + GOOD.length + forms);
  });
});

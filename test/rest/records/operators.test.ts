import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { rest } from '../../support/clients/rest.ts';
import { createRecordCast, newCar, outcomeOf, type RecordCast } from '../../support/fixtures/cars.ts';

useApp();

let cast: RecordCast;
beforeAll(async () => {
  cast = await createRecordCast();
});

const BEFORE = {
  make: 'AB',
  year: 5,
  price: 1.5,
  sold: true,
  built: '2023-02-28T00:00:00Z',
  place: [1, 2],
  tags: ['a', 'b', 'a'],
  sizes: [3, 1, 2, 3],
  rates: [0.5, 1.5],
  flags: [true, false, true],
  dates: ['2023-02-28T00:00:00Z', '2024-02-29T00:00:00Z'],
  places: [
    [1, 2],
    [3, 4],
  ],
};

const CHANGES: [change: object | string, after: object][] = [
  [{ inc: { year: 2 } }, { year: 7 }],
  [{ inc: { year: '-2' } }, { year: 3 }],
  ['inc[year]=10&inc[price]=0.5', { year: 15, price: 2 }],
  ['inc%5Byear%5D=1', { year: 6 }],
  [{ inc: { unknown: 2 } }, {}],
  [{ push: { tags: 'c' } }, { tags: ['a', 'b', 'a', 'c'] }],
  [{ push: { tags: ['c', 'a'] } }, { tags: ['a', 'b', 'a', 'c', 'a'] }],
  ['push[tags]=c,d', { tags: ['a', 'b', 'a', 'c', 'd'] }],
  ['push[tags][]=c&push[tags][]=d,e', { tags: ['a', 'b', 'a', 'c', 'd,e'] }],
  [
    { push: { sizes: '4', rates: [2], flags: 0, dates: 0, places: '5,6' } },
    {
      sizes: [3, 1, 2, 3, 4],
      rates: [0.5, 1.5, 2],
      flags: [true, false, true, false],
      dates: [...BEFORE.dates, '1970-01-01T00:00:00Z'],
      places: [
        [1, 2],
        [3, 4],
        [5, 6],
      ],
    },
  ],
  [{ push: { tags: [] } }, {}],
  [{ add_to_set: { tags: ['b', 'c', 'c'] } }, { tags: ['a', 'b', 'a', 'c'] }],
  [
    {
      add_to_set: {
        places: [
          [1, 2],
          [7, 8],
        ],
        dates: '2023-02-28',
      },
    },
    {
      places: [
        [1, 2],
        [3, 4],
        [7, 8],
      ],
    },
  ],
  ['add_to_set[sizes]=3,9', { sizes: [3, 1, 2, 3, 9] }],
  [{ pull: { tags: 'a' } }, { tags: ['b'] }],
  [{ pull: { tags: 'none' } }, {}],
  ['pull[sizes]=3', { sizes: [1, 2] }],
  ['pull[sizes][gt]=1', { sizes: [1] }],
  [{ pull: { sizes: { lt: 2 } } }, { sizes: [3, 2, 3] }],
  [{ pull: { sizes: { lte: 2 } } }, { sizes: [3, 3] }],
  [{ pull: { sizes: { gte: 3 } } }, { sizes: [1, 2] }],
  [{ pull: { sizes: { ne: 3 } } }, { sizes: [3, 3] }],
  [{ pull: { sizes: { in: [1, 2] } } }, { sizes: [3, 3] }],
  ['pull[sizes][nin]=1,2', { sizes: [1, 2] }],
  [{ pull: { sizes: { gt: 1, lt: 3 } } }, { sizes: [3, 1, 3] }],
  [{ pull: { tags: { gt: 'a' } } }, { tags: ['a', 'a'] }],
  [{ pull: { flags: { ne: true } } }, { flags: [true, true] }],
  [{ pull: { dates: { lt: '2024-01-01' } } }, { dates: ['2024-02-29T00:00:00Z'] }],
  [{ pull: { places: '3, 4' } }, { places: [[1, 2]] }],
  [{ pull_all: { tags: ['a', 'x'] } }, { tags: ['b'] }],
  ['pull_all[sizes]=1,3', { sizes: [2] }],
  ['pull_all[tags][]=a&pull_all[tags][]=b', { tags: [] }],
  [{ pop: { tags: 1 } }, { tags: ['a', 'b'] }],
  ['pop[tags]=-1', { tags: ['b', 'a'] }],
  [{ tags: { 1: 'x' } }, { tags: ['a', 'x', 'a'] }],
  ['tags[0]=x', { tags: ['x', 'b', 'a'] }],
  ['tags[99]=x', { tags: ['a', 'b', 'a', 'x'] }],
  ['tags[7]=y&tags[5]=x', { tags: ['a', 'b', 'a', 'x', 'y'] }],
  [
    'places[1]=9,8',
    {
      places: [
        [1, 2],
        [9, 8],
      ],
    },
  ],
  [{ tags: ['new'] }, { tags: ['new'] }],
  [
    { inc: { year: 1 }, year: 10, push: { tags: 'z' }, tags: ['y'] },
    { year: 11, tags: ['y', 'z'] },
  ],
  [{ _id: 'x', _parent_id: 'x', user_id: 1, created_at: 1, updated_at: 1, nested: {} }, {}],
  [{ motor: null }, {}],
  // Not objects, so neither operators nor fields.
  [{ inc: 5, push: 'x', pull: ['x'], pop: null }, {}],
  [{}, {}],
];

describe('record operators', () => {
  test.each(CHANGES)('%j results in %j', async (change, after) => {
    const id = await newCar(BEFORE, cast.olga);
    const sent = typeof change === 'string' ? { form: change } : { json: change };
    const { status, body } = await rest('PUT', `/data/cars/${id}`, { as: cast.olga, ...sent });
    expect([status, body]).toEqual([200, expect.objectContaining({ _id: id, ...BEFORE, ...after, motor: null })]);
    expect((await rest('GET', `/data/cars/${id}`, { as: cast.olga })).body).toEqual(body);
  });

  test.each<[change: object, after: object]>([
    [{ inc: { year: 2, price: '1.5' } }, { year: 2, price: 1.5 }],
    [{ push: { tags: 'a' } }, { tags: ['a'] }],
    [{ add_to_set: { tags: ['a', 'a'] } }, { tags: ['a'] }],
    [{ tags: { 3: 'a' } }, { tags: ['a'] }],
  ])('%j of unset fields results in %j', async (change, after) => {
    const id = await newCar({}, cast.olga);
    const { status, body } = await rest('PUT', `/data/cars/${id}`, { as: cast.olga, json: change });
    expect([status, body]).toMatchObject([200, after]);
  });

  test.each([{ pull: { tags: 'a' } }, { pull_all: { tags: ['a'] } }, { pop: { tags: 1 } }])(
    '%j of an unset field leaves it unset',
    async (change) => {
      const id = await newCar({}, cast.olga);
      const { status, body } = await rest('PUT', `/data/cars/${id}`, { as: cast.olga, json: change });
      expect([status, body.tags ?? []]).toEqual([200, []]);
    },
  );
});

const FIELDS = Object.keys(BEFORE);
const NUMBERS = ['year', 'price'];
const ARRAYS = FIELDS.filter((field) => Array.isArray(BEFORE[field as keyof typeof BEFORE]) && field !== 'place');
const kinds = (operator: string, fit: string[]) =>
  [...FIELDS, 'motor'].filter((field) => !fit.includes(field)).map((field) => [operator, field] as const);

describe('operators on fields of the wrong type', () => {
  test.each([
    ...kinds('inc', NUMBERS),
    ...['push', 'add_to_set', 'pull', 'pull_all', 'pop'].flatMap((operator) => kinds(operator, ARRAYS)),
  ])('%s of %s is rejected', async (operator, field) => {
    const id = await newCar(BEFORE, cast.olga);
    const json = { make: 'changed', [operator]: { [field]: 1 } };
    const answer = await rest('PUT', `/data/cars/${id}`, { as: cast.olga, json });
    expect(outcomeOf(answer)).toEqual([422, { errors: [`Operator ${operator} can't be used with field ${field}`] }]);
    expect((await rest('GET', `/data/cars/${id}`, { as: cast.olga })).body).toMatchObject(BEFORE);
  });

  test.each<[json: object, ...sentences: string[]]>([
    [{ inc: { year: 1.5 } }, 'Field year should be an integer'],
    [{ inc: { year: 'x' } }, 'Field year should be an integer'],
    [{ inc: { year: null } }, 'Field year should be an integer'],
    [{ inc: { year: 9_007_199_254_740_991 } }, 'Field year should be an integer'],
    [{ inc: { price: {} } }, 'Field price should be a number'],
    [{ push: { sizes: ['x'] } }, 'Field sizes should be an integer'],
    [{ push: { tags: { a: 1 } } }, 'Field tags should be an array'],
    [{ add_to_set: { places: '91,1' } }, 'Latitude must be less than or equal to 90'],
    [{ pull: { sizes: 'x' } }, 'Field sizes should be an integer'],
    [{ pull: { sizes: { gt: 'x' } } }, 'Field sizes should be an integer'],
    [{ pull: { sizes: { in: ['x'] } } }, 'Field sizes should be an integer'],
    [{ pull: { sizes: { ctn: 1 } } }, "Operator pull can't be used with field sizes"],
    [{ pull: { sizes: { toString: 1 } } }, "Operator pull can't be used with field sizes"],
    [{ pull: { flags: { gt: true } } }, "Operator pull can't be used with field flags"],
    [{ pull: { places: { gt: '1,2' } } }, "Operator pull can't be used with field places"],
    [{ pull_all: { dates: ['x'] } }, 'Field dates should be a date'],
    [{ pop: { tags: 0 } }, "Operator pop can't be used with field tags"],
    [{ pop: { tags: 'x' } }, "Operator pop can't be used with field tags"],
    [{ pop: { tags: { 1: 1 } } }, "Operator pop can't be used with field tags"],
    [{ tags: { '-1': 'x' } }, 'Field tags should be an array'],
    [{ tags: { 0: {} } }, 'Field tags should be a string'],
    [{ sizes: { 0: 'x' } }, 'Field sizes should be an integer'],
    [
      { year: 'x', inc: { make: 1 }, pop: { tags: 5 } },
      'Field year should be an integer',
      "Operator inc can't be used with field make",
      "Operator pop can't be used with field tags",
    ],
  ])('%j is rejected: %s', async (json, ...sentences) => {
    const id = await newCar(BEFORE, cast.olga);
    const answer = await rest('PUT', `/data/cars/${id}`, { as: cast.olga, json: { make: 'changed', ...json } });
    expect(outcomeOf(answer)).toEqual([422, { errors: sentences }]);
    expect((await rest('GET', `/data/cars/${id}`, { as: cast.olga })).body).toMatchObject(BEFORE);
  });

  test('an operator that makes a record too large is rejected', async () => {
    const id = await newCar({ tags: ['x'.repeat(200_000)], price: 1.7e308 }, cast.olga);
    const put = (json: object) => rest('PUT', `/data/cars/${id}`, { as: cast.olga, json });
    expect(outcomeOf(await put({ push: { tags: 'y'.repeat(62_200) } }))).toEqual([
      422,
      { errors: ['Record is too large (maximum is 262144 bytes)'] },
    ]);
    expect(outcomeOf(await put({ inc: { price: 1.7e308 } }))).toEqual([
      422,
      { errors: ['Field price should be a number'] },
    ]);
  });
});

import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { errorOf, execute } from '../../support/fixtures/chat.ts';
import { CAR_FIELDS, defineClass } from '../../support/fixtures/typed-classes.ts';
import { apiKey, createUser, type TestUser } from '../../support/fixtures/users.ts';

useApp();

let user: TestUser;
const ids = new Map<string, string>();

/** `a` and `b` have all fields, `c` has only a name; `b` is a child of `a` and belongs to the user. */
const CARS = {
  a: {
    year: 1,
    price: 0.5,
    sold: false,
    built: '2026-01-01T00:00:00Z',
    place: { lat: 50, lon: 8 },
    tags: ['x', 'y'],
    sizes: [1, 2],
    rates: [0.5],
    flags: [true],
    dates: ['2026-01-01T00:00:00Z'],
    places: [{ lat: 1, lon: 2 }],
  },
  b: {
    year: 2,
    price: 2,
    sold: true,
    built: '2026-01-01T00:00:00.001Z',
    place: { lat: 50.001, lon: 8 },
    tags: ['y'],
    sizes: [2, 3],
    rates: [],
    flags: [false],
    dates: ['2026-01-02T00:00:00Z'],
    places: [
      { lat: 1, lon: 2 },
      { lat: 3, lon: 4 },
    ],
  },
  c: {},
};

beforeAll(async () => {
  user = await createUser();
  await defineClass('cars', CAR_FIELDS);
  for (const [make, values] of Object.entries(CARS)) {
    const input = { make, ...values, parentId: make === 'b' ? ids.get('a') : null };
    const as = make === 'b' ? user : apiKey;
    const { createCar } = await execute(
      'mutation ($input: CarInput!) { createCar(input: $input) { id } }',
      { input },
      as,
    );
    ids.set(make, createCar.id);
  }
});

const LIST = `query ($where: CarFilter, $orderBy: CarOrder) {
  cars(where: $where, orderBy: $orderBy) { make }
  carsConnection(where: $where, orderBy: $orderBy) { totalCount edges { node { make } } } }`;

/** Makes of the records in order; asserts that list and connection agree. */
async function makes(where: object | null, orderBy: object | null = null): Promise<string> {
  const { cars, carsConnection } = await execute(LIST, { where, orderBy }, user);
  expect(carsConnection).toEqual({ totalCount: cars.length, edges: cars.map((node: object) => ({ node })) });
  return cars.map(({ make }: { make: string }) => make).join('');
}

const FILTERS: [where: object | null, found: string][] = [
  [null, 'abc'],
  [{}, 'abc'],
  [{ make: { eq: 'a' } }, 'a'],
  [{ make: { ne: 'a' } }, 'bc'],
  [{ make: { in: ['a', 'c', 'z'] } }, 'ac'],
  [{ make: { in: [] } }, ''],
  [{ make: { notIn: ['a', 'c'] } }, 'b'],
  [{ make: { contains: 'B' } }, 'b'],
  [{ make: { contains: '%' } }, ''],
  [{ make: { eq: "a' OR true --" } }, ''],
  [{ year: { eq: null } }, 'c'],
  [{ year: { ne: null } }, 'ab'],
  [{ year: { gt: 1 } }, 'b'],
  [{ year: { gte: 1, lt: 2 } }, 'a'],
  [{ year: { ne: 1 } }, 'bc'],
  [{ year: { notIn: [1] } }, 'bc'],
  [{ price: { lte: 0.5 } }, 'a'],
  [{ price: { eq: 2 } }, 'b'],
  [{ sold: { eq: false } }, 'a'],
  [{ sold: { ne: false } }, 'bc'],
  [{ sold: { in: [true, false] } }, 'ab'],
  [{ built: { eq: '2026-01-01T00:00:00Z' } }, 'a'],
  [{ built: { gt: '2026-01-01T00:00:00Z' } }, 'b'],
  [{ built: { lte: '2026-01-01T01:00:00+01:00' } }, 'a'],
  [{ built: { eq: null } }, 'c'],
  [{ place: { near: { lat: 50, lon: 8, radius: 100 } } }, 'a'],
  [{ place: { near: { lat: 50, lon: 8, radius: 120 } } }, 'ab'],
  [{ place: { eq: { lat: 50.001, lon: 8 } } }, 'b'],
  [{ place: { eq: null } }, 'c'],
  [{ motor: { eq: null } }, 'abc'],
  [{ motor: { ne: null } }, ''],
  [{ tags: { eq: 'x' } }, 'a'],
  [{ tags: { ne: 'x' } }, 'bc'],
  [{ tags: { in: ['x', 'z'] } }, 'a'],
  [{ tags: { notIn: ['x'] } }, 'bc'],
  [{ tags: { all: ['x', 'y'] } }, 'a'],
  [{ tags: { eq: null } }, 'c'],
  [{ sizes: { all: [2] } }, 'ab'],
  [{ rates: { eq: 0.5 } }, 'a'],
  [{ rates: { ne: null } }, 'ab'],
  [{ flags: { eq: false } }, 'b'],
  [{ dates: { in: ['2026-01-02T00:00:00Z'] } }, 'b'],
  [{ places: { all: [{ lon: 4, lat: 3 }] } }, 'b'],
  [{ places: { eq: { lat: 1, lon: 2 } } }, 'ab'],
  [{ parentId: { ne: null } }, 'b'],
  [{ parentId: { eq: null } }, 'ac'],
  [{ userId: { eq: 0 } }, 'ac'],
  [{ createdAt: { gt: 0 } }, 'abc'],
  [{ updatedAt: { lt: 1 } }, ''],
  [{ or: [{ make: { eq: 'a' } }, { year: { eq: null } }] }, 'ac'],
  [{ or: [] }, 'abc'],
  [{ and: [{ year: { gt: 0 } }, { or: [{ sold: { eq: true } }, { make: { eq: 'c' } }] }] }, 'b'],
  [{ make: { eq: 'a' }, year: { eq: 2 } }, ''],
  [{ make: null, year: { gt: null, eq: 2 } }, 'b'],
];

test.each(FILTERS)('the filter %j finds %s', async (where, found) => {
  expect(await makes(where)).toBe(found);
});

test.each([
  ['make', 'DESC', 'cba'],
  ['year', 'ASC', 'abc'],
  ['year', 'DESC', 'bac'],
  ['price', 'DESC', 'bac'],
  ['sold', 'DESC', 'bac'],
  ['built', 'ASC', 'abc'],
  ['id', 'DESC', 'cba'],
  ['parentId', 'ASC', 'bac'],
  ['userId', 'DESC', 'bca'],
  ['createdAt', 'DESC', 'cba'],
])('records sorted by %s %s are in the order %s', async (field, direction, found) => {
  expect(await makes(null, { field, direction })).toBe(found);
});

test('the types reject filters and orders that do not fit a field', async () => {
  for (const where of [
    { year: 1 },
    { year: { contains: '1' } },
    { tags: { lt: 'x' } },
    { place: { ne: { lat: 1, lon: 1 } } },
    { motor: { gt: 'x' } },
    { color: { eq: 'red' } },
    { make: { eq: ['a'] } },
  ]) {
    expect((await errorOf(LIST, { where }, user)).code, JSON.stringify(where)).toBe('BAD_USER_INPUT');
  }
  for (const field of ['place', 'tags', 'motor', 'color', '_id', "id'"]) {
    expect((await errorOf(LIST, { orderBy: { field, direction: 'ASC' } }, user)).code).toBe('BAD_USER_INPUT');
  }
});

describe('pages of typed lists', () => {
  const PAGE = `query ($first: Int, $last: Int, $after: String, $before: String, $orderBy: CarOrder) {
    carsConnection(first: $first, last: $last, after: $after, before: $before, orderBy: $orderBy) {
      edges { cursor node { make } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;

  test.each(['year', 'built', 'price', 'sold', 'make', 'id', 'parentId', 'updatedAt'])(
    'pages by %s contain every record once, in both directions and orders',
    async (field) => {
      for (const direction of ['ASC', 'DESC']) {
        const orderBy = { field, direction };
        const all = await makes(null, orderBy);
        let forward = '';
        for (let after: string | null = null, more = true; more; ) {
          const { carsConnection: page } = await execute(PAGE, { first: 1, after, orderBy }, user);
          forward += page.edges[0].node.make;
          [after, more] = [page.pageInfo.endCursor, page.pageInfo.hasNextPage];
        }
        let backward = '';
        for (let before: string | null = null, more = true; more; ) {
          const { carsConnection: page } = await execute(PAGE, { last: 1, before, orderBy }, user);
          backward = page.edges[0].node.make + backward;
          [before, more] = [page.pageInfo.startCursor, page.pageInfo.hasPreviousPage];
        }
        expect([forward, backward], direction).toEqual([all, all]);
      }
    },
  );

  test('pages reject cursors of other lists', async () => {
    for (const after of ['x', '', '{}', 'bnVsbA==']) {
      expect((await errorOf(PAGE, { first: 1, after }, user)).code).toBe('BAD_USER_INPUT');
    }
  });
});

import { beforeAll, describe, expect, test } from 'vitest';
import { clock, useApp } from '../../support/app/app.ts';
import { rest } from '../../support/clients/rest.ts';
import {
  createRecordCast,
  DEFAULT_PERMISSIONS,
  newCar,
  outcomeOf,
  type RecordCast,
} from '../../support/fixtures/cars.ts';
import { created } from '../../support/fixtures/chat-cast.ts';
import { NOT_FOUND, UNDEFINED_CLASS } from '../../support/fixtures/error-bodies.ts';
import { apiKey, type Caller } from '../../support/fixtures/users.ts';

useApp();

let cast: RecordCast;
const ids: Record<string, string> = {};

beforeAll(async () => {
  cast = await createRecordCast();
  const { olga, mallory } = cast;
  const cars: Record<string, object> = {
    a: { make: 'AB', year: 2001, price: 1.5, sold: true, tags: ['x', 'y'], built: '2020-01-01' },
    b: { make: 'CD', year: 2003, price: 2.5, sold: false, tags: ['y'], built: '2021-01-01' },
    c: { make: 'AB', year: 2002, price: 4, place: [1, 2] },
    d: { year: 2001, sold: true },
    e: { make: 'ef', price: -1 },
  };
  for (const [word, fields] of Object.entries(cars)) {
    clock.reset(Object.keys(ids).length * 1_000);
    ids[word] = await newCar(fields, olga);
  }
  ids.p = await newCar({ make: 'private', permissions: { read: { access: 'owner' } } }, olga);
  ids.g = await newCar({ make: 'group', permissions: { read: { access: 'open_for_groups', groups: 'g1' } } }, olga);
  await created('/class', { name: 'parts', fields: { label: 'String' } }, apiKey);
  ids.k = (await created(`/data/cars/${ids.a}/parts`, { label: 'kid' }, mallory))._id;
  ids.l = (await created(`/data/cars/${ids.a}/parts`, { label: 'lid' }, olga))._id;
  clock.reset();
});

const list = (query: string, as: Caller = cast.mallory, path = '/data/cars.json') =>
  rest('GET', `${path}?${query}`, { as });
const wordOf = (id: string) => Object.keys(ids).find((word) => ids[word] === id)!;
const wordsIn = (items: { _id: string }[]) => items.map(({ _id }) => wordOf(_id)).join('');

test('a page has the member order of the contract', async () => {
  const { status, text } = await list('limit=1');
  expect([status, text]).toEqual([
    200,
    `{"class_name":"cars","skip":0,"limit":1,"items":[{"_id":"${ids.a}","_parent_id":null,"created_at":1795196819,` +
      `"updated_at":1795196819,"user_id":${cast.olga.id},"make":"AB","year":2001,"price":1.5,"sold":true,` +
      '"built":"2020-01-01T00:00:00Z","place":null,"motor":null,"tags":["x","y"],"sizes":null,"rates":null,' +
      '"flags":null,"dates":null,"places":null}]}',
  ]);
});

describe('visibility of records', () => {
  test.each([
    ['mallory', 'abcde'],
    ['nina', 'abcde'],
    ['greta', 'abcdeg'],
    ['olga', 'abcdepg'],
    ['key for olga', 'abcdepg'],
    ['key', 'abcdepg'],
    ['application', 'abcde'],
  ])('%s sees %s', async (caller, words) => {
    const as = cast.callers[caller]!;
    const { body } = await list('', as);
    expect(wordsIn(body.items)).toBe(words);
    expect(Object.keys(body.items[0])).not.toContain('permissions');
    expect((await list('count=1', as)).body.items).toEqual({ count: words.length });
    const groups = (await list('group_by=_id', as)).body.items;
    expect(wordsIn(groups)).toBe(words);
  });

  test('a caller of another application does not find the class', async () => {
    expect(outcomeOf(await list('', cast.otherKey))).toEqual([403, UNDEFINED_CLASS]);
  });
});

describe('record pages', () => {
  test.each<[query: string, skip: number, limit: number, words: string]>([
    ['', 0, 100, 'abcde'],
    ['limit=2', 0, 2, 'ab'],
    ['limit=2&skip=1', 1, 2, 'bc'],
    ['skip=4', 4, 100, 'e'],
    ['skip=5', 5, 100, ''],
    ['skip=99999999999', 2_147_483_647, 100, ''],
    ['skip=-1', 0, 100, 'abcde'],
    ['skip=x&limit=y', 0, 100, 'abcde'],
    ['limit=0', 0, 100, 'abcde'],
    ['limit=-2', 0, 100, 'abcde'],
    ['limit=101', 0, 100, 'abcde'],
    ['limit=1.5', 0, 100, 'abcde'],
    ['limit=-1', 0, 1, 'e'],
    ['limit=-1&sort_desc=_id', 0, 1, 'a'],
    ['limit=-1&sort_asc=year', 0, 1, 'e'],
    ['limit=-1&sort_desc=year', 0, 1, 'e'],
    ['limit=-1&sort_asc=year&year[ne]=null', 0, 1, 'b'],
    ['limit=-1&sort_desc=year&year[ne]=null', 0, 1, 'a'],
    ['limit=-1&skip=1', 1, 1, 'd'],
    ['limit=-1&make=none', 0, 1, ''],
  ])('%s returns the expected page', async (query, skip, limit, words) => {
    const { status, body } = await list(query);
    expect([status, body.class_name, body.skip, body.limit, wordsIn(body.items)]).toEqual([
      200,
      'cars',
      skip,
      limit,
      words,
    ]);
  });
});

describe('record order', () => {
  test.each([
    ['sort_asc=_id', 'abcde'],
    ['sort_desc=_id', 'edcba'],
    ['sort_asc=created_at', 'abcde'],
    ['sort_desc=updated_at', 'edcba'],
    ['sort_asc=user_id', 'abcde'],
    ['sort_asc=_parent_id', 'abcde'],
    ['sort_asc=make', 'acbed'],
    ['sort_desc=make', 'ebcad'],
    ['sort_asc=year', 'adcbe'],
    ['sort_desc=year', 'bcdae'],
    ['sort_asc=price', 'eabcd'],
    ['sort_desc=price', 'cbaed'],
    ['sort_asc=sold', 'badce'],
    ['sort_desc=built', 'baedc'],
    ['sort_asc=year&sort_desc=price', 'cbaed'],
    ['sort_asc=&sort_desc=', 'abcde'],
    ['sort_asc=price&sort_desc=', 'eabcd'],
  ])('%s sorts the records as %s', async (query, words) => {
    const { body } = await list(query);
    expect(wordsIn(body.items)).toBe(words);
    const paged: string[] = [];
    for (let skip = 0; skip < words.length; skip += 2) {
      paged.push(wordsIn((await list(`${query}&limit=2&skip=${skip}`)).body.items));
    }
    expect(paged.join('')).toBe(words);
  });

  test.each([
    'colour',
    'tags',
    'place',
    'motor',
    '__proto__',
    'toString',
    "make'; --",
    'fields->>make',
    'r.id',
    'Make',
  ])('the sort parameter %s is rejected', async (field) => {
    for (const key of ['sort_asc', 'sort_desc']) {
      expect(outcomeOf(await list(`${key}=${encodeURIComponent(field)}`))).toEqual([
        422,
        { errors: [`Incorrect sort field: ${field}`] },
      ]);
    }
  });
});

describe('field selection', () => {
  test.each<[query: string, item: object]>([
    ['output[include]=make,year', { make: 'AB', year: 2001 }],
    ['output[include]=make%2C+year', { make: 'AB', year: 2001 }],
    ['output[include][]=make&output[include][]=created_at', { created_at: 1_795_196_819, make: 'AB' }],
    ['output[include]=make,year&output[exclude]=year', { make: 'AB' }],
    ['output[include]=make,nothing,__proto__', { make: 'AB' }],
    ['output[include]=make,permissions', { make: 'AB' }],
    ['output[include]=permissions&permissions=1', { permissions: DEFAULT_PERMISSIONS }],
  ])('%s selects the expected fields', async (query, item) => {
    const { body } = await list(`_id=${ids.a}&${query}`);
    expect(body.items).toEqual([{ _id: ids.a, ...item }]);
  });

  test('output[exclude] omits the given fields', async () => {
    const { body } = await list(`_id=${ids.a}&output[exclude]=_id,built,tags&permissions=1`);
    const [item] = (await list(`_id=${ids.a}&permissions=1`)).body.items;
    const { _id, built: _built, tags: _tags, ...others } = item;
    expect(_id).toBe(ids.a);
    expect(item.permissions).toEqual(DEFAULT_PERMISSIONS);
    expect(body.items).toEqual([others]);
  });
});

describe('groups of records', () => {
  test.each<[query: string, items: object[]]>([
    ['group_by=make', [{ _id: 'AB' }, { _id: 'CD' }, { _id: 'ef' }, { _id: null }]],
    [
      'group_by=make&price[calc]=sum',
      [
        { _id: 'AB', price: 5.5 },
        { _id: 'CD', price: 2.5 },
        { _id: 'ef', price: -1 },
        { _id: null, price: null },
      ],
    ],
    [
      'group_by=year&price[calc]=avg&limit=2',
      [
        { _id: 2001, price: 1.5 },
        { _id: 2002, price: 4 },
      ],
    ],
    ['group_by=year&price[calc]=min&skip=3', [{ _id: null, price: -1 }]],
    [
      'group_by=sold&year[calc]=max',
      [
        { _id: false, year: 2003 },
        { _id: true, year: 2001 },
        { _id: null, year: 2002 },
      ],
    ],
    [
      'group_by=sold&year[calc]=max&price[calc]=sum&make=AB',
      [
        { _id: true, year: 2001, price: 1.5 },
        { _id: null, year: 2002, price: 4 },
      ],
    ],
    [
      'group_by=make&price[calc]=sum&price[gt]=2',
      [
        { _id: 'AB', price: 4 },
        { _id: 'CD', price: 2.5 },
      ],
    ],
    ['group_by=built', [{ _id: '2020-01-01T00:00:00Z' }, { _id: '2021-01-01T00:00:00Z' }, { _id: null }]],
    ['group_by=tags', [{ _id: ['y'] }, { _id: ['x', 'y'] }, { _id: null }]],
    ['group_by=place', [{ _id: [1, 2] }, { _id: null }]],
    ['group_by=created_at&limit=2', [{ _id: 1_795_196_819 }, { _id: 1_795_196_820 }]],
    ['group_by=make&make=none', []],
  ])('%s groups the records', async (query, items) => {
    const { status, body } = await list(query);
    expect([status, body.items]).toEqual([200, items]);
  });

  test('records can be grouped by owner', async () => {
    expect((await list('group_by=user_id')).body.items).toEqual([{ _id: cast.olga.id }]);
  });

  test('count takes precedence over groups', async () => {
    expect((await list('group_by=make&count=1')).body.items).toEqual({ count: 5 });
  });

  test.each([
    ['group_by=colour', 'group_by'],
    ['group_by=__proto__', 'group_by'],
    ["group_by=make';--", 'group_by'],
    ['group_by=make&price[calc]=median', 'price[calc]'],
    ['group_by=make&price[calc]=toString', 'price[calc]'],
    ['group_by=make&price[calc][]=avg', 'price[calc]'],
    ['group_by=make&make[calc]=sum', 'make[calc]'],
    ['group_by=make&tags[calc]=sum', 'tags[calc]'],
    ['group_by=make&colour[calc]=sum', 'colour[calc]'],
    ['group_by=make&_id[calc]=sum', '_id[calc]'],
    ['price[calc]=avg', 'price[calc]'],
  ])('the group parameter %s is rejected', async (query, key) => {
    expect(outcomeOf(await list(query))).toEqual([422, { errors: [`Incorrect filter: ${key}`] }]);
  });
});

describe('child records', () => {
  const below = (query: string, as: Caller = cast.mallory, path = `/data/cars/${ids.a}/parts.json`) =>
    list(query, as, path);

  test('child records are listed, sorted and counted like any list', async () => {
    const { status, body } = await below('');
    expect([status, Object.keys(body), body.class_name, wordsIn(body.items)]).toEqual([
      200,
      ['class_name', 'skip', 'limit', 'items'],
      'parts',
      'kl',
    ]);
    expect(body).toEqual((await list(`_parent_id=${ids.a}`, cast.mallory, '/data/parts')).body);
    expect(wordsIn((await below('sort_desc=label')).body.items)).toBe('lk');
    expect(wordsIn((await below('label=kid')).body.items)).toBe('k');
    expect((await below('count=1')).body.items).toEqual({ count: 2 });
    expect((await below('', cast.mallory, `/data/cars/${ids.b}/parts`)).body.items).toEqual([]);
  });

  test('children of a missing, invisible or foreign-class parent are not found', async () => {
    for (const path of [
      `/data/cars/${cast.values.unknown}/parts`,
      '/data/cars/abc/parts',
      `/data/parts/${ids.a}/cars`,
      `/data/cars/${ids.p}/parts`,
    ]) {
      expect(outcomeOf(await below('', cast.mallory, path))).toEqual([404, NOT_FOUND]);
    }
    for (const path of [`/data/Cars/${ids.a}/parts`, `/data/cars/${ids.a}/Parts`]) {
      expect(outcomeOf(await below('', cast.mallory, path))).toEqual([403, UNDEFINED_CLASS]);
    }
  });
});

import { beforeAll, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { APPLICATION, useApp } from '../../support/app/app.ts';
import { JSON_TYPE, rawRequest } from '../../support/clients/raw-http.ts';
import { rest } from '../../support/clients/rest.ts';
import { type Scenario, testScenarios } from '../../support/clients/rest-table.ts';
import { TOKEN_REQUIRED } from '../../support/fixtures/error-bodies.ts';
import { apiKey, type Caller, onBehalfOf, openSession } from '../../support/fixtures/users.ts';

useApp();

const ROWS = [
  user(11, 'Ann Lee', 'ann@x.io', 'Ann', '1111', 10n, '9', '2019-01-01T00:00:00Z'),
  user(12, 'Bob, Jr', 'bob@x.io', 'bob.jr', '+2 (22)', 20n, '10', '2019-06-15T12:30:00.500Z'),
  user(
    13,
    'Eve eq 3',
    'eve@x.io',
    'EVE',
    '3-3.3',
    9_007_199_254_740_991n,
    '12345678901234567890',
    '2019-12-31T23:59:59Z',
  ),
  { ...user(14, null, null, null, null, null, null, '2020-01-01T00:00:00Z'), lastRequestAt: null },
];

function user(
  id: number,
  fullName: string | null,
  email: string | null,
  login: string | null,
  phone: string | null,
  externalUserId: bigint | null,
  facebookId: string | null,
  at: string,
) {
  const moment = new Date(at);
  return {
    applicationId: APPLICATION.id,
    id,
    fullName,
    email,
    login,
    loginKey: login?.toLowerCase() ?? null,
    phone,
    website: fullName && `https://${id}.io`,
    externalUserId,
    facebookId,
    createdAt: moment,
    updatedAt: moment,
    lastRequestAt: moment as Date | null,
  };
}

let session: Caller;
beforeAll(async () => {
  await db.user.createMany({ data: ROWS });
  session = await openSession();
});

function list(query: string, as: Caller = session) {
  return rest('GET', `/users.json?${query}`, { as });
}

const filters = (...items: string[]) => items.map((item) => `filter[]=${encodeURIComponent(item)}`).join('&');

async function idsOf(query: string): Promise<number[]> {
  const { status, text, body } = await list(`per_page=100&${query}`);
  if (status !== 200) throw new Error(`${status} ${text}`);
  const ids = body.items.map((item: { user: { id: number } }) => item.user.id);
  expect(body.total_entries).toBe(ids.length);
  return ids;
}

type Row = (typeof ROWS)[number];
type Comparable = number | bigint | string | null;

/** Legacy field → comparison of rows, and the value of the second row as a filter writes it. */
const COMPARED: Record<string, [comparableOf: (row: Row) => Comparable, low: string, middle: string, high: string]> = {
  id: [(row) => row.id, '11', '12', '13'],
  created_at: [(row) => row.createdAt.getTime(), '2019-01-01T00:00:00Z', '2019-06-15 12:30:00.5', '1577836799'],
  updated_at: [(row) => row.updatedAt.getTime(), '2019-01-01', '2019-06-15T14:30:00.500+02:00', '2019.12.31'],
  last_request_at: [(row) => row.lastRequestAt?.getTime() ?? null, '2019.01.01', '1560601800.5', '2019-12-31 23:59:59'],
  external_user_id: [(row) => row.externalUserId, '10', '20', '9007199254740991'],
  facebook_id: [(row) => (row.facebookId === null ? null : BigInt(row.facebookId)), '09', '10', '12345678901234567890'],
};
const TEXTS: Record<string, keyof Row> = { full_name: 'fullName', email: 'email', login: 'login', phone: 'phone' };

const idsWhere = (matches: (row: Row) => boolean) => ROWS.filter(matches).map((row) => row.id);
const TYPES = ['number', 'string', 'date'];

describe.each(Object.entries(COMPARED))('filters of %s', (field, [comparableOf, low, middle, high]) => {
  const second = comparableOf(ROWS[1]!)!;
  const compared = (matches: (value: NonNullable<Comparable>) => boolean) =>
    idsWhere((row) => comparableOf(row) !== null && matches(comparableOf(row)!));
  const all = compared(() => true);
  const OPERATORS: [operator: string, value: string, ids: number[]][] = [
    ['gt', middle, compared((value) => value > second)],
    ['lt', middle, compared((value) => value < second)],
    ['ge', middle, compared((value) => value >= second)],
    ['le', middle, compared((value) => value <= second)],
    ['eq', middle, [12]],
    ['ne', middle, [11, 13, 14]],
    ['between', `${low},${middle}`, [11, 12]],
    ['between', `${low}, ${high}`, [11, 12, 13]],
    ['between', `${high},${low}`, []],
    ['in', `${middle},${high}`, [12, 13]],
    ['in', `${low}, ${middle}`, [11, 12]],
  ];
  test.each(OPERATORS)('%s %s finds the matching users', async (operator, value, ids) => {
    expect(all.length).toBeGreaterThan(2);
    for (const type of TYPES) expect(await idsOf(filters(`${type} ${field} ${operator} ${value}`))).toEqual(ids);
  });

  test('a value that cannot be cast is rejected', async () => {
    for (const item of [
      `number ${field} gt x`,
      `string ${field} eq`,
      `string ${field} eq `,
      `date ${field} between ${low}`,
      `date ${field} between ${low},${middle},${high}`,
      `number ${field} in ${low},,${high}`,
      `string ${field} gt ${low},${high}`,
      `string ${field} like ${low}`,
    ]) {
      const { status, body } = await list(filters(item));
      expect([status, body]).toEqual([422, { errors: { base: [`Incorrect filter: ${item}`] } }]);
    }
  });
});

describe.each(Object.entries(TEXTS))('filters of %s', (field, key) => {
  const value = String(ROWS[2]![key]);
  test('eq, ne and in find the matching users', async () => {
    for (const type of TYPES) {
      expect(await idsOf(filters(`${type} ${field} eq ${value}`))).toEqual([13]);
      expect(await idsOf(filters(`${type} ${field} ne ${value}`))).toEqual([11, 12, 14]);
      expect(await idsOf(filters(`${type} ${field} in ${value}, ${ROWS[0]![key]},x`))).toEqual([11, 13]);
      expect(await idsOf(filters(`${type} ${field} eq nobody`))).toEqual([]);
    }
  });

  test('other operators are rejected', async () => {
    for (const operator of ['gt', 'lt', 'ge', 'le', 'between', 'contains']) {
      const item = `string ${field} ${operator} a,b`;
      const { status, body } = await list(filters(item));
      expect([status, body]).toEqual([422, { errors: { base: [`Incorrect filter: ${item}`] } }]);
    }
  });
});

describe('user filters', () => {
  test('filters are combined with AND, in one parameter or in several of any name', async () => {
    expect(await idsOf(filters('number id gt 11', 'number id lt 14'))).toEqual([12, 13]);
    expect(await idsOf(filters('number id gt 11,string id lt 14,date created_at ge 2019-12-01'))).toEqual([13]);
    expect(await idsOf('filter=number id gt 11&filter_x=number id lt 1')).toEqual([12, 13, 14]);
    expect(await idsOf('filter[a]=number+id+gt+11&filter[7]=string%20id%20lt%2014')).toEqual([12, 13]);
    expect(await idsOf('filter[]=&filter[]=')).toEqual([11, 12, 13, 14]);
  });

  test('filters are separated by spaces, pluses or escaped pluses', async () => {
    for (const query of [
      'filter[]=number+id+gt+13',
      'filter[]=number%20id%20gt%2013',
      'filter[]=number%2Bid%2Bgt%2B13',
    ]) {
      expect(await idsOf(query)).toEqual([14]);
    }
    expect(await idsOf('filter%5B%5D=string+phone+eq+%2B2+(22)')).toEqual([12]);
  });

  test('filters keep spaces and commas of a value', async () => {
    expect(await idsOf(filters('string full_name eq Bob, Jr'))).toEqual([12]);
    expect(await idsOf(filters('string full_name eq Eve eq 3'))).toEqual([13]);
    expect(await idsOf(filters('string full_name eq Eve'))).toEqual([]);
  });

  test('filters ignore letter case for login and e-mail only', async () => {
    expect(await idsOf(filters('string login in ANN,BOB.JR'))).toEqual([11, 12]);
    expect(await idsOf(filters('string email eq EVE@X.IO'))).toEqual([13]);
    expect(await idsOf(filters('string full_name eq ann lee'))).toEqual([]);
  });

  test('a date filter means the complete day for equality, and midnight as a bound', async () => {
    expect(await idsOf(filters('date created_at eq 2019-06-15'))).toEqual([12]);
    expect(await idsOf(filters('date created_at eq 2019.12.31'))).toEqual([13]);
    expect(await idsOf(filters('date created_at ne 2019-12-31'))).toEqual([11, 12, 14]);
    expect(await idsOf(filters('date created_at in 2019-01-01,2019-12-31'))).toEqual([11, 13]);
    expect(await idsOf(filters('date created_at between 2019-01-01,2019-12-31'))).toEqual([11, 12, 13]);
    expect(await idsOf(filters('date created_at gt 2019-12-31'))).toEqual([13, 14]);
    expect(await idsOf(filters('date created_at le 2019-12-31'))).toEqual([11, 12]);
    expect(await idsOf(filters('date last_request_at ne 2019-12-31'))).toEqual([11, 12, 14]);
  });

  test('filters find a user by the displayed timestamp', async () => {
    expect(await idsOf(filters('date created_at eq 2019-06-15T12:30:00Z'))).toEqual([12]);
    expect(await idsOf(filters('date created_at eq 2019-06-15T12:30:00.499Z'))).toEqual([]);
  });

  test('filters with numbers above every id find no users', async () => {
    expect(await idsOf(filters('number id gt 99999999999'))).toEqual([]);
    expect(await idsOf(filters('number id gt -99999999999'))).toEqual([11, 12, 13, 14]);
    expect(await idsOf(filters('number facebook_id gt -1'))).toEqual([11, 12, 13]);
  });

  test('filters of other fields and invalid filters are rejected', async () => {
    for (const item of [
      'string website eq x',
      'string password_hash eq x',
      'number constructor eq 1',
      'text id eq 1',
      'id',
      'number  id gt 1',
    ]) {
      const { status, body } = await list(filters('number id gt 1', item));
      expect([status, body]).toEqual([422, { errors: { base: [`Incorrect filter: ${item}`] } }]);
    }
  });

  test('filters reject more values than a statement can hold', async () => {
    const many = Array.from({ length: 3_000 }, () => 'number id gt 1');
    const answer = await rawRequest('GET', '/users.json', {
      as: session,
      headers: { 'Content-Type': JSON_TYPE },
      body: JSON.stringify({ filter: many }),
    });
    expect([answer.status, answer.text]).toEqual([400, '{"errors":["Request parameters are too complex"]}']);
    const days = Array.from({ length: 5_000 }, () => '2019-01-01').join(',');
    const { status } = await rawRequest('GET', '/users.json', {
      as: session,
      headers: { 'Content-Type': JSON_TYPE },
      body: JSON.stringify({ filter: [`date created_at in ${days}`] }),
    });
    expect(status).toBe(400);
  });
});

describe('user order', () => {
  const FIELDS: [field: string, ids: number[]][] = [
    ['id', [11, 12, 13, 14]],
    ['full_name', [11, 12, 13, 14]],
    ['email', [11, 12, 13, 14]],
    ['phone', []],
    ['login', []],
    ['website', [11, 12, 13, 14]],
    ['created_at', [11, 12, 13, 14]],
    ['updated_at', [11, 12, 13, 14]],
    ['last_request_at', [11, 12, 13, 14]],
    ['external_user_id', [11, 12, 13, 14]],
  ];
  const SET = new Set(['id', 'created_at', 'updated_at']);

  test.each(FIELDS)('users are sorted by %s, unset values last in both directions', async (field, expected) => {
    const ascending = await idsOf(`order=asc+string+${field}`);
    const descending = await idsOf(`order=desc%20whatever%20${field}`);
    if (expected.length > 0) expect(ascending).toEqual(expected);
    const turned = ascending.toReversed();
    expect(descending).toEqual(SET.has(field) ? turned : [...turned.slice(1), 14]);
  });

  test('users are sorted by id by default', async () => {
    expect(await idsOf('')).toEqual([11, 12, 13, 14]);
    expect(await idsOf('order=')).toEqual([11, 12, 13, 14]);
  });

  test.each([
    ['order=id', 'id'],
    ['order=up+string+id', 'up string id'],
    ['order=asc+string+facebook_id', 'asc string facebook_id'],
    ['order=asc+string+constructor', 'asc string constructor'],
    ['order=asc+id', 'asc id'],
    ['order=asc+string+id+x', 'asc string id x'],
    ['sort=id', 'id'],
    ['sort_by=login', 'login'],
    ['sort_asc=id', 'id'],
    ['sort_desc=updated_at&order=asc+string+id', 'updated_at'],
  ])('the order %s is rejected', async (query, value) => {
    const { status, body } = await list(query);
    expect([status, body]).toEqual([422, { errors: { base: [`Incorrect order: ${value}`] } }]);
  });
});

describe('user pages', () => {
  const page = async (query: string) => {
    const { current_page, per_page, total_entries, items } = (await list(query)).body;
    return [current_page, per_page, total_entries, items.map((item: { user: { id: number } }) => item.user.id)];
  };

  test('pages contain ten users by default, start at 1, and are empty after the last one', async () => {
    expect(await page('')).toEqual([1, 10, 4, [11, 12, 13, 14]]);
    expect(await page('per_page=3')).toEqual([1, 3, 4, [11, 12, 13]]);
    expect(await page('page=2&per_page=3')).toEqual([2, 3, 4, [14]]);
    expect(await page('page=3&per_page=3')).toEqual([3, 3, 4, []]);
    expect(await page('page=9007199254740991&per_page=100')).toEqual([9_007_199_254_740_991, 100, 4, []]);
    expect(await page(`page=2&per_page=1&order=desc+number+id&${filters('number id lt 14')}`)).toEqual([2, 1, 3, [12]]);
  });

  test('page parameters may be in the JSON body of a GET', async () => {
    const { text } = await rawRequest('GET', '/users.json', {
      as: session,
      headers: { 'Content-Type': JSON_TYPE },
      body: '{"page":2,"per_page":3}',
    });
    expect(JSON.parse(text)).toMatchObject({ current_page: 2, per_page: 3, items: [{ user: { id: 14 } }] });
  });

  const PER_PAGE = { errors: { base: ['per_page should be between 1 and 100'] } };
  const PAGE = { errors: { base: ['page should be greater than 0'] } };
  const BOTH = { errors: { base: [...PER_PAGE.errors.base, ...PAGE.errors.base] } };
  const refused = (query: string, answer: unknown): Scenario => [
    query,
    'session',
    'GET',
    `/users.json?${query}`,
    undefined,
    422,
    answer,
  ];
  testScenarios(
    () => ({ callers: { session }, values: {} }),
    [
      ...['0', '101', '-1', 'x', '', '1.5'].map((text) => refused(`per_page=${text}`, PER_PAGE)),
      ...['0', '-1', 'x', '', '1.5'].map((text) => refused(`page=${text}`, PAGE)),
      refused('page=0&per_page=0', BOTH),
      ['anonymous', 'anonymous', 'GET', '/users.json?per_page=0', undefined, 401, TOKEN_REQUIRED],
    ],
  );
});

describe('the total number of users', () => {
  const counted = async () => (await db.application.findUniqueOrThrow({ where: { id: APPLICATION.id } })).userCount;

  test('the total follows every way of adding and removing users', async () => {
    expect(await counted()).toBe(4);
    await db.user.createMany({
      data: [20, 21, 22].map((id) => user(id, null, null, null, null, null, null, '2020-01-01')),
    });
    expect(await counted()).toBe(7);
    const { body } = await rest('POST', '/users', {
      as: apiKey,
      json: { user: { login: 'new', password: 'password-1' } },
    });
    expect((await list('per_page=1')).body.total_entries).toBe(8);
    await rest('DELETE', `/users/${body.user.id}`, { as: apiKey });
    await db.user.deleteMany({ where: { id: { in: [20, 21, 22] } } });
    expect(await counted()).toBe(4);
    expect((await list('per_page=1')).body.total_entries).toBe(4);
  });
});

describe('a disabled users list', () => {
  const FORBIDDEN = { errors: { base: ['Users retrieving forbidden in application settings'] } };
  const turn = (usersList: boolean) => db.application.update({ where: { id: APPLICATION.id }, data: { usersList } });

  test('a disabled users list is available only to API keys', async () => {
    await turn(false);
    for (const caller of [session, onBehalfOf({ id: 11 })]) {
      const { status, body } = await list('', caller);
      expect([status, body]).toEqual([403, FORBIDDEN]);
      expect((await list('per_page=0', caller)).status).toBe(422);
    }
    expect((await list('', apiKey)).status).toBe(200);
    expect((await rest('GET', '/users/by_login?login=ann', { as: session })).status).toBe(200);
    await turn(true);
    expect((await list('')).status).toBe(200);
  });

  test('a disabled users list is rejected in XML too', async () => {
    const { text } = await rawRequest('GET', '/users.xml?per_page=1', { as: session });
    expect(text).toMatch(
      /^<\?xml version="1.0" encoding="UTF-8"\?><users><current-page type="integer">1<.*<items type="array"><user>/,
    );
  });
});

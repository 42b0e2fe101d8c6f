import { beforeAll, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { APPLICATION, useApp } from '../../support/app/app.ts';
import { JSON_TYPE, rawRequest } from '../../support/clients/raw-http.ts';
import { rest } from '../../support/clients/rest.ts';
import { createRecordCast, newCar, type RecordCast } from '../../support/fixtures/cars.ts';
import { created } from '../../support/fixtures/chat-cast.ts';
import { apiKey } from '../../support/fixtures/users.ts';

useApp();

// Malicious names and values at every place of a request: each yields a clear error or a normal response, and nothing
// changes that the request may not change.

let cast: RecordCast;
let id: string;
let before: string;
beforeAll(async () => {
  cast = await createRecordCast();
  await created(
    '/class',
    { name: 'odd', fields: { toString: 'String', valueOf: 'Integer', hasOwnProperty: 'String_a' } },
    apiKey,
  );
  id = await newCar({ make: 'AB', year: 5, tags: ['a'] }, cast.olga);
  before = await everything();
});

async function everything(): Promise<string> {
  const where = { applicationId: APPLICATION.id };
  const records = await db.$queryRaw`
    SELECT r.*, r.p1::text AS p1, r.p2::text AS p2 FROM records r
    WHERE r.application_id = ${where.applicationId} ORDER BY r.id`;
  return JSON.stringify([records, await db.recordClass.findMany({ where }), await db.classField.findMany({ where })]);
}

const NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  "make'",
  'make"',
  "make'; DROP TABLE records; --",
  'fields->>make',
  "make' OR '1'='1",
  'r.id',
  'make;--',
  '$1',
  '*',
  'make\\',
  'make%00',
  'make\u0000',
  '\ud800',
  '🚗',
  '..',
  'x'.repeat(10_000),
  ' make',
  'make.year',
];

const PLACES: Record<string, (name: string) => [method: string, path: string, json?: object]> = {
  'a class': (name) => ['GET', `/data/${encoded(name)}`],
  'a class to write': (name) => ['POST', `/data/${encoded(name)}`, { make: 'x' }],
  'a class to delete from': (name) => ['DELETE', `/data/${encoded(name)}/${id}`],
  'an id': (name) => ['GET', `/data/cars/${encoded(name)}`],
  'an id to delete': (name) => ['DELETE', `/data/cars/${encoded(name)},abc`],
  'a child class': (name) => ['GET', `/data/cars/${id}/${encoded(name)}`],
  'a parent': (name) => ['GET', '/data/cars', { _parent_id: name }],
  'a filter': (name) => ['GET', '/data/cars', { [name]: 'x' }],
  'an operator': (name) => ['GET', '/data/cars', { make: { [name]: 'x' } }],
  'a filter to delete': (name) => ['DELETE', '/data/cars/by_criteria', { [name]: { eq: 'x' } }],
  'a filter to update': (name) => ['PUT', '/data/cars/by_criteria', { search_criteria: { [name]: 'x' }, make: 'x' }],
  'a sort field': (name) => ['GET', '/data/cars', { sort_asc: name }],
  'a group': (name) => ['GET', '/data/cars', { group_by: name }],
  'a calculation': (name) => ['GET', '/data/cars', { group_by: 'make', [name]: { calc: 'avg' } }],
  'a function': (name) => ['GET', '/data/cars', { group_by: 'make', year: { calc: name } }],
  'a field selection': (name) => ['GET', '/data/cars', { output: { include: [name], exclude: name } }],
  'an operation of permissions': (name) => [
    'PUT',
    `/data/cars/${id}`,
    { permissions: { [name]: { access: 'open' } }, year: 'x' },
  ],
  'an access': (name) => ['PUT', `/data/cars/${id}`, { permissions: { read: { access: name } } }],
  'an id of permissions': (name) => [
    'PUT',
    `/data/cars/${id}`,
    { permissions: { read: { access: 'open_for_users_ids', ids: [name] } } },
  ],
  'a dotted key': (name) => ['PUT', `/data/cars/${id}`, { [`permissions.read.${name}`]: 'open' }],
  'a field of an operator': (name) => ['PUT', `/data/cars/${id}`, { inc: { [name]: 1 }, year: 'x' }],
  'an item': (name) => ['PUT', `/data/cars/${id}`, { tags: { [name]: 'x' }, year: 'x' }],
  'an operator of pull': (name) => ['PUT', `/data/cars/${id}`, { pull: { tags: { [name]: 'x' } }, year: 'x' }],
  'a number of a record': (name) => ['POST', '/data/cars/multi', { record: { [name]: { year: 'x' } } }],
  'an id of a change': (name) => ['PUT', '/data/cars/multi', { record: [{ id: name, make: 'x' }] }],
  'a file field': (name) => ['DELETE', `/data/cars/${id}/file`, { field_name: name }],
  'the name of a class': (name) => ['POST', '/class', { name: `${name}-` }],
  'a field of a class': (name) => ['PUT', '/class/cars', { fields: { [name]: 'Strange', other: 'Strange' } }],
  'a type': (name) => ['PUT', '/class/cars', { fields: { harmless: name } }],
};

/** Escapes like JSON but keeps a lone surrogate. */
const encoded = (name: string) => encodeURIComponent(name.toWellFormed());

test.each(Object.entries(PLACES))('a malicious name as %s is handled', async (_place, requestOf) => {
  for (const name of NAMES) {
    const [method, path, json] = requestOf(name);
    const body = json === undefined ? undefined : JSON.stringify(json);
    const { status, text } = await send(method, path, body, path.startsWith('/class'));
    expect([200, 400, 403, 404, 422], `${name}: ${text}`).toContain(status);
    const isError = status !== 200 && text !== '{}';
    if (isError) expect(JSON.parse(text), name).toEqual({ errors: expect.arrayContaining([expect.any(String)]) });
  }
  expect(await everything()).toBe(before);
});

function send(method: string, path: string, body: string | undefined, byKey = false) {
  const as = byKey ? apiKey : cast.olga;
  return rawRequest(method, path, { as, body, headers: body === undefined ? {} : { 'Content-Type': JSON_TYPE } });
}

describe('malicious values', () => {
  const deep = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  const refusals: [name: string, method: string, path: string, body: string, status: number, errors?: string[]][] = [
    ['NUL in a text', 'PUT', '/data/cars/ID', '{"make":"a\\u0000b"}', 400, ['Malformed request body']],
    ['NUL in an item', 'PUT', '/data/cars/ID', '{"tags":["\\u0000"]}', 400, ['Malformed request body']],
    ['NUL in a filter', 'GET', '/data/cars', '{"make":"\\u0000"}', 400, ['Malformed request body']],
    [
      'NUL in a group',
      'PUT',
      '/data/cars/ID',
      '{"permissions":{"read":{"access":"open_for_groups","groups":"\\u0000"}}}',
      400,
      ['Malformed request body'],
    ],
    ['ten levels', 'POST', '/data/cars', `{"year":"x","nested":${deep(9)}}`, 422, ['Field year should be an integer']],
    ['eleven levels', 'POST', '/data/cars', `{"nested":${deep(10)}}`, 400, ['Request parameters are too complex']],
    [
      'a filter of eleven levels',
      'GET',
      '/data/cars',
      `{"make":${deep(10)}}`,
      400,
      ['Request parameters are too complex'],
    ],
    ['a megabyte', 'PUT', '/data/cars/ID', `{"make":"${'x'.repeat(1_048_576)}"}`, 413, ['Request body is too large']],
    [
      'nearly a megabyte',
      'PUT',
      '/data/cars/ID',
      `{"make":"${'x'.repeat(1_048_000)}"}`,
      422,
      ['Record is too large (maximum is 262144 bytes)'],
    ],
    [
      'one byte too many',
      'PUT',
      '/data/cars/ID',
      `{"make":"${'é'.repeat(131_072)}"}`,
      422,
      ['Record is too large (maximum is 262144 bytes)'],
    ],
    [
      '1,001 values of a filter',
      'GET',
      '/data/cars',
      `{"year":{"in":[${Array.from({ length: 1_001 }, (_, n) => n)}]}}`,
      400,
      ['Request parameters are too complex'],
    ],
    [
      '1,001 moments',
      'GET',
      '/data/cars',
      `{"created_at":{"nin":[${Array.from({ length: 1_001 }, (_, n) => n)}]}}`,
      400,
      ['Request parameters are too complex'],
    ],
    [
      'a filter of 1,001 fields',
      'GET',
      '/data/cars',
      `{"or":[${Array.from({ length: 1_001 }, (_, n) => `{"year":${n}}`)}]}`,
      400,
      ['Request parameters are too complex'],
    ],
    [
      'filters inside filters',
      'GET',
      '/data/cars',
      `${'{"or":['.repeat(5)}{"year":{"like":1}}${']}'.repeat(5)}`,
      400,
      ['Request parameters are too complex'],
    ],
    ['alternatives that are no filters', 'GET', '/data/cars', '{"or":["x"]}', 400, ['filter should be an object']],
    [
      'sums that overflow',
      'PUT',
      '/data/cars/ID',
      '{"year":9007199254740991,"inc":{"year":1}}',
      422,
      ['Field year should be an integer'],
    ],
    [
      'an index that would exhaust memory',
      'PUT',
      '/data/cars/ID',
      '{"tags":{"4294967295":"x"}}',
      422,
      ['Field tags should be an array'],
    ],
    [
      '101 ids',
      'DELETE',
      `/data/cars/${Array.from({ length: 101 }, (_, n) => n)}`,
      '{}',
      422,
      ['A request may name at most 100 ids'],
    ],
    [
      '20,001 keys',
      'POST',
      '/data/cars',
      `{${Array.from({ length: 20_001 }, (_, n) => `"k${n}":1`)}}`,
      400,
      ['Request parameters are too complex'],
    ],
  ];

  test.each(refusals)('%s is handled', async (_name, method, path, body, status, errors) => {
    const answer = await send(method, path.replace('ID', id), body);
    expect([answer.status, JSON.parse(answer.text)]).toEqual([status, { errors }]);
    expect(await everything()).toBe(before);
  });

  test('1,000 values, long lists and unusual texts are accepted', async () => {
    const answers = [
      await send('GET', '/data/cars', `{"year":{"in":[${Array.from({ length: 999 }, (_, n) => n)}]}}`),
      await send('GET', '/data/cars', `{"tags":{"nin":[${Array.from({ length: 900 }, (_, n) => n)}]},"year":{"gt":1}}`),
      await send('GET', '/data/cars', '{"make":{"in":["AB","\\ud800","%","_","\\\\"]}}'),
      await send('GET', '/data/cars', '{"place":{"near":"0,0;1e300"},"make":"AB"}'),
    ];
    expect(answers.map(({ status, text }) => [status, JSON.parse(text).items.length])).toEqual([
      [200, 1],
      [200, 1],
      [200, 1],
      [200, 0],
    ]);
  });

  test('a lone surrogate is stored as the replacement character', async () => {
    const { _id } = await created('/data/cars', {}, cast.olga);
    const { text } = await send('PUT', `/data/cars/${_id}`, '{"make":"a\\ud800b","tags":["\\udfff"]}');
    expect(JSON.parse(text)).toMatchObject({ make: 'a\ufffdb', tags: ['\ufffd'] });
    await rest('DELETE', `/data/cars/${_id}`, { as: cast.olga });
  });

  test('numbers at the limits of their types are stored exactly', async () => {
    await created('/class', { name: 'ends', fields: { group: 'Integer', value: 'Float' } }, apiKey);
    for (const value of [1.7e308, 1.7e308, -5e-324]) await created('/data/ends', { group: 1, value }, apiKey);
    for (const calculation of ['sum', 'avg']) {
      const { status, body } = await rest('GET', `/data/ends?group_by=group&value[calc]=${calculation}`, {
        as: apiKey,
      });
      expect([status, body]).toEqual([422, { errors: ['Incorrect filter: value[calc]'] }]);
    }
    const { body } = await rest('GET', '/data/ends?group_by=group&value[calc]=max', { as: apiKey });
    expect(body.items).toEqual([{ _id: 1, value: 1.7e308 }]);
    const filtered = await rest('GET', '/data/ends?value[lt]=0&sort_asc=value', { as: apiKey });
    expect(filtered.body.items).toMatchObject([{ value: -5e-324 }]);
  });

  test('locations very close to zero are stored', async () => {
    for (const place of [
      [-7e-323, 5e-324],
      [90, 1e-292],
    ]) {
      const { _id } = await created('/data/cars', { place }, cast.olga);
      const { body } = await rest('GET', `/data/cars?place[near]=${place.join()};1&_id=${_id}`, { as: cast.olga });
      expect(body.items).toMatchObject([{ _id, place: [place[0] === 90 ? 90 : 0, 0] }]);
      await rest('DELETE', `/data/cars/${_id}`, { as: cast.olga });
    }
  });

  test('fields named like members of Object.prototype are ordinary fields', async () => {
    const json = { toString: 'x', valueOf: '7', hasOwnProperty: ['a'] };
    const { status, body } = await rest('POST', '/data/odd', { as: cast.olga, json });
    expect([status, body]).toMatchObject([201, { toString: 'x', valueOf: 7, hasOwnProperty: ['a'] }]);
    const empty = await rest('POST', '/data/odd', { as: cast.olga, json: {} });
    expect(JSON.parse(empty.text)).toMatchObject({ toString: null, valueOf: null, hasOwnProperty: null });
    const list = async (query: string) => (await rest('GET', `/data/odd?${query}`, { as: cast.olga })).body.items;
    expect(await list('toString=x&valueOf[gt]=6&hasOwnProperty[all]=a')).toEqual([
      expect.objectContaining({ _id: body._id }),
    ]);
    expect(await list('sort_desc=valueOf&output[include]=toString')).toMatchObject([
      { toString: 'x' },
      { toString: null },
    ]);
    expect(await list('group_by=toString&valueOf[calc]=sum')).toEqual([
      { _id: 'x', valueOf: 7 },
      { _id: null, valueOf: null },
    ]);
    const change = { inc: { valueOf: 1 }, push: { hasOwnProperty: 'b' }, toString: null };
    const changed = await rest('PUT', `/data/odd/${body._id}`, { as: cast.olga, json: change });
    expect(JSON.parse(changed.text)).toMatchObject({ toString: null, valueOf: 8, hasOwnProperty: ['a', 'b'] });
  });
});

import { beforeAll, describe, expect, test } from 'vitest';
import { clock, useApp } from '../../support/app/app.ts';
import { rest } from '../../support/clients/rest.ts';
import { createRecordCast, newCar, outcomeOf, type RecordCast } from '../../support/fixtures/cars.ts';
import { UNDEFINED_CLASS } from '../../support/fixtures/error-bodies.ts';
import { apiKey } from '../../support/fixtures/users.ts';

useApp();

let cast: RecordCast;
const ids: Record<string, string> = {};

beforeAll(async () => {
  cast = await createRecordCast();
  const [berlin, paris] = ['52.52, 13.405', '48.8566, 2.3522'];
  const cars: Record<string, object> = {
    a: {
      make: 'Müller',
      year: 1,
      price: 0.5,
      sold: true,
      built: '2020-01-01 10:00:00',
      tags: ['x', 'y'],
      sizes: [1, 2],
      place: berlin,
    },
    b: { make: 'MILLER', year: 2, price: 1.5, sold: false, built: '2020-01-02', tags: ['y'], sizes: [2], place: paris },
    c: {
      make: '50%_\\',
      year: 3,
      price: -1,
      dates: ['2020-01-01'],
      flags: [true],
      rates: [1.5],
      places: [berlin, paris],
    },
    d: { make: '', tags: [], _parent_id: '{a}' },
    e: {},
  };
  for (const [word, fields] of Object.entries(cars)) {
    clock.reset(Object.keys(ids).length * 10_000);
    const json = JSON.parse(JSON.stringify(fields).replace('{a}', ids.a ?? ''));
    ids[word] = await newCar(json, word === 'e' ? apiKey : cast.olga);
    cast.values[`id_${word}`] = ids[word];
  }
  clock.reset();
});

const fill = (query: string) => query.replace(/\{(\w+)\}/g, (_match, name) => String(cast.values[name]));
const wordsIn = (items: { _id: string }[]) =>
  items.map(({ _id }) => Object.keys(ids).find((word) => ids[word] === _id)).join('');

const FILTERS: [query: string, words: string][] = [
  ['make=MILLER', 'b'],
  ['make=miller', ''],
  ['make=', 'd'],
  ['make=null', 'e'],
  ['make[ne]=MILLER', 'acde'],
  ['make[ne]=null', 'abcd'],
  ['make[in]=MILLER,M%C3%BCller', 'ab'],
  ['make[in][]=MILLER&make[in][]=', 'bd'],
  ['make[in]=', ''],
  ['make[nin]=MILLER,M%C3%BCller', 'cde'],
  ['make[nin]=', 'abcde'],
  ['make[ctn]=ill', 'b'],
  ['make[ctn]=M%C3%9CLL', 'a'],
  ['make[ctn]=m%C3%BC', 'a'],
  ['make[ctn]=%25_%5C', 'c'],
  ['make[ctn]=_', 'c'],
  ['make[ctn]=', 'abcd'],
  ['year=1', 'a'],
  ['year=01', 'a'],
  ['year[lt]=2', 'a'],
  ['year[lte]=2', 'ab'],
  ['year[gt]=1', 'bc'],
  ['year[gte]=2&year[lt]=3', 'b'],
  ['year[ne]=1', 'bcde'],
  ['year[in]=1,3', 'ac'],
  ['year[nin]=1,3', 'bde'],
  ['year=null', 'de'],
  ['price=0.5', 'a'],
  ['price=.50', 'a'],
  ['price[gt]=-1', 'ab'],
  ['price[gte]=-1e0', 'abc'],
  ['price[in]=0.5,1.5', 'ab'],
  ['sold=1', 'a'],
  ['sold=true', 'a'],
  ['sold=0', 'b'],
  ['sold[ne]=1', 'bcde'],
  ['sold[in]=0,1', 'ab'],
  ['built=2020-01-01 10:00:00', 'a'],
  ['built=2020-01-01', ''],
  ['built=1577923200', 'b'],
  ['built[gt]=2020-01-01', 'ab'],
  ['built[gt]=2020-01-01T10:00:00Z', 'b'],
  ['built[lte]=2020-01-02', 'ab'],
  ['built[lt]=9999-12-31', 'ab'],
  ['built[gte]=0001-01-01', 'ab'],
  ['built[lte]=9999-12-31T23:59:59Z', 'ab'],
  ['built[ne]=2020-01-02', 'acde'],
  ['built[in]=2020-01-02,2020-01-01T10:00:00', 'ab'],
  ['built[nin]=2020-01-02', 'acde'],
  ['tags=x', 'a'],
  ['tags=y', 'ab'],
  ['tags[ne]=x', 'bcde'],
  ['tags[in]=x,z', 'a'],
  ['tags[nin]=x,z', 'bcde'],
  ['tags[all]=x,y', 'a'],
  ['tags[all]=y', 'ab'],
  ['tags[all]=', 'abd'],
  ['tags=null', 'ce'],
  ['tags[ne]=null', 'abd'],
  ['tags[or]=x', 'a'],
  ['sizes=2', 'ab'],
  ['sizes[all]=1,2', 'a'],
  ['rates=1.5', 'c'],
  ['flags=1', 'c'],
  ['dates=2020-01-01', 'c'],
  ['places=52.52,13.405', 'c'],
  ['place=52.52, 13.405', 'a'],
  ['place=null', 'cde'],
  ['place[ne]=null', 'ab'],
  ['place[near]=52.5,13.4;5000', 'a'],
  ['place[near]=52.5,13.4;1000', ''],
  ['place[near]=52.5,13.4;900000', 'ab'],
  ['place[near]=0,0;1e300', 'ab'],
  ['place[near]=52.52,13.405;0', 'a'],
  ['make[or]=MILLER&year[or]=3', 'bc'],
  ['make[or]=MILLER,M%C3%BCller&year[gt]=1', 'b'],
  ['make[or]=MILLER&year[or]=3&price[lt]=0', 'c'],
  ['year[gt]=1&tags=y', 'b'],
  ['_id={id_c}', 'c'],
  ['_id[in]={id_c},{id_a},abc', 'ac'],
  ['_id[nin]={id_c}', 'abde'],
  ['_id[gt]={id_c}', 'de'],
  ['_id[lte]={id_b}', 'ab'],
  ['_id[ne]={id_a}', 'bcde'],
  ['_id=abc', ''],
  ['_id[or]={id_a},{id_b}', 'ab'],
  ['_parent_id={id_a}', 'd'],
  ['_parent_id=null', 'abce'],
  ['_parent_id[ne]=null', 'd'],
  ['_parent_id=x', ''],
  ['user_id={olga}', 'abcd'],
  ['user_id=0', 'e'],
  ['user_id[ne]={olga}', 'e'],
  ['user_id[in]=0,{olga}', 'abcde'],
  ['user_id[gt]=0', 'abcd'],
  ['created_at=1795196829', 'b'],
  ['created_at[gt]=1795196829', 'cde'],
  ['created_at[gte]=1795196829.5', 'cde'],
  ['created_at[lte]=1795196829', 'ab'],
  ['created_at[lt]=2026-11-20 17:47:09', 'a'],
  ['updated_at[ne]=1795196829', 'acde'],
  ['updated_at[in]=1795196819,1795196859', 'ae'],
  ['created_at[lte]=9999-12-31T23:59:59Z', 'abcde'],
  ['created_at[gte]=0001-01-01', 'abcde'],
  ['created_at=null', ''],
  ['colour=red&id={id_a}&userId=5&parentId=x&createdAt=1&class_name=x&token=x', 'abcde'],
  ['toString=1&constructor=1&__proto__=1&hasOwnProperty=1', 'abcde'],
  ['record=x&or=x&and=x', 'abcde'],
];

describe('record filters', () => {
  test.each(FILTERS)('the filter %s finds %s', async (query, words) => {
    const { status, body, text } = await rest('GET', `/data/cars?${encodeURI(fill(query)).replaceAll('%25', '%')}`, {
      as: cast.olga,
    });
    expect([status, body.items && wordsIn(body.items), text]).toEqual([200, words, text]);
    const form = await rest('GET', `/data/cars?count=1&${encodeURI(fill(query)).replaceAll('%25', '%')}`, {
      as: apiKey,
    });
    expect(form.body.items).toEqual({ count: words.length });
  });
});

const MISFITS: [key: string, value: string][] = [
  ...[
    'colour[gt]',
    'make[gt]',
    'make[lte]',
    'make[near]',
    'make[all]',
    'make[toString]',
    'make[like]',
    'make[$ne]',
  ].map((key): [string, string] => [key, '1']),
  ...[
    'sold[gt]',
    'sold[ctn]',
    'year[ctn]',
    'year[all]',
    'year[near]',
    'built[ctn]',
    'tags[gt]',
    'tags[ctn]',
    'sizes[lt]',
  ].map((key): [string, string] => [key, '1']),
  ...['place[gt]', 'place[in]', 'place[nin]', 'place[or]', 'place[ctn]', 'place[ne]', 'places[near]'].map(
    (key): [string, string] => [key, '1,2;3'],
  ),
  ...['_id[ctn]', '_id[near]', '_id[all]', 'user_id[ctn]', 'created_at[ctn]', 'created_at[all]'].map(
    (key): [string, string] => [key, '1'],
  ),
  ...['x', '1.5', '', '1e400', '9007199254740992', '1 OR 1=1'].map((value): [string, string] => ['year', value]),
  ...['x', '', 'NaN', '1e400'].map((value): [string, string] => ['price', value]),
  ['sold', '2'],
  ['built', 'yesterday'],
  ['built', '0000-01-01'],
  ['built', '10000-01-01'],
  ['built[gt]', '2020-02-30'],
  ['created_at', '1e400'],
  ['created_at[in]', '1,x'],
  ['year[in]', '1,x'],
  ['sizes', 'x'],
  ['user_id', 'x'],
  ['user_id', '9999999999'],
  ['place', '91,1'],
  ['place', 'x'],
  ...[
    '1,2',
    '1,2;',
    '1,2;x',
    '1,2;-1',
    '91,2;1',
    '1,181;1',
    ';5',
    '1,2;NaN',
    '1,2;1e400',
    '1;2;3',
    '1,2;3;4',
    'NaN,1;2',
  ].map((value): [string, string] => ['place[near]', value]),
];

describe('record filters that do not fit the field', () => {
  test.each(MISFITS)('%s=%s is rejected', async (key, value) => {
    const query = `${key}=${encodeURIComponent(value)}`;
    const outcome = [422, { errors: [`Incorrect filter: ${key}`] }];
    expect(outcomeOf(await rest('GET', `/data/cars?${query}`, { as: cast.olga }))).toEqual(outcome);
    expect(outcomeOf(await rest('DELETE', '/data/cars/by_criteria', { as: apiKey, form: query }))).toEqual(outcome);
    const [name, operator = ''] = key.split(/(?=\[)/);
    const form = `price=7&search_criteria[${name}]${operator}=${encodeURIComponent(value)}`;
    expect(outcomeOf(await rest('PUT', '/data/cars/by_criteria', { as: apiKey, form }))).toEqual(outcome);
  });

  test('rejected filters changed or deleted nothing', async () => {
    expect((await rest('GET', '/data/cars?count=1', { as: apiKey })).body.items).toEqual({ count: 5 });
    expect((await rest('GET', '/data/cars?price=7&count=1', { as: apiKey })).body.items).toEqual({ count: 0 });
  });
});

test('a list of an unknown class is rejected', async () => {
  expect(outcomeOf(await rest('GET', '/data/Cars?make=x', { as: cast.olga }))).toEqual([403, UNDEFINED_CLASS]);
});

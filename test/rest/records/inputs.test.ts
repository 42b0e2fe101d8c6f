import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { FORM, JSON_TYPE, MULTIPART, multipart, rawRequest } from '../../support/clients/raw-http.ts';
import { rest } from '../../support/clients/rest.ts';
import {
  createRecordCast,
  DEFAULT_PERMISSIONS,
  newCar,
  outcomeOf,
  type RecordCast,
  UNSET,
} from '../../support/fixtures/cars.ts';

useApp();

let cast: RecordCast;
beforeAll(async () => {
  cast = await createRecordCast();
});

const FIELDS = { ...UNSET, make: 'a&b =é', year: 7, tags: ['x', 'y'], place: [1, 2.5] };
const SHARED = {
  read: { access: 'open_for_groups', users_groups: ['g1', 'g 2'] },
  update: { access: 'open_for_users_ids', users_ids: ['1', '2'] },
  delete: { access: 'open' },
};

const escaped = (form: string) => form.replaceAll('[', '%5B').replaceAll(']', '%5D');
const TEXT_FIELDS = 'make=a%26b+%3D%C3%A9&year=7&place=1%2C2.5';
const TEXT_GRANTS =
  'permissions[read][access]=open_for_groups&permissions[read][groups]=g1,g%202&permissions[update][access]=open_for_users_ids&permissions[update][ids]=1,2&permissions[delete][access]=open';
const DOTTED =
  'permissions.read.access=open_for_groups&permissions.read.groups=g1,g+2&permissions.update.access=open_for_users_ids&permissions.update.ids=1,2&permissions.delete.access=open&permissions.create.access=owner';
const JSON_FIELDS = { make: 'a&b =é', year: '7', tags: ['x', 'y'], place: '1,2.5' };

const FORMS: [name: string, type: string | undefined, body: string | undefined, query?: string][] = [
  ['JSON', JSON_TYPE, JSON.stringify({ ...JSON_FIELDS, permissions: SHARED })],
  [
    'JSON of another charset and case',
    'Application/JSON; charset=UTF-8',
    JSON.stringify({ ...JSON_FIELDS, permissions: SHARED }),
  ],
  [
    'JSON with lists of ids and groups',
    JSON_TYPE,
    JSON.stringify({
      ...JSON_FIELDS,
      permissions: {
        read: { access: 'open_for_groups', groups: ['g1', 'g 2'] },
        update: { access: 'open_for_users_ids', ids: [1, '2'] },
        delete: { access: 'open' },
      },
    }),
  ],
  [
    'JSON with dotted keys',
    JSON_TYPE,
    JSON.stringify({
      ...JSON_FIELDS,
      'permissions.read.access': 'open_for_groups',
      'permissions.read.groups': ['g1', 'g 2'],
      'permissions.update.access': 'open_for_users_ids',
      'permissions.update.ids': '1,2',
      'permissions.delete.access': 'open',
    }),
  ],
  ['JSON without a type', undefined, JSON.stringify({ ...JSON_FIELDS, permissions: SHARED })],
  ['a form with raw brackets', FORM, `${TEXT_FIELDS}&tags[]=x&tags[]=y&${TEXT_GRANTS}`],
  ['a form with escaped brackets', FORM, escaped(`${TEXT_FIELDS}&tags[]=x&tags[]=y&${TEXT_GRANTS}`)],
  ['a form without a type', undefined, `${TEXT_FIELDS}&tags=x,y&${TEXT_GRANTS}`],
  ['a form with a list in one text', FORM, `${TEXT_FIELDS}&tags=x,%20y&${DOTTED}`],
  ['a form with numbered items', FORM, `${TEXT_FIELDS}&tags[1]=y&tags[0]=x&${DOTTED}`],
  ['a form with items numbered from 1', FORM, `${TEXT_FIELDS}&tags[1]=x&tags[2]=y&${TEXT_GRANTS}`],
  ['a query alone', undefined, undefined, `${TEXT_FIELDS}&tags[]=x&tags[]=y&${TEXT_GRANTS}`],
  [
    'a query of JSON',
    undefined,
    undefined,
    encodeURIComponent(JSON.stringify({ ...JSON_FIELDS, permissions: SHARED })),
  ],
  ['a query and a body', FORM, `make=a%26b+%3D%C3%A9&tags=x,y&${DOTTED}`, 'make=other&year=7&place=1,2.5'],
  [
    'multipart',
    MULTIPART,
    multipart({
      make: 'a&b =é',
      year: '7',
      place: '1,2.5',
      tags: 'x,y',
      ...Object.fromEntries(new URLSearchParams(DOTTED)),
    }),
  ],
];

describe('request formats for records', () => {
  test.each(FORMS)('%s creates the same record', async (_name, type, body, query) => {
    const { values, olga } = cast;
    const { status, text } = await rawRequest('POST', `/data/cars.json${query ? `?${query}` : ''}`, {
      as: olga,
      headers: type ? { 'Content-Type': type } : {},
      body,
    });
    const { _id, created_at: _at, updated_at: _same, ...shown } = JSON.parse(text);
    expect([status, shown]).toEqual([201, { _parent_id: null, user_id: values.olga, permissions: SHARED, ...FIELDS }]);
  });

  test('the JSON body of a GET lists the record', async () => {
    for (const [type, body] of [
      [JSON_TYPE, '{"year":{"gt":6},"limit":1,"output":{"include":"year"}}'],
      [FORM, 'year[gt]=6&limit=1&output[include]=year'],
      [MULTIPART, multipart({ 'year[gt]': '6', limit: '1', 'output[include]': 'year' })],
    ]) {
      const { text } = await rawRequest('GET', '/data/cars.json?year[lt]=8', {
        as: cast.olga,
        headers: { 'Content-Type': type! },
        body: body!,
      });
      const { limit, items } = JSON.parse(text);
      expect([limit, items]).toEqual([1, [{ _id: expect.any(String), year: 7 }]]);
    }
  });

  test('the text null unsets a field in every format except JSON', async () => {
    const id = await newCar({ make: 'AB', tags: ['a'], year: 1 }, cast.olga);
    const calls: [type: string | undefined, body: string | undefined, query: string][] = [
      [FORM, 'make=null&tags=null&year=null', ''],
      [MULTIPART, multipart({ make: 'null', tags: 'null', year: 'null' }), ''],
      [undefined, undefined, '?make=null&tags=null&year=null'],
      [JSON_TYPE, '{"make":null,"tags":null,"year":null}', ''],
    ];
    for (const [type, body, query] of calls) {
      await rest('PUT', `/data/cars/${id}`, { as: cast.olga, json: { make: 'AB', tags: ['a'], year: 1 } });
      const { text } = await rawRequest('PUT', `/data/cars/${id}${query}`, {
        as: cast.olga,
        headers: type ? { 'Content-Type': type } : {},
        body,
      });
      expect(JSON.parse(text)).toMatchObject({ make: null, tags: null, year: null });
    }
    const { body } = await rest('PUT', `/data/cars/${id}`, { as: cast.olga, json: { make: 'null' } });
    expect(body.make).toBe('null');
  });
});

describe('record permissions', () => {
  const change = (id: string, json: object) => rest('PUT', `/data/cars/${id}`, { as: cast.olga, json });

  test('a returned record with permissions can be sent back unchanged', async () => {
    const id = await newCar({ make: 'AB', permissions: SHARED, tags: ['a'] }, cast.olga);
    const { body: shown } = await rest('GET', `/data/cars/${id}`, { as: cast.olga });
    const again = await change(id, { ...shown, make: 'CD' });
    expect(outcomeOf(again)).toEqual([200, { ...shown, make: 'CD' }]);
    const form = new URLSearchParams({ model: 'x', 'permissions[update][access]': 'open_for_users_ids' });
    for (const [key, value] of [
      ['users_ids', '1'],
      ['users_ids', '2'],
    ]) {
      form.append(`permissions[update][${key}][]`, value!);
    }
    expect((await rest('PUT', `/data/cars/${id}`, { as: cast.olga, form: form.toString() })).body.permissions).toEqual(
      SHARED,
    );
  });

  test('omitted permissions stay unchanged, and given ones are replaced', async () => {
    const id = await newCar({ permissions: SHARED }, cast.olga);
    const { body } = await change(id, { permissions: { read: { access: 'owner' }, create: { access: 'nonsense' } } });
    expect(body.permissions).toEqual({ ...SHARED, read: { access: 'owner' } });
    expect((await change(id, { make: 'x' })).body.permissions).toEqual({ ...SHARED, read: { access: 'owner' } });
  });

  test.each<[given: object, shown: object]>([
    [{ access: 'open' }, { access: 'open' }],
    [{ access: 'owner' }, { access: 'owner' }],
    [{ access: 'open', ids: 'nonsense' }, { access: 'open' }],
    [
      { access: 'open_for_users_ids', ids: '3' },
      { access: 'open_for_users_ids', users_ids: ['3'] },
    ],
    [
      { access: 'open_for_users_ids', ids: 3 },
      { access: 'open_for_users_ids', users_ids: ['3'] },
    ],
    [
      { access: 'open_for_users_ids', ids: ['3', 4, '3'] },
      { access: 'open_for_users_ids', users_ids: ['3', '4'] },
    ],
    [
      { access: 'open_for_users_ids', ids: [] },
      { access: 'open_for_users_ids', users_ids: [] },
    ],
    [
      { access: 'open_for_groups', groups: 'a , b' },
      { access: 'open_for_groups', users_groups: ['a', 'b'] },
    ],
    [
      { access: 'open_for_groups', groups: ['a', 'a', 5] },
      { access: 'open_for_groups', users_groups: ['a', '5'] },
    ],
    [
      { access: 'open_for_groups', groups: [] },
      { access: 'open_for_groups', users_groups: [] },
    ],
  ])('the permissions %j are returned as %j', async (given, shown) => {
    const answer = await rest('POST', '/data/cars', { as: cast.olga, json: { permissions: { read: given } } });
    expect([answer.status, answer.body.permissions]).toEqual([201, { ...DEFAULT_PERMISSIONS, read: shown }]);
  });

  test.each<[given: unknown, sentence: string]>([
    [{ access: 'all' }, 'Unknown access: all'],
    [{ access: 'OPEN' }, 'Unknown access: OPEN'],
    [{ access: 'not_allowed' }, 'Unknown access: not_allowed'],
    [{ access: 'toString' }, 'Unknown access: toString'],
    [{ access: ['open'] }, 'Unknown access: '],
    [{}, 'Unknown access: '],
    ['open', 'Unknown access: '],
    [{ access: 'open_for_users_ids' }, 'Field ids should be an array'],
    [{ access: 'open_for_users_ids', ids: null }, 'Field ids should be an array'],
    [{ access: 'open_for_users_ids', ids: 'a' }, 'Field ids should be an array'],
    [{ access: 'open_for_users_ids', ids: [1.5] }, 'Field ids should be an array'],
    [{ access: 'open_for_users_ids', ids: { a: 1 } }, 'Field ids should be an array'],
    [{ access: 'open_for_users_ids', ids: [-1] }, 'Field ids should be an array'],
    [{ access: 'open_for_users_ids', ids: '99999999999999999999' }, 'Field ids should be an array'],
    [{ access: 'open_for_users_ids', groups: 'a' }, 'Field ids should be an array'],
    [{ access: 'open_for_groups' }, 'Field groups should be an array'],
    [{ access: 'open_for_groups', groups: { a: 1 } }, 'Field groups should be an array'],
    [{ access: 'open_for_groups', groups: [['a']] }, 'Field groups should be an array'],
    [
      { access: 'open_for_groups', groups: Array.from({ length: 1_001 }, (_, nth) => `g${nth}`) },
      'Too many groups (maximum is 1000)',
    ],
  ])('the permissions %j are rejected: %s', async (given, sentence) => {
    const id = await newCar({ permissions: SHARED }, cast.olga);
    const outcome = [422, { errors: [sentence] }];
    const json = { permissions: { read: given } };
    expect(outcomeOf(await rest('POST', '/data/cars', { as: cast.olga, json }))).toEqual(outcome);
    expect(outcomeOf(await change(id, { make: 'x', ...json }))).toEqual(outcome);
    expect((await rest('GET', `/data/cars/${id}`, { as: cast.olga })).body).toMatchObject({
      make: null,
      permissions: SHARED,
    });
  });
});

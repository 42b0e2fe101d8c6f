import { beforeAll, describe, expect, test } from 'vitest';
import { APPLICATION, useApp } from '../../support/app/app.ts';
import { MULTIPART, multipart } from '../../support/clients/raw-http.ts';
import { rest } from '../../support/clients/rest.ts';
import { type Scenario, testScenarios } from '../../support/clients/rest-table.ts';
import { createRecordCast, newCar, outcomeOf, type RecordCast, SOME_ID } from '../../support/fixtures/cars.ts';
import { created } from '../../support/fixtures/chat-cast.ts';
import { MALFORMED, NOT_FOUND, UNDEFINED_CLASS } from '../../support/fixtures/error-bodies.ts';
import { apiKey } from '../../support/fixtures/users.ts';

useApp();

let cast: RecordCast;
beforeAll(async () => {
  cast = await createRecordCast();
  await created('/class', { name: 'Boat', fields: { sail: 'String', crew: 'Integer_a' } }, apiKey);
});

const refused = (...sentences: string[]) => ({ errors: sentences });
const OPEN = { access: 'open' };
const OWNER = { access: 'owner' };

const SAIL = { name: 'sail', type: 'String' };
const CREW = { name: 'crew', type: 'Integer', is_array: '1' };
const NAME = { name: 'name', type: 'String' };
const [HOME, LAID] = [
  { name: 'home', type: 'Location' },
  { name: 'laid', type: 'Date' },
];

function boat(fields: object[], acl: object = {}) {
  return {
    _id: SOME_ID,
    name: 'Boat',
    application_id: APPLICATION.id,
    user_id: 0,
    acl: { create: { ...OPEN, primary: true }, read: OPEN, update: OWNER, delete: OWNER, ...acl },
    custom_fields: fields,
  };
}

const put = (name: string, body: object | string | undefined, status: number, answer: unknown): Scenario => [
  name,
  'key',
  'PUT',
  '/class/Boat.json',
  body,
  status,
  answer,
];

describe('PUT /class/{name}', () => {
  const ALL = [SAIL, CREW, NAME, HOME, LAID];
  const SHARED = { access: 'open_for_users_ids', users_ids: ['1'] };
  testScenarios(
    () => cast,
    [
      put('nothing changes nothing', undefined, 200, boat([SAIL, CREW])),
      put('fields are added at the end', { fields: { name: 'String' } }, 200, boat([SAIL, CREW, NAME])),
      put('also by a form', 'fields[home]=Location&fields%5Blaid%5D=Date', 200, boat(ALL)),
      put('those that are there stay', { fields: { sail: 'String', crew: 'Integer_a' } }, 200, boat(ALL)),
      put('another type', { fields: { sail: 'Float' } }, 422, refused('Field sail already has another type')),
      put('an array of one', { fields: { sail: 'String_a' } }, 422, refused('Field sail already has another type')),
      put('one of an array', { fields: { crew: 'Integer' } }, 422, refused('Field crew already has another type')),
      put(
        'all errors are reported and nothing is changed',
        { fields: { crew: 'Float_a', new: 'String', sail: 'Date', 'a-b': 'String' } },
        422,
        refused('Field crew already has another type', 'Field sail already has another type', 'Name is invalid'),
      ),
      put('an unknown type', { fields: { other: 'Text' } }, 422, refused('Field other has an unknown type')),
      put('an unknown access', 'permissions[delete][access]=everyone', 422, refused('Unknown access: everyone')),
      put('the name stays', 'name=Ship&fields=x', 200, boat(ALL)),
      put(
        'permissions that are given are replaced',
        { permissions: { read: { access: 'open_for_users_ids', ids: '1' } } },
        200,
        boat(ALL, { read: SHARED }),
      ),
      put(
        'and only those',
        'permissions.update.access=not_allowed',
        200,
        boat(ALL, { read: SHARED, update: { access: 'not_allowed' } }),
      ),
      put(
        'and back, as they are shown',
        { permissions: { create: { access: 'open', primary: true }, read: OPEN, update: OWNER, delete: OWNER } },
        200,
        boat(ALL),
      ),
      ['it is known to the next request', 'key', 'GET', '/class/Boat', undefined, 200, boat(ALL)],
      [
        'by multipart',
        'key',
        'PUT',
        '/class/Boat',
        multipart({ 'permissions[read][access]': 'owner' }),
        200,
        boat(ALL, { read: OWNER }),
        { 'Content-Type': MULTIPART },
      ],
      [
        'too many fields',
        'key',
        'PUT',
        '/class/Boat',
        { fields: Object.fromEntries(Array.from({ length: 196 }, (_, nth) => [`f${nth}`, 'Integer'])) },
        422,
        refused('Too many fields (maximum is 200)'),
      ],
      ['an unknown class', 'key', 'PUT', '/class/Ship', 'fields[a]=String', 403, UNDEFINED_CLASS],
      [
        'the parameters are checked first',
        'key',
        'PUT',
        '/class/Ship',
        'fields[a]=Text',
        422,
        refused('Field a has an unknown type'),
      ],
      ['no form', 'key', 'PUT', '/class/Boat', 'fields[a]=%ff', 400, MALFORMED],
      ['no name', 'key', 'PUT', '/class', 'fields[a]=String', 404, NOT_FOUND],
    ],
  );

  test('a new field is unset in existing records', async () => {
    const id = await newCar({ make: 'AB' }, apiKey);
    const { body } = await rest('PUT', '/class/cars', { as: apiKey, json: { fields: { colour: 'String' } } });
    expect(body.custom_fields.at(-1)).toEqual({ name: 'colour', type: 'String' });
    expect((await rest('GET', `/data/cars/${id}`, { as: apiKey })).body).toMatchObject({ make: 'AB', colour: null });
    const set = await rest('PUT', `/data/cars/${id}`, { as: apiKey, form: 'colour=red' });
    expect(set.body).toMatchObject({ make: 'AB', colour: 'red' });
  });
});

describe('compound indexes over REST', () => {
  const shown = (fields: string[], unique = false) => ({ fields, unique, state: 'ready' });
  const update = async (sent: { json: object } | { form: string }) =>
    (await rest('PUT', '/class/Keel', { as: apiKey, ...sent })).body;

  test('a class is created with indexes, and a list replaces them', async () => {
    const fields = { length: 'Float', wood: 'String', built: 'Date' };
    const indexes = [{ fields: ['wood', 'length'], unique: true }];
    const keel = await created('/class', { name: 'Keel', fields, indexes }, apiKey);
    expect(Object.keys(keel).at(-1)).toBe('indexes');
    expect(keel.indexes).toEqual([shown(['wood', 'length'], true)]);
    await created('/data/Keel', { wood: 'oak', length: 2 }, apiKey);
    const twice = await rest('POST', '/data/Keel', { as: apiKey, json: { wood: 'oak', length: 2 } });
    expect([twice.status, twice.body]).toEqual([422, { errors: ['Fields wood, length have already been taken'] }]);
    expect((await update({ json: { fields: { name: 'String' } } })).indexes).toEqual(keel.indexes);
    expect((await update({ json: { indexes: [] } })).indexes).toMatchObject([{ state: 'dropping' }]);
  });

  test.each<[string, { json: object } | { form: string }]>([
    ['JSON', { json: { indexes: [{ fields: ['built', 'wood'] }] } }],
    ['a form', { form: 'indexes[0][fields]=built,wood' }],
    ['a form with lists', { form: 'indexes[0][fields][]=built&indexes[0][fields][]=wood&indexes[0][unique]=0' }],
  ])('an index can be sent as %s', async (_name, sent) => {
    const { indexes } = await update(sent);
    expect(indexes).toContainEqual(expect.objectContaining({ fields: ['built', 'wood'], unique: false }));
  });

  test.each<[unknown, string]>([
    ['wood', 'Indexes is invalid'],
    [[['wood', 'built']], 'Indexes is invalid'],
    [[{ fields: [] }], 'Indexes is invalid'],
    [[{ fields: [{ wood: 1 }, 'built'] }], 'Indexes is invalid'],
    [[{ fields: ['wood', 'built'], unique: 'maybe' }], 'Indexes is invalid'],
    [[{ fields: ['wood', 'none'] }], 'Index wood,none has an unknown field'],
  ])('the indexes %j are refused', async (indexes, sentence) => {
    const { status, body } = await rest('PUT', '/class/Keel', { as: apiKey, json: { indexes } });
    expect([status, body]).toEqual([422, { errors: [sentence] }]);
  });
});

describe('DELETE /class/{name}', () => {
  test('deleting a class deletes its records, and a new class of the same name is empty', async () => {
    await created('/class', { name: 'Bin', fields: { label: 'String' } }, apiKey);
    const { _id } = await created('/data/Bin', { label: 'old' }, cast.olga);
    expect(outcomeOf(await rest('DELETE', '/class/Bin.json', { as: apiKey }))).toEqual([200, '']);
    for (const [method, path] of [
      ['GET', '/class/Bin'],
      ['DELETE', '/class/Bin'],
      ['PUT', '/class/Bin'],
      ['GET', '/data/Bin'],
      ['GET', `/data/Bin/${_id}`],
      ['POST', '/data/Bin'],
      ['DELETE', `/data/Bin/${_id}`],
    ] as const) {
      expect(outcomeOf(await rest(method, path, { as: apiKey }))).toEqual([403, UNDEFINED_CLASS]);
    }
    await created('/class', { name: 'Bin', fields: { label: 'Integer' } }, apiKey);
    expect((await rest('GET', '/data/Bin', { as: apiKey })).body.items).toEqual([]);
    expect(outcomeOf(await rest('GET', `/data/Bin/${_id}`, { as: apiKey }))).toEqual([404, NOT_FOUND]);
  });
});

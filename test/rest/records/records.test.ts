import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { rest } from '../../support/clients/rest.ts';
import { type Scenario, testScenarios } from '../../support/clients/rest-table.ts';
import {
  car,
  createRecordCast,
  DEFAULT_PERMISSIONS,
  listedCar,
  newCar,
  outcomeOf,
  type RecordCast,
  UNSET,
} from '../../support/fixtures/cars.ts';
import { created, UNKNOWN_ID } from '../../support/fixtures/chat-cast.ts';
import { MALFORMED, MAY_NOT_DO, NOT_FOUND, UNDEFINED_CLASS } from '../../support/fixtures/error-bodies.ts';
import { apiKey } from '../../support/fixtures/users.ts';

useApp();

let cast: RecordCast;
beforeAll(async () => {
  cast = await createRecordCast();
  await created('/class', { name: 'parts', fields: { label: 'String', weight: 'Integer' } }, apiKey);
  const { olga, values } = cast;
  values.kept = await newCar({ make: 'AB' }, olga);
  values.closed = await newCar({ make: 'CD', permissions: { read: { access: 'owner' } } }, olga);
  values.part = (await created(`/data/cars/${values.kept}/parts`, { label: 'wheel' }, olga))._id;
  values.hidden = (
    await created('/data/parts', { label: 'secret', permissions: { read: { access: 'owner' } } }, olga)
  )._id;
});

const refused = (...sentences: string[]) => ({ errors: sentences });
const NO_PARENT = refused('Parent record was not found');
const part = (fields: object, about: object = {}) => {
  const { _id, _parent_id, created_at, updated_at, user_id, permissions } = car({}, about);
  return { _id, _parent_id, created_at, updated_at, user_id, permissions, label: null, weight: null, ...fields };
};
const OLGAS = { user_id: '{olga}' };

describe('POST /data/{class}', () => {
  test('the response has the member order of the contract', async () => {
    const json = { value: 1, tags: ['a'], make: 'AB', permissions: { delete: { access: 'open' } } };
    const { status, text, body } = await rest('POST', '/data/cars.json', { as: cast.olga, json });
    const unset = JSON.stringify({ ...UNSET, make: 'AB', tags: ['a'] }).slice(1);
    expect([status, text]).toEqual([
      201,
      `{"_id":"${body._id}","_parent_id":null,"created_at":1795196819,"updated_at":1795196819,"user_id":${cast.olga.id},` +
        `"permissions":{"read":{"access":"open"},"update":{"access":"owner"},"delete":{"access":"open"}},${unset}`,
    ]);
  });

  testScenarios(
    () => cast,
    [
      ['nothing but a class is needed', 'olga', 'POST', '/data/cars', undefined, 201, car({}, OLGAS)],
      ['a record of an API key alone has no owner', 'key', 'POST', '/data/cars', 'make=x', 201, car({ make: 'x' })],
      [
        'one on behalf of a user is theirs',
        'key for olga',
        'POST',
        '/data/cars',
        'make=x',
        201,
        car({ make: 'x' }, OLGAS),
      ],
      [
        'names of the service and unknown ones are ignored',
        'olga',
        'POST',
        '/data/cars',
        { _id: '{kept}', user_id: 1, created_at: 1, updated_at: 1, class_name: 'x', nested: { x: 1 }, make: 'x' },
        201,
        car({ make: 'x' }, OLGAS),
      ],
      [
        'below a record of any class',
        'olga',
        'POST',
        '/data/cars',
        '_parent_id={part}',
        201,
        car({}, { ...OLGAS, _parent_id: '{part}' }),
      ],
      ['below nothing', 'olga', 'POST', '/data/cars', '_parent_id=', 201, car({}, OLGAS)],
      ['below null', 'olga', 'POST', '/data/cars', { _parent_id: null }, 201, car({}, OLGAS)],
      ['below null in a form', 'olga', 'POST', '/data/cars', '_parent_id=null', 201, car({}, OLGAS)],
      ['below what there is not', 'olga', 'POST', '/data/cars', '_parent_id={unknown}', 422, NO_PARENT],
      ['below an invalid id', 'olga', 'POST', '/data/cars', '_parent_id=abc', 422, NO_PARENT],
      ['below what one may not see', 'mallory', 'POST', '/data/cars', '_parent_id={hidden}', 422, NO_PARENT],
      ['an unknown class', 'olga', 'POST', '/data/Cars', 'make=x', 403, UNDEFINED_CLASS],
      [
        'all errors are reported',
        'olga',
        'POST',
        '/data/cars',
        'year=x&price=y&sold=z',
        422,
        refused('Field year should be an integer', 'Field price should be a number', 'Field sold should be a boolean'),
      ],
      ['no JSON', 'olga', 'POST', '/data/cars', '[', 400, MALFORMED, { 'Content-Type': 'application/json' }],
    ],
  );
});

describe('POST /data/{class}/{parent_id}/{child}', () => {
  const CHILD = '/data/cars/{kept}/parts.json';
  const below = (fields: object, about: object = {}) => part(fields, { _parent_id: '{kept}', ...OLGAS, ...about });
  const row = (
    name: string,
    as: string,
    path: string,
    body: string | object | undefined,
    status: number,
    answer: unknown,
  ): Scenario => [name, as, 'POST', path, body, status, answer];
  testScenarios(
    () => cast,
    [
      row('a child', 'olga', CHILD, { label: 'door', weight: '12' }, 201, below({ label: 'door', weight: 12 })),
      row('by a form', 'olga', CHILD, 'label=door', 201, below({ label: 'door' })),
      row('without fields', 'olga', CHILD, undefined, 201, below({})),
      row(
        'of another who sees the parent',
        'mallory',
        CHILD,
        'label=x',
        201,
        below({ label: 'x' }, { user_id: '{mallory}' }),
      ),
      row('the path takes precedence over the parameter', 'olga', CHILD, '_parent_id={unknown}', 201, below({})),
      row(
        'with permissions',
        'olga',
        CHILD,
        'permissions[read][access]=owner',
        201,
        below({}, { permissions: { ...DEFAULT_PERMISSIONS, read: { access: 'owner' } } }),
      ),
      row('a field that cannot be cast', 'olga', CHILD, 'weight=heavy', 400, {}),
      row('bad permissions', 'olga', CHILD, 'permissions[read][access]=all', 400, {}),
      row('invalid users', 'olga', CHILD, 'permissions[read][access]=open_for_users_ids', 400, {}),
      row('an invalid form', 'olga', CHILD, 'label=%ff', 400, {}),
      row('too many parts of a name', 'olga', CHILD, 'a[b][c][d][e][f][g][h][i][j][k]=1', 400, {}),
      row('a field too large', 'olga', CHILD, { label: 'x'.repeat(262_144) }, 400, {}),
      row('an unknown parent', 'olga', '/data/cars/{unknown}/parts', 'label=x', 404, NOT_FOUND),
      row('a parent that is no id', 'olga', '/data/cars/abc/parts', 'label=x', 404, NOT_FOUND),
      row('a parent of another class', 'olga', '/data/parts/{kept}/cars', 'make=x', 404, NOT_FOUND),
      row('a parent that one may not see', 'mallory', '/data/cars/{closed}/parts', 'label=x', 404, NOT_FOUND),
      row(
        'a field that cannot be cast below an unknown parent',
        'olga',
        '/data/cars/{unknown}/parts',
        'weight=x',
        400,
        {},
      ),
      row('an unknown class of the parent', 'olga', '/data/Cars/{kept}/parts', 'label=x', 403, UNDEFINED_CLASS),
      row('an unknown class of the child', 'olga', '/data/cars/{kept}/Parts', 'label=x', 403, UNDEFINED_CLASS),
      row('a body of another type', 'olga', CHILD, undefined, 201, below({})),
    ],
  );

  test('invalid JSON responds 400', async () => {
    for (const text of ['{', '[]', '"a"', '1']) {
      const answer = await rest('POST', `/data/cars/${cast.values.kept}/parts.json`, {
        as: cast.olga,
        form: text,
        headers: { 'Content-Type': 'application/json' },
      });
      expect(outcomeOf(answer)).toEqual([400, {}]);
    }
  });
});

describe('GET /data/{class}/{id}', () => {
  const KEPT = { ...OLGAS, _id: '{kept}' };
  const row = (name: string, as: string, path: string, status: number, answer: unknown): Scenario => [
    name,
    as,
    'GET',
    path,
    undefined,
    status,
    answer,
  ];
  const BARE = { permissions: DEFAULT_PERMISSIONS, record_id: '{kept}' };
  testScenarios(
    () => cast,
    [
      row('with permissions', 'olga', '/data/cars/{kept}.json', 200, car({ make: 'AB' }, KEPT)),
      row('anybody, where it is open', 'mallory', '/data/cars/{kept}', 200, car({ make: 'AB' }, KEPT)),
      row('an application session, too', 'application', '/data/cars/{kept}', 200, car({ make: 'AB' }, KEPT)),
      row('permissions alone', 'olga', '/data/cars/{kept}?permissions=1', 200, BARE),
      row('to an API key alone', 'key', '/data/cars/{kept}.json?permissions=true', 200, BARE),
      row('to a key on behalf of the owner', 'key for olga', '/data/cars/{kept}.json?permissions=1', 200, BARE),
      row('but to no other', 'mallory', '/data/cars/{kept}?permissions=1', 403, MAY_NOT_DO),
      row('nor an application', 'application', '/data/cars/{kept}?permissions=1', 403, MAY_NOT_DO),
      row('if they are asked for', 'mallory', '/data/cars/{kept}?permissions=0', 200, car({ make: 'AB' }, KEPT)),
      row('one that is closed', 'mallory', '/data/cars/{closed}', 403, MAY_NOT_DO),
      row('to an application', 'application', '/data/cars/{closed}', 403, MAY_NOT_DO),
      row('an unknown one', 'olga', '/data/cars/{unknown}', 404, NOT_FOUND),
      row('no id', 'olga', '/data/cars/abc', 404, NOT_FOUND),
      row('letter case of ids counts', 'olga', '/data/cars/0123456789ABCDEF01234567', 404, NOT_FOUND),
      row('one of another class', 'olga', '/data/parts/{kept}', 404, NOT_FOUND),
      row('an unknown class', 'olga', '/data/Cars/{kept}', 403, UNDEFINED_CLASS),
      row('by the key of another application', 'other key', '/data/cars/{kept}', 403, UNDEFINED_CLASS),
    ],
  );
});

describe('GET /data/{class}/{id},{id}', () => {
  const KEPT = listedCar({ make: 'AB' }, { ...OLGAS, _id: '{kept}' });
  const CLOSED = listedCar({ make: 'CD' }, { ...OLGAS, _id: '{closed}' });
  const found = (items: object[], ...ids: string[]) => ({ class_name: 'cars', items, not_found: { ids } });
  const row = (name: string, as: string, path: string, status: number, answer: unknown): Scenario => [
    name,
    as,
    'GET',
    path,
    undefined,
    status,
    answer,
  ];
  testScenarios(
    () => cast,
    [
      row('in the order asked', 'olga', '/data/cars/{closed},{kept}.json', 200, found([CLOSED, KEPT])),
      row(
        'with blanks, escaped, repeated',
        'olga',
        '/data/cars/{kept}%2C%20{closed},{kept}',
        200,
        found([KEPT, CLOSED]),
      ),
      row(
        'what one may not read is not found',
        'mallory',
        '/data/cars/{closed},{kept}',
        200,
        found([KEPT], '{closed}'),
      ),
      row('nor what there is not', 'olga', '/data/cars/abc,{kept},{unknown}', 200, found([KEPT], 'abc', UNKNOWN_ID)),
      row('nothing at all', 'application', '/data/cars/abc,{closed}', 200, found([], 'abc', '{closed}')),
      row('one and a comma', 'olga', '/data/cars/{kept},', 200, found([KEPT])),
      row(
        'with permissions',
        'olga',
        '/data/cars/{kept},?permissions=1',
        200,
        found([{ ...KEPT, permissions: DEFAULT_PERMISSIONS }]),
      ),
      row(
        'some fields',
        'olga',
        '/data/cars/{kept},?output[include]=make',
        200,
        found([{ _id: '{kept}', make: 'AB' }]),
      ),
      row('a hundred', 'olga', `/data/cars/${'abc,'.repeat(200)}`, 200, found([], 'abc')),
      row(
        'more than a hundred',
        'olga',
        `/data/cars/${Array.from({ length: 101 }, (_, id) => id).join(',')}`,
        422,
        refused('A request may name at most 100 ids'),
      ),
      row('an unknown class', 'olga', '/data/Cars/{kept},abc', 403, UNDEFINED_CLASS),
    ],
  );
});

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { clock, useApp } from '../../support/app/app.ts';
import { rest } from '../../support/clients/rest.ts';
import { type Scenario, testScenarios } from '../../support/clients/rest-table.ts';
import {
  car,
  createRecordCast,
  DEFAULT_PERMISSIONS,
  NOW,
  newCar,
  outcomeOf,
  type RecordCast,
} from '../../support/fixtures/cars.ts';
import { created, UNKNOWN_ID } from '../../support/fixtures/chat-cast.ts';
import { MALFORMED, MAY_NOT_DO, NOT_FOUND, UNDEFINED_CLASS } from '../../support/fixtures/error-bodies.ts';
import { apiKey, type Caller } from '../../support/fixtures/users.ts';

useApp();

let cast: RecordCast;
beforeAll(async () => {
  cast = await createRecordCast();
  await created('/class', { name: 'parts', fields: { label: 'String', weight: 'Integer' } }, apiKey);
});

const refused = (...sentences: string[]) => ({ errors: sentences });

/** Cars of Olga, created again before each test: one with defaults, one open for update, one open for delete, one of a key. */
beforeEach(async () => {
  clock.reset();
  const { olga, values } = cast;
  values.own = await newCar({ make: 'AB', year: 1 }, olga);
  values.free = await newCar({ make: 'AB', year: 2, permissions: { update: { access: 'open' } } }, olga);
  values.bin = await newCar({ make: 'AB', year: 3, permissions: { delete: { access: 'open' } } }, olga);
  values.keys = await newCar({ make: 'AB', year: 4 }, apiKey);
  values.closed = await newCar(
    { make: 'CD', permissions: { read: { access: 'owner' }, update: { access: 'open' } } },
    olga,
  );
  clock.reset(5_000);
});

const LATER = { user_id: '{olga}', updated_at: NOW + 5 };
const OPEN = { permissions: { ...DEFAULT_PERMISSIONS, update: { access: 'open' } } };

describe('PUT /data/{class}/{id}', () => {
  const row = (
    name: string,
    as: string,
    path: string,
    body: string | object | undefined,
    status: number,
    answer: unknown,
  ): Scenario => [name, as, 'PUT', path, body, status, answer];
  const own = (fields: object) => car({ make: 'AB', year: 1, ...fields }, { ...LATER, _id: '{own}' });
  testScenarios(
    () => cast,
    [
      row(
        'changes fields and the time of change',
        'olga',
        '/data/cars/{own}.json',
        { make: 'x' },
        200,
        own({ make: 'x' }),
      ),
      row(
        'also by a form',
        'key for olga',
        '/data/cars/{own}',
        'make=y&year=',
        422,
        refused('Field year should be an integer'),
      ),
      row('by the API key', 'key', '/data/cars/{own}', 'make=y', 200, own({ make: 'y' })),
      row(
        'by whom it lets',
        'mallory',
        '/data/cars/{free}',
        'make=y',
        200,
        car({ make: 'y', year: 2 }, { ...LATER, ...OPEN, _id: '{free}' }),
      ),
      row(
        'where they may not read it, they are shown its id and times alone',
        'mallory',
        '/data/cars/{closed}',
        'make=y',
        200,
        { _id: '{closed}', created_at: NOW, updated_at: expect.any(Number) },
      ),
      row('the parent stays', 'olga', '/data/cars/{own}', { _parent_id: '{free}' }, 200, own({})),
      row('by another user', 'mallory', '/data/cars/{own}', 'make=y', 403, MAY_NOT_DO),
      row('of an API key, by a user', 'olga', '/data/cars/{keys}', 'make=y', 403, MAY_NOT_DO),
      row('an unknown one', 'olga', '/data/cars/{unknown}', 'make=y', 404, NOT_FOUND),
      row('no id', 'olga', '/data/cars/abc', 'make=y', 404, NOT_FOUND),
      row('one of another class', 'olga', '/data/parts/{own}', 'label=y', 404, NOT_FOUND),
      row('an unknown class', 'olga', '/data/Cars/{own}', 'make=y', 403, UNDEFINED_CLASS),
      row(
        'invalid values are reported before missing records',
        'mallory',
        '/data/cars/{unknown}',
        'year=y',
        422,
        refused('Field year should be an integer'),
      ),
      row(
        'also to whom may not',
        'mallory',
        '/data/cars/{own}',
        'year=y',
        422,
        refused('Field year should be an integer'),
      ),
      row('no body that can be read', 'olga', '/data/cars/{own}', 'make=%ff', 400, MALFORMED),
      ['several ids are no id', 'olga', 'PUT', '/data/cars/{own},{free}', 'make=y', 404, NOT_FOUND],
    ],
  );
});

describe('PUT /data/{class}/by_criteria', () => {
  const put = (body: string | object, as: Caller = cast.olga) =>
    rest('PUT', '/data/cars/by_criteria.json', { as, ...(typeof body === 'string' ? { form: body } : { json: body }) });
  const only = () => `search_criteria[_id][in]=${['own', 'free', 'keys'].map((name) => cast.values[name]).join(',')}`;

  test('an update by criteria changes every match that the caller may update and returns a page', async () => {
    const { status, body } = await put(`${only()}&inc[year]=10&make=new&limit=1&skip=1`);
    expect([status, Object.keys(body)]).toEqual([200, ['class_name', 'skip', 'limit', 'total_found', 'items']]);
    expect(body).toEqual({
      class_name: 'cars',
      skip: 1,
      limit: 1,
      total_found: 2,
      items: [car({ make: 'new', year: 12 }, { ...LATER, ...OPEN, user_id: cast.olga.id, _id: cast.values.free })],
    });
    expect((await rest('GET', `/data/cars/${cast.values.keys}`, { as: apiKey })).body).toMatchObject({ make: 'AB' });
  });

  test('an update by criteria accepts JSON from an API key and may match nothing', async () => {
    const json = { search_criteria: { _id: { in: [cast.values.own] }, year: 5 }, make: 'x' };
    expect(outcomeOf(await put(json, apiKey))).toEqual([
      200,
      { class_name: 'cars', skip: 0, limit: 100, total_found: 0, items: [] },
    ]);
  });

  test('an update by criteria changes no record that the caller cannot read', async () => {
    const form = `search_criteria[_id]=${cast.values.closed}&make=x`;
    expect((await put(form, cast.mallory)).body.total_found).toBe(0);
    expect((await put(form, cast.olga)).body.total_found).toBe(1);
  });

  test.each<[body: string | object, sentence: string]>([
    ['make=never', 'search_criteria is required'],
    ['search_criteria=&make=never', 'search_criteria is required'],
    ['search_criteria=make&make=never', 'search_criteria is required'],
    [{ search_criteria: {}, make: 'never' }, 'search_criteria is required'],
    [{ search_criteria: [], make: 'never' }, 'search_criteria is required'],
    [{ search_criteria: null, make: 'never' }, 'search_criteria is required'],
    [{ search_criteria: { make: {} }, make: 'never' }, 'search_criteria is required'],
    [{ search_criteria: { and: [{}] }, make: 'never' }, 'search_criteria is required'],
    [{ search_criteria: { or: [{}] }, make: 'never' }, 'search_criteria is required'],
    [{ search_criteria: { created_at: { nin: [] } }, make: 'never' }, 'search_criteria is required'],
    ['search_criteria[limit]=5&make=never', 'search_criteria is required'],
    ['search_criteria[colour]=red&make=never', 'Incorrect filter: colour'],
    ['search_criteria[make][lt]=a&make=never', 'Incorrect filter: make[lt]'],
    ['search_criteria[make]=AB&year=x', 'Field year should be an integer'],
    ['search_criteria[make]=AB&inc[make]=1', "Operator inc can't be used with field make"],
    ['search_criteria[make]=AB&permissions[read][access]=all', 'Unknown access: all'],
  ])('updating by %j is rejected: %s', async (body, sentence) => {
    expect(outcomeOf(await put(body, apiKey))).toEqual([422, refused(sentence)]);
    expect((await rest('GET', '/data/cars?make=never&count=1', { as: apiKey })).body.items).toEqual({ count: 0 });
  });

  test('an update by criteria of an unknown class is rejected', async () => {
    const answer = await rest('PUT', '/data/Cars/by_criteria', { as: cast.olga, form: 'search_criteria[a]=1' });
    expect(outcomeOf(answer)).toEqual([403, UNDEFINED_CLASS]);
  });
});

describe('DELETE /data/{class}/{id}', () => {
  const row = (name: string, as: string, path: string, status: number, answer: unknown): Scenario => [
    name,
    as,
    'DELETE',
    path,
    undefined,
    status,
    answer,
  ];
  testScenarios(
    () => cast,
    [
      row('by its owner', 'olga', '/data/cars/{own}.json', 200, undefined),
      row('by the key on behalf of them', 'key for olga', '/data/cars/{own}', 200, undefined),
      row('by an API key', 'key', '/data/cars/{own}.json', 200, undefined),
      row('by whom it lets', 'mallory', '/data/cars/{bin}', 200, undefined),
      row('by no other', 'mallory', '/data/cars/{free}', 403, MAY_NOT_DO),
      row('of an API key, by a user', 'olga', '/data/cars/{keys}', 403, MAY_NOT_DO),
      row('an unknown one', 'olga', '/data/cars/{unknown}', 404, NOT_FOUND),
      row('no id', 'olga', '/data/cars/abc', 404, NOT_FOUND),
      row('one of another class', 'olga', '/data/parts/{own}', 404, NOT_FOUND),
      row('an unknown class', 'olga', '/data/Cars/{own}', 403, UNDEFINED_CLASS),
      [
        'several',
        'olga',
        'DELETE',
        '/data/cars/{own},{bin},{keys},{unknown},abc.json',
        'force=1',
        200,
        {
          SuccessfullyDeleted: { ids: ['{own}', '{bin}'] },
          NotFound: { ids: [UNKNOWN_ID, 'abc'] },
          WrongPermissions: { ids: ['{keys}'] },
        },
      ],
      row('none of which is known', 'olga', '/data/cars/{unknown},abc', 200, {
        SuccessfullyDeleted: { ids: [] },
        NotFound: { ids: [UNKNOWN_ID, 'abc'] },
      }),
      row(
        'more than a hundred',
        'olga',
        `/data/cars/${Array.from({ length: 101 }, (_, id) => id).join(',')}`,
        422,
        refused('A request may name at most 100 ids'),
      ),
      row('several of an unknown class', 'olga', '/data/Cars/{own},abc', 403, UNDEFINED_CLASS),
    ],
  );

  test('deleting a record deletes its descendants of any owner and depth', async () => {
    const { olga, mallory, values } = cast;
    const private_ = { permissions: { read: { access: 'owner' } } };
    const child = await created(`/data/cars/${values.own}/parts`, { label: 'c', ...private_ }, mallory);
    const grandchild = await created(`/data/parts/${child._id}/cars`, { make: 'g', ...private_ }, mallory);
    const other = await created(`/data/cars/${values.free}/parts`, { label: 'o' }, mallory);
    expect(outcomeOf(await rest('DELETE', `/data/cars/${values.own}`, { as: olga }))).toEqual([200, '']);
    for (const path of [`/data/cars/${values.own}`, `/data/parts/${child._id}`, `/data/cars/${grandchild._id}`]) {
      expect(outcomeOf(await rest('GET', path, { as: apiKey }))).toEqual([404, NOT_FOUND]);
    }
    expect((await rest('GET', `/data/parts/${other._id}`, { as: apiKey })).status).toBe(200);
    expect(outcomeOf(await rest('DELETE', `/data/cars/${values.own}`, { as: olga }))).toEqual([404, NOT_FOUND]);
  });
});

describe('DELETE /data/{class}/by_criteria', () => {
  const remove = (form: string | undefined, as: Caller = cast.olga) =>
    rest('DELETE', '/data/cars/by_criteria.json', { as, form });
  const only = () => `_id[in]=${['own', 'free', 'keys'].map((name) => cast.values[name]).join(',')}`;

  test('a deletion by criteria deletes the matches that the caller may delete', async () => {
    expect(outcomeOf(await remove(only(), cast.mallory))).toEqual([200, { total_deleted: 0 }]);
    expect(outcomeOf(await remove(`${only()}&year[gt]=1`))).toEqual([200, { total_deleted: 1 }]);
    expect(outcomeOf(await remove(only()))).toEqual([200, { total_deleted: 1 }]);
    expect(outcomeOf(await remove(only(), apiKey))).toEqual([200, { total_deleted: 1 }]);
    expect(outcomeOf(await remove(only(), apiKey))).toEqual([200, { total_deleted: 0 }]);
  });

  test('a deletion by criteria reads the query too', async () => {
    const answer = await rest('DELETE', `/data/cars/by_criteria?_id=${cast.values.own}`, { as: cast.olga });
    expect(outcomeOf(answer)).toEqual([200, { total_deleted: 1 }]);
  });

  test.each<[form: string | undefined, key: string | RegExp]>([
    [undefined, /^Incorrect filter: /],
    ['limit=1&skip=1&sort_asc=_id', /^Incorrect filter: /],
    ['__proto__=1', /^Incorrect filter: /],
    ['colour=red', 'Incorrect filter: colour'],
    ['make=AB&colour=red', 'Incorrect filter: colour'],
    ['make[like]=A', 'Incorrect filter: make[like]'],
    ['year=x', 'Incorrect filter: year'],
    ['toString=1', 'Incorrect filter: toString'],
  ])('deleting by %s is rejected: %s', async (form, key) => {
    const before = (await rest('GET', '/data/cars?count=1', { as: apiKey })).body.items;
    const { status, body } = await remove(form, apiKey);
    expect(status).toBe(422);
    expect(body.errors).toEqual([typeof key === 'string' ? key : expect.stringMatching(key)]);
    expect((await rest('GET', '/data/cars?count=1', { as: apiKey })).body.items).toEqual(before);
  });

  test.each([{ and: [{}] }, { or: [{}] }, { make: {} }, { created_at: { nin: [] } }])(
    'the criteria %j are rejected because they contain no condition',
    async (json) => {
      const before = (await rest('GET', '/data/cars?count=1', { as: apiKey })).body.items;
      expect((await rest('DELETE', '/data/cars/by_criteria', { as: apiKey, json })).status).toBe(422);
      expect((await rest('GET', '/data/cars?count=1', { as: apiKey })).body.items).toEqual(before);
    },
  );
});

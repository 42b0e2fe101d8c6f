import { beforeAll, describe, expect, test } from 'vitest';
import { running, useApp } from '../../support/app/app.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { NOW } from '../../support/fixtures/cars.ts';
import { errorOf, execute } from '../../support/fixtures/chat.ts';
import { CAR_FIELDS, defineClass } from '../../support/fixtures/typed-classes.ts';
import { apiKey, createUser, type TestUser } from '../../support/fixtures/users.ts';

useApp();

const ALL = `make year price sold built place { lat lon } motor { fileId name size contentType } tags sizes rates flags
  dates places { lat lon }`;

let user: TestUser;

beforeAll(async () => {
  user = await createUser();
  await defineClass('cars', CAR_FIELDS);
  await defineClass('blanks');
});

const create = async (input: object) =>
  (await execute(`mutation ($input: CarInput!) { createCar(input: $input) { id ${ALL} } }`, { input }, user)).createCar;

const VALUES = {
  make: 'AB "\'`; -- Ü',
  year: 9007199254740991,
  price: -0.5,
  sold: false,
  built: '2026-11-20T17:46:59.123Z',
  place: { lat: -90, lon: 180 },
  tags: ['b', 'a', 'a,b', ''],
  sizes: [2, -1],
  rates: [1e300, 0],
  flags: [true, false],
  dates: ['1969-12-31T23:59:59.000Z'],
  places: [
    { lat: 1, lon: 2 },
    { lat: 3.5, lon: -4.5 },
  ],
};

test('values of every type are returned unchanged', async () => {
  const { id, ...shown } = await create(VALUES);
  expect(shown).toEqual({ ...VALUES, motor: null });
  expect(await execute(`query ($id: ID!) { car(id: $id) { ${ALL} } }`, { id }, user)).toEqual({ car: shown });
  expect(await execute(`query ($id: ID!) { cars(where: { id: { eq: $id } }) { ${ALL} } }`, { id }, user)) //
    .toEqual({ cars: [shown] });
});

test('literals and single values for lists are accepted', async () => {
  const { createCar } = await execute(
    `mutation { createCar(input: { make: "AB", tags: "one", place: { lat: 1, lon: 2 }, year: 3, price: 4 }) {
      tags place { lat lon } year price } }`,
    {},
    user,
  );
  expect(createCar).toEqual({ tags: ['one'], place: { lat: 1, lon: 2 }, year: 3, price: 4 });
});

test('unset fields are null, and null unsets a field', async () => {
  const { id, ...shown } = await create({ make: 'AB', year: null, tags: null, place: null });
  const unset = Object.fromEntries(Object.keys(CAR_FIELDS).map((name) => [name, null]));
  expect(shown).toEqual({ ...unset, make: 'AB' });
  const full = await create(VALUES);
  const set = Object.fromEntries(Object.keys(VALUES).map((name) => [name, null]));
  const { updateCar } = await execute(
    `mutation ($id: ID!, $set: CarChanges) { updateCar(id: $id, set: $set) { ${ALL} } }`,
    { id: full.id, set: { ...set, make: 'CD' } },
    user,
  );
  expect(updateCar).toEqual({ ...unset, make: 'CD' });
  expect(id).not.toBe(full.id);
});

test('an empty list is stored as an empty list', async () => {
  const { id } = await create({ ...VALUES, tags: [], places: [] });
  expect(await execute('query ($id: ID!) { car(id: $id) { tags places { lat } } }', { id }, user)) //
    .toEqual({ car: { tags: [], places: [] } });
});

test('a file is set by REST upload and returned with its metadata', async () => {
  const { id } = await create({ make: 'AB' });
  const form = new FormData();
  form.set('field_name', 'motor');
  form.set('file', new Blob(['12345'], { type: 'text/plain' }), 'motor.txt');
  await fetch(`${running.url}/data/cars/${id}/file.json`, { method: 'POST', headers: user.headers, body: form });
  const { cars } = await execute(
    'query ($id: ID!) { cars(where: { id: { eq: $id }, motor: { ne: null } }) { motor { fileId name size contentType } } }',
    { id },
    user,
  );
  const motor = {
    fileId: expect.stringMatching(/^[0-9a-f]{24}$/),
    name: 'motor.txt',
    size: 5,
    contentType: 'text/plain',
  };
  expect(cars).toEqual([{ motor }]);
});

test('a record returns its owner, timestamps and permissions', async () => {
  const { createCar } = await execute(
    `mutation ($input: CarInput!) { createCar(input: $input) {
      userId owner { id login } parentId createdAt updatedAt permissions { read { access ids } update { access } } } }`,
    { input: { make: 'AB', permissions: { read: { access: 'OPEN_FOR_USERS_IDS', ids: [7] } } } },
    user,
  );
  expect(createCar).toEqual({
    userId: user.id,
    owner: { id: user.id, login: user.login },
    parentId: null,
    createdAt: NOW,
    updatedAt: NOW,
    permissions: { read: { access: 'OPEN_FOR_USERS_IDS', ids: [7] }, update: { access: 'OWNER' } },
  });
});

describe('invalid typed input', () => {
  const BAD_INPUT: [name: string, input: object][] = [
    ['a missing required field', {}],
    ['null for a required field', { make: null }],
    ['a number as text', { make: 1 }],
    ['a text as number', { make: 'AB', year: '1' }],
    ['a fraction as integer', { make: 'AB', year: 1.5 }],
    ['an integer beyond the safe range of JSON', { make: 'AB', year: 2 ** 53 }],
    ['a text as flag', { make: 'AB', sold: 'true' }],
    ['an invalid date', { make: 'AB', built: 'yesterday' }],
    ['an incomplete location', { make: 'AB', place: { lat: 1 } }],
    ['a location as text', { make: 'AB', place: '1,2' }],
    ['a list as single value', { make: 'AB', year: [1] }],
    ['null in a list', { make: 'AB', tags: ['a', null] }],
    ['a file', { make: 'AB', motor: 'file' }],
    ['an owner', { make: 'AB', userId: 7 }],
    ['an id', { make: 'AB', id: 'x' }],
    ['a creation time', { make: 'AB', createdAt: 1 }],
    ['an unknown field', { make: 'AB', color: 'red' }],
  ];

  test.each(BAD_INPUT)('the types reject %s', async (_name, input) => {
    const refusal = await errorOf('mutation ($input: CarInput!) { createCar(input: $input) { id } }', { input }, user);
    expect(refusal.code).toBe('BAD_USER_INPUT');
  });

  test.each([
    ['a latitude above the limit', { place: { lat: 91, lon: 0 } }, 'Latitude must be less than or equal to 90'],
    [
      'a longitude above the limit',
      { places: [{ lat: 0, lon: -181 }] },
      'Longitude must be greater than or equal to -180',
    ],
    ['too large values', { tags: Array.from({ length: 300 }, () => 'x'.repeat(1000)) }, /^Record is too large/],
    ['an unknown parent', { parentId: '0'.repeat(24) }, 'Parent record was not found'],
    ['a malformed parent id', { parentId: "' OR 1=1 --" }, 'Parent record was not found'],
    [
      'permissions without user ids',
      { permissions: { read: { access: 'OPEN_FOR_USERS_IDS' } } },
      'Field ids should be an array',
    ],
  ])('the service rejects %s with the legacy error text', async (_name, input, message) => {
    const refusal = await errorOf(
      'mutation ($input: CarInput!) { createCar(input: $input) { id } }',
      { input: { make: 'AB', ...input } },
      user,
    );
    expect(refusal).toMatchObject({ code: 'UNPROCESSABLE', message: expect.stringMatching(message) });
  });

  test('creating several records stores none when one is rejected', async () => {
    const inputs = [{ make: 'several' }, { make: 'several', place: { lat: 91, lon: 0 } }];
    const query = 'mutation ($inputs: [CarInput!]!) { createCars(inputs: $inputs) { id } }';
    expect(await errorOf(query, { inputs }, user)).toMatchObject({
      message: 'Record 2: Latitude must be less than or equal to 90',
    });
    const where = { make: { eq: 'several' } };
    const list = 'query ($where: CarFilter) { cars(where: $where) { id } }';
    expect(await execute(list, { where }, user)).toEqual({ cars: [] });
    const made = await execute(query, { inputs: [{ make: 'several' }, { make: 'several' }] }, user);
    expect(await execute(list, { where }, user)).toEqual({ cars: made.createCars });
    expect(await errorOf(query, { inputs: [] }, user)).toMatchObject({ message: 'Record data is missing' });
    const many = Array.from({ length: 101 }, () => ({ make: 'many' }));
    expect(await errorOf(query, { inputs: many }, user)).toMatchObject({ code: 'BAD_USER_INPUT' });
  });

  test('a required field cannot be unset and need not be sent in an update', async () => {
    const { id } = await create({ make: 'AB' });
    const query = 'mutation ($id: ID!, $set: CarChanges) { updateCar(id: $id, set: $set) { make year } }';
    expect(await errorOf(query, { id, set: { make: null } }, user)).toMatchObject({
      message: 'Field make is required',
    });
    expect(await execute(query, { id, set: { year: 1 } }, user)).toEqual({ updateCar: { make: 'AB', year: 1 } });
  });
});

describe('typed operators', () => {
  const update = async (before: object, change: object) => {
    const { id } = await create({ make: 'AB', ...before });
    const { updateCar } = await execute(
      `mutation ($id: ID!, $set: CarChanges, $inc: CarIncrements, $push: CarItems, $addToSet: CarItems, $pullAll: CarItems,
        $pop: CarPops, $permissions: RecordPermissionsInput) {
        updateCar(id: $id, set: $set, inc: $inc, push: $push, addToSet: $addToSet, pullAll: $pullAll, pop: $pop,
          permissions: $permissions) { year price tags sizes dates places { lat lon } permissions { read { access } } } }`,
      { id, ...change },
      user,
    );
    return updateCar;
  };

  test.each([
    ['inc', { year: 1 }, { inc: { year: 2, price: 0.5 } }, { year: 3, price: 0.5 }],
    ['push', { tags: ['a'] }, { push: { tags: ['a', 'b'], sizes: [1] } }, { tags: ['a', 'a', 'b'], sizes: [1] }],
    ['addToSet', { tags: ['a'] }, { addToSet: { tags: ['a', 'b', 'b'] } }, { tags: ['a', 'b'] }],
    ['pullAll', { sizes: [1, 2, 1, 3] }, { pullAll: { sizes: [1, 3] } }, { sizes: [2] }],
    ['pop of the last item', { tags: ['a', 'b'] }, { pop: { tags: 1 } }, { tags: ['a'] }],
    ['pop of the first item', { tags: ['a', 'b'] }, { pop: { tags: -1 } }, { tags: ['b'] }],
    [
      'places',
      { places: [{ lat: 1, lon: 2 }] },
      { push: { places: [{ lat: 3, lon: 4 }] }, pullAll: { places: [{ lon: 2, lat: 1 }] } },
      { places: [{ lat: 3, lon: 4 }] },
    ],
    [
      'moments',
      { dates: ['2026-01-01T00:00:00Z'] },
      { addToSet: { dates: ['2026-01-01T01:00:00+01:00', '2026-01-02T00:00:00Z'] } },
      { dates: ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'] },
    ],
    ['values before operators', { year: 1 }, { set: { year: 10 }, inc: { year: 1 } }, { year: 11 }],
    [
      'null',
      { year: 1, tags: ['a'] },
      { set: null, push: null, inc: { price: null }, pop: { tags: null }, addToSet: { sizes: null } },
      { year: 1, tags: ['a'] },
    ],
    ['permissions', {}, { permissions: { read: { access: 'OWNER' } } }, { permissions: { read: { access: 'OWNER' } } }],
  ])('updating with %s changes the record', async (_name, before, change, after) => {
    expect(await update(before, change)).toMatchObject(after);
  });

  test('operators that do not fit a field are rejected', async () => {
    await expect(update({}, { inc: { make: 1 } })).rejects.toThrow('"make" is not defined');
    await expect(update({}, { push: { year: [1] } })).rejects.toThrow('"year" is not defined');
    await expect(update({}, { pop: { tags: 2 } })).rejects.toThrow("Operator pop can't be used with field tags");
    await expect(update({ year: 9007199254740991 }, { inc: { year: 1 } })).rejects.toThrow('Field year should be');
  });
});

test('a class without fields supports records', async () => {
  const { createBlank } = await execute('mutation { createBlank(input: {}) { id createdAt } }', {}, apiKey);
  const { id } = createBlank;
  const read = '{ blanks(orderBy: { field: createdAt, direction: DESC }) { id } blanksConnection { totalCount } }';
  expect(await execute(read, {}, user)).toEqual({ blanks: [{ id }], blanksConnection: { totalCount: 1 } });
  const own = `mutation { updateBlank(id: "${id}", permissions: { read: { access: OWNER } }) { id } }`;
  expect(await execute(own, {}, apiKey)).toEqual({ updateBlank: { id } });
  expect((await graphql(read, {}, user)).data.blanks).toEqual([]);
  expect(await execute(`mutation { deleteBlank(id: "${id}") }`, {}, apiKey)).toEqual({ deleteBlank: true });
});

test('a class of files supports records, and the operations of other classes remain', async () => {
  await defineClass('Scan', { page: 'File' });
  const { createScan } = await execute('mutation { createScan(input: {}) { id page { name } } }', {}, apiKey);
  expect(createScan).toEqual({ id: expect.any(String), page: null });
  const { updateScan } = await execute(
    `mutation { updateScan(id: "${createScan.id}", permissions: { read: { access: OPEN } }) { id } }`,
    {},
    apiKey,
  );
  expect(updateScan).toEqual({ id: createScan.id });
  expect(await execute('{ blanks { id } }', {}, user)).toEqual({ blanks: [] });
});

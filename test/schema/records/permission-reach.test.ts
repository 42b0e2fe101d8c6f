import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { running, useApp } from '../../support/app/app.ts';
import {
  type Outcome,
  TRANSPORTS,
  type TransportClass,
  throughGraphQL,
  throughRest,
} from '../../support/clients/record-transports.ts';
import { rest } from '../../support/clients/rest.ts';
import { errorOf, execute } from '../../support/fixtures/chat.ts';
import { created } from '../../support/fixtures/chat-cast.ts';
import { MAY_NOT_DO, NOT_FOUND } from '../../support/fixtures/error-bodies.ts';
import { changeClass, defineClass } from '../../support/fixtures/typed-classes.ts';
import {
  apiKey,
  type Caller,
  createUser,
  onBehalfOf,
  openSession,
  type TestUser,
} from '../../support/fixtures/users.ts';

// Permissions apply to everything derived from records: groups, children, criteria and files.

useApp();

const CARS: TransportClass = { name: 'cars', type: 'Car', one: 'car', many: 'cars' };

let owner: TestUser;
let reader: TestUser;
let stranger: TestUser;

beforeAll(async () => {
  [owner, reader, stranger] = [await createUser(), await createUser(), await createUser()];
  await defineClass('cars', { make: 'String', value: 'Integer', paper: 'File' });
});

const forReader = () => ({ access: 'open_for_users_ids', ids: [reader.id] });
const onlyOwner = { access: 'owner' };

async function threeCars(make: string, about: object = {}): Promise<[string, string, string]> {
  const car = async (value: number, access: object) => {
    const permissions = { read: access, update: access, delete: access };
    return (await created('/data/cars', { make, value, permissions, ...about }, owner))._id;
  };
  return [await car(1, { access: 'open' }), await car(10, forReader()), await car(100, onlyOwner)];
}

const sums = (): [Caller, number][] => [
  [owner, 111],
  [apiKey, 111],
  [onBehalfOf(owner), 111],
  [reader, 11],
  [stranger, 1],
];

test('groups contain only records that the caller may read', async () => {
  await threeCars('grouped');
  for (const [as, sum] of [...sums(), [await openSession(), 1] as const]) {
    const { body } = await rest('GET', '/data/cars?make=grouped&group_by=make&value[calc]=sum', { as });
    expect(body.items).toEqual([{ _id: 'grouped', value: sum }]);
    const { recordPage } = await execute(
      `{ recordPage(className: "cars", criteria: { make: "grouped" }) { totalCount
        groups(by: "make", calculations: [{ field: "value", function: SUM }]) { count results } } }`,
      {},
      as,
    );
    const count = String(sum).length;
    expect(recordPage).toEqual({ totalCount: count, groups: [{ count, results: [sum] }] });
  }
});

test('of several ids, invisible records are reported as not found', async () => {
  const ids = await threeCars('several');
  for (const [as, sum] of sums()) {
    const seen = ids.slice(0, String(sum).length);
    const { body } = await rest('GET', `/data/cars/${ids}`, { as });
    expect(body.items.map(({ _id }: { _id: string }) => _id)).toEqual(seen);
    expect(body.not_found.ids).toEqual(ids.slice(seen.length));
    const { recordsById } = await execute(
      'query ($ids: [ID!]!) { recordsById(className: "cars", ids: $ids) { records { id } notFoundIds } }',
      { ids },
      as,
    );
    expect(recordsById).toEqual({ records: seen.map((id) => ({ id })), notFoundIds: ids.slice(seen.length) });
  }
});

test('updates and deletions by criteria affect only records that the caller may read and change', async () => {
  for (const [as, sum] of sums()) {
    const count = String(sum).length;
    const ids = await threeCars(`criteria-${sum}`);
    const { body } = await rest('PUT', '/data/cars/by_criteria', {
      as,
      json: { search_criteria: { _id: { in: ids } }, make: 'found' },
    });
    expect([body.total_found, body.items.length]).toEqual([count, count]);
    const makes = (await rest('GET', `/data/cars/${ids}`, { as: apiKey })).body.items;
    expect(makes.filter(({ make }: { make: string }) => make === 'found')).toHaveLength(count);
    const { deleteRecordsByCriteria } = await execute(
      'mutation ($of: JSON) { deleteRecordsByCriteria(className: "cars", criteria: $of) { totalDeleted } }',
      { of: { id: { in: ids } } },
      as,
    );
    expect(deleteRecordsByCriteria).toEqual({ totalDeleted: count });
    expect((await rest('GET', `/data/cars/${ids}`, { as: apiKey })).body.items).toHaveLength(3 - count);
  }
});

test('criteria match no record that may be changed but not read, so values cannot be guessed', async () => {
  const permissions = { read: onlyOwner, update: { access: 'open' }, delete: { access: 'open' } };
  const { _id: id } = await created('/data/cars', { make: 'guess', value: 42, permissions }, owner);
  const json = { search_criteria: { value: { gt: 41 }, make: 'guess' }, make: 'guessed' };
  expect((await rest('PUT', '/data/cars/by_criteria', { as: stranger, json })).body.total_found).toBe(0);
  const form = 'make=guess&value[gt]=41';
  expect((await rest('DELETE', '/data/cars/by_criteria', { as: stranger, form })).body.total_deleted).toBe(0);
  expect((await rest('GET', `/data/cars/${id}`, { as: owner })).body.make).toBe('guess');
});

test('of several changes, forbidden ones are reported as not found', async () => {
  for (const [as, sum] of sums()) {
    const ids = await threeCars('multi');
    const record = Object.fromEntries(ids.map((id, nth) => [nth + 1, { id, make: 'other' }]));
    const { body } = await rest('PUT', '/data/cars/multi', { as, json: { record } });
    expect(body.not_found.ids).toEqual(ids.slice(String(sum).length));
    expect(body.items).toHaveLength(String(sum).length);
  }
});

describe('children', () => {
  test('children are listed by their own permissions below a readable parent', async () => {
    const { _id: parent } = await created('/data/cars', { make: 'parent' }, owner);
    await threeCars('child', { _parent_id: parent });
    for (const [as, sum] of sums()) {
      const { body } = await rest('GET', `/data/cars/${parent}/cars?count=1`, { as });
      expect(body.items).toEqual({ count: String(sum).length });
      const { cars } = await execute(`{ cars(parentId: "${parent}") { id } }`, {}, as);
      expect(cars).toHaveLength(String(sum).length);
    }
  });

  test('children of an invisible parent can be neither listed nor created', async () => {
    const { _id: parent } = await created('/data/cars', { permissions: { read: onlyOwner } }, owner);
    expect((await rest('GET', `/data/cars/${parent}/cars`, { as: stranger })).body).toEqual(NOT_FOUND);
    const child = await rest('POST', `/data/cars/${parent}/cars`, { as: stranger, json: { make: 'x' } });
    expect([child.status, child.body]).toEqual([404, NOT_FOUND]);
    const other = await rest('POST', '/data/cars', { as: stranger, json: { _parent_id: parent } });
    expect([other.status, other.body]).toEqual([422, { errors: ['Parent record was not found'] }]);
    const input = { parentId: parent };
    expect(await errorOf('mutation ($input: CarInput!) { createCar(input: $input) { id } }', { input }, stranger)) //
      .toMatchObject({ message: 'Parent record was not found', code: 'UNPROCESSABLE' });
  });

  test('deleting a parent deletes its children of any owner and visibility', async () => {
    const { _id: parent } = await created('/data/cars', { permissions: { delete: { access: 'open' } } }, owner);
    const { _id: child } = await created(`/data/cars/${parent}/cars`, { permissions: { read: onlyOwner } }, reader);
    const { _id: grandchild } = await created('/data/cars', { _parent_id: child }, reader);
    expect(await throughRest.remove(stranger, CARS, parent)).toBe('allowed');
    for (const id of [parent, child, grandchild]) expect(await throughRest.read(apiKey, CARS, id)).toBe('not found');
  });
});

test('files are read and changed with the permissions of their record', async () => {
  const [open, shared, own] = await threeCars('files');
  const put = (as: Caller, id: string) => {
    const form = new FormData();
    form.set('field_name', 'paper');
    form.set('file', new Blob(['bytes']), 'paper.txt');
    return fetch(`${running.url}/data/cars/${id}/file.json`, { method: 'POST', headers: as.headers, body: form });
  };
  for (const id of [open, shared, own]) expect((await put(owner, id)).status).toBe(200);
  for (const [as, sum] of sums()) {
    for (const [nth, id] of [open, shared, own].entries()) {
      const allowed = nth < String(sum).length ? 200 : 403;
      expect((await put(as, id)).status).toBe(allowed);
      const file = await rest('GET', `/data/cars/${id}/file?field_name=paper`, { as });
      expect([file.status, file.text]).toEqual(allowed === 200 ? [200, 'bytes'] : [403, JSON.stringify(MAY_NOT_DO)]);
    }
  }
  expect((await rest('DELETE', `/data/cars/${shared}/file?field_name=paper`, { as: stranger })).status).toBe(403);
  expect((await rest('DELETE', `/data/cars/${shared}/file?field_name=paper`, { as: reader })).status).toBe(200);
});

describe('rights to create records by class permission', () => {
  const KINDS: [access: string, name: string, allowed: string[]][] = [
    ['OPEN', 'apple', ['owner', 'reader', 'stranger']],
    ['OWNER', 'pear', []],
    ['OPEN_FOR_USERS_IDS', 'plum', ['reader']],
    ['OPEN_FOR_GROUPS', 'grape', ['stranger']],
    ['NOT_ALLOWED', 'melon', []],
  ];

  test.each(KINDS)('users create records as the class permission says: %s (%s)', async (access, name, allowed) => {
    const of = { name, type: name.replace(/^./, (letter) => letter.toUpperCase()), one: name, many: `${name}s` };
    await rest('PUT', `/users/${stranger.id}`, { as: apiKey, json: { user: { tag_list: 'makers' } } });
    const lists = { ids: [reader.id], groups: ['makers'] };
    await defineClass(name, { make: 'String' }, { permissions: { create: { access, ...lists } } });
    const { _id: parent } = await created('/data/cars', {}, owner);
    const people = { owner, reader, stranger, key: apiKey, application: await openSession() };
    for (const [caller, as] of Object.entries(people)) {
      const may = caller === 'key' || allowed.includes(caller);
      const expected: Outcome = may ? 'allowed' : caller === 'application' ? 'needs a user' : 'forbidden';
      for (const transport of Object.values(TRANSPORTS)) {
        expect(await transport.create(as, of), caller).toBe(expected);
        expect(await transport.createSeveral(as, of), caller).toBe(expected);
      }
      const child = await rest('POST', `/data/cars/${parent}/${name}`, { as, json: { make: 'x' } });
      expect(child.status, caller).toBe(may ? 201 : caller === 'application' ? 422 : 403);
    }
  });
});

describe('changes of permissions', () => {
  let id: string;

  beforeEach(async () => {
    id = (await created('/data/cars', { make: 'AB', permissions: { update: { access: 'open' } } }, owner))._id;
  });

  const outcomes = (as: Caller) =>
    Promise.all(Object.values(TRANSPORTS).map((transport) => transport.read(as, CARS, id)));
  const each = (outcome: Outcome) => Object.keys(TRANSPORTS).map(() => outcome);

  test('permissions given in an update apply from then on, and omitted ones stay unchanged', async () => {
    expect(await outcomes(stranger)).toEqual(each('allowed'));
    await rest('PUT', `/data/cars/${id}`, { as: owner, json: { permissions: { read: forReader() } } });
    expect(await outcomes(stranger)).toEqual(each('forbidden'));
    expect(await outcomes(reader)).toEqual(each('allowed'));
    const { body } = await rest('GET', `/data/cars/${id}`, { as: reader });
    expect(body.permissions.update).toEqual({ access: 'open' });
    await rest('PUT', `/data/cars/${id}`, { as: owner, json: { ...body, make: 'CD' } });
    expect(await outcomes(stranger)).toEqual(each('forbidden'));
    expect(await outcomes(reader)).toEqual(each('allowed'));
    expect(await throughGraphQL.list(reader, CARS, 'CD')).toEqual([id]);
    await execute(`mutation { updateCar(id: "${id}", permissions: { read: { access: OPEN } }) { id } }`, {}, owner);
    expect(await outcomes(stranger)).toEqual(each('allowed'));
  });

  test('a user belongs to a group as long as they have the tag', async () => {
    const setTags = (tags: string) =>
      rest('PUT', `/users/${reader.id}`, { as: apiKey, json: { user: { tag_list: tags } } });
    const groups = { access: 'open_for_groups', groups: ['night'] };
    await rest('PUT', `/data/cars/${id}`, { as: owner, json: { make: 'night', permissions: { read: groups } } });
    for (const [tags, outcome] of [
      ['day', 'forbidden'],
      ['day,night', 'allowed'],
      ['nightly', 'forbidden'],
    ] as const) {
      await setTags(tags);
      expect(await outcomes(reader), tags).toEqual(each(outcome));
      for (const transport of Object.values(TRANSPORTS)) {
        expect(await transport.list(reader, CARS, 'night')).toEqual(outcome === 'allowed' ? [id] : []);
      }
    }
  });

  test('closing a class closes its records until it is opened again', async () => {
    await changeClass('cars', { permissions: { read: { access: 'NOT_ALLOWED' } } });
    for (const as of [owner, stranger, await openSession()]) {
      expect(await outcomes(as)).toEqual(each('forbidden'));
      for (const transport of Object.values(TRANSPORTS)) expect(await transport.list(as, CARS, 'AB')).toEqual([]);
    }
    expect(await outcomes(apiKey)).toEqual(each('allowed'));
    await changeClass('cars', { permissions: { read: { access: 'OPEN' } } });
    expect(await outcomes(stranger)).toEqual(each('allowed'));
  });

  test('records of a deleted user keep their permissions but lose their owner', async () => {
    const leaver = await createUser();
    const permissions = { read: onlyOwner, update: onlyOwner, delete: onlyOwner };
    id = (await created('/data/cars', { make: 'left', permissions }, leaver))._id;
    await rest('DELETE', `/users/${leaver.id}`, { as: leaver });
    expect(await outcomes(stranger)).toEqual(each('forbidden'));
    expect(await outcomes(apiKey)).toEqual(each('allowed'));
    const { car } = await execute(`{ car(id: "${id}") { userId owner { id } } }`, {}, apiKey);
    expect(car).toEqual({ userId: leaver.id, owner: null });
    const gone = await rest('GET', `/data/cars/${id}`, { as: onBehalfOf(leaver) });
    expect([gone.status, gone.body]).toEqual([404, NOT_FOUND]);
  });

  test('a record cannot be closed to its owner', async () => {
    const create = 'mutation ($input: CreateRecordInput!) { createRecord(input: $input) { id } }';
    const input = { className: 'cars', permissions: { read: { access: 'NOT_ALLOWED' } } };
    expect(await errorOf(create, { input }, owner)).toMatchObject({
      message: 'Unknown access: not_allowed',
      code: 'UNPROCESSABLE',
    });
  });

  describe('users who may only update', () => {
    const OWN = { read: { access: 'open' }, update: { access: 'open' }, delete: { access: 'owner' } };
    const put = (body: object, as: Caller) => rest('PUT', `/data/cars/${id}`, { as, json: body });

    beforeEach(async () => {
      id = (await created('/data/cars', { make: 'wiki', permissions: OWN }, owner))._id;
    });

    test('a user who may only update cannot change permissions, and the attempt changes no other field', async () => {
      const refused = await put({ make: 'mine', permissions: { delete: { access: 'open' } } }, stranger);
      expect([refused.status, refused.body]).toEqual([403, MAY_NOT_DO]);
      const batch = { record: { 1: { id, permissions: { read: onlyOwner } } } };
      expect((await rest('PUT', '/data/cars/multi', { as: stranger, json: batch })).status).toBe(403);
      const found = { search_criteria: { _id: id }, permissions: { update: onlyOwner } };
      expect((await rest('PUT', '/data/cars/by_criteria', { as: stranger, json: found })).status).toBe(403);
      const { body } = await rest('GET', `/data/cars/${id}`, { as: owner });
      expect([body.make, body.permissions]).toEqual(['wiki', OWN]);
      expect((await rest('DELETE', `/data/cars/${id}`, { as: stranger })).status).toBe(403);
    });

    test('a user who may only update can send the complete record back unchanged', async () => {
      const { body } = await rest('GET', `/data/cars/${id}`, { as: stranger });
      expect((await put({ ...body, make: 'ours' }, stranger)).body).toMatchObject({ make: 'ours', permissions: OWN });
    });

    test('the owner and API keys can change permissions', async () => {
      expect((await put({ permissions: { delete: { access: 'open' } } }, owner)).status).toBe(200);
      expect((await put({ permissions: { delete: { access: 'owner' } } }, apiKey)).status).toBe(200);
    });
  });
});

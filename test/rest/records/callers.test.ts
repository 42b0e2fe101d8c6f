import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { rest } from '../../support/clients/rest.ts';
import { type Scenario, testScenarios } from '../../support/clients/rest-table.ts';
import {
  createRecordCast,
  DEFAULT_PERMISSIONS,
  newCar,
  outcomeOf,
  type RecordCast,
} from '../../support/fixtures/cars.ts';
import { created } from '../../support/fixtures/chat-cast.ts';
import {
  MAY_NOT_DO,
  NEED_USER,
  NO_SESSION,
  NOT_FOUND,
  ONE_CREDENTIAL,
  TOKEN_REQUIRED,
  UNAUTHORIZED,
  UNDEFINED_CLASS,
} from '../../support/fixtures/error-bodies.ts';
import { apiKey, type Caller } from '../../support/fixtures/users.ts';

useApp();

let cast: RecordCast;
beforeAll(async () => {
  cast = await createRecordCast();
  cast.values.kept = await newCar({ make: 'AB' }, cast.olga);
});

const CAR = '/data/cars/{kept}';
const READS: [method: string, path: string][] = [
  ['GET', '/data/cars'],
  ['GET', CAR],
  ['GET', `${CAR},abc`],
  ['GET', `${CAR}/cars`],
  ['GET', `${CAR}/file?field_name=motor`],
];
const WRITES: [method: string, path: string, body?: string][] = [
  ['POST', '/data/cars', 'make=intruder'],
  ['POST', `${CAR}/cars`, 'make=intruder'],
  ['POST', '/data/cars/multi', 'record[1][make]=intruder'],
  ['PUT', CAR, 'make=intruder'],
  ['PUT', '/data/cars/multi', 'record[1][id]={kept}&record[1][make]=intruder'],
  ['PUT', '/data/cars/by_criteria', 'search_criteria[make]=AB&make=intruder'],
  ['DELETE', CAR],
  ['DELETE', `${CAR},abc`],
  ['DELETE', '/data/cars/by_criteria', 'make=AB'],
  ['POST', `${CAR}/file`, 'field_name=motor'],
  ['DELETE', `${CAR}/file?field_name=motor`],
];
const REFUSALS: [caller: string, status: number, answer: object][] = [
  ['anonymous', 401, TOKEN_REQUIRED],
  ['unknown token', 401, NO_SESSION],
  ['unknown key', 401, UNAUTHORIZED],
  ['token and key', 400, ONE_CREDENTIAL],
  ['key for an unknown user', 404, NOT_FOUND],
  ['other key', 403, UNDEFINED_CLASS],
];

describe('callers of records', () => {
  testScenarios(
    () => cast,
    [...READS, ...WRITES].flatMap(([method, path, body]) =>
      REFUSALS.map(([caller, status, answer]): Scenario => ['is refused', caller, method, path, body, status, answer]),
    ),
  );
  testScenarios(
    () => cast,
    WRITES.map(([method, path, body]): Scenario => ['needs a user', 'application', method, path, body, 422, NEED_USER]),
  );

  test('rejected calls change nothing', async () => {
    const { body } = await rest('GET', '/data/cars', { as: apiKey });
    expect(body.items).toMatchObject([{ _id: cast.values.kept, make: 'AB' }]);
  });
});

type Kind = 'open' | 'owner' | 'open_for_users_ids' | 'open_for_groups';
const ALL = ['olga', 'nina', 'greta', 'mallory', 'key', 'key for olga', 'key for mallory'];
const OWN = ['olga', 'key', 'key for olga'];
const ALLOWED: Record<Kind, string[]> = {
  open: ALL,
  owner: OWN,
  open_for_users_ids: [...OWN, 'nina'],
  open_for_groups: [...OWN, 'greta'],
};
const KINDS = Object.keys(ALLOWED) as Kind[];
const permission = (access: Kind) => ({ access, ids: [cast.nina.id], groups: ['g1', 'none'] });

describe.each(KINDS)('%s permission', (kind) => {
  test.each(ALL)('read is granted as the permission says: %s', async (caller) => {
    const as = cast.callers[caller]!;
    const id = await newCar({ year: 5, permissions: { read: permission(kind) } }, cast.olga);
    const may = ALLOWED[kind].includes(caller);
    const one = await rest('GET', `/data/cars/${id}`, { as });
    expect([one.status, one.body._id ?? one.body]).toEqual(may ? [200, id] : [403, MAY_NOT_DO]);
    const several = await rest('GET', `/data/cars/${id},`, { as });
    expect(several.body.not_found.ids).toEqual(may ? [] : [id]);
    expect((await rest('GET', `/data/cars?_id=${id}&count=1`, { as })).body.items.count).toBe(may ? 1 : 0);
    expect((await rest('GET', `/data/cars?_id=${id}`, { as })).body.items.length).toBe(may ? 1 : 0);
    expect((await rest('GET', `/data/cars?_id=${id}&group_by=year`, { as })).body.items.length).toBe(may ? 1 : 0);
    expect((await rest('GET', `/data/cars/${id}/cars`, { as })).status).toBe(may ? 200 : 404);
    expect((await rest('POST', `/data/cars/${id}/cars`, { as })).status).toBe(may ? 201 : 404);
    const form = `_parent_id=${id}`;
    expect((await rest('POST', '/data/cars', { as, form })).status).toBe(may ? 201 : 422);
  });

  test('an application session reads only open records', async () => {
    const as = cast.callers.application!;
    const id = await newCar({ permissions: { read: permission(kind) } }, cast.olga);
    expect((await rest('GET', `/data/cars/${id}`, { as })).status).toBe(kind === 'open' ? 200 : 403);
    expect((await rest('GET', `/data/cars?_id=${id}`, { as })).body.items.length).toBe(kind === 'open' ? 1 : 0);
  });

  test.each(ALL)('update is granted as the permission says: %s', async (caller) => {
    const as = cast.callers[caller]!;
    const id = await newCar({ make: 'AB', permissions: { update: permission(kind) } }, cast.olga);
    const may = ALLOWED[kind].includes(caller);
    expect((await rest('PUT', `/data/cars/${id}`, { as, form: 'make=one' })).status).toBe(may ? 200 : 403);
    const multi = await rest('PUT', '/data/cars/multi', { as, json: { record: [{ id, make: 'two' }] } });
    expect(multi.body.not_found.ids).toEqual(may ? [] : [id]);
    const form = `search_criteria[_id]=${id}&make=three`;
    expect((await rest('PUT', '/data/cars/by_criteria', { as, form })).body.total_found).toBe(may ? 1 : 0);
    const { body } = await rest('GET', `/data/cars/${id}`, { as: apiKey });
    expect(body.make).toBe(may ? 'three' : 'AB');
  });

  test.each(ALL)('delete is granted as the permission says: %s', async (caller) => {
    const as = cast.callers[caller]!;
    const may = ALLOWED[kind].includes(caller);
    const car = () => newCar({ permissions: { delete: permission(kind) } }, cast.olga);
    const [one, two, three] = [await car(), await car(), await car()];
    expect((await rest('DELETE', `/data/cars/${one}`, { as })).status).toBe(may ? 200 : 403);
    const { SuccessfullyDeleted, WrongPermissions } = (await rest('DELETE', `/data/cars/${two},`, { as })).body;
    expect([SuccessfullyDeleted.ids, WrongPermissions?.ids]).toEqual(may ? [[two], undefined] : [[], [two]]);
    const criteria = await rest('DELETE', '/data/cars/by_criteria', { as, form: `_id=${three}` });
    expect(criteria.body).toEqual({ total_deleted: may ? 1 : 0 });
    const left = await rest('GET', `/data/cars/${one},${two},${three}`, { as: apiKey });
    expect(left.body.items.length).toBe(may ? 0 : 3);
  });

  test.each(ALL)('create is granted as the permission says: %s', async (caller) => {
    const as: Caller = cast.callers[caller]!;
    const name = `made_${kind}`;
    const known = await rest('GET', `/class/${name}`, { as: apiKey });
    if (known.status === 403) await created('/class', { name, permissions: { create: permission(kind) } }, apiKey);
    const may =
      caller === 'key' ||
      kind === 'open' ||
      (kind !== 'owner' && ALLOWED[kind].includes(caller) && !OWN.includes(caller));
    for (const [path, form] of [
      [`/data/${name}`, ''],
      [`/data/${name}/multi`, 'record[1][x]=1'],
      [`/data/cars/${cast.values.kept}/${name}`, ''],
    ]) {
      const { status, body } = await rest('POST', path!, { as, form: form! });
      expect([status, may || body]).toEqual(may ? [201, true] : [403, MAY_NOT_DO]);
    }
  });
});

test('concurrent requests of different callers are authorized separately', async () => {
  const cars = await Promise.all(
    KINDS.map(async (kind) => ({
      kind,
      id: await newCar({ permissions: { read: permission(kind) } }, cast.olga),
    })),
  );
  const asked = Array.from({ length: 5 }, () =>
    ALL.flatMap((caller) => cars.map((car) => ({ caller, ...car }))),
  ).flat();
  const answers = await Promise.all(
    asked.map(({ caller, id }) => rest('GET', `/data/cars/${id}`, { as: cast.callers[caller]! })),
  );
  expect(answers.map(({ status, body }) => [status, body._id ?? body])).toEqual(
    asked.map(({ caller, kind, id }) => (ALLOWED[kind].includes(caller) ? [200, id] : [403, MAY_NOT_DO])),
  );
  const unknown = await Promise.all(
    [...cars.map(({ id }) => id), 'f'.repeat(24)].map((id) => rest('GET', `/data/cars/${id}`, { as: apiKey })),
  );
  expect(unknown.map(({ status }) => status)).toEqual([...cars.map(() => 200), 404]);
});

describe('a class with the permission not_allowed', () => {
  let id: string;
  beforeAll(async () => {
    await created('/class', { name: 'shut', fields: { label: 'String' } }, apiKey);
  });
  beforeEach(async () => {
    await rest('PUT', '/class/shut', {
      as: apiKey,
      json: {
        permissions: Object.fromEntries(
          ['create', 'read', 'update', 'delete'].map((deed) => [deed, { access: 'open' }]),
        ),
      },
    });
    const all = { read: { access: 'open' }, update: { access: 'open' }, delete: { access: 'open' } };
    id = (await created('/data/shut', { label: 'x', permissions: all }, cast.olga))._id;
  });

  test.each([
    ['read', 'GET', '', undefined],
    ['update', 'PUT', '', 'label=y'],
    ['delete', 'DELETE', '', undefined],
    ['create', 'POST', 's', 'label=z'],
  ])('%s is denied to the owner and granted to an API key', async (deed, method, place, form) => {
    const form_ = { permissions: { [deed]: { access: 'not_allowed' } } };
    expect((await rest('PUT', '/class/shut', { as: apiKey, json: form_ })).status).toBe(200);
    const path = place ? '/data/shut' : `/data/shut/${id}`;
    for (const as of [cast.olga, cast.mallory, cast.callers['key for olga']!]) {
      expect(outcomeOf(await rest(method, path, { as, form }))).toEqual([403, MAY_NOT_DO]);
    }
    if (deed === 'read') {
      expect((await rest('GET', '/data/shut', { as: cast.olga })).body.items).toEqual([]);
      expect((await rest('GET', `/data/shut/${id},`, { as: cast.olga })).body.not_found.ids).toEqual([id]);
    }
    expect((await rest(method, path, { as: apiKey, form })).status).toBe(deed === 'create' ? 201 : 200);
  });

  test('records inherit permissions from their class', async () => {
    const named = { access: 'open_for_users_ids', users_ids: [String(cast.nina.id)] };
    const json = { permissions: { read: { access: 'not_allowed' }, update: named, delete: { access: 'open' } } };
    await rest('PUT', '/class/shut', { as: apiKey, json });
    const { permissions } = await created('/data/shut', { label: 'z' }, apiKey);
    expect(permissions).toEqual({ read: { access: 'owner' }, update: named, delete: { access: 'open' } });
    expect((await created('/data/cars', {}, apiKey)).permissions).toEqual(DEFAULT_PERMISSIONS);
  });
});

import { beforeAll, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import type { Route } from '../../../src/rest/http/route.ts';
import { scalarsOf } from '../../../src/rest/http/wrong-types.ts';
import { routes } from '../../../src/rest/index.ts';
import { rulesOf } from '../../../src/rest/operations.ts';
import { useApp } from '../../support/app/app.ts';
import { JSON_TYPE, rawRequest } from '../../support/clients/raw-http.ts';
import { rest } from '../../support/clients/rest.ts';
import { created } from '../../support/fixtures/chat-cast.ts';
import { ExampleData } from '../../support/fixtures/example-data.ts';
import { anonymous, apiKey, type Caller, openSession, signedParameters } from '../../support/fixtures/users.ts';

useApp();

const data = new ExampleData();
beforeAll(() => data.begin());

const WRONG: unknown[] = [['a'], { a: 'b' }, { a: { b: [1] } }, [], {}, [{ a: 1 }], [['1']]];

/** Endpoints that respond with another status than 422 to wrong types: lookups, sign-ins, reactions, AI, events, batches. */
const OWN_STATUS: Record<string, number[]> = {
  '/session': [401, 422],
  '/login': [401, 422],
  '/users/by_login': [404],
  '/users/by_email': [404],
  '/users/by_facebook_id': [404],
  '/users/by_twitter_id': [404],
  '/users/phone': [404],
  '/events': [400, 422],
  '/uploads': [400, 403],
  '/data/:class/:parent/:child': [400, 422],
};

const isOwn = ({ path }: Route) => path.endsWith('/reactions') || path.startsWith('/ai/');

const rows = routes
  .filter(({ upload }) => !upload)
  .flatMap((route) =>
    [route.docs.query, route.docs.body].flatMap((schema) =>
      (schema ? scalarsOf(schema) : []).map((key) => ({
        name: `${route.method.toUpperCase()} ${route.path} ${key}`,
        route,
        key,
      })),
    ),
  );

test('the table contains the scalar parameters of all endpoints', () => {
  expect(rows.length).toBeGreaterThan(180);
});

test.each(rows)('$name rejects a list or an object and stores nothing', async ({ route, key }) => {
  const { path, query = {}, body = {} } = data.real(route.docs.examples[0]!);
  const target = route.path.replace(/:(\w+)/g, (_match, name: string) => String(path?.[name]));
  const given = withoutFields({ ...query, ...(body as object) }, route);
  const before = await everything();
  for (const wrong of WRONG) {
    const { status, text } = await rawRequest(route.method.toUpperCase(), target, {
      as: await callerOf(route),
      headers: { 'Content-Type': JSON_TYPE },
      body: JSON.stringify(placed(given, key, wrong)),
    });
    const expected = isOwn(route) ? [400] : (OWN_STATUS[route.path] ?? [422]);
    expect([wrong, status, text, expected.includes(status)]).toEqual([wrong, status, text, true]);
  }
  expect(await everything()).toEqual(before);
});

/** Filters in the examples have keys like `type[in]`, which are objects in JSON. */
function withoutFields(given: Record<string, unknown>, { path }: Route): Record<string, unknown> {
  return path === '/session' ? signedParameters({ 'user[login]': 'anonymous', 'user[password]': 'x' }) : given;
}

function placed(given: Record<string, unknown>, key: string, wrong: unknown): unknown {
  const [name, ...rest] = key.split(/[[\]]+/).filter((part) => part !== '') as [string, ...string[]];
  const inner = (given[name] ?? {}) as Record<string, unknown>;
  if (rest.length === 0) return { ...given, [name]: wrong };
  return { ...given, [name]: placed(inner, rest.join('['), wrong) };
}

async function callerOf(route: Route): Promise<Caller> {
  const { access } = rulesOf(route);
  if (route.path === '/login') return openSession();
  return access === 'anyone' ? anonymous : access === 'key' ? apiKey : data.alice;
}

async function everything(): Promise<unknown> {
  return Promise.all([
    db.user.count(),
    db.dialog.count(),
    db.message.count(),
    db.reaction.count(),
    db.recordClass.count(),
    db.record.count(),
    db.blob.count(),
    db.geodatum.count(),
    db.event.count(),
    db.pushToken.count(),
    db.pushSubscription.count(),
    db.contact.count(),
    db.user.findMany({
      select: { id: true, login: true, email: true, fullName: true, tags: true },
      orderBy: { id: 'asc' },
    }),
    db.dialog.findMany({ select: { id: true, name: true, photo: true }, orderBy: { id: 'asc' } }),
  ]);
}

describe('error forms of wrong types', () => {
  const post = (path: string, json: object, as: Caller = data.alice) => rest('POST', path, { as, json });

  test('users and geodata use the field form', async () => {
    const user = { login: ['a'], email: 'typed@example.org', password: 'password-1', full_name: { a: 1 } };
    const { status, body } = await post('/users', { user });
    const login = 'should contain alphanumeric and punctuation characters only';
    expect([status, body]).toEqual([
      422,
      {
        errors: {
          login: [login],
          full_name: ['is invalid'],
          base: [`Login ${login}`, 'Full name is invalid'],
        },
      },
    ]);
    const place = await post('/geodata', { geo_data: { latitude: [1], longitude: 2, status: ['x'] } });
    expect(place.body.errors).toEqual({
      latitude: ['is not a number'],
      status: ['is invalid'],
      base: ['Latitude is not a number', 'Status is invalid'],
    });
  });

  test('tags accept a list, but not nested lists or objects', async () => {
    const { status, body } = await post('/users', {
      user: { login: 'tagged-user', password: 'password-1', tag_list: ['a', { b: 1 }] },
    });
    expect([status, body.errors.tag_list]).toEqual([422, ['is invalid']]);
  });

  test('dialogs and messages use the array form', async () => {
    const dialog = await post('/chat/Dialog', {
      type: 2,
      name: ['x'],
      photo: { a: 1 },
      occupants_ids: [data.alice.id],
    });
    expect([dialog.status, dialog.body]).toEqual([422, { errors: ['Name is invalid', 'Photo is invalid'] }]);
    const message = await post('/chat/Message', { recipient_id: [8], message: { a: 1 } });
    expect([message.status, message.body]).toEqual([
      422,
      { errors: ['Recipient id is invalid', 'Message is invalid'] },
    ]);
  });

  test('parameters that accept lists or objects still do', async () => {
    const { user } = await created(
      '/users',
      { user: { login: 'listed-user', password: 'password-1', custom_data: { a: [1] }, tag_list: ['a', 'b'] } },
      data.alice,
    );
    expect([user.custom_data, user.user_tags]).toEqual(['{"a":[1]}', 'a,b']);
    const found = await rawRequest('GET', '/geodata/find?user.ids[]=1&user.ids[]=2', { as: data.alice });
    expect(found.status).toBe(200);
    const shown = await rest('GET', '/data/Cars?output[include][]=make', { as: data.alice });
    expect(shown.status).toBe(200);
  });

  test('wrong types are rejected in forms too', async () => {
    const { status, body } = await rawRequest('POST', '/users', {
      as: data.alice,
      body: 'user[login][]=a&user[email]=formed@example.org&user[password]=password-1',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    }).then(({ status, text }) => ({ status, body: JSON.parse(text) }));
    expect([status, Object.keys(body.errors)]).toEqual([422, ['login', 'base']]);
  });

  test('a login that is a list does not open an application session', async () => {
    for (const name of ['user[login][]', 'user[login][$ne]', 'user[password][]']) {
      const form = new URLSearchParams(signedParameters({ [name]: 'x' })).toString();
      expect([name, (await rest('POST', '/session', { form })).status]).toEqual([name, 401]);
    }
  });
});

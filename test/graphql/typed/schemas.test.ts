import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { App } from '../../../src/server/lifecycle.ts';
import { running, useApp } from '../../support/app/app.ts';
import { createTenant, startAnother, type Tenant } from '../../support/app/other-apps.ts';
import { type GraphQLAnswer, graphql } from '../../support/clients/graphql.ts';
import { rest } from '../../support/clients/rest.ts';
import { streamEvents } from '../../support/clients/sse.ts';
import { closeSockets, connect, listen, until } from '../../support/clients/websocket.ts';
import { errorOf, execute } from '../../support/fixtures/chat.ts';
import { changeClass, defineClass, dropClass } from '../../support/fixtures/typed-classes.ts';
import { anonymous, apiKey, type Caller, createUser, openSession } from '../../support/fixtures/users.ts';

useApp();

let second: App;
let other: Tenant;

beforeAll(async () => {
  second = await startAnother();
  other = await createTenant(1);
  await defineClass('cars', { make: 'String', value: 'Integer' });
  await defineClass('cars', { wheels: 'Integer' }, { as: other.key });
});

afterEach(() => closeSockets());

afterAll(() => second.stop());

async function on(app: App, query: string, as: Caller): Promise<GraphQLAnswer> {
  const response = await fetch(`${app.url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...as.headers },
    body: JSON.stringify({ query }),
  });
  return { status: response.status, ...((await response.json()) as Omit<GraphQLAnswer, 'status'>) };
}

const FIELDS_OF = (type: string) => `{ __type(name: "${type}") { fields { name } } }`;

async function fieldsOf(type: string, as: Caller, app = running.app): Promise<string[] | undefined> {
  const { data } = await on(app, FIELDS_OF(type), as);
  return data.__type?.fields.map(({ name }: { name: string }) => name);
}

const cannotQuery = (field: string) => expect.stringContaining(`Cannot query field "${field}"`);

describe('visibility of class types', () => {
  test('two applications with a class of the same name each see their own types', async () => {
    expect(await fieldsOf('Car', apiKey)).toEqual(expect.arrayContaining(['make', 'value']));
    expect(await fieldsOf('Car', other.key)).toContain('wheels');
    expect(await fieldsOf('Car', other.users[0]!)).not.toContain('make');
    await execute('mutation { createCar(input: { wheels: 4 }) { wheels } }', {}, other.key);
    expect(await execute('{ cars { wheels } }', {}, other.key)).toEqual({ cars: [{ wheels: 4 }] });
    expect(await execute('{ cars { make } }', {}, apiKey)).toEqual({ cars: [] });
    expect((await errorOf('{ cars { make } }', {}, other.key)).message).toEqual(cannotQuery('make'));
    // The document is valid in both schemas, so a shared cache would mix them up.
    expect((await execute('{ carsConnection { totalCount } }', {}, other.key)).carsConnection.totalCount).toBe(1);
    expect((await execute('{ carsConnection { totalCount } }', {}, apiKey)).carsConnection.totalCount).toBe(0);
  });

  test('anonymous callers do not see class types in introspection, errors or suggestions', async () => {
    expect(await fieldsOf('Car', anonymous)).toBeUndefined();
    for (const query of ['{ cars { make } }', '{ car(id: "x") { id } }', '{ cats { id } }']) {
      const { errors } = await graphql(query, {}, anonymous);
      expect(errors![0]!.extensions?.code).toBe('BAD_USER_INPUT');
      expect(errors![0]!.message).not.toMatch(/"cars"\?|"car"\?|carsConnection/);
    }
    const { data } = await graphql('{ __schema { types { name } } }', {}, anonymous);
    const names = data.__schema.types.map(({ name }: { name: string }) => name);
    expect(names).toContain('Record');
    expect(names).not.toContain('Car');
  });

  test('an application without classes sees only the base schema', async () => {
    const third = await createTenant(0);
    expect(await fieldsOf('Car', third.key)).toBeUndefined();
    expect((await errorOf('{ cars { id } }', {}, third.key)).code).toBe('BAD_USER_INPUT');
  });

  test('an application session can read class types, but not write or subscribe', async () => {
    const session = await openSession();
    expect(await fieldsOf('Car', session)).toContain('make');
    expect(await execute('{ cars { make } carsConnection { totalCount } }', {}, session)) //
      .toEqual({ cars: [], carsConnection: { totalCount: 0 } });
    const needUser = { message: 'Forbidden. Need user.', code: 'FORBIDDEN' };
    const unknown = '"000000000000000000000000"';
    for (const write of [
      'createCar(input: {}) { id }',
      'createCars(inputs: [{}]) { id }',
      `updateCar(id: ${unknown}) { id }`,
      `deleteCar(id: ${unknown})`,
      `deleteCars(ids: [${unknown}])`,
    ]) {
      expect(await errorOf(`mutation { ${write} }`, {}, session), write).toEqual(needUser);
    }
    await expect(listen('subscription { carChanged { recordId } }', {}, session)).rejects.toMatchObject([
      { message: needUser.message },
    ]);
  });

  test('refused credentials are reported as such, not as an unknown field', async () => {
    const refused: Caller = { headers: { 'SVC-Token': '0'.repeat(40) } };
    const noKey: Caller = { headers: { Authorization: 'ApiKey NONE' } };
    expect(await errorOf('{ cars { make } }', {}, refused)) //
      .toMatchObject({ code: 'UNAUTHENTICATED', message: 'Required session does not exist' });
    expect(await errorOf('{ cars { make } }', {}, noKey)).toMatchObject({ code: 'UNAUTHENTICATED' });
    const stream = await streamEvents('subscription { carChanged { recordId } }', {}, refused);
    await stream.ended;
    expect(JSON.stringify(stream.results)).toContain('Required session does not exist');
  });
});

describe('class types on every transport', () => {
  test('GET runs typed queries but no typed mutations', async () => {
    const get = async (query: string) => {
      const url = `${running.url}/graphql?${new URLSearchParams({ query })}`;
      return fetch(url, { headers: { Accept: 'application/json', ...apiKey.headers } });
    };
    expect(await (await get('{ cars { make } }')).json()).toEqual({ data: { cars: [] } });
    expect((await get('mutation { createCar(input: { make: "GET" }) { id } }')).status).toBe(405);
    expect(await execute('{ cars { make } }', {}, apiKey)).toEqual({ cars: [] });
  });

  test('a WebSocket runs typed queries, mutations and introspection', async () => {
    const socket = await connect(apiKey);
    const made = await socket.run('mutation { createCar(input: { make: "WS" }) { id make } }');
    expect(made.data.createCar.make).toBe('WS');
    expect((await socket.run(FIELDS_OF('Car'))).data.__type.fields.length).toBeGreaterThan(2);
    const gone = await socket.run(`mutation { deleteCar(id: "${made.data.createCar.id}") }`);
    expect(gone.data).toEqual({ deleteCar: true });
    expect((await socket.run('{ cars { wings } }')).errors[0].message).toEqual(cannotQuery('wings'));
  });

  test('document limits apply to typed operations', async () => {
    const aliases = (count: number) =>
      `{ ${Array.from({ length: count }, (_, nth) => `a${nth}: cars(first: 1) { id }`).join(' ')} }`;
    expect((await graphql(aliases(50), {}, apiKey)).errors).toBeUndefined();
    expect((await errorOf(aliases(51), {}, apiKey)).code).toBe('BAD_USER_INPUT');
    const pages = (first: number, count: number) =>
      `{ ${Array.from({ length: count }, (_, nth) => `a${nth}: cars(first: ${first}) { id make value }`).join(' ')} }`;
    expect((await graphql(pages(100, 1), {}, apiKey)).errors).toBeUndefined();
    expect((await errorOf(pages(100, 11), {}, apiKey)).message).toMatch(/Cost limit/);
    const many = `query ($n: Int!) { ${pages(1, 11).slice(1, -1).replaceAll('first: 1', 'first: $n')} }`;
    expect((await errorOf(many, { n: 100 }, apiKey)).message).toMatch(/Cost limit/);
    expect((await errorOf('{ cars(first: 101) { id } }', {}, apiKey)).code).toBe('BAD_USER_INPUT');
    expect((await errorOf('{ cars(first: 0) { id } }', {}, apiKey)).code).toBe('BAD_USER_INPUT');
    let deep: object = { make: { eq: 'x' } };
    for (let level = 0; level < 50; level++) deep = { or: [deep] };
    const where = 'query ($where: CarFilter) { cars(where: $where) { id } }';
    expect((await errorOf(where, { where: deep }, apiKey)).code).toBe('BAD_USER_INPUT');
    const values = { make: { in: Array.from({ length: 1001 }, (_, nth) => `m${nth}`) } };
    expect((await errorOf(where, { where: values }, apiKey)).code).toBe('BAD_USER_INPUT');
  });
});

describe('changes of classes', () => {
  const apps = () => [running.app, second];

  test('the next request on every process sees a new class', async () => {
    for (const app of apps()) expect(await fieldsOf('Boat', apiKey, app)).toBeUndefined();
    await defineClass('boats', { name: 'String' });
    for (const app of apps()) expect((await on(app, '{ boats { name } }', apiKey)).data).toEqual({ boats: [] });
    for (const app of apps()) expect(await fieldsOf('Boat', apiKey, app)).toContain('name');
  });

  test('the next request on every process sees a new field, and earlier documents still work', async () => {
    await defineClass('planes', { name: 'String' });
    const before = 'mutation { createPlane(input: { name: "A" }) { name } }';
    const after = 'mutation { createPlane(input: { name: "B", seats: 2 }) { seats } }';
    for (const app of apps()) {
      expect((await on(app, before, apiKey)).errors).toBeUndefined();
      expect((await on(app, after, apiKey)).errors![0]!.extensions?.code).toBe('BAD_USER_INPUT');
    }
    await changeClass('planes', { fields: { seats: 'Integer' } });
    for (const app of apps()) {
      expect((await on(app, after, apiKey)).data).toEqual({ createPlane: { seats: 2 } });
      expect((await on(app, before, apiKey)).data).toEqual({ createPlane: { name: 'A' } });
    }
  });

  test('the next request on every process sees that a field became required', async () => {
    await defineClass('trains', { name: 'String' });
    const without = 'mutation { createTrain(input: {}) { id } }';
    for (const app of apps()) expect((await on(app, without, apiKey)).errors).toBeUndefined();
    await changeClass('trains', { fields: { name: 'String!' } });
    for (const app of apps()) expect((await on(app, without, apiKey)).errors![0]!.message).toContain('"String!"');
  });

  test('the next request on every process sees that a class was deleted or defined again', async () => {
    await defineClass('ships', { name: 'String' });
    const query = '{ ships { name } }';
    for (const app of apps()) expect((await on(app, query, apiKey)).data).toEqual({ ships: [] });
    await dropClass('ships');
    for (const app of apps()) expect((await on(app, query, apiKey)).errors![0]!.message).toEqual(cannotQuery('ships'));
    await defineClass('ships', { length: 'Float' });
    for (const app of apps()) {
      expect((await on(app, query, apiKey)).errors![0]!.message).toEqual(cannotQuery('name'));
      expect((await on(app, '{ ships { length } }', apiKey)).data).toEqual({ ships: [] });
    }
  });
});

describe('typed subscriptions', () => {
  const SUBSCRIPTION = 'subscription { bikeChanged { change bike { name } } }';

  test('typed subscriptions continue when their class changes and end when it is deleted, on every process and transport', async () => {
    await defineClass('bikes', { name: 'String' });
    const user = await createUser();
    const sockets = [await listen(SUBSCRIPTION, {}, user), await listen(SUBSCRIPTION, {}, apiKey, second)];
    const generic = await listen('subscription { recordChanged(className: "bikes") { change } }', {}, user);
    const before = second.services.hub.subscriptionCount;
    const stream = await streamEvents(SUBSCRIPTION, {}, user, second);
    await until(() => second.services.hub.subscriptionCount > before);
    await rest('POST', '/data/bikes', { as: user, json: { name: 'A' } });
    await changeClass('bikes', { fields: { gears: 'Integer' } });
    await rest('POST', '/data/bikes', { as: user, json: { name: 'B', gears: 3 } });
    const notified = ['A', 'B'].map((name) => ({ bikeChanged: { change: 'CREATED', bike: { name } } }));
    for (const socket of sockets) expect(await socket.atLeast(2)).toEqual(notified);
    await until(() => stream.results.length === 2);
    expect(stream.results).toEqual(notified.map((data) => ({ data })));
    await generic.atLeast(2);

    await dropClass('bikes');
    await stream.ended;
    for (const { socket } of [...sockets, generic]) {
      await socket.find(({ type }) => type === 'complete');
      expect(socket.socket.readyState).toBe(socket.socket.OPEN);
    }
    await until(() => second.services.hub.subscriptionCount === 0 && running.app.services.hub.subscriptionCount === 0);
  });

  test('typed subscriptions deliver only events of their own application', async () => {
    const query = 'subscription { carChanged { recordId } }';
    const [own, theirs] = [await listen(query, {}, apiKey), await listen(query, {}, other.key)];
    const { createCar } = await execute('mutation { createCar(input: { make: "own" }) { id } }', {}, apiKey);
    const foreign = await execute('mutation { createCar(input: { wheels: 3 }) { id } }', {}, other.key);
    expect(await own.atLeast(1)).toEqual([{ carChanged: { recordId: createCar.id } }]);
    expect(await theirs.atLeast(1)).toEqual([{ carChanged: { recordId: foreign.createCar.id } }]);
  });
});

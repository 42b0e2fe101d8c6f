import { connect as connectTcp } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { UnprocessableError } from '../../../src/lib/errors.ts';
import type { Reason } from '../../../src/lib/problems.ts';
import { REASONS } from '../../../src/lib/reasons.ts';
import { OF_SERVICE, sentErrors } from '../../../src/platform/observability/request-errors.ts';
import { APPLICATION, running, useApp } from '../../support/app/app.ts';
import { createTenant } from '../../support/app/other-apps.ts';
import { until } from '../../support/app/until.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { connect, openSocket } from '../../support/clients/websocket.ts';
import {
  errorIn,
  signedInAdministrator,
  type TestAdministrator,
  withoutApplication,
} from '../../support/fixtures/administrators.ts';
import { createDialog, send } from '../../support/fixtures/chat.ts';
import { followRequests, loggedRequest, request, storePending } from '../../support/fixtures/request-log.ts';
import { defineClass } from '../../support/fixtures/typed-classes.ts';
import { apiKey, createUser, signedParameters, type TestUser } from '../../support/fixtures/users.ts';

useApp();

const LIST = '{ requestLog(first: 100) { edges { node { id } } } }';
const NO_USER = `/users/${2 ** 31 - 1}.json`;

describe('#61 the request log', () => {
  let owner: TestAdministrator;
  let alice: TestUser;

  beforeAll(async () => {
    owner = await signedInAdministrator({ applicationId: null, role: 'owner' });
    alice = await createUser();
  });

  test('contains no secret and no text of a user, in any part of a failed request', async () => {
    const secrets: string[] = [alice.token, alice.password, APPLICATION.apiKey, APPLICATION.authSecret];
    const secret = (place: string) => {
      // Letters only, because digits alone would show that the text is no name.
      const text = `zq${place}${Math.random().toString(36).slice(2, 12).replace(/\d/g, 'q')}`;
      secrets.push(text);
      return text;
    };
    const dialogId = await createDialog(alice, [alice, await createUser()]);
    await send(alice, dialogId, secret('message'));
    const login = 'mutation ($login: String!, $password: String!) { login(login: $login, password: $password) { id } }';
    const update = 'mutation ($input: UpdateUserInput!) { updateUser(id: 1, input: $input) { id } }';
    const paths: [path: string, sent: Parameters<typeof request>[1]][] = [
      [`/reset/${secret('path')}/x?token=${secret('query')}`, {}],
      [`/session.json?token=${secret('parameter')}`, {}],
      [`/${secret('mail')}@example.org`, { as: alice }],
      ['/session.json', { headers: { 'SVC-Token': secret('token') } }],
      ['/session.json', { headers: { Authorization: `ApiKey ${secret('key')}` } }],
      ['/session.json', { headers: { Authorization: `Bearer ${secret('bearer')}`, Cookie: `a=${secret('cookie')}` } }],
      ['/session.json', { json: { ...signedParameters(), signature: secret('signature') } }],
      ['/login.json', { as: alice, json: { login: alice.login, password: secret('password') } }],
      [
        '/users.json',
        { as: apiKey, json: { user: { login: secret('login'), password: secret('short').slice(0, 4) } } },
      ],
      [`/users/by_email.json?email=${secret('address')}@example.org`, { as: alice }],
      ['/chat/Message.json', { as: alice, json: { chat_dialog_id: secret('dialog'), message: secret('text') } }],
      ['/graphql', { as: alice, json: { query: login, variables: { login: 'a', password: [secret('list')] } } }],
      ['/graphql', { as: alice, json: { query: login, variables: { login: 'a', password: secret('variable') } } }],
      ['/graphql', { as: alice, json: { query: `{ user(id: "${secret('literal')}") { id } }` } }],
      ['/graphql', { as: alice, json: { query: `{ me "${secret('syntax')}" }` } }],
      ['/graphql', { as: apiKey, json: { query: update, variables: { input: { email: secret('object') } } } }],
      [`/graphql?query=${secret('get')}`, { as: alice }],
    ];
    const ids: string[] = [];
    for (const [path, sent] of paths) ids.push(await request(path, sent));
    const socket = await connect(alice);
    await socket.run(login, { login: 'a', password: { of: secret('socket') } });
    await socket.close();
    const refused = await openSocket();
    refused.send({ type: 'connection_init', payload: { 'SVC-Token': secret('init') } });
    await refused.closed;
    await until(async () => {
      await storePending();
      const ofSockets = await db.loggedRequest.count({ where: { transport: 'websocket' } });
      return ofSockets === 2 && (await db.loggedRequest.count({ where: { requestId: { in: ids } } })) === ids.length;
    });
    const rows = await db.loggedRequest.findMany();
    const text = JSON.stringify(rows, (_name, value) => (typeof value === 'bigint' ? String(value) : value));
    expect(secrets.filter((one) => one.length > 3 && text.includes(one))).toEqual([]);
  });

  test('texts that a client chooses have no control characters and a limited length', async () => {
    const { hostname, port } = new URL(running.url);
    const socket = connectTcp(Number(port), hostname);
    const agent = `A\t[31m\u200e${'x'.repeat(5_000)}`;
    socket.write(
      `GET ${NO_USER} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nSVC-Token: ${alice.token}\r\n` +
        `X-Request-Id: forged\tid\r\nUser-Agent: ${agent}\r\n\r\n`,
      'utf8',
    );
    await new Promise((resolve) => socket.resume().on('close', resolve));
    const name = `Q${'a'.repeat(5_000)}`;
    const id = await request('/graphql', {
      as: alice,
      json: { query: `query ${name} { user(id: 2147483647) { id } }`, operationName: name },
    });
    await loggedRequest(id, owner);
    const rows = await db.loggedRequest.findMany({ where: { applicationId: APPLICATION.id } });
    expect(rows.some(({ userAgent }) => userAgent?.startsWith('A'))).toBe(true);
    for (const { requestId, userAgent, operation, errors } of rows) {
      expect(requestId).toMatch(/^[\w.:-]{1,128}$/);
      expect(userAgent ?? '').toMatch(/^[^\p{Cc}\p{Cf}]{0,201}$/u);
      expect((operation ?? '').length).toBeLessThanOrEqual(100);
      expect(JSON.stringify(errors).length).toBeLessThan(3_000);
    }
  });

  test('is read by owners and developers of the application alone, also live', async () => {
    const other = await createTenant(1);
    const foreign = await signedInAdministrator({ applicationId: other.applicationId, role: 'owner' });
    for (const as of [foreign, await signedInAdministrator('support'), await signedInAdministrator('viewer')]) {
      expect((await graphql(LIST, {}, as)).data).toBeFalsy();
    }
    for (const as of [await signedInAdministrator('owner'), foreign]) {
      expect(errorIn(await graphql(LIST, {}, withoutApplication(as)))).toMatchObject({ code: 'FORBIDDEN' });
    }
    for (const as of [alice, apiKey]) expect((await graphql(LIST, {}, as)).data).toBeFalsy();
    const developer = await signedInAdministrator('developer');
    // Not alice, whose earlier requests may be stored while the developer may still read them.
    const bob = await createUser();
    const listening = await followRequests(developer, { filter: { userId: bob.id } });
    await db.administratorRole.deleteMany({ where: { administratorId: developer.id } });
    await loggedRequest(await request(NO_USER, { as: bob }), owner);
    running.app.services.requestFeed.stored();
    await listening.socket.find(({ type }) => type === 'error' || type === 'next');
    expect(listening.received()).toEqual([]);
    await listening.close();
  });

  test('does not grow with a flood of refused requests', async () => {
    const counted = async () => {
      await storePending();
      const hours = await db.requestLogHour.findMany({ where: { applicationId: 0 } });
      const rows = await db.loggedRequest.count({ where: { applicationId: 0 } });
      return { rows, skipped: hours.reduce((sum, { skipped }) => sum + skipped, 0) };
    };
    const before = await counted();
    await Promise.all(
      Array.from({ length: 400 }, (_one, nth) => fetch(`${running.url}/flood-${nth}.json`).then((one) => one.text())),
    );
    let after = before;
    await until(async () => {
      after = await counted();
      return after.rows + after.skipped >= before.rows + before.skipped + 400;
    });
    expect(after.rows - before.rows).toBeLessThan(150);
  });
});

describe('#67 names in the request log', () => {
  const secrets: string[] = [];
  let alice: TestUser;

  /** A name that only the client knows, and a value that it has put in the place of a name. */
  const secret = () => {
    const text = `zq${Math.random().toString(36).slice(2, 12)}`;
    secrets.push(text);
    return text;
  };

  beforeAll(async () => {
    alice = await createUser();
    await defineClass('Car', { make: 'String', price: 'Integer' });
  });

  const stored = async (ids: string[]): Promise<string> => {
    await until(async () => {
      await storePending();
      return (await db.loggedRequest.count({ where: { requestId: { in: ids } } })) === ids.length;
    });
    return storedText();
  };

  async function storedText(): Promise<string> {
    const rows = await db.loggedRequest.findMany();
    return JSON.stringify(rows, (_name, value) => (typeof value === 'bigint' ? String(value) : value));
  }

  test('of parameters, filters, sorting and new fields over REST are replaced unless the catalogue knows them', async () => {
    const paths: [path: string, sent: Parameters<typeof request>[1]][] = [
      [`/data/Car.json?sort_asc=${secret()}`, { as: alice }],
      [`/data/Car.xml?sort_desc=${secret()}`, { as: alice }],
      [`/data/Car.json?${secret()}[gte]=1`, { as: alice }],
      [`/data/Car.json?${secret()}%5Bgte%5D=1`, { as: alice }],
      [`/data/Car.json?price[${secret()}]=1`, { as: alice }],
      [`/data/Car.json?price[calc]=${secret()}`, { as: alice }],
      [`/data/${secret()}.json`, { as: alice }],
      [`/users.json?order=${secret()}`, { as: alice }],
      [`/users.json?order=asc+string+${secret()}`, { as: alice }],
      [`/users.json?filter[]=string+${secret()}+eq+1`, { as: alice }],
      [`/users.json?filter[]=number+id+${secret()}+1`, { as: alice }],
      [`/chat/Dialog.json?sort_asc=${secret()}`, { as: alice }],
      [`/chat/Dialog.json?data[${secret()}][nin]=1`, { as: alice }],
      [`/chat/Dialog.json?${secret()}[ctn]=1`, { as: alice }],
      [`/geodata/find.json?sort_by=${secret()}`, { as: alice }],
      [`/geodata/find.json?radius=${secret()}`, { as: alice }],
      ['/data/Car.json', { as: alice, json: { price: secret(), [secret()]: { [secret()]: 1 } } }],
      ['/data/Car/multi.json', { as: alice, json: { record: { 1: { price: [secret()] } } } }],
      ['/class.json', { as: apiKey, json: { name: 'New', fields: { [secret()]: secret() } } }],
      [
        '/class.json',
        {
          as: apiKey,
          json: { name: secret(), fields: { [secret()]: 'String' }, permissions: { read: { access: secret() } } },
        },
      ],
      ['/events.json', { as: alice, json: { event: { event_type: secret(), push_type: secret() } } }],
      ['/events.json', { as: alice, json: { event: { event_type: { [secret()]: 1 } } } }],
      ['/users.json', { as: apiKey, json: { user: { login: { [secret()]: secret() } } } }],
      ['/chat/Dialog.json', { as: alice, json: { type: 2, data: { class_name: secret(), [secret()]: secret() } } }],
    ];
    for (const [path, sent] of paths) await request(path, sent);
    const last = await request('/data/Car.json', { as: alice, json: { price: 'x' } });
    const text = await stored([last]);
    expect(secrets.filter((one) => text.includes(one))).toEqual([]);
    for (const shown of [
      'Incorrect sort field: …',
      'Incorrect filter: …[gte]',
      'Incorrect filter: price[…]',
      'Field price should be an integer',
    ])
      expect(text).toContain(shown);
  });

  test('of GraphQL are replaced over every transport, with aliases, fragments, variables and typed classes', async () => {
    const documents = [
      () => `{ ${secret()} }`,
      () => `{ me { ${secret()} } }`,
      () => `{ me { id ...${secret()} } }`,
      () => `{ me { id ... on ${secret()} { id } } }`,
      () => `{ me(${secret()}: 1) { id } }`,
      () => `{ me @${secret()} { id } }`,
      () => `{ user(id: $${secret()}) { id } }`,
      () => `query ($${secret()}: Int!) { me { id } }`,
      () => `query ($x: ${secret()}) { user(id: $x) { id } }`,
      () => `query ($${secret()}: ID!) { user(id: $${secrets.at(-1)}) { id } }`,
      () => `{ users(filter: { ${secret()}: 1 }) { totalCount } }`,
      () => `{ users(orderBy: { field: ${secret()} }) { totalCount } }`,
      () => `{ ${secret()}: user(id: 2147483647) { id } }`,
      () => `query ${secret()}123456 { user(id: 2147483647) { id } }`,
      () => `{ records(className: "Car", filter: { ${secret()}: { gte: 1 } }) { totalCount } }`,
      () => `{ records(className: "Car", orderBy: { field: "${secret()}" }) { totalCount } }`,
      () => `subscription { recordChanged(className: "Car", where: { ${secret()}: { gte: 1 } }) { cursor } }`,
      () => `{ car(id: "5") { ${secret()} } }`,
      () => `{ cars(filter: { ${secret()}: { eq: "1" } }) { totalCount } }`,
      () => `mutation { createCar(input: { make: "a", ${secret()}: 1 }) { id } }`,
      () => `fragment ${secret()} on User { id } { me { id } }`,
    ];
    const ids: string[] = [];
    for (const document of documents) {
      ids.push(await request('/graphql', { as: alice, json: { query: document() } }));
      ids.push(
        await request(`/graphql?query=${encodeURIComponent(document())}`, {
          as: alice,
          headers: { Accept: 'application/json' },
        }),
      );
      ids.push(
        await request('/graphql', { as: alice, json: { query: document() }, headers: { Accept: 'text/event-stream' } }),
      );
    }
    ids.push(await request('/graphql', { as: alice, json: [{ query: `{ ${secret()} }` }] }));
    const query = '{ me { id } }';
    ids.push(await request('/graphql', { as: alice, json: { query, operationName: secret() } }));
    const update = 'mutation ($input: UpdateUserInput!) { updateUser(id: 1, input: $input) { id } }';
    ids.push(
      await request('/graphql', { as: alice, json: { query: update, variables: { input: { [secret()]: 1 } } } }),
    );
    const socket = await connect(alice);
    for (const document of documents) await socket.run(document());
    await socket.run(update, { input: { [secret()]: { [secret()]: 1 } } });
    await socket.close();
    const text = await stored(ids);
    expect(secrets.filter((one) => text.includes(one))).toEqual([]);
    expect(text).toContain('Cannot query field \\"…\\" on type \\"User\\"');
    expect(text).toContain('Cannot query field \\"…\\" on type \\"Car\\"');
  });

  test('values in messages of the service are replaced, over REST and GraphQL', async () => {
    const create = 'mutation ($input: CreateEventsInput!) { createEvents(input: $input) { id } }';
    const index = [secret(), secret()];
    const ids = [
      await request('/graphql', { as: alice, json: { query: create, variables: { input: { pushType: secret() } } } }),
      await request('/graphql', { as: alice, json: { query: create, variables: { input: { eventType: secret() } } } }),
      await request('/class.json', {
        as: apiKey,
        json: { name: 'Twice', fields: { make: 'String' }, indexes: [{ fields: index }, { fields: index }] },
      }),
    ];
    const text = await stored(ids);
    expect(secrets.filter((one) => text.includes(one))).toEqual([]);
    expect(text).toContain('Unknown pushType: …');
    expect(text).toContain('Unknown eventType: …');
    expect(text).toContain('is listed twice');
  });

  test.each(Object.entries(REASONS))('a value in the message of %s is replaced', (reason, sentence) => {
    const names = [...sentence.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
    const chosen = names.filter((name) => !OF_SERVICE.has(name));
    const parameters = Object.fromEntries(chosen.map((name) => [name, secret()]));
    const error = new UnprocessableError({ reason: reason as Reason, parameters });
    const [sent] = sentErrors([error], () => false);
    expect(secrets.filter((one) => sent!.message.includes(one))).toEqual([]);
    expect(sent!.message.split('…').length).toBeGreaterThan(chosen.length);
  });

  test('that the catalogue knows are stored, so that the log says what was wrong', async () => {
    const messages = async (query: string, variables = {}) => {
      const id = await request('/graphql', { as: alice, json: { query, variables } });
      await stored([id]);
      const [row] = await db.loggedRequest.findMany({ where: { requestId: id } });
      return (row!.errors as { message: string }[]).map(({ message }) => message);
    };
    expect(await messages('{ me { totalCount } }')).toEqual([
      expect.stringMatching(/^Cannot query field "totalCount" on type "User"\./),
    ]);
    expect(await messages('query ($id: Int!) { user(id: $id) { id } }', { id: 'x' })).toEqual([
      expect.stringMatching(/^Variable "\$id" (?:got|has) invalid value/),
    ]);
    expect(await messages('{ records(className: "Car", filter: { price: { gte: "x" } }) { totalCount } }')).toEqual([
      expect.stringContaining('Incorrect filter: price'),
    ]);
  });
});

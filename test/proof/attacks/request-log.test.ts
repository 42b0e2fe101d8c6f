import { connect as connectTcp } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
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
      const text = `zq${place}${Math.random().toString(36).slice(2, 12)}`;
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

import { isInputObjectType } from 'graphql';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { createAtrium, memoryStorage } from '../../../packages/client/src/index.ts';
import { schema } from '../../../src/schema/index.ts';
import { APPLICATION, running, useApp } from '../../support/app/app.ts';
import { importBundle } from '../../support/app/bundle.ts';
import { sql } from '../../support/app/sql.ts';
import { JSON_TYPE, rawRequest } from '../../support/clients/raw-http.ts';
import { rest } from '../../support/clients/rest.ts';
import { codeOf, GRAPHQL_TRANSPORTS } from '../../support/clients/transports.ts';
import { createDialog, execute } from '../../support/fixtures/chat.ts';
import { created } from '../../support/fixtures/chat-cast.ts';
import { defineClass } from '../../support/fixtures/typed-classes.ts';
import {
  apiKey,
  type Caller,
  createUser,
  createUsers,
  onBehalfOf,
  openSession,
  signedParameters,
  type TestUser,
} from '../../support/fixtures/users.ts';

useApp();

let alice: TestUser;
let mallory: TestUser;
let group: string;
beforeAll(async () => {
  [alice, mallory] = await createUsers(2);
  group = await createDialog(alice, [mallory]);
  await defineClass('cars', { make: 'String', year: 'Integer' });
});

describe('#8 mass assignment', () => {
  /** Fields that only the service sets, in REST and GraphQL spelling. */
  const OURS =
    /^(_?id|user_?id|sender_?id|application_?id|created_?at|updated_?at|last_?request_?at|read_?ids|delivered_?ids|seq|generation|token|password_?hash|verified.*|auth_?secret|is_?trusted|endpoint|sealed.*|storage_?key|uid)$/i;

  /** Inputs in which such a field is a condition or an order. */
  const ASKED = /Filter$|Order$|^Position|^Rectangle|^Near/;

  /** Fields with another meaning: the token of a device, the id of the record to change, the endpoint of a push. */
  const MEANT = new Set(['SessionKeys.token', 'CreateSubscriptionInput.token', 'CreatePushTokenInput.token']);
  for (const name of ['ChangedRecordInput.id', 'RecordParentInput.id', 'CreateSessionInput.applicationId'])
    MEANT.add(name);
  MEANT.add('PushTokenInput.endpoint').add('AdministratorRoleInput.applicationId');
  // Credentials that the client has received, and a setting that demands a verified address.
  MEANT.add('SessionEmailCode.token').add('SessionIdToken.token').add('UpdateApplicationInput.verifiedEmailRequired');
  // The id of a credential, which the authenticator creates.
  MEANT.add('PasskeyAssertionInput.id').add('PasskeyRegistrationInput.id');
  // Who signs in, the recipient of a signal, and ids that clients may choose unless they are taken.
  MEANT.add('LoginUserInput.userId').add('SessionUser.id').add('SendSignalInput.userId').add('SendSignalInput.id');
  MEANT.add('SendMessageInput.id');
  // A secret that the client has received, a hash that only API keys import, and the client id at a provider.
  MEANT.add('ChallengeAnswerInput.token').add('CreateUserInput.passwordHash').add('ProviderClientInput.id');

  test('no GraphQL input has a field that only the service sets', () => {
    const inputs = Object.values(schema.getTypeMap()).filter(isInputObjectType);
    expect(inputs.length).toBeGreaterThan(80);
    const found = inputs
      .filter(({ name }) => !ASKED.test(name))
      .flatMap((type) => Object.keys(type.getFields()).map((field) => ({ path: `${type.name}.${field}`, field })))
      .filter(({ path, field }) => OURS.test(field) && !MEANT.has(path));
    expect(found).toEqual([]);
  });

  test('REST ignores fields that only the service sets, as parameters and as custom keys of a message', async () => {
    const forged = {
      id: 1,
      _id: '0123456789abcdef01234567',
      user_id: 1,
      sender_id: mallory.id,
      application_id: 1,
      created_at: '2001-01-01T00:00:00Z',
      updated_at: '2001-01-01T00:00:00Z',
      date_sent: 1,
      read_ids: [1],
      delivered_ids: [1],
      read: 1,
      password_hash: 'x',
      last_request_at: '2001-01-01T00:00:00Z',
      verified_phone: 'x',
    };
    const sent = await created('/chat/Message', { ...forged, chat_dialog_id: group, message: 'hi' }, alice);
    expect(sent).toMatchObject({ sender_id: alice.id, read_ids: [alice.id], delivered_ids: [alice.id], read: 0 });
    expect([sent._id, sent.date_sent, sent.created_at]).not.toContain(forged._id);
    expect(sent.date_sent).toBeGreaterThan(1_000_000);
    expect(sent.created_at).toMatch(/^2026/);
    const { user } = await created('/users', { user: { ...forged, login: 'massive', password: 'password-1' } }, alice);
    expect(user.id).not.toBe(1);
    expect([user.created_at, user.last_request_at]).toEqual([expect.stringMatching(/^2026/), null]);
    const record = await created('/data/cars', { ...forged, make: 'AB' }, alice);
    expect(record).toMatchObject({ user_id: alice.id, make: 'AB' });
    expect(record._id).not.toBe(forged._id);
    expect(record.created_at).toBeGreaterThan(1_000_000_000);
    const dialog = await created('/chat/Dialog', { ...forged, type: 2, name: 'G', occupants_ids: [mallory.id] }, alice);
    expect(dialog).toMatchObject({ user_id: alice.id });
    const changed = await rest('PUT', `/data/cars/${record._id}`, {
      as: alice,
      json: { ...forged, user_id: mallory.id },
    });
    expect(changed.body).toMatchObject({ _id: record._id, user_id: alice.id });
  });

  test.each(GRAPHQL_TRANSPORTS)(
    'custom fields of a message cannot override its own fields over %s',
    async (_name, transport) => {
      const document = `mutation ($input: SendMessageInput!) {
      sendMessage(input: $input) { id senderId readIds customFields } }`;
      const customFields = { sender_id: 1, _id: 'x', read_ids: [1], created_at: 'x', mine: 1 };
      const { data } = await transport(document, { input: { dialogId: group, text: 'hi', customFields } }, alice);
      expect(data.sendMessage).toMatchObject({ senderId: alice.id, readIds: [alice.id], customFields: { mine: 1 } });
      expect(Object.keys(data.sendMessage.customFields)).toEqual(['mine']);
    },
  );
});

describe('#9 objects in place of text', () => {
  const WRONG: unknown[] = [{ $ne: null }, { ne: 'x' }, ['bob'], { toString: 'x' }, { 0: 'x' }];

  test('an object is rejected as login, e-mail, password or token on every transport', async () => {
    const session = await openSession();
    for (const wrong of WRONG) {
      for (const field of ['login', 'email', 'password']) {
        const login = field === 'email' ? {} : { login: alice.login };
        const json = { ...login, password: alice.password, [field]: wrong };
        const { status } = await rest('POST', '/login', { as: session, json });
        expect([field, wrong, status]).toEqual([field, wrong, 401]);
        for (const [, transport] of GRAPHQL_TRANSPORTS) {
          const signIn = 'mutation ($input: LoginUserInput!) { loginUser(input: $input) { id } }';
          expect(codeOf(await transport(signIn, { input: json }, session))).toBe('BAD_USER_INPUT');
        }
      }
      const reset = await rest('GET', '/users/password/reset', { as: session });
      expect(reset.status).toBe(422);
      const user = await rest('POST', '/users', { as: session, json: { user: { login: wrong, password: wrong } } });
      expect(user.status).toBe(422);
    }
    const nested = signedParameters({ 'user[login][$ne]': 'x', 'user[password][$ne]': 'x' });
    const opened = await rest('POST', '/session', { form: new URLSearchParams(nested).toString() });
    expect(opened.status).toBe(401);
    for (const query of ['login[$ne]=x', `login[]=${alice.login}`, `login[eq]=${alice.login}`]) {
      expect([query, (await rawRequest('GET', `/users/by_login?${query}`, { as: session })).status]).toEqual([
        query,
        404,
      ]);
    }
    for (const field of ['login', 'password'] as const) {
      for (const wrapped of [[alice[field]], { $eq: alice[field] }]) {
        const json = { login: alice.login, password: alice.password, [field]: wrapped };
        expect([json, (await rest('POST', '/login', { as: session, json })).status]).toEqual([json, 401]);
      }
    }
  });

  test('a list or an object in place of a text, a number or a flag is rejected, and nothing is stored', async () => {
    const session = await openSession();
    for (const wrong of [...WRONG, [], {}]) {
      const user = { login: wrong, email: 'dropped@example.org', password: 'password-1' };
      const { status, body } = await rest('POST', '/users', { as: session, json: { user } });
      expect([wrong, status, Object.keys(body.errors)]).toEqual([wrong, 422, ['login', 'base']]);
      for (const json of [
        { chat_dialog_id: group, message: wrong, attachments: [{ type: 'x', id: '1' }] },
        { chat_dialog_id: group, message: 'hi', send_to_chat: wrong },
        { chat_dialog_id: group, message: 'hi', recipient_id: wrong },
      ]) {
        expect([json, (await rest('POST', '/chat/Message', { as: alice, json })).status]).toEqual([json, 422]);
      }
      const renamed = await rest('PUT', `/chat/Dialog/${group}`, { as: alice, json: { name: wrong } });
      expect([wrong, renamed.status, renamed.body]).toEqual([wrong, 422, { errors: ['Name is invalid'] }]);
      const record = await rest('POST', '/data/cars', { as: alice, json: { make: wrong } });
      expect([wrong, record.status]).toEqual([wrong, 422]);
    }
    const known = await rest('GET', '/users/by_email?email=dropped@example.org', { as: alice });
    expect(known.status).toBe(404);
  });

  test('a socket rejects credentials that are not text', async () => {
    const { openSocket } = await import('../../support/clients/websocket.ts');
    for (const wrong of WRONG) {
      const socket = await openSocket();
      socket.send({ type: 'connection_init', payload: { 'SVC-Token': wrong } });
      expect((await socket.closed).code).toBe(4403);
    }
  });
});

describe('#12 dotted keys', () => {
  test('dotted keys are parsed only as permissions and have no other effect', async () => {
    const record = await created('/data/cars', { make: 'AB', 'permissions.update.access': 'open' }, alice);
    const put = (as: TestUser, json: object) => rest('PUT', `/data/cars/${record._id}`, { as, json });
    const keys = [
      'permissions.__proto__.access',
      'permissions.constructor.access',
      'permissions.read.access.x',
      'permissions.read.__proto__',
      'user_id.x',
      'fields.make',
      'make.x',
      '_id.$set',
    ];
    for (const key of keys) {
      const { status } = await put(alice, { [key]: 'owner', year: 7 });
      expect([key, status === 200 || status === 422]).toEqual([key, true]);
    }
    const { body } = await rest('GET', `/data/cars/${record._id}`, { as: alice });
    expect(body).toMatchObject({ make: 'AB', user_id: alice.id });
    expect(body.permissions).toEqual(record.permissions);
    expect(({} as Record<string, unknown>).access).toBeUndefined();
  });

  test('permissions that are not an object are rejected', async () => {
    const refused = { status: 422, body: { errors: ['Permissions is invalid'] } };
    const before = await sql('SELECT id FROM records');
    for (const permissions of ['owner', ['owner'], [{ read: { access: 'owner' } }], 1, true]) {
      const one = await rest('POST', '/data/cars', { as: alice, json: { make: 'A', permissions } });
      expect([permissions, { status: one.status, body: one.body }]).toEqual([permissions, refused]);
      const several = await rest('POST', '/data/cars/multi', { as: alice, json: { record: { 1: { permissions } } } });
      expect([permissions, several.status]).toEqual([permissions, 422]);
      const defined = await rest('POST', '/class', { as: apiKey, json: { name: 'Shut', fields: {}, permissions } });
      expect([permissions, { status: defined.status, body: defined.body }]).toEqual([permissions, refused]);
    }
    expect((await rest('POST', '/data/cars', { as: alice, form: 'make=A&permissions=owner' })).status).toBe(422);
    expect((await rest('GET', '/data/cars?permissions[]=1', { as: alice })).status).toBe(422);
    expect(await sql('SELECT id FROM records')).toEqual(before);
  });

  test('a user who may update a record cannot change its permissions', async () => {
    const record = await created('/data/cars', { make: 'AB', 'permissions.update.access': 'open' }, alice);
    const put = (json: object) => rest('PUT', `/data/cars/${record._id}`, { as: mallory, json });
    expect((await put({ make: 'CD' })).status).toBe(200);
    const keys = [
      { 'permissions.read.access': 'owner' },
      { 'permissions.delete.access': 'open' },
      { permissions: { delete: { access: 'open' } } },
    ];
    for (const key of keys) expect([key, (await put(key)).status]).toEqual([key, 403]);
    const { body } = await rest('GET', `/data/cars/${record._id}`, { as: alice });
    expect(body.permissions).toEqual(record.permissions);
  });
});

describe('#13 nesting', () => {
  test('nested objects do not bypass the list of accepted fields', async () => {
    const hidden = { user_id: 1, _id: 'x', application_id: 1, permissions: { read: { access: 'open' } } };
    const nested = { fields: hidden, data: hidden, $set: hidden, inc: hidden, nested: { nested: hidden }, ...hidden };
    const closed = { permissions: { read: { access: 'owner' } } };
    const { items } = await created('/data/cars/multi', { record: { 1: { make: 'A', ...nested, ...closed } } }, alice);
    expect(items[0]).toMatchObject({ make: 'A', user_id: alice.id });
    expect(Object.keys(items[0]).sort()).toEqual(
      '_id _parent_id created_at make permissions updated_at user_id year'.split(' '),
    );
    expect((await rest('GET', `/data/cars/${items[0]._id}`, { as: mallory })).status).not.toBe(200);
    const body = JSON.stringify({ user: { user: { login: 'inner' }, login: 'outer1', password: 'password-1' } });
    const user = await rawRequest('POST', '/users', { as: alice, headers: { 'Content-Type': JSON_TYPE }, body });
    expect(JSON.parse(user.text).user.login).toBe('outer1');
    const update = `mutation ($input: UpdateRecordInput!) { updateRecord(className: "cars", id: "${items[0]._id}", input: $input) { userId } }`;
    expect((await execute(update, { input: { fields: nested } }, alice)).updateRecord.userId).toBe(alice.id);
    const criteria = { or: [{ and: [{ readers: { eq: '*' } }] }, { application_id: { gt: 0 } }] };
    const found = await rest('GET', '/data/cars', { as: apiKey, json: undefined });
    expect(found.status).toBe(200);
    for (const [, transport] of GRAPHQL_TRANSPORTS) {
      const list = 'query ($f: JSON) { records(className: "cars", filter: $f) { totalCount } }';
      expect(codeOf(await transport(list, { f: criteria }, mallory))).toBe('UNPROCESSABLE');
    }
  });

  test('nested form keys do not bypass the list of accepted fields', async () => {
    const user = await createUser();
    const form = 'user[full_name]=F&user[user][id]=1&user[id]=1&user[application_id]=1&user[password_hash]=x';
    const { status, body } = await rest('PUT', `/users/${user.id}`, { as: user, form });
    expect([status, body.user.id, body.user.full_name]).toEqual([200, user.id, 'F']);
    expect((await openSession(user)).token).toBeTruthy();
  });
});

describe('#64 JSON of other users', () => {
  const IMAGE = { type: 'image', id: '5' };
  /** In place of members that clients display or calculate with. */
  const WRONG_VALUES = [null, true, { a: 1 }, ['a'], []];
  const MEMBERS = ['name', 'uid', 'content-type', 'contentType', 'size', 'width', 'height', 'duration'];
  const SCRIPT = 'alert(document.domain)//';
  /** Browsers ignore case, leading blanks and control characters, and tabs and line breaks anywhere. */
  const SCRIPT_ADDRESSES = [
    `javascript:${SCRIPT}`,
    `JaVaScRiPt:${SCRIPT}`,
    ` \u0001javascript:${SCRIPT}`,
    `java\tscr\nipt:${SCRIPT}`,
    `javascript://x.io/%0a${SCRIPT}`,
    `vbscript:${SCRIPT}`,
    `data:text/html,<script>${SCRIPT}</script>`,
    'view-source:https://x.io',
    'file:///etc/passwd',
  ];
  const SEND = 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { id } }';
  const ALIASED = 'mutation ($input: SendMessageInput!) { ...on Mutation { two: sendMessage(input: $input) { id } } }';

  type Attempt = (attachment: Record<string, unknown>, as?: Caller) => Promise<string[]>;

  const overRest: Attempt = async (attachment, as = alice) => {
    const json = { chat_dialog_id: group, message: 'hi', attachments: [IMAGE, attachment] };
    const { status, body } = await rest('POST', '/chat/Message', { as, json });
    return status === 422 ? body.errors : [String(status)];
  };
  const numbered: Attempt = async (attachment, as = alice) => {
    const json = { chat_dialog_id: group, message: 'hi', attachments: { 0: attachment } };
    const { status, body } = await rest('POST', '/chat/Message', { as, json });
    return status === 422 ? body.errors : [String(status)];
  };
  const overGraphql = GRAPHQL_TRANSPORTS.flatMap(([name, transport]) =>
    [SEND, ALIASED].map((document): [string, Attempt] => [
      `${document === SEND ? 'GraphQL' : 'an alias'} over ${name}`,
      async (attachment, as = alice) => {
        const input = { dialogId: group, text: 'hi', attachments: [attachment] };
        const answer = await transport(document, { input }, as);
        return codeOf(answer) === 'UNPROCESSABLE' ? answer.errors!.map(({ message }) => message) : [codeOf(answer)];
      },
    ]),
  );
  const attempts: [name: string, attempt: Attempt][] = [['REST', overRest], ['numbers', numbered], ...overGraphql];

  test.each(attempts)('documented members of attachments have their type over %s', async (_name, attempt) => {
    const before = await sql('SELECT id FROM messages ORDER BY id');
    for (const as of [alice, onBehalfOf(alice)]) {
      for (const member of MEMBERS) {
        for (const wrong of WRONG_VALUES) {
          const answer = await attempt({ ...IMAGE, [member]: wrong }, as);
          expect([member, wrong, answer]).toEqual([member, wrong, [`Attachment ${member} is invalid`]]);
        }
      }
      for (const member of ['type', 'id', 'url']) {
        const answer = await attempt({ ...IMAGE, [member]: { a: 1 } }, as);
        expect([member, answer]).toEqual([member, ['Attachment should have type and id']]);
      }
    }
    expect(await sql('SELECT id FROM messages ORDER BY id')).toEqual(before);
  });

  test.each(attempts)(
    'addresses of attachments have no scheme but http, https and geo over %s',
    async (_name, attempt) => {
      const addresses = [...SCRIPT_ADDRESSES, 'intent://x.io#Intent;end', 'blob:https://x.io/1', 'custom:x'];
      for (const as of [alice, onBehalfOf(alice)]) {
        for (const url of addresses) {
          for (const attachment of [
            { type: 'file', url },
            { ...IMAGE, url },
          ]) {
            expect([url, await attempt(attachment, as)]).toEqual([url, ['Attachment url is invalid']]);
          }
        }
      }
    },
  );

  test('forms cannot bypass the types and the addresses', async () => {
    const post = async (pairs: [string, string][]) => {
      const all = [['chat_dialog_id', group], ['attachments[0][type]', 'file'], ...pairs];
      const { status, body } = await rest('POST', '/chat/Message', { as: alice, form: `${new URLSearchParams(all)}` });
      return [status, body.errors];
    };
    for (const url of SCRIPT_ADDRESSES) {
      const refused = [422, ['Attachment url is invalid']];
      expect([url, await post([['attachments[0][url]', url]])]).toEqual([url, refused]);
    }
    for (const key of ['attachments[0][name][a]', 'attachments[0][name][]']) {
      const given: [string, string][] = [
        ['attachments[0][id]', '5'],
        [key, 'x'],
      ];
      expect([key, await post(given)]).toEqual([key, [422, ['Attachment name is invalid']]]);
    }
  });

  test('an update cannot change attachments', async () => {
    const sent = await created('/chat/Message', { chat_dialog_id: group, message: 'hi', attachments: [IMAGE] }, alice);
    const attachments = [{ type: 'file', url: SCRIPT_ADDRESSES[0], name: { a: 1 } }];
    await rest('PUT', `/chat/Message/${sent._id}`, { as: alice, json: { message: 'new', attachments } });
    const { body } = await rest('GET', `/chat/Message/${sent._id}`, { as: alice });
    expect([body.message, body.attachments]).toEqual(['new', [IMAGE]]);
    const update = `mutation ($input: UpdateMessagesInput!) { updateMessages(ids: ["${sent._id}"], input: $input) { id } }`;
    for (const [, transport] of GRAPHQL_TRANSPORTS) {
      expect(codeOf(await transport(update, { input: { attachments } }, alice))).toBe('BAD_USER_INPUT');
    }
  });

  test('the picture of a dialog has no address that runs scripts', async () => {
    const invalid = { status: 422, body: { errors: ['Photo is invalid'] } };
    const CREATE = 'mutation ($input: CreateDialogInput!) { createDialog(input: $input) { id } }';
    const UPDATE =
      'mutation ($id: ID!, $input: UpdateDialogInput!) { two: updateDialog(id: $id, input: $input) { id } }';
    for (const photo of SCRIPT_ADDRESSES) {
      for (const as of [alice, onBehalfOf(alice)]) {
        const input = { type: 'GROUP', name: 'G', occupantIds: [mallory.id], photo };
        const json = { type: 2, name: 'G', occupants_ids: [mallory.id], photo };
        expect([photo, await rest('POST', '/chat/Dialog', { as, json })]).toMatchObject([photo, invalid]);
        const form = `${new URLSearchParams({ photo })}`;
        for (const body of [{ json: { photo } }, { form }]) {
          const put = await rest('PUT', `/chat/Dialog/${group}`, { as, ...body });
          expect([photo, put]).toMatchObject([photo, invalid]);
        }
        for (const [, transport] of GRAPHQL_TRANSPORTS) {
          expect([photo, codeOf(await transport(CREATE, { input }, as))]).toEqual([photo, 'UNPROCESSABLE']);
          const updated = await transport(UPDATE, { id: group, input: { photo } }, as);
          expect([photo, codeOf(updated)]).toEqual([photo, 'UNPROCESSABLE']);
        }
      }
    }
    for (const photo of ['77', 'any text: like this', 'https://x.io/a.png', 'content://media/1', '/a.png']) {
      const put = await rest('PUT', `/chat/Dialog/${group}`, { as: alice, json: { photo } });
      expect([put.status, put.body.photo]).toEqual([200, photo]);
    }
  });

  test('attachments of any form that are already stored neither break nor misuse the clients of readers', async () => {
    const wrongMembers = WRONG_VALUES.flatMap((wrong) =>
      ['file', 'image'].map((type) => ({
        ...Object.fromEntries(MEMBERS.map((member) => [member, wrong])),
        type,
        id: '5',
      })),
    );
    const addresses = [...SCRIPT_ADDRESSES, 'https://tracker.example/p.gif', '//tracker.example/p.gif', '/logout'];
    const named = addresses.flatMap((url) => ['file', 'image'].map((type) => ({ type, url })));
    const stored = [...wrongMembers, ...named, 5, { type: { a: 1 }, id: '5' }];
    const sent = await created('/chat/Message', { chat_dialog_id: group, message: 'old' }, alice);
    await sql('UPDATE messages SET attachments = $2::json WHERE id = $1', [sent._id, JSON.stringify(stored)]);
    await execute('mutation { updateApplication(input: { publicSignIn: true }) { id } }', {}, apiKey);
    const options = { url: running.url, applicationId: APPLICATION.id, deviceStorage: memoryStorage() };
    const atrium = createAtrium({ ...options, webSocket: WebSocket });
    onTestFinished(() => atrium.close());
    await atrium.session.signIn(mallory);
    const { messages } = await atrium.chat.dialog(group).history();
    const { attachments } = messages.find(({ id }) => id === sent._id)!;
    expect(attachments).toHaveLength(stored.length - 2);
    for (const member of MEMBERS)
      expect(attachments.map((one) => one[member]).filter((kept) => kept !== undefined)).toEqual([]);
    const { AtriumProvider, Attachments } = await importBundle(
      `export * from '@atrium/chat-ui'; export { AtriumProvider } from '@atrium/react';`,
    );
    const html = renderToString(createElement(AtriumProvider, { atrium }, createElement(Attachments, { attachments })));
    const originsOf = (attribute: string) =>
      new Set(Array.from(html.matchAll(RegExp(`${attribute}="([^"]*)"`, 'g')), ([, url]) => new URL(url!).origin));
    // Those of blobs are asked for once the page runs.
    expect(originsOf('src')).toEqual(new Set());
    expect(originsOf('href')).toEqual(new Set(['https://tracker.example']));
  });

  test('undocumented members and documented values are stored as before', async () => {
    const attachments = [
      { type: 'image', id: '5', name: 'n', size: 12, width: '640', height: 480.5, 'content-type': 'image/png' },
      { type: 'file', url: 'HTTPS://x.io/a b?c', duration: '00:12', data: { w: [1] }, mine: null, other: [{ a: 1 }] },
      { type: 'file', url: '//x.io/a', uid: 'u', contentType: 'text/plain' },
      { type: 'file', url: '/a/b' },
      { type: 'file', url: 'a.png' },
    ];
    const sent = await created('/chat/Message', { chat_dialog_id: group, attachments }, alice);
    expect(JSON.stringify(sent.attachments)).toBe(JSON.stringify(attachments));
    const numbers = { type: 1, id: 2, url: 3, name: 4, contentType: 5 };
    const asText = await created('/chat/Message', { chat_dialog_id: group, attachments: [numbers] }, alice);
    expect(asText.attachments).toEqual([{ type: '1', id: '2', url: '3', name: '4', contentType: '5' }]);
  });
});

import { isObjectType } from 'graphql';
import { describe, expect, test } from 'vitest';
import type { Access } from '../../src/lib/access.ts';
import { operationAccess, schema } from '../../src/schema/index.ts';
import { APPLICATION, useApp } from '../support/app/app.ts';
import { createTenant } from '../support/app/other-apps.ts';
import { graphql } from '../support/clients/graphql.ts';
import { rest } from '../support/clients/rest.ts';
import { connect } from '../support/clients/websocket.ts';
import { createDialog, errorOf, execute, send } from '../support/fixtures/chat.ts';
import {
  anonymous,
  apiKey,
  type Caller,
  createUser,
  createUsers,
  onBehalfOf,
  openSession,
  signedParameters,
} from '../support/fixtures/users.ts';
import { expectedAccess, isFor } from '../support/operations/contract.ts';
import { type RootField, rootFields } from '../support/operations/root-fields.ts';

useApp();

const OPERATIONS = rootFields();

/** Access of operations that an application session may run. */
const FOR_APPLICATION: Access[] = ['anyone', 'token', 'session'];

/** An API key alone may run these only with `force`: without it the deletion applies to a user. */
const FOR_KEYS_BY_FORCE = new Set(['deleteDialog', 'deleteDialogs', 'deleteMessages']);

const NEED_USER = { message: 'Forbidden. Need user.', code: 'FORBIDDEN' };
const SIGN_IN = { message: 'Sign in to the console', code: 'UNAUTHENTICATED' };
const TOKEN_REQUIRED = { message: 'Token is required', code: 'UNAUTHENTICATED' };

/** The first error of the operation for the caller, or `{ message: 'allowed' }`. */
async function outcome({ kind, document }: RootField, as: Caller): Promise<{ message: string; code?: unknown }> {
  const answer =
    kind === 'subscription' ? await subscriptionOutcome(document, as) : await operationOutcome(document, as);
  // The class `x` does not exist, which responds 403 to every caller.
  return answer.message === 'Undefined class' ? { message: 'allowed' } : answer;
}

async function operationOutcome(document: string, as: Caller): Promise<{ message: string; code?: unknown }> {
  const { errors } = await graphql(document, {}, as);
  return errors ? { message: errors[0]!.message, code: errors[0]!.extensions?.code } : { message: 'allowed' };
}

/** Uses server-sent events, because they respond to anonymous callers too. */
async function subscriptionOutcome(query: string, as: Caller): Promise<{ message: string; code?: unknown }> {
  const { running } = await import('../support/app/app.ts');
  const aborted = new AbortController();
  const response = await fetch(`${running.url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream', ...as.headers },
    body: JSON.stringify({ query }),
    signal: aborted.signal,
  });
  let text = '';
  for await (const chunk of response.body!) {
    text += Buffer.from(chunk).toString();
    if (text.includes('event: next')) break;
    if (running.app.services.hub.subscriptionCount > 0) break;
  }
  aborted.abort();
  const data = /data: (\{.*\})/.exec(text)?.[1];
  const error = data ? JSON.parse(data).errors?.[0] : undefined;
  return error ? { message: error.message, code: error.extensions.code } : { message: 'allowed' };
}

describe('access to operations', () => {
  test('every root field of the schema declares the access that the contract gives it', () => {
    expect(Object.fromEntries(operationAccess)).toEqual(expectedAccess);
    expect(Object.keys(expectedAccess).sort()).toEqual(OPERATIONS.map((operation) => operation.path).sort());
  });

  test('row 16: an application session can read session-level fields, sign up, and log in and out, but nothing else', async () => {
    for (const operation of OPERATIONS) {
      const answer = await outcome(operation, await openSession());
      if (isFor(operation, ...FOR_APPLICATION)) {
        expect([operation.path, answer.code]).not.toEqual([operation.path, 'FORBIDDEN']);
        expect([operation.path, answer.message]).not.toEqual([operation.path, 'Token is required']);
      } else if (isFor(operation, 'administrator')) {
        expect([operation.path, answer]).toEqual([operation.path, SIGN_IN]);
      } else {
        expect([operation.path, answer]).toEqual([operation.path, NEED_USER]);
      }
    }
  });

  test('row 2: an application session can open a socket, with the same rights as over HTTP', async () => {
    const socket = await connect(await openSession());
    for (const operation of OPERATIONS) {
      if (isFor(operation, ...FOR_APPLICATION)) continue;
      const expected = isFor(operation, 'administrator') ? SIGN_IN : NEED_USER;
      const { errors } = await socket.run(operation.document);
      expect([operation.path, errors?.[0]]).toMatchObject([
        operation.path,
        { message: expected.message, extensions: { code: expected.code } },
      ]);
    }
    await socket.close();
  });

  test('anonymous callers can run only operations without credentials', async () => {
    for (const operation of OPERATIONS) {
      const answer = await outcome(operation, anonymous);
      if (isFor(operation, 'anyone')) expect(answer.message).not.toBe(TOKEN_REQUIRED.message);
      else expect([operation.path, answer]).toEqual([operation.path, TOKEN_REQUIRED]);
    }
  });

  test('an API key alone is not a user and has no token', async () => {
    for (const operation of OPERATIONS) {
      const answer = await outcome(operation, apiKey);
      if (isFor(operation, 'user')) expect([operation.path, answer]).toEqual([operation.path, NEED_USER]);
      else if (isFor(operation, 'administrator')) expect([operation.path, answer]).toEqual([operation.path, SIGN_IN]);
      else if (isFor(operation, 'token')) expect([operation.path, answer]).toEqual([operation.path, TOKEN_REQUIRED]);
      else if (FOR_KEYS_BY_FORCE.has(operation.name)) {
        expect([operation.path, answer]).toEqual([operation.path, NEED_USER]);
      } else expect([operation.path, answer.code]).not.toEqual([operation.path, 'FORBIDDEN']);
    }
  });

  test('an API key with On-Behalf-Of acts as that user, without a token', async () => {
    const alice = await createUser();
    expect(await execute('{ me { id login } }', {}, onBehalfOf(alice))).toEqual({
      me: { id: alice.id, login: alice.login },
    });
    for (const operation of OPERATIONS.filter((one) => isFor(one, 'token'))) {
      expect([operation.path, await outcome(operation, onBehalfOf(alice))]).toEqual([operation.path, TOKEN_REQUIRED]);
    }
  });
});

describe('refused credentials', () => {
  const REFUSED: [string, Caller, { message: string; code: string }][] = [
    [
      'an unknown token',
      { headers: { 'SVC-Token': `0000005c${'0'.repeat(32)}` } },
      { message: 'Required session does not exist', code: 'UNAUTHENTICATED' },
    ],
    [
      'a malformed token',
      { headers: { 'SVC-Token': 'nonsense' } },
      { message: 'Required session does not exist', code: 'UNAUTHENTICATED' },
    ],
    [
      'an unknown API key',
      { headers: { Authorization: 'ApiKey WRONG' } },
      { message: 'Unauthorized', code: 'UNAUTHENTICATED' },
    ],
    [
      'another scheme',
      { headers: { Authorization: `Bearer ${APPLICATION.apiKey}` } },
      { message: 'Unauthorized', code: 'UNAUTHENTICATED' },
    ],
    [
      'a token beside an API key',
      { headers: { ...apiKey.headers, 'SVC-Token': 'x' } },
      { message: 'Only one of SVC-Token and Authorization may be used', code: 'BAD_USER_INPUT' },
    ],
    [
      'On-Behalf-Of without an API key',
      { headers: { 'On-Behalf-Of': '1' } },
      { message: 'On-Behalf-Of may be used only with an API key', code: 'BAD_USER_INPUT' },
    ],
    [
      'On-Behalf-Of an unknown user',
      { headers: { ...apiKey.headers, 'On-Behalf-Of': '2147483647' } },
      { message: "The resource wasn't found", code: 'NOT_FOUND' },
    ],
    [
      'On-Behalf-Of an invalid number',
      { headers: { ...apiKey.headers, 'On-Behalf-Of': '1 OR 1=1' } },
      { message: "The resource wasn't found", code: 'NOT_FOUND' },
    ],
  ];

  test.each(REFUSED)('%s is rejected by every operation that requires credentials', async (_name, as, reason) => {
    for (const operation of OPERATIONS.filter((one) => !isFor(one, 'anyone'))) {
      expect([operation.path, await outcome(operation, as)]).toEqual([operation.path, reason]);
    }
  });

  test.each(REFUSED)('%s does not prevent opening a session', async (_name, as) => {
    const { application_id, auth_key, nonce, timestamp, signature } = signedParameters();
    const input = {
      applicationId: Number(application_id),
      authKey: auth_key,
      nonce: Number(nonce),
      timestamp: Number(timestamp),
      signature,
    };
    const { createSession } = await execute(
      'mutation ($input: CreateSessionInput!) { createSession(input: $input) { token userId } }',
      { input },
      as,
    );
    expect(createSession).toMatchObject({ token: expect.stringMatching(/^[0-9a-f]{40}$/), userId: null });
  });

  test('blank credentials count as missing', async () => {
    const blank: Caller = { headers: { 'SVC-Token': ' ', Authorization: '' } };
    expect(await errorOf('{ me { id } }', {}, blank)).toEqual(TOKEN_REQUIRED);
  });
});

test('each error code corresponds to its REST status', async () => {
  const [alice, mallory] = await createUsers(2);
  const dialogId = await createDialog(alice, [alice]);
  const messageId = await send(alice, dialogId, 'hi');
  const dialog = 'query ($id: ID!) { dialog(id: $id) { id } }';
  const react = 'mutation ($id: ID!, $name: String) { addReaction(messageId: $id, name: $name) { id } }';
  const duplicate = { login: alice.login, password: 'password-1' };
  const signUp = 'mutation ($input: CreateUserInput!) { createUser(input: $input) { id } }';

  const table = [
    {
      code: 'BAD_USER_INPUT',
      status: 400,
      graphql: () => errorOf(react, { id: messageId, name: '' }, alice),
      rest: () => rest('POST', `/chat/Message/${messageId}/reactions.json`, { as: alice, json: { name: '' } }),
    },
    {
      code: 'UNAUTHENTICATED',
      status: 401,
      graphql: () => errorOf(dialog, { id: dialogId }, anonymous),
      rest: () => rest('GET', `/chat/Message.json?chat_dialog_id=${dialogId}`),
    },
    {
      code: 'FORBIDDEN',
      status: 403,
      graphql: () => errorOf(dialog, { id: dialogId }, mallory),
      rest: () => rest('GET', `/chat/Message.json?chat_dialog_id=${dialogId}`, { as: mallory }),
    },
    {
      code: 'FORBIDDEN',
      status: 422,
      graphql: () => errorOf(react, { id: messageId, name: 'like' }, apiKey),
      rest: () => rest('POST', `/chat/Message/${messageId}/reactions.json`, { as: apiKey, json: { name: 'like' } }),
    },
    {
      code: 'NOT_FOUND',
      status: 404,
      graphql: () => errorOf(dialog, { id: '0'.repeat(24) }, alice),
      rest: () => rest('GET', `/chat/Message.json?chat_dialog_id=${'0'.repeat(24)}`, { as: alice }),
    },
    {
      code: 'UNPROCESSABLE',
      status: 422,
      graphql: () => errorOf(signUp, { input: duplicate }, apiKey),
      rest: () => rest('POST', '/users.json', { as: apiKey, json: { user: duplicate } }),
    },
  ];
  for (const row of table) {
    expect([row.code, row.status, (await row.graphql()).code]).toEqual([row.code, row.status, row.code]);
    expect([row.code, row.status, (await row.rest()).status]).toEqual([row.code, row.status, row.status]);
  }
  expect(await errorOf(signUp, { input: duplicate }, apiKey)).toEqual({
    message: 'Login has already been taken',
    code: 'UNPROCESSABLE',
    fields: { login: ['has already been taken'] },
  });
});

/** The name of a hash algorithm, and new secrets, which are shown only once. */
const NO_LEAKS = [
  'Application.signatureHash',
  'NewApplication.authSecret',
  'TotpSecret.secret',
  'Mutation.createTotpSecret',
  'Mutation.rotateApplicationSecret',
];

test('row 7: the schema is public and contains no secrets', async () => {
  const { data, errors } = await graphql('{ __schema { queryType { name } types { name } } }', {}, anonymous);
  expect(errors).toBeUndefined();
  expect(data.__schema.types.length).toBe(Object.keys(schema.getTypeMap()).length);
  for (const { name } of data.__schema.types) {
    const type = schema.getType(name);
    // Inputs may be secret.
    const fields = isObjectType(type) ? Object.keys(type.getFields()) : [];
    const secret = fields.filter((field) => /hash|secret$/i.test(field)).map((field) => `${name}.${field}`);
    expect(secret.filter((field) => !NO_LEAKS.includes(field))).toEqual([]);
  }
});

/** Clients may choose ids that are not taken (test/schema/messages/chosen-ids.test.ts), and name the recipient of a signal. */
const MAY_CHOOSE: Record<string, string[]> = { SendMessageInput: ['id'], SendSignalInput: ['id', 'userId'] };

test('row 8: inputs contain no fields that only the service may set', () => {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!type.name.startsWith('Create') && !type.name.startsWith('Send')) continue;
    if (!('getFields' in type)) continue;
    const forbidden = ['id', '_id', 'userId', 'senderId', 'createdAt', 'updatedAt', 'readIds', 'deliveredIds', 'seq'];
    const chosen = MAY_CHOOSE[type.name] ?? [];
    const found = Object.keys(type.getFields()).filter((name) => forbidden.includes(name));
    expect([type.name, found]).toEqual([type.name, chosen]);
  }
});

describe('row 30: rows of other applications are not found', () => {
  test('ids of one application are not found by callers of another', async () => {
    const alice = await createUser();
    const dialogId = await createDialog(alice, [alice]);
    const publicId = await createDialog(alice, [], 'PUBLIC_GROUP');
    const messageId = await send(alice, dialogId, 'secret');
    const publicMessageId = await send(alice, publicId, 'secret too');
    const other = await createTenant(1);
    for (const stranger of [other.users[0]!, other.key]) {
      for (const id of [dialogId, publicId]) {
        expect(await errorOf('query ($id: ID!) { dialog(id: $id) { id } }', { id }, stranger)).toMatchObject({
          code: 'NOT_FOUND',
        });
        expect(
          await errorOf('query ($id: ID!) { messages(dialogId: $id) { totalCount } }', { id }, stranger),
        ).toMatchObject({ code: 'NOT_FOUND' });
        expect(
          await errorOf('mutation ($id: ID!) { readMessages(dialogId: $id) { skip } }', { id }, stranger),
        ).toMatchObject({ code: 'NOT_FOUND' });
      }
      for (const id of [messageId, publicMessageId]) {
        expect(await errorOf('query ($id: ID!) { message(id: $id) { text } }', { id }, stranger)).toMatchObject({
          code: 'NOT_FOUND',
        });
        expect(
          await errorOf('query ($id: ID!) { reactions(messageId: $id) { name } }', { id }, stranger),
        ).toMatchObject({ code: 'NOT_FOUND' });
      }
      expect(await errorOf('query ($id: Int!) { user(id: $id) { id } }', { id: alice.id }, stranger)).toMatchObject({
        code: 'NOT_FOUND',
      });
      expect(await execute('{ dialogs { totalCount } }', {}, stranger)).toEqual({ dialogs: { totalCount: 0 } });
    }
    const [outsider] = other.users;
    const writes = [
      [`mutation ($id: ID!) { sendMessage(input: { dialogId: $id, text: "x" }) { id } }`, dialogId],
      [`mutation ($id: ID!) { sendMessage(input: { dialogId: $id, text: "x" }) { id } }`, publicId],
      [`mutation ($id: ID!) { addReaction(messageId: $id, name: "x") { id } }`, messageId],
      [`mutation ($id: ID!) { addReaction(messageId: $id, name: "x") { id } }`, publicMessageId],
      [`mutation ($id: ID!) { removeReaction(messageId: $id, name: "x") { id } }`, messageId],
    ] as const;
    for (const [document, id] of writes) {
      expect(await errorOf(document, { id }, outsider!)).toMatchObject({ code: 'NOT_FOUND' });
    }
    expect(
      await errorOf(
        'mutation ($id: Int!) { sendMessage(input: { recipientId: $id, text: "x" }) { id } }',
        { id: alice.id },
        outsider!,
      ),
    ).toMatchObject({ code: 'NOT_FOUND' });
    expect(
      await errorOf(
        'mutation ($ids: [Int!]) { createDialog(input: { type: PRIVATE, occupantIds: $ids }) { id } }',
        { ids: [alice.id] },
        outsider!,
      ),
    ).toMatchObject({ message: 'Occupants with these IDs do not exist.' });
    const asAlice: Caller = { headers: { ...other.key.headers, 'On-Behalf-Of': String(alice.id) } };
    expect(await errorOf('{ me { id } }', {}, asAlice)).toMatchObject({ code: 'NOT_FOUND' });
  });
});

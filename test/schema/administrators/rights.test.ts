import { beforeAll, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import type { Role } from '../../../src/lib/access.ts';
import { MINUTE } from '../../../src/lib/time.ts';
import { administratorOperations, operationAccess, rightOf } from '../../../src/schema/index.ts';
import { APPLICATION, clock, running, useApp } from '../../support/app/app.ts';
import { createTenant } from '../../support/app/other-apps.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { streamEvents } from '../../support/clients/sse.ts';
import { connect, openSocket, until } from '../../support/clients/websocket.ts';
import {
  errorIn,
  errorOfOperation,
  inConsole,
  signedInAdministrator,
  type TestAdministrator,
  withoutApplication,
  withReason,
} from '../../support/fixtures/administrators.ts';
import { createDialog, send } from '../../support/fixtures/chat.ts';
import { type Caller, createUser, createUsers, type TestUser } from '../../support/fixtures/users.ts';
import { isFor } from '../../support/operations/contract.ts';
import { rootFields } from '../../support/operations/root-fields.ts';

useApp();

const ROLES: Role[] = ['owner', 'developer', 'support', 'viewer'];

/** Those that an administrator can reach at all. Others need no credentials, except for files that are not public. */
const OPERATIONS = rootFields().filter((one) => one.name === 'blobFile' || !isFor(one, 'anyone', 'token', 'userToken'));

/** They end what the other tests need; their own tests follow. */
const DESTRUCTIVE = new Set(['signOutAdministrator', 'deleteApplication', 'rotateApplicationSecret']);

const NOT_ALLOWED = { message: 'Your role does not allow this operation', code: 'FORBIDDEN' };

let alice: TestUser;
beforeAll(async () => {
  alice = await createUser();
});

test('every operation has a right, and every right is of an operation', () => {
  const names = new Set(OPERATIONS.map(({ name }) => name));
  expect([...names].filter((name) => !rightOf(name))).toEqual([]);
  expect(administratorOperations().filter((name) => !names.has(name))).toEqual([]);
  expect(new Set(administratorOperations()).size).toBe(administratorOperations().length);
});

describe.each(ROLES)('the role %s', (role) => {
  test('may run the operations of its right and no other', async () => {
    for (const operation of OPERATIONS.filter(({ name }) => !DESTRUCTIVE.has(name))) {
      const administrator = await signedInAdministrator(role);
      const isAllowed = rightOf(operation.name)!.roles.includes(role);
      const found = await errorOfOperation(operation, withReason(administrator), alice);
      if (isAllowed) expect([operation.path, found]).not.toEqual([operation.path, NOT_ALLOWED]);
      else expect([operation.path, found]).toEqual([operation.path, NOT_ALLOWED]);
    }
  });
});

test('texts of messages require a reason, and deletions a confirmation', async () => {
  const administrator = await signedInAdministrator('owner');
  clock.advance(15 * MINUTE);
  for (const operation of OPERATIONS.filter(({ path }) => operationAccess.get(path) !== 'user')) {
    const { needsReason, isConfirmed, harmlessMembers, confirmedMembers } = rightOf(operation.name)!;
    if (harmlessMembers) continue; // test/proof/attacks/takeover.test.ts
    if (needsReason) {
      expect([operation.path, await errorOfOperation(operation, administrator, alice)]).toMatchObject([
        operation.path,
        { code: 'REASON_REQUIRED' },
      ]);
    }
    if (isConfirmed && !confirmedMembers) {
      expect([operation.path, await errorOfOperation(operation, withReason(administrator), alice)]).toMatchObject([
        operation.path,
        { code: 'CONFIRMATION_REQUIRED' },
      ]);
    }
  }
});

test('every deletion and secret requires a confirmation', () => {
  const sensitive = OPERATIONS.filter(({ kind, name }) => kind === 'mutation' && /^(delete|rotate|revoke)/.test(name));
  const ofOwnDevices = ['deletePushToken', 'deleteSubscription'];
  const ofOneRecord = ['deleteRecord', 'deleteRecords', 'deleteRecordFile'];
  const unconfirmed = sensitive.map(({ name }) => name).filter((name) => !rightOf(name)!.isConfirmed);
  expect(unconfirmed.sort()).toEqual([...ofOwnDevices, ...ofOneRecord].sort());
});

describe('an application', () => {
  test('an application in which the caller has no role looks like an unknown one', async () => {
    const other = await createTenant(0);
    const administrator = await signedInAdministrator('owner');
    for (const id of [other.applicationId, 2_147_483_647]) {
      const answer = await graphql('{ application { id } }', {}, inConsole(administrator.cookie, id));
      expect(errorIn(answer)).toEqual({ message: 'The application was not found', code: 'NOT_FOUND' });
    }
    const ofAll = await signedInAdministrator({ applicationId: null, role: 'viewer' });
    const answer = await graphql('{ application { id } }', {}, inConsole(ofAll.cookie, other.applicationId));
    expect(answer.data).toEqual({ application: { id: other.applicationId } });
  });

  test('operations of applications require an application', async () => {
    const administrator = await signedInAdministrator('owner');
    expect(errorIn(await graphql('{ users { totalCount } }', {}, withoutApplication(administrator)))).toEqual({
      message: 'The header Application must name an application',
      code: 'BAD_USER_INPUT',
    });
    for (const value of ['x', '0', '-1', '1 OR 1=1', '99999999999']) {
      const as = { headers: { ...administrator.headers, Application: value } };
      expect(errorIn(await graphql('{ users { totalCount } }', {}, as))).toMatchObject({ code: 'BAD_USER_INPUT' });
    }
  });

  test('an application that is being imported is not found', async () => {
    const other = await createTenant(0);
    await db.application.update({ where: { id: other.applicationId }, data: { importId: 'x' } });
    const ofAll = await signedInAdministrator({ applicationId: null, role: 'owner' });
    const answer = await graphql('{ application { id } }', {}, inConsole(ofAll.cookie, other.applicationId));
    expect(errorIn(answer)).toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('acting as a user', () => {
  const as = (administrator: TestAdministrator): Caller => ({
    headers: { ...administrator.headers, 'On-Behalf-Of': String(alice.id) },
  });

  test('shows what the user sees, without a visible request of the user', async () => {
    const before = await db.user.findFirstOrThrow({ where: { id: alice.id } });
    clock.advance(MINUTE);
    const { data } = await graphql('{ me { id } }', {}, as(await signedInAdministrator('support')));
    expect(data).toEqual({ me: { id: alice.id } });
    await running.app.services.sessionClock.flush();
    expect(await db.user.findFirstOrThrow({ where: { id: alice.id } })).toEqual(before);
  });

  test('requires a confirmation', async () => {
    const administrator = await signedInAdministrator('support');
    clock.advance(15 * MINUTE);
    expect(errorIn(await graphql('{ me { id } }', {}, as(administrator)))).toMatchObject({
      code: 'CONFIRMATION_REQUIRED',
    });
  });

  test('keeps the limits of the role', async () => {
    const viewer = await signedInAdministrator('viewer');
    expect(errorIn(await graphql('{ me { id } }', {}, as(viewer)))).toEqual(NOT_ALLOWED);
  });
});

test('operations of a class have the rights of records', async () => {
  const developer = await signedInAdministrator('developer');
  const create =
    'mutation { createClass(input: { name: "Book", fields: [{ name: "title", type: STRING }] }) { name } }';
  const { errors } = await graphql(create, {}, developer);
  expect(errors).toBeUndefined();
  const documents = [
    '{ book(id: "000000000000000000000000") { id } }',
    '{ books { id } }',
    '{ booksConnection { totalCount } }',
    'mutation { createBook(input: { title: "x" }) { id } }',
    'mutation { createBooks(inputs: [{ title: "x" }]) { id } }',
    'mutation { updateBook(id: "000000000000000000000000") { id } }',
    'mutation { deleteBook(id: "000000000000000000000000") }',
    'mutation { deleteBooks(ids: []) }',
  ];
  const support = await signedInAdministrator('support');
  for (const document of documents) {
    expect([document, errorIn(await graphql(document, {}, support))]).toEqual([document, NOT_ALLOWED]);
    expect([document, errorIn(await graphql(document, {}, developer))]).not.toEqual([document, NOT_ALLOWED]);
  }
});

describe('over WebSocket', () => {
  test('the cookie of the upgrade request identifies the administrator', async () => {
    const [sender] = await createUsers(2);
    const dialogId = await createDialog(sender!, [sender!]);
    const administrator = await signedInAdministrator('support');
    const { Cookie, Origin, Application } = administrator.headers;
    const socket = await connect({ headers: { Application: Application!, Reason: 'ticket 7' } }, undefined, {
      Cookie: Cookie!,
      Origin: Origin!,
    });
    const messageId = await send(sender!, dialogId, 'hello');
    expect(await socket.run('query ($id: ID!) { message(id: $id) { text } }', { id: messageId })).toEqual({
      data: { message: { text: 'hello' } },
    });
    await db.administratorSession.deleteMany({ where: { administratorId: administrator.id } });
    clock.advance(5_000);
    expect(await socket.closed).toEqual({ code: 4403, reason: 'Forbidden' });
  });

  test.each(['socket', 'event stream'])('a %s ends when the roles of the administrator change', async (transport) => {
    const administrator = await signedInAdministrator('support', 'viewer');
    const as = withReason(administrator);
    const { Cookie, Origin, ...payload } = as.headers;
    const query = 'subscription { messageSent { message { text } } }';
    const removeRole = async () => {
      await db.administratorRole.deleteMany({ where: { administratorId: administrator.id, role: 'support' } });
      clock.advance(5_000);
    };
    if (transport === 'socket') {
      const socket = await connect({ headers: payload }, undefined, { Cookie: Cookie!, Origin: Origin! });
      const { subscriptionCount } = running.app.services.hub;
      socket.send({ id: 'live', type: 'subscribe', payload: { query } });
      await until(() => running.app.services.hub.subscriptionCount > subscriptionCount);
      await removeRole();
      expect(await socket.closed).toEqual({ code: 4403, reason: 'Forbidden' });
    } else {
      const stream = await streamEvents(query, {}, as);
      await removeRole();
      await stream.ended;
    }
  });

  test('a page of another site is not admitted', async () => {
    const { Cookie } = (await signedInAdministrator('owner')).headers;
    const headers = { Cookie: Cookie!, Origin: 'https://evil.example' };
    const socket = await openSocket(undefined, headers);
    socket.send({ type: 'connection_init', payload: { Application: String(APPLICATION.id) } });
    expect(await socket.closed).toEqual({ code: 4403, reason: 'Forbidden' });
  });
});

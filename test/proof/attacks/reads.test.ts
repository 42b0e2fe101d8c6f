import { describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { operationAccess, rightOf } from '../../../src/schema/index.ts';
import { APPLICATION, running, useApp } from '../../support/app/app.ts';
import { sql } from '../../support/app/sql.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { closeSockets, connect, overSocket, until } from '../../support/clients/websocket.ts';
import { errorOfOperation, signedInAdministrator, withReason } from '../../support/fixtures/administrators.ts';
import { createDialog, send } from '../../support/fixtures/chat.ts';
import { apiKey, createUser } from '../../support/fixtures/users.ts';
import { rootFields } from '../../support/operations/root-fields.ts';

useApp();

const applicationId = APPLICATION.id;

describe('#63 reading without a trace', () => {
  const readsWith = async (reason: string) =>
    db.auditEntry.findMany({
      where: { applicationId, reason, action: 'read' },
      select: { subject: true, subjectId: true, after: true },
      orderBy: { id: 'asc' },
    });

  test('every operation that requires a reason leaves an entry with it, changes included', async () => {
    const [user, support] = [await createUser(), await signedInAdministrator('support')];
    const operations = rootFields().filter(({ name }) => rightOf(name)?.needsReason && !rightOf(name)?.harmlessMembers);
    expect(operations.length).toBeGreaterThan(25);
    for (const operation of operations) {
      const reason = `reads ${operation.path}`;
      await errorOfOperation(operation, withReason(support, encodeURIComponent(reason)), user);
      expect([operation.path, await readsWith(reason)]).toMatchObject([operation.path, [{ subject: operation.name }]]);
    }
  });

  test.each(['%20', '%00%00%00', '%E2%80%AE%E2%81%A6%E2%80%8B', 'a%20b', '%0A%0A'])(
    'a reason without three visible characters is none: %s',
    async (reason) => {
      const support = await signedInAdministrator('support');
      const { errors } = await graphql('{ dialogs { edges { node { id } } } }', {}, withReason(support, reason));
      expect(errors).toMatchObject([{ extensions: { code: 'REASON_REQUIRED' } }]);
    },
  );

  test('a reason has no characters that break the entry or change how it is displayed', async () => {
    const support = await signedInAdministrator('support');
    const reason = 'ticket%0A%1B[31m8%00%1B[0m%E2%80%AE%E2%80%A8done%20';
    const { data } = await graphql('{ dialogs { edges { node { id } } } }', {}, withReason(support, reason));
    expect(data.dialogs).toBeDefined();
    const [entry] = await db.auditEntry.findMany({ where: { applicationId, actorId: support.id } });
    expect(entry!.reason).toMatch(/^ticket \[31m8 \[0m done$/);
    expect(entry!.reason).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u);
  });

  test('every operation on behalf of a user leaves an entry that names the user', async () => {
    const [user, owner] = [await createUser(), await signedInAdministrator('owner')];
    const operations = rootFields().filter(
      ({ kind, name, path }) =>
        kind !== 'subscription' &&
        rightOf(name)?.roles.includes('owner') &&
        /user|session/.test(operationAccess.get(path)!),
    );
    expect(operations.length).toBeGreaterThan(20);
    for (const operation of operations) {
      const reason = `acts ${operation.path}`;
      const { headers } = withReason(owner, encodeURIComponent(reason));
      const as = { headers: { ...headers, 'On-Behalf-Of': String(user.id) } };
      await graphql(operation.document, {}, as);
      expect([operation.path, await readsWith(reason)]).toMatchObject([
        operation.path,
        [{ subject: operation.name, after: { as_user_id: user.id } }],
      ]);
    }
  });

  test.each(['HTTP', 'WebSocket'])('texts in results of mutations are recorded: %s', async (transport) => {
    const [alice, bob] = [await createUser(), await createUser()];
    const dialogId = await createDialog(alice, [bob]);
    await send(alice, dialogId, 'private');
    const support = await signedInAdministrator('support');
    const texts = [
      'mutation ($d: ID!) { readMessages(dialogId: $d) { items { text } } }',
      'mutation ($d: ID!) { read: readMessages(dialogId: $d, markAsRead: false) { items { text } } }',
      'mutation ($d: ID!) { updateDialog(id: $d, input: {}) { lastMessage } }',
      'mutation ($d: ID!) { ...on Mutation { again: updateDialog(id: $d, input: {}) { lastMessage } } }',
    ];
    for (const [nth, document] of texts.entries()) {
      const reason = `${transport} ${nth}`;
      const as = withReason(support, encodeURIComponent(reason));
      const { data } = await (transport === 'HTTP' ? graphql : overSocket)(document, { d: dialogId }, as);
      expect(JSON.stringify(data)).toContain('private');
      expect(await readsWith(reason)).toMatchObject([{ subjectId: dialogId }]);
    }
  });

  test('entries of lists name the dialogs whose content was returned, each list again', async () => {
    const [alice, bob, carol] = [await createUser(), await createUser(), await createUser()];
    const ids = [await createDialog(alice, [bob]), await createDialog(alice, [carol])].sort();
    const { data } = await graphql('{ changes { cursor } }', {}, apiKey);
    for (const id of ids) await send(alice, id, 'private');
    const [message] = await sql<{ id: string }>('SELECT id FROM messages WHERE dialog_id = $1', [ids[0]]);
    const support = await signedInAdministrator('support');
    const since = data.changes.cursor;
    const lists: [document: string, variables: object, dialogs: string[]][] = [
      ['{ dialogs(first: 2) { edges { node { lastMessage } } } }', {}, ids],
      ['{ ...on Query { all: dialogs(first: 1) { nodes: edges { node { text: lastMessage } } } } }', {}, [ids[1]!]],
      [
        'query ($since: String) { changes(since: $since) { events { ...on MessageSent { message { text } } } } }',
        { since },
        ids,
      ],
    ];
    for (const [nth, [document, variables, dialogs]] of lists.entries()) {
      for (const run of [graphql, overSocket]) {
        const reason = `lists ${nth} ${run.name}`;
        const answer = await run(document, { ...variables }, withReason(support, encodeURIComponent(reason)));
        expect(JSON.stringify(answer)).toContain('private');
        expect([document, await readsWith(reason)]).toMatchObject([document, [{ after: { dialog_ids: dialogs } }]]);
      }
    }
    const reason = 'one message';
    const as = withReason(support, encodeURIComponent(reason));
    await graphql('query ($id: ID!) { message(id: $id) { text } }', { id: message!.id }, as);
    expect(await readsWith(reason)).toMatchObject([{ subjectId: message!.id, after: { dialog_ids: [ids[0]] } }]);
  });

  test('a subscription to all dialogs leaves an entry for each dialog whose messages it delivers', async () => {
    const [alice, bob] = [await createUser(), await createUser()];
    const id = await createDialog(alice, [bob]);
    const support = await signedInAdministrator('support');
    const { headers } = withReason(support, 'listens');
    const { Cookie, Origin, ...payload } = headers;
    const socket = await connect({ headers: payload }, undefined, { Cookie: Cookie!, Origin: Origin! });
    const listening = socket.run('subscription { messageSent { message { text } } }');
    await until(async () => (await readsWith('listens')).length > 0);
    await until(() => running.app.services.hub.subscriptionCount > 0);
    await send(alice, id, 'private');
    expect(await listening).toMatchObject({ data: { messageSent: { message: { text: 'private' } } } });
    expect(await readsWith('listens')).toMatchObject([{ after: null }, { after: { dialog_ids: [id] } }]);
    await socket.close();
  });

  test('administrators with equal subscriptions leave an entry each', async () => {
    const [alice, bob] = [await createUser(), await createUser()];
    const id = await createDialog(alice, [bob]);
    const reasons = ['listens first', 'listens second', 'listens third'];
    const [one, other] = [await signedInAdministrator('support'), await signedInAdministrator('support')];
    const callers = [
      withReason(one, 'listens%20first'),
      withReason(one, 'listens%20second'),
      withReason(other, 'listens%20third'),
    ];
    const query = 'subscription { messageSent { message { text } } }';
    await closeSockets(); // so that only these subscriptions count
    const sockets = await Promise.all(
      callers.map(({ headers: { Cookie, Origin, ...payload } }) =>
        connect({ headers: payload }, undefined, { Cookie: Cookie!, Origin: Origin! }),
      ),
    );
    const listening = sockets.map((socket) => socket.run(query));
    await until(() => running.app.services.hub.subscriptionCount >= callers.length);
    await send(alice, id, 'private');
    await Promise.all(listening);
    for (const reason of reasons) {
      expect([reason, await readsWith(reason)]).toMatchObject([
        reason,
        [{ after: null }, { after: { dialog_ids: [id] } }],
      ]);
    }
    await Promise.all(sockets.map((socket) => socket.close()));
  });
});

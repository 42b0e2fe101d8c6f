import { describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { rightOf } from '../../../src/schema/administrator-rights.ts';
import { operationAccess } from '../../../src/schema/index.ts';
import { APPLICATION, useApp } from '../../support/app/app.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { overSocket } from '../../support/clients/websocket.ts';
import { errorOfOperation, signedInAdministrator, withReason } from '../../support/fixtures/administrators.ts';
import { createDialog, send } from '../../support/fixtures/chat.ts';
import { allOperations } from '../../support/fixtures/operations.ts';
import { createUser } from '../../support/fixtures/users.ts';

useApp();

const applicationId = APPLICATION.id;

describe('#63 reading without a trace', () => {
  const readsWith = async (reason: string) =>
    db.auditEntry.findMany({
      where: { applicationId, reason, action: 'read' },
      select: { subject: true, subjectId: true, after: true },
    });

  test('every operation that requires a reason leaves an entry with it, changes included', async () => {
    const [user, support] = [await createUser(), await signedInAdministrator('support')];
    const operations = allOperations().filter(
      ({ name }) => rightOf(name)?.needsReason && !rightOf(name)?.harmlessMembers,
    );
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
    const operations = allOperations().filter(
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
});

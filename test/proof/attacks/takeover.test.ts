import { getNamedType, isInputObjectType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { MINUTE } from '../../../src/lib/time.ts';
import { administratorOperations, rightOf, schema } from '../../../src/schema/index.ts';
import { APPLICATION, clock, useApp } from '../../support/app/app.ts';
import { type GraphQLAnswer, graphql } from '../../support/clients/graphql.ts';
import { overSocket } from '../../support/clients/websocket.ts';
import { errorIn, signedInAdministrator, withReason } from '../../support/fixtures/administrators.ts';
import { storeBlob } from '../../support/fixtures/blobs.ts';
import { execute } from '../../support/fixtures/chat.ts';
import { mailsTo } from '../../support/fixtures/mails.ts';
import { defineClass } from '../../support/fixtures/typed-classes.ts';
import { type Caller, createUser, openSession } from '../../support/fixtures/users.ts';

useApp();

/** Members of the inputs of operations that need a confirmation for some members only. */
const GUARDED = administratorOperations().flatMap((name) => {
  const { harmlessMembers } = rightOf(name)!;
  if (!harmlessMembers) return [];
  const field = schema.getMutationType()!.getFields()[name]!;
  const input = getNamedType(field.args.find((one) => one.name === 'input')!.type);
  if (!isInputObjectType(input)) throw new Error(`${name} has no input`);
  const members = Object.keys(input.getFields());
  return [
    { name, type: input.name, harmlessMembers, members, needsId: field.args.find(({ name }) => name !== 'input') },
  ];
});

const CREDENTIALS = ['password', 'email', 'phone', 'login', 'facebookId', 'twitterId', 'tags', 'externalUserId'];

/** Signed in, but without a confirmation of the last minutes. */
async function staleAdministrator(role: 'owner' | 'developer' | 'support') {
  const administrator = await signedInAdministrator(role);
  clock.advance(16 * MINUTE);
  return administrator;
}

function documentOf({ name, type, needsId }: (typeof GUARDED)[number]): string {
  const [declared, given] = needsId
    ? [`$key: ${needsId.type}, $input: ${type}!`, `${needsId.name}: $key, input: $input`]
    : [`$input: ${type}!`, 'input: $input'];
  return `mutation (${declared}) { ...on Mutation { again: ${name}(${given}) { __typename } } }`;
}

describe('#68 acts that amount to a takeover', () => {
  test('every member of an input that is not harmless needs a confirmation, also to be cleared', async () => {
    expect(GUARDED.map(({ name }) => name).sort()).toEqual([
      'updateApplication',
      'updateBlob',
      'updateClass',
      'updateUser',
    ]);
    const owner = withReason(await staleAdministrator('owner'));
    for (const operation of GUARDED) {
      const { harmlessMembers, members, needsId } = operation;
      expect(members).toEqual(expect.arrayContaining([...harmlessMembers]));
      const key = String(needsId?.type).startsWith('Int') ? 1 : '1';
      for (const member of members.filter((one) => !harmlessMembers.includes(one))) {
        for (const run of [graphql, overSocket]) {
          const answer = await run(documentOf(operation), { key, input: { [member]: null } }, owner);
          expect([member, errorIn(answer)?.code]).toEqual([member, 'CONFIRMATION_REQUIRED']);
        }
      }
    }
  });

  test('support takes over no user without a confirmation and a reason', async () => {
    const user = await createUser({ email: 'victim@example.org' });
    const document = 'mutation ($id: Int!, $input: UpdateUserInput!) { updateUser(id: $id, input: $input) { id } }';
    const act = async (input: object, as: Caller) => errorIn(await graphql(document, { id: user.id, input }, as))?.code;
    // Its last request is stored later.
    const stored = () => db.user.findFirst({ where: { id: user.id }, omit: { lastRequestAt: true } });
    const before = await stored();
    const [stale, support] = [await staleAdministrator('support'), await signedInAdministrator('support')];
    for (const member of CREDENTIALS) {
      const value = member === 'tags' ? ['staff'] : '12345678';
      const hidden = { fullName: 'x', [member]: value };
      expect([member, await act(hidden, withReason(stale))]).toEqual([member, 'CONFIRMATION_REQUIRED']);
      expect([member, await act(hidden, support)]).toEqual([member, 'REASON_REQUIRED']);
    }
    expect(await stored()).toEqual(before);
    expect(await act({ fullName: 'Grace', customData: 'x' }, stale)).toBeUndefined();
  });

  test('the former address is notified of what an administrator changed, and the entry has the reason', async () => {
    const user = await createUser({ email: 'former@example.org' });
    const support = withReason(await signedInAdministrator('support'), 'ticket 68');
    const document = 'mutation ($id: Int!, $input: UpdateUserInput!) { updateUser(id: $id, input: $input) { id } }';
    const input = { email: 'attacker@example.org', password: 'password-2' };
    await execute(document, { id: user.id, input }, support);
    const [mail] = await mailsTo('former@example.org');
    expect(mail).toContain('- password');
    expect(mail).toContain('- e-mail address');
    const where = { applicationId: APPLICATION.id, reason: 'ticket 68', subject: 'User', action: 'update' } as const;
    expect(await db.auditEntry.findMany({ where })).toMatchObject([{ subjectId: String(user.id) }]);
    await expect(openSession({ login: user.login, password: user.password })).rejects.toThrow('401');
  });

  test.each(['createUser', 'updateAssistant', 'updateMailTemplate', 'updateIdentityProvider', 'updatePushSettings'])(
    '%s needs a confirmation',
    (name) => {
      expect(rightOf(name)).toMatchObject({ isConfirmed: true });
      expect(rightOf(name)).not.toHaveProperty('harmlessMembers');
    },
  );

  test('an administrator replaces the bytes of a file only with a confirmation', async () => {
    const { id } = await storeBlob(await createUser(), 'original', { name: 'logo.png', public: true });
    const renew = 'mutation ($id: Int!) { updateBlob(id: $id, input: { name: "x", new: true }) { id } }';
    const complete = 'mutation ($id: Int!) { completeBlob(id: $id) { id } }';
    const stored = () => db.blob.findFirst({ where: { id }, include: { upload: true } });
    const before = await stored();
    for (const role of ['developer', 'support'] as const) {
      const stale = withReason(await staleAdministrator(role));
      for (const document of [renew, complete]) {
        for (const run of [graphql, overSocket]) {
          expect([document, errorIn(await run(document, { id }, stale))?.code]).toEqual([
            document,
            'CONFIRMATION_REQUIRED',
          ]);
        }
      }
    }
    expect(await stored()).toEqual(before);
    expect((await execute(renew, { id }, await signedInAdministrator('developer'))).updateBlob).toEqual({ id });
  });

  test('permissions of records and people of dialogs need a confirmation at any depth of the arguments', async () => {
    await defineClass('Car', { make: 'String' });
    const id = '000000000000000000000000';
    const open = 'permissions: { read: { access: OPEN } }';
    const attempts = [
      `mutation { updateRecord(className: "Car", id: "${id}", input: { ${open} }) { id } }`,
      `mutation { updateRecords(className: "Car", records: [{ id: "${id}", changes: { fields: {} } }, { id: "${id}", changes: { ${open} } }]) { __typename } }`,
      `mutation { updateRecordsByCriteria(className: "Car", criteria: {}, input: { ${open} }) { __typename } }`,
      `mutation { updateCar(id: "${id}", ${open}) { id } }`,
      `mutation { updateDialog(id: "${id}", input: { name: "x", addOccupantIds: [1] }) { id } }`,
      `mutation { updateDialog(id: "${id}", input: { addAdminIds: [] }) { id } }`,
    ];
    const owner = withReason(await staleAdministrator('owner'));
    for (const document of attempts) {
      for (const run of [graphql, overSocket]) {
        expect([document, errorIn((await run(document, {}, owner)) as GraphQLAnswer)?.code]).toEqual([
          document,
          'CONFIRMATION_REQUIRED',
        ]);
      }
    }
    const harmless = `mutation { updateRecord(className: "Car", id: "${id}", input: { fields: { make: "x" } }) { id } }`;
    expect(errorIn(await graphql(harmless, {}, owner))?.code).toBe('NOT_FOUND');
  });
});

import { describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { clock, running, useApp } from '../../support/app/app.ts';
import { createTenant } from '../../support/app/other-apps.ts';
import { sql, whileDialogIsLocked } from '../../support/app/sql.ts';
import { type GraphQLAnswer, graphql } from '../../support/clients/graphql.ts';
import { createDialog, execute, type QuickUser, quickUsers, send } from '../../support/fixtures/chat.ts';
import { expectGone, MUTE, READ, UPDATE_DIALOG } from '../../support/fixtures/groups.ts';
import { apiKey, type Caller } from '../../support/fixtures/users.ts';

useApp();

const DELETE = `mutation ($ids: [ID!]!, $force: Boolean!) {
  deleteDialogs(ids: $ids, force: $force) { deletedIds notFoundIds wrongPermissionsIds } }`;
const SEND = 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { id } }';
const REACT = 'mutation ($id: ID!) { addReaction(messageId: $id, name: "like") { id } }';
const DELETE_USER = 'mutation ($id: Int!) { deleteUser(id: $id) }';

const add = (as: Caller, id: string, ...users: QuickUser[]) =>
  graphql(UPDATE_DIALOG, { id, input: { addOccupantIds: users.map((user) => user.id) } }, as);
const remove = (as: Caller, id: string, ...users: QuickUser[]) =>
  graphql(UPDATE_DIALOG, { id, input: { removeOccupantIds: users.map((user) => user.id) } }, as);
const say = (as: Caller, dialogId: string) => graphql(SEND, { input: { dialogId, text: 'x' } }, as);
const destroy = (as: Caller, ...ids: string[]) => graphql(DELETE, { ids, force: true }, as);
const leave = (as: Caller, ...ids: string[]) => graphql(DELETE, { ids, force: false }, as);
const deleteUser = (user: QuickUser) => graphql(DELETE_USER, { id: user.id }, user);

/** Error codes of the refused operations; an internal error such as a deadlock fails the test. */
function refusals(answers: GraphQLAnswer[]): string[] {
  const codes = answers.flatMap(({ errors }) => (errors ?? []).map(({ extensions }) => String(extensions?.code)));
  expect(codes).not.toContain('INTERNAL_SERVER_ERROR');
  return codes;
}

const ownerOf = async (id: string) => (await db.dialog.findFirst({ where: { id } }))?.userId;
const occupantsOf = async (dialogId: string) =>
  (await db.member.findMany({ where: { dialogId, leftAt: null }, orderBy: { userId: 'asc' } })).map(
    (one) => one.userId,
  );

describe('concurrent changes of occupants', () => {
  test('when two admins remove each other, one remains and the other is refused', async () => {
    for (let round = 0; round < 8; round++) {
      const [alice, bob, carol] = (await quickUsers(3)) as [QuickUser, QuickUser, QuickUser];
      const id = await createDialog(alice, [bob, carol]);
      await execute(UPDATE_DIALOG, { id, input: { addAdminIds: [bob.id, carol.id] } }, alice);
      const answers = await Promise.all([remove(bob, id, carol), remove(carol, id, bob)]);
      expect(refusals(answers)).toEqual(['FORBIDDEN']);
      expect(await occupantsOf(id)).toEqual([alice.id, answers[0]!.errors ? carol.id : bob.id]);
    }
  });

  test('when an owner leaves while an occupant is added, one of the occupants becomes owner', async () => {
    for (let round = 0; round < 8; round++) {
      const [alice, bob, carol] = (await quickUsers(3)) as [QuickUser, QuickUser, QuickUser];
      const id = await createDialog(carol, [bob]);
      refusals(await Promise.all([leave(carol, id), add(bob, id, alice)]));
      expect(await occupantsOf(id)).toEqual([alice.id, bob.id]);
      expect([alice.id, bob.id]).toContain(await ownerOf(id));
    }
  });

  test('when the last occupant leaves while another is added, the group is deleted or has an owner', async () => {
    for (let round = 0; round < 8; round++) {
      const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
      const id = await createDialog(alice, [alice]);
      const [added] = await Promise.all([add(apiKey, id, bob), leave(alice, id)]);
      if (refusals([added!]).length > 0) await expectGone([id]);
      else expect([await ownerOf(id), await occupantsOf(id)]).toEqual([bob.id, [bob.id]]);
    }
  });

  test('when all occupants leave, the group is deleted', async () => {
    const users = await quickUsers(12);
    const ids = await Promise.all([1, 2].map(() => createDialog(users[0]!, users)));
    const answers = users.map((user, nth) => leave(user, ...(nth % 2 ? ids : [...ids].reverse())));
    expect(refusals(await Promise.all(answers))).toEqual([]);
    await expectGone(ids);
  });

  test('when many occupants add the same user, all succeed and the user is added once', async () => {
    const users = await quickUsers(30);
    const [dora] = (await quickUsers(1)) as [QuickUser];
    const id = await createDialog(users[0]!, users);
    expect(refusals(await Promise.all(users.map((user) => add(user, id, dora))))).toEqual([]);
    expect(await occupantsOf(id)).toEqual([...users.map((user) => user.id), dora.id]);
    expect(await sql('SELECT member_version FROM dialogs WHERE id = $1', [id])).toEqual([{ member_version: 2 }]);
  });

  test('concurrent joins and departures in many groups, in any order, cause no deadlock', async () => {
    const users = await quickUsers(8);
    const ids = await Promise.all([1, 2, 3, 4].map(() => createDialog(users[0]!, users.slice(1, 4))));
    const changes = users.flatMap((user, nth) =>
      ids.flatMap((id, place) => [
        add(users[0]!, id, user, users[(nth + 3) % 8]!, users[(nth + place) % 8]!),
        nth > 0 ? remove(users[0]!, id, user, users[(nth % 7) + 1]!) : say(user, id),
        leave(
          users[7 - nth]!.id === users[0]!.id ? users[7]! : users[7 - nth]!,
          ...(nth % 2 ? ids : [...ids].reverse()),
        ),
        graphql(READ, { id }, user),
      ]),
    );
    refusals(await Promise.all(changes));
    for (const id of ids) expect(await ownerOf(id)).toBe(users[0]!.id);
  });

  test('deleting a dialog during writes, reads, reactions, mutes and deletions leaves no rows', async () => {
    for (let round = 0; round < 3; round++) {
      const users = await quickUsers(6);
      const ids = await Promise.all([1, 2].map(() => createDialog(users[0]!, users.slice(1))));
      const messages = await Promise.all(ids.map((id) => send(users[1]!, id, 'first')));
      const doing = users.flatMap((user) =>
        ids.flatMap((id, nth) => [
          say(user, id),
          graphql(READ, { id }, user),
          graphql(REACT, { id: messages[nth] }, user),
          graphql(MUTE, { id }, user),
          graphql(
            'mutation ($ids: [ID!]!) { deleteMessages(ids: $ids) { deletedIds } }',
            { ids: [messages[nth]] },
            user,
          ),
          say(user, id),
        ]),
      );
      const answers = await Promise.all([...doing, destroy(users[0]!, ...ids), destroy(apiKey, ...[...ids].reverse())]);
      refusals(answers);
      await expectGone(ids, messages);
    }
  });

  test('concurrent deletions of overlapping lists report each dialog as deleted once', async () => {
    const [alice] = (await quickUsers(1)) as [QuickUser];
    const ids = await Promise.all(Array.from({ length: 12 }, () => createDialog(alice, [alice])));
    const answers = await Promise.all([
      destroy(alice, ...ids.slice(0, 8)),
      destroy(alice, ...ids.slice(4).reverse()),
      destroy(apiKey, ...ids.slice(2, 10).reverse()),
      leave(alice, ...ids),
    ]);
    for (const code of refusals(answers)) expect(code).toBe('NOT_FOUND');
    const deleted = answers.flatMap(({ data }) => data?.deleteDialogs.deletedIds ?? []);
    expect(deleted.sort()).toEqual([...ids].sort());
    await expectGone(ids);
  });

  test('deleting a user while they are added leaves no trace of them', async () => {
    for (let round = 0; round < 6; round++) {
      const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
      const ids = await Promise.all([1, 2, 3].map(() => createDialog(alice, [alice])));
      const adding = ids.map((id) =>
        graphql(UPDATE_DIALOG, { id, input: { addOccupantIds: [bob.id], addAdminIds: [bob.id] } }, alice),
      );
      const [deleted, ...added] = await Promise.all([deleteUser(bob), ...adding]);
      expect(refusals([deleted!])).toEqual([]);
      for (const code of refusals(added)) expect(code).toBe('UNPROCESSABLE');
      for (const id of ids) expect(await occupantsOf(id)).toEqual([alice.id]);
    }
  });

  test('when an owner and the next owners are deleted, the public group has an existing owner', async () => {
    for (let round = 0; round < 10; round++) {
      const { users } = await createTenant(4);
      const [alice, bob, carol, dave] = users as [QuickUser, QuickUser, QuickUser, QuickUser];
      const id = await createDialog(dave, [], 'PUBLIC_GROUP');
      expect(refusals(await Promise.all([deleteUser(dave), deleteUser(alice), deleteUser(bob)]))).toEqual([]);
      expect(await ownerOf(id)).toBe(carol.id);
    }
  });

  test('former occupants can be deleted while their messages are deleted', async () => {
    const [alice, ...others] = (await quickUsers(6)) as [QuickUser, ...QuickUser[]];
    const ids = await Promise.all(Array.from({ length: 6 }, () => createDialog(alice, others)));
    const messages = await Promise.all(ids.map((id) => send(alice, id, 'x')));
    for (const id of ids) await remove(alice, id, ...others);
    const deleting = messages.map((_, nth) =>
      graphql(
        'mutation ($ids: [ID!]!) { deleteMessages(ids: $ids, force: true) { deletedIds } }',
        { ids: [messages[nth], messages[(nth + 1) % 6]] },
        alice,
      ),
    );
    for (const code of refusals(await Promise.all([...others.map(deleteUser), ...deleting])))
      expect(code).toBe('NOT_FOUND');
    expect(await sql('SELECT FROM members WHERE user_id = ANY($1)', [others.map(({ id }) => id)])).toEqual([]);
  });
});

describe('while a dialog is locked by a change', () => {
  const LEFT =
    'UPDATE members SET left_at = now() WHERE dialog_id = $1 AND user_id <> (SELECT user_id FROM dialogs WHERE id = $1)';
  const DESTROYED = 'DELETE FROM dialogs WHERE id = $1';

  test.each([
    [LEFT, 'FORBIDDEN'],
    [DESTROYED, 'NOT_FOUND'],
  ])('a user who is no longer in the dialog cannot write to it (%s: %s)', async (change, code) => {
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    for (const act of [
      (id: string) => graphql(MUTE, { id }, bob),
      (id: string) => add(bob, id, alice),
      (id: string) => graphql('mutation ($id: ID!) { deleteDialog(id: $id) }', { id }, bob),
      (id: string) => leave(bob, id),
    ]) {
      const id = await createDialog(alice, [bob]);
      const answer = await whileDialogIsLocked(id, change, () => act(id));
      const isList = answer.data?.deleteDialogs?.wrongPermissionsIds.length === 1;
      expect(isList ? ['FORBIDDEN'] : refusals([answer])).toEqual([code]);
      expect(await sql('SELECT FROM muted_dialogs WHERE dialog_id = $1', [id])).toEqual([]);
    }
  });

  test('deleting a former occupant waits for the change, like deleting an occupant', async () => {
    const [alice, bob, carol] = (await quickUsers(3)) as [QuickUser, QuickUser, QuickUser];
    const id = await createDialog(alice, [bob, carol]);
    await remove(alice, id, bob);
    const { updatedAt } = await db.dialog.findFirstOrThrow({ where: { id } });
    clock.set(new Date(updatedAt.getTime() + 1000));
    const counted = 'UPDATE dialogs SET name = (SELECT count(*) FROM members WHERE dialog_id = $1) WHERE id = $1';
    for (const [user, members] of [
      [bob, '3'],
      [carol, '2'],
    ] as const) {
      expect(refusals([await whileDialogIsLocked(id, counted, () => deleteUser(user))])).toEqual([]);
      const dialog = await db.dialog.findFirstOrThrow({ where: { id } });
      expect(dialog).toMatchObject({ name: members, updatedAt: user === bob ? updatedAt : running.now() });
    }
    expect(await occupantsOf(id)).toEqual([alice.id]);
  });
});

import { describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { expectCounted } from '../../support/app/integrity.ts';
import { sql, whileLocked } from '../../support/app/sql.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { createDialog, execute, type QuickUser, quickUsers, send, sendMany } from '../../support/fixtures/chat.ts';
import { apiKey, type Caller } from '../../support/fixtures/users.ts';

useApp();

const UPDATE = `mutation ($ids: [ID!]!, $input: UpdateMessagesInput!) {
  updateMessages(ids: $ids, input: $input) { id readIds } }`;
const MARK_ALL = `mutation ($dialogId: ID!, $read: Boolean) { markDialogMessages(dialogId: $dialogId, read: $read) }`;
const DELETE = `mutation ($ids: [ID!]!, $force: Boolean!) {
  deleteMessages(ids: $ids, force: $force) { deletedIds notFoundIds } }`;
const READ = 'mutation ($dialogId: ID!) { readMessages(dialogId: $dialogId) { items { id readIds } } }';
const REACT = 'mutation ($id: ID!, $name: String) { addReaction(messageId: $id, name: $name) { id } }';
const CHANGE = `mutation ($id: ID!, $add: String, $remove: String) {
  changeReactions(messageId: $id, add: $add, remove: $remove) { id reactions { name } } }`;

type Deed = [document: string, variables: Record<string, unknown>, as: Caller];

function outcomes(deeds: Deed[]): Promise<string[]> {
  return Promise.all(
    deeds.map(async ([document, variables, as]) => {
      const { errors } = await graphql(document, variables, as);
      return errors ? String(errors[0]!.extensions?.code) : 'done';
    }),
  );
}

const COMMON = ['done', 'NOT_FOUND'];

async function group(): Promise<{ alice: QuickUser; bob: QuickUser; carol: QuickUser; dialogId: string }> {
  const [alice, bob, carol] = (await quickUsers(3)) as [QuickUser, QuickUser, QuickUser];
  return { alice, bob, carol, dialogId: await createDialog(alice, [bob, carol]) };
}

/** Runs operations concurrently on new messages of Alice in a group, several times, and then checks the counters. */
async function race(
  count: number,
  deedsOf: (ids: string[], people: { alice: QuickUser; bob: QuickUser; carol: QuickUser; dialogId: string }) => Deed[],
): Promise<void> {
  const people = await group();
  for (let round = 0; round < 6; round++) {
    const ids = await sendMany(people.alice, people.dialogId, count);
    const deeds = deedsOf(ids, people);
    const turned = round % 2 ? deeds : [...deeds].reverse();
    for (const outcome of await outcomes(turned)) expect(COMMON).toContain(outcome);
    await expectCounted(people.dialogId);
  }
}

describe('concurrent operations on messages', () => {
  test('counters stay correct during an edit and a deletion for all', () =>
    race(2, (ids, { alice }) => [
      [UPDATE, { ids, input: { text: 'new', read: false } }, alice],
      [DELETE, { ids, force: true }, apiKey],
      [UPDATE, { ids: [...ids].reverse(), input: { text: 'newer' } }, alice],
      [UPDATE, { ids, input: { text: 'by key' } }, apiKey],
    ]));

  test('counters stay correct during partial and complete marking, reading and deletions', () =>
    race(4, (ids, { alice, bob, carol, dialogId }) => [
      [UPDATE, { ids: ids.slice(0, 3), input: { read: true } }, bob],
      [UPDATE, { ids: ids.slice(1), input: { read: false, delivered: true } }, bob],
      [MARK_ALL, { dialogId, read: true }, carol],
      [READ, { dialogId }, bob],
      [DELETE, { ids: ids.slice(1, 3), force: true }, alice],
      [MARK_ALL, { dialogId, read: false }, carol],
      [UPDATE, { ids, input: { read: true } }, carol],
    ]));

  test('counters stay correct during deletions of overlapping lists for all', () =>
    race(6, (ids, { alice }) => [
      [DELETE, { ids: ids.slice(0, 4), force: true }, alice],
      [DELETE, { ids: ids.slice(2).reverse(), force: true }, apiKey],
      [DELETE, { ids: [...ids].reverse(), force: true }, alice],
    ]));

  test('counters stay correct during repeated deletions for oneself and a deletion for all', () =>
    race(4, (ids, { alice, bob, carol }) => [
      [DELETE, { ids, force: false }, bob],
      [DELETE, { ids: ids.slice(1, 3), force: true }, alice],
      [DELETE, { ids: [...ids].reverse(), force: false }, bob],
      [DELETE, { ids, force: false }, carol],
      [UPDATE, { ids, input: { read: true } }, bob],
    ]));

  test('counters stay correct during reactions and a deletion for all', () =>
    race(2, ([first, second], { alice, bob, carol }) => [
      [REACT, { id: first, name: 'like' }, bob],
      [CHANGE, { id: first, add: 'love' }, carol],
      [DELETE, { ids: [second, first], force: true }, alice],
      [REACT, { id: second, name: 'like' }, carol],
      [REACT, { id: first, name: 'like' }, carol],
    ]));

  test('counters stay correct during sending and deletions of earlier messages', () =>
    race(3, (ids, { alice, bob, dialogId }) => [
      ['mutation ($id: ID!) { sendMessage(input: { dialogId: $id, text: "x" }) { id } }', { id: dialogId }, bob],
      [DELETE, { ids, force: true }, alice],
      ['mutation ($id: ID!) { sendMessage(input: { dialogId: $id, text: "y" }) { id } }', { id: dialogId }, alice],
      [MARK_ALL, { dialogId, read: true }, bob],
    ]));

  test('two devices of one user that mark messages of two dialogs in opposite orders do not deadlock', async () => {
    const { alice, bob, dialogId } = await group();
    const other = await createDialog(alice, [bob]);
    for (let round = 0; round < 10; round++) {
      const ids = [await send(alice, dialogId, 'x'), await send(alice, other, 'x')];
      const deeds = Array.from({ length: 8 }, (_, nth): Deed => {
        const named = nth % 2 ? ids : [...ids].reverse();
        return [UPDATE, { ids: named, input: { read: nth < 4 } }, bob];
      });
      expect(await outcomes(deeds)).toEqual(Array(8).fill('done'));
    }
    for (const id of [dialogId, other]) await expectCounted(id);
  });

  test('two devices of one user that exchange reactions in opposite orders do not deadlock', async () => {
    const { alice, bob, dialogId } = await group();
    const id = await send(alice, dialogId, 'x');
    for (let round = 0; round < 10; round++) {
      for (const name of ['a', 'b']) await execute(REACT, { id, name }, bob);
      const deeds = Array.from({ length: 8 }, (_, nth): Deed => {
        const [add, remove] = nth % 2 ? ['a', 'b'] : ['b', 'a'];
        return [CHANGE, { id, add, remove }, bob];
      });
      for (const outcome of await outcomes(deeds)) expect(COMMON).toContain(outcome);
      const { message } = await execute('query ($id: ID!) { message(id: $id) { ownReactions } }', { id }, bob);
      expect(message.ownReactions).toHaveLength(1);
    }
  });
});

test('a reaction that is added while its message is deleted is deleted with it', async () => {
  const { alice, dialogId } = await group();
  const id = await send(alice, dialogId, 'x');
  const { deleteMessages } = await whileLocked(
    'SELECT FROM messages WHERE id = $1 FOR KEY SHARE',
    id,
    `INSERT INTO reactions (application_id, message_id, user_id, name)
     SELECT application_id, id, sender_id, 'late' FROM messages WHERE id = $1`,
    () => execute(DELETE, { ids: [id], force: true }, alice),
  );
  expect(deleteMessages.deletedIds).toEqual([id]);
  expect(await sql('SELECT FROM reactions WHERE message_id = $1', [id])).toEqual([]);
  await expectCounted(dialogId);
});

test('a reaction to a message of a dialog that is being deleted is not stored', async () => {
  const { alice, bob, dialogId } = await group();
  const id = await send(alice, dialogId, 'x');
  await whileLocked('SELECT FROM dialogs WHERE id = $1 FOR UPDATE', dialogId, 'DELETE FROM dialogs WHERE id = $1', () =>
    outcomes([
      [REACT, { id, name: 'like' }, bob],
      [CHANGE, { id, add: 'love' }, bob],
    ]),
  );
  expect(await sql('SELECT FROM reactions WHERE message_id = $1', [id])).toEqual([]);
});

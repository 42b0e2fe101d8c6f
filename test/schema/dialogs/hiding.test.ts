import { describe, expect, test } from 'vitest';
import { clock, useApp } from '../../support/app/app.ts';
import { sql } from '../../support/app/sql.ts';
import { createDialog, errorOf, execute, type QuickUser, quickUsers, send } from '../../support/fixtures/chat.ts';
import {
  addOccupants,
  aGroup,
  DESTROY,
  dialogOf,
  LEAVE,
  MUTE,
  READ,
  removeOccupants,
} from '../../support/fixtures/groups.ts';
import type { Caller } from '../../support/fixtures/users.ts';

useApp();

const DELETE = `mutation ($ids: [ID!]!, $force: Boolean = false) {
  deleteDialogs(ids: $ids, force: $force) { deletedIds notFoundIds wrongPermissionsIds } }`;

async function listed(as: Caller): Promise<string[]> {
  const { dialogs } = await execute(
    '{ dialogs(filter: { type: { ne: 1 } }) { totalCount edges { node { id } } } }',
    {},
    as,
  );
  expect(dialogs.totalCount).toBe(dialogs.edges.length);
  return dialogs.edges.map((edge: { node: { id: string } }) => edge.node.id);
}

const unreadOf = async (as: Caller, dialogIds?: string[]) => {
  const document = 'query ($dialogIds: [ID!]) { unreadCounts(dialogIds: $dialogIds) { total dialogs { count } } }';
  return (await execute(document, { dialogIds }, as)).unreadCounts;
};

describe('private dialogs hidden by one user', () => {
  async function aPair() {
    const [alice, bob, carol] = (await quickUsers(3)) as [QuickUser, QuickUser, QuickUser];
    const before = await createDialog(alice, [carol]);
    clock.advance(1000);
    const pair = await createDialog(bob, [alice], 'PRIVATE');
    await send(bob, pair, 'first');
    clock.advance(1000);
    const after = await createDialog(alice, [carol], 'PRIVATE');
    expect(await listed(alice)).toEqual([after, pair, before]);
    await execute(LEAVE, { id: pair }, alice);
    expect(await listed(alice)).toEqual([after, before]);
    return { alice, bob, pair, before, after };
  }

  test('a hidden private dialog remains listed for the other user and accessible by id for both', async () => {
    const { alice, bob, pair } = await aPair();
    expect(await listed(bob)).toEqual([pair]);
    expect(await dialogOf(pair, alice)).toMatchObject({ lastMessage: 'first', unreadMessagesCount: 1 });
    const messages = '{ totalCount edges { node { text } } }';
    expect(await execute(`query ($id: ID!) { messages(dialogId: $id) ${messages} }`, { id: pair }, alice)).toEqual({
      messages: { totalCount: 1, edges: [{ node: { text: 'first' } }] },
    });
    await execute(LEAVE, { id: pair }, alice);
    expect(await listed(bob)).toEqual([pair]);
  });

  test('a hidden private dialog counts as unread only when requested by id', async () => {
    const { alice, bob, pair, before } = await aPair();
    expect((await unreadOf(alice)).total).toBe(0);
    expect(await unreadOf(alice, [pair, before])).toEqual({ total: 1, dialogs: [{ count: 1 }, { count: 0 }] });
    await send(bob, pair, 'second');
    expect((await unreadOf(alice)).total).toBe(2);
  });

  test('the next message of the other user restores a hidden private dialog to its position', async () => {
    const { alice, bob, pair, before, after } = await aPair();
    await send(bob, pair, 'second');
    expect((await listed(alice)).sort()).toEqual([pair, after, before].sort());
    clock.advance(1000);
    await send(bob, pair, 'third');
    expect(await listed(alice)).toEqual([pair, after, before]);
  });

  test('an own message to the dialog or to the user restores a hidden private dialog', async () => {
    for (const input of [
      (pair: string) => ({ dialogId: pair }),
      (_pair: string, bob: QuickUser) => ({ recipientId: bob.id }),
    ]) {
      const { alice, bob, pair, before, after } = await aPair();
      clock.advance(1000);
      const document = 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { dialogId } }';
      const { sendMessage } = await execute(document, { input: { ...input(pair, bob), text: 'x' } }, alice);
      expect(sendMessage.dialogId).toBe(pair);
      expect(await listed(alice)).toEqual([pair, after, before]);
    }
  });

  test('creating the dialog again restores it for that caller only, without changing its position', async () => {
    const { alice, bob, pair, before, after } = await aPair();
    await execute(LEAVE, { id: pair }, bob);
    clock.advance(1000);
    expect(await createDialog(alice, [bob], 'PRIVATE')).toBe(pair);
    expect(await listed(alice)).toEqual([after, pair, before]);
    expect(await listed(bob)).toEqual([]);
  });

  test('a hidden private dialog remains hidden when it is read or muted, or its last message is deleted', async () => {
    const { alice, bob, pair, before, after } = await aPair();
    await execute(READ, { id: pair }, alice);
    await execute(MUTE, { id: pair }, alice);
    const { dialog } = await execute('query ($id: ID!) { dialog(id: $id) { lastMessageId } }', { id: pair }, alice);
    const forget = 'mutation ($id: ID!) { deleteMessages(ids: [$id], force: true) { deletedIds } }';
    await execute(forget, { id: dialog.lastMessageId }, bob);
    expect(await listed(alice)).toEqual([after, before]);
  });

  test('a private dialog deleted by force is created again as a new dialog', async () => {
    const { alice, bob, pair } = await aPair();
    await execute(DESTROY, { id: pair }, bob);
    expect(await listed(bob)).toEqual([]);
    const fresh = await createDialog(alice, [bob], 'PRIVATE');
    expect(fresh).not.toBe(pair);
    expect(await dialogOf(fresh, bob)).toMatchObject({ userId: alice.id, lastMessage: null, unreadMessagesCount: 0 });
  });
});

describe('notifications', () => {
  const enabled = async (as: Caller, id: string) => {
    const document = 'query ($id: ID!) { dialogNotifications(dialogId: $id) { enabled } }';
    return (await execute(document, { id }, as)).dialogNotifications.enabled;
  };

  test('each occupant can mute a dialog for themselves, in public groups every user', async () => {
    const [alice, bob, , dave, id] = await aGroup();
    const lobby = await createDialog(alice, [], 'PUBLIC_GROUP');
    await execute(MUTE, { id }, bob);
    await execute(MUTE, { id: lobby }, dave);
    expect(await Promise.all([enabled(bob, id), enabled(alice, id)])).toEqual([false, true]);
    expect(await Promise.all([enabled(dave, lobby), enabled(alice, lobby)])).toEqual([false, true]);
    expect(await execute(MUTE, { id: lobby, enabled: true }, dave)).toEqual({
      updateDialogNotifications: { enabled: true },
    });
    expect(await enabled(dave, lobby)).toBe(true);
    expect((await errorOf(MUTE, { id }, dave)).code).toBe('FORBIDDEN');
    expect(await errorOf(MUTE, { id, enabled: null }, dave)).toEqual({
      code: 'BAD_USER_INPUT',
      message: 'No data for update was provided',
    });
  });

  test('muting ends when a user leaves or is removed and comes back', async () => {
    const [alice, bob, carol, , id] = await aGroup();
    for (const user of [alice, bob, carol]) await execute(MUTE, { id }, user);
    await removeOccupants(alice, id, bob);
    await execute(LEAVE, { id }, carol);
    await addOccupants(alice, id, bob, carol);
    expect(await Promise.all([alice, bob, carol].map((user) => enabled(user, id)))).toEqual([false, true, true]);
  });

  test('hiding a private dialog does not change its notifications', async () => {
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const id = await createDialog(alice, [bob], 'PRIVATE');
    await execute(MUTE, { id }, bob);
    await execute(LEAVE, { id }, bob);
    expect(await enabled(bob, id)).toBe(false);
  });

  test('deleting a dialog or user deletes the notification settings', async () => {
    const [alice, bob, carol, , id] = await aGroup();
    const lobby = await createDialog(alice, [], 'PUBLIC_GROUP');
    for (const user of [bob, carol]) for (const dialog of [id, lobby]) await execute(MUTE, { id: dialog }, user);
    await execute('mutation ($id: Int!) { deleteUser(id: $id) }', { id: bob.id }, bob);
    expect(await sql('SELECT FROM muted_dialogs WHERE user_id = $1', [bob.id])).toEqual([]);
    for (const dialog of [id, lobby]) await execute(DESTROY, { id: dialog }, alice);
    expect(await sql('SELECT FROM muted_dialogs WHERE user_id = $1', [carol.id])).toEqual([]);
  });
});

describe('deleteDialogs', () => {
  test('deleteDialogs reports each id once, in the given order', async () => {
    const [alice, bob, , , group] = await aGroup();
    const [, , , , foreign] = await aGroup();
    const pair = await createDialog(alice, [bob], 'PRIVATE');
    const lobby = await createDialog(bob, [], 'PUBLIC_GROUP');
    const ids = [pair, 'x', foreign, group, lobby, '0'.repeat(24), pair, 'x', foreign];
    expect((await execute(DELETE, { ids }, bob)).deleteDialogs).toEqual({
      deletedIds: [pair, group],
      notFoundIds: ['x', '0'.repeat(24)],
      wrongPermissionsIds: [foreign, lobby],
    });
    expect((await execute(DELETE, { ids: ids.reverse(), force: true }, bob)).deleteDialogs).toEqual({
      deletedIds: [lobby],
      notFoundIds: ['x', '0'.repeat(24)],
      wrongPermissionsIds: [foreign, pair, group],
    });
  });

  test('deleteDialogs accepts a hundred ids and reports an empty list as not found', async () => {
    const [alice, , , , group] = await aGroup();
    const ids = Array.from({ length: 100 }, (_, nth) => String(nth));
    expect(await errorOf(DELETE, { ids: [...ids, group] }, alice)).toEqual({
      code: 'UNPROCESSABLE',
      message: 'A request may name at most 100 ids',
    });
    expect((await errorOf(DELETE, { ids }, alice)).code).toBe('NOT_FOUND');
    expect((await errorOf(DELETE, { ids: [] }, alice)).code).toBe('NOT_FOUND');
    const given = [...ids.slice(1), group, ...ids.slice(1)];
    expect((await execute(DELETE, { ids: given }, alice)).deleteDialogs).toMatchObject({ deletedIds: [group] });
  });
});

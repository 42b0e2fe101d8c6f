import { expect, test } from 'vitest';
import {
  chooseDefaultList,
  findPrivacyList,
  findPrivacyLists,
  storePrivacyList,
} from '../../../src/resolvers/blocks/privacy-lists.ts';
import type { PrivacyItem } from '../../../src/resolvers/blocks/rules.ts';
import { useApp } from '../../support/app/app.ts';
import { sql } from '../../support/app/sql.ts';
import { errorOf, execute, type QuickUser, quickUsers } from '../../support/fixtures/chat.ts';
import { contextOf } from '../../support/fixtures/contexts.ts';

useApp();

const SEND = 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { id } }';
const STANZAS = ['message', 'presence-in', 'presence-out', 'iq'];

const deny = (user: { id: number }, more: Partial<PrivacyItem> = {}): PrivacyItem => ({
  order: 1,
  action: 'deny',
  type: 'jid',
  value: `${user.id}-1@chat.example.org`,
  stanzas: STANZAS,
  userId: user.id,
  ...more,
});

const blockedBy = async (as: QuickUser) => (await execute('{ blockedUsers { userId mutual } }', {}, as)).blockedUsers;
const refused = async (as: QuickUser, to: QuickUser) =>
  (await errorOf(SEND, { input: { recipientId: to.id, text: 'hi' } }, as)).code === 'FORBIDDEN';

test('a list takes effect while it is the default list, and is stored as the client wrote it', async () => {
  const [alice, bob, carol] = (await quickUsers(3)) as [QuickUser, QuickUser, QuickUser];
  const context = contextOf(alice);
  const items = [
    deny(bob, { order: 2 }),
    deny(bob, { order: 1, isInRooms: true, value: `muc.chat.example.org/${bob.id}` }),
    deny(carol, { order: 3, stanzas: [] }),
    { order: 4, action: 'allow', type: 'group', value: 'friends', stanzas: [] },
    deny({ id: 2_000_000_000 }),
  ];
  await storePrivacyList('L', items, context);
  await storePrivacyList('M', [deny(bob)], context);
  expect(await findPrivacyLists(context)).toEqual({ names: ['L', 'M'], defaultName: undefined });
  expect(await findPrivacyList('L', context)).toEqual(items);
  expect(await blockedBy(alice)).toEqual([]);

  await chooseDefaultList('L', context);
  expect(await findPrivacyLists(context)).toMatchObject({ defaultName: 'L' });
  expect(await blockedBy(alice)).toEqual([
    { userId: bob.id, mutual: false },
    { userId: carol.id, mutual: true },
  ]);
  expect([await refused(bob, alice), await refused(carol, alice), await refused(alice, carol)]).toEqual([
    true,
    true,
    true,
  ]);
  await execute(SEND, { input: { recipientId: bob.id, text: 'hi' } }, alice);

  await storePrivacyList('L', [deny(carol)], context);
  expect(await blockedBy(alice)).toEqual([{ userId: carol.id, mutual: false }]);
  await chooseDefaultList('M', context);
  expect(await blockedBy(alice)).toEqual([{ userId: bob.id, mutual: false }]);
  await chooseDefaultList(null, context);
  expect(await blockedBy(alice)).toEqual([]);
});

test('an empty list is removed and no longer the default', async () => {
  const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
  const context = contextOf(alice);
  await storePrivacyList('L', [deny(bob)], context);
  await chooseDefaultList('L', context);
  await storePrivacyList('L', [], context);
  expect(await findPrivacyLists(context)).toEqual({ names: [], defaultName: undefined });
  await expect(findPrivacyList('L', context)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(chooseDefaultList('L', context)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(await blockedBy(alice)).toEqual([]);
  await storePrivacyList('L', [], context);
});

test('blocks of the default list and of blockUser are one union, and unblockUser ends both', async () => {
  const [alice, bob, carol] = (await quickUsers(3)) as [QuickUser, QuickUser, QuickUser];
  const context = contextOf(alice);
  await storePrivacyList('L', [deny(bob), deny(bob, { isInRooms: true }), deny(carol)], context);
  await chooseDefaultList('L', context);
  await execute(`mutation { blockUser(userId: ${bob.id}) { id } }`, {}, alice);
  expect(await blockedBy(alice)).toEqual([
    { userId: bob.id, mutual: true },
    { userId: carol.id, mutual: false },
  ]);
  await execute(`mutation { unblockUser(userId: ${bob.id}) { id } }`, {}, alice);
  expect(await findPrivacyList('L', context)).toEqual([deny(carol)]);
  expect(await blockedBy(alice)).toEqual([{ userId: carol.id, mutual: false }]);
  await execute(`mutation { unblockUser(userId: ${carol.id}) { id } }`, {}, alice);
  expect(await findPrivacyLists(context)).toEqual({ names: [], defaultName: undefined });
});

test('a user has at most 100 lists of 2,000 items, with names of up to 255 characters', async () => {
  const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
  const context = contextOf(alice);
  const store = (name: string, count: number) => storePrivacyList(name, Array(count).fill(deny(bob)), context);
  await expect(store('L', 2_001)).rejects.toMatchObject({ code: 'UNPROCESSABLE' });
  await expect(store('', 1)).rejects.toMatchObject({ code: 'UNPROCESSABLE' });
  await expect(store('L'.repeat(256), 1)).rejects.toMatchObject({ code: 'UNPROCESSABLE' });
  await store('L'.repeat(255), 2_000);
  for (let count = 1; count < 100; count++) await store(`list ${count}`, 1);
  await expect(store('one more', 1)).rejects.toMatchObject({ code: 'UNPROCESSABLE' });
  await store('list 99', 2);
  expect((await findPrivacyLists(context)).names).toHaveLength(100);
  await execute(`mutation { deleteUser(id: ${alice.id}) }`, {}, alice);
  expect(await sql('SELECT FROM privacy_lists WHERE user_id = $1', [alice.id])).toEqual([]);
});

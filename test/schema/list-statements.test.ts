import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../support/app/app.ts';
import { createTenant } from '../support/app/other-apps.ts';
import { statementsOf } from '../support/app/sql.ts';
import { rest } from '../support/clients/rest.ts';
import { createDialog, execute, type QuickUser, send } from '../support/fixtures/chat.ts';
import type { Caller } from '../support/fixtures/users.ts';

useApp();

let users: QuickUser[];
let key: Caller;
beforeAll(async () => {
  const tenant = await createTenant(60);
  users = tenant.users as QuickUser[];
  key = tenant.key;
});

/** Number of statements for a page, which must return `shown` items. */
async function cost(shown: number, page: () => Promise<unknown[]>): Promise<number> {
  let items: unknown[] = [];
  const sent = await statementsOf(async () => {
    items = await page();
  });
  expect(items).toHaveLength(shown);
  return sent.length;
}

const itemsOf = async (path: string, as: Caller): Promise<unknown[]> => (await rest('GET', path, { as })).body.items;

describe('messages', () => {
  /** A group of ten with messages by all of them, each with two reactions, and marks above the watermark. */
  async function talk(count: number): Promise<string> {
    const dialogId = await createDialog(users[0]!, users.slice(1, 10));
    for (let nth = 0; nth < count; nth++) {
      const id = await send(users[nth % 10]!, dialogId, `m ${nth}`);
      for (const [place, name] of [
        [1, 'like'],
        [(nth % 8) + 2, 'haha'],
      ] as const) {
        await execute(
          'mutation ($id: ID!, $name: String!) { addReaction(messageId: $id, name: $name) { id } }',
          { id, name },
          {
            ...users[place]!,
          },
        );
      }
    }
    await rest('GET', `/chat/Message?chat_dialog_id=${dialogId}&skip=1&limit=${count - 1}`, { as: users[9]! });
    return dialogId;
  }

  let dialogId: string;
  let readers: QuickUser[];
  beforeAll(async () => {
    dialogId = await talk(52);
    readers = users.slice(1, 9);
  });

  const GRAPHQL = `query ($dialogId: ID!, $first: Int) { messages(dialogId: $dialogId, first: $first) {
    totalCount pageInfo { endCursor } edges { cursor node {
      id dialogId text sender { id login fullName } recipientId dateSent attachments customFields readIds deliveredIds read
      reactions { name count own } ownReactions createdAt updatedAt } } } }`;

  test.each<[page: string, most: number, read: (as: Caller, size: number) => Promise<unknown[]>]>([
    // Key, user, page with details, count, senders.
    ['over GraphQL', 5, async (as, first) => (await execute(GRAPHQL, { dialogId, first }, as)).messages.edges],
    [
      'over REST',
      3,
      (as, limit) => itemsOf(`/chat/Message?chat_dialog_id=${dialogId}&limit=${limit}&mark_as_read=0`, as),
    ],
    // Including the marking transaction: begin, lock timeout, lock, insert, fold, commit; and the details after it.
    [
      'over REST with marking',
      10,
      (as, limit) => itemsOf(`/chat/Message?chat_dialog_id=${dialogId}&limit=${limit}`, as),
    ],
    [
      'over REST with marking in reverse order',
      10,
      (as, limit) => itemsOf(`/chat/Message?chat_dialog_id=${dialogId}&limit=${limit}&skip=1&sort_desc=date_sent`, as),
    ],
  ])('a page %s requires at most %d statements, for 5 and for 50 items', async (page, most, read) => {
    // Each reader has read none of the messages before.
    const [one, another] = readers.splice(0, 2) as [QuickUser, QuickUser];
    const few = await cost(5, () => read(one, 5));
    const many = await cost(50, () => read(another, 50));
    expect([page, few]).toEqual([page, many]);
    expect(many).toBeLessThanOrEqual(most);
  });

  test('a page without unread messages opens no transaction', async () => {
    const path = `/chat/Message?chat_dialog_id=${await talk(5)}`;
    await itemsOf(path, users[1]!);
    const again = await cost(5, () => itemsOf(path, users[1]!));
    expect(again).toBe(await cost(5, () => itemsOf(`${path}&mark_as_read=0`, users[1]!)));
  });
});

describe('dialogs', () => {
  const GRAPHQL = `query ($first: Int) { dialogs(first: $first) { totalCount edges { cursor node {
    id type userId name photo isJoinRequired occupantIds adminIds xmppRoomJid lastMessage lastMessageId
    lastMessageDateSent lastMessageUserId unreadMessagesCount createdAt updatedAt } } } }`;

  beforeAll(async () => {
    const [alice, bob, ...others] = users as [QuickUser, QuickUser, ...QuickUser[]];
    for (const [nth, other] of others.slice(0, 50).entries()) {
      const kind = (['PRIVATE', 'GROUP', 'PUBLIC_GROUP'] as const)[nth % 3]!;
      const dialogId = await createDialog(alice, kind === 'PRIVATE' ? [other] : [other, bob], kind);
      const id = await send(other, dialogId, 'hi');
      if (nth % 2) {
        await send(other, dialogId, 'hidden');
        await execute('mutation ($id: ID!) { deleteMessages(ids: [$id]) { deletedIds } }', { id }, alice);
      }
    }
  });

  test.each<[page: string, read: (as: Caller, size: number) => Promise<unknown[]>]>([
    ['over GraphQL', async (as, first) => (await execute(GRAPHQL, { first }, as)).dialogs.edges],
    ['over REST', (as, limit) => itemsOf(`/chat/Dialog?limit=${limit}`, as)],
    [
      'over REST with filter and order',
      (as, limit) => itemsOf(`/chat/Dialog?limit=${limit}&name[ne]=x&sort_desc=name&last_message_date_sent[gt]=1`, as),
    ],
  ])('a page %s requires few statements, for 5 and for 50 items', async (_page, read) => {
    // Key, user, page, count, occupants, last messages, unread counts, names of others.
    for (const [as, most] of [
      [users[0]!, 8],
      [key, 7],
    ] as const) {
      const few = await cost(5, () => read(as, 5));
      const many = await cost(50, () => read(as, 50));
      expect(many).toBeLessThanOrEqual(most);
      // A page without private dialogs needs no names of other users.
      expect(many - few).toBeLessThanOrEqual(1);
    }
  });
});

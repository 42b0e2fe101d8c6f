import { expect } from 'vitest';
import { graphql } from '../../support/clients/graphql.ts';
import type { QuickUser } from '../../support/fixtures/chat.ts';
import { refusalOf } from '../../support/operations/outcomes.ts';
import type { ChatModel } from './chat-model.ts';
import { outcomeOf, refused } from './fixture.ts';
import type { ModelDialog, ModelMessage } from './records.ts';

const DIALOG = `id type name userId occupantIds adminIds lastMessage lastMessageId lastMessageUserId
  unreadMessagesCount`;

const VIEW = `query ($dialogId: ID!, $asksDialog: Boolean!, $asksMessages: Boolean!) {
  unreadCounts { total }
  dialogs(first: 20, filter: { type: { in: [2, 3] } }) { edges { node { ${DIALOG} } } }
  dialog(id: $dialogId) @include(if: $asksDialog) { ${DIALOG} }
  messages(dialogId: $dialogId, first: 100) @include(if: $asksMessages) { edges { node {
    id text senderId recipientId readIds deliveredIds read updatedAt reactions { name count own } ownReactions
  } } }
}`;

/** Compares the dialog, the list and the total of unread messages of each user with the model. */
export async function expectViews(model: ChatModel, users: QuickUser[], dialog?: ModelDialog): Promise<void> {
  await Promise.all(users.map((user) => expectView(model, user, dialog)));
}

export async function expectAnswers(model: ChatModel, users: QuickUser[], dialog: ModelDialog): Promise<void> {
  const { id } = dialog;
  const find = (user: number) => model.dialog(user, id);
  const rows: [asked: string, expected: (user: number) => unknown][] = [
    ['dialog(id: $id) { id }', (user) => ({ id: find(user).id })],
    ['messages(dialogId: $id) { totalCount }', (user) => ({ totalCount: model.visible(user, find(user)).length })],
    ['unreadCounts(dialogIds: [$id]) { total }', (user) => ({ total: model.unreadOf(user, [id]) })],
  ];
  for (const user of users) {
    for (const [asked, expected] of rows) {
      const answer = await graphql(`query ($id: ID!) { answer: ${asked} }`, { id }, user);
      const refusal = refusalOf(answer, asked);
      const outcome = refusal ? refused(refusal, asked) : { value: answer.data.answer };
      expect([user.id, asked, outcome]).toEqual([user.id, asked, outcomeOf(() => expected(user.id))]);
    }
  }
}

async function expectView(model: ChatModel, user: QuickUser, dialog: ModelDialog | undefined): Promise<void> {
  const listed = model.list(user.id);
  const seen = dialog && model.mayEnter(user.id, dialog) ? dialog : undefined;
  const asked = { asksDialog: seen !== undefined && !listed.includes(seen), asksMessages: seen !== undefined };
  const { data, errors } = await graphql(VIEW, { dialogId: seen?.id ?? '', ...asked }, user);
  if (errors) throw new Error(JSON.stringify(errors));
  const edges = <Node>(nodes: Node[]) => ({ edges: nodes.map((node) => ({ node })) });
  expect({ user: user.id, ...data }).toEqual({
    user: user.id,
    unreadCounts: { total: listed.reduce((sum, one) => sum + model.unread(user.id, one), 0) },
    dialogs: edges(listed.map((one) => dialogNode(model, user.id, one))),
    ...(asked.asksDialog ? { dialog: dialogNode(model, user.id, seen!) } : {}),
    ...(seen ? { messages: edges(model.visible(user.id, seen).map((one) => messageNode(user.id, one))) } : {}),
  });
}

function dialogNode(model: ChatModel, user: number, dialog: ModelDialog) {
  const { id, kind, name, owner, occupants, admins } = dialog;
  const last = model.visible(user, dialog).at(-1);
  return {
    id,
    type: kind,
    // A private dialog has the name of the other user.
    name: kind === 'PRIVATE' ? expect.any(String) : name,
    userId: owner,
    occupantIds: kind === 'PUBLIC_GROUP' ? [] : ascending(occupants),
    adminIds: ascending(admins),
    lastMessage: last?.text ?? null,
    lastMessageId: last?.id ?? null,
    lastMessageUserId: last?.sender ?? null,
    unreadMessagesCount: model.unread(user, dialog),
  };
}

function messageNode(user: number, message: ModelMessage) {
  const { id, dialog, text, sender, readers, receivers, updatedAt, reactions } = message;
  const recipient = dialog.kind === 'PRIVATE' ? [...dialog.occupants].find((one) => one !== sender)! : 0;
  const names = [...new Set(reactions.map(({ name }) => name))];
  const own = reactions.filter((one) => one.user === user).map(({ name }) => name);
  const count = (wanted: string) => reactions.filter(({ name }) => name === wanted).length;
  return {
    id,
    text,
    senderId: sender,
    recipientId: recipient,
    readIds: ascending(readers),
    deliveredIds: ascending(receivers),
    read: readers.has(recipient),
    updatedAt: new Date(updatedAt).toISOString(),
    reactions: names.map((name) => ({ name, count: count(name), own: own.includes(name) })),
    ownReactions: own,
  };
}

export function ascending(ids: Iterable<number>): number[] {
  return [...ids].sort((a, b) => a - b);
}

import { graphql, type ResultOf } from '@atrium/client';
import type { InfiniteData } from '@tanstack/react-query';

/** Without a total, so that a dialog of any length opens as fast. */
export const MESSAGES = graphql(`query ConsoleMessages($dialogId: ID!, $last: Int!, $before: String) {
  messages(dialogId: $dialogId, last: $last, before: $before) {
    edges { node { id senderId text dateSent updatedAt createdAt attachments readIds reactions { name count } } }
    pageInfo { hasPreviousPage startCursor }
  }
}`);

export const MESSAGE = graphql(`query ConsoleMessage($id: ID!) {
  message(id: $id) { id senderId text dateSent updatedAt createdAt attachments readIds reactions { name count } }
}`);

export const EVENTS = graphql(`subscription ConsoleDialogEvents($dialogId: ID, $since: String) {
  dialogEvents(dialogId: $dialogId, since: $since) {
    __typename
    cursor
    ... on MessageSent { message { id senderId text dateSent updatedAt createdAt attachments readIds reactions { name count } } }
    ... on MessageEdited { message { id senderId text dateSent updatedAt createdAt attachments readIds reactions { name count } } }
    ... on MessagesDeleted { deletedIds }
    ... on MessagesMarked { read userId messageIds }
    ... on ReactionAdded { messageId }
    ... on ReactionRemoved { messageId }
  }
}`);

export type MessagesPage = ResultOf<typeof MESSAGES>['messages'];
export type Message = MessagesPage['edges'][number]['node'];
export type DialogEvent = ResultOf<typeof EVENTS>['dialogEvents'];
type MarkedEvent = Pick<Extract<DialogEvent, { __typename: 'MessagesMarked' }>, 'read' | 'userId' | 'messageIds'>;
/** The newest page is first. */
export type Loaded = InfiniteData<MessagesPage>;

/** Adds or replaces the message. Ignores one that is older than those loaded, because it comes with its page. */
export function withMessage(old: Loaded, message: Message): Loaded {
  if (has(old, message.id)) return withChanged(old, message);
  const [newest, ...earlier] = old.pages;
  if (!newest) return old;
  const last = newest.edges.at(-1)?.node;
  if (last && message.dateSent < last.dateSent) return old;
  return { ...old, pages: [{ ...newest, edges: [...newest.edges, { node: message }] }, ...earlier] };
}

/** Replaces the message if it is loaded. */
export function withChanged(old: Loaded, message: Message): Loaded {
  if (!has(old, message.id)) return old;
  const replace = ({ node }: { node: Message }) => ({ node: node.id === message.id ? message : node });
  return { ...old, pages: old.pages.map((page) => ({ ...page, edges: page.edges.map(replace) })) };
}

/** Changes who has read messages. @param messageIds null for all */
export function withMarks(old: Loaded, { read, userId, messageIds }: MarkedEvent): Loaded {
  if (read === null) return old;
  const change = ({ node }: { node: Message }) => {
    if (messageIds && !messageIds.includes(node.id)) return { node };
    const others = node.readIds.filter((id) => id !== userId);
    return { node: { ...node, readIds: read ? [...others, userId] : others } };
  };
  return { ...old, pages: old.pages.map((page) => ({ ...page, edges: page.edges.map(change) })) };
}

export function without(old: Loaded, ids: readonly string[]): Loaded {
  const pages = old.pages.map((page) => ({ ...page, edges: page.edges.filter(({ node }) => !ids.includes(node.id)) }));
  return { ...old, pages };
}

function has({ pages }: Loaded, id: string): boolean {
  return pages.some(({ edges }) => edges.some(({ node }) => node.id === id));
}

import { graphql, type ResultOf } from '@atrium/client';
import type { InfiniteData } from '@tanstack/react-query';

export const MESSAGES = graphql(`query ConsoleMessages($dialogId: ID!, $last: Int!, $before: String) {
  messages(dialogId: $dialogId, last: $last, before: $before) {
    totalCount
    edges { node { id senderId text dateSent updatedAt createdAt attachments reactions { name count } } }
    pageInfo { hasPreviousPage startCursor }
  }
}`);

export const EVENTS = graphql(`subscription ConsoleDialogEvents($dialogId: ID, $since: String) {
  dialogEvents(dialogId: $dialogId, since: $since) {
    cursor
    ... on MessageSent { message { id senderId text dateSent updatedAt createdAt attachments reactions { name count } } }
    ... on MessagesDeleted { deletedIds }
  }
}`);

export type MessagesPage = ResultOf<typeof MESSAGES>['messages'];
export type Message = MessagesPage['edges'][number]['node'];
/** The newest page is first. */
export type Loaded = InfiniteData<MessagesPage>;

/** Does nothing if the message is there already. */
export function withMessage(old: Loaded, message: Message): Loaded {
  const [newest, ...earlier] = old.pages;
  if (!newest || newest.edges.some(({ node }) => node.id === message.id)) return old;
  return { ...old, pages: [{ ...newest, edges: [...newest.edges, { node: message }] }, ...earlier] };
}

export function without(old: Loaded, ids: readonly string[]): Loaded {
  const pages = old.pages.map((page) => ({ ...page, edges: page.edges.filter(({ node }) => !ids.includes(node.id)) }));
  return { ...old, pages };
}

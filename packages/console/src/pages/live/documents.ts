import { graphql } from '@atrium/client';
import { t } from '@lingui/core/macro';

/** Where the stream begins. Fails without a reason, which the subscription could not ask for. */
export const CURSOR = graphql(`query ConsoleLiveCursor { changes { cursor } }`);

export const DIALOG_EVENTS = graphql(`subscription ConsoleLive($dialogId: ID, $since: String) {
  dialogEvents(dialogId: $dialogId, since: $since) {
    __typename
    cursor
    dialogId
    ... on MessageSent { message { id senderId text } }
    ... on MessageEdited { message { id senderId text } }
    ... on MessagesDeleted { deletedIds deletedBy forAll }
    ... on MessagesMarked { userId messageIds read delivered }
    ... on ReactionAdded { userId messageId name }
    ... on ReactionRemoved { userId messageId name }
    ... on DialogChanged { dialog { name type occupantIds } }
    ... on DialogRemoved { removal }
  }
}`);

export const RECORD_EVENTS = graphql(`subscription ConsoleLiveRecords(
  $className: String!, $where: JSON, $since: String
) {
  recordChanged(className: $className, where: $where, since: $since) {
    cursor
    change
    recordId
    record { id parentId userId createdAt updatedAt fields }
  }
}`);

/** Kinds of events with their names. */
export const KINDS = {
  MessageSent: t`Message sent`,
  MessageEdited: t`Message edited`,
  MessagesDeleted: t`Messages deleted`,
  MessagesMarked: t`Messages marked`,
  ReactionAdded: t`Reaction added`,
  ReactionRemoved: t`Reaction removed`,
  DialogChanged: t`Dialog changed`,
  DialogRemoved: t`Dialog removed`,
  CREATED: t`Record created`,
  UPDATED: t`Record updated`,
  DELETED: t`Record deleted`,
};

export type Kind = keyof typeof KINDS;

export const RECORD_KINDS: readonly Kind[] = ['CREATED', 'UPDATED', 'DELETED'];
export const DIALOG_KINDS = (Object.keys(KINDS) as Kind[]).filter((kind) => !RECORD_KINDS.includes(kind));

export interface LiveEvent {
  cursor: string;
  kind: Kind;
  receivedAt: string;
  dialogId?: string;
  /** What the kind adds. */
  details: object;
}

import { graphql } from '../graphql.ts';
import {
  anything,
  bit,
  closed,
  described,
  integer,
  listOf,
  mapOf,
  nullable,
  open,
  text,
} from '../openapi/docs/schemas.ts';
import { toBit } from './conversions.ts';
import { computed, shape } from './shape.ts';

export const messageShape = shape('Message', {
  '...': computed(
    graphql(`fragment CustomFields on Message { customFields }`),
    described(anything, 'What else was sent with it.'),
    ({ customFields }) => customFields,
  ),
  _id: 'id',
  message: 'text',
  attachments: ['attachments', listOf(open({ type: text }))],
  created_at: 'createdAt',
  updated_at: 'updatedAt',
  chat_dialog_id: 'dialogId',
  date_sent: 'dateSent',
  sender_id: 'senderId',
  recipient_id: 'recipientId',
  read_ids: 'readIds',
  delivered_ids: 'deliveredIds',
  read: ['read', bit, toBit],
  reactions: computed(
    graphql(`fragment Reactions on Message { reactions { name count } ownReactions }`),
    described(
      nullable(closed({ own: listOf(text), total: mapOf(integer) })),
      "The caller's own names, and how often each was left; null when there is none.",
    ),
    ({ reactions, ownReactions }) =>
      reactions.length === 0
        ? null
        : { own: ownReactions, total: Object.fromEntries(reactions.map(({ name, count }) => [name, count])) },
  ),
});

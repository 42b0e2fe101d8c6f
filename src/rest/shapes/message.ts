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
    described(anything, 'Custom field of the message, as sent.'),
    ({ customFields }) => customFields,
  ),
  _id: 'id',
  message: 'text',
  attachments: ['attachments', listOf(open({ type: described(text, 'Kind of the attachment, such as `image`.') }))],
  created_at: 'createdAt',
  updated_at: 'updatedAt',
  chat_dialog_id: 'dialogId',
  date_sent: 'dateSent',
  sender_id: 'senderId',
  recipient_id: 'recipientId',
  read_ids: 'readIds',
  delivered_ids: 'deliveredIds',
  read: ['read', described(bit, 'Whether the other user of a private dialog has read it; always 0 in groups.'), toBit],
  reactions: computed(
    graphql(`fragment Reactions on Message { reactions { name count } ownReactions }`),
    described(
      nullable(
        closed({
          own: described(listOf(text), 'Names of the reactions of the caller, in order of creation.'),
          total: described(mapOf(integer), 'Number of users by name of the reaction.'),
        }),
      ),
      'Reactions to the message; null if there are none.',
    ),
    ({ reactions, ownReactions }) =>
      reactions.length === 0
        ? null
        : { own: ownReactions, total: Object.fromEntries(reactions.map(({ name, count }) => [name, count])) },
  ),
});

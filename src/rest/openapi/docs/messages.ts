import {
  BadInputError,
  CursorExpiredError,
  ForbiddenError,
  NotFoundError,
  UnprocessableError,
} from '../../../lib/errors.ts';
import { MAX_ATTACHMENTS, MAX_BYTES } from '../../../resolvers/messages/rules.ts';
import type { FilterNames } from '../../http/lists.ts';
import { messageShape } from '../../shapes/message.ts';
import { deleted } from './deletions.ts';
import { argumentsOf, inputOf } from './from-graphql.ts';
import { count, listParameters } from './lists.ts';
import type { OperationDocs } from './operation-docs.ts';
import { SAMPLES } from './samples.ts';
import { anything, closed, described, flag, integer, listOf, named, requestObject, text, together } from './schemas.ts';

const attachment = {
  ...requestObject({ type: text, id: text, url: text }, ['type']),
  additionalProperties: anything,
};

const path = { id: text };
const marks = { read: 'read', delivered: 'delivered' };
const missing = [new ForbiddenError(), new NotFoundError()];

export const messageDocs = {
  sendMessage: {
    tag: 'Messages',
    summary: 'Send a message',
    description:
      'All other members become custom fields of the message. Sent again with the same `Idempotency-Key`, the message ' +
      'is stored once, and answered again.',
    headers: inputOf('SendMessageInput', { 'Idempotency-Key': ['clientId', text] }),
    body: {
      ...inputOf('SendMessageInput', {
        chat_dialog_id: ['dialogId', described(text, 'Wins over `recipient_id`.')],
        recipient_id: 'recipientId',
        message: 'text',
        attachments: ['attachments', { ...listOf(attachment), maxItems: MAX_ATTACHMENTS }],
        send_to_chat: described(flag, 'Whether offline occupants get a push; default 0.'),
        markable: described(flag, 'Echoed; every message can be marked.'),
      }),
      additionalProperties: anything,
    },
    status: 201,
    answer: named('SentMessage', {
      ...messageShape.schema,
      properties: { ...messageShape.schema.properties, markable: anything },
    }),
    errors: [
      ...missing,
      new UnprocessableError('dialogId or recipientId is required'),
      new UnprocessableError('Incorrect recipientId'),
      new UnprocessableError("Message can't be blank"),
      new UnprocessableError('Attachment should have type and id'),
      new UnprocessableError(`Message is too long (maximum is ${MAX_BYTES} bytes)`),
      new UnprocessableError(`Too many attachments (maximum is ${MAX_ATTACHMENTS})`),
    ],
    examples: [
      {
        summary: 'To a dialog',
        body: {
          chat_dialog_id: SAMPLES.dialog,
          message: 'Lunch?',
          send_to_chat: 1,
          attachments: [{ type: 'image', id: '5' }],
          urgent: true,
        },
      },
      { summary: 'To a user', body: { recipient_id: SAMPLES.friend, message: 'Just us' } },
    ],
  },
  readMessages: (filters: FilterNames, sorts: Record<string, string>): OperationDocs => ({
    tag: 'Messages',
    summary: 'Messages of a dialog',
    query: together(
      argumentsOf(
        'Mutation.readMessages',
        {
          chat_dialog_id: 'dialogId',
          mark_as_read: ['markAsRead', described(flag, 'Whether they are marked read and delivered; default 1.')],
          since: 'since',
        },
        ['chat_dialog_id'],
      ),
      listParameters(filters, sorts),
    ),
    answer: {
      anyOf: [
        closed({ skip: integer, limit: integer, items: listOf(messageShape.schema), cursor: text }, ['cursor']),
        count,
      ],
    },
    errors: [
      ...missing,
      new BadInputError('Invalid cursor'),
      new CursorExpiredError(),
      new UnprocessableError('Incorrect filter: message[gt]'),
      new UnprocessableError('Incorrect sort field: message'),
    ],
    examples: [
      {
        summary: 'The latest',
        query: { chat_dialog_id: SAMPLES.dialog, date_sent: { gt: 1 }, sort_desc: 'date_sent', limit: 10 },
      },
      { summary: 'With a cursor to go on from', query: { chat_dialog_id: SAMPLES.dialog, since: '', mark_as_read: 0 } },
      { summary: 'How many', query: { chat_dialog_id: SAMPLES.dialog, count: 1 } },
    ],
  }),
  markDialogMessages: {
    tag: 'Messages',
    summary: 'Mark all messages of a dialog',
    body: argumentsOf('Mutation.markDialogMessages', { chat_dialog_id: 'dialogId', ...marks }, ['chat_dialog_id']),
    answer: 'nothing',
    errors: [...missing, new BadInputError('No data for update was provided')],
    examples: [{ body: { chat_dialog_id: SAMPLES.dialog, read: 1 } }],
  },
  countUnreadMessages: {
    tag: 'Messages',
    operationId: 'countUnreadMessages',
    summary: 'How much is unread',
    query: argumentsOf('Query.unreadCounts', { chat_dialog_ids: 'dialogIds' }),
    answer: {
      ...closed({ total: integer }),
      additionalProperties: described(integer, 'Of the dialog with that id, where ids were given.'),
    },
    errors: [new NotFoundError(), new UnprocessableError('A request may name at most 100 ids')],
    examples: [{ query: {} }, { summary: 'By dialog', query: { chat_dialog_ids: [SAMPLES.dialog] } }],
  },
  findMessage: {
    tag: 'Messages',
    summary: 'A message',
    path,
    answer: messageShape.schema,
    errors: missing,
    examples: [{ path: { id: SAMPLES.message } }],
  },
  updateMessages: {
    tag: 'Messages',
    summary: 'Edit or mark messages',
    path: { ids: described(text, 'An id, or several for marks: `a,b`.') },
    body: inputOf('UpdateMessagesInput', { chat_dialog_id: 'dialogId', message: 'text', ...marks }),
    answer: 'nothing',
    errors: [
      ...missing,
      new BadInputError('No data for update was provided'),
      new UnprocessableError("Message can't be blank"),
    ],
    examples: [
      { summary: 'Mark', path: { ids: SAMPLES.message }, body: { chat_dialog_id: SAMPLES.dialog, read: 1 } },
      { summary: 'Edit', path: { ids: SAMPLES.message }, body: { message: 'Dinner?' } },
    ],
  },
  deleteMessages: {
    tag: 'Messages',
    summary: 'Delete messages',
    description: 'Clients that say they were written before 2.52.0 delete by force only what they have sent.',
    path: { ids: described(text, 'An id, or several: `a,b`.') },
    body: argumentsOf('Mutation.deleteMessages', { force: 'force' }),
    answer: deleted,
    errors: [new NotFoundError(), new UnprocessableError('A request may name at most 100 ids')],
    examples: [{ path: { ids: `${SAMPLES.message},${SAMPLES.otherMessage}` }, body: { force: 1 } }],
  },
} satisfies Record<string, OperationDocs | ((filters: FilterNames, sorts: Record<string, string>) => OperationDocs)>;

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
import { argumentsOf, inputOf, type Renaming } from './from-graphql.ts';
import { count, listParameters, windowMembers } from './lists.ts';
import type { OperationDocs } from './operation-docs.ts';
import { SAMPLES } from './samples.ts';
import {
  anything,
  closed,
  described,
  flag,
  integer,
  listOf,
  named,
  number,
  requestObject,
  text,
  together,
} from './schemas.ts';

const attachment = {
  ...requestObject(
    {
      type: described(text, 'Kind of the attachment, such as `image`.'),
      id: described(text, 'Id of a file; required without `url`.'),
      url: described(text, 'Address with `http` or `https`, or without a scheme; required without `id`.'),
      name: described(text, 'Name to display.'),
      'content-type': described(text, 'MIME type.'),
      size: described(number, 'Size in bytes.'),
      width: described(number, 'Width of a picture or video in pixels.'),
      height: described(number, 'Height of a picture or video in pixels.'),
      duration: described(number, 'Duration in seconds.'),
    },
    ['type'],
  ),
  additionalProperties: anything,
};

const path = { id: described(text, 'Id of the message, 24 hex digits.') };
const dialogId = described(text, 'Id of the dialog, 24 hex digits.');
const ids = described(text, 'Id of a message, or up to 100 ids separated by commas.');
const marks: Record<string, Renaming> = {
  read: ['read', described(flag, '1 marks as read for the caller, 0 removes the mark.')],
  delivered: ['delivered', described(flag, '1 marks as delivered to the caller, 0 removes the mark.')],
};
const missing = [new ForbiddenError(), new NotFoundError()];

export const messageDocs = {
  sendMessage: {
    tag: 'Messages',
    summary: 'Send a message',
    description:
      'Sends a message to a dialog that the caller occupies, or to a user. All other members of the body become ' +
      'custom fields of the message, together up to 32 KiB as JSON. A message with the `Idempotency-Key` of a ' +
      'stored message of the caller is not stored again; the response contains the stored message.',
    headers: inputOf('SendMessageInput', {
      'Idempotency-Key': ['clientId', described(text, 'Unique key of the message, up to 255 characters.')],
    }),
    body: {
      ...inputOf('SendMessageInput', {
        chat_dialog_id: [
          'dialogId',
          described(text, 'Id of the dialog, 24 hex digits; takes precedence over `recipient_id`.'),
        ],
        recipient_id: [
          'recipientId',
          described(integer, 'Id of a user. The private dialog with this user is created if it does not exist.'),
        ],
        message: [
          'text',
          described(text, `Text, up to ${MAX_BYTES} bytes in UTF-8. Required without attachments and custom fields.`),
        ],
        attachments: [
          'attachments',
          described({ ...listOf(attachment), maxItems: MAX_ATTACHMENTS }, `Up to ${MAX_ATTACHMENTS} attachments.`),
        ],
        send_to_chat: described(flag, '1 sends a push to occupants who are offline. Default 0.'),
        markable: described(flag, 'Repeated in the response. Has no effect: every message can be marked.'),
      }),
      additionalProperties: anything,
    },
    status: 201,
    answer: named('SentMessage', {
      ...messageShape.schema,
      properties: {
        ...messageShape.schema.properties,
        markable: described(anything, 'As sent; absent if it was not sent.'),
      },
    }),
    errors: [
      ...missing,
      new UnprocessableError('dialogId or recipientId is required'),
      new UnprocessableError('Incorrect recipientId'),
      new UnprocessableError("Message can't be blank"),
      new UnprocessableError('Attachment should have type and id'),
      new UnprocessableError('Attachment url is invalid'),
      new UnprocessableError(`Message is too long (maximum is ${MAX_BYTES} bytes)`),
      new UnprocessableError(`Too many attachments (maximum is ${MAX_ATTACHMENTS})`),
    ],
    examples: [
      {
        summary: 'Send to a dialog',
        body: {
          chat_dialog_id: SAMPLES.dialog,
          message: 'Lunch?',
          send_to_chat: 1,
          attachments: [{ type: 'image', id: '5' }],
          urgent: true,
        },
      },
      { summary: 'Send to a user', body: { recipient_id: SAMPLES.friend, message: 'Just us' } },
    ],
  },
  readMessages: (filters: FilterNames, sorts: Record<string, string>): OperationDocs => ({
    tag: 'Messages',
    summary: 'List messages of a dialog',
    description:
      'Returns messages of a dialog in the order in which they were sent. Unless `mark_as_read` is 0, the ' +
      'returned messages are marked as read and delivered for the caller; an API key alone marks nothing. With ' +
      '`count=1`, only their number is returned, and nothing is marked. With `since`, the response has a ' +
      '`cursor` to continue from. If events after the cursor are no longer stored, the response is 422.',
    query: together(
      argumentsOf(
        'Mutation.readMessages',
        {
          chat_dialog_id: ['dialogId', dialogId],
          mark_as_read: [
            'markAsRead',
            described(flag, '0 does not mark the returned messages as read and delivered. Default 1.'),
          ],
          since: [
            'since',
            described(
              text,
              'Only messages sent or edited after this cursor. Empty: no restriction, with a cursor to continue from.',
            ),
          ],
        },
        ['chat_dialog_id'],
      ),
      listParameters(filters, sorts),
    ),
    answer: {
      anyOf: [
        closed(
          {
            ...windowMembers,
            items: described(listOf(messageShape.schema), 'The messages.'),
            cursor: described(text, 'Value of `since` for the next request. Present only if `since` was sent.'),
          },
          ['cursor'],
        ),
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
        summary: 'Latest messages',
        query: { chat_dialog_id: SAMPLES.dialog, date_sent: { gt: 1 }, sort_desc: 'date_sent', limit: 10 },
      },
      { summary: 'Obtain a cursor', query: { chat_dialog_id: SAMPLES.dialog, since: '', mark_as_read: 0 } },
      { summary: 'Only the number', query: { chat_dialog_id: SAMPLES.dialog, count: 1 } },
    ],
  }),
  markDialogMessages: {
    tag: 'Messages',
    summary: 'Mark all messages of a dialog',
    description:
      'Marks all messages of a dialog as read or delivered for the caller, or removes the marks. Has no effect ' +
      'in public groups.',
    body: argumentsOf('Mutation.markDialogMessages', { chat_dialog_id: ['dialogId', dialogId], ...marks }, [
      'chat_dialog_id',
    ]),
    answer: 'nothing',
    errors: [...missing, new BadInputError('No data for update was provided')],
    examples: [{ body: { chat_dialog_id: SAMPLES.dialog, read: 1 } }],
  },
  countUnreadMessages: {
    tag: 'Messages',
    operationId: 'countUnreadMessages',
    summary: 'Count unread messages',
    description:
      'Returns the number of messages in groups and private dialogs that the caller has neither sent, read nor ' +
      'hidden. With `chat_dialog_ids`, the response also has the number of each given dialog, and `total` is ' +
      'their sum. Dialogs without access count as 0; if no given dialog is accessible, the response is 404.',
    query: argumentsOf('Query.unreadCounts', {
      chat_dialog_ids: [
        'dialogIds',
        described(listOf(text), 'Ids of up to 100 dialogs, separated by commas. Omit for all dialogs.'),
      ],
    }),
    answer: {
      ...closed({ total: described(integer, 'Number of unread messages.') }),
      additionalProperties: described(integer, 'Number of unread messages of the dialog with this id.'),
    },
    errors: [new NotFoundError(), new UnprocessableError('A request may name at most 100 ids')],
    examples: [{ query: {} }, { summary: 'Per dialog', query: { chat_dialog_ids: [SAMPLES.dialog] } }],
  },
  findMessage: {
    tag: 'Messages',
    summary: 'Get a message',
    description:
      'Returns one message and marks nothing. A message that the caller has hidden is a 404. If the caller is ' +
      'not an occupant of the dialog, the response is 403.',
    path,
    answer: messageShape.schema,
    errors: missing,
    examples: [{ path: { id: SAMPLES.message } }],
  },
  updateMessages: {
    tag: 'Messages',
    summary: 'Edit or mark messages',
    description:
      "Changes the text of a message, or sets the caller's own marks on one or several messages; a request can " +
      'do both. Unknown ids are skipped as long as one is known. At least one of `message`, `read` and ' +
      '`delivered` is required.',
    path: { ids: described(text, 'Id of a message, or, to mark only, up to 100 ids separated by commas.') },
    body: inputOf('UpdateMessagesInput', {
      chat_dialog_id: ['dialogId', described(text, 'Id of the dialog. Messages of other dialogs are then unknown.')],
      message: [
        'text',
        described(text, `New text, up to ${MAX_BYTES} bytes in UTF-8; requires the sender or an API key alone.`),
      ],
      ...marks,
    }),
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
    description:
      'Deletes up to 100 messages. Without `force`, they are hidden for the caller only, who must be an ' +
      'occupant. With `force=1`, they are deleted for all users, which the sender, an API key alone and, in ' +
      'groups and public groups, an admin can do. Messages that the caller may not delete are listed under ' +
      '`WrongPermissions` and remain. An API key alone without `force` receives 422. Clients that state a ' +
      'version before 2.52.0 can force the deletion of their own messages only.',
    path: { ids },
    body: argumentsOf('Mutation.deleteMessages', {
      force: ['force', described(flag, '1 deletes for all users, 0 for the caller. Default 0.')],
    }),
    answer: deleted,
    errors: [new NotFoundError(), new UnprocessableError('A request may name at most 100 ids')],
    examples: [{ path: { ids: `${SAMPLES.message},${SAMPLES.otherMessage}` }, body: { force: 1 } }],
  },
} satisfies Record<string, OperationDocs | ((filters: FilterNames, sorts: Record<string, string>) => OperationDocs)>;

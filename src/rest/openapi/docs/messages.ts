import {
  BadInputError,
  CursorExpiredError,
  ForbiddenError,
  NotFoundError,
  UnprocessableError,
} from '../../../lib/errors.ts';
import { problem } from '../../../lib/problems.ts';
import { MAX_ATTACHMENTS, MAX_BYTES } from '../../../resolvers/messages/rules.ts';
import { messageShape } from '../../shapes/message.ts';
import { deleted } from './deletions.ts';
import { tooManyIds } from './errors.ts';
import { count, windowMembers } from './lists.ts';
import { docsOf } from './operation-docs.ts';
import { SAMPLES } from './samples.ts';
import { anything, closed, described, integer, listOf, named, requestObject, text } from './schemas.ts';

const missing = [new ForbiddenError(), new NotFoundError()];

export const messageDocs = docsOf('Messages', {
  sendMessage: {
    summary: 'Send a message',
    description:
      'Sends a message to a dialog that the caller occupies, or to a user. All other members of the body become ' +
      'custom fields of the message, together up to 32 KiB as JSON. A message with the `Idempotency-Key` of a ' +
      'stored message of the caller is not stored again; the response contains the stored message.',
    headers: requestObject({
      'Idempotency-Key': described(text, 'Unique key of the message, up to 255 characters.'),
    }),
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
      new UnprocessableError('RECIPIENT_REQUIRED'),
      new UnprocessableError('RECIPIENT_UNKNOWN'),
      new UnprocessableError('MESSAGE_REQUIRED'),
      new UnprocessableError('ATTACHMENT_INCOMPLETE'),
      new UnprocessableError(problem('ATTACHMENT_INVALID', { member: 'url' })),
      new UnprocessableError(problem('MESSAGE_TOO_LONG', { max: MAX_BYTES })),
      new UnprocessableError(problem('TOO_MANY_ATTACHMENTS', { max: MAX_ATTACHMENTS })),
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
  readMessages: {
    summary: 'List messages of a dialog',
    description:
      'Returns messages of a dialog in the order in which they were sent. Unless `mark_as_read` is 0, the ' +
      'returned messages are marked as read and delivered for the caller; an API key alone marks nothing. With ' +
      '`count=1`, only their number is returned, and nothing is marked. With `since`, the response has a ' +
      '`cursor` to continue from. If events after the cursor are no longer stored, the response is 422.',
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
      new BadInputError('CURSOR_INVALID'),
      new CursorExpiredError(),
      new UnprocessableError(problem('FILTER_INCORRECT', { filter: 'message[gt]' })),
      new UnprocessableError(problem('SORT_INCORRECT', { field: 'message' })),
    ],
    examples: [
      {
        summary: 'Latest messages',
        query: { chat_dialog_id: SAMPLES.dialog, date_sent: { gt: 1 }, sort_desc: 'date_sent', limit: 10 },
      },
      { summary: 'Obtain a cursor', query: { chat_dialog_id: SAMPLES.dialog, since: '', mark_as_read: 0 } },
      { summary: 'Only the number', query: { chat_dialog_id: SAMPLES.dialog, count: 1 } },
    ],
  },
  markDialogMessages: {
    summary: 'Mark all messages of a dialog',
    description:
      'Marks all messages of a dialog as read or delivered for the caller, or removes the marks. Has no effect ' +
      'in public groups.',
    errors: [...missing, new BadInputError('NOTHING_TO_UPDATE')],
    examples: [{ body: { chat_dialog_id: SAMPLES.dialog, read: 1 } }],
  },
  countUnreadMessages: {
    operationId: 'countUnreadMessages',
    summary: 'Count unread messages',
    description:
      'Returns the number of messages in groups and private dialogs that the caller has neither sent, read nor ' +
      'hidden. With `chat_dialog_ids`, the response also has the number of each given dialog, and `total` is ' +
      'their sum. Dialogs without access count as 0; if no given dialog is accessible, the response is 404.',
    answer: {
      ...closed({ total: described(integer, 'Number of unread messages.') }),
      additionalProperties: described(integer, 'Number of unread messages of the dialog with this id.'),
    },
    errors: [new NotFoundError(), tooManyIds],
    examples: [{ query: {} }, { summary: 'Per dialog', query: { chat_dialog_ids: [SAMPLES.dialog] } }],
  },
  findMessage: {
    summary: 'Get a message',
    description:
      'Returns one message and marks nothing. A message that the caller has hidden is a 404. If the caller is ' +
      'not an occupant of the dialog, the response is 403.',
    errors: missing,
    examples: [{ path: { id: SAMPLES.message } }],
  },
  updateMessages: {
    summary: 'Edit or mark messages',
    description:
      "Changes the text of a message, or sets the caller's own marks on one or several messages; a request can " +
      'do both. Unknown ids are skipped as long as one is known. At least one of `message`, `read` and ' +
      '`delivered` is required.',
    errors: [...missing, new BadInputError('NOTHING_TO_UPDATE'), new UnprocessableError('MESSAGE_REQUIRED')],
    examples: [
      { summary: 'Mark', path: { ids: SAMPLES.message }, body: { chat_dialog_id: SAMPLES.dialog, read: 1 } },
      { summary: 'Edit', path: { ids: SAMPLES.message }, body: { message: 'Dinner?' } },
    ],
  },
  deleteMessages: {
    summary: 'Delete messages',
    description:
      'Deletes up to 100 messages. Without `force`, they are hidden for the caller only, who must be an ' +
      'occupant. With `force=1`, they are deleted for all users, which the sender, an API key alone and, in ' +
      'groups and public groups, an admin can do. Messages that the caller may not delete are listed under ' +
      '`WrongPermissions` and remain. An API key alone without `force` receives 422. Clients that state a ' +
      'version before 2.52.0 can force the deletion of their own messages only.',
    answer: deleted,
    errors: [new NotFoundError(), tooManyIds],
    examples: [{ path: { ids: `${SAMPLES.message},${SAMPLES.otherMessage}` }, body: { force: 1 } }],
  },
});

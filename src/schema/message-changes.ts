import { SUPPORT } from '../administration/administrators/rights.ts';
import { MAX_PAGE } from '../lib/pagination.ts';
import { deleteMessages } from '../resolvers/messages/delete.ts';
import { type ReadMessages, readMessages } from '../resolvers/messages/list.ts';
import { markDialogMessages } from '../resolvers/messages/mark.ts';
import { MAX_ATTACHMENTS, MAX_BYTES } from '../resolvers/messages/rules.ts';
import { MAX_CLIENT_ID, sendMessage } from '../resolvers/messages/send.ts';
import { updateMessages } from '../resolvers/messages/update.ts';
import { builder } from './builder.ts';
import { deletedItems } from './deletions.ts';
import { DIALOG_ID, FILTER, LIMIT, ORDER, SKIP, SKIPPED, TOTAL_COUNT } from './descriptions.ts';
import { MessageFilter, MessageOrder } from './message-filters.ts';
import { Message } from './messages.ts';
import { requestedFields } from './requested-fields.ts';

const MessagePageType = builder.objectRef<ReadMessages>('MessagePage').implement({
  description: 'A page of messages by offset, for the legacy REST API. New clients should use `messages`.',
  fields: (t) => ({
    skip: t.exposeInt('skip', { description: SKIPPED }),
    limit: t.exposeInt('limit', { description: LIMIT }),
    items: t.expose('items', { type: [Message], description: 'The messages of this page.' }),
    totalCount: t.int({ description: TOTAL_COUNT, resolve: (page) => page.totalCount() }),
    cursor: t.exposeString('cursor', {
      nullable: true,
      description: 'Pass it as `since` to fetch later changes; null unless `since` was given.',
    }),
  }),
});

const SendMessageInput = builder.inputType('SendMessageInput', {
  description: 'A message and its destination. A text, an attachment or a custom field is required.',
  fields: (t) => ({
    dialogId: t.id({
      description: 'Id of the dialog. One of `dialogId` and `recipientId` is required; `dialogId` takes precedence.',
    }),
    recipientId: t.int({
      description:
        'Id of a user. The message goes to the private dialog with this user, which is created if necessary.',
    }),
    text: t.string({ description: `At most ${MAX_BYTES / 1024} KiB of UTF-8.` }),
    attachments: t.field({
      type: ['JSON'],
      description:
        `At most ${MAX_ATTACHMENTS} objects with ` +
        '`type` and `id` or `url`: `{ "type": "image", "id": "42" }`. A `url` has the scheme ' +
        '`http`, `https` or `geo`, or none. `uid`, `name` and `contentType` (or `content-type`) are texts; `size`, `width`, ' +
        '`height` and `duration` are numbers, also as text. Other keys are stored unchanged.',
    }),
    customFields: t.field({
      type: 'JSON',
      description: `JSON object of at most ${MAX_BYTES / 1024} KiB. Keys that are names of message fields are dropped.`,
    }),
    sendToChat: t.boolean({ description: 'Whether offline occupants receive a push. Default: true.' }),
    id: t.id({
      description:
        'Id that the client chose, and idempotency key. 24 lower-case hex digits become the id of the message; another ' +
        `text of 1 to ${MAX_CLIENT_ID} characters is stored as \`clientId\`. A repeated send to the same dialog returns the ` +
        'stored message. The id of another message fails with `UNPROCESSABLE`.',
    }),
    clientId: t.string({
      description:
        `Idempotency key without \`id\`, at most ${MAX_CLIENT_ID} characters, for example a UUID. A repeated send with the same key returns the ` +
        'stored message, or fails with `NOT_FOUND` if that message has been deleted.',
    }),
  }),
});

const UpdateMessagesInput = builder.inputType('UpdateMessagesInput', {
  description: 'The changes to apply. A new text or a mark is required.',
  fields: (t) => ({
    dialogId: t.id({
      description: 'Only change messages of this dialog; ids of messages in other dialogs count as unknown.',
    }),
    text: t.string({
      description: `New text, at most ${MAX_BYTES / 1024} KiB of UTF-8. Requires the sender or an API key without \`On-Behalf-Of\`.`,
    }),
    read: t.boolean({ description: 'Whether the caller has read the messages.' }),
    delivered: t.boolean({ description: 'Whether the messages were delivered to the caller.' }),
  }),
});

const DeletedMessages = deletedItems('DeletedMessages', 'Result of `deleteMessages`, by message id.');

builder.mutationField('sendMessage', (t) =>
  t.withAuth({ user: true }).field({
    needsVerifiedEmail: true,
    scope: 'messages',
    administrator: { roles: SUPPORT, needsReason: true },
    type: Message,
    description: 'Sends a message to a dialog that the caller occupies, or to a user.',
    args: { input: t.arg({ type: SendMessageInput, required: true, description: 'Content and destination.' }) },
    resolve: (_root, { input }, context) => sendMessage(input, context),
  }),
);

builder.mutationField('readMessages', (t) =>
  t.withAuth({ userOrKey: true }).field({
    scope: 'messages',
    administrator: { roles: SUPPORT, needsReason: true },
    type: MessagePageType,
    description:
      'Returns a page of messages by offset and marks them as read and delivered for the caller. An API key without ' +
      '`On-Behalf-Of` marks nothing.',
    args: {
      dialogId: t.arg.id({ required: true, description: DIALOG_ID }),
      filter: t.arg({ type: MessageFilter, description: FILTER }),
      orderBy: t.arg({ type: MessageOrder, description: ORDER }),
      skip: t.arg.int({ required: true, defaultValue: 0, description: SKIP }),
      limit: t.arg.int({
        required: true,
        defaultValue: 100,
        description: `Maximum number of messages, 1 to ${MAX_PAGE}.`,
      }),
      markAsRead: t.arg.boolean({
        required: true,
        defaultValue: true,
        description: 'Whether to mark the returned messages.',
      }),
      since: t.arg.string({
        description:
          'Only return messages that were sent or edited after this cursor; an expired cursor fails with ' +
          '`CURSOR_EXPIRED`. An empty string returns all messages and the current cursor.',
      }),
    },
    resolve: (_root, args, context, info) => readMessages(args, requestedFields(info), context),
  }),
);

builder.mutationField('updateMessages', (t) =>
  t.withAuth({ userOrKey: true }).field({
    scope: 'messages',
    administrator: { roles: SUPPORT, needsReason: true },
    type: [Message],
    description:
      "Edits messages, or sets the caller's marks on them: either all or none are changed. Unknown ids are ignored " +
      'as long as one message exists.',
    args: {
      ids: t.arg.idList({ required: true, description: 'Message ids, 24 hex digits each; at most 100.' }),
      input: t.arg({ type: UpdateMessagesInput, required: true, description: 'The new text, or the marks to set.' }),
    },
    resolve: (_root, { ids, input }, context) => updateMessages(ids, input, context),
  }),
);

builder.mutationField('markDialogMessages', (t) =>
  t.withAuth({ user: true }).boolean({
    scope: 'messages',
    administrator: { roles: SUPPORT, needsReason: true },
    description:
      'Marks all messages of a dialog for the caller. `read` or `delivered` is required. Has no effect in public ' +
      'groups.',
    args: {
      dialogId: t.arg.id({ required: true, description: DIALOG_ID }),
      read: t.arg.boolean({ description: 'Whether the caller has read the messages.' }),
      delivered: t.arg.boolean({ description: 'Whether the messages were delivered to the caller.' }),
    },
    resolve: (_root, { dialogId, ...mark }, context) => markDialogMessages(dialogId, mark, context),
  }),
);

builder.mutationField('deleteMessages', (t) =>
  t.withAuth({ userOrKey: true }).field({
    scope: 'messages',
    administrator: { roles: SUPPORT, isConfirmed: true, needsReason: true },
    type: DeletedMessages,
    description:
      'Deletes messages for the caller or, with `force`, for all users. Messages that the caller may not delete ' +
      'remain. Fails with `NOT_FOUND` if none of them exists.',
    args: {
      ids: t.arg.idList({ required: true, description: 'Message ids, 24 hex digits each; at most 100.' }),
      force: t.arg.boolean({
        required: true,
        defaultValue: false,
        description:
          'Delete for all users. Requires the sender, an admin or the owner of the group, or an API key without ' +
          '`On-Behalf-Of`, which cannot delete without it.',
      }),
      ownOnly: t.arg.boolean({
        required: true,
        defaultValue: false,
        description:
          'With `force`: only delete messages that the caller sent, as clients written before 2.52.0 expect.',
      }),
    },
    resolve: (_root, { ids, ...deletion }, context) => deleteMessages(ids, deletion, context),
  }),
);

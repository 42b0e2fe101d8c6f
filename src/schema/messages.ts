import { SUPPORT } from '../resolvers/administrators/rights.ts';
import { attachedBlobs } from '../resolvers/content/attached.ts';
import { deleteMessages } from '../resolvers/messages/delete.ts';
import { findMessage } from '../resolvers/messages/find.ts';
import { listMessages, type ReadMessages, readMessages } from '../resolvers/messages/list.ts';
import { ownReactions, reactionLoader } from '../resolvers/messages/reactions-of.ts';
import { readStateLoader } from '../resolvers/messages/read-state.ts';
import { sendMessage } from '../resolvers/messages/send.ts';
import { markDialogMessages, updateMessages } from '../resolvers/messages/update.ts';
import { userLoader } from '../resolvers/users/loader.ts';
import { builder } from './builder.ts';
import { Blob } from './content.ts';
import { deletedItems } from './deletions.ts';
import {
  CREATED_AT,
  DIALOG_ID,
  FILTER,
  LIMIT,
  MESSAGE_ID,
  ORDER,
  SKIP,
  SKIPPED,
  TOTAL_COUNT,
  UPDATED_AT,
} from './descriptions.ts';
import { MessageFilter, MessageOrder } from './message-filters.ts';
import { metered } from './metered.ts';
import { requestedFields } from './requested-fields.ts';
import { User } from './users.ts';

const ReactionSummary = builder.objectRef<{ name: string; count: number; own: boolean }>('ReactionSummary').implement({
  description: 'One reaction to a message, with its count.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Reaction name, for example `like`.' }),
    count: t.exposeInt('count', { description: 'Number of users who added it.' }),
    own: t.exposeBoolean('own', {
      description: 'Whether the caller added it.',
      extensions: { viewerDependent: true },
    }),
  }),
});

export const Message = builder.prismaObject('Message', {
  description: 'A message that a user sent to a dialog.',
  fields: (t) => ({
    id: t.exposeID('id', { description: '24 hex digits. Ids sort by creation time.' }),
    dialogId: t.exposeID('dialogId', { description: 'Id of the dialog that it was sent to.' }),
    text: t.exposeString('text', { description: 'Text content; empty if there is none.' }),
    senderId: t.exposeInt('senderId', { description: 'Id of the user who sent it.' }),
    sender: t.field({
      type: User,
      nullable: true,
      description: 'User who sent it; null once the user is deleted.',
      resolve: ({ applicationId, senderId }, _args, { loaders }) =>
        loaders.of(userLoader).load({ applicationId, id: senderId }),
    }),
    recipientId: t.exposeInt('recipientId', { description: 'Id of the other user of a private dialog; 0 in groups.' }),
    dateSent: t.exposeInt('dateSent', { description: 'Send time in Unix seconds.' }),
    attachments: t.field({
      type: ['JSON'],
      description:
        'Objects with `type` and `id` or `url`, and any further keys that the sender added: `{ "type": "image", ' +
        '"id": "42" }`.',
      resolve: (message) => message.attachments as unknown[],
    }),
    files: t.field({
      type: [Blob],
      description:
        'Blobs that the attachments reference by a blob `id` or `uid` in their `id`. Incomplete uploads are omitted.',
      resolve: (message, _args, context) => attachedBlobs(message, context),
    }),
    customFields: t.field({
      type: 'JSON',
      description: 'JSON object with the keys and values that the sender added.',
      resolve: (message) => message.customFields,
    }),
    readIds: t.intList({
      description: 'Ids of the users who have read it, including the sender, ascending. Empty in public groups.',
      resolve: (message, _args, { loaders }) => loaders.of(readStateLoader).load(message, ({ readIds }) => readIds),
    }),
    deliveredIds: t.intList({
      description:
        'Ids of the users to whom it was delivered, including the sender, ascending. Empty in public groups.',
      resolve: (message, _args, { loaders }) =>
        loaders.of(readStateLoader).load(message, ({ deliveredIds }) => deliveredIds),
    }),
    read: t.boolean({
      description: 'Whether the other user of a private dialog has read it. Always false in groups.',
      resolve: (message, _args, { loaders }) =>
        message.recipientId !== 0 &&
        loaders.of(readStateLoader).load(message, ({ readIds }) => readIds.includes(message.recipientId)),
    }),
    reactions: t.field({
      type: [ReactionSummary],
      description: 'Reactions by name, in the order in which the names were first used.',
      resolve: (message, _args, { loaders, viewer }) =>
        loaders.of(reactionLoader).load(message, (reactions) =>
          reactions.map(({ name, userIds }) => ({
            name,
            count: userIds.length,
            own: viewer.kind === 'user' && userIds.includes(viewer.userId),
          })),
        ),
    }),
    ownReactions: t.stringList({
      description:
        'Names of the reactions that the caller added, in order of adding. Empty for an API key without ' +
        '`On-Behalf-Of`.',
      extensions: { viewerDependent: true },
      resolve: (message, _args, { loaders, viewer }) =>
        viewer.kind === 'user'
          ? loaders.of(reactionLoader).load(message, (reactions) => ownReactions(reactions, viewer.userId))
          : [],
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: CREATED_AT }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: UPDATED_AT }),
  }),
});

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
    text: t.string({ description: 'At most 32 KiB of UTF-8.' }),
    attachments: t.field({
      type: ['JSON'],
      description:
        'At most 20 objects with `type` and `id` or `url`: `{ "type": "image", "id": "42" }`. A `url` has the scheme ' +
        '`http`, `https` or `geo`, or none. `uid`, `name` and `contentType` (or `content-type`) are texts; `size`, `width`, ' +
        '`height` and `duration` are numbers, also as text. Other keys are stored unchanged.',
    }),
    customFields: t.field({
      type: 'JSON',
      description: 'JSON object of at most 32 KiB. Keys that are names of message fields are dropped.',
    }),
    sendToChat: t.boolean({ description: 'Whether offline occupants receive a push. Default: true.' }),
    clientId: t.string({
      description:
        'Idempotency key, at most 255 characters, for example a UUID. A repeated send with the same key returns the ' +
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
      description: 'New text, at most 32 KiB of UTF-8. Requires the sender or an API key without `On-Behalf-Of`.',
    }),
    read: t.boolean({ description: 'Whether the caller has read the messages.' }),
    delivered: t.boolean({ description: 'Whether the messages were delivered to the caller.' }),
  }),
});

const DeletedMessages = deletedItems('DeletedMessages', 'Result of `deleteMessages`, by message id.');

builder.queryField('message', (t) =>
  t.withAuth({ userOrKey: true }).field({
    administrator: { roles: SUPPORT, needsReason: true },
    type: Message,
    description:
      'One message. Does not mark it. Fails with `NOT_FOUND` if it does not exist or the caller has deleted it.',
    args: { id: t.arg.id({ required: true, description: MESSAGE_ID }) },
    resolve: (_root, { id }, context, info) => findMessage(id, requestedFields(info), context),
  }),
);

builder.queryField('messages', (t) =>
  t.withAuth({ userOrKey: true }).connection(
    {
      administrator: { roles: SUPPORT, needsReason: true },
      type: Message,
      description: 'Messages of a dialog, oldest first unless `orderBy` is given. Does not mark them.',
      args: {
        dialogId: t.arg.id({ required: true, description: DIALOG_ID }),
        filter: t.arg({ type: MessageFilter, description: FILTER }),
        orderBy: t.arg({ type: MessageOrder, description: ORDER }),
      },
      resolve: (_root, args, context, info) => listMessages(args, requestedFields(info), context),
    },
    { fields: metered },
  ),
);

builder.mutationField('sendMessage', (t) =>
  t.withAuth({ user: true }).field({
    administrator: { roles: SUPPORT, needsReason: true },
    type: Message,
    description: 'Sends a message to a dialog that the caller occupies, or to a user.',
    args: { input: t.arg({ type: SendMessageInput, required: true, description: 'Content and destination.' }) },
    resolve: (_root, { input }, context) => sendMessage(input, context),
  }),
);

builder.mutationField('readMessages', (t) =>
  t.withAuth({ userOrKey: true }).field({
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
      limit: t.arg.int({ required: true, defaultValue: 100, description: 'Maximum number of messages, 1 to 100.' }),
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

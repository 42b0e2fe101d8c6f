import { attachedBlobs } from '../resolvers/content/attached.ts';
import { deleteMessages } from '../resolvers/messages/delete.ts';
import { prepareFields } from '../resolvers/messages/fields.ts';
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
  description: 'One reaction to a message, as the caller sees it.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Such as `like`.' }),
    count: t.exposeInt('count', { description: 'Users who left it.' }),
    own: t.exposeBoolean('own', {
      description: 'Whether the caller is one of them.',
      extensions: { viewerDependent: true },
    }),
  }),
});

export const Message = builder.prismaObject('Message', {
  description: 'Something that a user said in a dialog.',
  fields: (t) => ({
    id: t.exposeID('id', { description: '24 hex digits, which sort by time.' }),
    dialogId: t.exposeID('dialogId', { description: 'Where it was said.' }),
    text: t.exposeString('text', { description: 'Empty when there is none.' }),
    senderId: t.exposeInt('senderId', { description: 'The user who sent it.' }),
    sender: t.field({
      type: User,
      nullable: true,
      description: 'Null once the user is deleted.',
      resolve: ({ applicationId, senderId }, _args, { loaders }) =>
        loaders.of(userLoader).load({ applicationId, id: senderId }),
    }),
    recipientId: t.exposeInt('recipientId', { description: 'The other user of a private dialog; 0 in groups.' }),
    dateSent: t.exposeInt('dateSent', { description: 'Unix seconds.' }),
    attachments: t.field({
      type: ['JSON'],
      description: 'Objects with `type` and `id` or `url`, and whatever else was sent.',
      resolve: (message) => message.attachments as unknown[],
    }),
    files: t.field({
      type: [Blob],
      description: 'Those of its attachments that are blobs, by `id` or `uid` in their `id`, and complete.',
      resolve: (message, _args, context) => attachedBlobs(message, context),
    }),
    customFields: t.field({
      type: 'JSON',
      description: "The client's own keys.",
      resolve: (message) => message.customFields,
    }),
    readIds: t.intList({
      description: 'Users who have read it, the sender included, ascending; empty in public groups.',
      resolve: (message, _args, { loaders }) => loaders.of(readStateLoader).load(message, ({ readIds }) => readIds),
    }),
    deliveredIds: t.intList({
      description: 'Users to whom it was delivered, the sender included, ascending; empty in public groups.',
      resolve: (message, _args, { loaders }) =>
        loaders.of(readStateLoader).load(message, ({ deliveredIds }) => deliveredIds),
    }),
    read: t.boolean({
      description: 'Whether the other user of a private dialog has read it; false in groups.',
      resolve: (message, _args, { loaders }) =>
        message.recipientId !== 0 &&
        loaders.of(readStateLoader).load(message, ({ readIds }) => readIds.includes(message.recipientId)),
    }),
    reactions: t.field({
      type: [ReactionSummary],
      description: 'In the order in which the names first came.',
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
      description: "Names of the caller's reactions in the order of adding; empty for API keys alone.",
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
  description: 'A page by offset, for the REST contract; web apps page `messages` by cursor.',
  fields: (t) => ({
    skip: t.exposeInt('skip', { description: SKIPPED }),
    limit: t.exposeInt('limit', { description: LIMIT }),
    items: t.field({
      type: [Message],
      description: 'The messages of the page.',
      resolve: ({ items }, _args, context, info) => prepareFields(items, requestedFields(info), context),
    }),
    totalCount: t.int({ description: TOTAL_COUNT, resolve: (page) => page.totalCount() }),
    cursor: t.exposeString('cursor', {
      nullable: true,
      description: 'Give it as `since` to go on from here; null unless `since` was given.',
    }),
  }),
});

const SendMessageInput = builder.inputType('SendMessageInput', {
  description: 'A text, an attachment or a custom field is needed.',
  fields: (t) => ({
    dialogId: t.id({ description: 'Wins over recipientId.' }),
    recipientId: t.int({ description: 'The private dialog with this user is found or made.' }),
    text: t.string({ description: 'Up to 32 KiB of UTF-8.' }),
    attachments: t.field({ type: ['JSON'], description: 'Up to 20 objects with `type` and `id` or `url`.' }),
    customFields: t.field({
      type: 'JSON',
      description: 'An object of up to 32 KiB; names of record fields are dropped.',
    }),
    sendToChat: t.boolean({ description: 'Whether offline occupants get a push; default true.' }),
    clientId: t.string({
      description:
        "The client's own name of the message, up to 255 characters: sent again with it, the stored message is answered.",
    }),
  }),
});

const UpdateMessagesInput = builder.inputType('UpdateMessagesInput', {
  description: 'Something has to be given beside the dialog.',
  fields: (t) => ({
    dialogId: t.id({ description: 'Messages of other dialogs are then unknown.' }),
    text: t.string({ description: 'By the sender or an API key alone; up to 32 KiB of UTF-8.' }),
    read: t.boolean({ description: 'Whether the caller has read it.' }),
    delivered: t.boolean({ description: 'Whether it was delivered to the caller.' }),
  }),
});

const DeletedMessages = deletedItems('DeletedMessages', 'What became of each message of a deletion.');

builder.queryField('message', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: Message,
    description: 'One message; marks nothing.',
    args: { id: t.arg.id({ required: true, description: MESSAGE_ID }) },
    resolve: (_root, { id }, context, info) => findMessage(id, requestedFields(info), context),
  }),
);

builder.queryField('messages', (t) =>
  t.withAuth({ userOrKey: true }).connection(
    {
      type: Message,
      description: 'Messages of a dialog, oldest first or as asked; marks nothing.',
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
    type: Message,
    description: 'Sends a message to a dialog the caller occupies, or to a user.',
    args: { input: t.arg({ type: SendMessageInput, required: true, description: 'What to say and to whom.' }) },
    resolve: (_root, { input }, context) => sendMessage(input, context),
  }),
);

builder.mutationField('readMessages', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: MessagePageType,
    description: 'A page of messages by offset, which marks what it returns read and delivered for the caller.',
    args: {
      dialogId: t.arg.id({ required: true, description: DIALOG_ID }),
      filter: t.arg({ type: MessageFilter, description: FILTER }),
      orderBy: t.arg({ type: MessageOrder, description: ORDER }),
      skip: t.arg.int({ required: true, defaultValue: 0, description: SKIP }),
      limit: t.arg.int({ required: true, defaultValue: 100, description: '1 to 100.' }),
      markAsRead: t.arg.boolean({
        required: true,
        defaultValue: true,
        description: 'False reads without marking anything.',
      }),
      since: t.arg.string({
        description: 'Only messages that were sent or edited behind this cursor; empty: all, with the cursor of now.',
      }),
    },
    resolve: (_root, args, context) => readMessages(args, context),
  }),
);

builder.mutationField('updateMessages', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: [Message],
    description: "Edits messages, or sets the caller's own marks on them; unknown ones beside known ones are skipped.",
    args: {
      ids: t.arg.idList({ required: true, description: '24 hex digits each.' }),
      input: t.arg({ type: UpdateMessagesInput, required: true, description: 'The new text, or the marks to set.' }),
    },
    resolve: (_root, { ids, input }, context) => updateMessages(ids, input, context),
  }),
);

builder.mutationField('markDialogMessages', (t) =>
  t.withAuth({ user: true }).boolean({
    description: 'Marks all messages of a dialog for the caller, however many; without effect in public groups.',
    args: {
      dialogId: t.arg.id({ required: true, description: DIALOG_ID }),
      read: t.arg.boolean({ description: 'Whether the caller has read them.' }),
      delivered: t.arg.boolean({ description: 'Whether they were delivered to the caller.' }),
    },
    resolve: (_root, { dialogId, ...mark }, context) => markDialogMessages(dialogId, mark, context),
  }),
);

builder.mutationField('deleteMessages', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: DeletedMessages,
    description: 'Deletes messages for the caller, or by force for all; those that the caller may not delete stay.',
    args: {
      ids: t.arg.idList({ required: true, description: '24 hex digits each.' }),
      force: t.arg.boolean({
        required: true,
        defaultValue: false,
        description: 'For all: by the sender, by an API key alone, in groups also by admins.',
      }),
      ownOnly: t.arg.boolean({
        required: true,
        defaultValue: false,
        description: 'With force: only what the caller has sent, as clients written before 2.52.0 expect.',
      }),
    },
    resolve: (_root, { ids, ...deletion }, context) => deleteMessages(ids, deletion, context),
  }),
);

import { SUPPORT } from '../administration/administrators/rights.ts';
import { attachedBlobs } from '../resolvers/blobs/attached.ts';
import { findMessage, findMessageOf } from '../resolvers/messages/find.ts';
import { listMessages } from '../resolvers/messages/list.ts';
import { ownReactions, reactionLoader } from '../resolvers/messages/reactions-of.ts';
import { readStateLoader } from '../resolvers/messages/read-state.ts';
import { userLoader } from '../resolvers/users/loader.ts';
import { Blob } from './blobs.ts';
import { builder } from './builder.ts';
import { CREATED_AT, DIALOG_ID, FILTER, MESSAGE_ID, ORDER, UPDATED_AT } from './descriptions.ts';
import { MessageFilter, MessageOrder } from './message-filters.ts';
import { requestedFields } from './requested-fields.ts';
import { withTotalCount } from './total-count.ts';
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
    id: t.exposeID('id', {
      description: '24 hex digits. Ids sort by creation time, except those that clients chose.',
    }),
    clientId: t.exposeString('clientId', {
      nullable: true,
      description: "Text that the sender's client chose as `id`; null if there is none, or if it is the id.",
    }),
    dialogId: t.exposeID('dialogId', { description: 'Id of the dialog that it was sent to.' }),
    text: t.exposeString('text', { description: 'Text content; empty if there is none.' }),
    senderId: t.exposeInt('senderId', { description: 'Id of the user who sent it.' }),
    sender: t.field({
      scope: 'users:read',
      type: User,
      nullable: true,
      description: 'User who sent it; null once the user is deleted.',
      resolve: ({ applicationId, senderId }, _args, { loaders }) =>
        loaders.of(userLoader).load({ applicationId, id: senderId }),
    }),
    recipientId: t.exposeInt('recipientId', { description: 'Id of the other user of a private dialog; 0 in groups.' }),
    sendToChat: t.exposeBoolean('sendToChat', {
      description: 'Whether it is delivered to legacy chat clients, and by pushes to occupants who are offline.',
    }),
    dateSent: t.exposeInt('dateSent', { description: 'Send time in Unix seconds.' }),
    attachments: t.field({
      type: ['JSON'],
      description:
        'Objects with `type` and `id` or `url`, and any further keys that the sender added: `{ "type": "image", ' +
        '"id": "42" }`.',
      resolve: (message) => message.attachments as unknown[],
    }),
    files: t.field({
      scope: 'files:read',
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

builder.queryField('message', (t) =>
  t.withAuth({ userOrKey: true }).field({
    scope: 'messages',
    administrator: { roles: SUPPORT, needsReason: true },
    type: Message,
    description:
      'One message. Does not mark it. Fails with `NOT_FOUND` if it does not exist or the caller has deleted it.',
    args: {
      id: t.arg.id({ required: true, description: MESSAGE_ID }),
      senderId: t.arg.int({
        description: 'Id of the sender. `id` may then also be the `clientId` that their client chose.',
      }),
    },
    resolve: (_root, { id, senderId }, context, info) =>
      senderId == null
        ? findMessage(id, requestedFields(info), context)
        : findMessageOf(senderId, id, requestedFields(info), context),
  }),
);

builder.queryField('messages', (t) =>
  t.withAuth({ userOrKey: true }).connection(
    {
      scope: 'messages',
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
    { fields: withTotalCount },
  ),
);

import { SUPPORT } from '../administration/administrators/rights.ts';
import {
  addReaction,
  changeReactions,
  listReactions,
  MAX_NAME,
  removeReaction,
} from '../resolvers/messages/reactions.ts';
import type { ReactionUsers } from '../resolvers/messages/reactions-of.ts';
import { builder } from './builder.ts';
import { MESSAGE_ID } from './descriptions.ts';
import { Message } from './messages.ts';

const Reaction = builder.objectRef<ReactionUsers>('Reaction').implement({
  description: 'One reaction to a message, with the users who added it.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Reaction name, for example `like`.' }),
    userIds: t.exposeIntList('userIds', { description: 'Ids of the users who added it, ascending.' }),
  }),
});

builder.queryField('reactions', (t) =>
  t.withAuth({ userOrKey: true }).field({
    scope: 'messages',
    administrator: { roles: SUPPORT, needsReason: true },
    type: [Reaction],
    description: 'Reactions to a message with their users, in the order in which the names were first used.',
    args: { messageId: t.arg.id({ required: true, description: MESSAGE_ID }) },
    resolve: (_root, { messageId }, context) => listReactions(messageId, context),
  }),
);

builder.mutationField('addReaction', (t) =>
  t.withAuth({ user: true }).field({
    scope: 'messages',
    administrator: { roles: SUPPORT, needsReason: true },
    type: Message,
    description: 'Adds a reaction to a message. Adding it again changes nothing.',
    args: {
      messageId: t.arg.id({ required: true, description: MESSAGE_ID }),
      name: t.arg.string({ description: `Reaction name, 1 to ${MAX_NAME} characters. Required.` }),
    },
    resolve: (_root, { messageId, name }, context) => addReaction(messageId, name, context),
  }),
);

builder.mutationField('changeReactions', (t) =>
  t.withAuth({ user: true }).field({
    scope: 'messages',
    administrator: { roles: SUPPORT, needsReason: true },
    type: Message,
    description:
      'Adds one reaction and removes another: both or neither. At least one of `add` and `remove` is required.',
    args: {
      messageId: t.arg.id({ required: true, description: MESSAGE_ID }),
      add: t.arg.string({ description: `Name of the reaction to add, 1 to ${MAX_NAME} characters.` }),
      remove: t.arg.string({
        description: 'Name of the reaction to remove. Fails with `NOT_FOUND` if the caller has not added it.',
      }),
    },
    resolve: (_root, { messageId, ...names }, context) => changeReactions(messageId, names, context),
  }),
);

builder.mutationField('removeReaction', (t) =>
  t.withAuth({ user: true }).field({
    scope: 'messages',
    administrator: { roles: SUPPORT, needsReason: true },
    type: Message,
    description: 'Removes a reaction that the caller added. Fails with `NOT_FOUND` if there is none of this name.',
    args: {
      messageId: t.arg.id({ required: true, description: MESSAGE_ID }),
      name: t.arg.string({ description: 'Name of the reaction, exactly as added. Required.' }),
    },
    resolve: (_root, { messageId, name }, context) => removeReaction(messageId, name, context),
  }),
);

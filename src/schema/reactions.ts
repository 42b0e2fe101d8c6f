import { addReaction, changeReactions, listReactions, removeReaction } from '../resolvers/messages/reactions.ts';
import type { ReactionUsers } from '../resolvers/messages/reactions-of.ts';
import { builder } from './builder.ts';
import { MESSAGE_ID } from './descriptions.ts';
import { Message } from './messages.ts';

const Reaction = builder.objectRef<ReactionUsers>('Reaction').implement({
  description: 'One reaction to a message, with those who left it.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Such as `like`.' }),
    userIds: t.exposeIntList('userIds', { description: 'Users who left it, ascending.' }),
  }),
});

builder.queryField('reactions', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: [Reaction],
    description: 'Who reacted to a message, in the order in which the names first came.',
    args: { messageId: t.arg.id({ required: true, description: MESSAGE_ID }) },
    resolve: (_root, { messageId }, context) => listReactions(messageId, context),
  }),
);

builder.mutationField('addReaction', (t) =>
  t.withAuth({ user: true }).field({
    type: Message,
    description: 'Leaves a reaction; the same again changes nothing.',
    args: {
      messageId: t.arg.id({ required: true, description: MESSAGE_ID }),
      name: t.arg.string({ description: '1 to 64 characters; required.' }),
    },
    resolve: (_root, { messageId, name }, context) => addReaction(messageId, name, context),
  }),
);

builder.mutationField('changeReactions', (t) =>
  t.withAuth({ user: true }).field({
    type: Message,
    description: 'Leaves one reaction and takes another back: both, or nothing. At least one of them is needed.',
    args: {
      messageId: t.arg.id({ required: true, description: MESSAGE_ID }),
      add: t.arg.string({ description: '1 to 64 characters.' }),
      remove: t.arg.string({ description: 'As it was added.' }),
    },
    resolve: (_root, { messageId, ...names }, context) => changeReactions(messageId, names, context),
  }),
);

builder.mutationField('removeReaction', (t) =>
  t.withAuth({ user: true }).field({
    type: Message,
    description: "Takes one of the caller's reactions back.",
    args: {
      messageId: t.arg.id({ required: true, description: MESSAGE_ID }),
      name: t.arg.string({ description: 'As it was added; required.' }),
    },
    resolve: (_root, { messageId, name }, context) => removeReaction(messageId, name, context),
  }),
);

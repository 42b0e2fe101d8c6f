import { readText } from '../lib/casts.ts';
import { MAX_NAME } from '../resolvers/messages/reactions.ts';
import { graphql } from './graphql.ts';
import { route } from './http/route.ts';
import { reactionDocs } from './openapi/docs/reactions.ts';
import { id, reader, text } from './parameters/readers.ts';
import { limited, parameters, required } from './parameters/table.ts';

const AddReaction = graphql(`mutation AddReaction($messageId: ID!, $name: String) {
  addReaction(messageId: $messageId, name: $name) { id }
}`);

const ChangeReactions = graphql(`mutation ChangeReactions($messageId: ID!, $add: String, $remove: String) {
  changeReactions(messageId: $messageId, add: $add, remove: $remove) { id }
}`);

const ListReactions = graphql(`query ListReactions($messageId: ID!) {
  reactions(messageId: $messageId) { name userIds }
}`);

const RemoveReaction = graphql(`mutation RemoveReaction($messageId: ID!, $name: String) {
  removeReaction(messageId: $messageId, name: $name) { id }
}`);

const REACTION = `Name of the reaction, such as \`like\`; 1 to ${MAX_NAME} characters.`;

const reaction = limited(text, { minLength: 1, maxLength: MAX_NAME });
/** A value that is no text is an invalid name instead of a missing one. */
const changed = reader(reaction.schema, (value) =>
  value === undefined || value === null ? undefined : (readText(value) ?? ''),
);

export const reactionRoutes = [
  route({
    method: 'post',
    path: '/chat/Message/:id/reactions',
    since: '2.58.0',
    checksTypes: true,
    document: AddReaction,
    inPath: { id: ['messageId', id] },
    parameters: parameters('Mutation.addReaction', { name: ['name', required(reaction), REACTION] }),
    docs: reactionDocs.addReaction,
  }),
  route({
    method: 'put',
    path: '/chat/Message/:id/reactions',
    since: '2.58.0',
    checksTypes: true,
    document: ChangeReactions,
    inPath: { id: ['messageId', id] },
    parameters: parameters('Mutation.changeReactions', {
      add: ['add', changed, 'Name of the reaction to add.'],
      remove: ['remove', changed, 'Name of the reaction to remove.'],
    }),
    docs: reactionDocs.changeReactions,
  }),
  route({
    method: 'get',
    path: '/chat/Message/:id/reactions',
    since: '2.58.0',
    document: ListReactions,
    inPath: { id: ['messageId', id] },
    present: ({ reactions }) => Object.fromEntries(reactions.map(({ name, userIds }) => [name, userIds])),
    docs: reactionDocs.listReactions,
  }),
  route({
    method: 'delete',
    path: '/chat/Message/:id/reactions',
    since: '2.58.0',
    checksTypes: true,
    document: RemoveReaction,
    inPath: { id: ['messageId', id] },
    parameters: parameters('Mutation.removeReaction', { name: ['name', required(reaction), REACTION] }),
    docs: reactionDocs.removeReaction,
  }),
];

import { type ParameterInput, readText } from '../lib/parameter-values.ts';
import { errorList } from './errors.ts';
import { graphql } from './graphql.ts';
import { empty, ok, route } from './http/route.ts';
import { reactionDocs } from './openapi/docs/reactions.ts';

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

export const reactionRoutes = [
  route({
    method: 'post',
    path: '/chat/Message/:id/reactions',
    since: '2.58.0',
    refusesWrongTypes: true,
    document: AddReaction,
    variables: ({ path, parameters }) => ({ messageId: path.id!, name: readText(parameters.name) }),
    respond: empty,
    errors: errorList,
    docs: reactionDocs.addReaction,
  }),
  route({
    method: 'put',
    path: '/chat/Message/:id/reactions',
    since: '2.58.0',
    refusesWrongTypes: true,
    document: ChangeReactions,
    variables: ({ path, parameters }) => ({
      messageId: path.id!,
      add: nameOf(parameters.add),
      remove: nameOf(parameters.remove),
    }),
    respond: empty,
    errors: errorList,
    docs: reactionDocs.changeReactions,
  }),
  route({
    method: 'get',
    path: '/chat/Message/:id/reactions',
    since: '2.58.0',
    document: ListReactions,
    variables: ({ path }) => ({ messageId: path.id! }),
    respond: ({ reactions }) => ok(Object.fromEntries(reactions.map(({ name, userIds }) => [name, userIds]))),
    errors: errorList,
    docs: reactionDocs.listReactions,
  }),
  route({
    method: 'delete',
    path: '/chat/Message/:id/reactions',
    since: '2.58.0',
    refusesWrongTypes: true,
    document: RemoveReaction,
    variables: ({ path, parameters }) => ({ messageId: path.id!, name: readText(parameters.name) }),
    respond: empty,
    errors: errorList,
    docs: reactionDocs.removeReaction,
  }),
];

/** Turns a value that is no text into an invalid name instead of a missing one. */
function nameOf(value: ParameterInput): string | undefined {
  return value === undefined || value === null ? undefined : (readText(value) ?? '');
}

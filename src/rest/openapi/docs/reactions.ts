import { BadInputError, ForbiddenError, NotFoundError } from '../../../lib/errors.ts';
import { MAX_NAME } from '../../../resolvers/messages/reactions.ts';
import { argumentsOf } from './from-graphql.ts';
import type { OperationDocs } from './operation-docs.ts';
import { SAMPLES } from './samples.ts';
import { integer, listOf, mapOf, text } from './schemas.ts';

const reaction = { ...text, minLength: 1, maxLength: MAX_NAME };
const path = { id: text };
const missing = [
  new BadInputError('messageId is not valid'),
  new ForbiddenError(),
  new NotFoundError('Message not found for the specified user and message ID.'),
];
const badName = new BadInputError(`name should have 1 to ${MAX_NAME} characters`);
const noReaction = new NotFoundError('Reaction not found for the specified user and message ID.');

export const reactionDocs = {
  addReaction: {
    tag: 'Reactions',
    summary: 'React to a message',
    path,
    body: argumentsOf('Mutation.addReaction', { name: ['name', reaction] }, ['name']),
    answer: 'nothing',
    errors: [...missing, badName],
    examples: [{ path: { id: SAMPLES.message }, body: { name: 'like' } }],
  },
  changeReactions: {
    tag: 'Reactions',
    summary: 'Exchange a reaction',
    path,
    body: argumentsOf('Mutation.changeReactions', { add: ['add', reaction], remove: ['remove', reaction] }),
    answer: 'nothing',
    errors: [...missing, badName, noReaction],
    examples: [{ path: { id: SAMPLES.message }, body: { add: 'love', remove: 'like' } }],
  },
  listReactions: {
    tag: 'Reactions',
    summary: 'Who reacted to a message',
    path,
    answer: { ...mapOf(listOf(integer)), description: 'Users by the name of the reaction.' },
    errors: missing,
    examples: [{ path: { id: SAMPLES.message } }],
  },
  removeReaction: {
    tag: 'Reactions',
    summary: 'Take a reaction back',
    path,
    body: argumentsOf('Mutation.removeReaction', { name: ['name', reaction] }, ['name']),
    answer: 'nothing',
    errors: [...missing, badName, noReaction],
    examples: [{ path: { id: SAMPLES.message }, body: { name: 'love' } }],
  },
} satisfies Record<string, OperationDocs>;

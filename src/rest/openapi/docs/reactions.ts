import { BadInputError, ForbiddenError, NotFoundError } from '../../../lib/errors.ts';
import { problem } from '../../../lib/problems.ts';
import { MAX_NAME } from '../../../resolvers/messages/reactions.ts';
import { docsOf } from './operation-docs.ts';
import { SAMPLES } from './samples.ts';
import { integer, listOf, mapOf } from './schemas.ts';

const missing = [new BadInputError('MESSAGE_ID_INVALID'), new ForbiddenError(), new NotFoundError('MESSAGE_NOT_FOUND')];
const badName = new BadInputError(problem('REACTION_NAME_INVALID', { max: MAX_NAME }));
const noReaction = new NotFoundError('REACTION_NOT_FOUND');

export const reactionDocs = docsOf('Reactions', {
  addReaction: {
    summary: 'Add a reaction',
    description:
      'Adds a reaction of the caller to a message. Adding the same reaction again changes nothing. A user can ' +
      'leave several different reactions on a message.',
    errors: [...missing, badName],
    examples: [{ path: { id: SAMPLES.message }, body: { name: 'like' } }],
  },
  changeReactions: {
    summary: 'Add and remove a reaction',
    description:
      'Adds one reaction and removes another, or does only one of the two. Either all changes are made or none. ' +
      'At least one of `add` and `remove` is required.',
    errors: [...missing, badName, noReaction],
    examples: [{ path: { id: SAMPLES.message }, body: { add: 'love', remove: 'like' } }],
  },
  listReactions: {
    summary: 'List reactions of a message',
    description:
      'Returns the reactions of a message with the ids of the users who left them. Without reactions, the ' +
      'response is an empty object.',
    answer: { ...mapOf(listOf(integer)), description: 'Ids of the users by name of the reaction, in ascending order.' },
    errors: missing,
    examples: [{ path: { id: SAMPLES.message } }],
  },
  removeReaction: {
    summary: 'Remove a reaction',
    description:
      'Removes one of the reactions that the caller left on a message. Returns 404 if the caller did not leave ' +
      'it.',
    errors: [...missing, badName, noReaction],
    examples: [{ path: { id: SAMPLES.message }, body: { name: 'love' } }],
  },
});

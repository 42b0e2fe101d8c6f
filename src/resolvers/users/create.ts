import type { IdentifiedContext } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import type { User } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { InvalidFieldsError } from '../../lib/errors.ts';
import { grantedOf } from './granted-tags.ts';
import { proofsAfter } from './identities.ts';
import { hashFirstPassword, hashOwner } from './passwords.ts';
import { checkedUser, newUserProblems, type UserInput } from './rules.ts';
import { storeUnique, takenFields, wellFormed } from './taken.ts';

/** Leaves the caller's session unchanged. @throws {InvalidFieldsError} */
export async function createUser(input: UserInput, context: IdentifiedContext): Promise<User> {
  const { viewer, now } = context;
  const { applicationId } = viewer;
  const user = checkedUser(wellFormed(input, newUserProblems(input)));
  const problems = newUserProblems(input, await takenFields({ applicationId }, user));
  if (Object.keys(problems).length > 0) throw new InvalidFieldsError(problems);

  const passwordHash = await hashFirstPassword(input.password!, hashOwner(applicationId, context));
  const at = now();
  return storeUnique({ applicationId }, user, () =>
    transact(jobOwnerOf(viewer), (transaction) =>
      transaction.user.create({
        data: {
          ...user,
          ...proofsAfter(user, viewer),
          ...grantedOf(user, viewer),
          applicationId,
          passwordHash,
          createdAt: at,
          updatedAt: at,
        },
      }),
    ),
  );
}

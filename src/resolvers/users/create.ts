import type { IdentifiedContext } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import type { User } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { ForbiddenError, requireNone } from '../../lib/errors.ts';
import type { Problem } from '../../lib/problems.ts';
import { grantedOf } from './granted-tags.ts';
import { proofsAfter } from './identities.ts';
import { newPasswordProblems } from './password-rules.ts';
import { hashFirstPassword, hashOwner, isVerifiable } from './passwords.ts';
import { checkedUser, newUserProblems, type UserInput } from './rules.ts';
import { storeUnique, takenFields, wellFormed } from './taken.ts';

export interface NewUser extends UserInput {
  /** From another system, in place of `password`. */
  passwordHash?: string | null | undefined;
}

/** Leaves the caller's session unchanged. @throws {InvalidFieldsError} */
export async function createUser(input: NewUser, context: IdentifiedContext): Promise<User> {
  const { viewer, now } = context;
  const { applicationId } = viewer;
  const { passwordHash: imported } = input;
  if (imported != null && viewer.kind !== 'key') throw new ForbiddenError('OPERATION_FORBIDDEN');
  const password =
    imported != null
      ? { password: [], passwordHash: hashProblems(imported, input.password) }
      : await newPasswordProblems(applicationId, input.password ?? null, input);
  const user = checkedUser(wellFormed(input, newUserProblems(input, password)));
  requireNone(newUserProblems(input, { ...(await takenFields({ applicationId }, user)), ...password }));

  const passwordHash = imported ?? (await hashFirstPassword(input.password!, hashOwner(applicationId, context)));
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

function hashProblems(passwordHash: string, password: string | null | undefined): Problem[] {
  if (password != null) return ['PASSWORD_AND_HASH'];
  return isVerifiable(passwordHash) ? [] : ['PASSWORD_HASH_UNKNOWN'];
}

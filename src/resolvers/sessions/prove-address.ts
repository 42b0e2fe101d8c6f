import type { Transaction } from '../../db/client.ts';
import type { User } from '../../generated/prisma/client.ts';
import { revokeUploads } from '../blobs/revoke.ts';
import type { ReleasedKey } from '../files/staged.ts';
import { asProven, hasProvenIdentity, isProven } from '../users/identities.ts';
import { endSessionsOf, removeDevices } from '../users/revoke.ts';

/**
 * Marks the address as proven. If it was not, another person may have entered it, so all other credentials, sessions and
 * devices are removed. Lock the user first.
 * @param changes with a new password, sessions and devices are removed in any case
 */
export async function proveAddress(
  transaction: Transaction,
  before: User,
  changes: { passwordHash?: string },
  at: Date,
): Promise<{ user: User; revoked: ReleasedKey[] }> {
  const { applicationId, id: userId } = before;
  const isFirstProof = !isProven('email', before);
  if (!isFirstProof && changes.passwordHash === undefined) return { user: before, revoked: [] };
  const user = await transaction.user.update({
    where: { applicationId_id: { applicationId, id: userId } },
    data: {
      ...(isFirstProof && { passwordHash: null, ...othersClaims(before) }),
      ...changes,
      verifiedEmail: before.email,
      isGuest: false,
      updatedAt: at,
    },
  });
  await endSessionsOf(transaction, { applicationId, userId }, at);
  await removeDevices(transaction, { applicationId, userId });
  return { user, revoked: isFirstProof ? await revokeUploads(transaction, { applicationId, userId }, at) : [] };
}

// A migrated user without any sign-in keeps all credentials, because they were not entered here; unproven values grant
// no access.
function othersClaims(user: User): Partial<User> {
  if (user.passwordHash === null && !hasProvenIdentity(user)) return {};
  const claims = { phone: null, facebookId: null, twitterId: null };
  return { ...claims, ...asProven(claims) };
}

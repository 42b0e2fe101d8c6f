import type { Prisma, Transaction } from '../../db/client.ts';
import type { User } from '../../generated/prisma/client.ts';
import { UserBlockedError, WrongPasswordError } from '../../lib/errors.ts';

export interface SignedIn {
  user: User;
  /** True for the user's row while the check remains valid. */
  isAsChecked: Prisma.Sql;
  /** Whether a second factor or a passkey was proven, too. */
  isMultiFactor?: boolean;
}

/**
 * Locks the user before the session, so that the checked credential stays valid.
 * @throws {WrongPasswordError} {UserBlockedError}
 */
export async function lockSignedIn(
  transaction: Transaction,
  { user: { applicationId, id }, isAsChecked }: SignedIn,
): Promise<void> {
  const [locked] = await transaction.$queryRaw<{ isBlocked: boolean }[]>`
    SELECT blocked_at IS NOT NULL AS "isBlocked" FROM users
    WHERE application_id = ${applicationId} AND id = ${id} AND ${isAsChecked} FOR SHARE`;
  if (!locked) throw new WrongPasswordError();
  if (locked.isBlocked) throw new UserBlockedError();
}

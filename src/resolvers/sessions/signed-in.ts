import type { Prisma, Transaction } from '../../db/client.ts';
import type { User } from '../../generated/prisma/client.ts';
import { WrongPasswordError } from '../../lib/errors.ts';
/** A user who has signed in, and what was checked of them. */
export interface SignedIn {
  user: User;
  /** SQL that holds for the user's row for as long as the check does. */
  isAsChecked: Prisma.Sql;
}

/**
 * Keeps who has signed in as they were checked until the transaction ends: whoever changes the password, takes the
 * identity away or deletes the user waits, or has done so. Locked before the session, as they do.
 * @throws {WrongPasswordError} the user is gone, or what was checked has changed since
 */
export async function lockSignedIn(
  transaction: Transaction,
  { user: { applicationId, id }, isAsChecked }: SignedIn,
): Promise<void> {
  const locked = await transaction.$executeRaw`
    SELECT FROM users WHERE application_id = ${applicationId} AND id = ${id} AND ${isAsChecked} FOR SHARE`;
  if (locked === 0) throw new WrongPasswordError();
}

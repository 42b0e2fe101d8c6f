import type { Prisma, Transaction } from '../../db/client.ts';
import type { User } from '../../generated/prisma/client.ts';
import { WrongPasswordError } from '../../lib/errors.ts';
export interface SignedIn {
  user: User;
  /** True for the user's row while the check remains valid. */
  isAsChecked: Prisma.Sql;
}

/** Locks the user before the session, so that the checked credential stays valid. @throws {WrongPasswordError} */
export async function lockSignedIn(
  transaction: Transaction,
  { user: { applicationId, id }, isAsChecked }: SignedIn,
): Promise<void> {
  const locked = await transaction.$executeRaw`
    SELECT FROM users WHERE application_id = ${applicationId} AND id = ${id} AND ${isAsChecked} FOR SHARE`;
  if (locked === 0) throw new WrongPasswordError();
}

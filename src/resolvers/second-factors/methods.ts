import { db } from '../../db/client.ts';
import type { UserPasskey } from '../../generated/prisma/client.ts';
import { UnknownUserError } from '../../lib/errors.ts';
import { isDatabaseId } from '../../lib/tokens.ts';
import { listUserPasskeys } from './passkeys.ts';

interface Account {
  applicationId: number;
  userId: number;
}

export interface SignInMethods extends Account {
  hasPassword: boolean;
  needsSecondFactor: boolean;
  /** By a role of the user. */
  isSecondFactorDemanded: boolean;
  hasTotp: boolean;
  recoveryCodesLeft: number;
  passkeys: UserPasskey[];
}

/** @throws {UnknownUserError} */
export async function findSignInMethods({ applicationId, userId }: Account): Promise<SignInMethods> {
  if (!isDatabaseId(userId)) throw new UnknownUserError();
  const [user, passkeys] = await Promise.all([
    // Not `findUnique`: Prisma would merge simultaneous look-ups of different applications into one statement.
    db.user.findFirst({
      where: { applicationId, id: userId },
      include: { factor: true, application: { select: { secondFactorRoles: true } } },
    }),
    listUserPasskeys(applicationId, userId),
  ]);
  if (!user) throw new UnknownUserError();
  const { passwordHash, needsSecondFactor, roles, factor, application } = user;
  return {
    applicationId,
    userId,
    hasPassword: passwordHash !== null,
    needsSecondFactor,
    isSecondFactorDemanded: roles.some((role) => application.secondFactorRoles.includes(role)),
    hasTotp: factor?.hasTotp ?? false,
    recoveryCodesLeft: factor?.recoveryHashes.length ?? 0,
    passkeys,
  };
}

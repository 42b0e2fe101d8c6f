import { db } from '../../db/client.ts';
import type { UserPasskey } from '../../generated/prisma/client.ts';
import type { UserViewer } from '../../lib/access.ts';
import { UnknownUserError } from '../../lib/errors.ts';
import { listUserPasskeys } from './passkeys.ts';

export interface SignInMethods {
  hasPassword: boolean;
  needsSecondFactor: boolean;
  /** By a role of the user. */
  isSecondFactorDemanded: boolean;
  hasTotp: boolean;
  recoveryCodesLeft: number;
  passkeys: UserPasskey[];
}

export async function findSignInMethods({ applicationId, userId }: UserViewer): Promise<SignInMethods> {
  const [user, passkeys] = await Promise.all([
    db.user.findUnique({
      where: { applicationId_id: { applicationId, id: userId } },
      include: { factor: true, application: { select: { secondFactorRoles: true } } },
    }),
    listUserPasskeys(applicationId, userId),
  ]);
  if (!user) throw new UnknownUserError();
  const { passwordHash, needsSecondFactor, roles, factor, application } = user;
  return {
    hasPassword: passwordHash !== null,
    needsSecondFactor,
    isSecondFactorDemanded: roles.some((role) => application.secondFactorRoles.includes(role)),
    hasTotp: factor?.hasTotp ?? false,
    recoveryCodesLeft: factor?.recoveryHashes.length ?? 0,
    passkeys,
  };
}

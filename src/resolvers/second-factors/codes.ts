import type { AdministrationContext, Context, UserTokenContext } from '../../context.ts';
import { db, Prisma, type Transaction } from '../../db/client.ts';
import { query } from '../../db/query.ts';
import { transact } from '../../db/transact.ts';
import type { Application, User, UserFactor } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { DisabledError, InvalidFieldsError, UnknownUserError, UnprocessableError } from '../../lib/errors.ts';
import { hashSecret, isDatabaseId } from '../../lib/tokens.ts';
import {
  type CodeStore,
  newRecoveryCodes,
  newTotpSecret,
  stepOf,
  type TotpSecret,
  useCode,
} from '../../platform/second-factors/totp.ts';
import { noticeVerified } from '../users/credentials.ts';
import { lockUser } from '../users/lock.ts';
import { endSessionsOf, removeDevices } from '../users/revoke.ts';
import { changeOwn, markMultiFactor } from './own.ts';

interface UserKey {
  applicationId: number;
  userId: number;
}

export const additionalDataOfUserTotp = ({ applicationId, userId }: UserKey) => `totp ${applicationId} ${userId}`;

/** Replaces an unconfirmed secret. It counts once `enableUserTotp` has received its first code. */
export async function createUserTotpSecret(context: UserTokenContext): Promise<TotpSecret> {
  const { viewer, encrypter } = context;
  const { name } = await requireSwitchedOn(viewer.applicationId);
  const key = keyOf(viewer);
  return changeOwn(context, async (transaction, user) => {
    const factor = await transaction.userFactor.findUnique({ where: { applicationId_userId: key } });
    if (factor?.hasTotp) throw new InvalidFieldsError({ totp: ['TOTP_ENABLED'] });
    const created = newTotpSecret(name, user.email ?? user.login ?? `user ${user.id}`);
    const encryptedTotp = encrypter.encrypt(created.secret, additionalDataOfUserTotp(key));
    await upsertFactor(transaction, key, { encryptedTotp });
    return created;
  });
}

/** @returns new recovery codes, shown only once; each replaces one code of the app */
export function enableUserTotp(code: string, context: UserTokenContext): Promise<string[]> {
  const { viewer, encrypter, now } = context;
  const key = keyOf(viewer);
  return turnOn(context, async (transaction) => {
    const factor = await transaction.userFactor.findUnique({ where: { applicationId_userId: key } });
    if (!factor?.encryptedTotp || factor.hasTotp) throw new InvalidFieldsError({ totp: ['TOTP_NOT_PREPARED'] });
    const step = stepOf(encrypter.decrypt(factor.encryptedTotp, additionalDataOfUserTotp(key)), code, now());
    if (step === undefined) throw new InvalidFieldsError({ code: ['CODE_WRONG'] });
    return { hasTotp: true, totpStep: step };
  });
}

/** Demands a passkey, or a recovery code, after other ways to sign in. @returns new recovery codes */
export function enablePasskeyFactor(context: UserTokenContext): Promise<string[]> {
  return turnOn(context, async (transaction) => {
    const count = await transaction.userPasskey.count({ where: keyOf(context.viewer) });
    if (count === 0) throw new UnprocessableError('PASSKEY_NEEDED');
    return {};
  });
}

/** Replaces all recovery codes. @throws {UnprocessableError} the second factor is off */
export function renewRecoveryCodes(context: UserTokenContext): Promise<string[]> {
  return changeOwn(context, async (transaction, user) => {
    if (!user.needsSecondFactor) throw new UnprocessableError('SECOND_FACTOR_OFF');
    const codes = newRecoveryCodes();
    await upsertFactor(transaction, keyOf(context.viewer), { recoveryHashes: codes.map(hashSecret) });
    return codes;
  });
}

/** Keeps passkeys, which still sign in. */
export async function disableSecondFactor(context: UserTokenContext): Promise<true> {
  const user = await changeOwn(context, (transaction, before) => turnOff(transaction, before, context.now()));
  await noticeVerified(user, 'secondFactor', context);
  return true;
}

/** For a user who has lost the second factor. Deletes passkeys, too. @throws {UnknownUserError} */
export async function resetSecondFactor(
  userId: number,
  context: AdministrationContext & Pick<Context, 'mailer'>,
): Promise<true> {
  const { applicationId } = context.viewer;
  const user = await transact(jobOwnerOf(context.viewer), async (transaction) => {
    const before = isDatabaseId(userId) ? await lockUser(transaction, { applicationId, id: userId }) : null;
    if (!before) throw new UnknownUserError();
    await transaction.userPasskey.deleteMany({ where: { applicationId, userId } });
    return turnOff(transaction, before, context.now());
  });
  await noticeVerified(user, 'secondFactor', context);
  return true;
}

/**
 * Call it only after another right credential.
 * @returns whether the code of the app, or the recovery code, is right
 * @throws {CodeRequiredError} {RateLimitedError} {InvalidFieldsError} the secret of the app cannot be decrypted
 */
export async function isUserCode(
  key: UserKey,
  code: string | null | undefined,
  { now, encrypter }: Pick<Context, 'now' | 'encrypter'>,
): Promise<boolean> {
  const factor = await db.userFactor.findUnique({ where: { applicationId_userId: key } });
  return factor ? useCode(codesOf(factor), code, now(), encrypter) : false;
}

function codesOf({ applicationId, userId, hasTotp, encryptedTotp }: UserFactor): CodeStore {
  const key = { applicationId, userId };
  return {
    encryptedTotp: hasTotp ? encryptedTotp : null,
    additionalData: additionalDataOfUserTotp(key),
    async countAttempt(at, windowStart) {
      const isNew = Prisma.sql`code_attempts = 0 OR codes_since <= ${windowStart}`;
      const [counted] = await query<{ attempts: number; since: Date }>`
        UPDATE user_factors SET code_attempts = CASE WHEN ${isNew} THEN 1 ELSE code_attempts + 1 END,
          codes_since = CASE WHEN ${isNew} THEN ${at} ELSE codes_since END
        WHERE application_id = ${applicationId} AND user_id = ${userId}
        RETURNING code_attempts AS attempts, codes_since AS since`;
      return counted;
    },
    resetAttempts: () => db.userFactor.updateMany({ where: key, data: { codeAttempts: 0 } }),
    async useStep(totpStep) {
      const where = { ...key, hasTotp: true, totpStep: { lt: totpStep } };
      return (await db.userFactor.updateMany({ where, data: { totpStep } })).count > 0;
    },
    async useRecoveryCode(hash) {
      const used = await db.$executeRaw`
        UPDATE user_factors SET recovery_hashes = array_remove(recovery_hashes, ${hash})
        WHERE application_id = ${applicationId} AND user_id = ${userId} AND ${hash} = ANY(recovery_hashes)`;
      return used > 0;
    },
  };
}

/** @throws {DisabledError} */
async function requireSwitchedOn(id: number): Promise<Application> {
  const application = await db.application.findUniqueOrThrow({ where: { id } });
  if (!application.secondFactors) throw new DisabledError('SECOND_FACTORS_OFF');
  return application;
}

/** Other sessions end, because they were opened without it. */
async function turnOn(
  context: UserTokenContext,
  factorOf: (transaction: Transaction) => Promise<Partial<UserFactor>>,
): Promise<string[]> {
  const { viewer, now, outbox } = context;
  const key = keyOf(viewer);
  const codes = newRecoveryCodes();
  await requireSwitchedOn(key.applicationId);
  const user = await changeOwn(context, async (transaction) => {
    const changes = await factorOf(transaction);
    const others = { ...key, but: viewer.session.id };
    await upsertFactor(transaction, key, { ...changes, recoveryHashes: codes.map(hashSecret) });
    await markMultiFactor(transaction, context);
    await endSessionsOf(transaction, others, now());
    await removeDevices(transaction, others);
    const data = { needsSecondFactor: true, updatedAt: now() };
    return transaction.user.update({ where: { applicationId_id: idOf(key) }, data });
  });
  outbox.wake();
  await noticeVerified(user, 'secondFactor', context);
  return codes;
}

async function turnOff(transaction: Transaction, { applicationId, id }: User, updatedAt: Date): Promise<User> {
  const where = { applicationId, userId: id };
  await transaction.userFactor.updateMany({ where, data: { hasTotp: false, encryptedTotp: null, recoveryHashes: [] } });
  await transaction.session.updateMany({ where, data: { isMultiFactor: false } });
  await transaction.signInChallenge.deleteMany({ where });
  const data = { needsSecondFactor: false, updatedAt };
  return transaction.user.update({ where: { applicationId_id: { applicationId, id } }, data });
}

export async function upsertFactor(transaction: Transaction, key: UserKey, changes: Partial<UserFactor>) {
  return transaction.userFactor.upsert({
    where: { applicationId_userId: key },
    create: { ...key, ...changes },
    update: changes,
  });
}

const keyOf = ({ applicationId, userId }: UserKey): UserKey => ({ applicationId, userId });
const idOf = ({ applicationId, userId: id }: UserKey) => ({ applicationId, id });

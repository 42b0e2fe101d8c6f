import type { Services } from '../../context.ts';
import { db, Prisma } from '../../db/client.ts';
import { query } from '../../db/query.ts';
import type { AdministratorViewer } from '../../lib/access.ts';
import { InvalidFieldsError, WrongAdministratorCredentialsError } from '../../lib/errors.ts';
import { hashSecret } from '../../lib/tokens.ts';
import {
  type CodeStore,
  newRecoveryCodes,
  newTotpSecret,
  stepOf,
  type TotpSecret,
  useCode,
} from '../../platform/second-factors/totp.ts';
import { notify } from './notices.ts';
import { findAdministrator, transactAs } from './rows.ts';

const ISSUER = 'Atrium';

export const additionalDataOfTotp = (id: number) => `totp ${id}`;

/** Replaces an unconfirmed secret. It counts once `enableTotp` has received its first code. */
export async function createTotpSecret(
  viewer: AdministratorViewer,
  { encrypter }: Pick<Services, 'encrypter'>,
): Promise<TotpSecret> {
  const { id } = viewer.administrator;
  const { email } = await findAdministrator(id);
  const created = newTotpSecret(ISSUER, email);
  const encryptedTotp = encrypter.encrypt(created.secret, additionalDataOfTotp(id));
  await transactAs(viewer, async (transaction) => {
    const { count } = await transaction.administrator.updateMany({
      where: { id, hasTotp: false },
      data: { encryptedTotp },
    });
    if (count === 0) throw new InvalidFieldsError({ totp: ['TOTP_ENABLED'] });
  });
  return created;
}

/** @returns recovery codes, shown only once; each replaces one code of the app */
export async function enableTotp(
  viewer: AdministratorViewer,
  code: string,
  context: Pick<Services, 'now' | 'encrypter' | 'mailer' | 'log'>,
): Promise<string[]> {
  const { now, encrypter } = context;
  const { id } = viewer.administrator;
  const { email, encryptedTotp, hasTotp } = await db.administrator.findUniqueOrThrow({ where: { id } });
  if (encryptedTotp === null || hasTotp) throw new InvalidFieldsError({ totp: ['TOTP_NOT_PREPARED'] });
  const step = stepOf(encrypter.decrypt(encryptedTotp, additionalDataOfTotp(id)), code, now());
  if (step === undefined) throw new InvalidFieldsError({ code: ['CODE_WRONG'] });
  const codes = newRecoveryCodes();
  await transactAs(viewer, async (transaction) => {
    const { count } = await transaction.administrator.updateMany({
      where: { id, encryptedTotp, hasTotp: false },
      data: { hasTotp: true, totpStep: step, recoveryHashes: codes.map(hashSecret), updatedAt: now() },
    });
    if (count === 0) throw new InvalidFieldsError({ totp: ['TOTP_CHANGED'] });
  });
  notify(email, 'totpEnabled', context);
  return codes;
}

export async function disableTotp(
  viewer: AdministratorViewer,
  context: Pick<Services, 'now' | 'mailer' | 'log'>,
): Promise<true> {
  const { id } = viewer.administrator;
  const { email } = await transactAs(viewer, (transaction) =>
    transaction.administrator.update({
      where: { id },
      data: { hasTotp: false, encryptedTotp: null, recoveryHashes: [], updatedAt: context.now() },
    }),
  );
  notify(email, 'totpDisabled', context);
  return true;
}

/**
 * Accepts each code only once. Does nothing for an account without TOTP. Call it only after a right password or link.
 * @throws {CodeRequiredError} {WrongAdministratorCredentialsError} {RateLimitedError} {InvalidFieldsError} the secret of
 * the app cannot be decrypted
 */
export async function requireCode(
  { id, hasTotp, encryptedTotp }: { id: number; hasTotp: boolean; encryptedTotp: string | null },
  code: string | null | undefined,
  { now, encrypter }: Pick<Services, 'now' | 'encrypter'>,
): Promise<void> {
  if (!hasTotp || encryptedTotp === null) return;
  if (!(await useCode(codesOf(id, encryptedTotp), code, now(), encrypter)))
    throw new WrongAdministratorCredentialsError();
}

function codesOf(id: number, encryptedTotp: string): CodeStore {
  return {
    encryptedTotp,
    additionalData: additionalDataOfTotp(id),
    async countAttempt(at, windowStart) {
      const isNew = Prisma.sql`code_attempts = 0 OR codes_since <= ${windowStart}`;
      const [counted] = await query<{ attempts: number; since: Date }>`
        UPDATE administrators SET code_attempts = CASE WHEN ${isNew} THEN 1 ELSE code_attempts + 1 END,
          codes_since = CASE WHEN ${isNew} THEN ${at} ELSE codes_since END
        WHERE id = ${id}
        RETURNING code_attempts AS attempts, codes_since AS since`;
      return counted;
    },
    resetAttempts: () => db.administrator.updateMany({ where: { id }, data: { codeAttempts: 0 } }),
    async useStep(totpStep) {
      const where = { id, totpStep: { lt: totpStep } };
      return (await db.administrator.updateMany({ where, data: { totpStep } })).count > 0;
    },
    async useRecoveryCode(hash) {
      const used = await db.$executeRaw`
        UPDATE administrators SET recovery_hashes = array_remove(recovery_hashes, ${hash})
        WHERE id = ${id} AND ${hash} = ANY(recovery_hashes)`;
      return used > 0;
    },
  };
}

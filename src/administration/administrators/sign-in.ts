import type { Context } from '../../context.ts';
import { db } from '../../db/client.ts';
import { transact } from '../../db/transact.ts';
import type { AdministratorIdentity, AdministratorViewer } from '../../lib/access.ts';
import { BadInputError, InvalidFieldsError, WrongAdministratorCredentialsError } from '../../lib/errors.ts';
import type { FairnessPath } from '../../lib/semaphore.ts';
import type { PasskeyAssertion } from '../../platform/second-factors/passkeys.ts';
import { hashPassword, isPassword } from '../../resolvers/users/passwords.ts';
import { boundToSession } from './challenges.ts';
import { notify } from './notices.ts';
import { verifyAssertion } from './passkey-assertions.ts';
import { type Administrator, findAdministrator, jobOfAdministrator, transactAs } from './rows.ts';
import { emailOf, requireValid } from './rules.ts';
import { confirmedUntil, endSessions, requirePage, startSession } from './sessions.ts';
import { requireCode } from './totp.ts';

export interface AdministratorCredentials {
  email: string;
  password: string;
  code?: string | null;
}

/** @throws {WrongAdministratorCredentialsError} {CodeRequiredError} */
export async function signInAdministrator(
  { email, password, code }: AdministratorCredentials,
  context: Context,
): Promise<Administrator> {
  const page = requirePage(context);
  const found = await db.administrator.findUnique({ where: { email: emailOf(email) } });
  const isRight = await isPassword(password, found?.passwordHash, passwordJob(context));
  if (!found || !isRight) throw new WrongAdministratorCredentialsError();
  await requireCode(found, code, context);
  const at = context.now();
  const token = await transact(jobOfAdministrator(found.id, context.network), (transaction) =>
    startSession(transaction, found.id, at),
  );
  page.setToken(token);
  return { ...(await findAdministrator(found.id)), confirmedUntil: confirmedUntil(at) };
}

/** Null for a caller who is not signed in. */
export async function currentAdministrator(identity: AdministratorIdentity | undefined): Promise<Administrator | null> {
  if (!identity) return null;
  return { ...(await findAdministrator(identity.id)), confirmedUntil: confirmedUntil(identity.confirmedAt) };
}

export async function signOutAdministrator(viewer: AdministratorViewer, context: Context): Promise<true> {
  await transactAs(viewer, (transaction) =>
    transaction.administratorSession.deleteMany({ where: { id: viewer.administrator.sessionId } }),
  );
  requirePage(context).setToken(null);
  return true;
}

export interface Confirmation {
  password?: string | null;
  code?: string | null;
  passkey?: PasskeyAssertion | null;
}

/** @throws {BadInputError} {WrongAdministratorCredentialsError} {CodeRequiredError} {PasskeyRefusedError} */
export async function confirmAdministrator(
  { password, code, passkey }: Confirmation,
  viewer: AdministratorViewer,
  context: Context,
): Promise<Administrator> {
  const { id, sessionId } = viewer.administrator;
  if ((password == null) === (passkey == null)) throw new BadInputError('PASSWORD_OR_PASSKEY');
  if (passkey) await verifyAssertion(passkey, boundToSession('confirmation', viewer), context, id);
  else await requirePassword(id, password!, code, context);
  const confirmedAt = context.now();
  await transactAs(viewer, (transaction) =>
    transaction.administratorSession.updateMany({ where: { id: sessionId }, data: { confirmedAt } }),
  );
  return { ...(await findAdministrator(id)), confirmedUntil: confirmedUntil(confirmedAt) };
}

async function requirePassword(id: number, password: string, code: string | null | undefined, context: Context) {
  const found = await db.administrator.findUniqueOrThrow({ where: { id } });
  if (!(await isPassword(password, found.passwordHash, passwordJob(context)))) {
    throw new WrongAdministratorCredentialsError();
  }
  await requireCode(found, code, context);
}

/** Ends the other sessions of the administrator. */
export async function changeAdministratorPassword(
  password: string,
  viewer: AdministratorViewer,
  context: Context,
): Promise<true> {
  const { id, sessionId } = viewer.administrator;
  requireValid({ password });
  const { email } = await findAdministrator(id);
  requireOther(password, email);
  const passwordHash = await hashPassword(password, passwordJob(context));
  await transactAs(viewer, async (transaction) => {
    await transaction.administrator.update({ where: { id }, data: { passwordHash, updatedAt: context.now() } });
    await endSessions(transaction, id, sessionId);
  });
  notify(email, 'password', context);
  return true;
}

/** @throws {InvalidFieldsError} */
export function requireOther(password: string, email: string): void {
  if (emailOf(password) === email) throw new InvalidFieldsError({ password: ['SAME_AS_EMAIL'] });
}

export function passwordJob({ network }: Pick<Context, 'network'>): FairnessPath {
  return ['console', `network:${network}`];
}

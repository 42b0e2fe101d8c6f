import type { Context } from '../../context.ts';
import { db } from '../../db/client.ts';
import type { User } from '../../generated/prisma/client.ts';
import type { ActingViewer, IdentifiedViewer, ViewerSession } from '../../lib/access.ts';
import { ConfirmationRequiredError } from '../../lib/errors.ts';
import { mailHtml } from '../../lib/mail-html.ts';
import { MINUTE } from '../../lib/time.ts';
import { isProven } from './identities.ts';
import type { CheckedUser } from './rules.ts';

const NAMES = {
  password: 'password',
  email: 'e-mail address',
  phone: 'phone number',
  loginKey: 'login',
  facebookId: 'Facebook account',
  twitterId: 'X account',
  identity: 'account of another provider',
  secondFactor: 'second factor',
  passkey: 'passkeys',
};

export type CredentialField = keyof typeof NAMES;

/** Time after a sign-in or confirmation during which its session may change credentials without the old password. */
const FRESH_SIGN_IN_MS = 10 * MINUTE;

/** Provider accounts count only if they were proven. */
export function changedCredentials(changes: Partial<CheckedUser>, before: User): CredentialField[] {
  const proven = (['facebookId', 'twitterId'] as const).filter((field) => isProven(field, before));
  const fields = ['email', 'phone', 'loginKey', ...proven] as const;
  return fields.filter((field) => changes[field] !== undefined && changes[field] !== before[field]);
}

/** A session within 10 minutes after sign-in, legacy clients of applications that are not strict, and API keys. */
export async function mayChangeCredentials(
  viewer: IdentifiedViewer,
  { now, isLegacy }: Pick<Context, 'now' | 'isLegacy'>,
): Promise<boolean> {
  if (viewer.kind !== 'user' || !viewer.session) return true;
  if (isFresh(viewer.session, now())) return true;
  return isLegacy === true && !(await isStrict(viewer.applicationId));
}

/** @throws {ConfirmationRequiredError} the user has not proven within the last minutes who they are */
export function requireFresh(viewer: ActingViewer, now: Date): void {
  if (viewer.kind === 'user' && viewer.session && !isFresh(viewer.session, now)) throw new ConfirmationRequiredError();
}

export function freshUntil({ confirmedAt }: Pick<ViewerSession, 'confirmedAt'>): Date {
  return new Date(confirmedAt.getTime() + FRESH_SIGN_IN_MS);
}

const isFresh = (session: ViewerSession, now: Date) => now < freshUntil(session);

/** An unproven address may belong to another person. */
export async function noticeVerified(
  user: User,
  changed: CredentialField,
  context: Pick<Context, 'mailer' | 'log'>,
): Promise<void> {
  if (isProven('email', user)) await sendCredentialNotice(user, [changed], context);
}

/** To the previous address; failures are only logged. */
export async function sendCredentialNotice(
  { email }: Pick<User, 'email'>,
  changed: CredentialField[],
  { mailer, log }: Pick<Context, 'mailer' | 'log'>,
): Promise<void> {
  if (email === null || changed.length === 0) return;
  try {
    await mailer.send(noticeMail(email, changed));
  } catch (error) {
    log.warn({ err: error }, 'could not send the notice about changed credentials; check the mail settings');
  }
}

async function isStrict(id: number): Promise<boolean> {
  const select = { strictCredentialChanges: true };
  const application = await db.application.findUniqueOrThrow({ where: { id }, select });
  return application.strictCredentialChanges;
}

/** Contains no user text, so that users cannot use these mails to write to other addresses. */
function noticeMail(to: string, changed: CredentialField[]) {
  const text = `Hello,

these sign-in details of the account with this address were changed:

${changed.map((field) => `- ${NAMES[field]}`).join('\n')}

If you made this change, ignore this mail. Otherwise another person has
access to the account: set a new password and contact the operator of
the service immediately.
`;
  return { to, subject: 'Your account was changed', text, html: mailHtml(text) };
}

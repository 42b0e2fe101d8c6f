import type { Context } from '../../context.ts';
import { db } from '../../db/client.ts';
import type { User } from '../../generated/prisma/client.ts';
import type { IdentifiedViewer } from '../../lib/access.ts';
import { MINUTE } from '../../lib/time.ts';
import { isProven } from './identities.ts';
import type { CheckedUser } from './rules.ts';

/** What a user signs in by, or gets back in by. */
const NAMES = {
  email: 'e-mail address',
  phone: 'phone number',
  loginKey: 'login',
  facebookId: 'Facebook account',
  twitterId: 'X account',
};

export type CredentialField = keyof typeof NAMES;

/** How long after a sign-in its session may change credentials without the old password. */
const FRESH_SIGN_IN_MS = 10 * MINUTE;

/** The credentials that a change gives another value: e-mail, phone, login, and provider accounts that were proven. */
export function changedCredentials(changes: Partial<CheckedUser>, before: User): CredentialField[] {
  const proven = (['facebookId', 'twitterId'] as const).filter((field) => isProven(field, before));
  const fields = ['email', 'phone', 'loginKey', ...proven] as const;
  return fields.filter((field) => changes[field] !== undefined && changes[field] !== before[field]);
}

/**
 * Whether a caller may change what a user signs in by without their password: a session that was signed in within the
 * last 10 minutes may, and a legacy client unless its application is strict. An API key may do so by itself, so it may
 * for a user.
 */
export async function mayChangeCredentials(
  viewer: IdentifiedViewer,
  { now, isLegacy }: Pick<Context, 'now' | 'isLegacy'>,
): Promise<boolean> {
  if (viewer.kind !== 'user' || !viewer.session) return true;
  if (now().getTime() - viewer.session.signedInAt.getTime() < FRESH_SIGN_IN_MS) return true;
  return isLegacy === true && !(await isStrict(viewer.applicationId));
}

/** Tells the address that the user had before; a mail that can't be sent changes nothing. */
export async function sendCredentialNotice(
  { email }: Pick<User, 'email'>,
  changed: CredentialField[],
  { mailer, log }: Pick<Context, 'mailer' | 'log'>,
): Promise<void> {
  if (email === null || changed.length === 0) return;
  try {
    await mailer.send(noticeMail(email, changed));
  } catch (error) {
    log.warn({ err: error }, 'the mail about changed credentials could not be sent');
  }
}

async function isStrict(id: number): Promise<boolean> {
  const select = { strictCredentialChanges: true };
  const application = await db.application.findUniqueOrThrow({ where: { id }, select });
  return application.strictCredentialChanges;
}

/** Nothing in it is the user's own text: a user with another's address can't write to them by our mails. */
function noticeMail(to: string, changed: CredentialField[]) {
  const text = `Hello,

this was changed in the account with this address:

${changed.map((field) => `- ${NAMES[field]}`).join('\n')}

If it was you, there is nothing to do. If it was not, somebody else can
use the account: set a new password and tell the people who run the
service at once.
`;
  return { to, subject: 'Your account was changed', text };
}

import type { Context } from '../../context.ts';
import { mailHtml } from '../../lib/mail-html.ts';

const CHANGES = {
  password: 'a new password was set',
  passkeyAdded: 'a passkey was added',
  passkeyDeleted: 'a passkey was deleted',
  totpEnabled: 'signing in requires a code of an authenticator app',
  totpDisabled: 'signing in no longer requires a code of an authenticator app',
};

/** Mails an administrator how their account can be signed in to from now on. In the background; failures are logged. */
export function notify(
  email: string,
  change: keyof typeof CHANGES,
  { mailer, log }: Pick<Context, 'mailer' | 'log'>,
): void {
  const text = textOf(CHANGES[change]);
  mailer
    .send({ to: email, subject: 'Your console account was changed', text, html: mailHtml(text) })
    .catch((error: unknown) => log.warn({ err: error }, 'a notice to an administrator was not sent'));
}

/** Contains no text of a person. */
function textOf(change: string): string {
  return `Hello,

your account of the Atrium console was changed: ${change}.

If you made this change, ignore this mail. Otherwise another person has
access to your account: ask the operator of the service to reset it.
`;
}

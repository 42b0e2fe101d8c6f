import type { MailTemplateKind } from '../../generated/prisma/client.ts';
import type { MailTexts } from './rules.ts';

export const DEFAULTS: Record<MailTemplateKind, MailTexts> = {
  passwordReset: {
    subject: 'Set a new password',
    text: `Hello,

someone, most likely you, requested a new password for
the account {{login}} of {{application}}.
To set it, open this page within {{minutes}} minutes:

{{link}}

The link works once. If you did not request it, ignore this mail: your
password is unchanged.
`,
    html: null,
  },
  emailVerification: {
    subject: 'Confirm your email address',
    text: `Hello,

someone, most likely you, entered this address in {{application}}.
To confirm it, enter this code within {{minutes}} minutes:

{{code}}

or open this page:

{{link}}

If it was another person, ignore this mail.
`,
    html: null,
  },
  signInCode: {
    subject: 'Your code for {{application}}',
    text: `Hello,

to sign in to {{application}}, enter this code within {{minutes}} minutes
where you requested it:

{{code}}

Nobody of {{application}} will ask you for it. If you did not request
it, ignore this mail.
`,
    html: null,
  },
  newDevice: {
    subject: 'New sign-in to {{application}}',
    text: `Hello {{name}},

your account of {{application}} was used to sign in on a new device:

{{device}}

If it was you, ignore this mail. Otherwise set a new password and end
the other sessions of your account.
`,
    html: null,
  },
};

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
};

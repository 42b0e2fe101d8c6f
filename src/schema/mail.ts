import { DEVELOPER } from '../administration/administrators/rights.ts';
import { previewMail } from '../resolvers/mail/render.ts';
import { MAX_CHARACTERS } from '../resolvers/mail/rules.ts';
import { type MailTest as TestShape, testMail } from '../resolvers/mail/send-test.ts';
import { findMailSettings, type MailSettings as SettingsShape } from '../resolvers/mail/settings.ts';
import {
  listMailTemplates,
  resetMailTemplate,
  type MailTemplate as TemplateShape,
  updateMailTemplate,
} from '../resolvers/mail/templates.ts';
import { builder } from './builder.ts';
import { grouped } from './descriptions.ts';

const MailTemplateKind = builder.enumType('MailTemplateKind', {
  description: 'Mails that the service sends to users of an application.',
  values: {
    PASSWORD_RESET: { value: 'passwordReset', description: 'The link to set a new password.' },
    EMAIL_VERIFICATION: { value: 'emailVerification', description: 'Code and link that verify a new email address.' },
    SIGN_IN_CODE: { value: 'signInCode', description: 'The six digits that a user has requested.' },
    NEW_DEVICE: { value: 'newDevice', description: 'Notice of a sign-in on a new device.' },
  } as const,
});

const HTML_TEXT = 'Text for mail programs that show HTML; null if the mail has none.';

const MailTemplate = builder.objectRef<TemplateShape>('MailTemplate').implement({
  description:
    'Texts of a mail, with placeholders: `{{application}}`, `{{name}}`, `{{login}}`, `{{link}}`, `{{code}}`, `{{minutes}}`, ' +
    'the lifetime of both, and `{{device}}`. `{{name|there}}` is `there` for users without a name.',
  fields: (t) => ({
    kind: t.expose('kind', { type: MailTemplateKind, description: 'The mail that has these texts.' }),
    language: t.exposeString('language', {
      description: 'Language for which the mail has these texts, such as `de`; empty: all others.',
    }),
    subject: t.exposeString('subject', { description: 'Subject of the mail, one line.' }),
    text: t.exposeString('text', { description: 'Plain text of the mail.' }),
    html: t.exposeString('html', { nullable: true, description: HTML_TEXT }),
    isDefault: t.exposeBoolean('isDefault', { description: 'Whether these are the texts of the service.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the last change; null for the texts of the service.',
    }),
  }),
});

const MailTemplateInput = builder.inputType('MailTemplateInput', {
  description: 'Texts of a mail. Unknown placeholders fail with `UNPROCESSABLE`.',
  fields: (t) => ({
    kind: t.field({ type: MailTemplateKind, required: true, description: 'The mail to change.' }),
    language: t.string({
      description: 'Language for which the mail has these texts, such as `de` or `pt-BR`. Default: all others.',
    }),
    subject: t.string({
      required: true,
      description: `One line of 1 to ${MAX_CHARACTERS.subject} characters, without \`{{link}}\`.`,
    }),
    text: t.string({
      required: true,
      description: `At most ${grouped(MAX_CHARACTERS.text)} characters. Must contain \`{{link}}\`, or \`{{code}}\` in mails with codes, as a word of its own.`,
    }),
    html: t.string({
      description:
        `At most ${grouped(MAX_CHARACTERS.html)} characters. Must contain the same placeholder, as a displayed word of its own or as the whole \`href\` of ` +
        'a link; no style sheet may read attributes. Values of placeholders are escaped. Null or blank: the mail has ' +
        'plain text only.',
    }),
  }),
});

const MailPreview = builder.objectRef<{ subject: string; text: string; html: string | null }>('MailPreview').implement({
  description: 'A mail as a user receives it, with the values of a sample user.',
  fields: (t) => ({
    subject: t.exposeString('subject', { description: 'Subject of the mail, with values for all placeholders.' }),
    text: t.exposeString('text', { description: 'Plain text, with values for all placeholders.' }),
    html: t.exposeString('html', { nullable: true, description: HTML_TEXT }),
  }),
});

const MailSettings = builder.objectRef<SettingsShape>('MailSettings').implement({
  description: 'How the service sends mails. The operator sets it in the environment.',
  fields: (t) => ({
    server: t.string({
      nullable: true,
      description: 'Host of the mail server (`SMTP_URL`); null: mails are written to `mail` in `DATA_DIR`.',
      resolve: ({ server }) => server ?? null,
    }),
    sender: t.exposeString('sender', { description: 'Sender of all mails (`MAIL_FROM`).' }),
    resetPage: t.exposeString('resetPage', {
      description: 'Page to which the links of password resets lead (`RESET_PAGE_URL`).',
    }),
  }),
});

const MailTest = builder.objectRef<TestShape>('MailTest').implement({
  description: 'Outcome of a test mail.',
  fields: (t) => ({
    isAccepted: t.exposeBoolean('isAccepted', { description: 'Whether the mail server accepted the mail.' }),
    answer: t.exposeString('answer', {
      description: 'The response of the mail server, or why it could not be reached.',
    }),
  }),
});

builder.queryField('mailSettings', (t) =>
  t.withAuth({ administrator: true }).field({
    administrator: { roles: DEVELOPER },
    type: MailSettings,
    description: 'How the service sends mails, for all applications.',
    resolve: (_root, _args, context) => findMailSettings(context),
  }),
);

builder.queryField('mailTemplates', (t) =>
  t.withAuth({ key: true }).field({
    scope: 'settings',
    administrator: { roles: DEVELOPER },
    type: [MailTemplate],
    description: 'The mails that the service sends to users of the application, with their texts.',
    resolve: (_root, _args, { viewer }) => listMailTemplates(viewer.applicationId),
  }),
);

builder.queryField('mailPreview', (t) =>
  t.withAuth({ key: true }).field({
    scope: 'settings',
    administrator: { roles: DEVELOPER },
    type: MailPreview,
    description: 'Shows a mail with these texts, without storing them. Invalid texts fail with `UNPROCESSABLE`.',
    args: { input: t.arg({ type: MailTemplateInput, required: true, description: 'The texts to show.' }) },
    resolve: (_root, { input }, context) => previewMail(input, context.viewer.applicationId, context),
  }),
);

builder.mutationField('updateMailTemplate', (t) =>
  t.withAuth({ key: true }).field({
    scope: 'settings',
    administrator: { roles: DEVELOPER, isConfirmed: true },
    type: MailTemplate,
    description: 'Replaces the texts of a mail, from the next mail on. Invalid texts fail with `UNPROCESSABLE`.',
    args: { input: t.arg({ type: MailTemplateInput, required: true, description: 'The new texts.' }) },
    resolve: (_root, { input }, context) => updateMailTemplate(input, context),
  }),
);

builder.mutationField('resetMailTemplate', (t) =>
  t.withAuth({ key: true }).field({
    scope: 'settings',
    administrator: { roles: DEVELOPER },
    type: MailTemplate,
    description: 'Deletes the texts of the application for a mail, and returns those of the service.',
    args: {
      kind: t.arg({ type: MailTemplateKind, required: true, description: 'The mail whose texts are deleted.' }),
      language: t.arg.string({ description: 'Language whose texts are deleted. Default: those for all others.' }),
    },
    resolve: (_root, { kind, language }, context) => resetMailTemplate(kind, language, context),
  }),
);

builder.mutationField('testMail', (t) =>
  t.withAuth({ key: true }).field({
    scope: 'settings',
    administrator: { roles: DEVELOPER },
    type: MailTest,
    description:
      'Sends a mail and reports what the mail server responds. An application may send 30 a day. An invalid address ' +
      'fails with `UNPROCESSABLE`.',
    rateLimit: 'mail',
    args: {
      to: t.arg.string({
        description: 'Email address that receives the mail. Default: the address of the administrator who calls.',
      }),
      sample: t.arg({
        type: MailTemplateKind,
        description:
          'Sends this mail of the application with sample values, only to the administrator who calls. Default: a ' +
          'short test text.',
      }),
    },
    resolve: (_root, { to, sample }, context) => testMail(to, sample, context),
  }),
);

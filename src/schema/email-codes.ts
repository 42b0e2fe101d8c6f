import { SUPPORT } from '../administration/administrators/rights.ts';
import { requestSignInCode } from '../resolvers/sessions/email-sign-in.ts';
import {
  findVerification,
  type RequestedCode as Requested,
  requestEmailVerification,
  verifyEmail,
} from '../resolvers/sessions/mailed-codes.ts';
import { builder } from './builder.ts';

const LANGUAGE = 'Language of the mail, such as `de`. Default: the texts for all languages.';

const RequestedCode = builder.objectRef<Requested>('RequestedCode').implement({
  description: 'A code that was requested, whether or not a mail was sent.',
  fields: (t) => ({
    token: t.exposeString('token', {
      description: 'Secret of the client that requested the code: the code is valid only together with it.',
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When the code expires.' }),
  }),
});

builder.mutationField('requestSignInCode', (t) =>
  t.withAuth({ anyone: true }).field({
    rateLimit: 'signIn',
    type: RequestedCode,
    description:
      'Mails a code of six digits for `createSession` or `loginUser`. Neither the response nor its time reveals whether ' +
      'the account exists. An address receives one mail per minute. Fails with `DISABLED` unless the application ' +
      'setting `emailSignIn` is on.',
    args: {
      applicationId: t.arg.int({ required: true, description: 'Application of the user.' }),
      email: t.arg.string({ required: true, description: 'Email address; case-insensitive.' }),
      language: t.arg.string({ description: LANGUAGE }),
    },
    resolve: (_root, args, context) => requestSignInCode(args, context),
  }),
);

builder.mutationField('requestEmailVerification', (t) =>
  t.withAuth({ user: true }).field({
    scope: 'users',
    administrator: { roles: SUPPORT },
    rateLimit: 'mail',
    type: RequestedCode,
    description:
      "Mails a code and a link for `verifyEmail` to the caller's address, at most one per minute. Fails with " +
      '`UNPROCESSABLE` if the user has no address, or it is verified.',
    args: { language: t.arg.string({ description: LANGUAGE }) },
    resolve: (_root, { language }, context) => requestEmailVerification(language, context),
  }),
);

builder.queryField('emailVerification', (t) =>
  t.withAuth({ anyone: true }).string({
    nullable: true,
    rateLimit: 'signIn',
    description: 'The address that a mailed link verifies; null if the link is unknown, used or has expired.',
    args: { token: t.arg.string({ required: true, description: 'Token of the link.' }) },
    resolve: (_root, { token }, context) => findVerification(token, context),
  }),
);

builder.mutationField('verifyEmail', (t) =>
  t.withAuth({ anyone: true }).boolean({
    rateLimit: 'signIn',
    description:
      'Verifies the address of a user and returns true. Fails with `UNPROCESSABLE` if the code or link is wrong, was ' +
      'used or has expired, or the user has another address now. A code permits five attempts.',
    args: {
      token: t.arg.string({
        required: true,
        description: 'Token of the mailed link, or of the request with its code.',
      }),
      code: t.arg.string({ description: 'Six digits from the mail. Omit it for the token of a link.' }),
    },
    resolve: (_root, { token, code }, context) => verifyEmail(token, code, context),
  }),
);

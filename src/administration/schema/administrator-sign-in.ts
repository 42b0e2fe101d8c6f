import { builder } from '../../schema/builder.ts';
import { CONFIRMATION } from '../../schema/descriptions.ts';
import { PasskeyAssertionInput, TotpSecret } from '../../schema/second-factor-types.ts';
import { ALL } from '../administrators/rights.ts';
import {
  changeAdministratorPassword,
  confirmAdministrator,
  signInAdministrator,
  signOutAdministrator,
} from '../administrators/sign-in.ts';
import { createTotpSecret, disableTotp, enableTotp } from '../administrators/totp.ts';
import { Administrator, CODE, EMAIL, PASSWORD } from './administrators.ts';

builder.mutationField('signInAdministrator', (t) =>
  t.withAuth({ anyone: true }).field({
    type: Administrator,
    description:
      'Signs in to the console and sets its cookie. The session ends after 30 minutes without a request, and after 12 ' +
      'hours. Fails with `UNAUTHENTICATED` if the credentials are wrong and `CODE_REQUIRED` if a code is missing.',
    rateLimit: 'console',
    args: {
      email: t.arg.string({ required: true, description: EMAIL }),
      password: t.arg.string({ required: true, description: 'Case-sensitive.' }),
      code: t.arg.string({ description: CODE }),
    },
    resolve: (_root, args, context) => signInAdministrator(args, context),
  }),
);

builder.mutationField('signOutAdministrator', (t) =>
  t.withAuth({ administrator: true }).boolean({
    administrator: { roles: ALL },
    description: 'Ends the session of the caller and removes the cookie.',
    resolve: (_root, _args, context) => signOutAdministrator(context.viewer, context),
  }),
);

builder.mutationField('confirmAdministrator', (t) =>
  t.withAuth({ administrator: true }).field({
    administrator: { roles: ALL },
    type: Administrator,
    description:
      'Proves again who the caller is, by their password or a passkey, which allows deletions and secrets for 15 ' +
      'minutes. Fails like `signInAdministrator`.',
    rateLimit: 'console',
    args: {
      password: t.arg.string({ description: 'Password of the caller. Required without `passkey`.' }),
      code: t.arg.string({ description: CODE }),
      passkey: t.arg({
        type: PasskeyAssertionInput,
        description: 'Passkey assertion for `passkeyConfirmationOptions`, as an alternative to `password` and `code`.',
      }),
    },
    resolve: (_root, args, context) => confirmAdministrator(args, context.viewer, context),
  }),
);

builder.mutationField('changeAdministratorPassword', (t) =>
  t.withAuth({ administrator: true }).boolean({
    administrator: { roles: ALL, isConfirmed: true },
    description: `Sets a new password for the caller and ends their other sessions. ${CONFIRMATION}`,
    rateLimit: 'console',
    args: { password: t.arg.string({ required: true, description: PASSWORD }) },
    resolve: (_root, { password }, context) => changeAdministratorPassword(password, context.viewer, context),
  }),
);

builder.mutationField('createTotpSecret', (t) =>
  t.withAuth({ administrator: true }).field({
    administrator: { roles: ALL, isConfirmed: true },
    type: TotpSecret,
    description:
      'Creates a secret for an authenticator app (TOTP, 6 digits, 30 seconds). Replaces an earlier secret that was not ' +
      `enabled. Fails with \`UNPROCESSABLE\` if TOTP is enabled. ${CONFIRMATION}`,
    resolve: (_root, _args, context) => createTotpSecret(context.viewer, context),
  }),
);

builder.mutationField('enableTotp', (t) =>
  t.withAuth({ administrator: true }).stringList({
    administrator: { roles: ALL, isConfirmed: true },
    description:
      'Requires a code at each later sign-in. Returns 10 recovery codes of 12 characters, each of which replaces one ' +
      `code of the app; they are shown only once. ${CONFIRMATION}`,
    rateLimit: 'console',
    args: { code: t.arg.string({ required: true, description: 'First code of the authenticator app, 6 digits.' }) },
    resolve: (_root, { code }, context) => enableTotp(context.viewer, code, context),
  }),
);

builder.mutationField('disableTotp', (t) =>
  t.withAuth({ administrator: true }).boolean({
    administrator: { roles: ALL, isConfirmed: true },
    description: `Stops requiring codes and deletes the recovery codes. ${CONFIRMATION}`,
    resolve: (_root, _args, context) => disableTotp(context.viewer, context),
  }),
);

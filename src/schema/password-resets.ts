import { SUPPORT } from '../administration/administrators/rights.ts';
import {
  findPasswordReset,
  requestPasswordReset,
  requestResetLink,
  resetPassword,
  type ValidReset,
} from '../resolvers/sessions/password-resets.ts';
import { builder } from './builder.ts';

const PasswordReset = builder.objectRef<ValidReset>('PasswordReset').implement({
  description: 'The account of a link to set a new password.',
  fields: (t) => ({
    login: t.exposeString('login', {
      nullable: true,
      description: 'Login of the user, so that a password manager stores the new password for it; null without login.',
    }),
    applicationName: t.exposeString('applicationName', {
      description: 'Display name of the application that the account belongs to.',
    }),
    appUrl: t.exposeString('appUrl', {
      nullable: true,
      description: 'Address of the app, for a link after the reset; null unless the application has set `appUrl`.',
    }),
  }),
});

builder.queryField('passwordReset', (t) =>
  t.withAuth({ anyone: true }).field({
    type: PasswordReset,
    nullable: true,
    description: 'The account of a mailed link; null if the link is unknown, older than one hour, or used.',
    rateLimit: 'signIn',
    args: { token: t.arg.string({ required: true, description: 'The `reset_token` parameter of the link.' }) },
    resolve: (_root, { token }, context) => findPasswordReset(token, context),
  }),
);

builder.mutationField('requestPasswordReset', (t) =>
  t.withAuth({ session: true }).boolean({
    scope: 'users',
    administrator: { roles: SUPPORT },
    description:
      'Emails the user with this address a link to set a new password. At most one mail per minute: a repeated ' +
      'request succeeds without sending another. Fails with `NOT_FOUND` if no user has the address.',
    rateLimit: 'signIn',
    args: { email: t.arg.string({ required: true, description: 'Email address of the user; case-insensitive.' }) },
    resolve: (_root, { email }, context) => requestPasswordReset(email, context),
  }),
);

builder.mutationField('requestResetLink', (t) =>
  t.withAuth({ anyone: true }).boolean({
    description:
      'Like `requestPasswordReset`, for pages without a session of the application. Always returns true, so that it ' +
      'does not reveal which applications and accounts exist.',
    rateLimit: 'signIn',
    args: {
      applicationId: t.arg.int({ required: true, description: 'Id of the application that has the account.' }),
      email: t.arg.string({ required: true, description: 'Email address of the user; case-insensitive.' }),
    },
    resolve: (_root, { applicationId, email }, context) => requestResetLink(applicationId, email, context),
  }),
);

builder.mutationField('resetPassword', (t) =>
  t.withAuth({ anyone: true }).boolean({
    description:
      "Sets a new password with a mailed link, which works once within an hour. Ends the user's sessions and removes " +
      'their devices. The link also proves the email address; if it was unproven before, the phone number and ' +
      'provider accounts of the user are removed.',
    rateLimit: 'signIn',
    args: {
      token: t.arg.string({ required: true, description: 'The `reset_token` parameter of the link.' }),
      password: t.arg.string({ required: true, description: '8 to 40 printable ASCII characters without spaces.' }),
    },
    resolve: (_root, { token, password }, context) => resetPassword(token, password, context),
  }),
);

import { requestPasswordReset, resetPassword } from '../resolvers/sessions/password-resets.ts';
import { builder } from './builder.ts';

builder.mutationField('requestPasswordReset', (t) =>
  t.withAuth({ session: true }).boolean({
    description: 'Mails the user of that address a link by which they set a new password; at most one a minute.',
    rateLimit: 'signIn',
    args: { email: t.arg.string({ required: true, description: 'Letter case is ignored.' }) },
    resolve: (_root, { email }, context) => requestPasswordReset(email, context),
  }),
);

builder.mutationField('resetPassword', (t) =>
  t.withAuth({ anyone: true }).boolean({
    description:
      "Sets a new password by a mailed link, which works once and for an hour; ends the user's sessions and removes " +
      'their devices. An address that was not proven is proven by it, and every other way in is removed.',
    rateLimit: 'signIn',
    args: {
      token: t.arg.string({ required: true, description: 'The `reset_token` of the link.' }),
      password: t.arg.string({ required: true, description: '8 to 40 printable characters.' }),
    },
    resolve: (_root, { token, password }, context) => resetPassword(token, password, context),
  }),
);

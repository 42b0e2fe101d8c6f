import { SUPPORT } from '../administration/administrators/rights.ts';
import { type ListedSession, listUserSessions, MAX_SESSIONS } from '../resolvers/sessions/list.ts';
import { endUserSessions } from '../resolvers/users/moderation.ts';
import { builder } from './builder.ts';
import { CREATED_AT, USER_ID } from './descriptions.ts';

export const UserSession = builder.objectRef<ListedSession>('UserSession').implement({
  description: 'An open session of a user, without its token.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Numeric id; not a credential.' }),
    device: t.exposeString('device', {
      nullable: true,
      description: 'Browser and system, or program, at the sign-in: `Firefox on Linux`; null if it is unknown.',
    }),
    network: t.exposeString('network', {
      nullable: true,
      description: 'IPv4 address or /64 network of the sign-in; null if it is unknown.',
    }),
    isCurrent: t.exposeBoolean('isCurrent', { description: 'Whether it is the session of this request.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: CREATED_AT }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the latest request with it.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'When the session expires unless another request extends it.',
    }),
  }),
});

builder.queryField('userSessions', (t) =>
  t.withAuth({ key: true }).field({
    scope: 'users',
    administrator: { roles: SUPPORT },
    type: [UserSession],
    description: `Open sessions of a user, latest request first, at most ${MAX_SESSIONS}. Empty for an unknown user.`,
    args: { userId: t.arg.int({ required: true, description: USER_ID }) },
    resolve: (_root, { userId }, context) => listUserSessions(userId, context),
  }),
);

builder.mutationField('endUserSessions', (t) =>
  t.withAuth({ key: true }).int({
    scope: 'users',
    administrator: { roles: SUPPORT },
    description:
      'Ends all sessions of a user and closes their connections. Returns the number of ended sessions. Fails with ' +
      '`NOT_FOUND` if the user does not exist.',
    args: { userId: t.arg.int({ required: true, description: USER_ID }) },
    resolve: (_root, { userId }, context) => endUserSessions(userId, context),
  }),
);

import { SUPPORT } from '../administration/administrators/rights.ts';
import { type BlockedUser, blockUser, listBlockedUsers, unblockUser } from '../resolvers/blocks/block.ts';
import { MAX_BLOCKED_USERS } from '../resolvers/blocks/rules.ts';
import { builder } from './builder.ts';
import { USER_ID } from './descriptions.ts';
import { User } from './users.ts';

const BlockedUserType = builder.objectRef<BlockedUser>('BlockedUser').implement({
  description: 'A user whom the caller blocks.',
  fields: (t) => ({
    userId: t.exposeInt('userId', { description: 'Id from `users`, of the one who cannot send to the caller.' }),
    mutual: t.exposeBoolean('isMutual', { description: 'Whether the caller cannot send to the user either.' }),
  }),
});

builder.queryField('blockedUsers', (t) =>
  t.withAuth({ user: true }).field({
    scope: 'users',
    administrator: { roles: SUPPORT },
    type: [BlockedUserType],
    description: 'Users whom the caller blocks, also by the default privacy list of a legacy chat client, by id.',
    resolve: (_root, _args, context) => listBlockedUsers(context),
  }),
);

builder.mutationField('blockUser', (t) =>
  t.withAuth({ userOrKey: true }).field({
    scope: 'users',
    administrator: { roles: SUPPORT },
    type: User,
    description:
      "Blocks a user for the caller: private messages, signals, typing, marks and presence of the user, and the user's " +
      'messages in groups, no longer reach the caller; private messages and signals fail with `FORBIDDEN`. At most ' +
      `${MAX_BLOCKED_USERS} users. An API key without \`On-Behalf-Of\` blocks the user in the whole application instead: it ends ` +
      'their sessions, removes their devices, and refuses later sign-ins with `FORBIDDEN`; API keys can still act on ' +
      'behalf of the user. Fails with `NOT_FOUND` if the user does not exist.',
    args: {
      userId: t.arg.int({ required: true, description: USER_ID }),
      mutual: t.arg.boolean({
        required: true,
        defaultValue: true,
        description: 'Whether the caller cannot send to the user either. Without effect for an API key alone.',
      }),
    },
    resolve: (_root, { userId, mutual }, context) => blockUser(userId, mutual, context),
  }),
);

builder.mutationField('unblockUser', (t) =>
  t.withAuth({ userOrKey: true }).field({
    scope: 'users',
    administrator: { roles: SUPPORT },
    type: User,
    description:
      'Ends the block of `blockUser`, and removes the user from the default privacy list of the caller. For an API key ' +
      'without `On-Behalf-Of`, lets a blocked user sign in again. Fails with `NOT_FOUND` if the user does not exist.',
    args: { userId: t.arg.int({ required: true, description: USER_ID }) },
    resolve: (_root, { userId }, context) => unblockUser(userId, context),
  }),
);

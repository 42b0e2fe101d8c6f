import { STAFF } from '../administration/administrators/rights.ts';
import type { PresenceOf } from '../realtime/presence-subscriptions.ts';
import { findPresence, MAX_USERS, subscribeToPresence } from '../resolvers/blocks/presence.ts';
import { builder } from './builder.ts';

const UP_TO = `User ids, at most ${MAX_USERS}.`;

const Presence = builder.objectRef<PresenceOf>('Presence').implement({
  description: 'Online state of a user.',
  fields: (t) => ({
    userId: t.exposeInt('userId', { description: 'Id of the user in question.' }),
    online: t.exposeBoolean('online', {
      description:
        'Whether the user has at least one WebSocket open with a session, on any device. HTTP requests, event ' +
        'streams over HTTP, and sockets of others who act as the user do not count.',
    }),
  }),
});

builder.queryField('presence', (t) =>
  t.withAuth({ userOrKey: true }).field({
    scope: 'users',
    administrator: { roles: STAFF },
    type: [Presence],
    description:
      'Which of the users are online now. Unknown users count as offline, and so do users who block the caller or whom ' +
      'the caller blocks.',
    args: { userIds: t.arg.intList({ required: true, description: UP_TO }) },
    resolve: (_root, { userIds }, context) => findPresence(userIds, context),
  }),
);

builder.subscriptionField('presence', (t) =>
  t.withAuth({ userOrKey: true }).field({
    scope: 'users',
    administrator: { roles: STAFF },
    type: Presence,
    description:
      'Delivers the current state of each user, then each change. If a server process crashes, its users appear ' +
      'offline only after about 20 seconds.',
    args: { userIds: t.arg.intList({ required: true, description: UP_TO }) },
    subscribe: (_root, { userIds }, context) => subscribeToPresence(userIds, context),
    resolve: ({ payload }) => payload,
  }),
);

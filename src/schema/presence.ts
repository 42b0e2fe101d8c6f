import type { PresenceOf } from '../realtime/presence.ts';
import { findPresence, subscribeToPresence } from '../resolvers/users/presence.ts';
import { builder } from './builder.ts';

const UP_TO = 'Up to 100.';

const Presence = builder.objectRef<PresenceOf>('Presence').implement({
  description: 'Whether a user is there.',
  fields: (t) => ({
    userId: t.exposeInt('userId', { description: 'Who is meant.' }),
    online: t.exposeBoolean('online', {
      description:
        'Whether the user has a WebSocket open, on whatever device; requests and event streams over HTTP do not count.',
    }),
  }),
});

builder.queryField('presence', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: [Presence],
    description: 'Which users are online now; unknown ones are not.',
    args: { userIds: t.arg.intList({ required: true, description: UP_TO }) },
    resolve: (_root, { userIds }, context) => findPresence(userIds, context),
  }),
);

builder.subscriptionField('presence', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: Presence,
    description:
      'Which users are online: each as it is now, then each change. A process that dies takes its users along only ' +
      'after some 20 seconds.',
    args: { userIds: t.arg.intList({ required: true, description: UP_TO }) },
    subscribe: (_root, { userIds }, context) => subscribeToPresence(userIds, context),
    resolve: ({ payload }) => payload,
  }),
);

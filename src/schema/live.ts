import type { LiveEvent } from '../realtime/watch.ts';
import { watchDialogs } from '../resolvers/live.ts';
import { findMessage } from '../resolvers/messages/index.ts';
import { builder } from './builder.ts';
import { Message } from './messages.ts';

const MessageSent = builder.objectRef<LiveEvent>('MessageSent').implement({
  fields: (t) => ({
    cursor: t.string({ description: 'Place in the stream; give it as `since` to go on from here.', resolve: cursor }),
    dialogId: t.id({ resolve: ({ row }) => row.dialogId! }),
    message: t.field({
      type: Message,
      resolve: ({ row }, _args, context) => findMessage(row.subjectId, context as never),
    }),
  }),
});

const ReactionChange = (name: 'ReactionAdded' | 'ReactionRemoved') =>
  builder.objectRef<LiveEvent>(name).implement({
    fields: (t) => ({
      cursor: t.string({ description: 'Place in the stream; give it as `since` to go on from here.', resolve: cursor }),
      dialogId: t.id({ resolve: ({ row }) => row.dialogId! }),
      messageId: t.id({ resolve: ({ row }) => row.subjectId }),
      userId: t.int({ resolve: ({ row }) => row.userId! }),
      name: t.string({ resolve: ({ row }) => row.name! }),
    }),
  });

const ReactionAdded = ReactionChange('ReactionAdded');
const ReactionRemoved = ReactionChange('ReactionRemoved');

builder.subscriptionField('messageSent', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: MessageSent,
    description: "Each message sent to the dialog, or to any of the caller's dialogs, from now or from a cursor on.",
    args: { dialogId: t.arg.id(), since: t.arg.string() },
    subscribe: (_root, args, context) => watchDialogs('messageSent', args, context),
    resolve: (event) => event,
  }),
);

builder.subscriptionField('reactionAdded', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: ReactionAdded,
    description: "Each reaction left in the dialog, or in any of the caller's, from now or from a cursor on.",
    args: { dialogId: t.arg.id(), since: t.arg.string() },
    subscribe: (_root, args, context) => watchDialogs('reactionAdded', args, context),
    resolve: (event) => event,
  }),
);

builder.subscriptionField('reactionRemoved', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: ReactionRemoved,
    description: "Each reaction taken back in the dialog, or in any of the caller's, from now or from a cursor on.",
    args: { dialogId: t.arg.id(), since: t.arg.string() },
    subscribe: (_root, args, context) => watchDialogs('reactionRemoved', args, context),
    resolve: (event) => event,
  }),
);

function cursor({ row }: LiveEvent): string {
  return String(row.position);
}

import { SUPPORT } from '../administration/administrators/rights.ts';
import { findUnreadCounts, type UnreadCounts } from '../resolvers/messages/unread.ts';
import { builder } from './builder.ts';
import { DIALOG_ID } from './descriptions.ts';

const UnreadCount = builder.objectRef<UnreadCounts['dialogs'][number]>('UnreadCount').implement({
  description: 'Number of messages of one dialog that the caller has not read.',
  fields: (t) => ({
    dialogId: t.exposeID('dialogId', { description: DIALOG_ID }),
    count: t.exposeInt('count', {
      description: 'Number of messages; 0 for public groups and for dialogs that the caller cannot read.',
    }),
  }),
});

const UnreadCountsType = builder.objectRef<UnreadCounts>('UnreadCounts').implement({
  description: 'Numbers of messages in groups and private dialogs that the caller has not sent, read or deleted.',
  fields: (t) => ({
    total: t.exposeInt('total', {
      description: "Sum over the requested dialogs, or over all dialogs in the caller's list if none are requested.",
    }),
    dialogs: t.expose('dialogs', {
      type: [UnreadCount],
      description: 'Counts of the requested dialogs, each once, in the requested order.',
    }),
  }),
});

builder.queryField('unreadCounts', (t) =>
  t.withAuth({ user: true }).field({
    scope: 'messages',
    administrator: { roles: SUPPORT },
    type: UnreadCountsType,
    description:
      'How many messages the caller has not read. Fails with `NOT_FOUND` if the caller can read none of the ' +
      'requested dialogs.',
    args: {
      dialogIds: t.arg.idList({ description: 'Dialogs to count. Default: only return the total of all dialogs.' }),
    },
    resolve: (_root, { dialogIds }, context) => findUnreadCounts(dialogIds, context),
  }),
);

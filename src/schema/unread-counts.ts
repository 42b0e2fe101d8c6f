import { findUnreadCounts, type UnreadCounts } from '../resolvers/messages/unread.ts';
import { builder } from './builder.ts';
import { DIALOG_ID } from './descriptions.ts';

const UnreadCount = builder.objectRef<UnreadCounts['dialogs'][number]>('UnreadCount').implement({
  description: 'How much of one dialog the caller has not read.',
  fields: (t) => ({
    dialogId: t.exposeID('dialogId', { description: DIALOG_ID }),
    count: t.exposeInt('count', { description: '0 also for dialogs that the caller can not read.' }),
  }),
});

const UnreadCountsType = builder.objectRef<UnreadCounts>('UnreadCounts').implement({
  description: 'Messages of groups and private dialogs that the caller has not sent, not read and not deleted.',
  fields: (t) => ({
    total: t.exposeInt('total', { description: 'Of the dialogs asked for, else of all in the list of the caller.' }),
    dialogs: t.field({
      type: [UnreadCount],
      description: 'Those asked for, each once, in their order.',
      resolve: ({ dialogs }) => dialogs,
    }),
  }),
});

builder.queryField('unreadCounts', (t) =>
  t.withAuth({ user: true }).field({
    type: UnreadCountsType,
    description: 'How much the caller has not read.',
    args: { dialogIds: t.arg.idList({ description: 'Those to count; left out, only the total of all.' }) },
    resolve: (_root, { dialogIds }, context) => findUnreadCounts(dialogIds, context),
  }),
);

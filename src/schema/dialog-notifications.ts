import { SUPPORT } from '../administration/administrators/rights.ts';
import {
  type DialogNotifications,
  findDialogNotifications,
  updateDialogNotifications,
} from '../resolvers/dialogs/notifications.ts';
import { builder } from './builder.ts';
import { DIALOG_ID } from './descriptions.ts';

const DialogNotificationsType = builder.objectRef<DialogNotifications>('DialogNotifications').implement({
  description: 'Push setting of the caller for one dialog.',
  fields: (t) => ({
    enabled: t.exposeBoolean('enabled', {
      description: 'Whether the caller receives pushes for new messages of the dialog while offline. Default: true.',
    }),
  }),
});

builder.queryField('dialogNotifications', (t) =>
  t.withAuth({ user: true }).field({
    scope: 'dialogs',
    administrator: { roles: SUPPORT },
    type: DialogNotificationsType,
    description: 'Whether the caller receives pushes for a dialog.',
    args: { dialogId: t.arg.id({ required: true, description: DIALOG_ID }) },
    resolve: (_root, { dialogId }, context) => findDialogNotifications(dialogId, context),
  }),
);

builder.mutationField('updateDialogNotifications', (t) =>
  t.withAuth({ user: true }).field({
    scope: 'dialogs',
    administrator: { roles: SUPPORT },
    type: DialogNotificationsType,
    description: 'Enables or disables the pushes of a dialog for the caller.',
    args: {
      dialogId: t.arg.id({ required: true, description: DIALOG_ID }),
      enabled: t.arg.boolean({ description: 'Whether to send pushes. Required.' }),
    },
    resolve: (_root, { dialogId, enabled }, context) => updateDialogNotifications(dialogId, enabled, context),
  }),
);

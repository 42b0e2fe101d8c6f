import {
  type DialogNotifications,
  findDialogNotifications,
  updateDialogNotifications,
} from '../resolvers/dialogs/notifications.ts';
import { builder } from './builder.ts';
import { DIALOG_ID } from './descriptions.ts';

const DialogNotificationsType = builder.objectRef<DialogNotifications>('DialogNotifications').implement({
  description: 'Whether the caller is told of a dialog while away.',
  fields: (t) => ({
    enabled: t.exposeBoolean('enabled', { description: 'Whether the caller gets pushes of the dialog.' }),
  }),
});

builder.queryField('dialogNotifications', (t) =>
  t.withAuth({ user: true }).field({
    type: DialogNotificationsType,
    description: 'Whether the caller gets pushes of a dialog.',
    args: { dialogId: t.arg.id({ required: true, description: DIALOG_ID }) },
    resolve: (_root, { dialogId }, context) => findDialogNotifications(dialogId, context),
  }),
);

builder.mutationField('updateDialogNotifications', (t) =>
  t.withAuth({ user: true }).field({
    type: DialogNotificationsType,
    description: 'Switches the pushes of a dialog on or off for the caller.',
    args: {
      dialogId: t.arg.id({ required: true, description: DIALOG_ID }),
      enabled: t.arg.boolean({ description: 'Whether to send them; required.' }),
    },
    resolve: (_root, { dialogId, enabled }, context) => updateDialogNotifications(dialogId, enabled, context),
  }),
);

import { SUPPORT } from '../administration/administrators/rights.ts';
import { createDialog } from '../resolvers/dialogs/create.ts';
import { deleteDialog, deleteDialogs } from '../resolvers/dialogs/delete.ts';
import { MAX_NAME, MAX_OCCUPANTS } from '../resolvers/dialogs/rules.ts';
import { updateDialog } from '../resolvers/dialogs/update.ts';
import { builder } from './builder.ts';
import { deletedItems } from './deletions.ts';
import { DIALOG_ID, grouped } from './descriptions.ts';
import { Dialog, DialogType } from './dialogs.ts';

const DATA = 'Values by field name, converted to the types of the class. Unknown field names are ignored.';

const CreateDialogInput = builder.inputType('CreateDialogInput', {
  description: 'The dialog to create, and its occupants.',
  fields: (t) => ({
    type: t.field({ type: DialogType, description: 'Who can take part. Required.' }),
    occupantIds: t.intList({
      description:
        `User ids of the occupants; the caller is added. At most ${grouped(MAX_OCCUPANTS)} including the caller; exactly one other user ` +
        'for a private dialog. Unknown ids are ignored as long as one id exists. Ignored for public groups.',
    }),
    name: t.string({
      description: `Name of a group, 1 to ${MAX_NAME} characters. Required for groups, ignored for private dialogs.`,
    }),
    photo: t.string({ description: 'URL or id of an image. URLs that run scripts are refused.' }),
    isJoinRequired: t.boolean({ description: 'Stored for clients; the server does not use it. Default: false.' }),
    dataClassName: t.string({
      description: 'Name of the class whose fields the dialog carries. An unknown class fails with `FORBIDDEN`.',
    }),
    data: t.field({ type: 'JSON', description: DATA }),
  }),
});

const UpdateDialogInput = builder.inputType('UpdateDialogInput', {
  description:
    'The fields to change. Omitted fields remain unchanged. Occupants are added first, then removed; admins are ' +
    'changed last.',
  fields: (t) => ({
    name: t.string({ description: `New name of a group, 1 to ${MAX_NAME} characters.` }),
    photo: t.string({ description: 'URL or id of an image; null clears it. URLs that run scripts are refused.' }),
    isJoinRequired: t.boolean({ description: 'Stored for clients; the server does not use it.' }),
    dataClassName: t.string({
      description:
        'Name of the class whose fields the dialog carries. Another class replaces the current class and its data. ' +
        'Default: the current class.',
    }),
    data: t.field({ type: 'JSON', description: `${DATA} Null clears a field; omitted fields remain unchanged.` }),
    addOccupantIds: t.intList({
      description: `Ids of users to add, up to ${grouped(MAX_OCCUPANTS)} occupants in total. Unknown ids are ignored as long as one id exists.`,
    }),
    removeOccupantIds: t.intList({
      description:
        'Ids of users to remove. Occupants may remove themselves; removing other users requires an admin, the owner ' +
        'or an API key without `On-Behalf-Of`.',
    }),
    addAdminIds: t.intList({
      description:
        'Ids of users to make admins. In a group, users who are not occupants are ignored. Requires the owner or an ' +
        'API key without `On-Behalf-Of`.',
    }),
    removeAdminIds: t.intList({
      description:
        'Ids of admins who become ordinary occupants. Requires the owner or an API key without `On-Behalf-Of`.',
    }),
  }),
});

const DeletedDialogs = deletedItems('DeletedDialogs', 'Result of `deleteDialogs`, by dialog id.');

builder.mutationField('createDialog', (t) =>
  t.withAuth({ user: true }).field({
    scope: 'dialogs',
    administrator: { roles: SUPPORT, needsReason: true },
    type: Dialog,
    description:
      'Creates a dialog owned by the caller. If the two users already have a private dialog, returns that dialog ' +
      'unchanged and shows it again if the caller had hidden it.',
    args: {
      input: t.arg({
        type: CreateDialogInput,
        required: true,
        description: 'Type, occupants and attributes of the dialog.',
      }),
    },
    resolve: (_root, { input }, context) => createDialog(input, context),
  }),
);

builder.mutationField('updateDialog', (t) =>
  t.withAuth({ userOrKey: true }).field({
    scope: 'dialogs',
    administrator: {
      roles: SUPPORT,
      isConfirmed: true,
      needsReason: true,
      confirmedMembers: ['addOccupantIds', 'addAdminIds'],
    },
    type: Dialog,
    description:
      'Changes a dialog. Fails with `FORBIDDEN`, without changing anything, if the caller may not change one of the ' +
      'given fields.',
    args: {
      id: t.arg.id({ required: true, description: DIALOG_ID }),
      input: t.arg({ type: UpdateDialogInput, required: true, description: 'The fields to change.' }),
    },
    resolve: (_root, { id, input }, context) => updateDialog(id, input, context),
  }),
);

builder.mutationField('deleteDialog', (t) =>
  t.withAuth({ userOrKey: true }).boolean({
    scope: 'dialogs',
    administrator: { roles: SUPPORT, isConfirmed: true, needsReason: true },
    description:
      'Deletes a dialog for the caller: leaves a group, or hides a private dialog until its next message. With ' +
      '`force`, deletes it for all users. Public groups can only be deleted with `force`.',
    args: {
      id: t.arg.id({ required: true, description: DIALOG_ID }),
      force: t.arg.boolean({
        required: true,
        defaultValue: false,
        description:
          'Delete the dialog for all users. Only the owner and API keys without `On-Behalf-Of` may do this; the ' +
          'latter cannot delete without it.',
      }),
    },
    resolve: (_root, { id, force }, context) => deleteDialog(id, force, context),
  }),
);

builder.mutationField('deleteDialogs', (t) =>
  t.withAuth({ userOrKey: true }).field({
    scope: 'dialogs',
    administrator: { roles: SUPPORT, isConfirmed: true, needsReason: true },
    type: DeletedDialogs,
    description:
      'Same as `deleteDialog` for several dialogs. Dialogs that the caller may not delete remain. Fails with ' +
      '`NOT_FOUND` if none of them exists.',
    args: {
      ids: t.arg.idList({ required: true, description: 'Dialog ids, 24 hex digits each; at most 100.' }),
      force: t.arg.boolean({
        required: true,
        defaultValue: false,
        description: 'Delete the dialogs for all users, as in `deleteDialog`.',
      }),
    },
    resolve: (_root, { ids, force }, context) => deleteDialogs(ids, force, context),
  }),
);

import { DIALOG_TYPE } from '../db/dialog-types.ts';
import { SUPPORT } from '../resolvers/administrators/rights.ts';
import { createDialog } from '../resolvers/dialogs/create.ts';
import { deleteDialog, deleteDialogs } from '../resolvers/dialogs/delete.ts';
import { detailsLoader } from '../resolvers/dialogs/details.ts';
import { findDialog } from '../resolvers/dialogs/find.ts';
import { listDialogs } from '../resolvers/dialogs/list.ts';
import { updateDialog } from '../resolvers/dialogs/update.ts';
import { dataOf } from '../resolvers/dialogs/views.ts';
import { builder } from './builder.ts';
import { deletedItems } from './deletions.ts';
import { CREATED_AT, DIALOG_ID, FILTER, ORDER, UPDATED_AT } from './descriptions.ts';
import { DialogFilter, DialogOrder } from './dialog-filters.ts';
import { metered } from './metered.ts';
import { requestedFields } from './requested-fields.ts';

const DialogType = builder.enumType('DialogType', {
  description: 'Who can take part in a dialog.',
  values: {
    PUBLIC_GROUP: { value: DIALOG_TYPE.PUBLIC_GROUP, description: 'Open to every user of the application.' },
    GROUP: { value: DIALOG_TYPE.GROUP, description: 'Open to users whom an occupant has added.' },
    PRIVATE: {
      value: DIALOG_TYPE.PRIVATE,
      description: 'Two users. Each pair of users has at most one private dialog.',
    },
  } as const,
});

export const Dialog = builder.prismaObject('Dialog', {
  description: 'A private chat of two users, a group or a public group. Some fields depend on the caller.',
  fields: (t) => ({
    id: t.exposeID('id', { description: '24 hex digits. Ids sort by creation time.' }),
    type: t.field({
      type: DialogType,
      description: 'Who can take part.',
      resolve: (dialog) => dialog.type as 1 | 2 | 3,
    }),
    userId: t.exposeInt('userId', { description: 'Id of the user who owns the dialog.' }),
    name: t.string({
      nullable: true,
      description:
        "Name of a group. For a private dialog, the other occupant's full name, otherwise login, otherwise email " +
        'address; null if none is set.',
      extensions: { viewerDependent: true },
      resolve: (dialog, _args, { loaders }) =>
        dialog.type === DIALOG_TYPE.PRIVATE
          ? loaders.of(detailsLoader).load({ dialog, part: 'otherName' }, ({ otherName }) => otherName)
          : dialog.name,
    }),
    photo: t.exposeString('photo', {
      nullable: true,
      description: 'URL or id of an image, as a user wrote it.',
    }),
    isJoinRequired: t.exposeBoolean('isJoinRequired', {
      description: 'Stored for clients; the server does not use it.',
    }),
    occupantIds: t.intList({
      description: 'User ids of the occupants, ascending. Empty for public groups.',
      resolve: (dialog, _args, { loaders }) =>
        dialog.type === DIALOG_TYPE.PUBLIC_GROUP
          ? []
          : loaders.of(detailsLoader).load({ dialog, part: 'occupants' }, ({ occupants }) => occupants?.[0] ?? []),
    }),
    adminIds: t.intList({
      description:
        'User ids of the admins, ascending. Empty for private dialogs. The owner has admin rights without being ' +
        'listed.',
      resolve: (dialog, _args, { loaders }) =>
        loaders.of(detailsLoader).load({ dialog, part: 'occupants' }, ({ occupants }) => occupants?.[1] ?? []),
    }),
    xmppRoomJid: t.string({
      nullable: true,
      description:
        'Address of the room for legacy XMPP clients: `<application id>_<dialog id>@muc.<host>`. Null for private ' +
        'dialogs.',
      resolve: ({ type, applicationId, id }, _args, { publicUrl }) =>
        type === DIALOG_TYPE.PRIVATE ? null : `${applicationId}_${id}@muc.${new URL(publicUrl()).hostname}`,
    }),
    lastMessage: t.string({
      nullable: true,
      description: 'Text of the latest message the caller can see; null if there is none.',
      extensions: { viewerDependent: true },
      resolve: (dialog, _args, { loaders }) =>
        loaders.of(detailsLoader).load({ dialog, part: 'lastMessage' }, ({ lastMessage }) => lastMessage?.text ?? null),
    }),
    lastMessageId: t.id({
      nullable: true,
      description: 'Id of the latest message the caller can see; null if there is none.',
      extensions: { viewerDependent: true },
      resolve: (dialog, _args, { loaders }) =>
        loaders.of(detailsLoader).load({ dialog, part: 'lastMessage' }, ({ lastMessage }) => lastMessage?.id ?? null),
    }),
    lastMessageDateSent: t.int({
      nullable: true,
      description: 'Send time of the latest message the caller can see, in Unix seconds; null if there is none.',
      extensions: { viewerDependent: true },
      resolve: (dialog, _args, { loaders }) =>
        loaders
          .of(detailsLoader)
          .load({ dialog, part: 'lastMessage' }, ({ lastMessage }) => lastMessage?.dateSent ?? null),
    }),
    lastMessageUserId: t.int({
      nullable: true,
      description: 'Id of the user who sent the latest message the caller can see; null if there is none.',
      extensions: { viewerDependent: true },
      resolve: (dialog, _args, { loaders }) =>
        loaders
          .of(detailsLoader)
          .load({ dialog, part: 'lastMessage' }, ({ lastMessage }) => lastMessage?.senderId ?? null),
    }),
    unreadMessagesCount: t.int({
      description:
        'Messages that the caller has not sent, read or deleted. Always 0 in public groups and for an API key ' +
        'without `On-Behalf-Of`.',
      extensions: { viewerDependent: true },
      resolve: (dialog, _args, { loaders }) =>
        loaders.of(detailsLoader).load({ dialog, part: 'unread' }, ({ unread }) => unread ?? 0),
    }),
    dataClassName: t.string({
      nullable: true,
      description: 'Name of the class whose fields the dialog carries; null if it carries none.',
      resolve: (dialog, _args, { loaders }) => dataOf(dialog, loaders, (data) => data.className),
    }),
    data: t.field({
      type: 'JSON',
      nullable: true,
      description:
        'Values of all fields of the class in `dataClassName`, unset fields as null; null if the dialog carries no ' +
        'class.',
      resolve: (dialog, _args, { loaders }) => dataOf(dialog, loaders, (data) => data.fields),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: CREATED_AT }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: UPDATED_AT }),
  }),
});

const DATA = 'Values by field name, converted to the types of the class. Unknown field names are ignored.';

const CreateDialogInput = builder.inputType('CreateDialogInput', {
  description: 'The dialog to create, and its occupants.',
  fields: (t) => ({
    type: t.field({ type: DialogType, description: 'Who can take part. Required.' }),
    occupantIds: t.intList({
      description:
        'User ids of the occupants; the caller is added. At most 10,000 including the caller; exactly one other user ' +
        'for a private dialog. Unknown ids are ignored as long as one id exists. Ignored for public groups.',
    }),
    name: t.string({
      description: 'Name of a group, 1 to 200 characters. Required for groups, ignored for private dialogs.',
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
    name: t.string({ description: 'New name of a group, 1 to 200 characters.' }),
    photo: t.string({ description: 'URL or id of an image; null clears it. URLs that run scripts are refused.' }),
    isJoinRequired: t.boolean({ description: 'Stored for clients; the server does not use it.' }),
    dataClassName: t.string({
      description:
        'Name of the class whose fields the dialog carries. Another class replaces the current class and its data. ' +
        'Default: the current class.',
    }),
    data: t.field({ type: 'JSON', description: `${DATA} Null clears a field; omitted fields remain unchanged.` }),
    addOccupantIds: t.intList({
      description:
        'Ids of users to add, up to 10,000 occupants in total. Unknown ids are ignored as long as one id exists.',
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

builder.queryField('dialog', (t) =>
  t.withAuth({ userOrKey: true }).field({
    administrator: { roles: SUPPORT, needsReason: true },
    type: Dialog,
    description:
      'One dialog. Fails with `NOT_FOUND` if it does not exist and `FORBIDDEN` if the caller is not an occupant.',
    args: { id: t.arg.id({ required: true, description: DIALOG_ID }) },
    resolve: (_root, { id }, context, info) => findDialog(id, requestedFields(info), context),
  }),
);

builder.queryField('dialogs', (t) =>
  t.withAuth({ userOrKey: true }).connection(
    {
      administrator: { roles: SUPPORT, needsReason: true },
      type: Dialog,
      description:
        "The caller's dialogs that are not hidden, and all public groups; for an API key without `On-Behalf-Of`, all " +
        'dialogs of the application. Sorted by latest activity first unless `orderBy` is given.',
      args: {
        filter: t.arg({ type: DialogFilter, description: FILTER }),
        orderBy: t.arg({ type: DialogOrder, description: ORDER }),
        dataClassName: t.arg.string({
          description: 'Only return dialogs that carry this class. An unknown class fails with `FORBIDDEN`.',
        }),
        skip: t.arg.int({
          description: 'Number of dialogs to skip. The cost grows with this number; cursors do not have this cost.',
        }),
      },
      resolve: (_root, args, context, info) => listDialogs(args, requestedFields(info), context),
    },
    { fields: metered },
  ),
);

builder.mutationField('createDialog', (t) =>
  t.withAuth({ user: true }).field({
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

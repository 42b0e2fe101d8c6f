import { DIALOG_TYPE } from '../db/dialog-types.ts';
import { createDialog } from '../resolvers/dialogs/create.ts';
import { deleteDialog, deleteDialogs } from '../resolvers/dialogs/delete.ts';
import { findDialog } from '../resolvers/dialogs/find.ts';
import { listDialogs } from '../resolvers/dialogs/list.ts';
import { updateDialog } from '../resolvers/dialogs/update.ts';
import { dialogDataLoader, memberLoader, otherOccupant, unreadCountLoader } from '../resolvers/dialogs/views.ts';
import { lastMessageLoader } from '../resolvers/messages/last-message.ts';
import { userLoader } from '../resolvers/users/loader.ts';
import { builder } from './builder.ts';
import { deletedItems } from './deletions.ts';
import { CREATED_AT, DIALOG_ID, FILTER, ORDER, UPDATED_AT } from './descriptions.ts';
import { DialogFilter, DialogOrder } from './dialog-filters.ts';
import { metered } from './metered.ts';

const DialogType = builder.enumType('DialogType', {
  description: 'Who may take part in a dialog.',
  values: {
    PUBLIC_GROUP: { value: DIALOG_TYPE.PUBLIC_GROUP, description: 'Open to every user of the application.' },
    GROUP: { value: DIALOG_TYPE.GROUP, description: 'Open to those that an occupant has added.' },
    PRIVATE: { value: DIALOG_TYPE.PRIVATE, description: 'Two users; exists once for a pair.' },
  } as const,
});

export const Dialog = builder.prismaObject('Dialog', {
  description: 'A conversation, as the caller sees it.',
  fields: (t) => ({
    id: t.exposeID('id', { description: '24 hex digits, which sort by the time at which they were made.' }),
    type: t.field({
      type: DialogType,
      description: 'Who may take part.',
      resolve: (dialog) => dialog.type as 1 | 2 | 3,
    }),
    userId: t.exposeInt('userId', { description: 'The owner.' }),
    name: t.string({
      nullable: true,
      description: "In a private dialog the other occupant's full name, else login, else e-mail.",
      extensions: { viewerDependent: true },
      resolve: async (dialog, _args, { viewer, loaders }) => {
        if (dialog.type !== DIALOG_TYPE.PRIVATE) return dialog.name;
        const other = await loaders.of(userLoader).load({
          applicationId: dialog.applicationId,
          id: otherOccupant(dialog, viewer) ?? 0,
        });
        return other?.fullName ?? other?.login ?? other?.email ?? null;
      },
    }),
    photo: t.exposeString('photo', { nullable: true, description: "An address or an id of the client's own choice." }),
    isJoinRequired: t.exposeBoolean('isJoinRequired', {
      description: 'Kept for clients; the service asks nobody to join.',
    }),
    occupantIds: t.intList({
      description: 'Ascending; empty for public groups.',
      resolve: async (dialog, _args, { loaders }) =>
        dialog.type === DIALOG_TYPE.PUBLIC_GROUP
          ? []
          : (await loaders.of(memberLoader).load(dialog)).map((member) => member.userId),
    }),
    adminIds: t.intList({
      description: "Ascending; empty for private dialogs. The owner has an admin's rights without being listed.",
      resolve: async (dialog, _args, { loaders }) =>
        (await loaders.of(memberLoader).load(dialog)).filter((member) => member.isAdmin).map((member) => member.userId),
    }),
    xmppRoomJid: t.string({
      nullable: true,
      description: 'Address of the room as chat clients of old know it; null for private dialogs.',
      resolve: ({ type, applicationId, id }, _args, { publicUrl }) =>
        type === DIALOG_TYPE.PRIVATE ? null : `${applicationId}_${id}@muc.${new URL(publicUrl()).hostname}`,
    }),
    lastMessage: t.string({
      nullable: true,
      description: 'Text of the latest message the caller can see.',
      extensions: { viewerDependent: true },
      resolve: async (dialog, _args, { loaders }) => (await loaders.of(lastMessageLoader).load(dialog))?.text ?? null,
    }),
    lastMessageId: t.id({
      nullable: true,
      description: 'The latest message that the caller can see.',
      extensions: { viewerDependent: true },
      resolve: async (dialog, _args, { loaders }) => (await loaders.of(lastMessageLoader).load(dialog))?.id ?? null,
    }),
    lastMessageDateSent: t.int({
      nullable: true,
      description: 'Unix seconds.',
      extensions: { viewerDependent: true },
      resolve: async (dialog, _args, { loaders }) =>
        (await loaders.of(lastMessageLoader).load(dialog))?.dateSent ?? null,
    }),
    lastMessageUserId: t.int({
      nullable: true,
      description: 'Its sender.',
      extensions: { viewerDependent: true },
      resolve: async (dialog, _args, { loaders }) =>
        (await loaders.of(lastMessageLoader).load(dialog))?.senderId ?? null,
    }),
    unreadMessagesCount: t.int({
      description: 'Messages the caller has neither sent nor read; 0 in public groups and for API keys alone.',
      extensions: { viewerDependent: true },
      resolve: (dialog, _args, { loaders }) => loaders.of(unreadCountLoader).load(dialog),
    }),
    dataClassName: t.string({
      nullable: true,
      description: 'Class whose fields the dialog carries, if any.',
      resolve: async (dialog, _args, { loaders }) =>
        (await loaders.of(dialogDataLoader).load(dialog))?.className ?? null,
    }),
    data: t.field({
      type: 'JSON',
      nullable: true,
      description: 'All fields of that class as a record shows them, unset ones null; null without a class.',
      resolve: async (dialog, _args, { loaders }) => (await loaders.of(dialogDataLoader).load(dialog))?.fields ?? null,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: CREATED_AT }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: UPDATED_AT }),
  }),
});

const DATA = 'Values by field, cast to the types of that class; names that it does not know are ignored.';

const CreateDialogInput = builder.inputType('CreateDialogInput', {
  description: 'A dialog to be made, with its occupants.',
  fields: (t) => ({
    type: t.field({ type: DialogType, description: 'Who may take part; required.' }),
    occupantIds: t.intList({ description: 'The caller is added; unknown ids are dropped.' }),
    name: t.string({ description: 'Required for groups; up to 200 characters.' }),
    photo: t.string({ description: "An address or an id of the client's own choice." }),
    isJoinRequired: t.boolean({ description: 'Kept for clients; the service asks nobody to join.' }),
    dataClassName: t.string({ description: 'Class whose fields the dialog carries.' }),
    data: t.field({ type: 'JSON', description: DATA }),
  }),
});

const UpdateDialogInput = builder.inputType('UpdateDialogInput', {
  description: 'Occupants are added first, then removed; admins come last.',
  fields: (t) => ({
    name: t.string({ description: 'Up to 200 characters.' }),
    photo: t.string({ description: 'Null clears it.' }),
    isJoinRequired: t.boolean({ description: 'Kept for clients; the service asks nobody to join.' }),
    dataClassName: t.string({
      description: 'Class whose fields the dialog carries, if not that which it carries already; it takes its place.',
    }),
    data: t.field({ type: 'JSON', description: `${DATA} Null unsets, what is left out stays.` }),
    addOccupantIds: t.intList({ description: 'Unknown ids beside known ones are dropped.' }),
    removeOccupantIds: t.intList({
      description: 'Those who leave: oneself, or others if the caller may remove them.',
    }),
    addAdminIds: t.intList({ description: 'In groups only occupants; other ids are dropped.' }),
    removeAdminIds: t.intList({ description: 'Those who stay as plain occupants.' }),
  }),
});

const DeletedDialogs = deletedItems('DeletedDialogs', 'What became of each dialog of a deletion.');

builder.queryField('dialog', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: Dialog,
    description: 'One dialog that the caller can see.',
    args: { id: t.arg.id({ required: true, description: DIALOG_ID }) },
    resolve: (_root, { id }, context) => findDialog(id, context),
  }),
);

builder.queryField('dialogs', (t) =>
  t.withAuth({ userOrKey: true }).connection(
    {
      type: Dialog,
      description: "The caller's dialogs and all public groups, latest activity first or as asked.",
      args: {
        filter: t.arg({ type: DialogFilter, description: FILTER }),
        orderBy: t.arg({ type: DialogOrder, description: ORDER }),
        dataClassName: t.arg.string({ description: 'Only dialogs that carry this class.' }),
        skip: t.arg.int({ description: 'Dialogs to pass over; its cost grows with it, that of cursors does not.' }),
      },
      resolve: (_root, args, context) => listDialogs(args, context),
    },
    { fields: metered },
  ),
);

builder.mutationField('createDialog', (t) =>
  t.withAuth({ user: true }).field({
    type: Dialog,
    description: 'Creates a dialog the caller owns; a private one that exists is returned as it is.',
    args: { input: t.arg({ type: CreateDialogInput, required: true, description: 'Its kind and its occupants.' }) },
    resolve: (_root, { input }, context) => createDialog(input, context),
  }),
);

builder.mutationField('updateDialog', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: Dialog,
    description:
      'Changes what is given of a dialog: all of it, or nothing if one part is not for the caller to change.',
    args: {
      id: t.arg.id({ required: true, description: DIALOG_ID }),
      input: t.arg({ type: UpdateDialogInput, required: true, description: 'What is to be other than it is.' }),
    },
    resolve: (_root, { id, input }, context) => updateDialog(id, input, context),
  }),
);

builder.mutationField('deleteDialog', (t) =>
  t.withAuth({ userOrKey: true }).boolean({
    description: 'Leaves a group, or hides a private dialog until its next message; by force deletes it for all.',
    args: {
      id: t.arg.id({ required: true, description: DIALOG_ID }),
      force: t.arg.boolean({
        required: true,
        defaultValue: false,
        description: 'Deletes it for all: by its owner or an API key alone.',
      }),
    },
    resolve: (_root, { id, force }, context) => deleteDialog(id, force, context),
  }),
);

builder.mutationField('deleteDialogs', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: DeletedDialogs,
    description: 'The same for several, of which those that the caller may not delete stay.',
    args: {
      ids: t.arg.idList({ required: true, description: '24 hex digits each.' }),
      force: t.arg.boolean({
        required: true,
        defaultValue: false,
        description: 'Deletes them for all: by their owner or an API key alone.',
      }),
    },
    resolve: (_root, { ids, force }, context) => deleteDialogs(ids, force, context),
  }),
);

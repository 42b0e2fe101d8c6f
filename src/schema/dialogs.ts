import { SUPPORT } from '../administration/administrators/rights.ts';
import { DIALOG_TYPE } from '../db/dialog-types.ts';
import { MAX_LISTED } from '../realtime/rooms.ts';
import { dataOf } from '../resolvers/dialogs/data.ts';
import { detailsLoader } from '../resolvers/dialogs/details.ts';
import { findDialog } from '../resolvers/dialogs/find.ts';
import { listDialogs } from '../resolvers/dialogs/list.ts';
import { builder } from './builder.ts';
import { CREATED_AT, DIALOG_ID, FILTER, ORDER, skipped, UPDATED_AT } from './descriptions.ts';
import { DialogFilter, DialogOrder } from './dialog-filters.ts';
import { requestedFields } from './requested-fields.ts';
import { withTotalCount } from './total-count.ts';

export const DialogType = builder.enumType('DialogType', {
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
    joinedUserIds: t.intList({
      description: `Ids of the users who have joined the room in a legacy chat client at the moment, ascending, at most ${MAX_LISTED}.`,
      resolve: ({ applicationId, id }, _args, { rooms }) => rooms.joined(applicationId, id).slice(0, MAX_LISTED),
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
        'Address of the room for legacy XMPP clients: `<application id>_<dialog id>@muc.<chat domain>`. Null for private ' +
        'dialogs.',
      resolve: ({ type, applicationId, id }, _args, { chatDomain }) =>
        type === DIALOG_TYPE.PRIVATE ? null : `${applicationId}_${id}@muc.${chatDomain()}`,
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

builder.queryField('dialog', (t) =>
  t.withAuth({ userOrKey: true }).field({
    scope: 'dialogs',
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
      scope: 'dialogs',
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
        skip: t.arg.int({ description: skipped('dialogs') }),
      },
      resolve: (_root, args, context, info) => listDialogs(args, requestedFields(info), context),
    },
    { fields: withTotalCount },
  ),
);

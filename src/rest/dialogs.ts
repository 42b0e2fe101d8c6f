import { isObject, type Parameters, type ParameterValue } from '../lib/bracket-keys.ts';
import { readFlag, readInteger, readList, readText } from '../lib/parameter-values.ts';
import { isoSeconds } from '../lib/time.ts';
import { isDatabaseId } from '../lib/tokens.ts';
import { presentDeleted } from './deletions.ts';
import { errorList } from './errors.ts';
import { type FragmentOf, graphql, readFragment } from './graphql.ts';
import {
  type FilterInput,
  type FilterNames,
  isCount,
  readFilter,
  readIds,
  readOrder,
  readWindow,
} from './http/lists.ts';
import { created, empty, ok, type RestRequest, route } from './http/route.ts';
import { dialogDocs } from './openapi/docs/dialogs.ts';
import { presentFields, readCriteria, readFields } from './record-forms.ts';

const DialogFields = graphql(`fragment DialogFields on Dialog {
  id userId type name photo occupantIds adminIds xmppRoomJid lastMessage lastMessageId lastMessageDateSent
  lastMessageUserId unreadMessagesCount isJoinRequired dataClassName data createdAt updatedAt
}`);

const CreateDialog = graphql(
  `mutation CreateDialog($input: CreateDialogInput!) { createDialog(input: $input) { ...DialogFields } }`,
  [DialogFields],
);

const ListDialogs = graphql(
  `query ListDialogs(
    $filter: DialogFilter, $orderBy: DialogOrder, $dataClassName: String, $first: Int!, $skip: Int!, $count: Boolean!
  ) {
    dialogs(filter: $filter, orderBy: $orderBy, dataClassName: $dataClassName, first: $first, skip: $skip) {
      totalCount
      edges @skip(if: $count) { node { ...DialogFields } }
    }
  }`,
  [DialogFields],
);

const FindDialog = graphql(`query FindDialog($id: ID!) { dialog(id: $id) { ...DialogFields } }`, [DialogFields]);

const UpdateDialog = graphql(
  `mutation UpdateDialog($id: ID!, $input: UpdateDialogInput!) {
    updateDialog(id: $id, input: $input) { ...DialogFields }
  }`,
  [DialogFields],
);

const DeleteDialog = graphql(`mutation DeleteDialog($id: ID!, $force: Boolean!) {
  deleteDialog(id: $id, force: $force)
}`);

const DeleteDialogs = graphql(`mutation DeleteDialogs($ids: [ID!]!, $force: Boolean!) {
  deleteDialogs(ids: $ids, force: $force) { deletedIds notFoundIds wrongPermissionsIds }
}`);

const FindDialogNotifications = graphql(`query FindDialogNotifications($dialogId: ID!) {
  dialogNotifications(dialogId: $dialogId) { enabled }
}`);

const UpdateDialogNotifications = graphql(`mutation UpdateDialogNotifications($dialogId: ID!, $enabled: Boolean) {
  updateDialogNotifications(dialogId: $dialogId, enabled: $enabled) { enabled }
}`);

const FILTERS: FilterNames = {
  _id: ['id', 'id'],
  type: ['type', 'integer'],
  name: ['name', 'text'],
  last_message_date_sent: ['lastMessageDateSent', 'unixTime'],
  created_at: ['createdAt', 'moment'],
  updated_at: ['updatedAt', 'moment'],
  occupants_ids: ['occupantIds', 'integers'],
};

const SORTS = {
  _id: 'ID',
  type: 'TYPE',
  name: 'NAME',
  last_message_date_sent: 'LAST_MESSAGE_DATE_SENT',
  date_sent: 'LAST_MESSAGE_DATE_SENT',
  created_at: 'CREATED_AT',
  updated_at: 'UPDATED_AT',
} as const;

const TYPES = { 1: 'PUBLIC_GROUP', 2: 'GROUP', 3: 'PRIVATE' } as const;
const TYPE_NUMBERS = { PUBLIC_GROUP: 1, GROUP: 2, PRIVATE: 3 } as const;

export const dialogRoutes = [
  route({
    method: 'post',
    path: '/chat/Dialog',
    xml: 'dialog',
    document: CreateDialog,
    variables: ({ given, header }) => ({
      input: {
        type: dialogType(given.type),
        occupantIds: userIds(given.occupants_ids),
        name: readText(given.name),
        photo: readText(given.photo),
        isJoinRequired: readFlag(given.is_join_required),
        ...readData(classed(given.data), { header }),
      },
    }),
    respond: ({ createDialog }) => created(presentDialog(createDialog)),
    errors: errorList,
    docs: dialogDocs.createDialog,
  }),
  route({
    method: 'get',
    path: '/chat/Dialog',
    xml: 'dialogs',
    document: ListDialogs,
    variables: ({ given }) => ({
      filter: readDialogFilter(given),
      orderBy: readOrder(given, SORTS),
      dataClassName: className(given.data),
      first: readWindow(given).limit,
      skip: readWindow(given).skip,
      count: isCount(given),
    }),
    respond: ({ dialogs }, { given }) =>
      isCount(given)
        ? ok({ items: { count: dialogs.totalCount } })
        : ok({
            total_entries: dialogs.totalCount,
            skip: readWindow(given).skip,
            limit: readWindow(given).limit,
            items: dialogs.edges?.map(({ node }) => presentDialog(node)),
          }),
    errors: errorList,
    docs: dialogDocs.listDialogs(FILTERS, SORTS),
  }),
  route({
    method: 'get',
    path: '/chat/Dialog/:id',
    xml: 'dialog',
    document: FindDialog,
    variables: ({ path }) => ({ id: path.id! }),
    respond: ({ dialog }) => ok(presentDialog(dialog)),
    errors: errorList,
    docs: dialogDocs.findDialog,
  }),
  route({
    method: 'put',
    path: '/chat/Dialog/:id',
    xml: 'dialog',
    document: UpdateDialog,
    variables: ({ path, given, header }) => ({
      id: path.id!,
      input: {
        name: readText(given.name),
        photo: readText(given.photo),
        isJoinRequired: readFlag(given.is_join_required),
        ...readData(given.data, { header }),
        addOccupantIds: listedUsers(given.push_all, 'occupants_ids'),
        removeOccupantIds: listedUsers(given.pull_all, 'occupants_ids'),
        addAdminIds: listedUsers(given.push_all, 'admins_ids'),
        removeAdminIds: listedUsers(given.pull_all, 'admins_ids'),
      },
    }),
    respond: ({ updateDialog }) => ok(presentDialog(updateDialog)),
    errors: errorList,
    docs: dialogDocs.updateDialog,
  }),
  route({
    method: 'delete',
    path: '/chat/Dialog/:ids',
    several: true,
    document: DeleteDialogs,
    variables: ({ path, given }) => ({ ids: readIds(path.ids!), force: readFlag(given.force) === true }),
    respond: ({ deleteDialogs }) => ok(presentDeleted(deleteDialogs)),
    errors: errorList,
    docs: dialogDocs.deleteDialogs,
  }),
  route({
    method: 'delete',
    path: '/chat/Dialog/:id',
    document: DeleteDialog,
    variables: ({ path, given }) => ({ id: path.id!, force: readFlag(given.force) === true }),
    respond: empty,
    errors: errorList,
    docs: dialogDocs.deleteDialog,
  }),
  route({
    method: 'get',
    path: '/chat/Dialog/:id/notifications',
    document: FindDialogNotifications,
    variables: ({ path }) => ({ dialogId: path.id! }),
    respond: ({ dialogNotifications }) => ok(presentNotifications(dialogNotifications)),
    errors: errorList,
    docs: dialogDocs.findDialogNotifications,
  }),
  route({
    method: 'put',
    path: '/chat/Dialog/:id/notifications',
    document: UpdateDialogNotifications,
    variables: ({ path, given }) => ({ dialogId: path.id!, enabled: readFlag(given.enabled) }),
    respond: ({ updateDialogNotifications }) => ok(presentNotifications(updateDialogNotifications)),
    errors: errorList,
    docs: dialogDocs.updateDialogNotifications,
  }),
];

function dialogType(value: ParameterValue | undefined) {
  return TYPES[readInteger(value) as keyof typeof TYPES];
}

/** What no user can have as an id becomes 0, which nobody has: an unknown user like others, not an absent one. */
function userIds(value: ParameterValue | undefined): number[] {
  return readList(value).map((item) => {
    const id = readInteger(item);
    return id !== undefined && isDatabaseId(id) ? id : 0;
  });
}

/** `{"occupants_ids":[10,11]}`: what `push_all` or `pull_all` says of one list. */
function listedUsers(lists: ParameterValue | undefined, name: string): number[] | undefined {
  const listed = isObject(lists) ? lists[name] : undefined;
  return listed === undefined ? undefined : userIds(listed);
}

function presentNotifications({ enabled }: { enabled: boolean }) {
  return { notifications: { enabled: enabled ? 1 : 0 } };
}

function className(data: ParameterValue | undefined): string | null | undefined {
  return isObject(data) ? readText(data.class_name) : undefined;
}

/** `data` if it names a class: values of none are no parameters that creating or listing knows. */
function classed(data: ParameterValue | undefined): ParameterValue | undefined {
  return className(data) == null ? undefined : data;
}

/** What `data` says beside the name of the class; undefined where that is nothing. */
function valuesOf(data: ParameterValue | undefined): Parameters | undefined {
  if (!isObject(data)) return undefined;
  const { class_name: _name, ...values } = data;
  return Object.keys(values).length > 0 ? values : undefined;
}

function readData(data: ParameterValue | undefined, request: Pick<RestRequest, 'header'>) {
  const values = valuesOf(data);
  return { dataClassName: className(data), data: values && readFields(values, request) };
}

/** As `readFilter`, with the fields of a class under `data`; their `[or]` go to the others'. */
function readDialogFilter(given: Parameters): FilterInput & { data?: Parameters } {
  const filter = readFilter(given, FILTERS);
  const values = valuesOf(classed(given.data));
  if (!values) return filter;
  const data: Parameters = Object.create(null);
  const alternatives = [];
  for (const [name, asked] of Object.entries(readCriteria(values))) {
    if (!isObject(asked) || asked.or === undefined) {
      data[name] = asked;
      continue;
    }
    const { or, ...others } = asked;
    alternatives.push({ data: { [name]: { or } } });
    if (Object.keys(others).length > 0) data[name] = others;
  }
  const or = [...((filter.or as []) ?? []), ...alternatives];
  return { ...filter, data, ...(or.length > 0 ? { or } : {}) };
}

function presentDialog(masked: FragmentOf<typeof DialogFields>) {
  const dialog = readFragment(DialogFields, masked);
  return {
    _id: dialog.id,
    user_id: dialog.userId,
    type: TYPE_NUMBERS[dialog.type],
    name: dialog.name,
    photo: dialog.photo,
    occupants_ids: dialog.occupantIds,
    admins_ids: dialog.adminIds,
    xmpp_room_jid: dialog.xmppRoomJid,
    last_message: dialog.lastMessage,
    last_message_id: dialog.lastMessageId,
    last_message_date_sent: dialog.lastMessageDateSent,
    last_message_user_id: dialog.lastMessageUserId,
    unread_messages_count: dialog.unreadMessagesCount,
    is_join_required: dialog.isJoinRequired ? 1 : 0,
    ...(dialog.dataClassName === null
      ? {}
      : { data: { class_name: dialog.dataClassName, ...presentFields(dialog.data) } }),
    created_at: isoSeconds(dialog.createdAt),
    updated_at: isoSeconds(dialog.updatedAt),
  };
}

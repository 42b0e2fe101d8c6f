import { isObject, type ParameterValue } from '../lib/bracket-keys.ts';
import { readFlag, readInteger, readList, readText } from '../lib/parameter-values.ts';
import { isoSeconds } from '../lib/time.ts';
import { isDatabaseId } from '../lib/tokens.ts';
import { errorList } from './errors.ts';
import { type FragmentOf, graphql, readFragment } from './graphql.ts';
import { type FilterNames, isCount, readFilter, readOrder, readWindow } from './lists.ts';
import { created, ok, route } from './route.ts';

const DialogFields = graphql(`fragment DialogFields on Dialog {
  id userId type name photo occupantIds adminIds xmppRoomJid lastMessage lastMessageId lastMessageDateSent
  lastMessageUserId unreadMessagesCount isJoinRequired createdAt updatedAt
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
    variables: ({ given }) => ({
      input: {
        type: dialogType(given.type),
        occupantIds: userIds(given.occupants_ids),
        name: readText(given.name),
        photo: readText(given.photo),
        isJoinRequired: readFlag(given.is_join_required),
        dataClassName: className(given.data),
      },
    }),
    respond: ({ createDialog }) => created(presentDialog(createDialog)),
    errors: errorList,
  }),
  route({
    method: 'get',
    path: '/chat/Dialog',
    xml: 'dialogs',
    document: ListDialogs,
    variables: ({ given }) => ({
      filter: readFilter(given, FILTERS),
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
  }),
  route({
    method: 'get',
    path: '/chat/Dialog/:id',
    xml: 'dialog',
    document: FindDialog,
    variables: ({ path }) => ({ id: path.id! }),
    respond: ({ dialog }) => ok(presentDialog(dialog)),
    errors: errorList,
  }),
];

function dialogType(value: ParameterValue | undefined) {
  return TYPES[readInteger(value) as keyof typeof TYPES];
}

/** Ids that no user can have are dropped like unknown ones. */
function userIds(value: ParameterValue | undefined): number[] {
  return readList(value)
    .map(readInteger)
    .filter((id): id is number => id !== undefined && isDatabaseId(id));
}

function className(data: ParameterValue | undefined): string | null | undefined {
  return isObject(data) ? readText(data.class_name) : undefined;
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
    created_at: isoSeconds(dialog.createdAt),
    updated_at: isoSeconds(dialog.updatedAt),
  };
}

import type { Parameters, ParameterValue } from '../lib/bracket-keys.ts';
import { NotFoundError } from '../lib/errors.ts';
import { readFlag, readInteger, readList, readNumberedObject, readText } from '../lib/parameter-values.ts';
import { isoSeconds } from '../lib/time.ts';
import { isDatabaseId } from '../lib/tokens.ts';
import { presentDeleted } from './deletions.ts';
import { errorList } from './errors.ts';
import { type FragmentOf, graphql, readFragment } from './graphql.ts';
import { type FilterNames, isCount, readFilter, readIds, readOrder, readWindow } from './http/lists.ts';
import { created, empty, ok, route } from './http/route.ts';
import { isOlder, VERSION_HEADER } from './http/versions.ts';
import { messageDocs } from './openapi/docs/messages.ts';

const MessageFields = graphql(`fragment MessageFields on Message {
  id text attachments createdAt updatedAt dialogId dateSent senderId recipientId readIds deliveredIds read customFields
  reactions { name count } ownReactions
}`);

const SendMessage = graphql(
  `mutation SendMessage($input: SendMessageInput!) { sendMessage(input: $input) { ...MessageFields } }`,
  [MessageFields],
);

const ReadMessages = graphql(
  `mutation ReadMessages(
    $dialogId: ID!, $filter: MessageFilter, $orderBy: MessageOrder, $skip: Int!, $limit: Int!, $markAsRead: Boolean!,
    $since: String, $count: Boolean!
  ) {
    readMessages(
      dialogId: $dialogId, filter: $filter, orderBy: $orderBy, skip: $skip, limit: $limit, markAsRead: $markAsRead,
      since: $since
    ) {
      cursor
      totalCount @include(if: $count)
      items @skip(if: $count) { ...MessageFields }
    }
  }`,
  [MessageFields],
);

const FindMessage = graphql(`query FindMessage($id: ID!) { message(id: $id) { ...MessageFields } }`, [MessageFields]);

const UpdateMessages = graphql(`mutation UpdateMessages($ids: [ID!]!, $input: UpdateMessagesInput!) {
  updateMessages(ids: $ids, input: $input) { id }
}`);

const MarkDialogMessages = graphql(
  `mutation MarkDialogMessages($dialogId: ID!, $read: Boolean, $delivered: Boolean) {
    markDialogMessages(dialogId: $dialogId, read: $read, delivered: $delivered)
  }`,
);

const DeleteMessages = graphql(`mutation DeleteMessages($ids: [ID!]!, $force: Boolean!, $ownOnly: Boolean!) {
  deleteMessages(ids: $ids, force: $force, ownOnly: $ownOnly) { deletedIds notFoundIds wrongPermissionsIds }
}`);

const CountUnreadMessages = graphql(`query CountUnreadMessages($dialogIds: [ID!]) {
  unreadCounts(dialogIds: $dialogIds) { total dialogs { dialogId count } }
}`);

const FILTERS: FilterNames = {
  _id: ['id', 'id'],
  message: ['text', 'text'],
  date_sent: ['dateSent', 'unixTime'],
  sender_id: ['senderId', 'integer'],
  recipient_id: ['recipientId', 'integer'],
  'attachments.type': ['attachmentType', 'texts'],
  created_at: ['createdAt', 'moment'],
  updated_at: ['updatedAt', 'moment'],
};

const SORTS = { _id: 'ID', date_sent: 'DATE_SENT', created_at: 'CREATED_AT', updated_at: 'UPDATED_AT' } as const;

/** Parameters of `POST /chat/Message` that are no custom keys; the resolver drops the other reserved names. */
const OWN_PARAMETERS = new Set([
  'chat_dialog_id',
  'recipient_id',
  'message',
  'attachments',
  'send_to_chat',
  'markable',
]);

export const messageRoutes = [
  route({
    method: 'post',
    path: '/chat/Message',
    xml: 'chat-message',
    document: SendMessage,
    variables: ({ given, header }) => ({
      input: {
        dialogId: readText(given.chat_dialog_id) || undefined,
        recipientId: userId(given),
        text: readText(given.message),
        attachments: attachmentsOf(given.attachments),
        customFields: Object.fromEntries(Object.entries(given).filter(([key]) => !OWN_PARAMETERS.has(key))),
        sendToChat: readFlag(given.send_to_chat) ?? false,
        clientId: header('Idempotency-Key'),
      },
    }),
    respond: ({ sendMessage }, { given }) =>
      created({
        ...presentMessage(sendMessage),
        ...(given.markable === undefined ? {} : { markable: readInteger(given.markable) ?? given.markable }),
      }),
    errors: errorList,
    docs: messageDocs.sendMessage,
  }),
  route({
    method: 'get',
    path: '/chat/Message',
    xml: 'chat-messages',
    document: ReadMessages,
    variables: ({ given }) => ({
      dialogId: readText(given.chat_dialog_id) ?? '',
      filter: readFilter(given, FILTERS),
      orderBy: readOrder(given, SORTS),
      ...readWindow(given),
      markAsRead: readFlag(given.mark_as_read) !== false && !isCount(given),
      since: readText(given.since),
      count: isCount(given),
    }),
    respond: ({ readMessages }, { given }) => {
      if (isCount(given)) return ok({ items: { count: readMessages.totalCount } });
      const { skip, limit } = readWindow(given);
      const { items, cursor } = readMessages;
      return ok({ skip, limit, items: items?.map(presentMessage), ...(cursor === null ? {} : { cursor }) });
    },
    errors: errorList,
    docs: messageDocs.readMessages(FILTERS, SORTS),
  }),
  route({
    method: 'put',
    path: '/chat/Message',
    document: MarkDialogMessages,
    variables: ({ given }) => {
      // There is no message here whose text it could be.
      if (given.message !== undefined) throw new NotFoundError();
      return {
        dialogId: readText(given.chat_dialog_id) ?? '',
        read: readFlag(given.read),
        delivered: readFlag(given.delivered),
      };
    },
    respond: empty,
    errors: errorList,
    docs: messageDocs.markDialogMessages,
  }),
  route({
    method: 'get',
    path: '/chat/Message/unread',
    document: CountUnreadMessages,
    variables: ({ given }) => ({ dialogIds: dialogIds(given.chat_dialog_ids) }),
    respond: ({ unreadCounts: { total, dialogs } }) => {
      const counts = dialogs.map(({ dialogId, count }): [string, number] => [dialogId, count]);
      // The total stands first, and no id that a client makes up takes its place.
      return ok(Object.fromEntries([['total', total], ...counts, ['total', total]]));
    },
    errors: errorList,
    docs: messageDocs.countUnreadMessages,
  }),
  route({
    method: 'get',
    path: '/chat/Message/:id',
    since: '2.39.0',
    xml: 'chat-message',
    document: FindMessage,
    variables: ({ path }) => ({ id: path.id! }),
    respond: ({ message }) => ok(presentMessage(message)),
    errors: errorList,
    docs: messageDocs.findMessage,
  }),
  route({
    method: 'put',
    path: '/chat/Message/:ids',
    document: UpdateMessages,
    variables: ({ path, given }) => ({
      ids: readIds(path.ids!),
      input: {
        dialogId: readText(given.chat_dialog_id) || undefined,
        text: readText(given.message),
        read: readFlag(given.read),
        delivered: readFlag(given.delivered),
      },
    }),
    respond: empty,
    errors: errorList,
    docs: messageDocs.updateMessages,
  }),
  route({
    method: 'delete',
    path: '/chat/Message/:ids',
    document: DeleteMessages,
    variables: ({ path, given, header }) => ({
      ids: readIds(path.ids!),
      force: readFlag(given.force) === true,
      ownOnly: isOlder(header(VERSION_HEADER), '2.52.0'),
    }),
    respond: ({ deleteMessages }) => ok(presentDeleted(deleteMessages)),
    errors: errorList,
    docs: messageDocs.deleteMessages,
  }),
];

/** A null among them is no attachment either; the operation's list takes none. */
function attachmentsOf(value: ParameterValue | undefined): NonNullable<ParameterValue>[] {
  if (value === undefined || value === null) return [];
  return (readNumberedObject(value) ?? [value]).map((item) => item ?? '');
}

/** Ids in one text, in any of the forms of a list; undefined when none is given. */
function dialogIds(value: ParameterValue | undefined): string[] | undefined {
  const ids = readList(value).flatMap((id) => readText(id) || []);
  return ids.length > 0 ? ids : undefined;
}

/** A recipient that no user can be is one that does not exist. */
function userId({ recipient_id: given }: Parameters): number | undefined {
  if (given === undefined || given === null || given === '') return undefined;
  const id = readInteger(given);
  return id !== undefined && isDatabaseId(id) ? id : 0;
}

function presentMessage(masked: FragmentOf<typeof MessageFields>) {
  const message = readFragment(MessageFields, masked);
  return {
    ...(message.customFields as Record<string, unknown>),
    _id: message.id,
    message: message.text,
    attachments: message.attachments,
    created_at: isoSeconds(message.createdAt),
    updated_at: isoSeconds(message.updatedAt),
    chat_dialog_id: message.dialogId,
    date_sent: message.dateSent,
    sender_id: message.senderId,
    recipient_id: message.recipientId,
    read_ids: message.readIds,
    delivered_ids: message.deliveredIds,
    read: message.read ? 1 : 0,
    reactions:
      message.reactions.length === 0
        ? null
        : {
            own: message.ownReactions,
            total: Object.fromEntries(message.reactions.map(({ name, count }) => [name, count])),
          },
  };
}

import type { Parameters, ParameterValue } from '../lib/bracket-keys.ts';
import { NotFoundError } from '../lib/errors.ts';
import { readFlag, readInteger, readList, readNumberedObject, readText } from '../lib/parameter-values.ts';
import { isDatabaseId } from '../lib/tokens.ts';
import { presentDeleted } from './deletions.ts';
import { errorList } from './errors.ts';
import { graphql } from './graphql.ts';
import { type FilterNames, isCount, readFilter, readIds, readOrder, readWindow } from './http/lists.ts';
import { created, empty, ok, route } from './http/route.ts';
import { isOlder, VERSION_HEADER } from './http/versions.ts';
import { messageDocs } from './openapi/docs/messages.ts';
import { messageShape } from './shapes/message.ts';

const SendMessage = graphql(
  `mutation SendMessage($input: SendMessageInput!) { sendMessage(input: $input) { ...MessageFields } }`,
  [messageShape],
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
  [messageShape],
);

const FindMessage = graphql(`query FindMessage($id: ID!) { message(id: $id) { ...MessageFields } }`, [messageShape]);

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

const FindUnreadCounts = graphql(`query FindUnreadCounts($dialogIds: [ID!]) {
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

export const messageRoutes = [
  route({
    method: 'post',
    path: '/chat/Message',
    xml: 'chat-message',
    document: SendMessage,
    variables: ({ parameters, header }) => ({
      input: {
        dialogId: readText(parameters.chat_dialog_id) || undefined,
        recipientId: userId(parameters),
        text: readText(parameters.message),
        attachments: attachmentsOf(parameters.attachments),
        customFields: parameters,
        sendToChat: readFlag(parameters.send_to_chat) ?? false,
        clientId: header('Idempotency-Key'),
      },
    }),
    respond: ({ sendMessage }, { parameters }) =>
      created({
        ...messageShape.present(sendMessage),
        ...(parameters.markable === undefined
          ? {}
          : { markable: readInteger(parameters.markable) ?? parameters.markable }),
      }),
    errors: errorList,
    docs: messageDocs.sendMessage,
  }),
  route({
    method: 'get',
    path: '/chat/Message',
    xml: 'chat-messages',
    document: ReadMessages,
    variables: ({ parameters }) => ({
      dialogId: readText(parameters.chat_dialog_id) ?? '',
      filter: readFilter(parameters, FILTERS),
      orderBy: readOrder(parameters, SORTS),
      ...readWindow(parameters),
      markAsRead: readFlag(parameters.mark_as_read) !== false && !isCount(parameters),
      since: readText(parameters.since),
      count: isCount(parameters),
    }),
    respond: ({ readMessages }, { parameters }) => {
      if (isCount(parameters)) return ok({ items: { count: readMessages.totalCount } });
      const { skip, limit } = readWindow(parameters);
      const { items, cursor } = readMessages;
      return ok({ skip, limit, items: items?.map(messageShape.present), ...(cursor === null ? {} : { cursor }) });
    },
    errors: errorList,
    docs: messageDocs.readMessages(FILTERS, SORTS),
  }),
  route({
    method: 'put',
    path: '/chat/Message',
    document: MarkDialogMessages,
    variables: ({ parameters }) => {
      if (parameters.message !== undefined) throw new NotFoundError();
      return {
        dialogId: readText(parameters.chat_dialog_id) ?? '',
        read: readFlag(parameters.read),
        delivered: readFlag(parameters.delivered),
      };
    },
    respond: empty,
    errors: errorList,
    docs: messageDocs.markDialogMessages,
  }),
  route({
    method: 'get',
    path: '/chat/Message/unread',
    document: FindUnreadCounts,
    variables: ({ parameters }) => ({ dialogIds: dialogIds(parameters.chat_dialog_ids) }),
    respond: ({ unreadCounts: { total, dialogs } }) => {
      const counts = dialogs.map(({ dialogId, count }): [string, number] => [dialogId, count]);
      // No id can replace the value of `total`.
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
    respond: ({ message }) => ok(messageShape.present(message)),
    errors: errorList,
    docs: messageDocs.findMessage,
  }),
  route({
    method: 'put',
    path: '/chat/Message/:ids',
    document: UpdateMessages,
    variables: ({ path, parameters }) => ({
      ids: readIds(path.ids!),
      input: {
        dialogId: readText(parameters.chat_dialog_id) || undefined,
        text: readText(parameters.message),
        read: readFlag(parameters.read),
        delivered: readFlag(parameters.delivered),
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
    variables: ({ path, parameters, header }) => ({
      ids: readIds(path.ids!),
      force: readFlag(parameters.force) === true,
      ownOnly: isOlder(header(VERSION_HEADER), '2.52.0'),
    }),
    respond: ({ deleteMessages }) => ok(presentDeleted(deleteMessages)),
    errors: errorList,
    docs: messageDocs.deleteMessages,
  }),
];

/** Replaces null, which the list type forbids, by another invalid attachment. */
function attachmentsOf(value: ParameterValue | undefined): NonNullable<ParameterValue>[] {
  if (value === undefined || value === null) return [];
  return (readNumberedObject(value) ?? [value]).map((item) => item ?? '');
}

function dialogIds(value: ParameterValue | undefined): string[] | undefined {
  const ids = readList(value).flatMap((id) => readText(id) || []);
  return ids.length > 0 ? ids : undefined;
}

/** Replaces an invalid id by 0, so that it counts as an unknown user. */
function userId({ recipient_id: parameters }: Parameters): number | undefined {
  if (parameters === undefined || parameters === null || parameters === '') return undefined;
  const id = readInteger(parameters);
  return id !== undefined && isDatabaseId(id) ? id : 0;
}

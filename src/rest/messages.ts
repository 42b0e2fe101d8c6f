import { readFlag, readInteger, readList, readNumberedObject, readText } from '../lib/casts.ts';
import { NotFoundError } from '../lib/errors.ts';
import type { JsonValue } from '../lib/json.ts';
import { MAX_ATTACHMENTS, MAX_BYTES } from '../resolvers/messages/rules.ts';
import { presentDeleted } from './deletions.ts';
import { graphql } from './graphql.ts';
import { route } from './http/route.ts';
import { isOlder, VERSION_HEADER } from './http/versions.ts';
import { messageDocs } from './openapi/docs/messages.ts';
import { anything, described, listOf, number, requestObject } from './openapi/docs/schemas.ts';
import { count, type FilterNames, filtersOf, isCount, orderOf, readWindow, window } from './parameters/lists.ts';
import { flag, id, ids, isSet, nonEmptyText, reader, text, textOrEmpty, userId } from './parameters/readers.ts';
import { asInput, noted, open, parameters, required, together } from './parameters/table.ts';
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

const attachment = {
  ...requestObject(
    {
      type: described(text.schema, 'Kind of the attachment, such as `image`.'),
      id: described(text.schema, 'Id of a file; required without `url`.'),
      url: described(text.schema, 'Address with `http` or `https`, or without a scheme; required without `id`.'),
      name: described(text.schema, 'Name to display.'),
      'content-type': described(text.schema, 'MIME type.'),
      size: described(number, 'Size in bytes.'),
      width: described(number, 'Width of a picture or video in pixels.'),
      height: described(number, 'Height of a picture or video in pixels.'),
      duration: described(number, 'Duration in seconds.'),
    },
    ['type'],
  ),
  additionalProperties: anything,
};

const newMessage = open(
  parameters('SendMessageInput', {
    chat_dialog_id: [
      'dialogId',
      nonEmptyText,
      'Id of the dialog, 24 hex digits; takes precedence over `recipient_id`.',
    ],
    recipient_id: [
      'recipientId',
      userId,
      'Id of a user. The private dialog with this user is created if it does not exist.',
    ],
    message: ['text', text, `Text, up to ${MAX_BYTES} bytes in UTF-8. Required without attachments and custom fields.`],
    attachments: [
      'attachments',
      reader({ ...listOf(attachment), maxItems: MAX_ATTACHMENTS }, attachmentsOf),
      `Up to ${MAX_ATTACHMENTS} attachments.`,
    ],
    send_to_chat: ['sendToChat', isSet, '1 sends a push to occupants who are offline. Default 0.'],
    markable: noted(flag.schema, 'Repeated in the response. Has no effect: every message can be marked.'),
  }),
  anything,
);

const marks = {
  read: ['read', flag, '1 marks as read for the caller, 0 removes the mark.'],
  delivered: ['delivered', flag, '1 marks as delivered to the caller, 0 removes the mark.'],
} as const;

const listedMessages = together(
  parameters('Mutation.readMessages', {
    chat_dialog_id: ['dialogId', required(textOrEmpty)],
    mark_as_read: [
      'markAsRead',
      reader(flag.schema, (value) => readFlag(value) !== false),
      '0 does not mark the returned messages as read and delivered. Default 1.',
    ],
    since: [
      'since',
      text,
      'Only messages sent or edited after this cursor. Empty: no restriction, with a cursor to continue from.',
    ],
  }),
  filtersOf(FILTERS),
  orderOf(SORTS),
  together(window, count),
);

export const messageRoutes = [
  route({
    method: 'post',
    path: '/chat/Message',
    xml: 'chat-message',
    document: SendMessage,
    parameters: newMessage,
    variables: ({ values, parameters, header }) => ({
      input: { ...values, customFields: parameters, clientId: header('Idempotency-Key') },
    }),
    present: ({ sendMessage }, { parameters }) => ({
      ...messageShape.present(sendMessage),
      ...(parameters.markable === undefined
        ? {}
        : { markable: readInteger(parameters.markable) ?? parameters.markable }),
    }),
    docs: messageDocs.sendMessage,
  }),
  route({
    method: 'get',
    path: '/chat/Message',
    xml: 'chat-messages',
    document: ReadMessages,
    parameters: listedMessages,
    variables: ({ values }) => ({ ...values, markAsRead: values.markAsRead && !values.count }),
    present: ({ readMessages }, { parameters }) => {
      if (isCount(parameters)) return { items: { count: readMessages.totalCount } };
      const { skip, limit } = readWindow(parameters);
      const { items, cursor } = readMessages;
      return { skip, limit, items: items?.map(messageShape.present), ...(cursor === null ? {} : { cursor }) };
    },
    docs: messageDocs.readMessages,
  }),
  route({
    method: 'put',
    path: '/chat/Message',
    document: MarkDialogMessages,
    parameters: parameters('Mutation.markDialogMessages', {
      chat_dialog_id: ['dialogId', required(textOrEmpty)],
      ...marks,
    }),
    variables: ({ values, parameters }) => {
      if (parameters.message !== undefined) throw new NotFoundError();
      return values;
    },
    docs: messageDocs.markDialogMessages,
  }),
  route({
    method: 'get',
    path: '/chat/Message/unread',
    document: FindUnreadCounts,
    parameters: parameters('Query.unreadCounts', {
      chat_dialog_ids: [
        'dialogIds',
        reader(listOf(text.schema), dialogIds),
        'Ids of up to 100 dialogs, separated by commas. Omit for all dialogs.',
      ],
    }),
    present: ({ unreadCounts: { total, dialogs } }) => {
      const counts = dialogs.map(({ dialogId, count }): [string, number] => [dialogId, count]);
      // No id can replace the value of `total`.
      return Object.fromEntries([['total', total], ...counts, ['total', total]]);
    },
    docs: messageDocs.countUnreadMessages,
  }),
  route({
    method: 'get',
    path: '/chat/Message/:id',
    since: '2.39.0',
    xml: 'chat-message',
    document: FindMessage,
    inPath: { id: ['id', id] },
    shape: messageShape,
    docs: messageDocs.findMessage,
  }),
  route({
    method: 'put',
    path: '/chat/Message/:ids',
    document: UpdateMessages,
    inPath: { ids: ['ids', ids, 'Id of a message, or, to mark only, up to 100 ids separated by commas.'] },
    parameters: asInput(
      parameters('UpdateMessagesInput', {
        chat_dialog_id: ['dialogId', nonEmptyText, 'Id of the dialog. Messages of other dialogs are then unknown.'],
        message: [
          'text',
          text,
          `New text, up to ${MAX_BYTES} bytes in UTF-8; requires the sender or an API key alone.`,
        ],
        ...marks,
      }),
    ),
    docs: messageDocs.updateMessages,
  }),
  route({
    method: 'delete',
    path: '/chat/Message/:ids',
    document: DeleteMessages,
    inPath: { ids: ['ids', ids, 'Id of a message, or up to 100 ids separated by commas.'] },
    parameters: parameters('Mutation.deleteMessages', {
      force: ['force', isSet, '1 deletes for all users, 0 for the caller. Default 0.'],
    }),
    variables: ({ inPath, values, header }) => ({
      ...inPath,
      ...values,
      ownOnly: isOlder(header(VERSION_HEADER), '2.52.0'),
    }),
    present: ({ deleteMessages }) => presentDeleted(deleteMessages),
    docs: messageDocs.deleteMessages,
  }),
];

/** Replaces null, which the list type forbids, by another invalid attachment. */
function attachmentsOf(value: JsonValue | undefined): NonNullable<JsonValue>[] {
  if (value === undefined || value === null) return [];
  return (readNumberedObject(value) ?? [value]).map((item) => item ?? '');
}

function dialogIds(value: JsonValue | undefined): string[] | undefined {
  const ids = readList(value).flatMap((id) => readText(id) || []);
  return ids.length > 0 ? ids : undefined;
}

import { graphql } from '../../support/clients/graphql.ts';
import { rest } from '../../support/clients/rest.ts';
import type { Caller } from '../../support/fixtures/users.ts';
import {
  type Deleted,
  type DialogUpdate,
  type Kind,
  type Marking,
  type MessageUpdate,
  Refusal,
  type Sending,
  type Window,
} from './records.ts';

/** The legacy status of a refusal, or the response as the model predicts it. */
export type Answer<Value> = { refused: number } | { value: Value };

export function answerOf<Value>(deed: () => Value): Answer<Value> {
  try {
    return { value: deed() };
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.status };
    throw error;
  }
}

export interface ReadMessage {
  id: string;
  text: string;
  readIds: number[];
  deliveredIds: number[];
}

export interface Transport {
  createDialog: (as: Caller, kind: Kind, others: number[], name: string) => Promise<Answer<string>>;
  updateDialog: (as: Caller, id: string, update: DialogUpdate) => Promise<Answer<void>>;
  deleteDialog: (as: Caller, id: string, force: boolean) => Promise<Answer<void>>;
  deleteDialogs: (as: Caller, ids: string[], force: boolean) => Promise<Answer<Deleted>>;
  send: (as: Caller, sending: Sending) => Promise<Answer<{ id: string; dialogId: string }>>;
  read: (as: Caller, window: Window) => Promise<Answer<ReadMessage[]>>;
  updateMessages: (as: Caller, ids: string[], update: MessageUpdate) => Promise<Answer<void>>;
  markAll: (as: Caller, dialogId: string, marking: Marking) => Promise<Answer<void>>;
  deleteMessages: (as: Caller, ids: string[], force: boolean) => Promise<Answer<Deleted>>;
  changeReactions: (as: Caller, id: string, add?: string, remove?: string) => Promise<Answer<void>>;
}

const TYPES = { PUBLIC_GROUP: 1, GROUP: 2, PRIVATE: 3 };

export const restTransport: Transport = {
  createDialog: (as, kind, others, name) =>
    callRest('POST', '/chat/Dialog', { type: TYPES[kind], occupants_ids: others, name }, as, ({ _id }) => _id),
  updateDialog: (as, id, { name, addOccupants, removeOccupants, addAdmins, removeAdmins }) => {
    const lists = (occupants_ids?: number[], admins_ids?: number[]) => ({ occupants_ids, admins_ids });
    const body = { name, push_all: lists(addOccupants, addAdmins), pull_all: lists(removeOccupants, removeAdmins) };
    return callRest('PUT', `/chat/Dialog/${id}`, body, as, nothing);
  },
  deleteDialog: (as, id, force) => callRest('DELETE', `/chat/Dialog/${id}`, flags({ force }), as, nothing),
  deleteDialogs: (as, ids, force) => callRest('DELETE', `/chat/Dialog/${ids}`, flags({ force }), as, deletedOf),
  send: (as, { dialogId, recipientId, text, clientId }) =>
    callRest(
      'POST',
      '/chat/Message',
      { chat_dialog_id: dialogId, recipient_id: recipientId, message: text },
      as,
      ({ _id, chat_dialog_id }) => ({ id: _id, dialogId: chat_dialog_id }),
      clientId === undefined ? {} : { 'Idempotency-Key': clientId },
    ),
  read: (as, { dialogId, skip, limit, newestFirst, marks }) => {
    const order = newestFirst ? '&sort_desc=date_sent' : '';
    const query = `chat_dialog_id=${dialogId}&skip=${skip}&limit=${limit}${order}${marks ? '' : '&mark_as_read=0'}`;
    return callRest('GET', `/chat/Message?${query}`, undefined, as, ({ items }) => items.map(readOf));
  },
  updateMessages: (as, ids, { dialogId, text, ...marking }) => {
    const body = { chat_dialog_id: dialogId, message: text, ...flags({ ...marking }) };
    return callRest('PUT', `/chat/Message/${ids}`, body, as, nothing);
  },
  markAll: (as, dialogId, marking) =>
    callRest('PUT', '/chat/Message', { chat_dialog_id: dialogId, ...flags({ ...marking }) }, as, nothing),
  deleteMessages: (as, ids, force) => callRest('DELETE', `/chat/Message/${ids}`, flags({ force }), as, deletedOf),
  changeReactions: (as, id, add, remove) => {
    const path = `/chat/Message/${id}/reactions`;
    if (remove === undefined && add !== undefined) return callRest('POST', path, { name: add }, as, nothing);
    if (add === undefined && remove !== undefined) return callRest('DELETE', path, { name: remove }, as, nothing);
    return callRest('PUT', path, { add, remove }, as, nothing);
  },
};

const DELETED = 'deletedIds notFoundIds wrongPermissionsIds';

export const graphqlTransport: Transport = {
  createDialog: (as, type, occupantIds, name) =>
    callGraphql(
      'mutation ($input: CreateDialogInput!) { answer: createDialog(input: $input) { id } }',
      { input: { type, occupantIds, name } },
      as,
      ({ id }) => id,
    ),
  updateDialog: (as, id, { name, addOccupants, removeOccupants, addAdmins, removeAdmins }) =>
    callGraphql(
      'mutation ($id: ID!, $input: UpdateDialogInput!) { answer: updateDialog(id: $id, input: $input) { id } }',
      {
        id,
        input: {
          name,
          addOccupantIds: addOccupants,
          removeOccupantIds: removeOccupants,
          addAdminIds: addAdmins,
          removeAdminIds: removeAdmins,
        },
      },
      as,
      nothing,
    ),
  deleteDialog: (as, id, force) =>
    callGraphql(
      'mutation ($id: ID!, $force: Boolean!) { answer: deleteDialog(id: $id, force: $force) }',
      { id, force },
      as,
      nothing,
    ),
  deleteDialogs: (as, ids, force) =>
    callGraphql(
      `mutation ($ids: [ID!]!, $force: Boolean!) { answer: deleteDialogs(ids: $ids, force: $force) { ${DELETED} } }`,
      { ids, force },
      as,
      renamed,
    ),
  send: (as, input) =>
    callGraphql(
      'mutation ($input: SendMessageInput!) { answer: sendMessage(input: $input) { id dialogId } }',
      { input },
      as,
      (answer) => answer,
    ),
  read: (as, { dialogId, skip, limit, newestFirst, marks }) =>
    callGraphql(
      `mutation ($dialogId: ID!, $skip: Int!, $limit: Int!, $orderBy: MessageOrder, $markAsRead: Boolean!) {
        answer: readMessages(
          dialogId: $dialogId, skip: $skip, limit: $limit, orderBy: $orderBy, markAsRead: $markAsRead
        ) { items { id text readIds deliveredIds } }
      }`,
      {
        dialogId,
        skip,
        limit,
        orderBy: newestFirst ? { field: 'DATE_SENT', direction: 'DESC' } : null,
        markAsRead: marks,
      },
      as,
      ({ items }) => items,
    ),
  updateMessages: (as, ids, input) =>
    callGraphql(
      'mutation ($ids: [ID!]!, $input: UpdateMessagesInput!) { answer: updateMessages(ids: $ids, input: $input) { id } }',
      { ids, input },
      as,
      nothing,
    ),
  markAll: (as, dialogId, marking) =>
    callGraphql(
      `mutation ($dialogId: ID!, $read: Boolean, $delivered: Boolean) {
        answer: markDialogMessages(dialogId: $dialogId, read: $read, delivered: $delivered)
      }`,
      { dialogId, ...marking },
      as,
      nothing,
    ),
  deleteMessages: (as, ids, force) =>
    callGraphql(
      `mutation ($ids: [ID!]!, $force: Boolean!) { answer: deleteMessages(ids: $ids, force: $force) { ${DELETED} } }`,
      { ids, force },
      as,
      renamed,
    ),
  changeReactions: (as, messageId, add, remove) => {
    if (remove === undefined && add !== undefined) return reaction('addReaction', messageId, add, as);
    if (add === undefined && remove !== undefined) return reaction('removeReaction', messageId, remove, as);
    return callGraphql(
      `mutation ($messageId: ID!, $add: String, $remove: String) {
        answer: changeReactions(messageId: $messageId, add: $add, remove: $remove) { id }
      }`,
      { messageId, add, remove },
      as,
      nothing,
    );
  },
};

function reaction(field: string, messageId: string, name: string, as: Caller): Promise<Answer<void>> {
  const document = `mutation ($messageId: ID!, $name: String) { answer: ${field}(messageId: $messageId, name: $name) { id } }`;
  return callGraphql(document, { messageId, name }, as, nothing);
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape come through here
type Reader<Value> = (body: any) => Value;

async function callRest<Value>(
  method: string,
  path: string,
  json: object | undefined,
  as: Caller,
  read: Reader<Value>,
  headers: Record<string, string> = {},
): Promise<Answer<Value>> {
  const { status, text, body } = await rest(method, path, { as, json, headers });
  if (status >= 500) throw new Error(`${method} ${path}: ${status} ${text}`);
  return status < 300 ? { value: read(body) } : { refused: status };
}

const STATUS: Record<string, number> = { BAD_USER_INPUT: 400, FORBIDDEN: 403, NOT_FOUND: 404, UNPROCESSABLE: 422 };
const NEED_USER = 'Forbidden. Need user.';

export async function callGraphql<Value>(
  document: string,
  variables: Record<string, unknown>,
  as: Caller,
  read: Reader<Value>,
): Promise<Answer<Value>> {
  const { data, errors } = await graphql(document, variables, as);
  if (!errors) return { value: read(data.answer) };
  const { message, extensions } = errors[0]!;
  const refused = message === NEED_USER ? 422 : STATUS[extensions?.code as string];
  if (!refused) throw new Error(`${message} ${JSON.stringify(extensions)}: ${document}`);
  return { refused };
}

function nothing(): undefined {
  return undefined;
}

function renamed(answer: Record<'deletedIds' | 'notFoundIds' | 'wrongPermissionsIds', string[]>): Deleted {
  const { deletedIds, notFoundIds, wrongPermissionsIds } = answer;
  return { deleted: deletedIds, notFound: notFoundIds, wrongPermissions: wrongPermissionsIds };
}

function deletedOf(body: Record<string, { ids: string[] }>): Deleted {
  const { SuccessfullyDeleted, NotFound, WrongPermissions } = body;
  return { deleted: SuccessfullyDeleted!.ids, notFound: NotFound!.ids, wrongPermissions: WrongPermissions?.ids ?? [] };
}

function readOf(item: { _id: string; message: string; read_ids: number[]; delivered_ids: number[] }): ReadMessage {
  return { id: item._id, text: item.message, readIds: item.read_ids, deliveredIds: item.delivered_ids };
}

/** Legacy clients send flags as 1 and 0. */
function flags(given: Record<string, boolean | undefined>): Record<string, number | undefined> {
  return Object.fromEntries(Object.entries(given).map(([name, flag]) => [name, flag === undefined ? flag : +flag]));
}

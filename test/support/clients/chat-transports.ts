import { execute } from '../fixtures/chat.ts';
import type { Caller } from '../fixtures/users.ts';
import { rest } from './rest.ts';

type Id = { id: number };

/** Changes over REST and GraphQL; each throws when it is refused. */
export interface ChatTransport {
  send: (as: Caller, dialogId: string, text: string) => Promise<string>;
  sendTo: (as: Caller, user: Id, text: string) => Promise<string>;
  edit: (as: Caller, ids: string[], text: string) => Promise<unknown>;
  deleteMessages: (as: Caller, ids: string[], force?: boolean) => Promise<unknown>;
  mark: (as: Caller, ids: string[], mark: { read?: boolean; delivered?: boolean }) => Promise<unknown>;
  markDialog: (as: Caller, dialogId: string, mark: { read?: boolean; delivered?: boolean }) => Promise<unknown>;
  react: (as: Caller, id: string, name: string) => Promise<unknown>;
  unreact: (as: Caller, id: string, name: string) => Promise<unknown>;
  changeReactions: (as: Caller, id: string, add: string, remove: string) => Promise<unknown>;
  createGroup: (as: Caller, name: string, occupants: Id[]) => Promise<string>;
  createPrivate: (as: Caller, other: Id) => Promise<string>;
  update: (as: Caller, dialogId: string, changes: DialogUpdate) => Promise<unknown>;
  deleteDialog: (as: Caller, dialogId: string, force?: boolean) => Promise<unknown>;
}

interface DialogUpdate {
  name?: string;
  join?: Id[];
  leave?: Id[];
  admins?: Id[];
  noAdmins?: Id[];
}

const idsOf = (users: Id[] | undefined) => users?.map(({ id }) => id);

export const throughGraphQL: ChatTransport = {
  send: async (as, dialogId, text) =>
    (
      await execute(
        `mutation ($input: SendMessageInput!) { sendMessage(input: $input) { id } }`,
        {
          input: { dialogId, text },
        },
        as,
      )
    ).sendMessage.id,
  sendTo: async (as, { id: recipientId }, text) =>
    (
      await execute(
        `mutation ($input: SendMessageInput!) { sendMessage(input: $input) { id } }`,
        {
          input: { recipientId, text },
        },
        as,
      )
    ).sendMessage.id,
  edit: (as, ids, text) => updateMessages(as, ids, { text }),
  deleteMessages: (as, ids, force = false) =>
    execute(
      'mutation ($ids: [ID!]!, $force: Boolean!) { deleteMessages(ids: $ids, force: $force) { deletedIds } }',
      { ids, force },
      as,
    ),
  mark: (as, ids, mark) => updateMessages(as, ids, mark),
  markDialog: (as, dialogId, mark) =>
    execute(
      `mutation ($dialogId: ID!, $read: Boolean, $delivered: Boolean) {
        markDialogMessages(dialogId: $dialogId, read: $read, delivered: $delivered) }`,
      { dialogId, ...mark },
      as,
    ),
  react: (as, id, name) =>
    execute('mutation ($id: ID!, $name: String) { addReaction(messageId: $id, name: $name) { id } }', { id, name }, as),
  unreact: (as, id, name) =>
    execute(
      'mutation ($id: ID!, $name: String) { removeReaction(messageId: $id, name: $name) { id } }',
      { id, name },
      as,
    ),
  changeReactions: (as, id, add, remove) =>
    execute(
      `mutation ($id: ID!, $add: String, $remove: String) {
        changeReactions(messageId: $id, add: $add, remove: $remove) { id } }`,
      { id, add, remove },
      as,
    ),
  createGroup: (as, name, occupants) => create(as, { type: 'GROUP', name, occupantIds: idsOf(occupants) }),
  createPrivate: (as, other) => create(as, { type: 'PRIVATE', occupantIds: [other.id] }),
  update: (as, id, { name, join, leave, admins, noAdmins }) =>
    execute(
      'mutation ($id: ID!, $input: UpdateDialogInput!) { updateDialog(id: $id, input: $input) { id } }',
      {
        id,
        input: {
          name,
          addOccupantIds: idsOf(join),
          removeOccupantIds: idsOf(leave),
          addAdminIds: idsOf(admins),
          removeAdminIds: idsOf(noAdmins),
        },
      },
      as,
    ),
  deleteDialog: (as, id, force = false) =>
    execute('mutation ($id: ID!, $force: Boolean!) { deleteDialog(id: $id, force: $force) }', { id, force }, as),
};

export const throughRest: ChatTransport = {
  send: async (as, dialogId, text) =>
    (await call('POST', '/chat/Message', as, { chat_dialog_id: dialogId, message: text }))._id,
  sendTo: async (as, { id }, text) =>
    (await call('POST', '/chat/Message', as, { recipient_id: id, message: text }))._id,
  edit: (as, ids, text) => call('PUT', `/chat/Message/${ids}`, as, { message: text }),
  deleteMessages: (as, ids, force) => call('DELETE', `/chat/Message/${ids}`, as, force ? { force: 1 } : undefined),
  mark: (as, ids, mark) => call('PUT', `/chat/Message/${ids}`, as, flags(mark)),
  markDialog: (as, dialogId, mark) => call('PUT', '/chat/Message', as, { chat_dialog_id: dialogId, ...flags(mark) }),
  react: (as, id, name) => call('POST', `/chat/Message/${id}/reactions`, as, { name }),
  unreact: (as, id, name) => call('DELETE', `/chat/Message/${id}/reactions`, as, { name }),
  changeReactions: (as, id, add, remove) => call('PUT', `/chat/Message/${id}/reactions`, as, { add, remove }),
  createGroup: async (as, name, occupants) =>
    (await call('POST', '/chat/Dialog', as, { type: 2, name, occupants_ids: idsOf(occupants) }))._id,
  createPrivate: async (as, { id }) => (await call('POST', '/chat/Dialog', as, { type: 3, occupants_ids: id }))._id,
  update: (as, id, { name, join, leave, admins, noAdmins }) =>
    call('PUT', `/chat/Dialog/${id}`, as, {
      name,
      push_all: { occupants_ids: idsOf(join), admins_ids: idsOf(admins) },
      pull_all: { occupants_ids: idsOf(leave), admins_ids: idsOf(noAdmins) },
    }),
  deleteDialog: (as, id, force) => call('DELETE', `/chat/Dialog/${id}`, as, force ? { force: 1 } : undefined),
};

function updateMessages(as: Caller, ids: string[], input: object): Promise<unknown> {
  return execute(
    'mutation ($ids: [ID!]!, $input: UpdateMessagesInput!) { updateMessages(ids: $ids, input: $input) { id } }',
    { ids, input },
    as,
  );
}

async function create(as: Caller, input: object): Promise<string> {
  const { createDialog } = await execute(
    'mutation ($input: CreateDialogInput!) { createDialog(input: $input) { id } }',
    { input },
    as,
  );
  return createDialog.id;
}

function flags({ read, delivered }: { read?: boolean; delivered?: boolean }) {
  const flag = (value: boolean | undefined) => (value === undefined ? undefined : Number(value));
  return { read: flag(read), delivered: flag(delivered) };
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
async function call(method: string, path: string, as: Caller, json?: object): Promise<any> {
  const { status, text, body } = await rest(method, path, { as, json });
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
  return body;
}

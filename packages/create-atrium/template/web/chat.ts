// All that the page asks of Atrium.
import type { AtriumClient, ResultOf } from '@atrium/client';
import { graphql } from './atrium.ts';

const SIGN_UP = graphql(`mutation SignUp($input: CreateUserInput!) { createUser(input: $input) { id } }`);

const DIALOGS = graphql(`query Dialogs {
  dialogs(first: 50) { edges { node { id name lastMessage unreadMessagesCount } } }
}`);

const CHANGES = graphql(`subscription Changes($since: String) { dialogEvents(since: $since) { cursor } }`);

const USER = graphql(`query UserByLogin($login: String!) { userByLogin(login: $login) { id } }`);

const CREATE_DIALOG = graphql(`mutation CreateDialog($input: CreateDialogInput!) {
  createDialog(input: $input) { id name }
}`);

const MESSAGES = graphql(`query Messages($dialogId: ID!) {
  messages(dialogId: $dialogId, last: 50) { edges { node { id senderId text } } }
}`);

const EVENTS = graphql(`subscription Events($dialogId: ID!, $since: String) {
  dialogEvents(dialogId: $dialogId, since: $since) {
    __typename
    cursor
    ... on MessageSent { message { id senderId text } }
    ... on MessageEdited { message { id senderId text } }
    ... on MessagesDeleted { deletedIds }
  }
}`);

const SEND = graphql(`mutation Send($input: SendMessageInput!) { sendMessage(input: $input) { id } }`);

const MARK_READ = graphql(`mutation MarkRead($dialogId: ID!) { markDialogMessages(dialogId: $dialogId, read: true) }`);

const NOTES = graphql(`query Notes { notes(orderBy: { field: createdAt, direction: DESC }) { id text } }`);

const ADD_NOTE = graphql(`mutation AddNote($text: String!) { createNote(input: { text: $text }) { id } }`);

export type Message = ResultOf<typeof MESSAGES>['messages']['edges'][number]['node'];

export async function signUp(client: AtriumClient, login: string, password: string): Promise<void> {
  await client.openSession();
  await client.mutate(SIGN_UP, { input: { login, password } });
  await client.signIn({ login, password });
}

export async function listDialogs(client: AtriumClient) {
  return (await client.query(DIALOGS)).dialogs.edges.map(({ node }) => node);
}

/** Calls `changed` after each event in any dialog of the user. */
export function watchDialogs(client: AtriumClient, changed: () => Promise<void>, end: (error?: unknown) => void) {
  const events = client.subscribe(CHANGES, {}, { next: changed, onGap: changed, end });
  void events.ready.then(changed, () => {});
}

export async function openPrivate(client: AtriumClient, login: string) {
  const { userByLogin } = await client.query(USER, { login });
  const input = { type: 'PRIVATE' as const, occupantIds: [userByLogin.id] };
  return (await client.mutate(CREATE_DIALOG, { input })).createDialog;
}

/** @param clientId the same for each attempt, so that the message is stored once */
export async function send(client: AtriumClient, dialogId: string, text: string, clientId: string): Promise<void> {
  await client.mutate(SEND, { input: { dialogId, text, clientId } });
}

export async function markRead(client: AtriumClient, dialogId: string): Promise<void> {
  await client.mutate(MARK_READ, { dialogId }, { idempotent: true });
}

/** Calls `show` with the latest messages, and again after each change. @returns a function that stops it */
export function watchMessages(
  client: AtriumClient,
  dialogId: string,
  show: (messages: Message[]) => void,
  end: (error?: unknown) => void,
): () => void {
  let messages = new Map<string, Message>();
  const load = async () => {
    const answer = await client.query(MESSAGES, { dialogId });
    messages = new Map(answer.messages.edges.map(({ node }) => [node.id, node]));
    show([...messages.values()]);
  };
  let loaded: Promise<void> | undefined;
  const events = client.subscribe(
    EVENTS,
    { dialogId },
    {
      next: async ({ dialogEvents: event }) => {
        await loaded;
        if (event.__typename === 'MessageSent' || event.__typename === 'MessageEdited') {
          messages.set(event.message.id, event.message);
        }
        if (event.__typename === 'MessagesDeleted') for (const id of event.deletedIds) messages.delete(id);
        show([...messages.values()]);
      },
      onGap: load, // the missed events are no longer stored
      end,
    },
  );
  loaded = events.ready.then(load);
  loaded.catch(() => events.stop());
  return () => events.stop();
}

/** Records of the class of this project (classes.json). */
export async function listNotes(client: AtriumClient) {
  return (await client.query(NOTES)).notes;
}

export async function addNote(client: AtriumClient, text: string): Promise<void> {
  await client.mutate(ADD_NOTE, { text });
}

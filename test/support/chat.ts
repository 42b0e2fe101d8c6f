import { APPLICATION } from './app.ts';
import { graphql } from './graphql.ts';
import { insertUsers } from './other-apps.ts';
import { apiKey, type Caller } from './users.ts';

export type QuickUser = Caller & { id: number };

/** Users of the sample application who act through its API key. */
export function quickUsers(count: number): Promise<QuickUser[]> {
  return insertUsers(APPLICATION.id, count, apiKey);
}

/** The data of an operation that must succeed. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export async function ask(query: string, variables: Record<string, unknown>, as: Caller): Promise<any> {
  const answer = await graphql(query, variables, as);
  if (answer.errors) throw new Error(`${answer.errors[0]!.message} ${JSON.stringify(answer.errors)}`);
  return answer.data;
}

/** The first error of an operation that must fail, as `{ message, code, … }`. */
export async function refusalOf(
  query: string,
  variables: Record<string, unknown>,
  as: Caller,
): Promise<{ message: string } & Record<string, unknown>> {
  const answer = await graphql(query, variables, as);
  if (!answer.errors) throw new Error(`not refused: ${JSON.stringify(answer.data)}`);
  const [{ message, extensions }] = answer.errors as [{ message: string; extensions?: Record<string, unknown> }];
  return { message, ...extensions };
}

export type DialogKind = 'GROUP' | 'PRIVATE' | 'PUBLIC_GROUP';

/** A new dialog's id. */
export async function createDialog(
  as: Caller,
  others: { id: number }[],
  type: DialogKind = 'GROUP',
  name = 'A dialog',
): Promise<string> {
  const input = { type, name: type === 'PRIVATE' ? null : name, occupantIds: others.map(({ id }) => id) };
  const { createDialog } = await ask(
    'mutation ($input: CreateDialogInput!) { createDialog(input: $input) { id } }',
    { input },
    as,
  );
  return createDialog.id;
}

const SEND = 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { id } }';

/** A new message's id. */
export async function send(as: Caller, dialogId: string, text: string): Promise<string> {
  return (await ask(SEND, { input: { dialogId, text } }, as)).sendMessage.id;
}

/** Ids of new messages, sent one after the other. */
export async function sendMany(as: Caller, dialogId: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let nth = 1; nth <= count; nth++) ids.push(await send(as, dialogId, `message ${nth}`));
  return ids;
}

export const MESSAGE_SENT = `subscription ($dialogId: ID, $since: String) {
  messageSent(dialogId: $dialogId, since: $since) { cursor dialogId message { id text senderId } }
}`;

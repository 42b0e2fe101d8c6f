import { randomBytes } from 'node:crypto';
import { xml } from '@xmpp/client';
import { APPLICATION } from '../../support/app/app.ts';
import { sql } from '../../support/app/sql.ts';
import { type OpenChat, openChat, roomOf } from '../../support/clients/xmpp.ts';
import { insertSession } from '../../support/fixtures/callers.ts';
import type { Args, Body } from '../../support/operations/operation.ts';
import { Addresses } from '../../support/operations/stanzas.ts';
import type { ModelDialog } from './records.ts';

const CODES: Record<string, number> = { '403': 403, '406': 422, '409': 422, '503': 404 };
const MARKS: [name: string, field: string][] = [
  ['displayed', 'read'],
  ['received', 'delivered'],
];
const addresses = new Addresses(APPLICATION.id);
const chats = new Map<number, Promise<OpenChat>>();

/** The status of a refusal, the body of an answer, or neither: most stanzas are not answered. */
export type StanzaOutcome = { refused: number } | { served: Body } | { isSilent: true };

export function endChats(): void {
  chats.clear();
}

async function chatOf(id: number): Promise<OpenChat> {
  const open = chats.get(id) ?? insertSession(id).then((session) => openChat({ id, ...session }));
  chats.set(id, open);
  return open;
}

/**
 * Does what legacy clients can: sends a message to a group or a user, or marks a message.
 * @param dialog of the message, if it is sent to one
 * @returns undefined for what they cannot do
 */
export function overXmpp(
  name: string,
  args: Args,
  userId: number,
  dialog: ModelDialog | undefined,
): Promise<StanzaOutcome> | undefined {
  if (name === 'post /chat/Message') {
    const isPossible = args.recipientId === undefined ? dialog?.kind !== 'PRIVATE' : args.recipientId !== userId;
    // With the id of another message, an idempotency key finds that message, and a stanza is refused.
    return isPossible && args.text !== '' && args.clientId === undefined ? send(args, userId, dialog) : undefined;
  }
  if (name !== 'put /chat/Message/:ids') return undefined;
  const { ids, dialogId, ...changes } = args as { ids: string[]; dialogId?: string };
  // A marker names no dialog to which it is limited.
  const isElsewhere = dialogId !== undefined && !dialog?.messages.some(({ id }) => id === ids[0]);
  const marks = Object.entries(changes).filter(([, value]) => value !== undefined);
  const [marker] = MARKS.filter(([, field]) => marks.length === 1 && marks[0]![0] === field && marks[0]![1] === true);
  return ids.length === 1 && marker && !isElsewhere ? mark(ids[0]!, marker[0], userId) : undefined;
}

async function send(args: Args, userId: number, dialog: ModelDialog | undefined): Promise<StanzaOutcome> {
  const chat = await chatOf(userId);
  const { recipientId, dialogId, text } = args as Record<string, string | undefined>;
  const isInRoom = recipientId === undefined;
  // Messages to public groups require it.
  if (isInRoom && dialog?.kind === 'PUBLIC_GROUP')
    chat.send(
      String(
        xml('presence', { to: roomOf(dialogId!, userId), id: 'join' }, xml('x', 'http://jabber.org/protocol/muc')),
      ),
    );
  await chat.settle();
  const id = randomBytes(12).toString('hex');
  const to = isInRoom
    ? { to: roomOf(dialogId!), type: 'groupchat' }
    : { to: addresses.user(recipientId), type: 'chat' };
  const saved = xml('extraParams', { xmlns: 'jabber:client' }, xml('save_to_history', {}, '1'));
  chat.send(String(xml('message', { ...to, id }, xml('body', {}, text!), saved)));
  const refusal = (await chat.settle()).find((frame) => frame.includes(' type="error"'));
  if (refusal) return { refused: CODES[/ code="(\d+)"/.exec(refusal)![1]!] ?? 500 };
  const [sent] = await sql<Body>(
    'SELECT id AS "_id", dialog_id AS chat_dialog_id FROM messages WHERE application_id = $1 AND id = $2',
    [APPLICATION.id, id],
  );
  return { served: sent };
}

async function mark(messageId: string, marker: string, userId: number): Promise<StanzaOutcome> {
  const chat = await chatOf(userId);
  const content = xml(marker, { xmlns: 'urn:xmpp:chat-markers:0', id: messageId });
  chat.send(String(xml('message', { to: addresses.user(userId), type: 'chat' }, content)));
  await chat.settle();
  return { isSilent: true };
}

import { randomUUID } from 'node:crypto';
import { graphql } from '../graphql/typed-documents.ts';
import type { RoomAddress, UserAddress } from './addresses.ts';
import { isStored, readContent } from './content.ts';
import {
  BAD_REQUEST,
  errorElement,
  FORBIDDEN,
  NOT_JOINED,
  type StanzaError,
  stanzaErrorOf,
  UNAVAILABLE,
} from './errors.ts';
import { operate } from './operations.ts';
import { CALL_MODULE, relay, SendSignal } from './relay.ts';
import type { Stanza, StanzaRoute } from './stanza.ts';
import type { XmppStream } from './stream.ts';
import { NS } from './xml/element.ts';
import { tag } from './xml/writer.ts';

const SendMessage = graphql(
  `mutation SendChatMessage($input: SendMessageInput!) { sendMessage(input: $input) { id } }`,
);

const FindRoom = graphql(`query FindChatRoom($id: ID!) { dialog(id: $id) { type isJoinRequired } }`);

/** Clients leave out the type of private messages. */
const isPrivate = ({ type }: Stanza) => type === undefined || type === 'chat' || type === 'normal';

export const messageRoutes: StanzaRoute[] = [
  { stanza: 'message', matches: ({ type }) => type === 'error', answer: () => {} },
  {
    stanza: 'message',
    document: SendSignal,
    matches: ({ type }) => type === 'headline',
    answer: sendHeadline,
  },
  {
    stanza: 'message',
    matches: ({ element }) => !element.find('body') && !element.find('extraParams'),
    answer: () => {},
  },
  {
    stanza: 'message',
    document: SendMessage,
    matches: (stanza) => isPrivate(stanza) && stanza.target?.kind === 'user',
    answer: (stanza, stream) => sendPrivately(stanza, stanza.target as UserAddress, stream),
  },
  {
    stanza: 'message',
    document: SendMessage,
    matches: ({ type, target }) => type === 'groupchat' && target?.kind === 'room',
    answer: (stanza, stream) => sendToRoom(stanza, stanza.target as RoomAddress, stream),
  },
  {
    stanza: 'message',
    matches: () => true,
    answer: (stanza, stream) => refuse(stream, stanza, refusalOf(stanza)),
  },
];

function refusalOf(stanza: Stanza): StanzaError {
  const { type, target } = stanza;
  const isToWrongKind =
    (type === 'groupchat' && target?.kind === 'user') ||
    (isPrivate(stanza) && target?.kind === 'room' && target.nick === undefined);
  return isToWrongKind ? BAD_REQUEST : UNAVAILABLE;
}

async function sendPrivately(
  stanza: Stanza,
  { applicationId, userId }: UserAddress,
  stream: XmppStream,
): Promise<void> {
  const isForbidden = stream.activeList?.blocks.get(userId)?.isMutual === true;
  if (applicationId !== stream.viewer.applicationId || isForbidden) return refuse(stream, stanza, UNAVAILABLE);
  try {
    await send(stanza, { userId }, stream);
  } catch (error) {
    const known = stanzaErrorOf(error, stream);
    // Only a block forbids it.
    refuse(stream, stanza, known === FORBIDDEN ? UNAVAILABLE : known);
  }
}

async function sendToRoom(stanza: Stanza, room: RoomAddress, stream: XmppStream): Promise<void> {
  try {
    const refusal = await refusalOfRoom(room, stream);
    if (refusal) return refuse(stream, stanza, refusal);
    await send(stanza, { dialogId: room.dialogId }, stream);
  } catch (error) {
    refuse(stream, stanza, stanzaErrorOf(error, stream));
  }
}

/** Whether the resource may send there as far as the transport knows. */
export async function refusalOfRoom(
  { applicationId, dialogId, nick }: RoomAddress,
  stream: XmppStream,
): Promise<StanzaError | undefined> {
  if (applicationId !== stream.viewer.applicationId || nick !== undefined) return UNAVAILABLE;
  if (stream.joined.has(dialogId)) return undefined;
  const { dialog } = await operate(stream, { document: FindRoom, variables: { id: dialogId } });
  if (dialog.type === 'PRIVATE') return UNAVAILABLE;
  return dialog.type === 'PUBLIC_GROUP' || dialog.isJoinRequired ? NOT_JOINED : undefined;
}

async function send(
  { element, id }: Stanza,
  to: { userId: number } | { dialogId: string },
  stream: XmppStream,
): Promise<void> {
  const isToSelf = 'userId' in to && to.userId === stream.viewer.userId;
  if (!isStored(element) || isToSelf) {
    const origin = { isMarkable: element.find('markable') !== undefined };
    return relay(stream, { element, id, to, origin });
  }
  const { text, attachments, fields } = readContent(element);
  const target = 'userId' in to ? { recipientId: to.userId } : to;
  const input = { ...target, id, text, attachments, customFields: fields, sendToChat: true };
  await operate(stream, { document: SendMessage, variables: { input }, isLimited: true });
}

/** System messages and calls. Old clients cannot digest an error here. */
async function sendHeadline({ element, id, target }: Stanza, stream: XmppStream): Promise<void> {
  if (target?.kind !== 'user' || target.applicationId !== stream.viewer.applicationId) return;
  const module = element.find('extraParams')?.find('moduleIdentifier')?.text;
  const kind = module === CALL_MODULE ? 'CALL' : 'SYSTEM';
  await relay(stream, { element, id, to: { userId: target.userId }, kind, origin: { module } }).catch(() => {});
}

/** Clients fail at an error without id. */
export function refuse(stream: XmppStream, { id, to, target }: Stanza, error: StanzaError): void {
  const from = target ? to : stream.addresses.domain;
  const attributes = { type: 'error', id: id ?? randomUUID(), from: from ?? stream.addresses.user(stream.viewer) };
  stream.send(tag('message', { xmlns: NS.client, ...attributes, to: stream.address }, errorElement(error)));
}

import { randomUUID } from 'node:crypto';
import { graphql } from '../graphql/typed-documents.ts';
import type { RoomAddress } from './addresses.ts';
import {
  errorElement,
  FORBIDDEN,
  NO_ITEM,
  OVERLOADED,
  type StanzaError,
  stanzaErrorOf,
  UNAVAILABLE,
} from './errors.ts';
import { startFeed } from './events.ts';
import { sendIqError, sendResult } from './iq-answers.ts';
import { operate } from './operations.ts';
import { occupantPresence, type RoomFacts } from './room-streams.ts';
import type { Stanza, StanzaRoute } from './stanza.ts';
import type { XmppStream } from './stream.ts';
import { NS } from './xml/element.ts';
import { tag } from './xml/writer.ts';

const MAX_JOINED = 2_000;

const JoinRoom = graphql(`query JoinChatRoom($id: ID!) { dialog(id: $id) { type userId } }`);

const ListJoined = graphql(`query ListChatRoom($id: ID!) { dialog(id: $id) { type joinedUserIds } }`);

export const roomRoutes: StanzaRoute[] = [
  {
    stanza: 'presence',
    document: JoinRoom,
    matches: ({ type, target, element }) =>
      type === undefined && (target?.kind === 'room' || element.find('x', NS.muc) !== undefined),
    answer: join,
  },
  {
    stanza: 'presence',
    matches: ({ type, target }) => type === 'unavailable' && target?.kind === 'room',
    answer: leave,
  },
  {
    stanza: 'iq',
    document: ListJoined,
    matches: ({ type, target, element }) =>
      type === 'get' && target?.kind === 'room' && element.find('query', NS.items) !== undefined,
    answer: listJoined,
  },
];

/** Clients wait for an answer to each join, and repeat all joins after a reconnect. */
async function join(stanza: Stanza, stream: XmppStream): Promise<void> {
  const room = stanza.target;
  try {
    if (room?.kind !== 'room') return refuseJoin(stanza, stream, NO_ITEM);
    const facts = await factsOf(room, stream);
    if (!facts) return refuseJoin(stanza, stream, NO_ITEM);
    if (stream.joined.size >= MAX_JOINED && !stream.joined.has(room.dialogId))
      return refuseJoin(stanza, stream, OVERLOADED);
    await startFeed(stream);
    if (stream.isOpen) enter(stanza, room, facts, stream);
  } catch (error) {
    const known = stanzaErrorOf(error, stream);
    refuseJoin(stanza, stream, known === UNAVAILABLE ? NO_ITEM : known);
  }
}

function enter({ id }: Stanza, room: RoomAddress, facts: RoomFacts, stream: XmppStream): void {
  const { addresses, address: to, viewer, server } = stream;
  for (const userId of server.rooms.others(stream, room, facts.isPublic))
    stream.send(occupantPresence(addresses, { ...room, userId, to, isJoined: true }));
  server.rooms.join(stream, room, facts);
  const { userId } = viewer;
  stream.send(occupantPresence(addresses, { ...room, userId, to, isJoined: true, id, isOwn: true }));
}

/** Undefined for dialogs that are no rooms. The user may have been removed during the look-up. */
async function factsOf(
  { applicationId, dialogId: id }: RoomAddress,
  stream: XmppStream,
): Promise<RoomFacts | undefined> {
  if (applicationId !== stream.viewer.applicationId) return undefined;
  const { hub } = stream.server.services;
  for (;;) {
    const { removals } = hub;
    const { dialog } = await operate(stream, { document: JoinRoom, variables: { id } });
    if (removals !== hub.removals) continue;
    return dialog.type === 'PRIVATE' ? undefined : { isPublic: dialog.type === 'PUBLIC_GROUP', ownerId: dialog.userId };
  }
}

/** One code for all refusals, and the element of the request: otherwise the client's join never ends. */
function refuseJoin({ id, to, target }: Stanza, stream: XmppStream, error: StanzaError): void {
  const room = target?.kind === 'room' ? stream.addresses.room(target, stream.viewer.userId) : to;
  const attributes = { xmlns: NS.client, type: 'error', id: id ?? randomUUID(), from: room, to: stream.address };
  stream.send(tag('presence', attributes, tag('x', { xmlns: NS.muc }), errorElement({ ...error, code: 500 })));
}

function leave({ target, id }: Stanza, stream: XmppStream): void {
  const room = target as RoomAddress;
  const left = room.applicationId === stream.viewer.applicationId ? stream.joined.get(room.dialogId) : undefined;
  if (!left) return;
  left.leave();
  const { userId } = stream.viewer;
  const own = { ...room, userId, to: stream.address, isJoined: false, id, isOwn: true };
  stream.send(occupantPresence(stream.addresses, own));
}

async function listJoined(stanza: Stanza, stream: XmppStream): Promise<void> {
  const room = stanza.target as RoomAddress;
  try {
    if (room.applicationId !== stream.viewer.applicationId) return sendIqError(stream, stanza, NO_ITEM);
    const { dialog } = await operate(stream, { document: ListJoined, variables: { id: room.dialogId } });
    if (dialog.type === 'PRIVATE') return sendIqError(stream, stanza, NO_ITEM);
    const items = dialog.joinedUserIds.map((userId) => tag('item', { jid: stream.addresses.room(room, userId) }));
    sendResult(stream, stanza, tag('query', { xmlns: NS.items }, ...items));
  } catch (error) {
    const known = stanzaErrorOf(error, stream);
    sendIqError(stream, stanza, known === UNAVAILABLE ? NO_ITEM : known === FORBIDDEN ? FORBIDDEN : OVERLOADED);
  }
}

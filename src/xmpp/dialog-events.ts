import { randomUUID } from 'node:crypto';
import type { ResultOf } from 'gql.tada';
import { graphql } from '../graphql/typed-documents.ts';
import type { ChatAddresses } from './addresses.ts';
import { isBlocked } from './blocks.ts';
import { attachmentElements, extraParams, field, fieldElements } from './content.ts';
import { eventRoute } from './feed.ts';
import type { XmppStream } from './stream.ts';
import { SharedStanza } from './wire.ts';
import { NS } from './xml/element.ts';
import { escaped, joined, NOTHING, tag, type Xml } from './xml/writer.ts';

const DialogEvents = graphql(`subscription ChatDialogEvents {
  dialogEvents {
    __typename
    dialogId
    ... on MessageSent {
      resource
      dialog { type isJoinRequired }
      message { id clientId text senderId recipientId dateSent attachments customFields sendToChat }
    }
    ... on DialogRemoved { removal initiatorId }
    ... on MessagesMarked { userId read delivered resource stanzaId messages { id clientId senderId } }
  }
}`);

type DialogEvent = ResultOf<typeof DialogEvents>['dialogEvents'];
type Sent = Extract<DialogEvent, { __typename: 'MessageSent' }>;
type Removed = Extract<DialogEvent, { __typename: 'DialogRemoved' }>;
type MarkedEvent = Extract<DialogEvent, { __typename: 'MessagesMarked' }>;

export const dialogEventRoute = eventRoute(DialogEvents, ({ dialogEvents: event }, stream) => {
  if (event.__typename === 'MessageSent') return deliverMessage(event, stream);
  if (event.__typename === 'MessagesMarked') return deliverMarks(event, stream);
  return event.__typename === 'DialogRemoved' ? deliverRemoval(event, stream) : undefined;
});

const rendered = new WeakMap<Sent, SharedStanza>();

function deliverMessage(event: Sent, stream: XmppStream): Promise<void> | undefined {
  const { message, dialog, resource } = event;
  if (!message.sendToChat) return undefined;
  if (isBlocked(stream, message.senderId, dialog.type === 'PRIVATE' ? 'inPrivate' : 'inGroups')) return undefined;
  const isOwn = message.senderId === stream.viewer.userId;
  if (dialog.type !== 'PRIVATE')
    return receivesOf(event, stream) ? stream.send(sharedOf(event, stream).to(escaped(stream.address))) : undefined;
  if (!stream.isAvailable) return undefined;
  const { applicationId } = stream.viewer;
  const to = escaped(stream.addresses.user({ applicationId, userId: message.recipientId }));
  const shared = sharedOf(event, stream);
  if (!isOwn) return stream.send(shared.to(to));
  return resource === stream.resource ? undefined : sendCarbon(shared.textTo(to), idOf(message), stream);
}

/** Each resource receives it once, whether it has joined or need not. */
function receivesOf({ dialogId, dialog }: Sent, stream: XmppStream): boolean {
  if (stream.joined.has(dialogId)) return true;
  return stream.isAvailable && dialog.type === 'GROUP' && !dialog.isJoinRequired;
}

function sharedOf(event: Sent, { addresses, viewer }: XmppStream): SharedStanza {
  const known = rendered.get(event);
  const shared = known ?? render(event, addresses, viewer.applicationId);
  if (!known) rendered.set(event, shared);
  return shared;
}

function render(event: Sent, addresses: ChatAddresses, applicationId: number): SharedStanza {
  const { message, dialog, dialogId, resource } = event;
  const { senderId } = message;
  const isPrivate = dialog.type === 'PRIVATE';
  const from = isPrivate
    ? addresses.user({ applicationId, userId: senderId }, resource)
    : addresses.room({ applicationId, dialogId }, senderId);
  const type = isPrivate ? 'chat' : 'groupchat';
  const content = joined([
    message.text === '' ? NOTHING : tag('body', {}, escaped(message.text)),
    dialog.type === 'PUBLIC_GROUP' ? NOTHING : tag('markable', { xmlns: NS.markers }),
    extraParams(
      field('save_to_history', 1),
      field('dialog_id', dialogId),
      field('date_sent', message.dateSent),
      field('message_id', message.id),
      fieldElements(message.customFields as object, resource !== null),
      attachmentElements(message.attachments),
    ),
  ]);
  return new SharedStanza(
    `<message xmlns="${NS.client}" from="${escaped(from)}" to="`,
    `" type="${type}" id="${escaped(idOf(message))}">${content}</message>`,
  );
}

function idOf({ id, clientId }: { id: string; clientId: string | null }): string {
  return clientId ?? id;
}

/** What another resource of the user has sent. Clients would take a received one for a receipt. */
export function sendCarbon(message: Xml, id: string, stream: XmppStream): Promise<void> | undefined {
  const { hasCarbons, wire, viewer, address, addresses } = stream;
  if (!hasCarbons || wire.transport !== 'websocket') return undefined;
  const attributes = { from: addresses.user(viewer), to: address, type: 'chat', id };
  const forwarded = tag('forwarded', { xmlns: NS.forward }, message);
  return stream.send(
    tag('message', { xmlns: NS.client, ...attributes }, tag('sent', { xmlns: NS.carbons }, forwarded)),
  );
}

/** Clients fail at a removal without the one who did it. */
function deliverRemoval({ dialogId, initiatorId }: Removed, stream: XmppStream): Promise<void> | undefined {
  const room = stream.joined.get(dialogId);
  if (!room) return undefined;
  room.leave();
  const { addresses, viewer, address: to } = stream;
  const { applicationId, userId } = viewer;
  const from = addresses.room({ applicationId, dialogId }, userId);
  const actor = tag('actor', { jid: addresses.user({ applicationId, userId: initiatorId ?? room.ownerId }) });
  const item = tag('item', { affiliation: 'none', role: 'none' }, actor);
  const content = tag('x', { xmlns: NS.mucUser }, item, tag('status', { code: 301 }));
  return stream.send(tag('presence', { xmlns: NS.client, from, to, type: 'unavailable' }, content));
}

function deliverMarks(event: MarkedEvent, stream: XmppStream): Promise<void> | undefined {
  const { userId, read, delivered, resource, stanzaId, dialogId, messages } = event;
  const { applicationId, userId: ownId } = stream.viewer;
  const name = read ? 'displayed' : delivered ? 'received' : undefined;
  if (!name || userId === ownId || !stream.isAvailable || isBlocked(stream, userId, 'inPrivate')) return undefined;
  const from = stream.addresses.user({ applicationId, userId }, resource);
  const to = stream.addresses.user(stream.viewer);
  let sent: Promise<void> | undefined;
  for (const message of messages) {
    if (message.senderId !== ownId) continue;
    const attributes = { xmlns: NS.client, id: stanzaId ?? randomUUID(), from, to, type: 'chat' };
    const marker = tag(name, { xmlns: NS.markers, id: idOf(message) });
    sent = stream.send(tag('message', attributes, marker, extraParams(field('dialog_id', dialogId))));
  }
  return sent;
}

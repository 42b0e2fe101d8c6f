import { graphql } from '../graphql/typed-documents.ts';
import { isStringId } from '../lib/string-ids.ts';
import type { UserAddress } from './addresses.ts';
import { stanzaErrorOf, UNAVAILABLE } from './errors.ts';
import { operate } from './operations.ts';
import { relay } from './relay.ts';
import type { Stanza, StanzaRoute } from './stanza.ts';
import type { XmppStream } from './stream.ts';
import { type Element, NS } from './xml/element.ts';

const MarkMessage = graphql(`mutation MarkChatMessage($ids: [ID!]!, $input: UpdateMessagesInput!) {
  updateMessages(ids: $ids, input: $input) { id }
}`);

const FindMessageOf = graphql(`query FindChatMessage($id: ID!, $senderId: Int!) {
  message(id: $id, senderId: $senderId) { id }
}`);

const MARKS = { received: { delivered: true }, displayed: { read: true } } as const;

export function markerOf(message: Element): Element | undefined {
  return message.elements.find(({ name, namespace }) => Object.hasOwn(MARKS, name) && namespace === NS.markers);
}

export const markerRoutes: StanzaRoute[] = [
  {
    stanza: 'message',
    document: MarkMessage,
    matches: ({ type, element }) => type !== 'error' && markerOf(element) !== undefined,
    answer: mark,
  },
];

/** Never answered, also if it is refused. */
async function mark({ id: stanzaId, element, target }: Stanza, stream: XmppStream): Promise<void> {
  const marker = markerOf(element)!;
  const { id } = marker.attributes;
  if (!id || target?.kind !== 'user' || target.applicationId !== stream.viewer.applicationId) return;
  const name = marker.name as keyof typeof MARKS;
  try {
    const found = isStringId(id) ? id : await idOfMessage(id, target, stream);
    const variables = { ids: [found], input: MARKS[name] };
    await operate(stream, { document: MarkMessage, variables, origin: { stanzaId }, isReceipt: true });
  } catch (error) {
    // The client may confirm a message that is not stored.
    const isUnknown = stanzaErrorOf(error, stream) === UNAVAILABLE;
    const origin = { marker: { name, messageId: id } };
    if (isUnknown)
      await relay(stream, { element, id: stanzaId, to: { userId: target.userId }, origin, isReceipt: true }).catch(
        () => {},
      );
  }
}

/** Clients may name a message by the text that its sender's client chose. */
async function idOfMessage(id: string, { userId: senderId }: UserAddress, stream: XmppStream): Promise<string> {
  const call = { document: FindMessageOf, variables: { id, senderId }, isReceipt: true };
  return (await operate(stream, call)).message.id;
}

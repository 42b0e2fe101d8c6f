import { activityRoutes } from './activity.ts';
import { contactRoutes } from './contacts.ts';
import { iqRoutes } from './iq.ts';
import { markerRoutes } from './markers.ts';
import { messageRoutes } from './messages.ts';
import { presenceRoutes } from './presence.ts';
import { privacyRoutes } from './privacy.ts';
import { roomRoutes } from './rooms.ts';
import type { Stanza, StanzaRoute } from './stanza.ts';
import type { XmppStream } from './stream.ts';
import { typingRoutes } from './typing.ts';
import { type Element, NS } from './xml/element.ts';
import { tag } from './xml/writer.ts';

/** The first that matches answers. */
export const routes: readonly StanzaRoute[] = [
  ...markerRoutes,
  ...typingRoutes,
  ...messageRoutes,
  ...roomRoutes,
  ...contactRoutes,
  ...presenceRoutes,
  ...activityRoutes,
  ...privacyRoutes,
  ...iqRoutes,
];

export async function answerBound(stream: XmppStream, element: Element, number: number | undefined): Promise<void> {
  if (element.namespace === NS.management) return answerManagement(stream, element, number);
  const stanza = stanzaOf(stream, element);
  const route = routes.find((one) => one.stanza === element.name && one.matches(stanza));
  if (route) return route.answer(stanza, stream);
  if (!KINDS.has(element.name)) stream.fail('unsupported-stanza-type');
}

const KINDS = new Set<string>(['message', 'presence', 'iq']);

/** Streams are not resumed: clients load what they missed over REST. */
function answerManagement(stream: XmppStream, { name }: Element, number: number | undefined): void {
  if (name === 'enable') stream.send(tag('enabled', { xmlns: NS.management }));
  else if (name === 'r') stream.send(tag('a', { xmlns: NS.management, h: number ?? 0 }));
}

function ownAddress({ viewer: { applicationId, userId } }: XmppStream) {
  return { kind: 'user' as const, applicationId, userId, resource: undefined };
}

function stanzaOf(stream: XmppStream, element: Element): Stanza {
  const { id, type, to } = element.attributes;
  const target = to ? stream.addresses.parse(to) : ownAddress(stream);
  return { element, id, type, to, target };
}

/** Pings are answered before the stanzas that wait, because clients reconnect when answers are late. */
export function answersAtOnce(stream: XmppStream, element: Element): boolean {
  if (!element.is('iq') || !element.find('ping', NS.ping)) return false;
  const { id, to, type } = element.attributes;
  if (type !== 'get' || !id || (to && stream.addresses.parse(to)?.kind !== 'service')) return false;
  stream.send(tag('iq', { xmlns: NS.client, type: 'result', id, from: to, to: stream.address }));
  return true;
}

/** Joins of rooms have no order among themselves. */
export function isIndependent(element: Element): boolean {
  return element.is('presence') && element.find('x', NS.muc) !== undefined;
}

export function rateOf(element: Element): { kind: 'stanza' | 'join' | 'typing'; of: string } {
  if (isIndependent(element)) return { kind: 'join', of: '' };
  const isTyping = element.is('message') && element.elements.some(({ namespace }) => namespace === NS.states);
  return isTyping && !element.find('body')
    ? { kind: 'typing', of: element.attributes.to ?? '' }
    : { kind: 'stanza', of: '' };
}

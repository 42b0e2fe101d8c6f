import { errorElement, type StanzaError, UNAVAILABLE } from './errors.ts';
import type { Stanza, StanzaRoute } from './stanza.ts';
import type { XmppStream } from './stream.ts';
import { NS } from './xml/element.ts';
import { tag, type Xml } from './xml/writer.ts';

export const iqRoutes: StanzaRoute[] = [
  {
    stanza: 'iq',
    matches: ({ id, type }) => !id || (type !== 'get' && type !== 'set'),
    answer: () => {}, // results are not relayed, and a request without id cannot be answered
  },
  { stanza: 'iq', matches: has('session', NS.session), answer: (stanza, stream) => sendResult(stream, stanza) },
  {
    stanza: 'iq',
    matches: (stanza) => has('enable', NS.carbons)(stanza) || has('disable', NS.carbons)(stanza),
    answer(stanza, stream) {
      stream.hasCarbons = has('enable', NS.carbons)(stanza);
      sendResult(stream, stanza);
    },
  },
  {
    stanza: 'iq',
    matches: has('query', NS.roster),
    answer: (stanza, stream) => sendResult(stream, stanza, tag('query', { xmlns: NS.roster })),
  },
  { stanza: 'iq', matches: () => true, answer: (stanza, stream) => sendIqError(stream, stanza, UNAVAILABLE) },
];

function has(name: string, namespace: string): (stanza: Stanza) => boolean {
  return ({ element, target }) =>
    element.find(name, namespace) !== undefined && (target?.kind === 'service' || target?.kind === 'user');
}

/** `session` is answered without addresses, as real servers do. */
export function sendResult(stream: XmppStream, { id, to, element }: Stanza, ...content: Xml[]): void {
  const isSession = element.find('session') !== undefined;
  const addresses = isSession ? {} : { from: to, to: stream.address };
  stream.send(tag('iq', { xmlns: NS.client, type: 'result', id, ...addresses }, ...content));
}

export function sendIqError(stream: XmppStream, { id, to }: Stanza, error: StanzaError): void {
  const attributes = { xmlns: NS.client, type: 'error', id, from: to, to: stream.address };
  stream.send(tag('iq', attributes, errorElement(error)));
}

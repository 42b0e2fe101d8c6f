import { errorElement, type StanzaError } from './errors.ts';
import type { Stanza } from './stanza.ts';
import type { XmppStream } from './stream.ts';
import { NS } from './xml/element.ts';
import { tag, type Xml } from './xml/writer.ts';

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

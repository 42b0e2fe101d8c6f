import { UNAVAILABLE } from './errors.ts';
import { sendIqError, sendResult } from './iq-answers.ts';
import type { Stanza, StanzaRoute } from './stanza.ts';
import { NS } from './xml/element.ts';

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
  { stanza: 'iq', matches: () => true, answer: (stanza, stream) => sendIqError(stream, stanza, UNAVAILABLE) },
];

function has(name: string, namespace: string): (stanza: Stanza) => boolean {
  return ({ element, target }) =>
    element.find(name, namespace) !== undefined && (target?.kind === 'service' || target?.kind === 'user');
}

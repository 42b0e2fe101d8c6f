import { startFeed } from './events.ts';
import type { StanzaRoute } from './stanza.ts';
import type { XmppStream } from './stream.ts';
import { NS } from './xml/element.ts';
import { tag } from './xml/writer.ts';

export const presenceRoutes: StanzaRoute[] = [
  {
    stanza: 'presence',
    matches: ({ to, type }) => !to && type === undefined,
    answer: (_stanza, stream) => becomeAvailable(stream),
  },
];

/** Clients repeat it whenever they see themselves leave. */
async function becomeAvailable(stream: XmppStream): Promise<void> {
  if (stream.isAvailable) return;
  await startFeed(stream);
  stream.isAvailable = true;
  stream.onClosed(stream.server.services.presence.connect(stream.viewer));
  stream.send(tag('presence', { xmlns: NS.client, from: stream.address, to: stream.addresses.user(stream.viewer) }));
}

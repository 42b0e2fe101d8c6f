import { goOnline } from '../resolvers/blocks/last-seen.ts';
import { showContacts } from './contacts.ts';
import { startFeed } from './events.ts';
import type { StanzaRoute } from './stanza.ts';
import type { XmppStream } from './stream.ts';
import { NS } from './xml/element.ts';
import { tag } from './xml/writer.ts';

export const presenceRoutes: StanzaRoute[] = [
  { stanza: 'presence', matches: ({ to, type }) => !to && type === undefined, answer: becomeAvailable },
  { stanza: 'presence', matches: ({ to, type }) => !to && type === 'unavailable', answer: becomeUnavailable },
];

/** Clients repeat it whenever they see themselves leave. */
async function becomeAvailable(_stanza: unknown, stream: XmppStream): Promise<void> {
  if (stream.isAvailable) return;
  await startFeed(stream);
  if (!stream.isOpen) return;
  const { applicationId, userId } = stream.viewer;
  stream.availability = goOnline({ applicationId, userId }, stream.server.services);
  stream.send(tag('presence', { xmlns: NS.client, from: stream.address, to: stream.addresses.user(stream.viewer) }));
  await showContacts(stream).catch((error: unknown) => {
    stream.log.warn({ err: error }, 'the contacts of a chat stream could not be read; it does not see who is online');
  });
}

function becomeUnavailable(_stanza: unknown, stream: XmppStream): void {
  stream.availability?.();
  stream.availability = undefined;
}

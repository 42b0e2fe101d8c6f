import { contactRoute } from './contacts.ts';
import { dialogEventRoute } from './dialog-events.ts';
import { type EventRoute, follow } from './feed.ts';
import { signalRoute } from './signals.ts';
import type { XmppStream } from './stream.ts';
import { typingRoute } from './typing.ts';

/** A resource receives these once it is available or has joined a room. */
export const eventRoutes: readonly EventRoute[] = [dialogEventRoute, signalRoute, typingRoute, contactRoute];

export function startFeed(stream: XmppStream): Promise<void> {
  stream.feed ??= follow(stream, eventRoutes);
  return stream.feed;
}

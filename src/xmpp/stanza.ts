import type { DocumentNode } from 'graphql';
import type { Address } from './addresses.ts';
import type { XmppStream } from './stream.ts';
import type { Element } from './xml/element.ts';

export interface Stanza {
  element: Element;
  id: string | undefined;
  type: string | undefined;
  /** As sent. */
  to: string | undefined;
  /** Undefined for addresses of other domains. Without `to`, the user of the stream. */
  target: Address | undefined;
}

/** A stanza, and the operation of the schema that it stands for. */
export interface StanzaRoute {
  stanza: 'message' | 'presence' | 'iq';
  /** Undefined if the transport answers by itself. */
  document?: DocumentNode;
  matches: (stanza: Stanza) => boolean;
  answer: (stanza: Stanza, stream: XmppStream) => Promise<void> | void;
}

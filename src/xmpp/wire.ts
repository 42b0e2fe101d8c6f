import type { CallingRequest } from '../platform/limits/client-address.ts';
import type { Element } from './xml/element.ts';
import type { Xml } from './xml/writer.ts';

/** Maximum unread bytes of one client, as on `/graphql`. */
export const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;
export const MAX_EARLY_BUFFERED_BYTES = 16 * 1024;
/** Above this, a stanza of an event waits until earlier ones are sent. */
export const HIGH_WATER_MARK_BYTES = 64 * 1024;
/** Time for the client to confirm the end. */
export const CLOSE_TIMEOUT_MS = 1_000;

/** A connection that carries one stream: a WebSocket or a TCP connection. */
export interface Wire {
  readonly transport: 'websocket' | 'tcp';
  /** The parts of the request, or of the connection, that limits need. */
  readonly request: CallingRequest;
  readonly isOpen: boolean;
  /** Whether credentials may be sent, or a proxy is responsible for that. */
  readonly isSecure: boolean;
  readonly bufferedBytes: number;
  /** Begins the answer of the service, at the first opening and at each restart. */
  openStream: (attributes: { from: string; id: string }) => void;
  send: (element: Xml | Addressed, done?: () => void) => void;
  /** Only before it is secure. */
  startTls?: () => void;
  pause: () => void;
  resume: () => void;
  /** The client has signed in: larger stanzas are permitted. */
  trust: () => void;
  /** Ends the stream and the connection. */
  close: () => void;
  terminate: () => void;
}

/** A stanza that many clients receive, encoded once around the address of each. */
export class SharedStanza {
  readonly #beforeTo: Buffer;
  readonly #afterTo: Buffer;

  constructor(beforeTo: string, afterTo: string) {
    this.#beforeTo = Buffer.from(beforeTo);
    this.#afterTo = Buffer.from(afterTo);
  }

  to(address: Xml): Addressed {
    const [before, after] = [this.#beforeTo, this.#afterTo];
    const length = Buffer.byteLength(address);
    const bytes = Buffer.allocUnsafe(before.length + length + after.length);
    before.copy(bytes);
    bytes.write(address, before.length);
    after.copy(bytes, before.length + length);
    return bytes as Addressed;
  }

  /** As a part of another stanza. */
  textTo(address: Xml): Xml {
    return `${this.#beforeTo}${address}${this.#afterTo}` as Xml;
  }
}

/** Bytes of a stanza. */
export type Addressed = Buffer & { readonly isStanza: true };

/** What a wire delivers. */
export interface Received {
  opened: (root: Element) => void;
  stanza: (element: Element) => void;
  /** The client has ended the stream. */
  ended: () => void;
  /** The stream cannot be read further. */
  failed: (condition: 'not-well-formed' | 'policy-violation' | 'invalid-xml') => void;
  /** The connection is closed. */
  closed: () => void;
}

import type { Logger } from 'pino';
import { addTo } from '../lib/collections.ts';
import { SECOND } from '../lib/time.ts';

/** Maximum messages that wait for a slow driver; more are dropped. */
const MAX_QUEUED = 10_000;

/** Topic of the pieces of a message that is larger than a text may be. */
const PIECE = 'piece';

/** Incomplete messages of so many processes are kept, because a process may die before its last piece. */
const MAX_INCOMPLETE = 100;

/** Time that `stop` waits for queued messages. */
const STOP_TIMEOUT_MS = SECOND;

export interface BusDriver {
  /** Starts receiving; calls `onReturn` whenever messages may have been lost. */
  start: (onText: (text: string) => void, onReturn: () => void) => Promise<void>;
  /** Sends one text to all processes, including this one. */
  send: (text: string) => Promise<void>;
  maxBytes: number;
  stop: () => Promise<void>;
}

/**
 * Signals between processes. They are never stored and may be lost; the signals of one process arrive in order.
 * Messages of one turn of the event loop are sent together and deduplicated, so that a thousand writes wake the other
 * processes once.
 */
export class Bus {
  readonly #origin: string;
  readonly #driver: BusDriver;
  readonly #log: Logger;
  readonly #listeners = new Map<string, Set<(data: unknown) => void>>();
  readonly #returnListeners = new Set<() => void>();
  #waiting = new Set<string>();
  /** Pieces that have arrived, by process. */
  readonly #incomplete = new Map<string, string[]>();
  #sending: Promise<void> | undefined;
  #isStopped = false;

  /** @param origin identifies this process, so that it ignores its own messages */
  constructor(origin: string, driver: BusDriver, log: Logger) {
    this.#origin = origin;
    this.#driver = driver;
    this.#log = log;
  }

  start(): Promise<void> {
    return this.#driver.start(
      (text) => this.#receive(text),
      () => {
        for (const listener of this.#returnListeners) listener();
      },
    );
  }

  /** Sends the queued messages first, waiting at most one second. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, STOP_TIMEOUT_MS);
    });
    await Promise.race([this.#sending, timeout]);
    clearTimeout(timer);
    await this.#driver.stop();
  }

  on(topic: string, listener: (data: unknown) => void): void {
    addTo(this.#listeners, topic, listener);
  }

  /** Called when the connection is restored after messages may have been lost. */
  onReturn(listener: () => void): void {
    this.#returnListeners.add(listener);
  }

  publish(topic: string, data: unknown = null): void {
    if (this.#isStopped || this.#waiting.size >= MAX_QUEUED) return;
    this.#waiting.add(JSON.stringify([topic, data]));
    this.#sending ??= this.#send();
  }

  async #send(): Promise<void> {
    await new Promise(setImmediate);
    while (this.#waiting.size > 0) {
      const messages = [...this.#waiting];
      this.#waiting = new Set();
      for (const text of this.#pack(messages)) {
        await this.#driver.send(text).catch((error) => {
          this.#log.warn(
            { err: error },
            'signal to other processes failed; live events reach them up to a second late',
          );
        });
      }
    }
    // No await between the check above and this line, so that a message published from here on starts a new send.
    this.#sending = undefined;
  }

  /** Packs messages into as few texts as `maxBytes` allows: `["origin",["topic",data],…]`. */
  #pack(messages: string[]): string[] {
    const head = JSON.stringify(this.#origin);
    const texts: string[] = [];
    let parts = [head];
    let bytes = head.length + 2;
    for (const message of messages.flatMap((text) => piecesOf(text, this.#driver.maxBytes - bytes))) {
      const size = Buffer.byteLength(message) + 1;
      if (parts.length > 1 && bytes + size > this.#driver.maxBytes) {
        texts.push(`[${parts.join(',')}]`);
        parts = [head];
        bytes = head.length + 2;
      }
      parts.push(message);
      bytes += size;
    }
    texts.push(`[${parts.join(',')}]`);
    return texts;
  }

  #receive(text: string): void {
    try {
      const [origin, ...messages] = JSON.parse(text) as [string, ...[topic: string, data: unknown][]];
      if (origin === this.#origin) return;
      for (const message of messages) {
        const [topic, data] = message[0] === PIECE ? this.#join(origin, message[1] as Piece) : message;
        for (const listener of this.#listeners.get(topic) ?? []) listener(data);
      }
    } catch (error) {
      // From another version of the service, or another user of the channel.
      this.#log.warn(
        { err: error },
        'signal of another process could not be understood; do all processes run the same version?',
      );
    }
  }

  /** The pieces of a message arrive one after the other; a message that lacks one is dropped. */
  #join(origin: string, { index, count, bytes }: Piece): [topic: string, data: unknown] {
    const pieces = index === 0 ? [] : (this.#incomplete.get(origin) ?? []);
    this.#incomplete.delete(origin);
    if (pieces.length !== index) return [PIECE, undefined];
    pieces.push(bytes);
    if (pieces.length === count) return JSON.parse(String(Buffer.from(pieces.join(''), 'base64')));
    this.#incomplete.set(origin, pieces);
    for (const oldest of this.#incomplete.keys()) {
      if (this.#incomplete.size <= MAX_INCOMPLETE) break;
      this.#incomplete.delete(oldest);
    }
    return [PIECE, undefined];
  }
}

interface Piece {
  index: number;
  count: number;
  /** Base64. */
  bytes: string;
}

/** Base64 in JSON has a length that is known in advance. */
function piecesOf(message: string, maxBytes: number): string[] {
  const bytes = Buffer.from(message);
  if (bytes.length < maxBytes) return [message];
  const emptyPiece = JSON.stringify([PIECE, { index: 99_999, count: 99_999, bytes: '' } satisfies Piece]);
  const size = 3 * Math.floor((maxBytes - emptyPiece.length - 1) / 4);
  const count = Math.ceil(bytes.length / size);
  return Array.from({ length: count }, (_, index) => {
    const piece: Piece = { index, count, bytes: bytes.toString('base64', index * size, (index + 1) * size) };
    return JSON.stringify([PIECE, piece]);
  });
}

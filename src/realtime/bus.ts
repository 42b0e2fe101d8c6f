import type { Logger } from 'pino';
import { addTo } from '../lib/collections.ts';
import { SECOND } from '../lib/time.ts';

/** Messages that may wait while the carrier takes its time; more are lost. */
const MAX_QUEUED = 10_000;

/** How long a bus that stops waits for what has been told. */
const STOP_TIMEOUT_MS = SECOND;

/** How messages travel between the processes of one service. */
export interface BusDriver {
  /** Begins to hear; `onReturn` comes whenever messages may have been lost meanwhile. */
  start: (onText: (text: string) => void, onReturn: () => void) => Promise<void>;
  /** Sends one text to all processes. */
  send: (text: string) => Promise<void>;
  /** Bytes that one text may have. */
  maxBytes: number;
  stop: () => Promise<void>;
}

/**
 * What processes tell each other past the database: nothing of it is kept, and any of it may be lost. What one process
 * tells comes in its order. Messages of one turn of the event loop travel together, equal ones once: a thousand writes
 * wake the others a single time.
 */
export class Bus {
  readonly #origin: string;
  readonly #carrier: BusDriver;
  readonly #log: Logger;
  readonly #listeners = new Map<string, Set<(data: unknown) => void>>();
  readonly #returnHearers = new Set<() => void>();
  #waiting = new Set<string>();
  #sending: Promise<void> | undefined;
  #isStopped = false;

  /** @param origin names this process, which need not hear itself */
  constructor(origin: string, carrier: BusDriver, log: Logger) {
    this.#origin = origin;
    this.#carrier = carrier;
    this.#log = log;
  }

  start(): Promise<void> {
    return this.#carrier.start(
      (text) => this.#receive(text),
      () => {
        for (const listener of this.#returnHearers) listener();
      },
    );
  }

  /** What has been told before still goes out, if the carrier takes it. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, STOP_TIMEOUT_MS);
    });
    await Promise.race([this.#sending, timeout]);
    clearTimeout(timer);
    await this.#carrier.stop();
  }

  /** Hears what other processes tell on a topic. */
  on(topic: string, listener: (data: unknown) => void): void {
    addTo(this.#listeners, topic, listener);
  }

  /** Calls back when this process hears again after a while in which it may have missed something. */
  onReturn(listener: () => void): void {
    this.#returnHearers.add(listener);
  }

  /** Tells the other processes, if they can be reached. */
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
        await this.#carrier.send(text).catch((error) => {
          this.#log.warn({ err: error }, 'other processes could not be told');
        });
      }
    }
    // In one breath with the last look at what waits: what is told from here on is sent anew.
    this.#sending = undefined;
  }

  /** As few texts as the carrier's size allows: `["origin",["topic",data],…]`. */
  #pack(messages: string[]): string[] {
    const head = JSON.stringify(this.#origin);
    const texts: string[] = [];
    let parts = [head];
    let bytes = head.length + 2;
    for (const message of messages) {
      const size = Buffer.byteLength(message) + 1;
      if (parts.length > 1 && bytes + size > this.#carrier.maxBytes) {
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
      for (const [topic, data] of messages) {
        for (const listener of this.#listeners.get(topic) ?? []) listener(data);
      }
    } catch (error) {
      // Of another version of the service, or from somebody else who uses the channel.
      this.#log.warn({ err: error }, 'what another process told could not be understood');
    }
  }
}

import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { storeName } from '../db/store-name.ts';
import { MINUTE, SECOND } from '../lib/time.ts';
import type { BusDriver } from './bus.ts';

const COMMAND_TIMEOUT_MS = SECOND;

/** Sends messages by Redis publish/subscribe. While Redis is unavailable, processes find new events by polling. */
export class RedisBus implements BusDriver {
  readonly maxBytes = 64 * 1024;
  readonly #publisher: Redis;
  readonly #subscriber: Redis;
  readonly #log: Logger;
  #channel = '';
  #reportedAt = 0;

  constructor(url: string, log: Logger) {
    this.#log = log;
    const options = { lazyConnect: true, connectTimeout: 5 * SECOND };
    this.#publisher = new Redis(url, {
      ...options,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: COMMAND_TIMEOUT_MS,
    });
    this.#subscriber = new Redis(url, options);
    for (const redis of [this.#publisher, this.#subscriber]) redis.on('error', (error) => this.#report(error));
  }

  async start(onText: (text: string) => void, onReturn: () => void): Promise<void> {
    this.#channel = await storeName();
    this.#subscriber.on('message', (_channel, text) => onText(text));
    this.#subscriber.on('ready', () => {
      // The client restores lost subscriptions itself; messages in between are lost.
      this.#subscriber.subscribe(this.#channel).then(onReturn, (error) => this.#report(error));
    });
    // The service starts without Redis; the clients continue to reconnect.
    const connected = Promise.allSettled([this.#publisher.connect(), this.#subscriber.connect()]);
    await Promise.race([connected, new Promise((resolve) => setTimeout(resolve, COMMAND_TIMEOUT_MS))]);
  }

  async send(text: string): Promise<void> {
    if (this.#publisher.status === 'ready') await this.#publisher.publish(this.#channel, text);
  }

  async stop(): Promise<void> {
    this.#publisher.disconnect();
    this.#subscriber.disconnect();
  }

  /** Logs once a minute, because the client retries continuously. */
  #report(error: Error): void {
    if (Date.now() - this.#reportedAt < MINUTE) return;
    this.#reportedAt = Date.now();
    this.#log.warn(
      { err: error },
      'Redis is unavailable; live events reach other processes up to a second late; check REDIS_URL',
    );
  }
}

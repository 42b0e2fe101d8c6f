import { storeRequests } from '../administration/request-log/store.ts';
import type { Services } from '../context.ts';
import { SECOND } from '../lib/time.ts';
import { detached } from '../platform/observability/tracing.ts';

const INTERVAL_MS = SECOND;

/** Stores the failed and slow requests of this process once per second, in one statement. */
export class RequestStorage {
  readonly #services: Pick<Services, 'requestLog' | 'requestFeed' | 'log'>;
  #timer: NodeJS.Timeout | undefined;
  #storing: Promise<void> | undefined;
  #isFailing = false;

  constructor(services: Pick<Services, 'requestLog' | 'requestFeed' | 'log'>) {
    this.#services = services;
  }

  start(): void {
    this.#timer = setInterval(() => void detached(() => this.#store()), INTERVAL_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#storing;
    await this.#store();
  }

  #store(): Promise<void> {
    this.#storing ??= this.#storeBatch().finally(() => {
      this.#storing = undefined;
    });
    return this.#storing;
  }

  async #storeBatch(): Promise<void> {
    const { requestLog, requestFeed, log } = this.#services;
    const batch = requestLog.take();
    if (batch.requests.length === 0 && batch.skipped.length === 0) return;
    try {
      if ((await storeRequests(batch)) > 0) requestFeed.stored();
      this.#isFailing = false;
    } catch (error) {
      requestLog.putBack(batch);
      if (!this.#isFailing) log.warn({ err: error }, 'the request log could not be stored; retrying every second');
      this.#isFailing = true;
    }
  }
}

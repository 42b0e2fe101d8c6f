import { storeFigures } from '../administration/request-log/figures.ts';
import { storeRequests } from '../administration/request-log/store.ts';
import type { Services } from '../context.ts';
import { byShard } from '../db/shards.ts';
import { SECOND } from '../lib/time.ts';
import type { RequestBatch } from '../platform/observability/request-log.ts';
import { detached } from '../platform/observability/tracing.ts';

const INTERVAL_MS = SECOND;
const FIGURES_INTERVAL_MS = 10 * SECOND;

type Logged = RequestBatch['requests'][number] | RequestBatch['skipped'][number];

const isRequest = (item: Logged): item is RequestBatch['requests'][number] => 'requestId' in item;
const isSkipped = (item: Logged): item is RequestBatch['skipped'][number] => !isRequest(item);

/** Stores the failed and slow requests of this process once per second, in one statement, and the counts of all. */
export class RequestStorage {
  readonly #services: Pick<Services, 'requestLog' | 'requestFeed' | 'log'>;
  #timers: NodeJS.Timeout[] = [];
  #storing: Promise<void> | undefined;
  #isFailing = false;

  constructor(services: Pick<Services, 'requestLog' | 'requestFeed' | 'log'>) {
    this.#services = services;
  }

  start(): void {
    this.#timers = [
      setInterval(() => void detached(() => this.#store()), INTERVAL_MS).unref(),
      setInterval(() => void detached(() => this.#storeFigures()), FIGURES_INTERVAL_MS).unref(),
    ];
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await this.#storing;
    await this.#store();
    await this.#storeFigures();
  }

  async #storeFigures(): Promise<void> {
    const { figures } = this.#services.requestLog;
    await byShard(figures.take(), (counts) => storeFigures(counts).catch(() => figures.putBack(counts)));
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
    const outcomes = await byShard<Logged, boolean>([...batch.requests, ...batch.skipped], async (items) => {
      const part = { requests: items.filter(isRequest), skipped: items.filter(isSkipped) };
      try {
        if ((await storeRequests(part)) > 0) requestFeed.stored();
        return true;
      } catch (error) {
        requestLog.putBack(part);
        if (!this.#isFailing) log.warn({ err: error }, 'the request log could not be stored; retrying every second');
        return false;
      }
    });
    this.#isFailing = outcomes.includes(false);
  }
}

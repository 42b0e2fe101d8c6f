import type { Logger } from 'pino';
import { query } from '../db/query.ts';
import { fromReachable } from '../db/shards.ts';
import { SECOND } from '../lib/time.ts';
import { detached } from '../platform/observability/tracing.ts';
import type { Bus } from './bus.ts';
import { RowQueue, type RowSource } from './row-queue.ts';

const TOPIC = 'requestLog';
/** Because signals can be lost. */
const POLL_INTERVAL_MS = SECOND;

interface AnyQueue {
  reach: (end: bigint) => void;
  return: () => Promise<unknown>;
}

/** Delivers rows of the request log that any process has stored. Reads only while there are followers. */
export class RequestFeed {
  readonly #bus: Bus;
  readonly #log: Logger;
  readonly #queues = new Map<AnyQueue, number>();
  #timer: NodeJS.Timeout | undefined;
  #isReading = false;
  #isWanted = false;

  constructor(bus: Bus, log: Logger) {
    this.#bus = bus;
    this.#log = log;
    bus.on(TOPIC, () => this.#look());
  }

  /** Called after this process has stored rows. */
  stored(): void {
    this.#look();
    this.#bus.publish(TOPIC);
  }

  /** @param since undefined: only rows that are stored from now on */
  async follow<Row extends { id: bigint }>(
    applicationId: number,
    since: bigint | undefined,
    read: RowSource<Row>['read'],
  ): Promise<RowQueue<Row>> {
    const after = since ?? (await lastRequestId(applicationId));
    const queue: RowQueue<Row> = new RowQueue<Row>({ read, leave: () => this.#leave(queue) }, after);
    this.#queues.set(queue, applicationId);
    this.#timer ??= setInterval(() => this.#look(), POLL_INTERVAL_MS).unref();
    this.#look();
    return queue;
  }

  get followerCount(): number {
    return this.#queues.size;
  }

  endSubscriptions(): void {
    for (const queue of [...this.#queues.keys()]) void queue.return();
  }

  #leave(queue: AnyQueue): void {
    this.#queues.delete(queue);
    if (this.#queues.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    this.#isWanted = true;
    if (this.#isReading || this.#queues.size === 0) return;
    this.#isReading = true;
    void detached(() => this.#read()).finally(() => {
      this.#isReading = false;
    });
  }

  async #read(): Promise<void> {
    try {
      while (this.#isWanted && this.#queues.size > 0) {
        this.#isWanted = false;
        const ends = await lastIds([...new Set(this.#queues.values())]);
        for (const [queue, applicationId] of this.#queues) queue.reach(ends.get(applicationId) ?? 0n);
      }
    } catch (error) {
      this.#log.warn({ err: error }, 'the request log could not be read; live rows are delayed, retrying in a second');
    }
  }
}

/** Ids become visible in their order. @returns 0 if none was ever stored */
export async function lastRequestId(applicationId: number): Promise<bigint> {
  return (await lastIds([applicationId])).get(applicationId) ?? 0n;
}

async function lastIds(applicationIds: number[]): Promise<Map<number, bigint>> {
  const rows = await fromReachable(
    () => query<{ applicationId: number; lastId: bigint }>`
      SELECT e.application_id AS "applicationId", e.last_id AS "lastId" FROM request_log_ends e
      WHERE e.application_id = ANY(${applicationIds}::int[])`,
    () => true,
  );
  return new Map(rows.map(({ applicationId, lastId }) => [applicationId, lastId]));
}

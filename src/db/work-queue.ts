import type { ClientConfig } from 'pg';
import PgBoss from 'pg-boss';
import type { Logger } from 'pino';
import type { Transaction } from './client.ts';
import { BACKGROUND, transact } from './transact.ts';

/** Work that any process may do, stored by pg-boss in a schema of its own (`pgboss`). */
export interface Job<Data extends object = object> {
  id: string;
  data: Data;
}

export interface QueueSettings {
  /** A job whose process has not said within this time that it is done is given to another. */
  expireInSeconds: number;
}

/** Connections for taking work and handing it back. */
const CONNECTIONS = 2;

/** What is done is kept for a while by pg-boss itself, of no use to us. */
const KEEP_DONE_SECONDS = 60;

/** Held by the process that makes queues. */
const START_LOCK = 7_270_103;

/** Jobs that fail for whatever reason are tried again until they do not. */
const RETRIES = 1_000_000;
const RETRY_SECONDS = 1;

/**
 * A queue of work on PostgreSQL. A job is stored in the transaction of what it is about, is given to one process at a
 * time, and comes back when that process is gone. Its own timers stay off: who takes work, and when, is for its users.
 */
export class WorkQueue {
  readonly #boss: PgBoss;
  readonly #queues: Record<string, QueueSettings>;

  constructor(database: ClientConfig, queues: Record<string, QueueSettings>, log: Logger) {
    this.#boss = new PgBoss({
      ...(database as PgBoss.DatabaseOptions),
      max: CONNECTIONS,
      supervise: false,
      schedule: false,
      archiveCompletedAfterSeconds: KEEP_DONE_SECONDS,
      deleteAfterSeconds: KEEP_DONE_SECONDS,
    });
    this.#queues = queues;
    this.#boss.on('error', (error) => log.warn({ err: error }, 'the work queue has lost a connection'));
  }

  /**
   * Makes or updates its schema. Any number of processes may start at once: one after the other, since two that make
   * queues would wait for each other in a circle.
   */
  async start(): Promise<void> {
    await transact(BACKGROUND, async (transaction) => {
      await transaction.$executeRaw`SELECT pg_advisory_xact_lock(${START_LOCK})`;
      await this.#makeQueues();
    });
  }

  async #makeQueues(): Promise<void> {
    await this.#boss.start();
    for (const [name, { expireInSeconds }] of Object.entries(this.#queues)) {
      const options = { name, expireInSeconds, retryLimit: RETRIES, retryDelay: RETRY_SECONDS };
      await this.#boss.createQueue(name, options);
      await this.#boss.updateQueue(name, options);
    }
  }

  async stop(): Promise<void> {
    await this.#boss.stop({ graceful: false, wait: true });
  }

  /** Takes up to so many jobs; whoever has them says `done` or `failed` before they expire. */
  async take<Data extends object>(name: string, most: number): Promise<Job<Data>[]> {
    return (await this.#boss.fetch<Data>(name, { batchSize: most, priority: false })) ?? [];
  }

  async done(name: string, id: string): Promise<void> {
    await this.#boss.complete(name, id);
  }

  /** The job is given to somebody again, after a moment. */
  async failed(name: string, id: string): Promise<void> {
    await this.#boss.fail(name, id);
  }

  /** Gives out again what was taken by processes that are gone, and forgets what is done. */
  async maintain(): Promise<void> {
    await this.#boss.maintain();
  }

  /** Jobs that are there once the transaction commits. */
  async add(transaction: Transaction, name: string, jobs: object[]): Promise<void> {
    if (jobs.length === 0) return;
    const db = {
      executeSql: async (text: string, values: unknown[]) => ({
        rows: await transaction.$queryRawUnsafe<unknown[]>(text, ...values),
      }),
    };
    await this.#boss.insert(
      jobs.map((data) => ({ name, data })),
      { db },
    );
  }
}

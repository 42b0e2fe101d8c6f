import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { SECOND } from '../lib/time.ts';
import { createPool } from './pool.ts';

/** How long a connection, and each question, may take. */
const QUERY_TIMEOUT_MS = SECOND;
const CONNECTIONS = 2;

/**
 * Asks the database over connections of its own how it is, so that neither a full pool nor a database that hangs makes
 * anybody wait for the answer for more than two seconds.
 */
export class DatabaseProbe {
  readonly #pool: pg.Pool;
  #pending: Promise<boolean> | undefined;

  constructor(database: pg.PoolConfig) {
    this.#pool = createPool({
      ...database,
      max: CONNECTIONS,
      connectionTimeoutMillis: QUERY_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
      statement_timeout: QUERY_TIMEOUT_MS,
    });
  }

  /** Whether it answers. However many ask at once, it is asked once. */
  isThere(): Promise<boolean> {
    this.#pending ??= this.query('SELECT 1 AS one')
      .then((rows) => rows !== undefined)
      .finally(() => {
        this.#pending = undefined;
      });
    return this.#pending;
  }

  /** Rows of a short question; undefined when the database does not answer in time. */
  async query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[] | undefined> {
    try {
      return (await this.#pool.query<Row>(text, values)).rows;
    } catch {
      return undefined;
    }
  }

  async stop(): Promise<void> {
    // A database that hangs says no farewell.
    await Promise.race([this.#pool.end(), delay(QUERY_TIMEOUT_MS, undefined, { ref: false })]);
  }
}

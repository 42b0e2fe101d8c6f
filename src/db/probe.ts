import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import { SECOND } from '../lib/time.ts';
import type { DatabaseState } from '../platform/observability/health.ts';
import { createPool } from './pool.ts';

const QUERY_TIMEOUT_MS = SECOND;
const CONNECTIONS = 2;

const NEWS: Record<DatabaseState, string> = {
  writable: 'the database accepts writes again',
  'read-only': 'the database is read-only; writes are refused until it accepts them again',
  unavailable: 'the database does not respond',
};

/** Separate connections, so that neither a full pool nor a hung database delays the result by over two seconds. */
export class DatabaseProbe {
  readonly #pool: pg.Pool;
  readonly #log: Logger;
  #pending: Promise<DatabaseState> | undefined;
  #state: DatabaseState = 'writable';

  constructor(database: pg.PoolConfig, log: Logger) {
    this.#log = log;
    this.#pool = createPool({
      ...database,
      max: CONNECTIONS,
      connectionTimeoutMillis: QUERY_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
      statement_timeout: QUERY_TIMEOUT_MS,
    });
  }

  state(): Promise<DatabaseState> {
    this.#pending ??= this.query<{ transaction_read_only: string }>('SHOW transaction_read_only')
      .then((rows): DatabaseState => {
        if (!rows) return 'unavailable';
        return rows[0]!.transaction_read_only === 'on' ? 'read-only' : 'writable';
      })
      .then((state) => {
        if (state !== this.#state) this.#log[state === 'writable' ? 'info' : 'warn'](NEWS[state]);
        this.#state = state;
        return state;
      })
      .finally(() => {
        this.#pending = undefined;
      });
    return this.#pending;
  }

  /** Undefined if the database does not respond in time. */
  async query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[] | undefined> {
    try {
      return (await this.#pool.query<Row>(text, values)).rows;
    } catch {
      return undefined;
    }
  }

  async stop(): Promise<void> {
    // A hung database never confirms the end of a connection.
    await Promise.race([this.#pool.end(), delay(QUERY_TIMEOUT_MS, undefined, { ref: false })]);
  }
}

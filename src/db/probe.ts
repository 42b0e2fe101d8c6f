import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import { SECOND } from '../lib/time.ts';
import type { DatabaseState } from '../platform/observability/health.ts';
import { createPool } from './pool.ts';
import { setReachable } from './shards.ts';

const QUERY_TIMEOUT_MS = SECOND;
const CONNECTIONS = 2;
const PROBE_INTERVAL_MS = SECOND / 2;
const ADMISSION_INTERVAL_MS = 10 * SECOND;

const NEWS: Record<DatabaseState, (name: string) => string> = {
  writable: (name) => `${name} accepts writes again`,
  'read-only': (name) => `${name} is read-only; writes are refused until it accepts them again`,
  unavailable: (name) => `${name} does not respond`,
};

/** The best comes first. */
const STATES: readonly DatabaseState[] = ['writable', 'read-only', 'unavailable'];

/** Separate connections, so that neither a full pool nor a hung database delays the result by over two seconds. */
export class DatabaseProbe {
  readonly #pool: pg.Pool;
  readonly #log: Logger;
  readonly #name: string;
  #pending: Promise<DatabaseState> | undefined;
  #state: DatabaseState = 'writable';

  constructor(database: pg.PoolConfig, log: Logger, name = 'the database') {
    this.#log = log;
    this.#name = name;
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
        if (state !== this.#state) this.#log[state === 'writable' ? 'info' : 'warn'](NEWS[state](this.#name));
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

/** Probes of all databases. With several of them, one that does not respond is excluded until it does again. */
export class DatabaseProbes {
  readonly all: readonly DatabaseProbe[];
  readonly #log: Logger;
  /** Did not respond at the start. */
  readonly #away: Set<number>;
  readonly #admit: (number: number) => Promise<void>;
  readonly #admitting = new Set<number>();
  #timer: NodeJS.Timeout | undefined;

  /** @param admit makes a database ready that was away at the start; tried again while it fails */
  constructor(
    databases: readonly pg.PoolConfig[],
    log: Logger,
    { away = [], admit = async () => {} }: { away?: readonly number[]; admit?: (number: number) => Promise<void> } = {},
  ) {
    this.#log = log;
    this.#away = new Set(away);
    this.#admit = admit;
    const name = (number: number) => (databases.length === 1 ? undefined : `database ${number}`);
    this.all = databases.map((database, number) => new DatabaseProbe(database, log, name(number)));
  }

  start(): void {
    if (this.all.length > 1) this.#timer = setInterval(() => void this.state(), PROBE_INTERVAL_MS).unref();
  }

  /** That of the best database, because its applications can be served. */
  async state(): Promise<DatabaseState> {
    const states = await Promise.all(
      this.all.map(async (probe, number) => {
        const state = await probe.state();
        if (this.#away.has(number)) {
          if (state !== 'unavailable') void this.#admitOnce(number);
          return 'unavailable';
        }
        if (this.all.length > 1) setReachable(number, state !== 'unavailable');
        return state;
      }),
    );
    return STATES.find((state) => states.includes(state))!;
  }

  async #admitOnce(number: number): Promise<void> {
    if (this.#admitting.has(number)) return;
    this.#admitting.add(number);
    try {
      await this.#admit(number);
      this.#away.delete(number);
    } catch (error) {
      this.#log.error({ err: error }, `database ${number} responds, but cannot be used; retrying`);
      await delay(ADMISSION_INTERVAL_MS, undefined, { ref: false });
    } finally {
      this.#admitting.delete(number);
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.all.map((probe) => probe.stop()));
  }
}

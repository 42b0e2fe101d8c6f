import type pg from 'pg';
import type { Logger } from 'pino';
import { DatabaseConnection } from '../db/connection.ts';
import { query } from '../db/query.ts';
import type { BusDriver } from './bus.ts';

const CHANNEL = 'atrium';
const RECONNECT_AFTER = 500;

/**
 * Sends messages by LISTEN and NOTIFY. Each NOTIFY has its own transaction, because inside other transactions it would
 * serialize their commits.
 */
export class PostgresBus implements BusDriver {
  readonly maxBytes = 7_900;
  readonly #database: pg.ClientConfig;
  readonly #log: Logger;
  #onText: (text: string) => void = () => {};
  #onReturn: () => void = () => {};
  #client: pg.Client | undefined;
  #again: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(database: pg.ClientConfig, log: Logger) {
    this.#database = database;
    this.#log = log;
  }

  async start(onText: (text: string) => void, onReturn: () => void): Promise<void> {
    this.#onText = onText;
    this.#onReturn = onReturn;
    try {
      await this.#listen();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  async send(text: string): Promise<void> {
    await query`SELECT pg_notify(${CHANNEL}, ${text})`;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#again);
    await this.#client?.end().catch(() => {});
  }

  async #listen(): Promise<void> {
    const client = new DatabaseConnection({ keepAlive: true, ...this.#database });
    client.on('notification', ({ payload }) => this.#onText(payload!));
    client.on('end', () => this.#listenAgain(client));
    this.#client = client;
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
    } catch (error) {
      // If it remained open, messages could arrive twice.
      void client.end().catch(() => {});
      throw error;
    }
  }

  #listenAgain(lost: pg.Client | undefined): void {
    if (this.#isStopped || lost !== this.#client) return;
    this.#again ??= setTimeout(() => {
      this.#again = undefined;
      this.#listen().then(this.#onReturn, (error) => {
        this.#log.warn({ err: error }, 'LISTEN connection cannot be restored; live events may be late, retrying');
        this.#listenAgain(this.#client);
      });
    }, RECONNECT_AFTER).unref();
  }
}

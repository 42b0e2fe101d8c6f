import type { EventEmitter } from 'node:events';
import pg from 'pg';
import { type DatabaseServers, databaseServers } from '../lib/database-urls.ts';
import { SECOND } from '../lib/time.ts';
import { followTimeline } from './timeline.ts';

/** By then a server has answered, or does not fit. */
const ANSWER_TIMEOUT_MS = SECOND;

/** SQLSTATE of a client that cannot connect. */
export const UNABLE_TO_CONNECT = '08001';

/**
 * Connects to one of the servers of a URL; `pg` itself knows URLs of one server. An error while no query runs would end
 * the process without a listener; the next query rejects anyway.
 */
export class DatabaseConnection extends pg.Client {
  readonly #config: pg.ClientConfig;
  readonly #servers: DatabaseServers | undefined;

  constructor(config: pg.ClientConfig) {
    const servers = serversOf(config);
    super(servers ? { ...config, connectionString: servers.urls[0]! } : config);
    this.#config = config;
    this.#servers = servers;
    this.on('error', () => {});
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: ((error: Error) => void) | ((error: null, client: pg.Client) => void)): void;
  override connect(callback?: (error: never, client: never) => void): Promise<pg.Client> | undefined {
    const connected = this.#connect();
    if (!callback) return connected;
    const done = callback as (error: Error | null, client?: pg.Client) => void;
    connected.then(() => done(null, this), done);
    return undefined;
  }

  /** Rejects the statements in flight. */
  break(): void {
    const { connection } = this as unknown as { connection: { stream: { destroy: () => void } } };
    connection.stream.destroy();
  }

  async #connect(): Promise<pg.Client> {
    if (this.#servers) {
      const { host, port } = new pg.Client({ connectionString: await findServer(this.#servers, this.#config) });
      Object.assign(this, { host, port });
    }
    await super.connect();
    try {
      const { isStandby } = await followTimeline(this, databaseOf(this.#config));
      if (isStandby) await this.#onlyRead();
    } catch (error) {
      void this.end().catch(() => {});
      throw error;
    }
    return this;
  }

  /**
   * A promotion does not end the connections of a standby, and these must not write before the timeline is followed.
   * The first query after it ends the connection, so that the pool makes a new one.
   */
  async #onlyRead(): Promise<void> {
    const { rows } = await this.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    // A pooler would give the settings to others.
    const { connection, processID } = this as unknown as { connection: EventEmitter; processID: number };
    if (rows[0]!.pid !== processID) return;
    await this.query('SET default_transaction_read_only = on');
    connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
      if (parameterName === 'in_hot_standby' && parameterValue === 'off') this.once('drain', () => this.#retire());
    });
  }

  /** The pool removes an idle connection that fails, and one in use that has ended. */
  #retire(): void {
    this.emit('error', new Error('the standby was promoted'));
    void this.end().catch(() => {});
  }
}

export async function connectTo(config: pg.ClientConfig): Promise<pg.Client> {
  const client = new DatabaseConnection(config);
  await client.connect();
  return client;
}

function databaseOf({ connectionString, host, port, database }: pg.ClientConfig): string {
  return connectionString ?? [host, port, database].join();
}

/** Undefined if there is nothing to choose. */
function serversOf({ connectionString }: pg.ClientConfig): DatabaseServers | undefined {
  const servers = connectionString === undefined ? undefined : databaseServers(connectionString);
  return servers && (servers.needsPrimary || servers.urls.length > 1) ? servers : undefined;
}

const searches = new Map<string, Promise<string>>();

/** Connections that begin at the same time share a search. */
function findServer(servers: DatabaseServers, config: pg.ClientConfig): Promise<string> {
  const key = config.connectionString!;
  const search = searches.get(key) ?? firstThatFits(servers, config).finally(() => searches.delete(key));
  searches.set(key, search);
  return search;
}

/** Asks all servers at once, because one that hangs must not delay the others. @throws no server fits */
async function firstThatFits({ urls, needsPrimary }: DatabaseServers, config: pg.ClientConfig): Promise<string> {
  try {
    return await Promise.any(urls.map((url) => requireFit(url, needsPrimary, config)));
  } catch (error) {
    const problems = (error as AggregateError).errors.map(({ message }) => message).join(', ');
    const wanted = needsPrimary ? 'accepts writes' : 'can be reached';
    throw Object.assign(new Error(`no PostgreSQL server ${wanted}: ${problems}`), { code: UNABLE_TO_CONNECT });
  }
}

async function requireFit(url: string, needsPrimary: boolean, config: pg.ClientConfig): Promise<string> {
  const { host } = new URL(url);
  const client = new pg.Client({
    ...config,
    connectionString: url,
    connectionTimeoutMillis: ANSWER_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
  });
  client.on('error', () => {});
  const asked = client.connect().then(() => client.query('SHOW transaction_read_only'));
  const { rows } = await asked
    .catch((error) => {
      throw new Error(`${host} cannot be reached (${error.message})`);
    })
    .finally(() => void client.end().catch(() => {}));
  if (needsPrimary && rows[0].transaction_read_only === 'on') throw new Error(`${host} is read-only`);
  return url;
}

import type {
  IsolationLevel,
  SqlDriverAdapter,
  SqlDriverAdapterFactory,
  SqlQuery,
  SqlResultSet,
  Transaction,
} from '@prisma/driver-adapter-utils';
import { applicationsOf } from './application-keys.ts';
import { isOfService, type Shard, shardsOf } from './shards.ts';

/** Sends each statement of Prisma to the server of its application. */
export function shardedAdapter(factories: readonly SqlDriverAdapterFactory[]): SqlDriverAdapterFactory {
  const [{ provider, adapterName }] = factories as [SqlDriverAdapterFactory];
  const connect = async () => new ShardedDriver(await Promise.all(factories.map((factory) => factory.connect())));
  return { provider, adapterName, connect };
}

class ShardedDriver implements SqlDriverAdapter {
  readonly provider: SqlDriverAdapter['provider'];
  readonly adapterName: string;
  readonly #drivers: readonly SqlDriverAdapter[];

  constructor(drivers: readonly SqlDriverAdapter[]) {
    this.#drivers = drivers;
    this.provider = drivers[0]!.provider;
    this.adapterName = drivers[0]!.adapterName;
  }

  async queryRaw(query: SqlQuery): Promise<SqlResultSet> {
    const shards = await shardsOf(query.sql, query.args);
    const [first, ...others] = await Promise.all(shards.map((shard) => this.#driver(shard).queryRaw(query)));
    return { ...first!, rows: [first!, ...others].flatMap(({ rows }) => rows) };
  }

  async executeRaw(query: SqlQuery): Promise<number> {
    const [shard] = await shardsOf(query.sql, query.args);
    return this.#driver(shard).executeRaw(query);
  }

  executeScript(): Promise<void> {
    throw new Error('scripts belong to no application');
  }

  async startTransaction(isolation?: IsolationLevel): Promise<Transaction> {
    const begin = (shard: Shard) => this.#driver(shard).startTransaction(isolation);
    return new ShardedTransaction(this, begin);
  }

  getConnectionInfo() {
    return this.#drivers[0]!.getConnectionInfo!();
  }

  async dispose(): Promise<void> {
    await Promise.all(this.#drivers.map((driver) => driver.dispose()));
  }

  #driver({ number }: Shard): SqlDriverAdapter {
    return this.#drivers[number]!;
  }
}

const SETTING = /^\s*SELECT (set_config|pg_advisory_xact_lock)\(/;
const END = /^(COMMIT|ROLLBACK)$/;

/** Begins on the server of its first statement; settings and locks before it are sent when it is known. */
class ShardedTransaction implements Transaction {
  readonly provider: Transaction['provider'];
  readonly adapterName: string;
  readonly options = { usePhantomQuery: false };
  readonly #begin: (shard: Shard) => Promise<Transaction>;
  readonly #settings: SqlQuery[] = [];
  #shard: Shard | undefined;
  #transaction: Promise<Transaction> | undefined;

  constructor({ provider, adapterName }: SqlDriverAdapter, begin: (shard: Shard) => Promise<Transaction>) {
    this.provider = provider;
    this.adapterName = adapterName;
    this.#begin = begin;
  }

  async queryRaw(query: SqlQuery): Promise<SqlResultSet> {
    return (await this.#open(query)).queryRaw(query);
  }

  async executeRaw(query: SqlQuery): Promise<number> {
    if (!this.#transaction && END.test(query.sql)) return 0;
    if (!this.#transaction && SETTING.test(query.sql)) {
      this.#settings.push(query);
      return 1;
    }
    return (await this.#open(query)).executeRaw(query);
  }

  async commit(): Promise<void> {
    await (await this.#transaction)?.commit();
  }

  async rollback(): Promise<void> {
    await (await this.#transaction)?.rollback();
  }

  async #open({ sql, args }: SqlQuery): Promise<Transaction> {
    if (this.#transaction && !END.test(sql)) await this.#requireSame(sql, args);
    this.#transaction ??= this.#start((await shardsOf(sql, args))[0]);
    return this.#transaction;
  }

  async #requireSame(sql: string, args: readonly unknown[]): Promise<void> {
    const isNamed = isOfService(sql) || applicationsOf(sql, args).length > 0;
    const shards = isNamed ? await shardsOf(sql, args) : [];
    if (shards.some(({ number }) => number !== this.#shard!.number))
      throw new Error(`a transaction spans servers: ${sql}`);
  }

  async #start(shard: Shard): Promise<Transaction> {
    this.#shard = shard;
    const transaction = await this.#begin(shard);
    for (const setting of this.#settings) await transaction.executeRaw(setting);
    return transaction;
  }
}

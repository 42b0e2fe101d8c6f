import { randomUUID } from 'node:crypto';
import type { ClientConfig } from 'pg';
import type { Logger } from 'pino';
import { Bus } from './bus.ts';
import { PostgresBus } from './postgres-bus.ts';
import { RedisBus } from './redis-bus.ts';

/** What the bus of a process runs on. */
interface BusSettings {
  /** Undefined: it goes through the database. */
  redisUrl: string | undefined;
  database: ClientConfig;
  log: Logger;
}

/** The bus of this process; whoever starts it stops it. */
export function createBus({ redisUrl, database, log }: BusSettings): Bus {
  const carrier = redisUrl ? new RedisBus(redisUrl, log) : new PostgresBus(database, log);
  return new Bus(randomUUID(), carrier, log);
}

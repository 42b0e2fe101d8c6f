import { randomUUID } from 'node:crypto';
import type { ClientConfig } from 'pg';
import type { Logger } from 'pino';
import { Bus } from './bus.ts';
import { PostgresBus } from './postgres-bus.ts';
import { RedisBus } from './redis-bus.ts';

interface BusSettings {
  /** Undefined to use the database. */
  redisUrl: string | undefined;
  database: ClientConfig;
  log: Logger;
}

export function createBus({ redisUrl, database, log }: BusSettings): Bus {
  const driver = redisUrl ? new RedisBus(redisUrl, log) : new PostgresBus(database, log);
  return new Bus(randomUUID(), driver, log);
}

import { randomUUID } from 'node:crypto';
import type { ClientConfig } from 'pg';
import type { Logger } from 'pino';
import { Bus } from './bus.ts';
import { PostgresBus } from './postgres-bus.ts';

interface BusSettings {
  /** Undefined to use the database. */
  redisUrl: string | undefined;
  database: ClientConfig;
  log: Logger;
}

/** Imports the Redis client on demand. */
export async function createBus({ redisUrl, database, log }: BusSettings): Promise<Bus> {
  if (!redisUrl) return new Bus(randomUUID(), new PostgresBus(database, log), log);
  const { RedisBus } = await import('./redis-bus.ts');
  return new Bus(randomUUID(), new RedisBus(redisUrl, log), log);
}

import type pg from 'pg';
import type { Logger } from 'pino';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRedis,
} from 'rate-limiter-flexible';
import { MINUTE, SECOND } from '../../lib/time.ts';
import type { Limit, LimitName } from './definitions.ts';

export interface Counters {
  create: (name: LimitName, limit: Limit) => RateLimiterAbstract;
  /** Each request to the store is then a round trip. */
  isShared: boolean;
  stop: () => Promise<void>;
}

/** Without a response from a shared store within this time, the process counts in memory. */
const COMMAND_TIMEOUT_MS = SECOND;

const options = (name: LimitName, { quota, windowSeconds }: Limit) => ({
  keyPrefix: name,
  points: quota,
  duration: windowSeconds,
});

export function memoryCounters(): Counters {
  return {
    create: (name, limit) => new RateLimiterMemory(options(name, limit)),
    isShared: false,
    stop: async () => {},
  };
}

/** Separate connections, so that queued queries cannot delay a refusal. */
export function postgresCounters(connect: (settings: pg.PoolConfig) => pg.Pool, log: Logger): Counters {
  const pool = connect({
    max: 2,
    query_timeout: COMMAND_TIMEOUT_MS,
    connectionTimeoutMillis: COMMAND_TIMEOUT_MS,
  });
  pool.on('error', (error) =>
    log.warn(
      { err: error },
      'rate limits lost a database connection; counting in this process until PostgreSQL responds',
    ),
  );
  return {
    create: (name, limit) =>
      new RateLimiterPostgres({
        ...options(name, limit),
        storeClient: pool,
        storeType: 'pool',
        tableName: 'rate_limits',
        tableCreated: true,
        clearExpiredByTimeout: false, // src/jobs/sweep.ts does it
        insuranceLimiter: new RateLimiterMemory(options(name, limit)),
      }),
    isShared: true,
    stop: () => pool.end(),
  };
}

/** @param storeName prefix of the keys, because several services may share one Redis */
export async function redisCounters(url: string, storeName: string, log: Logger): Promise<Counters> {
  const { Redis } = await import('ioredis');
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_TIMEOUT_MS,
    connectTimeout: 5 * SECOND,
  });
  let reportedAt = 0;
  redis.on('error', (error) => {
    if (Date.now() - reportedAt < MINUTE) return;
    reportedAt = Date.now();
    log.warn({ err: error }, 'Redis is unavailable; each process counts rate limits separately; check REDIS_URL');
  });
  return {
    create: (name, limit) =>
      new RateLimiterRedis({
        ...options(name, limit),
        keyPrefix: `${storeName}:rate:${name}`,
        storeClient: redis,
        rejectIfRedisNotReady: true,
        insuranceLimiter: new RateLimiterMemory(options(name, limit)),
      }),
    isShared: true,
    stop: async () => redis.disconnect(),
  };
}

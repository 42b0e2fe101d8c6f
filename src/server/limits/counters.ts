import { Redis } from 'ioredis';
import pg from 'pg';
import type { Logger } from 'pino';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRedis,
} from 'rate-limiter-flexible';
import { MINUTE, SECOND } from '../../lib/time.ts';
import type { Limit, LimitName } from './definitions.ts';

/** Where operations are counted. */
export interface Counters {
  create: (name: LimitName, limit: Limit) => RateLimiterAbstract;
  /** Whether asking costs a round trip, since other processes count there too. */
  isShared: boolean;
  stop: () => Promise<void>;
}

/** How long a shared store may take before this process counts alone. */
const COMMAND_TIMEOUT_MS = SECOND;

const options = (name: LimitName, { quota, windowSeconds }: Limit) => ({
  keyPrefix: name,
  points: quota,
  duration: windowSeconds,
});

/** Counts in this process alone. */
export function memoryCounters(): Counters {
  return {
    create: (name, limit) => new RateLimiterMemory(options(name, limit)),
    isShared: false,
    stop: async () => {},
  };
}

/** Counts in the table `rate_limits`, over connections of its own, so that no queue of queries delays a refusal. */
export function postgresCounters(database: pg.PoolConfig, log: Logger): Counters {
  const pool = new pg.Pool({
    ...database,
    max: 2,
    query_timeout: COMMAND_TIMEOUT_MS,
    connectionTimeoutMillis: COMMAND_TIMEOUT_MS,
  });
  pool.on('error', (error) => log.warn({ err: error }, 'rate limits lost a database connection'));
  return {
    create: (name, limit) =>
      new RateLimiterPostgres({
        ...options(name, limit),
        storeClient: pool,
        storeType: 'pool',
        tableName: 'rate_limits',
        tableCreated: true,
        clearExpiredByTimeout: false, // src/jobs/sweep.ts does
        insuranceLimiter: new RateLimiterMemory(options(name, limit)),
      }),
    isShared: true,
    stop: () => pool.end(),
  };
}

/** Counts in Redis; while it is away, in this process alone. */
export function redisCounters(url: string, log: Logger): Counters {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_TIMEOUT_MS,
    connectTimeout: 5 * SECOND,
  });
  let reportedAt = 0;
  redis.on('error', (error) => {
    // It tries again and again; once a minute is enough to know.
    if (Date.now() - reportedAt < MINUTE) return;
    reportedAt = Date.now();
    log.warn({ err: error }, 'Redis is away; each process counts its rate limits alone');
  });
  return {
    create: (name, limit) =>
      new RateLimiterRedis({
        ...options(name, limit),
        keyPrefix: `atrium:rate:${name}`,
        storeClient: redis,
        rejectIfRedisNotReady: true,
        insuranceLimiter: new RateLimiterMemory(options(name, limit)),
      }),
    isShared: true,
    stop: async () => redis.disconnect(),
  };
}

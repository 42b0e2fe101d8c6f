import { availableParallelism } from 'node:os';
import { RateLimitedError, ServiceUnavailableError } from '../lib/errors.ts';
import { Semaphore, type SemaphoreLimits } from '../lib/semaphore.ts';
import { snakeCase } from '../lib/snake-case.ts';
import { POOL_SIZE } from './client.ts';

/**
 * No lane alone takes these connections. Several full lanes together may; then further statements wait in the queue of the
 * pool, in the order in which they arrive.
 */
export const RESERVED_CONNECTIONS = 4;

/** Of the pool; an application has several callers. */
const SHARED = { concurrency: POOL_SIZE - RESERVED_CONNECTIONS, concurrencyPerOwner: [5, 3] };

const CORES = availableParallelism();

/** A few seconds of waiting on a small machine. Owners: the application, and each network of it. */
const HASHES = { maxWaiting: 100, maxWaitingPerOwner: [80, 50] };

interface Lane extends Omit<SemaphoreLimits, 'refuse'> {
  /** Connections of the database that a job takes itself, or the lane whose jobs it runs, at most `each` at once. */
  connections: 0 | 1 | { in: string; each?: number };
  refuse?: () => Error;
}

const UNLIMITED = Number.POSITIVE_INFINITY;

/**
 * Everything that waits in a process: how many jobs run, in total, per application and per caller, and how many wait.
 * Further jobs are refused, with 503 unless stated otherwise. Enter a lane before taking a connection.
 */
const LANES = {
  /** Transactions, and statements that lock rows. */
  transactions: { ...SHARED, maxWaiting: 10_000, maxWaitingPerOwner: [5_000, 1_000], connections: 1 },
  /** Repeated attempts to lock rows that others hold for long. */
  lockTurns: {
    concurrency: 3,
    concurrencyPerOwner: [2, 1],
    maxWaiting: 10_000,
    maxWaitingPerOwner: [5_000, 1_000],
    connections: { in: 'transactions' },
  },
  /** Tries that lock a class before they change its records. */
  classLocks: {
    concurrency: 2,
    concurrencyPerOwner: [1],
    maxWaiting: 1_000,
    maxWaitingPerOwner: [200],
    connections: { in: 'transactions', each: 2 },
  },
  /** Changes of classes, which wait for writers and may scan all records. */
  classChanges: {
    concurrency: 2,
    concurrencyPerOwner: [1],
    maxWaiting: 1_000,
    maxWaitingPerOwner: [200],
    connections: { in: 'transactions' },
  },
  /** Inputs of shared statements that failed; all were admitted before. */
  retries: { concurrency: 2, maxWaiting: UNLIMITED, connections: { in: 'transactions' } },
  /** Jobs whose cost grows with the stored data; a waiting one holds no connection. */
  longJobs: {
    concurrency: 50,
    concurrencyPerOwner: [20, 1],
    maxWaiting: 500,
    maxWaitingPerOwner: [200, 50],
    connections: { in: 'longSteps' },
  },
  /** Steps of long jobs, all of which were admitted before. */
  longSteps: { concurrency: 2, maxWaiting: UNLIMITED, connections: { in: 'transactions' } },
  /** Statements that read, and whose cost grows with the stored data. */
  searches: { ...SHARED, maxWaiting: 2_000, maxWaitingPerOwner: [500, 100], connections: 1 },
  /** Searches of subscriptions, whose pending events are bounded, so that they do not fill the queue of `searches`. */
  liveSearches: {
    concurrency: UNLIMITED,
    concurrencyPerOwner: [5, 1],
    maxWaiting: UNLIMITED,
    connections: { in: 'searches' },
  },
  /** Responses of up to 25 MB, which remain in memory until they are written. */
  largeReads: {
    concurrency: 3,
    concurrencyPerOwner: [2, 1],
    maxWaiting: 2_000,
    maxWaitingPerOwner: [500, 100],
    connections: 1,
  },
  /** Subscribers that read missed events from the outbox: up to 500 rows, or the execution of their events. */
  catchUpSteps: {
    concurrency: 3,
    concurrencyPerOwner: [2, 1],
    maxWaiting: 20_000,
    maxWaitingPerOwner: [10_000, 1_000],
    connections: 1,
  },
  /** Verified passwords, each of which takes a core and 19 MiB for tens of milliseconds. */
  signIns: { ...HASHES, concurrency: CORES, connections: 0 },
  /** Fewer and separate, because sign-ups arrive at any rate and must not delay sign-ins. */
  signUps: { ...HASHES, concurrency: Math.max(1, Math.floor(CORES / 2)), connections: 0 },
  /** Open downloads, for as long as their clients read. Owners: application, network, caller. */
  downloads: {
    concurrency: 400,
    concurrencyPerOwner: [200, 100, 50],
    maxWaiting: 2_000,
    maxWaitingPerOwner: [1_000, 500, 100],
    connections: 0,
    refuse: () => new RateLimitedError(10),
  },
  /** GraphQL schemas with typed classes; applications take turns. */
  schemaBuilds: { concurrency: 1, maxWaiting: 1_000, connections: 0 },
} satisfies Record<string, Lane>;

export type LaneName = keyof typeof LANES;

const unavailable = () => new ServiceUnavailableError();

export const lanes = Object.fromEntries(
  Object.entries(LANES).map(([name, lane]) => [name, new Semaphore({ refuse: unavailable, ...lane })]),
) as Record<LaneName, Semaphore>;

/** Jobs by lane (`long_jobs`), for metrics. */
export function laneLoads(): Record<string, Semaphore['load']> {
  return Object.fromEntries(Object.entries(lanes).map(([name, lane]) => [snakeCase(name), lane.load]));
}

/** For the test that adds the connections up. */
export const laneLimits: Readonly<Record<LaneName, Lane>> = LANES;

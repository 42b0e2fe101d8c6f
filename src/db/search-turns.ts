import { ServiceUnavailableError } from '../lib/errors.ts';
import { type JobOwner, Semaphore } from '../lib/semaphore.ts';
import { POOL_SIZE } from './client.ts';

/** Connections that searches never take, so that other statements always find one. */
const RESERVED_CONNECTIONS = 4;

/** One application leaves room for the others, and one caller for the others of the application. */
const PER_APPLICATION = 5;
const PER_CALLER = 3;

/** Then nobody waits for the answer any more, and it must not delay those that came later. */
const MAX_WAIT_MS = 30_000;

/** Rows that a list may pass over without taking a turn. */
export const MAX_CHEAP_SKIP = 1_000;

/** Statements whose cost grows with what is stored: filtered lists, counts, groups, and filters of subscriptions. */
export const searches = new Semaphore({
  concurrency: POOL_SIZE - RESERVED_CONNECTIONS,
  concurrencyPerOwner: [PER_APPLICATION, PER_CALLER],
  maxWaiting: 2_000,
  maxWaitingPerOwner: [500, 100],
  refuse: () => new ServiceUnavailableError(),
});

/**
 * Admits searches for events of subscriptions to `searches`, few at a time, so that they do not fill its queue.
 * Subscriptions are bounded, and so are the events of each, so that here none is refused.
 */
const liveSearches = new Semaphore({
  concurrency: Number.POSITIVE_INFINITY,
  concurrencyPerOwner: [PER_APPLICATION, 1],
  maxWaiting: Number.POSITIVE_INFINITY,
  refuse: () => new ServiceUnavailableError(),
});

/**
 * Reads of large records, of which one request may ask for 25 MB. What they have read is in memory until the response is
 * written, so few run at once.
 */
export const largeReads = new Semaphore({
  concurrency: 3,
  concurrencyPerOwner: [2, 1],
  maxWaiting: 2_000,
  maxWaitingPerOwner: [500, 100],
  refuse: () => new ServiceUnavailableError(),
});

/** Runs the statement of a list. */
export type RunSearch = <Result>(statement: () => Promise<Result>) => Promise<Result>;

/**
 * Runs a search when it is its owner's turn. `statement` is one statement and runs no other search, because a search
 * that waits for another could wait forever.
 * @throws {ServiceUnavailableError} too many searches wait, or this one has waited for 30 seconds
 */
export function inSearchTurn<Result>(owner: JobOwner, statement: () => Promise<Result>): Promise<Result> {
  return runSoon(searches, owner, statement);
}

/**
 * Runs the statements that read the large records of one request, one after the other.
 * @throws as `inSearchTurn`
 */
export function inLargeReadTurn<Result>(owner: JobOwner, read: () => Promise<Result>): Promise<Result> {
  return runSoon(largeReads, owner, read);
}

function runSoon<Result>(turns: Semaphore, owner: JobOwner, job: () => Promise<Result>): Promise<Result> {
  const enteredAt = performance.now();
  return turns.run(() => {
    if (performance.now() - enteredAt > MAX_WAIT_MS) throw new ServiceUnavailableError();
    return job();
  }, owner);
}

/** @param isSearch whether the cost of the list can grow with what is stored; others take no turns */
export function searchesOf(owner: JobOwner, isSearch: boolean): RunSearch {
  return isSearch ? (statement) => inSearchTurn(owner, statement) : (statement) => statement();
}

/** Runs a search for an event of a subscription when it is its owner's turn. It waits as long as it takes. */
export function inLiveSearchTurn<Result>(owner: JobOwner, statement: () => Promise<Result>): Promise<Result> {
  return liveSearches.run(() => searches.run(statement, owner, { isRefusable: false }), owner);
}

import { ServiceUnavailableError } from '../lib/errors.ts';
import { type JobOwner, Semaphore } from '../lib/semaphore.ts';
import { POOL_SIZE } from './client.ts';

/** Searches never take these connections, so that other statements always find one. */
const RESERVED_CONNECTIONS = 4;

const PER_APPLICATION = 5;
const PER_CALLER = 3;

/** By then the client has given up, and the search must not delay later ones. */
const MAX_WAIT_MS = 30_000;

export const MAX_CHEAP_SKIP = 1_000;

/** For statements whose cost grows with the stored data. */
export const searches = new Semaphore({
  concurrency: POOL_SIZE - RESERVED_CONNECTIONS,
  concurrencyPerOwner: [PER_APPLICATION, PER_CALLER],
  maxWaiting: 2_000,
  maxWaitingPerOwner: [500, 100],
  refuse: () => new ServiceUnavailableError(),
});

/** Subscriptions must not fill the queue of `searches`. Refuses none, because their pending events are bounded. */
const liveSearches = new Semaphore({
  concurrency: Number.POSITIVE_INFINITY,
  concurrencyPerOwner: [PER_APPLICATION, 1],
  maxWaiting: Number.POSITIVE_INFINITY,
  refuse: () => new ServiceUnavailableError(),
});

/** Up to 25 MB per request. Few run concurrently, because the rows remain in memory until the response is written. */
export const largeReads = new Semaphore({
  concurrency: 3,
  concurrencyPerOwner: [2, 1],
  maxWaiting: 2_000,
  maxWaitingPerOwner: [500, 100],
  refuse: () => new ServiceUnavailableError(),
});

export type RunSearch = <Result>(statement: () => Promise<Result>) => Promise<Result>;

/** `statement` must run no other search, because nested searches could deadlock. @throws {ServiceUnavailableError} */
export function inSearchTurn<Result>(owner: JobOwner, statement: () => Promise<Result>): Promise<Result> {
  return runSoon(searches, owner, statement);
}

/** One after the other. @throws {ServiceUnavailableError} */
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

/** @param isSearch other lists take no turn */
export function searchesOf(owner: JobOwner, isSearch: boolean): RunSearch {
  return isSearch ? (statement) => inSearchTurn(owner, statement) : (statement) => statement();
}

/** Without a time limit. */
export function inLiveSearchTurn<Result>(owner: JobOwner, statement: () => Promise<Result>): Promise<Result> {
  return liveSearches.run(() => searches.run(statement, owner, { isRefusable: false }), owner);
}

import { ServiceUnavailableError } from '../lib/errors.ts';
import type { FairnessPath, Semaphore } from '../lib/semaphore.ts';
import { lanes } from './lanes.ts';

/** By then the client has given up, and the search must not delay later ones. */
const MAX_WAIT_MS = 30_000;

export const MAX_CHEAP_SKIP = 1_000;

export type RunSearch = <Result>(statement: () => Promise<Result>) => Promise<Result>;

/** `statement` must run no other search, because nested searches could deadlock. @throws {ServiceUnavailableError} */
export function inSearchTurn<Result>(owner: FairnessPath, statement: () => Promise<Result>): Promise<Result> {
  return runSoon(lanes.searches, owner, statement);
}

/** One after the other. @throws {ServiceUnavailableError} */
export function inLargeReadTurn<Result>(owner: FairnessPath, read: () => Promise<Result>): Promise<Result> {
  return runSoon(lanes.largeReads, owner, read);
}

function runSoon<Result>(turns: Semaphore, owner: FairnessPath, job: () => Promise<Result>): Promise<Result> {
  const enteredAt = performance.now();
  return turns.run(() => {
    if (performance.now() - enteredAt > MAX_WAIT_MS) throw new ServiceUnavailableError();
    return job();
  }, owner);
}

/** @param isSearch other lists take no turn */
export function searchesOf(owner: FairnessPath, isSearch: boolean): RunSearch {
  return isSearch ? (statement) => inSearchTurn(owner, statement) : (statement) => statement();
}

/** Without a time limit. */
export function inLiveSearchTurn<Result>(owner: FairnessPath, statement: () => Promise<Result>): Promise<Result> {
  return lanes.liveSearches.run(() => lanes.searches.run(statement, owner, { isRefusable: false }), owner);
}

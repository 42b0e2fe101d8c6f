import { ServiceUnavailableError } from '../lib/errors.ts';
import { Semaphore } from '../lib/semaphore.ts';

/**
 * Admits steps of subscribers that catch up from the stored stream: a read of some hundred rows, or the execution of
 * some of its events. Subscribers whose cursor is among the recent events in memory do not need it.
 */
export const catchUpSteps = new Semaphore({
  concurrency: 3,
  concurrencyPerOwner: [2, 1],
  maxWaiting: 20_000,
  maxWaitingPerOwner: [10_000, 1_000],
  refuse: () => new ServiceUnavailableError(),
});

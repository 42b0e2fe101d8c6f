import { ServiceUnavailableError } from '../lib/errors.ts';
import { Semaphore } from '../lib/semaphore.ts';

/**
 * Admits the steps of subscribers that catch up from the outbox: reads of up to 500 rows, or the execution of their
 * events. Subscribers whose cursor is among the recent events in memory need none.
 */
export const catchUpSteps = new Semaphore({
  concurrency: 3,
  concurrencyPerOwner: [2, 1],
  maxWaiting: 20_000,
  maxWaitingPerOwner: [10_000, 1_000],
  refuse: () => new ServiceUnavailableError(),
});

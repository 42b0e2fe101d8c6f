import { ServiceUnavailableError } from '../lib/errors.ts';
import { type JobOwner, Semaphore } from '../lib/semaphore.ts';

const refuse = () => new ServiceUnavailableError();

/** Waiting jobs hold no connection. */
export const longJobs = new Semaphore({
  concurrency: 50,
  concurrencyPerOwner: [20, 1],
  maxWaiting: 500,
  maxWaitingPerOwner: [200, 50],
  refuse,
});

/** Refuses none, because the number of admitted jobs is bounded. */
export const longSteps = new Semaphore({ concurrency: 2, maxWaiting: Number.POSITIVE_INFINITY, refuse });

/** A step should commit within about a second. */
export type RunStep = <Result>(step: () => Promise<Result>) => Promise<Result>;

/**
 * For a job whose cost grows with the stored data: its steps alternate with those of other callers. Enter it before
 * taking a connection. @throws {ServiceUnavailableError} too many jobs wait
 */
export function runLong<Result>(owner: JobOwner, job: (runStep: RunStep) => Promise<Result>): Promise<Result> {
  return longJobs.run(() => job((step) => longSteps.run(step, owner)), owner);
}

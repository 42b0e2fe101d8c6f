import { ServiceUnavailableError } from '../lib/errors.ts';
import { type JobOwner, Semaphore } from '../lib/semaphore.ts';

const refuse = () => new ServiceUnavailableError();

/** Admits one job of a caller at a time. Those that wait hold no connection. */
export const longJobs = new Semaphore({
  concurrency: 50,
  concurrencyPerOwner: [20, 1],
  maxWaiting: 500,
  maxWaitingPerOwner: [200, 50],
  refuse,
});

/** Runs the steps of admitted jobs, which are few: a step is never refused. */
export const longSteps = new Semaphore({ concurrency: 2, maxWaiting: Number.POSITIVE_INFINITY, refuse });

/** Runs a part of a long job when it is its owner's turn. A step should commit what it did within about a second. */
export type RunStep = <Result>(step: () => Promise<Result>) => Promise<Result>;

/**
 * Runs a job whose cost grows with what is stored. Its steps alternate with those of other callers, so that a job of a
 * million rows delays another by one step. Enter it before you take a connection.
 * @throws {ServiceUnavailableError} too many jobs of the caller wait already
 */
export function runLong<Result>(owner: JobOwner, job: (runStep: RunStep) => Promise<Result>): Promise<Result> {
  return longJobs.run(() => job((step) => longSteps.run(step, owner)), owner);
}

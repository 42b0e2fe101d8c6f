import type { FairnessPath } from '../lib/semaphore.ts';
import { lanes } from './lanes.ts';

/** A step should commit within about a second. */
export type RunStep = <Result>(step: () => Promise<Result>) => Promise<Result>;

/**
 * For a job whose cost grows with the stored data: its steps alternate with those of other callers. Enter it before
 * taking a connection. @throws {ServiceUnavailableError} too many jobs wait
 */
export function runLong<Result>(owner: FairnessPath, job: (runStep: RunStep) => Promise<Result>): Promise<Result> {
  return lanes.longJobs.run(() => job((step) => lanes.longSteps.run(step, owner)), owner);
}

import { type Place, tracing } from '../observe/tracing.ts';
import { sqlState } from './failures.ts';

interface Job<Input, Output> {
  input: Input;
  resolve: (output: Output) => void;
  reject: (error: unknown) => void;
  /** Whose trace it belongs to. */
  place: Place | undefined;
}

/**
 * Gathers the calls that arrive in one turn of the event loop and runs them as one statement of at most `max` inputs,
 * `atOnce` statements at a time. Outputs come in the order of the inputs. A statement refused for its data
 * is run again call by call, so that one bad input fails alone; every other failure concerns all of them.
 */
export function coalesce<Input, Output>(
  run: (inputs: Input[]) => Promise<Output[]>,
  { max = 64, atOnce = 4 }: { max?: number; atOnce?: number } = {},
): (input: Input) => Promise<Output> {
  const waiting: Job<Input, Output>[] = [];
  let running = 0;
  let scheduled = false;

  const schedule = () => {
    if (scheduled) return;
    scheduled = true;
    setImmediate(start);
  };

  const start = () => {
    scheduled = false;
    while (waiting.length > 0 && running < atOnce) {
      running++;
      void settleTraced(waiting.splice(0, max)).finally(() => {
        running--;
        if (waiting.length > 0) schedule();
      });
    }
  };

  /** What is done for several requests at once is part of none of their traces, but linked with each. */
  const settleTraced = (jobs: Job<Input, Output>[]): Promise<void> => {
    if (!tracing) return settle(jobs);
    const joins = jobs.map(({ place }) => place);
    const settleJobs = () => settle(jobs);
    // Work of the background is traced no more than its other statements.
    if (joins.every((place) => place === undefined)) return tracing.detached(settleJobs);
    return tracing.span('coalesced', { joins, attributes: { 'atrium.calls': jobs.length } }, settleJobs);
  };

  const settle = async (jobs: Job<Input, Output>[]): Promise<void> => {
    try {
      const outputs = await run(jobs.map((job) => job.input));
      for (const [index, job] of jobs.entries()) job.resolve(outputs[index]!);
    } catch (error) {
      if (jobs.length > 1 && isAboutData(error)) {
        for (const job of jobs) await settle([job]);
      } else {
        for (const job of jobs) job.reject(error);
      }
    }
  };

  return (input) =>
    new Promise((resolve, reject) => {
      waiting.push({ input, resolve, reject, place: tracing?.here() });
      schedule();
    });
}

/** SQLSTATE classes 22 (data) and 23 (constraint): the statement was rolled back and said why. */
function isAboutData(error: unknown): boolean {
  return /^2[23]/.test(sqlState(error) ?? '');
}

import { ServiceUnavailableError } from '../lib/errors.ts';
import { type JobOwner, Semaphore } from '../lib/semaphore.ts';
import { type SpanReference, tracing } from '../server/observability/tracing.ts';
import { isDatabaseUnavailable, isLockConflict } from './failures.ts';
import { waitForLocks } from './transact.ts';

interface Job<Input, Output> {
  input: Input;
  resolve: (output: Output) => void;
  reject: (error: unknown) => void;
  /** Whose trace it belongs to. */
  span: SpanReference | undefined;
}

export interface CoalesceOptions<Input> {
  /** Inputs of one statement. */
  max?: number;
  /** Statements that run at once. */
  atOnce?: number;
  /** Bytes of one statement, unless its only input is larger; needs `bytesOf`. */
  maxBytes?: number;
  bytesOf?: (input: Input) => number;
  /** Whose input it is; needed where the statement takes locks. */
  ownerOf?: (input: Input) => JobOwner;
}

/** Runs parts of failed statements, so that failing inputs never occupy all connections. Each part was admitted before. */
export const retries = new Semaphore({
  concurrency: 2,
  maxWaiting: Number.POSITIVE_INFINITY,
  refuse: () => new ServiceUnavailableError(),
});

/**
 * Gathers the calls that arrive in one turn of the event loop and runs them as one statement. Outputs come in the order
 * of the inputs. `run` is one statement, so a failed one has changed nothing: its inputs run again in smaller parts, and
 * an input that fails alone rejects its own call only. An unavailable database rejects all of them at once.
 */
export function coalesce<Input, Output>(
  run: (inputs: Input[]) => Promise<Output[]>,
  { max = 64, atOnce = 4, maxBytes = 0, bytesOf, ownerOf }: CoalesceOptions<Input> = {},
): (input: Input) => Promise<Output> {
  const waiting: Job<Input, Output>[] = [];
  let running = 0;
  let scheduled = false;

  const schedule = () => {
    if (scheduled) return;
    scheduled = true;
    setImmediate(start);
  };

  /** How many of the waiting calls share the next statement. */
  const nextCount = (): number => {
    if (!bytesOf) return max;
    let bytes = 0;
    const fits = ({ input }: Job<Input, Output>, index: number) => {
      bytes += bytesOf(input);
      return index === 0 || bytes <= maxBytes;
    };
    const end = waiting.slice(0, max).findIndex((job, index) => !fits(job, index));
    return end === -1 ? max : end;
  };

  const start = () => {
    scheduled = false;
    while (waiting.length > 0 && running < atOnce) {
      running++;
      void settleTraced(waiting.splice(0, nextCount())).finally(() => {
        running--;
        if (waiting.length > 0) schedule();
      });
    }
  };

  /** What is done for several requests at once is part of none of their traces, but linked with each. */
  const settleTraced = (jobs: Job<Input, Output>[]): Promise<void> => {
    if (!tracing) return settle(jobs);
    const joins = jobs.map(({ span }) => span);
    const settleJobs = () => settle(jobs);
    // Work of the background is traced no more than its other statements.
    if (joins.every((span) => span === undefined)) return tracing.detached(settleJobs);
    return tracing.span('coalesced', { joins, attributes: { 'atrium.calls': jobs.length } }, settleJobs);
  };

  const settle = async (jobs: Job<Input, Output>[]): Promise<void> => {
    try {
      const outputs = await run(jobs.map((job) => job.input));
      for (const [index, job] of jobs.entries()) job.resolve(outputs[index]!);
    } catch (error) {
      if (jobs.length === 1 || isDatabaseUnavailable(error)) {
        for (const job of jobs) job.reject(error);
      } else {
        // Not awaited: the statements of others go on in the meantime.
        for (const part of partsOf(jobs, error)) void settleAgain(part);
      }
    }
  };

  const settleAgain = async (jobs: Job<Input, Output>[]): Promise<void> => {
    const [job] = jobs;
    try {
      if (jobs.length === 1 && ownerOf) await waitForLocks(ownerOf(job!.input), () => settle(jobs));
      else await retries.run(() => settle(jobs));
    } catch (error) {
      for (const job of jobs) job.reject(error);
    }
  };

  return (input) =>
    new Promise((resolve, reject) => {
      waiting.push({ input, resolve, reject, span: tracing?.here() });
      schedule();
    });
}

/** Halves find a failing input with the fewest statements; where each failure takes long, nobody shares it again. */
function partsOf<Item>(items: Item[], error: unknown): Item[][] {
  if (isLockConflict(error)) return items.map((item) => [item]);
  const middle = Math.ceil(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)];
}

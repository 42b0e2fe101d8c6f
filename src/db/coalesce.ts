import { type Actor, actorKey } from '../lib/actor.ts';
import type { FairnessPath } from '../lib/semaphore.ts';
import { type SpanReference, tracing } from '../platform/observability/tracing.ts';
import { isDatabaseUnavailable, isLockConflict } from './failures.ts';
import { lanes } from './lanes.ts';
import { waitForLocks } from './transact.ts';

interface PendingInput<Input, Output> {
  input: Input;
  resolve: (output: Output) => void;
  reject: (error: unknown) => void;
  span: SpanReference | undefined;
}

export interface CoalesceOptions<Input> {
  max?: number;
  atOnce?: number;
  /** Bytes, unless a single input is larger; requires `bytesOf`. */
  maxBytes?: number;
  bytesOf?: (input: Input) => number;
  /** Required if the statement takes locks. */
  ownerOf?: (input: Input) => FairnessPath;
}

interface ByApplication<Input> extends CoalesceOptions<Input> {
  /** Groups inputs, so that one shard can run the statement (docs/scaling.md). */
  applicationOf: (input: Input) => number;
  /** Groups inputs, too, because the audit log records one actor per statement. */
  actorOf?: (input: Input) => Actor | undefined;
}

export const applicationOf = ({ applicationId }: { applicationId: number }) => applicationId;

/**
 * Runs the calls of one turn of the event loop as one statement per application and actor. `run` is a single statement,
 * so a failure has no effect: its inputs run again in smaller parts, and an input that fails alone rejects only its own call.
 */
export function coalesce<Input, Output>(
  run: (inputs: Input[], applicationId: number) => Promise<Output[]>,
  options: ByApplication<Input>,
): (input: Input) => Promise<Output>;
export function coalesce<Input, Output>(
  run: (inputs: Input[]) => Promise<Output[]>,
  options?: CoalesceOptions<Input>,
): (input: Input) => Promise<Output>;
export function coalesce<Input, Output>(
  run: (inputs: Input[], applicationId: number) => Promise<Output[]>,
  { max = 64, atOnce = 4, maxBytes = 0, bytesOf, ownerOf, applicationOf, actorOf }: Partial<ByApplication<Input>> = {},
): (input: Input) => Promise<Output> {
  const idOf = applicationOf ?? (() => 0);
  const groupOf = (input: Input) => {
    const actor = actorOf?.(input);
    return actor ? `${idOf(input)} ${actorKey(actor)}` : idOf(input);
  };
  /** The first one is next. */
  const waiting = new Map<number | string, PendingInput<Input, Output>[]>();
  let running = 0;
  let scheduled = false;

  const schedule = () => {
    if (scheduled) return;
    scheduled = true;
    setImmediate(start);
  };

  const nextCount = (jobs: PendingInput<Input, Output>[]): number => {
    if (!bytesOf) return max;
    let bytes = 0;
    const fits = ({ input }: PendingInput<Input, Output>, index: number) => {
      bytes += bytesOf(input);
      return index === 0 || bytes <= maxBytes;
    };
    const end = jobs.slice(0, max).findIndex((job, index) => !fits(job, index));
    return end === -1 ? max : end;
  };

  const start = () => {
    scheduled = false;
    while (waiting.size > 0 && running < atOnce) {
      running++;
      void settleTraced(takeNext()).finally(() => {
        running--;
        if (waiting.size > 0) schedule();
      });
    }
  };

  const takeNext = (): PendingInput<Input, Output>[] => {
    const [group, jobs] = waiting.entries().next().value!;
    waiting.delete(group);
    const taken = jobs.splice(0, nextCount(jobs));
    if (jobs.length > 0) waiting.set(group, jobs);
    return taken;
  };

  /** A statement for several requests belongs to none of their traces. */
  const settleTraced = (jobs: PendingInput<Input, Output>[]): Promise<void> => {
    if (!tracing) return settle(jobs);
    const joins = jobs.map(({ span }) => span);
    const settleJobs = () => settle(jobs);
    if (joins.every((span) => span === undefined)) return tracing.detached(settleJobs);
    return tracing.span('coalesced', { joins, attributes: { 'atrium.calls': jobs.length } }, settleJobs);
  };

  const settle = async (jobs: PendingInput<Input, Output>[]): Promise<void> => {
    try {
      const outputs = await run(
        jobs.map((job) => job.input),
        idOf(jobs[0]!.input),
      );
      for (const [index, job] of jobs.entries()) job.resolve(outputs[index]!);
    } catch (error) {
      if (jobs.length === 1 || isDatabaseUnavailable(error)) {
        for (const job of jobs) job.reject(error);
      } else {
        for (const part of partsOf(jobs, error)) void settleAgain(part);
      }
    }
  };

  const settleAgain = async (jobs: PendingInput<Input, Output>[]): Promise<void> => {
    const [job] = jobs;
    try {
      if (jobs.length === 1 && ownerOf) await waitForLocks(ownerOf(job!.input), () => settle(jobs));
      else await lanes.retries.run(() => settle(jobs));
    } catch (error) {
      for (const job of jobs) job.reject(error);
    }
  };

  return (input) =>
    new Promise((resolve, reject) => {
      const group = groupOf(input);
      const jobs = waiting.get(group) ?? [];
      if (jobs.length === 0) waiting.set(group, jobs);
      jobs.push({ input, resolve, reject, span: tracing?.here() });
      schedule();
    });
}

/** Halving needs the fewest statements. Lock conflicts take long to fail, so each input runs alone. */
function partsOf<Item>(items: Item[], error: unknown): Item[][] {
  if (isLockConflict(error)) return items.map((item) => [item]);
  const middle = Math.ceil(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)];
}

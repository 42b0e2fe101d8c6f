import { AsyncResource } from 'node:async_hooks';
import { applicationOf, coalesce } from '../../db/coalesce.ts';
import { isDatabaseUnavailable } from '../../db/failures.ts';
import { inLockTurns } from '../../db/lock-turns.ts';
import { waitForLocks } from '../../db/transact.ts';
import { type Actor, actorKey } from '../../lib/actor.ts';
import { ServiceUnavailableError } from '../../lib/errors.ts';
import type { FairnessPath } from '../../lib/semaphore.ts';
import { tracing } from '../../platform/observability/tracing.ts';

const MAX_INPUTS = 64;

const MAX_WAITING = 1_000;

interface InDialog {
  applicationId: number;
  dialogId: string;
  actor?: Actor | undefined;
}

interface PendingInput<Input, Output> {
  input: Input;
  resolve: (output: Output) => void;
  reject: (error: unknown) => void;
  start: () => Promise<(Output | undefined)[]>;
}

/** In order of arrival; at most one statement in flight contains some of them. */
interface Queue<Input, Output> {
  key: string;
  applicationId: number;
  owner: FairnessPath;
  jobs: PendingInput<Input, Output>[];
  taken: number;
}

/**
 * Shared statements skip locked dialogs, so that a locked dialog delays only its own inputs.
 * @param run inputs of one application; without a lock timeout, returns undefined for inputs of locked dialogs
 */
export function queueByDialog<Input extends InDialog, Output>(
  run: (inputs: Input[], applicationId: number, lockTimeoutMs?: number) => Promise<(Output | undefined)[]>,
): (input: Input) => Promise<Output> {
  type DialogJob = PendingInput<Input, Output>;
  type DialogQueue = Queue<Input, Output>;
  const queues = new Map<string, DialogQueue>();

  const runShared = coalesce(
    async (sharing: DialogQueue[], applicationId: number) => {
      const share = Math.max(1, Math.floor(MAX_INPUTS / sharing.length));
      const batches = sharing.map((queue) => {
        const inputs = queue.jobs.slice(0, share).map(({ input }) => input);
        const key = actorKey(inputs[0]!.actor);
        const other = inputs.findIndex(({ actor }) => actorKey(actor) !== key);
        queue.taken = other === -1 ? inputs.length : other;
        return inputs.slice(0, queue.taken);
      });
      const outputs = await run(batches.flat(), applicationId);
      return batches.map((batch) => outputs.splice(0, batch.length));
    },
    { max: MAX_INPUTS, applicationOf, actorOf: ({ jobs }) => jobs[0]!.input.actor },
  );

  const runTogether = async (queue: DialogQueue): Promise<DialogJob[]> => {
    try {
      const outputs = await queue.jobs[0]!.start();
      return settle(queue.jobs.splice(0, outputs.length), outputs);
    } catch (error) {
      const jobs = queue.jobs.splice(0, queue.taken);
      if (!isDatabaseUnavailable(error)) return jobs;
      for (const { reject } of jobs) reject(error);
      return [];
    }
  };

  const runApart = async (jobs: DialogJob[], { owner, applicationId }: DialogQueue): Promise<void> => {
    const inputs = jobs.map(({ input }) => input);
    const runLocking = (lockTimeoutMs?: number) => waitForLocks(owner, () => run(inputs, applicationId, lockTimeoutMs));
    settle(jobs, await inLockTurns(owner, runLocking));
  };

  const runQueue = async (queue: DialogQueue): Promise<void> => {
    while (queue.jobs.length > 0) {
      const jobs = await runTogether(queue);
      if (jobs.length === 0) continue;
      try {
        await runApart(jobs, queue);
      } catch (error) {
        // Later jobs would wait for the same lock.
        if (error instanceof ServiceUnavailableError) jobs.push(...queue.jobs.splice(0));
        if (jobs.length === 1 || isUnavailable(error)) for (const { reject } of jobs) reject(error);
        else for (const job of jobs) await runApart([job], queue).catch(job.reject);
      }
    }
    queues.delete(queue.key);
  };

  return (input) => {
    const { applicationId, dialogId } = input;
    const key = `${applicationId}:${dialogId}`;
    const waiting = queues.get(key);
    const owner: FairnessPath = [`application:${applicationId}`, `dialog:${dialogId}`];
    const queue = waiting ?? { key, applicationId, owner, jobs: [], taken: 0 };
    if (queue.jobs.length >= MAX_WAITING) return Promise.reject(new ServiceUnavailableError());
    return new Promise((resolve, reject) => {
      const start = () => runShared(queue);
      queue.jobs.push({ input, resolve, reject, start: tracing ? AsyncResource.bind(start) : start });
      if (waiting) return;
      queues.set(key, queue);
      void runQueue(queue);
    });
  };
}

function isUnavailable(error: unknown): boolean {
  return error instanceof ServiceUnavailableError || isDatabaseUnavailable(error);
}

function settle<Input, Output>(
  jobs: PendingInput<Input, Output>[],
  outputs: (Output | undefined)[],
): PendingInput<Input, Output>[] {
  return jobs.filter(({ resolve }, index) => {
    const output = outputs[index];
    if (output !== undefined) resolve(output);
    return output === undefined;
  });
}

import { ServiceUnavailableError } from '../lib/errors.ts';
import { type JobOwner, Semaphore } from '../lib/semaphore.ts';
import type { Transaction } from './client.ts';
import { sqlState } from './failures.ts';
import type { RunStep } from './long-work.ts';
import { transact } from './transact.ts';

/** Locks of normal traffic are free within this, so that only what is locked for longer waits in turns. */
const SHORT_WAIT_MS = 50;

/** A turn starts with this and doubles up to the maximum, so that a lock with many waiters is still reached. */
const FIRST_TURN_MS = 100;
const MAX_TURN_MS = 1_000;

/** Then the lock counts as unavailable. */
const MAX_WAIT_MS = 30_000;

/** Connections that wait for locks: of one application, and of one dialog or caller in it. */
const turns = new Semaphore({
  concurrency: 3,
  concurrencyPerOwner: [2, 1],
  maxWaiting: 10_000,
  maxWaitingPerOwner: [5_000, 1_000],
  refuse: () => new ServiceUnavailableError(),
});

/**
 * Runs work that waits for locks, again and again until it gets them: each attempt occupies a connection for one turn
 * at most, then another owner's work has its turn.
 * @param attempt one statement or transaction that gives up a lock after `lockTimeoutMs`, without effect
 * @throws {ServiceUnavailableError} the lock is still held after 30 seconds, or too much work waits
 */
export async function inLockTurns<Result>(
  owner: JobOwner,
  attempt: (lockTimeoutMs: number) => Promise<Result>,
): Promise<Result> {
  const startedAt = performance.now();
  for (let turnMs = FIRST_TURN_MS; ; turnMs = Math.min(2 * turnMs, MAX_TURN_MS)) {
    try {
      return await turns.run(() => attempt(turnMs), owner);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      if (performance.now() - startedAt > MAX_WAIT_MS) throw new ServiceUnavailableError();
    }
  }
}

/**
 * Runs a transaction that locks rows others may hold for long. While they do, it starts again from its beginning, in
 * turns and without a connection in between; so `work` must have no effect but on the database.
 * @param runStep of the long job that the transaction is a step of
 * @throws as `inLockTurns`
 */
export async function transactInTurns<Result>(
  owner: JobOwner,
  work: (transaction: Transaction) => Promise<Result>,
  runStep: RunStep = (step) => step(),
): Promise<Result> {
  const attempt = (lockTimeoutMs: number) =>
    runStep(() =>
      transact(owner, async (transaction) => {
        await transaction.$executeRaw`SELECT set_config('lock_timeout', ${String(lockTimeoutMs)}, true)`;
        return work(transaction);
      }),
    );
  try {
    return await attempt(SHORT_WAIT_MS);
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    return inLockTurns(owner, attempt);
  }
}

/** Whether another transaction held a lock for longer than `lock_timeout`. */
function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === '55P03';
}

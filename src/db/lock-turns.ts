import { ServiceUnavailableError } from '../lib/errors.ts';
import type { FairnessPath } from '../lib/semaphore.ts';
import type { Transaction } from './client.ts';
import { sqlState } from './failures.ts';
import { lanes } from './lanes.ts';
import type { RunStep } from './long-work.ts';
import { transact } from './transact.ts';

/** Normal traffic releases locks within this time; only longer waits take turns. */
const SHORT_WAIT_MS = 50;

/** Turns double up to the maximum, so that even a lock with many waiters is obtained. */
const FIRST_TURN_MS = 100;
const MAX_TURN_MS = 1_000;

const MAX_WAIT_MS = 30_000;

/**
 * An attempt occupies a connection for at most one turn; then other owners have theirs.
 * @param attempt without effect if it does not get a lock within `lockTimeoutMs`
 * @throws {ServiceUnavailableError} no lock after 30 seconds, or too much work waits
 */
export async function inLockTurns<Result>(
  owner: FairnessPath,
  attempt: (lockTimeoutMs: number) => Promise<Result>,
): Promise<Result> {
  const startedAt = performance.now();
  for (let turnMs = FIRST_TURN_MS; ; turnMs = Math.min(2 * turnMs, MAX_TURN_MS)) {
    try {
      return await lanes.lockTurns.run(() => attempt(turnMs), owner);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      if (performance.now() - startedAt > MAX_WAIT_MS) throw new ServiceUnavailableError();
    }
  }
}

/** Restarts while rows are locked, so `work` must have no effects outside the database. @throws as `inLockTurns` */
export async function transactInTurns<Result>(
  owner: FairnessPath,
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

function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === '55P03';
}

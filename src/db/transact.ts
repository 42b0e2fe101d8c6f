import { withActor } from '../lib/access.ts';
import { type Actor, OPERATOR } from '../lib/actor.ts';
import { ServiceUnavailableError } from '../lib/errors.ts';
import { type JobOwner, Semaphore } from '../lib/semaphore.ts';
import {
  ACTOR_SETTING,
  POOL_SIZE,
  runTransaction,
  STATEMENT_TIMEOUT_MS,
  TRANSACTION_TIMEOUT_MS,
  type Transaction,
} from './client.ts';

/** Transactions never take these connections, so that single statements always find one. */
const RESERVED_CONNECTIONS = 4;

const PER_APPLICATION = 5;
const PER_CALLER = 3;

export const BACKGROUND: JobOwner = ['background'];
export const OPERATOR_JOBS: JobOwner = withActor(['background'], OPERATOR);

export const lockWaits = new Semaphore({
  concurrency: POOL_SIZE - RESERVED_CONNECTIONS,
  concurrencyPerOwner: [PER_APPLICATION, PER_CALLER],
  maxWaiting: 10_000,
  maxWaitingPerOwner: [5_000, 1_000],
  refuse: () => new ServiceUnavailableError(),
});

/** Do not wait for another transaction inside. @throws {ServiceUnavailableError} too many wait, or waited too long */
export function transact<Result>(
  owner: JobOwner,
  work: (transaction: Transaction) => Promise<Result>,
  { timeoutMs = TRANSACTION_TIMEOUT_MS }: { timeoutMs?: number } = {},
): Promise<Result> {
  const { actor } = owner;
  const run = async (transaction: Transaction) => {
    if (actor) await setActor(transaction, actor);
    if (timeoutMs > STATEMENT_TIMEOUT_MS) {
      await transaction.$executeRaw`SELECT set_config('statement_timeout', ${String(timeoutMs)}, true)`;
    }
    return work(transaction);
  };
  return waitForLocks(owner, () => runTransaction(run, timeoutMs));
}

/** Later changes in the transaction are recorded as those of this actor. */
export async function setActor(transaction: Transaction, actor: Actor): Promise<void> {
  await transaction.$executeRaw`SELECT set_config(${ACTOR_SETTING}, ${JSON.stringify(actor)}, true)`;
}

/** Counts as a transaction. */
export function waitForLocks<Result>(owner: JobOwner, statement: () => Promise<Result>): Promise<Result> {
  const enteredAt = performance.now();
  return lockWaits.run(() => {
    // After an outage, requests whose clients have gone must not delay later ones.
    if (performance.now() - enteredAt > TRANSACTION_TIMEOUT_MS) throw new ServiceUnavailableError();
    return statement();
  }, owner);
}

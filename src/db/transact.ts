import { withActor } from '../lib/access.ts';
import { type Actor, OPERATOR } from '../lib/actor.ts';
import { ServiceUnavailableError } from '../lib/errors.ts';
import type { FairnessPath } from '../lib/semaphore.ts';
import {
  ACTOR_SETTING,
  runTransaction,
  STATEMENT_TIMEOUT_MS,
  TRANSACTION_TIMEOUT_MS,
  type Transaction,
} from './client.ts';
import { lanes } from './lanes.ts';

export const BACKGROUND: FairnessPath = ['background'];
export const OPERATOR_JOBS: FairnessPath = withActor(['background'], OPERATOR);

/** Do not wait for another transaction inside. @throws {ServiceUnavailableError} too many wait, or waited too long */
export function transact<Result>(
  owner: FairnessPath,
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
export function waitForLocks<Result>(owner: FairnessPath, statement: () => Promise<Result>): Promise<Result> {
  const enteredAt = performance.now();
  return lanes.transactions.run(() => {
    // After an outage, requests whose clients have gone must not delay later ones.
    if (performance.now() - enteredAt > TRANSACTION_TIMEOUT_MS) throw new ServiceUnavailableError();
    return statement();
  }, owner);
}

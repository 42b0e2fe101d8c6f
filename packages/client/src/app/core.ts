import type { AtriumClient } from '../client.ts';
import { AtriumError, mayPass } from '../errors.ts';
import { pause, pauseBefore } from '../pauses.ts';
import type { Events } from './events.ts';
import type { OfflineCache } from './offline-cache.ts';
import type { Outbox } from './outbox.ts';
import type { Store } from './store.ts';

/** What the parts of the task API share. */
export interface Core {
  client: AtriumClient;
  events: Events;
  outbox: Outbox;
  cache: OfflineCache;
  /** Id of the signed-in user, also after a reload without network. */
  userId: () => number | undefined;
  /** Stores that start again for each user. */
  stores: Set<Store<unknown>>;
}

export type Status = 'loading' | 'ready' | 'error';

/** Repeats `load` until it succeeds, fails for good, or `signal` aborts. @throws {AtriumError} failed for good */
export async function persistently<Result>(
  load: () => Promise<Result>,
  signal: AbortSignal,
): Promise<Result | undefined> {
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      return await load();
    } catch (error) {
      if (signal.aborted) return undefined;
      if (!mayPass(error)) throw error;
      await pause(pauseBefore(failures, error.retryAfter), signal);
    }
  }
  return undefined;
}

/** Makes any failure an `AtriumError`. */
export function asAtriumError(error: unknown): AtriumError {
  if (error instanceof AtriumError) return error;
  return new AtriumError('INTERNAL_SERVER_ERROR', error instanceof Error ? error.message : String(error), {
    cause: error,
  });
}

import type { Actor } from '../../lib/actor.ts';
import { MINUTE } from '../../lib/time.ts';
import { appendEntry } from './entries.ts';

/** Pages that refresh themselves repeat their reads. */
const REPEATED_MS = 10 * MINUTE;
const MAX_REMEMBERED = 1_000;

/** Times of the latest entries of this process; the oldest first. */
const recorded = new Map<string, number>();

export interface Read {
  /** Name of the operation. */
  operation: string;
  /** Id of the object that the caller named; empty for a list. */
  subjectId: string;
  applicationId: number;
  /** Whose rights the caller used. */
  userId?: number | undefined;
}

/** Before data that only a stated reason opens is read. Repeated reads are recorded every ten minutes. */
export async function recordRead(
  { operation, subjectId, applicationId, userId }: Read,
  actor: Actor,
  now: Date,
): Promise<void> {
  const { kind, id, network, reason } = actor;
  const key = JSON.stringify([kind, id, network, reason, operation, subjectId, applicationId, userId]);
  const latest = recorded.get(key);
  if (latest !== undefined && now.getTime() - latest < REPEATED_MS) return;
  const after = userId === undefined ? undefined : { as_user_id: userId };
  await appendEntry({ applicationId, action: 'read', subject: operation, subjectId, after }, actor);
  recorded.delete(key);
  recorded.set(key, now.getTime());
  if (recorded.size > MAX_REMEMBERED) recorded.delete(recorded.keys().next().value!);
}

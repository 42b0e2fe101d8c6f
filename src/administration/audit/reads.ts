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
  /** Of the content that was returned, unless `subjectId` names them. */
  dialogIds?: string[];
}

/** Before data that only a stated reason opens is returned. Repeated reads are recorded every ten minutes. */
export async function recordRead(
  { operation, subjectId, applicationId, userId, dialogIds = [] }: Read,
  actor: Actor,
  now: Date,
): Promise<void> {
  const { kind, id, network, reason } = actor;
  const key = JSON.stringify([kind, id, network, reason, operation, subjectId, applicationId, userId, dialogIds]);
  const latest = recorded.get(key);
  if (latest !== undefined && now.getTime() - latest < REPEATED_MS) return;
  const details = {
    ...(userId !== undefined && { as_user_id: userId }),
    ...(dialogIds.length > 0 && { dialog_ids: dialogIds }),
  };
  const after = Object.keys(details).length > 0 ? details : undefined;
  await appendEntry({ applicationId, action: 'read', subject: operation, subjectId, after }, actor);
  recorded.delete(key);
  recorded.set(key, now.getTime());
  if (recorded.size > MAX_REMEMBERED) recorded.delete(recorded.keys().next().value!);
}

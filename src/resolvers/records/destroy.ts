import type { Transaction } from '../../db/client.ts';
import { IMAGE } from './rows.ts';

export interface Destruction {
  /** Null for an API key alone, or the service itself. */
  userId: number | null;
  at: Date;
}

/**
 * Deletes level by level. A locked parent blocks new children, so that each level is complete. Publishes no events for
 * records of deleted classes.
 */
export async function destroyRecords(
  transaction: Transaction,
  applicationId: number,
  ids: string[],
  action: Destruction,
): Promise<void> {
  let level = ids;
  while (level.length > 0) {
    await destroy(transaction, applicationId, level, action);
    level = await lockChildren(transaction, applicationId, level);
  }
}

async function lockChildren(transaction: Transaction, applicationId: number, parentIds: string[]): Promise<string[]> {
  const children = await transaction.$queryRaw<{ id: string }[]>`
    SELECT r.id FROM records r
    WHERE r.application_id = ${applicationId} AND r.parent_id = ANY(${parentIds}::text[]) AND r.parent_id IS NOT NULL
    ORDER BY r.id FOR UPDATE`;
  return children.map(({ id }) => id);
}

async function destroy(
  transaction: Transaction,
  applicationId: number,
  ids: string[],
  { userId, at }: Destruction,
): Promise<void> {
  await transaction.$executeRaw`
    WITH gone AS (
      DELETE FROM records r WHERE r.application_id = ${applicationId} AND r.id = ANY(${ids}::text[])
      RETURNING r.id, r.class_key, ${IMAGE} AS image
    ), keys AS (
      DELETE FROM record_keys k WHERE k.application_id = ${applicationId} AND k.record_id IN (SELECT id FROM gone)
    ), files AS (
      INSERT INTO unclaimed_files (application_id, key, remove_after)
      SELECT ${applicationId}::int, f.value ->> 'key', ${at}::timestamptz
      FROM gone, jsonb_each(gone.image -> 'fields') f
      WHERE jsonb_typeof(f.value) = 'object' AND jsonb_exists(f.value, 'key')
    )
    INSERT INTO events_outbox (application_id, kind, class_key, subject_id, user_id, detail, created_at)
    SELECT ${applicationId}::int, 'recordDeleted', class_key, id, ${userId}::int, jsonb_build_object('before', image),
      ${at}::timestamptz
    FROM gone
    WHERE EXISTS (SELECT FROM record_classes c WHERE c.application_id = ${applicationId} AND c.key = class_key)
    ORDER BY id`;
}

import type { UserContext } from '../../context.ts';
import { DIALOG_TYPE } from '../../db/dialog-types.ts';
import { query } from '../../db/query.ts';
import { indexBy } from '../../lib/collections.ts';
import { NotFoundError } from '../../lib/errors.ts';
import { isStringId } from '../../lib/string-ids.ts';

export interface UnreadCounts {
  total: number;
  /** Of the dialogs asked for, each once, in their order. */
  dialogs: { dialogId: string; count: number }[];
}

/**
 * Messages of groups and private dialogs that the caller has not sent, not read and not deleted for themselves: of all
 * dialogs in their list, or of those asked for, of which the ones they can't read count 0.
 * @throws {NotFoundError} they can read none of those asked for
 */
export async function findUnreadCounts(
  dialogIds: string[] | null | undefined,
  { viewer }: UserContext,
): Promise<UnreadCounts> {
  const { applicationId, userId } = viewer;
  if (!dialogIds?.length) {
    // From the caller's places to their dialogs, one by one: never by way of everybody's.
    const [row] = await query<{ total: number }>`
      SELECT coalesce(sum(d.message_count - m.settled_count), 0)::int AS total
      FROM members m CROSS JOIN LATERAL (
        SELECT * FROM dialogs o WHERE o.application_id = m.application_id AND o.id = m.dialog_id OFFSET 0) d
      WHERE m.application_id = ${applicationId} AND m.user_id = ${userId} AND m.left_at IS NULL
        AND d.type <> ${DIALOG_TYPE.PUBLIC_GROUP} AND (m.hidden_seq IS NULL OR m.hidden_seq < d.last_seq)`;
    return { total: row!.total, dialogs: [] };
  }
  const requested = [...new Set(dialogIds)];
  const rows = await query<{ dialogId: string; count: number }>`
    SELECT d.id AS "dialogId",
      CASE WHEN d.type = ${DIALOG_TYPE.PUBLIC_GROUP} THEN 0 ELSE d.message_count - m.settled_count END AS count
    FROM dialogs d LEFT JOIN members m ON m.application_id = d.application_id AND m.dialog_id = d.id
      AND m.user_id = ${userId} AND m.left_at IS NULL
    WHERE d.application_id = ${applicationId} AND d.id = ANY(${requested.filter(isStringId)}::text[])
      AND (d.type = ${DIALOG_TYPE.PUBLIC_GROUP} OR m.user_id IS NOT NULL)`;
  if (rows.length === 0) throw new NotFoundError();
  const readable = indexBy(rows, (row) => row.dialogId);
  const dialogs = requested.map((dialogId) => ({ dialogId, count: readable.get(dialogId)?.count ?? 0 }));
  return { total: dialogs.reduce((sum, { count }) => sum + count, 0), dialogs };
}

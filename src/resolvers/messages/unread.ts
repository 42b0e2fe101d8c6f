import type { UserContext } from '../../context.ts';
import { DIALOG_TYPE } from '../../db/dialog-types.ts';
import { query } from '../../db/query.ts';
import { indexBy } from '../../lib/collections.ts';
import { NotFoundError } from '../../lib/errors.ts';
import { isStringId } from '../../lib/string-ids.ts';

export interface UnreadCounts {
  total: number;
  dialogs: { dialogId: string; count: number }[];
}

/** Unreadable dialogs count 0. @throws {NotFoundError} none is readable */
export async function findUnreadCounts(
  dialogIds: string[] | null | undefined,
  { viewer }: UserContext,
): Promise<UnreadCounts> {
  const { applicationId, userId } = viewer;
  if (!dialogIds?.length) {
    // The lateral join reads dialogs by the caller's memberships, so that the planner never scans all dialogs.
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

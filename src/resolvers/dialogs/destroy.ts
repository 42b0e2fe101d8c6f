import type { Transaction } from '../../db/client.ts';
import { DIALOG_TYPE } from '../../db/dialog-types.ts';
import { appendDialogEvents } from '../../realtime/outbox.ts';

/** Requires locked dialogs. Messages become unreachable, so that `sweepDestroyedDialogs` can delete them later. */
export async function destroyDialogs(
  transaction: Transaction,
  {
    applicationId,
    ids,
    initiatorId: userId,
  }: { applicationId: number; ids: string[]; initiatorId: number | undefined },
  now: Date,
): Promise<void> {
  if (ids.length === 0) return;
  const destroyed = await transaction.$queryRaw<{ dialogId: string; audienceIds: number[] | null }[]>`
    WITH destroyed AS (
      DELETE FROM dialogs WHERE application_id = ${applicationId} AND id = ANY(${ids}::text[])
      RETURNING application_id, id, type
    ), remembered AS (
      INSERT INTO destroyed_dialogs (application_id, dialog_id) SELECT application_id, id FROM destroyed
    )
    SELECT d.id AS "dialogId", CASE WHEN d.type <> ${DIALOG_TYPE.PUBLIC_GROUP} THEN ARRAY(
        SELECT m.user_id FROM members m
        WHERE m.application_id = d.application_id AND m.dialog_id = d.id AND m.left_at IS NULL) END AS "audienceIds"
    FROM destroyed d`;
  const events = destroyed.map(({ dialogId, audienceIds }) => {
    const detail = { removal: 'destroyed' as const };
    const event = { kind: 'dialogRemoved' as const, applicationId, dialogId, userId };
    return { ...event, detail, audienceIds: audienceIds ?? undefined };
  });
  await appendDialogEvents(transaction, events, now);
}

import type { UserContext } from '../../context.ts';
import type { Transaction } from '../../db/client.ts';
import { transactInTurns } from '../../db/lock-turns.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { appendDialogEvents } from '../../realtime/outbox.ts';

interface Occupant {
  applicationId: number;
  dialogIds: string[];
  userId: number;
}

export async function hideDialogs(
  transaction: Transaction,
  { applicationId, dialogIds, userId }: Occupant,
  now: Date,
): Promise<void> {
  const hidden = await transaction.$queryRaw<{ dialogId: string }[]>`
    UPDATE members m SET hidden_seq = d.last_seq FROM dialogs d
    WHERE d.application_id = m.application_id AND d.id = m.dialog_id AND m.application_id = ${applicationId}
      AND m.dialog_id = ANY(${dialogIds}::text[]) AND m.user_id = ${userId}
      AND m.hidden_seq IS DISTINCT FROM d.last_seq
    RETURNING d.id AS "dialogId"`;
  const detail = { removal: 'hidden' as const };
  const events = hidden.map(({ dialogId }) => {
    return { kind: 'dialogRemoved' as const, applicationId, dialogId, userId, detail, audienceIds: [userId] };
  });
  await appendDialogEvents(transaction, events, now);
}

export async function unhideDialog(
  dialogId: string,
  { viewer: { applicationId, userId }, now, outbox }: UserContext,
): Promise<void> {
  await transactInTurns(jobOwnerOf({ applicationId, userId }), async (transaction) => {
    const unhidden = await transaction.$executeRaw`
      UPDATE members m SET hidden_seq = NULL FROM dialogs d
      WHERE d.application_id = m.application_id AND d.id = m.dialog_id AND m.application_id = ${applicationId}
        AND m.dialog_id = ${dialogId} AND m.user_id = ${userId} AND m.hidden_seq >= d.last_seq`;
    if (unhidden === 0) return;
    const happening = { kind: 'dialogChanged' as const, applicationId, dialogId, userId, audienceIds: [userId] };
    await appendDialogEvents(transaction, [happening], now());
  });
  outbox.wake();
}

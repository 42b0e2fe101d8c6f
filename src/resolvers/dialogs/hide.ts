import type { Transaction } from '../../db/client.ts';
import { db } from '../../db/client.ts';

interface Occupant {
  applicationId: number;
  dialogIds: string[];
  userId: number;
}

/** Hides private dialogs, which are held, from one occupant's list until their next message. */
export async function hideDialogs(
  transaction: Transaction,
  { applicationId, dialogIds, userId }: Occupant,
): Promise<void> {
  await transaction.$executeRaw`
    UPDATE members m SET hidden_seq = d.last_seq FROM dialogs d
    WHERE d.application_id = m.application_id AND d.id = m.dialog_id AND m.application_id = ${applicationId}
      AND m.dialog_id = ANY(${dialogIds}::text[]) AND m.user_id = ${userId}`;
}

/** Shows a private dialog in its occupant's list again. */
export async function unhideDialog(
  dialogId: string,
  { applicationId, userId }: { applicationId: number; userId: number },
): Promise<void> {
  await db.$executeRaw`
    UPDATE members SET hidden_seq = NULL
    WHERE application_id = ${applicationId} AND dialog_id = ${dialogId} AND user_id = ${userId}
      AND hidden_seq IS NOT NULL`;
}

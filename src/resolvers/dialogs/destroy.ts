import type { Transaction } from '../../db/client.ts';

/**
 * Destroys dialogs, which are held, for all. Nobody reaches a message without its dialog, so the messages themselves
 * may be many and go later (`sweepDestroyedDialogs`).
 */
export async function destroyDialogs(transaction: Transaction, applicationId: number, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await transaction.$executeRaw`
    WITH destroyed AS (
      DELETE FROM dialogs WHERE application_id = ${applicationId} AND id = ANY(${ids}::text[])
      RETURNING application_id, id
    )
    INSERT INTO destroyed_dialogs (application_id, dialog_id) SELECT application_id, id FROM destroyed`;
}

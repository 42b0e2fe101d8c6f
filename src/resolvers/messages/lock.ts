import type { Transaction } from '../../db/client.ts';
import type { ActingViewer } from '../../lib/access.ts';
import { indexBy } from '../../lib/collections.ts';
import { isStringId } from '../../lib/string-ids.ts';
import { hiddenFrom } from '../dialogs/hidden-messages.ts';
import { type Lock, type LockedDialog, lockDialogs } from '../dialogs/lock.ts';
import { MESSAGE_COLUMNS, type MessageRow } from './rows.ts';

export interface LockedMessage extends MessageRow {
  dialog: LockedDialog;
  /** The caller has deleted it for themselves. */
  isHidden: boolean;
}

/**
 * Messages whose dialogs are held until the transaction ends, in the order asked for; unknown ones are left out.
 * @param ids each once
 */
export async function lockMessages(
  transaction: Transaction,
  ids: string[],
  viewer: ActingViewer,
  lock: Lock,
): Promise<LockedMessage[]> {
  const wanted = ids.filter(isStringId);
  const where = { applicationId: viewer.applicationId, id: { in: wanted } };
  const places = await transaction.message.findMany({ where, select: { dialogId: true }, distinct: ['dialogId'] });
  const dialogIds = places.map((place) => place.dialogId);
  const dialogs = indexBy(await lockDialogs(transaction, dialogIds, viewer, lock), (dialog) => dialog.id);
  // Read once their dialogs are held: before that, they may be deleted.
  const rows = await transaction.$queryRaw<(MessageRow & { isHidden: boolean })[]>`
    SELECT ${MESSAGE_COLUMNS}, ${hiddenFrom(viewer)} AS "isHidden" FROM messages m
    WHERE m.application_id = ${viewer.applicationId} AND m.id = ANY(${wanted}::text[])`;
  const messages = indexBy(rows, (row) => row.id);
  return wanted.flatMap((id) => {
    const message = messages.get(id);
    const dialog = message && dialogs.get(message.dialogId);
    return dialog ? [{ ...message, dialog }] : [];
  });
}

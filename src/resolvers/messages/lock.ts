import type { Transaction } from '../../db/client.ts';
import { select } from '../../db/columns.ts';
import { queryIn } from '../../db/query.ts';
import type { ActingViewer } from '../../lib/access.ts';
import { indexBy } from '../../lib/collections.ts';
import { isStringId } from '../../lib/string-ids.ts';
import { type Lock, type LockedDialog, lockDialogs } from '../dialogs/lock.ts';
import { isHidden, MESSAGE_COLUMNS, type MessageRow } from './rows.ts';

export interface LockedMessage extends MessageRow {
  dialog: LockedDialog;
  isHidden: boolean;
}

/** In the given order, without unknown ones. Ids must be distinct. */
export async function lockMessages(
  transaction: Transaction,
  ids: string[],
  viewer: ActingViewer,
  lock: Lock,
): Promise<LockedMessage[]> {
  const wanted = ids.filter(isStringId);
  const where = { applicationId: viewer.applicationId, id: { in: wanted } };
  const keys = await transaction.message.findMany({ where, select: { dialogId: true }, distinct: ['dialogId'] });
  const dialogIds = keys.map((key) => key.dialogId);
  const dialogs = indexBy(await lockDialogs(transaction, dialogIds, viewer, lock), (dialog) => dialog.id);
  // Read after locking, because messages may be deleted before.
  const statement = select`
    SELECT ${MESSAGE_COLUMNS}, ${isHidden(viewer)} FROM messages m
    WHERE m.application_id = ${viewer.applicationId} AND m.id = ANY(${wanted}::text[])`;
  const rows = await queryIn(transaction, statement);
  const messages = indexBy(rows, (row) => row.id);
  return wanted.flatMap((id) => {
    const message = messages.get(id);
    const dialog = message && dialogs.get(message.dialogId);
    return dialog ? [{ ...message, dialog }] : [];
  });
}

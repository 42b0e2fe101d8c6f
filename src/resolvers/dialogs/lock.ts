import { Prisma, type Transaction } from '../../db/client.ts';
import { select } from '../../db/columns.ts';
import { DIALOG_TYPE } from '../../db/dialog-types.ts';
import { transactInTurns } from '../../db/lock-turns.ts';
import { runLong } from '../../db/long-work.ts';
import { queryIn } from '../../db/query.ts';
import type { Dialog } from '../../generated/prisma/client.ts';
import type { ActingViewer } from '../../lib/access.ts';
import type { FairnessPath } from '../../lib/semaphore.ts';
import { isStringId } from '../../lib/string-ids.ts';
import { DIALOG_COLUMNS } from './rows.ts';
import type { Standing } from './rules.ts';

export interface LockedDialog extends Dialog {
  /** Undefined if the caller is not an occupant. */
  standing: Standing | undefined;
}

/** `KEY SHARE` blocks changes of occupants, `SHARE` also sends, `NO KEY UPDATE` also marks, `UPDATE` all references. */
export type Lock = 'KEY SHARE' | 'SHARE' | 'NO KEY UPDATE' | 'UPDATE';

const MANY_USERS = 500;

export function transactForUsers<Result>(
  owner: FairnessPath,
  userCount: number,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  if (userCount <= MANY_USERS) return transactInTurns(owner, work);
  return runLong(owner, (runStep) => transactInTurns(owner, work, runStep));
}

/** Locks dialogs in id order, as every writer does, until the transaction ends. Omits unknown ids. */
export async function lockDialogs(
  transaction: Transaction,
  dialogIds: string[],
  viewer: ActingViewer,
  lock: Lock,
): Promise<LockedDialog[]> {
  const statement = select`
    SELECT ${DIALOG_COLUMNS} FROM dialogs d
    WHERE d.application_id = ${viewer.applicationId} AND d.id = ANY(${dialogIds.filter(isStringId)}::text[])
    ORDER BY d.id FOR ${Prisma.raw(lock)}`;
  const dialogs = await queryIn(transaction, statement);
  if (viewer.kind === 'key') return dialogs.map((dialog) => ({ ...dialog, standing: 'owner' }));
  // Read after locking, because memberships may change before.
  const memberships = await transaction.$queryRaw<{ dialogId: string; isAdmin: boolean }[]>`
    SELECT dialog_id AS "dialogId", is_admin AS "isAdmin" FROM members
    WHERE application_id = ${viewer.applicationId} AND user_id = ${viewer.userId} AND left_at IS NULL
      AND dialog_id = ANY(${dialogs.map(({ id }) => id)}::text[])`;
  const isAdminOf = new Map(memberships.map(({ dialogId, isAdmin }) => [dialogId, isAdmin]));
  return dialogs.map((dialog) => {
    const isOccupant = dialog.type === DIALOG_TYPE.PUBLIC_GROUP || isAdminOf.has(dialog.id);
    const rank = isAdminOf.get(dialog.id) ? 'admin' : 'occupant';
    return { ...dialog, standing: !isOccupant ? undefined : dialog.userId === viewer.userId ? 'owner' : rank };
  });
}

import { Prisma, type Transaction } from '../../db/client.ts';
import { select } from '../../db/columns.ts';
import { DIALOG_TYPE } from '../../db/dialog-types.ts';
import { transactInTurns } from '../../db/lock-turns.ts';
import { runLong } from '../../db/long-work.ts';
import { queryIn } from '../../db/query.ts';
import type { Dialog } from '../../generated/prisma/client.ts';
import type { ActingViewer } from '../../lib/access.ts';
import type { JobOwner } from '../../lib/semaphore.ts';
import { isStringId } from '../../lib/string-ids.ts';
import { DIALOG_COLUMNS } from './rows.ts';
import type { Standing } from './rules.ts';

export interface LockedDialog extends Dialog {
  /** What the caller is in it; undefined when they are no occupant. */
  standing: Standing | undefined;
}

/**
 * How a dialog is held: `KEY SHARE` keeps changes of its occupants out, `SHARE` also sends, `NO KEY UPDATE` also marks,
 * `UPDATE` whatever refers to the dialog.
 */
export type Lock = 'KEY SHARE' | 'SHARE' | 'NO KEY UPDATE' | 'UPDATE';

/** A change of more occupants is a long job. */
const MANY_USERS = 500;

/** Runs a transaction that changes a dialog for so many users. */
export function transactForUsers<Result>(
  owner: JobOwner,
  userCount: number,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  if (userCount <= MANY_USERS) return transactInTurns(owner, work);
  return runLong(owner, (runStep) => transactInTurns(owner, work, runStep));
}

/**
 * Holds dialogs until the transaction ends, in the order of their ids, which every writer keeps to. Unknown ones are
 * left out.
 */
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
  // Asked once the dialogs are held: before that, their members may change.
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

import DataLoader from 'dataloader';
import { columnsOf, type RowOf } from '../../db/columns.ts';
import { DIALOG_TYPE } from '../../db/dialog-types.ts';
import { query } from '../../db/query.ts';
import type { Dialog } from '../../generated/prisma/client.ts';
import type { Viewer } from '../../lib/access.ts';
import { groupBy, indexBy } from '../../lib/collections.ts';
import { type PresentedData, presentData } from './data.ts';

const OCCUPANT = columnsOf('Member', 'm', ['dialogId', 'userId', 'isAdmin']);
type Occupant = RowOf<[typeof OCCUPANT]>;

export function memberLoader(): DataLoader<Dialog, Occupant[], string> {
  return dialogLoader(async (dialogs) => {
    const rows = await query`
      SELECT ${OCCUPANT} FROM members m
      WHERE m.application_id = ${dialogs[0]!.applicationId} AND m.dialog_id = ANY(${dialogs.map((one) => one.id)}::text[])
        AND m.left_at IS NULL
      ORDER BY m.user_id`;
    const byDialog = groupBy(rows, (row) => row.dialogId);
    return dialogs.map(({ id }) => byDialog.get(id) ?? []);
  });
}

/** Messages that the viewer has not sent, read or hidden; 0 in public groups and without a user. */
export function unreadCountLoader(viewer: Viewer): DataLoader<Dialog, number, string> {
  return dialogLoader(async (dialogs) => {
    if (viewer.kind !== 'user') return dialogs.map(() => 0);
    const rows = await query<{ dialogId: string; unread: number }>`
      SELECT m.dialog_id AS "dialogId", d.message_count - m.settled_count AS unread
      FROM members m JOIN dialogs d ON d.application_id = m.application_id AND d.id = m.dialog_id
      WHERE m.application_id = ${viewer.applicationId} AND m.user_id = ${viewer.userId}
        AND m.left_at IS NULL AND m.dialog_id = ANY(${dialogs.map((one) => one.id)}::text[])
        AND d.type <> ${DIALOG_TYPE.PUBLIC_GROUP}`;
    const byDialog = indexBy(rows, (row) => row.dialogId);
    return dialogs.map(({ id }) => byDialog.get(id)?.unread ?? 0);
  });
}

export function dialogDataLoader(): DataLoader<Dialog, PresentedData | null, string> {
  return dialogLoader(presentData);
}

/** For an API key alone, the owner's partner. */
export function otherOccupant({ pairKey, userId }: Dialog, viewer: Viewer): number | undefined {
  const own = viewer.kind === 'user' ? viewer.userId : userId;
  return pairKey
    ?.split(':')
    .map(Number)
    .find((id) => id !== own);
}

export function dialogLoader<Value>(
  load: (dialogs: readonly Dialog[]) => Promise<Value[]>,
): DataLoader<Dialog, Value, string> {
  return new DataLoader(load, { cacheKeyFn: (dialog) => dialog.id });
}

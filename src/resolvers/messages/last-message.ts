import type DataLoader from 'dataloader';
import { query } from '../../db/query.ts';
import type { Dialog } from '../../generated/prisma/client.ts';
import type { Viewer } from '../../lib/access.ts';
import { indexBy } from '../../lib/collections.ts';
import { visibleTo } from '../dialogs/hidden-messages.ts';
import { dialogLoader } from '../dialogs/views.ts';
import { MESSAGE_COLUMNS, type MessageRow } from './rows.ts';
export function lastMessageLoader(viewer: Viewer): DataLoader<Dialog, MessageRow | null, string> {
  return dialogLoader(async (dialogs) => {
    const { applicationId } = dialogs[0]!;
    const rows = await query`
      SELECT latest.* FROM unnest(${dialogs.map((one) => one.id)}::text[]) AS wanted (id)
      CROSS JOIN LATERAL (SELECT ${MESSAGE_COLUMNS} FROM messages m
        WHERE m.application_id = ${applicationId} AND m.dialog_id = wanted.id AND ${visibleTo(viewer)}
        ORDER BY m.seq DESC LIMIT 1) AS latest`;
    const byDialog = indexBy(rows, (row) => row.dialogId);
    return dialogs.map(({ id }) => byDialog.get(id) ?? null);
  });
}

import DataLoader from 'dataloader';
import { Prisma } from '../../db/client.ts';
import { applicationOf, coalesce } from '../../db/coalesce.ts';
import { column, columns, columnsOf } from '../../db/columns.ts';
import { query } from '../../db/query.ts';
import type { Message } from '../../generated/prisma/client.ts';
import type { Viewer } from '../../lib/access.ts';
import { userIdOf } from '../../lib/access.ts';
import { hiddenFrom, hiddenFromUser } from '../dialogs/hidden-messages.ts';

export const MESSAGE_COLUMNS = columnsOf('Message', 'm');

export type MessageRow = Message;

export function isHidden(viewer: Viewer) {
  return column('isHidden', 'boolean', hiddenFrom(viewer));
}

export interface FoundMessage extends MessageRow {
  isHidden: boolean;
  type: number;
  isMember: boolean;
}

/** Does not check access. */
export function messageLoader(
  viewer: Viewer,
): DataLoader<{ applicationId: number; id: string }, FoundMessage | undefined, string> {
  const userId = userIdOf(viewer);
  return new DataLoader((keys) => Promise.all(keys.map((key) => findRow({ ...key, userId }))), {
    cacheKeyFn: ({ id }) => id,
  });
}

const FOUND = columns({ ord: ['int', 'w.ord::int'], isMember: ['boolean', 'o.user_id IS NOT NULL'] });
const DIALOG = columnsOf('Dialog', 'd', ['type']);

const findRow = coalesce(
  async (wanted: { applicationId: number; id: string; userId: number }[], applicationId: number) => {
    const isHidden = column('isHidden', 'boolean', hiddenFromUser(applicationId, Prisma.sql`w.user_id`));
    const rows = await query`
      SELECT ${MESSAGE_COLUMNS}, ${DIALOG}, ${FOUND}, ${isHidden}
      FROM unnest(${wanted.map((key) => key.id)}::text[], ${wanted.map((key) => key.userId)}::int[])
        WITH ORDINALITY AS w (id, user_id, ord)
      JOIN messages m ON m.application_id = ${applicationId} AND m.id = w.id
      JOIN dialogs d ON d.application_id = ${applicationId} AND d.id = m.dialog_id
      LEFT JOIN members o ON o.application_id = ${applicationId} AND o.dialog_id = m.dialog_id AND o.user_id = w.user_id
        AND o.left_at IS NULL`;
    const byOrdinal = new Map(rows.map((row) => [row.ord, row]));
    return wanted.map((_, index) => byOrdinal.get(index + 1));
  },
  { applicationOf },
);

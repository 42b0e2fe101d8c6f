import DataLoader from 'dataloader';
import { column, columnsOf } from '../../db/columns.ts';
import { query } from '../../db/query.ts';
import type { Message } from '../../generated/prisma/client.ts';
import type { Viewer } from '../../lib/access.ts';
import { indexBy } from '../../lib/collections.ts';
import { hiddenFrom } from '../dialogs/hidden-messages.ts';

/** `m` is the table. */
export const MESSAGE_COLUMNS = columnsOf('Message', 'm');

export type MessageRow = Message;

/** Whether the viewer has deleted message `m` for themselves. */
export function isHidden(viewer: Viewer) {
  return column('isHidden', 'boolean', hiddenFrom(viewer));
}

/** Messages by id, whoever may see them: callers check that. */
export function messageLoader(
  viewer: Viewer,
): DataLoader<{ applicationId: number; id: string }, (MessageRow & { isHidden: boolean }) | null, string> {
  return new DataLoader(
    async (keys) => {
      const rows = await query`
        SELECT ${MESSAGE_COLUMNS}, ${isHidden(viewer)} FROM messages m
        WHERE m.application_id = ${keys[0]!.applicationId} AND m.id = ANY(${keys.map((key) => key.id)}::text[])`;
      const byId = indexBy(rows, (row) => row.id);
      return keys.map(({ id }) => byId.get(id) ?? null);
    },
    { cacheKeyFn: ({ id }) => id },
  );
}

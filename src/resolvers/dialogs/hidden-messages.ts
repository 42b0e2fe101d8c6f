import { Prisma } from '../../db/client.ts';
import type { Viewer } from '../../lib/access.ts';
/** Confines messages `m` to those the viewer has not deleted for themselves. Whether they may know the dialog is asked apart. */
export function visibleTo(viewer: Viewer): Prisma.Sql {
  return Prisma.sql`NOT ${hiddenFrom(viewer)}`;
}

/** Whether the viewer has deleted message `m` for themselves. */
export function hiddenFrom(viewer: Viewer): Prisma.Sql {
  if (viewer.kind !== 'user') return Prisma.sql`false`;
  return Prisma.sql`EXISTS (SELECT FROM hidden_messages h
    WHERE h.application_id = m.application_id AND h.user_id = ${viewer.userId} AND h.dialog_id = m.dialog_id
      AND h.seq = m.seq)`;
}

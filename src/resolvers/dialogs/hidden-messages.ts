import { Prisma } from '../../db/client.ts';
import type { Viewer } from '../../lib/access.ts';

/** Condition on `messages m`; does not check access to the dialog. */
export function visibleTo(viewer: Viewer): Prisma.Sql {
  return Prisma.sql`NOT ${hiddenFrom(viewer)}`;
}

export function hiddenFrom(viewer: Viewer): Prisma.Sql {
  return viewer.kind === 'user'
    ? hiddenFromUser(viewer.applicationId, Prisma.sql`${viewer.userId}`)
    : Prisma.sql`false`;
}

export function hiddenFromUser(applicationId: number, userId: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`EXISTS (SELECT FROM hidden_messages h
    WHERE h.application_id = ${applicationId} AND h.user_id = ${userId} AND h.dialog_id = m.dialog_id
      AND h.seq = m.seq)`;
}

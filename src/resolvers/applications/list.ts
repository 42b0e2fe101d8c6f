import { db, type Prisma } from '../../db/client.ts';
import type { Application } from '../../generated/prisma/client.ts';
import type { AdministratorViewer } from '../../lib/access.ts';

export function listApplications(): Promise<Application[]> {
  return db.application.findMany({ orderBy: { id: 'asc' } });
}

/** Those in which the caller has a role, except unfinished imports and deleted ones. */
export function listMyApplications(
  { administrator: { roles } }: AdministratorViewer,
  selection: Prisma.ApplicationDefaultArgs = {},
): Promise<Application[]> {
  const ids = roles.flatMap(({ applicationId }) => applicationId ?? []);
  const id = roles.some(({ applicationId }) => applicationId === null) ? undefined : { in: ids };
  return db.application.findMany({ ...selection, where: { id, importId: null }, orderBy: { id: 'asc' } });
}

import { db } from '../../db/client.ts';
import type { Application } from '../../generated/prisma/client.ts';
/** All applications, for the operator alone. */
export function listApplications(): Promise<Application[]> {
  return db.application.findMany({ orderBy: { id: 'asc' } });
}

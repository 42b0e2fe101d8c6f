import { db } from '../../db/client.ts';
import type { Application } from '../../generated/prisma/client.ts';
export function listApplications(): Promise<Application[]> {
  return db.application.findMany({ orderBy: { id: 'asc' } });
}

import { db, type Prisma } from '../../db/client.ts';
import type { Application } from '../../generated/prisma/client.ts';
import { NotFoundError } from '../../lib/errors.ts';

export async function findApplication(id: number, selection: Prisma.ApplicationDefaultArgs = {}): Promise<Application> {
  const application = await db.application.findUnique({ ...selection, where: { id } });
  if (!application) throw new NotFoundError();
  return application;
}

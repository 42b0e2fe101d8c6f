import { db } from '../../db/client.ts';
import type { Application } from '../../generated/prisma/client.ts';
import { NotFoundError } from '../../lib/errors.ts';
/** @throws {NotFoundError} unknown application */
export async function findApplication(id: number): Promise<Application> {
  const application = await db.application.findUnique({ where: { id } });
  if (!application) throw new NotFoundError();
  return application;
}

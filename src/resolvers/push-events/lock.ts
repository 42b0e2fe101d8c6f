import { Prisma, type Transaction } from '../../db/client.ts';
import type { ActingViewer } from '../../lib/access.ts';
import { NotFoundError } from '../../lib/errors.ts';
import { isDatabaseId } from '../../lib/tokens.ts';
import { ownerOf } from './own.ts';
import { type PresentedEvent, RECIPIENTS } from './rows.ts';

export async function lockEvent(transaction: Transaction, id: number, viewer: ActingViewer): Promise<PresentedEvent> {
  const { applicationId, userId } = ownerOf(viewer);
  if (!isDatabaseId(id)) throw new NotFoundError();
  const locked = await transaction.$queryRaw<unknown[]>(Prisma.sql`
    SELECT id FROM events WHERE application_id = ${applicationId} AND id = ${id} AND user_id = ${userId} FOR UPDATE`);
  if (locked.length === 0) throw new NotFoundError();
  return transaction.event.findUniqueOrThrow({
    where: { applicationId_id: { applicationId, id } },
    omit: RECIPIENTS,
  });
}

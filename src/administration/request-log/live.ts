import type { AdministratorContext } from '../../context.ts';
import { db, Prisma } from '../../db/client.ts';
import { type AdministratorViewer, hasRole, type Role } from '../../lib/access.ts';
import { BadInputError, ForbiddenError } from '../../lib/errors.ts';
import type { RowQueue } from '../../realtime/row-queue.ts';
import { ownsAll } from '../administrators/rules.ts';
import { conditionOf, type RequestLogFilter } from './filter.ts';
import { type LoggedRequestRow, readRequests } from './list.ts';

const ROLES: readonly Role[] = ['owner', 'developer'];

/** In the order in which they were stored. @throws {BadInputError} */
export function subscribeToRequests(
  applicationId: number,
  { filter, since }: { filter?: RequestLogFilter | null; since?: string | null },
  { viewer, requestFeed }: AdministratorContext,
): Promise<RowQueue<LoggedRequestRow>> {
  const condition = conditionOf(filter ?? {});
  return requestFeed.follow(applicationId, positionOf(since), async (after, upTo, limit) => {
    await requireStillAllowed(viewer, applicationId);
    return readRequests(Prisma.sql`
      r.application_id = ${applicationId} AND r.id > ${after} AND r.id <= ${upTo} AND ${condition}
      ORDER BY r.id LIMIT ${limit}`);
  });
}

function positionOf(since: string | null | undefined): bigint | undefined {
  if (since == null) return undefined;
  if (!/^(0|[1-9]\d{0,17})$/.test(since)) throw new BadInputError('CURSOR_INVALID');
  return BigInt(since);
}

/** Roles may have changed since the subscription began. */
async function requireStillAllowed({ administrator: { id } }: AdministratorViewer, applicationId: number) {
  const roles = await db.administratorRole.findMany({
    where: { administratorId: id },
    select: { applicationId: true, role: true },
  });
  const isAllowed = applicationId === 0 ? ownsAll({ roles }) : hasRole({ roles }, ROLES, applicationId);
  if (!isAllowed) throw new ForbiddenError('ROLE_FORBIDS');
}

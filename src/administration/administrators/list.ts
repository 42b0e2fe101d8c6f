import { db } from '../../db/client.ts';
import type { AdministratorViewer } from '../../lib/access.ts';
import { type Administrator, administratorOfRow, SELECTION } from './rows.ts';
import { ownedApplications, requireOwner, seenBy } from './rules.ts';

/** Those with a role in an application that the caller owns, oldest first. @throws {ForbiddenError} no owner */
export async function listAdministrators(viewer: AdministratorViewer): Promise<Administrator[]> {
  requireOwner(viewer);
  const owned = ownedApplications(viewer.administrator);
  const where = owned && { roles: { some: { OR: [{ applicationId: null }, { applicationId: { in: owned } }] } } };
  const rows = await db.administrator.findMany({ where, select: SELECTION, orderBy: { id: 'asc' } });
  return rows.flatMap((row) => seenBy(viewer, administratorOfRow(row)) ?? []);
}

/** For the operator. */
export async function listAllAdministrators(): Promise<Administrator[]> {
  const rows = await db.administrator.findMany({ select: SELECTION, orderBy: { id: 'asc' } });
  return rows.map(administratorOfRow);
}

import { db, type Transaction } from '../../db/client.ts';
import { fromEachShard } from '../../db/shards.ts';
import type { AdministratorLink } from '../../generated/prisma/client.ts';
import type { AssignedRole } from '../../lib/access.ts';
import { InvalidFieldsError } from '../../lib/errors.ts';

export const isSameRole = (one: AssignedRole) => (other: AssignedRole) =>
  one.applicationId === other.applicationId && one.role === other.role;

/** Of an invitation; none for other links. */
export function rolesIn(stored: AdministratorLink['roles']): AssignedRole[] {
  return stored as unknown as AssignedRole[];
}

/** @throws {InvalidFieldsError} unknown application */
export async function requireApplications(roles: readonly AssignedRole[]): Promise<void> {
  if ((await ofExisting(roles)).length < roles.length) {
    throw new InvalidFieldsError({ roles: ['UNKNOWN_APPLICATIONS'] });
  }
}

/** @throws {InvalidFieldsError} unknown application */
export async function replaceRoles(
  transaction: Transaction,
  administratorId: number,
  roles: readonly AssignedRole[],
): Promise<void> {
  await requireApplications(roles);
  await transaction.administratorRole.deleteMany({ where: { administratorId } });
  await addRoles(transaction, administratorId, roles);
}

/** Those that are missing, in applications that still exist. */
export async function addRoles(
  transaction: Transaction,
  administratorId: number,
  roles: readonly AssignedRole[],
): Promise<void> {
  const present = await transaction.administratorRole.findMany({ where: { administratorId } });
  const known: AssignedRole[] = [...present];
  for (const one of await ofExisting(roles)) if (!known.some(isSameRole(one))) known.push(one);
  const data = known.slice(present.length).map(({ applicationId, role }) => ({ administratorId, applicationId, role }));
  await transaction.administratorRole.createMany({ data });
}

/** Not those that are being deleted or imported, so that no role outlives its application. */
async function ofExisting(roles: readonly AssignedRole[]): Promise<AssignedRole[]> {
  const ids = roles.flatMap(({ applicationId }) => applicationId ?? []);
  const found = await fromEachShard(() =>
    db.application.findMany({ where: { id: { in: ids }, importId: null }, select: { id: true } }),
  );
  return roles.filter(({ applicationId }) => applicationId === null || found.some(({ id }) => id === applicationId));
}

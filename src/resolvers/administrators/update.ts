import type { Services } from '../../context.ts';
import type { Transaction } from '../../db/client.ts';
import { OPERATOR_JOBS, transact } from '../../db/transact.ts';
import type { AdministratorViewer, AssignedRole } from '../../lib/access.ts';
import { InvalidFieldsError, NotFoundError } from '../../lib/errors.ts';
import { replaceRoles } from './create.ts';
import {
  type Administrator,
  administratorOfRow,
  findAdministrator,
  jobOf,
  lockAdministrators,
  SELECTION,
} from './rows.ts';
import { emailOf, requireOwnerOf, requireOwnerOfAll, requireValid, seenBy } from './rules.ts';

export interface AdministratorChanges {
  name?: string | null;
  roles?: readonly AssignedRole[] | null;
}

/**
 * Changed roles count from the next request. Roles that the caller does not see remain.
 * @throws {NotFoundError} {ForbiddenError} {InvalidFieldsError}
 */
export async function updateAdministrator(
  id: number,
  { name, roles }: AdministratorChanges,
  viewer: AdministratorViewer,
  { now }: Pick<Services, 'now'>,
): Promise<Administrator> {
  requireValid({ name });
  await transact(jobOf(viewer), async (transaction) => {
    await lockAdministrators(transaction);
    const before = await findAdministrator(id, transaction);
    const seen = seenBy(viewer, before);
    // People join by invitation, so that no owner can find others by their numbers.
    if (!seen) throw new NotFoundError('The administrator was not found');
    if (roles) {
      requireOwnerOf(viewer, changedRoles(seen.roles, roles));
      const unseen = before.roles.filter((role) => !seen.roles.includes(role));
      requireValid({ roles: [...unseen, ...roles] });
      await replaceRoles(transaction, id, [...unseen, ...roles]);
      await requireOwnerLeft(transaction);
    }
    if (name != null && id !== viewer.administrator.id) requireOwnerOf(viewer, before.roles);
    const data = { ...(name != null && { name: name.trim() }), updatedAt: now() };
    await transaction.administrator.update({ where: { id }, data });
  });
  const after = await findAdministrator(id);
  return seenBy(viewer, after) ?? { ...after, roles: [] };
}

/** Ends their sessions. @throws {NotFoundError} {ForbiddenError} {InvalidFieldsError} the last owner */
export async function deleteAdministrator(id: number, viewer: AdministratorViewer): Promise<true> {
  requireOwnerOfAll(viewer);
  await transact(jobOf(viewer), async (transaction) => {
    await lockAdministrators(transaction);
    await findAdministrator(id, transaction);
    await transaction.administrator.delete({ where: { id } });
    await requireOwnerLeft(transaction);
  });
  return true;
}

/** For the operator, who may also remove the last owner. @throws {NotFoundError} */
export function removeAdministrator(email: string): Promise<Administrator> {
  return transact(OPERATOR_JOBS, async (transaction) => {
    const row = await transaction.administrator.findUnique({ where: { email: emailOf(email) }, select: SELECTION });
    if (!row) throw new NotFoundError();
    await transaction.administrator.delete({ where: { id: row.id } });
    return administratorOfRow(row);
  });
}

function changedRoles(before: readonly AssignedRole[], after: readonly AssignedRole[]): AssignedRole[] {
  const isIn = (roles: readonly AssignedRole[]) => (one: AssignedRole) =>
    roles.some(({ applicationId, role }) => applicationId === one.applicationId && role === one.role);
  const [isBefore, isAfter] = [isIn(before), isIn(after)];
  return [...before.filter((one) => !isAfter(one)), ...after.filter((one) => !isBefore(one))];
}

async function requireOwnerLeft(transaction: Transaction): Promise<void> {
  const owner = { role: 'owner', applicationId: null } as const;
  const where = { passwordHash: { not: null }, roles: { some: owner } };
  if ((await transaction.administrator.count({ where })) > 0) return;
  throw new InvalidFieldsError({ roles: ['should leave one owner of all applications'] });
}

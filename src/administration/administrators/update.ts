import type { Services } from '../../context.ts';
import type { Transaction } from '../../db/client.ts';
import { OPERATOR_JOBS, transact } from '../../db/transact.ts';
import type { AdministratorViewer, AssignedRole } from '../../lib/access.ts';
import { InvalidFieldsError, NotFoundError } from '../../lib/errors.ts';
import { endInvitationsBeyond } from './invitations.ts';
import { isSameRole, replaceRoles } from './roles.ts';
import { type Administrator, findAdministrator, lockAdministrators, transactAs } from './rows.ts';
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
  await transactAs(viewer, async (transaction) => {
    const before = await findAdministrator(id, transaction);
    const seen = seenBy(viewer, before);
    // People join by invitation, so that no owner can find others by their numbers.
    if (!seen) throw new NotFoundError('ADMINISTRATOR_NOT_FOUND');
    if (roles) {
      requireOwnerOf(viewer, changedRoles(seen.roles, roles));
      const unseen = before.roles.filter((role) => !seen.roles.includes(role));
      const all = [...unseen, ...roles];
      // None at all is possible, so that an owner removes a person without learning about roles elsewhere.
      if (roles.length > 0) requireValid({ roles: all });
      await replaceRoles(transaction, id, all);
      await endInvitationsBeyond(transaction, id, all);
      await requireOwnerLeft(transaction);
    }
    if (name != null && id !== viewer.administrator.id) requireOwnerOfAll(viewer);
    const data = { ...(name != null && { name: name.trim() }), updatedAt: now() };
    await transaction.administrator.update({ where: { id }, data });
  });
  const after = await findAdministrator(id);
  return seenBy(viewer, after) ?? { ...after, roles: [] };
}

/** Ends their sessions and invitations. @throws {NotFoundError} {ForbiddenError} {InvalidFieldsError} the last owner */
export async function deleteAdministrator(id: number, viewer: AdministratorViewer): Promise<true> {
  requireOwnerOfAll(viewer);
  await transactAs(viewer, async (transaction) => {
    const { email } = await findAdministrator(id, transaction);
    await transaction.administrator.delete({ where: { id } });
    await transaction.administratorLink.deleteMany({ where: { email } });
    await requireOwnerLeft(transaction);
  });
  return true;
}

/** For the operator, who may also remove the last owner. @throws {NotFoundError} neither account nor invitation */
export function removeAdministrator(address: string): Promise<{ email: string; invitations: number }> {
  const email = emailOf(address);
  return transact(OPERATOR_JOBS, async (transaction) => {
    await lockAdministrators(transaction);
    const { count: accounts } = await transaction.administrator.deleteMany({ where: { email } });
    const { count: invitations } = await transaction.administratorLink.deleteMany({ where: { email } });
    if (accounts + invitations === 0) throw new NotFoundError();
    return { email, invitations };
  });
}

function changedRoles(before: readonly AssignedRole[], after: readonly AssignedRole[]): AssignedRole[] {
  const missingIn = (roles: readonly AssignedRole[]) => (one: AssignedRole) => !roles.some(isSameRole(one));
  return [...before.filter(missingIn(after)), ...after.filter(missingIn(before))];
}

async function requireOwnerLeft(transaction: Transaction): Promise<void> {
  const owner = { role: 'owner', applicationId: null } as const;
  const where = { roles: { some: owner } };
  if ((await transaction.administrator.count({ where })) > 0) return;
  throw new InvalidFieldsError({ roles: ['NO_OWNER_LEFT'] });
}

import type { AdministrationContext } from '../../context.ts';
import { db } from '../../db/client.ts';
import { transact } from '../../db/transact.ts';
import type { Role, User } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { NotFoundError, requireNone, UnknownUserError } from '../../lib/errors.ts';
import { type FieldProblems, problem } from '../../lib/problems.ts';
import { knownId } from '../../lib/tokens.ts';

type RoleContext = Pick<AdministrationContext, 'viewer' | 'now'>;

export const MAX_ROLES = 100;
export const MAX_ROLE_NAME = 40;
const MAX_DESCRIPTION = 255;

/** By name. */
export function listRoles({ viewer: { applicationId } }: Pick<RoleContext, 'viewer'>): Promise<Role[]> {
  return db.role.findMany({ where: { applicationId }, orderBy: { name: 'asc' } });
}

/** Creates the role, or changes its description. @throws {InvalidFieldsError} name or description, or too many roles */
export async function defineRole(name: string, description: string, { viewer, now }: RoleContext): Promise<Role> {
  const { applicationId } = viewer;
  const problems: FieldProblems = {};
  if (!isRoleName(name)) problems.name = ['ROLE_NAME_INVALID'];
  if (description.length > MAX_DESCRIPTION) problems.description = [problem('TOO_LONG', { max: MAX_DESCRIPTION })];
  requireNone(problems);
  return transact(jobOwnerOf(viewer), async (transaction) => {
    // Locks the application, so that concurrent calls cannot exceed the limit.
    await transaction.$queryRaw`SELECT id FROM applications WHERE id = ${applicationId} FOR NO KEY UPDATE`;
    const others = await transaction.role.count({ where: { applicationId, name: { not: name } } });
    if (others >= MAX_ROLES) requireNone({ name: [problem('TOO_MANY_ENTRIES', { max: MAX_ROLES })] });
    return transaction.role.upsert({
      where: { applicationId_name: { applicationId, name } },
      create: { applicationId, name, description, createdAt: now() },
      update: { description },
    });
  });
}

/** Also revokes it from its users. @throws {NotFoundError} */
export async function deleteRole(name: string, { viewer, now }: RoleContext): Promise<true> {
  const { applicationId } = viewer;
  await transact(jobOwnerOf(viewer), async (transaction) => {
    const { count } = await transaction.role.deleteMany({ where: { applicationId, name } });
    if (count === 0) throw new NotFoundError('ROLE_NOT_FOUND');
    await transaction.$executeRaw`
      UPDATE users SET roles = array_remove(roles, ${name}), updated_at = ${now()}
      WHERE application_id = ${applicationId} AND roles @> ${[name]}::text[]`;
  });
  return true;
}

/** @throws {UnknownUserError} @throws {NotFoundError} no such role */
export function assignRole(userId: number, name: string, { viewer, now }: RoleContext): Promise<User> {
  const { applicationId } = viewer;
  return transact(jobOwnerOf(viewer), async (transaction) => {
    // A concurrent deletion of the role waits, and then revokes it.
    const found = await transaction.$queryRaw<unknown[]>`
      SELECT name FROM roles WHERE application_id = ${applicationId} AND name = ${name} FOR KEY SHARE`;
    if (found.length === 0) throw new NotFoundError('ROLE_NOT_FOUND');
    const count = await transaction.$executeRaw`
      UPDATE users SET roles = array_append(array_remove(roles, ${name}), ${name}), updated_at = ${now()}
      WHERE application_id = ${applicationId} AND id = ${knownId(userId)}`;
    if (count === 0) throw new UnknownUserError();
    return transaction.user.findUniqueOrThrow({ where: { applicationId_id: { applicationId, id: userId } } });
  });
}

/** No effect if the user does not have it. @throws {UnknownUserError} */
export function revokeRole(userId: number, name: string, { viewer, now }: RoleContext): Promise<User> {
  const { applicationId } = viewer;
  return transact(jobOwnerOf(viewer), async (transaction) => {
    const count = await transaction.$executeRaw`
      UPDATE users SET roles = array_remove(roles, ${name}), updated_at = ${now()}
      WHERE application_id = ${applicationId} AND id = ${knownId(userId)}`;
    if (count === 0) throw new UnknownUserError();
    return transaction.user.findUniqueOrThrow({ where: { applicationId_id: { applicationId, id: userId } } });
  });
}

/** Lower-case letters, digits, `-` and `_`, so that a name is the same in permissions, scopes and settings. */
export function isRoleName(name: string): boolean {
  return name.length <= MAX_ROLE_NAME && /^[a-z][a-z0-9_-]*$/.test(name);
}

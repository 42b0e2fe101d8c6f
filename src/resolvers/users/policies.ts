import { db } from '../../db/client.ts';
import type { ActingViewer, Policies, UserViewer } from '../../lib/access.ts';
import { ForbiddenError } from '../../lib/errors.ts';
import { isProven } from './identities.ts';

/**
 * What the application demands of users, for an operation.
 * @throws {ForbiddenError} the user has a role that needs a second factor, or has no verified address
 */
export async function requirePolicies(
  viewer: UserViewer,
  { isEmailRequired, unprovenRoles }: Pick<Policies, 'isEmailRequired' | 'unprovenRoles'>,
): Promise<void> {
  if (!isEmailRequired && unprovenRoles.length === 0) return;
  const user = await findOwn(viewer);
  if (user?.roles.some((role) => unprovenRoles.includes(role))) throw new ForbiddenError('SECOND_FACTOR_NEEDED');
  if (isEmailRequired && user && !isProven('email', user)) throw new ForbiddenError('EMAIL_NOT_VERIFIED');
}

/** @throws {ForbiddenError} only users with other roles may create dialogs */
export async function requireDialogCreator(viewer: ActingViewer): Promise<void> {
  const roles = (viewer.kind === 'user' && viewer.session?.policies?.dialogCreators) || [];
  const user = roles.length > 0 && viewer.kind === 'user' && (await findOwn(viewer));
  if (user && !user.roles.some((role) => roles.includes(role))) throw new ForbiddenError('ROLE_REQUIRED');
}

function findOwn({ applicationId, userId: id }: { applicationId: number; userId: number }) {
  return db.user.findUnique({ where: { applicationId_id: { applicationId, id } } });
}

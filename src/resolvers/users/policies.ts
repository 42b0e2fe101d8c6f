import { db } from '../../db/client.ts';
import type { ActingViewer } from '../../lib/access.ts';
import { ForbiddenError } from '../../lib/errors.ts';
import { isProven } from './identities.ts';

/** If the application demands a verified address. @throws {ForbiddenError} the user of the session has none */
export async function requireVerifiedEmail(viewer: ActingViewer): Promise<void> {
  const user = viewer.kind === 'user' && viewer.session?.policies?.isEmailRequired && (await findOwn(viewer));
  if (user && !isProven('email', user)) throw new ForbiddenError('EMAIL_NOT_VERIFIED');
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

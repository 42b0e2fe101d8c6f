import { randomBytes } from 'node:crypto';
import type { Services } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import { type AdministratorViewer, jobOwnerOf } from '../../lib/access.ts';
import { NotFoundError } from '../../lib/errors.ts';

/** 20 characters of `A–Z a–z 0–9 - _`. */
export function randomAuthSecret(): string {
  return randomBytes(15).toString('base64url');
}

/** Open sessions remain valid. @returns the new secret; requests signed with the old one fail from now on */
export async function rotateApplicationSecret(
  id: number,
  viewer: AdministratorViewer | { applicationId: number },
  { now }: Pick<Services, 'now'>,
): Promise<string> {
  const authSecret = randomAuthSecret();
  await transact(jobOwnerOf({ ...viewer, applicationId: id }), async (transaction) => {
    const { count } = await transaction.application.updateMany({
      where: { id },
      data: { authSecret, updatedAt: now() },
    });
    if (count === 0) throw new NotFoundError('APPLICATION_NOT_FOUND');
  });
  return authSecret;
}

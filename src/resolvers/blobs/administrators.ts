import { type Right, requireRight, SUPPORT } from '../../administration/administrators/rights.ts';
import { recordRead } from '../../administration/audit/reads.ts';
import type { Context } from '../../context.ts';
import type { Blob } from '../../generated/prisma/client.ts';
import { administratorOf, type IdentifiedViewer } from '../../lib/access.ts';

/** That of messages, because they refer to files. */
const READS_FILES: Right = { roles: SUPPORT, needsReason: true };

/**
 * Before an administrator gets the name, `uid` or bytes of a private file: its `uid` is enough to download it.
 * @returns undefined if no entry is needed
 * @throws {ForbiddenError} {ReasonRequiredError}
 */
export function admitAdministrator(
  { id, isPublic }: Pick<Blob, 'id' | 'isPublic'>,
  { viewer, now }: Pick<Context, 'viewer' | 'now'>,
): Promise<void> | undefined {
  const administrator = administratorOf(viewer);
  if (isPublic || !administrator) return undefined;
  const { applicationId, actor } = viewer as IdentifiedViewer;
  requireRight(READS_FILES, administrator, applicationId, {}, now());
  const userId = viewer.kind === 'user' ? viewer.userId : undefined;
  return recordRead({ operation: 'blobFile', subjectId: String(id), applicationId, userId }, actor!, now());
}

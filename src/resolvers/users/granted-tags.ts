import { Prisma } from '../../db/client.ts';
import type { User } from '../../generated/prisma/client.ts';
import type { IdentifiedViewer } from '../../lib/access.ts';

/** Only API keys alone grant tags; other callers keep those granted before. */
export function grantedOf(
  { tags }: Partial<Pick<User, 'tags'>>,
  { kind }: IdentifiedViewer,
  before: Pick<User, 'grantedTags'> = { grantedTags: [] },
): Partial<Pick<User, 'grantedTags'>> {
  if (tags === undefined) return {};
  return { grantedTags: kind === 'key' ? tags : before.grantedTags.filter((tag) => tags.includes(tag)) };
}

/** Grants of user `u` by the tags that count for application `a`, and by roles. */
export const HELD_GRANTS = Prisma.sql`(
  array(SELECT 'g:' || tag FROM unnest(CASE a.groups WHEN 'self' THEN u.tags ELSE u.granted_tags END) tag)
  || array(SELECT 'r:' || role FROM unnest(u.roles) role))`;

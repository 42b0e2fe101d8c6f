import { Prisma } from '../../db/client.ts';
import type { User } from '../../generated/prisma/client.ts';
import type { IdentifiedViewer } from '../../lib/access.ts';

/** The column that goes with tags being set: an API key alone grants them, others keep those that were granted. */
export function grantedOf(
  { tags }: Partial<Pick<User, 'tags'>>,
  { kind }: IdentifiedViewer,
  before: Pick<User, 'grantedTags'> = { grantedTags: [] },
): Partial<Pick<User, 'grantedTags'>> {
  if (tags === undefined) return {};
  return { grantedTags: kind === 'key' ? tags : before.grantedTags.filter((tag) => tags.includes(tag)) };
}

/** The tags of user `u` that count in permissions, by the setting of application `a`. */
export const GROUP_TAGS = Prisma.sql`CASE a.groups WHEN 'self' THEN u.tags ELSE u.granted_tags END`;

import type { Context } from '../../context.ts';
import { coalesce } from '../../db/coalesce.ts';
import { query } from '../../db/query.ts';
import type { User } from '../../generated/prisma/client.ts';
import { UsersListingForbiddenError } from '../../lib/errors.ts';
import { userLoader } from './loader.ts';

/** Whether the caller may list or search the users of the application (gaps §22.6). */
export async function mayListUsers({ viewer }: Pick<Context, 'viewer'>): Promise<boolean> {
  return viewer.kind === 'key' || ('applicationId' in viewer && isUsersListOn(viewer.applicationId));
}

/** @throws {UsersListingForbiddenError} the application does not let sessions list its users */
export async function requireListing(context: Pick<Context, 'viewer'>): Promise<void> {
  if (!(await mayListUsers(context))) throw new UsersListingForbiddenError();
}

/** A user whom an item of a list names; null where the list would show the caller users that they may not list. */
export async function listedUser(
  { applicationId, id }: { applicationId: number; id: number },
  { viewer, loaders }: Context,
): Promise<User | null> {
  const isOwn = viewer.kind === 'user' && viewer.userId === id;
  return isOwn || (await mayListUsers({ viewer })) ? loaders.of(userLoader).load({ applicationId, id }) : null;
}

const isUsersListOn = coalesce(async (applicationIds: number[]): Promise<boolean[]> => {
  const rows = await query<{ id: number }>`
    SELECT id FROM applications WHERE id = ANY(${applicationIds}::int[]) AND users_list`;
  const listing = new Set(rows.map(({ id }) => id));
  return applicationIds.map((id) => listing.has(id));
});

import type { Context } from '../../context.ts';
import { Prisma } from '../../db/client.ts';
import { coalesce } from '../../db/coalesce.ts';
import { query } from '../../db/query.ts';
import type { User } from '../../generated/prisma/client.ts';
import type { IdentifiedViewer } from '../../lib/access.ts';
import { UsersListingForbiddenError } from '../../lib/errors.ts';
import { userLoader } from './loader.ts';

export async function mayListUsers({ viewer }: Pick<Context, 'viewer'>): Promise<boolean> {
  return viewer.kind === 'key' || ('applicationId' in viewer && isUsersListOn(viewer.applicationId));
}

export function listableBy(viewer: IdentifiedViewer): Prisma.Sql {
  if (viewer.kind === 'key') return Prisma.sql`true`;
  return Prisma.sql`(SELECT a.users_list FROM applications a WHERE a.id = ${viewer.applicationId})`;
}

/** @throws {UsersListingForbiddenError} the application does not let sessions list users */
export async function requireListing(context: Pick<Context, 'viewer'>): Promise<void> {
  if (!(await mayListUsers(context))) throw new UsersListingForbiddenError();
}

/** For users referenced by list items, which would otherwise list users indirectly. */
export async function maySeeListed(userId: number, { viewer }: Pick<Context, 'viewer'>): Promise<boolean> {
  return (viewer.kind === 'user' && viewer.userId === userId) || mayListUsers({ viewer });
}

export async function listedUser(key: { applicationId: number; id: number }, context: Context): Promise<User | null> {
  return (await maySeeListed(key.id, context)) ? context.loaders.of(userLoader).load(key) : null;
}

const isUsersListOn = coalesce(
  async (calls: number[], applicationId: number): Promise<boolean[]> => {
    const [row] = await query<{ isOn: boolean }>`
      SELECT users_list AS "isOn" FROM applications WHERE id = ${applicationId}`;
    return calls.map(() => row?.isOn ?? false);
  },
  { applicationOf: (applicationId) => applicationId },
);

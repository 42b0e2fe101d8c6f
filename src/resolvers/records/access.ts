import { Prisma } from '../../db/client.ts';
import { column } from '../../db/columns.ts';
import { query } from '../../db/query.ts';
import type { IdentifiedViewer } from '../../lib/access.ts';
import { ForbiddenError } from '../../lib/errors.ts';
import type { ClassDefinition } from '../classes/catalogue.ts';
import { ALL_USERS, isForbidden, isOpen } from '../classes/grants.ts';
import { HELD_GRANTS } from '../users/granted-tags.ts';

export type Action = 'update' | 'delete';

const COLUMNS = { update: Prisma.sql`r.updaters`, delete: Prisma.sql`r.deleters` };
const CLASS_GRANTS = { update: 'updaters', delete: 'deleters' } as const;

export function forbidden(): ForbiddenError {
  return new ForbiddenError('OPERATION_FORBIDDEN');
}

/** @throws {ForbiddenError} only API keys alone may do it */
export function requireOpenClass(action: Action, definition: ClassDefinition, viewer: IdentifiedViewer): void {
  if (viewer.kind !== 'key' && isForbidden(definition[CLASS_GRANTS[action]])) throw forbidden();
}

/**
 * Disjoint conditions, each with its own index, so that the cost of a list does not depend on unreadable records. With
 * shared records, use `plannedForValues`.
 */
export async function readableParts(definition: ClassDefinition, viewer: IdentifiedViewer): Promise<Prisma.Sql[]> {
  if (viewer.kind !== 'key' && isForbidden(definition.readers)) return [];
  const open = definition.hasOpen ? [Prisma.sql`r.is_open = true`] : [];
  if (!definition.hasPrivate || viewer.kind === 'application') return open;
  if (viewer.kind === 'key') return [...open, Prisma.sql`r.is_open = false`];
  const own = Prisma.sql`r.is_open = false AND r.user_id = ${viewer.userId}`;
  if (!definition.hasShared) return [...open, own];
  const grants = await grantsHeldBy(viewer);
  const shared = Prisma.sql`NOT r.is_open AND r.user_id <> ${viewer.userId} AND r.readers && ${grants}::text[]`;
  return [...open, own, shared];
}

export function isReadable(definition: ClassDefinition, viewer: RecordReader) {
  return column('isReadable', 'boolean', readable(definition, viewer));
}

/** A viewer, or users named by a column of the statement. */
export type RecordReader = IdentifiedViewer | NamedUser;

interface NamedUser {
  kind: 'user';
  applicationId: number;
  userId: number | Prisma.Sql;
}

/** A single condition, for statements that select given records. */
export function readable(definition: ClassDefinition, viewer: RecordReader): Prisma.Sql {
  if (viewer.kind === 'key') return Prisma.sql`true`;
  if (isForbidden(definition.readers)) return Prisma.sql`false`;
  if (viewer.kind === 'application') return Prisma.sql`r.is_open`;
  const isShared = definition.hasShared ? Prisma.sql`r.readers && ${grantsOfUser(viewer)}` : Prisma.sql`false`;
  return Prisma.sql`(r.is_open OR r.user_id = ${viewer.userId} OR ${isShared})`;
}

export function allows(action: Action, definition: ClassDefinition, viewer: IdentifiedViewer): Prisma.Sql {
  if (viewer.kind === 'key') return Prisma.sql`true`;
  if (viewer.kind === 'application' || isForbidden(definition[CLASS_GRANTS[action]])) return Prisma.sql`false`;
  const grants = Prisma.sql`(ARRAY[${ALL_USERS}]::text[] || ${grantsOfUser(viewer)})`;
  return Prisma.sql`(r.user_id = ${viewer.userId} OR ${COLUMNS[action]} && ${grants})`;
}

/** A boolean, or a condition if it depends on the user's tags. */
export function creating(definition: ClassDefinition, viewer: IdentifiedViewer): boolean | Prisma.Sql {
  if (viewer.kind === 'key') return true;
  if (viewer.kind === 'application' || isForbidden(definition.creators)) return false;
  if (isOpen(definition.creators)) return true;
  return Prisma.sql`${definition.creators}::text[] && ${grantsOfUser(viewer)}`;
}

/** Grants by user id, by the tags that count for this application, and by roles. */
function grantsOfUser({ applicationId, userId }: Pick<NamedUser, 'applicationId' | 'userId'>): Prisma.Sql {
  return Prisma.sql`(ARRAY['u:' || ${userId}::text] || (
    SELECT ${HELD_GRANTS} FROM users u JOIN applications a ON a.id = u.application_id
    WHERE u.application_id = ${applicationId} AND u.id = ${userId}))`;
}

/** As values, because the planner needs them to estimate the number of matches. */
async function grantsHeldBy({ applicationId, userId }: { applicationId: number; userId: number }): Promise<string[]> {
  const [user] = await query<{ held: string[] }>`
    SELECT ${HELD_GRANTS} AS held FROM users u JOIN applications a ON a.id = u.application_id
    WHERE u.application_id = ${applicationId} AND u.id = ${userId}`;
  return [`u:${userId}`, ...(user?.held ?? [])];
}

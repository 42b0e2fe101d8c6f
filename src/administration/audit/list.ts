import { Prisma } from '../../db/client.ts';
import { columnsOf } from '../../db/columns.ts';
import { newestFirst, rowsOf } from '../../db/conditions.ts';
import { query } from '../../db/query.ts';
import type { AuditEntry } from '../../generated/prisma/client.ts';
import type { AuditAction, AuditActorKind } from '../../generated/prisma/enums.ts';
import { BadInputError } from '../../lib/errors.ts';
import { type Connection, type ConnectionArguments, connection, pageRequest } from '../../lib/pagination.ts';

/** Entries that fulfil all conditions. */
export interface AuditFilter {
  id?: string | null;
  actorKind?: AuditActorKind | null;
  /** Requires `actorKind`. */
  actorId?: number | null;
  action?: AuditAction | null;
  subject?: string | null;
  /** Requires `subject`. */
  subjectId?: string | null;
  from?: Date | null;
  to?: Date | null;
}

export type ListedEntry = Omit<AuditEntry, 'seq' | 'hash'>;

const COLUMNS = columnsOf('AuditEntry', 'e', [
  'applicationId',
  'id',
  'at',
  'actorKind',
  'actorId',
  'network',
  'reason',
  'action',
  'subject',
  'subjectId',
  'before',
  'after',
]);

const ENTRY_ID = /^\d{1,18}$/;

const NEWEST = newestFirst('e.id', 'int8');

/** Newest first. @param applicationId 0: administrators and their roles @throws {BadInputError} */
export async function listAuditEntries(
  applicationId: number,
  { filter, ...listing }: ConnectionArguments & { filter?: AuditFilter | null },
): Promise<Connection<ListedEntry>> {
  const page = pageRequest(listing);
  for (const cursor of [page.after, page.before]) {
    if (cursor && !(ENTRY_ID.test(cursor.id) && String(cursor.value) === cursor.id)) {
      throw new BadInputError('CURSOR_INVALID');
    }
  }
  const rows = await query`
    SELECT ${COLUMNS} FROM audit_entries e
    WHERE e.application_id = ${applicationId} AND ${conditionOf(filter ?? {})} AND ${rowsOf(page, NEWEST)}`;
  return connection(rows, page, ({ id }) => ({ value: String(id), id: String(id) }));
}

function conditionOf({ id, actorKind, actorId, action, subject, subjectId, from, to }: AuditFilter): Prisma.Sql {
  if (actorId != null && actorKind == null) throw new BadInputError('ACTOR_KIND_REQUIRED');
  if (subjectId != null && subject == null) throw new BadInputError('SUBJECT_REQUIRED');
  if (id != null && !ENTRY_ID.test(id)) return Prisma.sql`false`;
  const conditions = [
    id != null && Prisma.sql`e.id = ${BigInt(id)}`,
    actorKind != null && Prisma.sql`e.actor_kind = ${actorKind}::audit_actor_kind`,
    actorId != null && Prisma.sql`e.actor_id = ${actorId}`,
    action != null && Prisma.sql`e.action = ${action}::audit_action`,
    subject != null && Prisma.sql`e.subject = ${subject}`,
    subjectId != null && Prisma.sql`e.subject_id = ${subjectId}`,
    from != null && Prisma.sql`e.at >= ${from}`,
    to != null && Prisma.sql`e.at < ${to}`,
  ].filter((condition) => condition !== false);
  return conditions.length > 0 ? Prisma.join(conditions, ' AND ') : Prisma.sql`true`;
}

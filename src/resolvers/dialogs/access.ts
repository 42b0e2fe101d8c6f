import { Prisma } from '../../db/client.ts';
import { applicationOf, coalesce } from '../../db/coalesce.ts';
import { column, columns, columnsOf, type RowOf, select } from '../../db/columns.ts';
import { DIALOG_TYPE } from '../../db/dialog-types.ts';
import { query } from '../../db/query.ts';
import type { ActingViewer } from '../../lib/access.ts';
import { userIdOf } from '../../lib/access.ts';
import { ForbiddenError, NotFoundError } from '../../lib/errors.ts';
import { isStringId } from '../../lib/string-ids.ts';

export interface ReadableDialog {
  id: string;
  type: number;
  memberVersion: number;
  /** The other user of a private dialog of the caller, or 0. */
  otherId: number;
  /** Undefined for API keys alone and in public groups. */
  member: ReadingMember | undefined;
}

/** Watermarks, without the marks that deviate from them. */
export interface ReadingMember {
  readSeq: number;
  deliveredSeq: number;
  /** Up to this `seq`, own messages may not count as read or delivered. */
  unseenOwnSeq: number;
  hasMarks: boolean;
}

/** @throws {NotFoundError} @throws {ForbiddenError} the caller is not an occupant */
export async function requireReadableDialog(dialogId: string, viewer: ActingViewer): Promise<ReadableDialog> {
  if (!isStringId(dialogId)) throw new NotFoundError();
  const row = await findDialogPlace({
    applicationId: viewer.applicationId,
    dialogId,
    userId: userIdOf(viewer),
  });
  return readableDialog(dialogId, row, viewer);
}

/** @throws like `requireReadableDialog` */
export function readableDialog(id: string, row: CallerMembership | undefined, viewer: ActingViewer): ReadableDialog {
  if (!row) throw new NotFoundError();
  const { type, memberVersion, otherId, isMember } = row;
  requireReader(row, viewer);
  return { id, type, memberVersion, otherId, member: isMember && type !== DIALOG_TYPE.PUBLIC_GROUP ? row : undefined };
}

/** @throws {ForbiddenError} the caller is not one of the occupants */
export function requireReader({ type, isMember }: { type: number; isMember: boolean }, viewer: ActingViewer): void {
  const isReadable = viewer.kind === 'key' || type === DIALOG_TYPE.PUBLIC_GROUP || isMember;
  if (!isReadable) throw new ForbiddenError();
}

const DIALOG = columnsOf('Dialog', 'd', ['type', 'memberVersion']);
const OCCUPANT = columns({
  isMember: ['boolean', 'o.user_id IS NOT NULL'],
  otherId: [
    'int',
    `CASE WHEN d.pair_key IS NULL OR o.user_id IS NULL THEN 0
      ELSE (split_part(d.pair_key, ':', 1)::bigint + split_part(d.pair_key, ':', 2)::bigint - o.user_id)::int END`,
  ],
  readSeq: ['int', 'coalesce(o.read_seq, 0)'],
  deliveredSeq: ['int', 'coalesce(o.delivered_seq, 0)'],
  unseenOwnSeq: ['int', 'coalesce(greatest(o.unread_own_seq, o.undelivered_own_seq), 0)'],
});

/** Of a dialog `d` and the caller's membership `o`. */
export function callerMembership(applicationId: number) {
  const hasMarks = Prisma.sql`EXISTS (SELECT FROM message_marks k
    WHERE k.application_id = ${applicationId} AND k.dialog_id = o.dialog_id AND k.user_id = o.user_id)`;
  return select`${DIALOG}, ${OCCUPANT}, ${column('hasMarks', 'boolean', hasMarks)}`;
}
export type CallerMembership = RowOf<[ReturnType<typeof callerMembership>]>;

const ORD = columns({ ord: ['int', 'w.ord::int'] });

const findDialogPlace = coalesce(
  async (wanted: { applicationId: number; dialogId: string; userId: number }[], applicationId: number) => {
    const rows = await query`
      SELECT ${callerMembership(applicationId)}, ${ORD}
      FROM unnest(${wanted.map((key) => key.dialogId)}::text[], ${wanted.map((key) => key.userId)}::int[])
        WITH ORDINALITY AS w (id, user_id, ord)
      JOIN dialogs d ON d.application_id = ${applicationId} AND d.id = w.id
      LEFT JOIN members o ON o.application_id = ${applicationId} AND o.dialog_id = d.id AND o.user_id = w.user_id
        AND o.left_at IS NULL`;
    const occupancies = new Map(rows.map((row) => [row.ord, row]));
    return wanted.map((_, index) => occupancies.get(index + 1));
  },
  { applicationOf },
);

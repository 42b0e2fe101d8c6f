import { coalesce } from '../../db/coalesce.ts';
import { columns, columnsOf } from '../../db/columns.ts';
import { DIALOG_TYPE } from '../../db/dialog-types.ts';
import { query } from '../../db/query.ts';
import type { ActingViewer } from '../../lib/access.ts';
import { ForbiddenError, NotFoundError } from '../../lib/errors.ts';
import { isStringId } from '../../lib/string-ids.ts';

export interface ReadableDialog {
  id: string;
  type: number;
  memberVersion: number;
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
    userId: viewer.kind === 'user' ? viewer.userId : 0,
  });
  if (!row) throw new NotFoundError();
  const { type, memberVersion, isMember } = row;
  requireReader(row, viewer);
  return { id: dialogId, type, memberVersion, member: isMember && type !== DIALOG_TYPE.PUBLIC_GROUP ? row : undefined };
}

/** @throws {ForbiddenError} the caller is not one of the occupants */
export function requireReader({ type, isMember }: { type: number; isMember: boolean }, viewer: ActingViewer): void {
  const isReadable = viewer.kind === 'key' || type === DIALOG_TYPE.PUBLIC_GROUP || isMember;
  if (!isReadable) throw new ForbiddenError();
}

const DIALOG = columnsOf('Dialog', 'd', ['type', 'memberVersion']);
const STANDING = columns({
  ord: ['int', 'w.ord::int'],
  isMember: ['boolean', 'm.user_id IS NOT NULL'],
  readSeq: ['int', 'coalesce(m.read_seq, 0)'],
  deliveredSeq: ['int', 'coalesce(m.delivered_seq, 0)'],
  unseenOwnSeq: ['int', 'coalesce(greatest(m.unread_own_seq, m.undelivered_own_seq), 0)'],
  hasMarks: [
    'boolean',
    `EXISTS (SELECT FROM message_marks k WHERE k.application_id = m.application_id AND k.dialog_id = m.dialog_id
      AND k.user_id = m.user_id)`,
  ],
});

const findDialogPlace = coalesce(async (wanted: { applicationId: number; dialogId: string; userId: number }[]) => {
  const rows = await query`
    SELECT ${DIALOG}, ${STANDING}
    FROM unnest(${wanted.map((key) => key.applicationId)}::int[], ${wanted.map((key) => key.dialogId)}::text[],
      ${wanted.map((key) => key.userId)}::int[]) WITH ORDINALITY AS w (application_id, id, user_id, ord)
    JOIN dialogs d USING (application_id, id)
    LEFT JOIN members m ON m.application_id = d.application_id AND m.dialog_id = d.id AND m.user_id = w.user_id
      AND m.left_at IS NULL`;
  const occupancies = new Map(rows.map((row) => [row.ord, row]));
  return wanted.map((_, index) => occupancies.get(index + 1));
});

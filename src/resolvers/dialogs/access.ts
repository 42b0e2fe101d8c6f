import { coalesce } from '../../db/coalesce.ts';
import { DIALOG_TYPE } from '../../db/dialog-types.ts';
import { query } from '../../db/query.ts';
import type { ActingViewer } from '../../lib/access.ts';
import { ForbiddenError, NotFoundError } from '../../lib/errors.ts';
import { isStringId } from '../../lib/string-ids.ts';

/** A dialog as its reader stands to it. */
export interface ReadableDialog {
  id: string;
  type: number;
  /** Grows with each change of occupants. */
  memberVersion: number;
  /** The caller's place in a group or private dialog; undefined for API keys alone and in public groups. */
  member: ReadingMember | undefined;
}

/** How far a member has read, without the marks that deviate from it. */
export interface ReadingMember {
  readSeq: number;
  deliveredSeq: number;
  /** Own messages up to here need not count as read, or as delivered. */
  unseenOwnSeq: number;
  hasMarks: boolean;
}

/**
 * @throws {NotFoundError} unknown dialog
 * @throws {ForbiddenError} the caller is not one of its occupants
 */
export async function requireReadableDialog(dialogId: string, viewer: ActingViewer): Promise<ReadableDialog> {
  if (!isStringId(dialogId)) throw new NotFoundError();
  const row = await findDialogPlace({
    applicationId: viewer.applicationId,
    dialogId,
    userId: viewer.kind === 'user' ? viewer.userId : 0,
  });
  if (!row) throw new NotFoundError();
  const { type, memberVersion, isMember } = row;
  const isReadable = viewer.kind === 'key' || type === DIALOG_TYPE.PUBLIC_GROUP || isMember;
  if (!isReadable) throw new ForbiddenError();
  return { id: dialogId, type, memberVersion, member: isMember && type !== DIALOG_TYPE.PUBLIC_GROUP ? row : undefined };
}

interface Place extends ReadingMember {
  ord: number;
  type: number;
  memberVersion: number;
  isMember: boolean;
}

const findDialogPlace = coalesce(async (wanted: { applicationId: number; dialogId: string; userId: number }[]) => {
  const rows = await query<Place>`
    SELECT w.ord::int AS ord, d.type, d.member_version AS "memberVersion", m.user_id IS NOT NULL AS "isMember", coalesce(m.read_seq, 0) AS "readSeq",
      coalesce(m.delivered_seq, 0) AS "deliveredSeq",
      coalesce(greatest(m.unread_own_seq, m.undelivered_own_seq), 0) AS "unseenOwnSeq",
      EXISTS (SELECT FROM message_marks k WHERE k.application_id = m.application_id AND k.dialog_id = m.dialog_id
        AND k.user_id = m.user_id) AS "hasMarks"
    FROM unnest(${wanted.map((place) => place.applicationId)}::int[], ${wanted.map((place) => place.dialogId)}::text[],
      ${wanted.map((place) => place.userId)}::int[]) WITH ORDINALITY AS w (application_id, id, user_id, ord)
    JOIN dialogs d USING (application_id, id)
    LEFT JOIN members m ON m.application_id = d.application_id AND m.dialog_id = d.id AND m.user_id = w.user_id
      AND m.left_at IS NULL`;
  const places = new Map(rows.map((row) => [row.ord, row]));
  return wanted.map((_, index) => places.get(index + 1));
});

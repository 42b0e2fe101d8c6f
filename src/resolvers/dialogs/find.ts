import type { ActingContext } from '../../context.ts';
import { applicationOf, coalesce } from '../../db/coalesce.ts';
import { columns } from '../../db/columns.ts';
import { query } from '../../db/query.ts';
import type { Dialog } from '../../generated/prisma/client.ts';
import { userIdOf } from '../../lib/access.ts';
import { NotFoundError } from '../../lib/errors.ts';
import { isStringId } from '../../lib/string-ids.ts';
import { requireReader } from './access.ts';
import { type DialogParts, detailColumns, keepDetails, partsOf } from './details.ts';
import { DIALOG_COLUMNS } from './rows.ts';

/** @throws {NotFoundError} @throws {ForbiddenError} the caller is not an occupant */
export async function findDialog(
  id: string,
  requestedFields: ReadonlySet<string>,
  { viewer, loaders }: ActingContext,
): Promise<Dialog> {
  if (!isStringId(id)) throw new NotFoundError();
  const parts = partsOf(requestedFields);
  const row = await findRow({ applicationId: viewer.applicationId, id, userId: userIdOf(viewer), parts });
  if (!row) throw new NotFoundError();
  requireReader(row, viewer);
  keepDetails(row, row, parts, loaders);
  return row;
}

interface Wanted {
  applicationId: number;
  id: string;
  userId: number;
  parts: DialogParts;
}

const FOUND = columns({ ord: ['int', 'w.ord::int'], isMember: ['boolean', 'o.user_id IS NOT NULL'] });

const findRow = coalesce(
  async (wanted: Wanted[], applicationId: number) => {
    // A subquery hides the number of inputs from the planner, for which it would plan each execution again.
    const rows = await query`
      SELECT ${FOUND}, ${DIALOG_COLUMNS}, ${detailColumns(applicationId)}
      FROM unnest((SELECT ${wanted.map((one) => one.id)}::text[]), ${wanted.map((one) => one.userId)}::int[],
        ${wanted.map(({ parts }) => parts.occupants)}::boolean[], ${wanted.map(({ parts }) => parts.lastMessage)}::boolean[],
        ${wanted.map(({ parts }) => parts.unread)}::boolean[], ${wanted.map(({ parts }) => parts.otherName)}::boolean[])
        WITH ORDINALITY AS w (id, user_id, occupants, last_message, unread, other_name, ord)
      JOIN dialogs d ON d.application_id = ${applicationId} AND d.id = w.id
      LEFT JOIN members o ON o.application_id = ${applicationId} AND o.dialog_id = w.id AND o.user_id = w.user_id
        AND o.left_at IS NULL`;
    const byOrdinal = new Map(rows.map((row) => [row.ord, row]));
    return wanted.map((_, index) => byOrdinal.get(index + 1));
  },
  { applicationOf },
);

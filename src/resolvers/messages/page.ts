import { Prisma } from '../../db/client.ts';
import { columnsOf } from '../../db/columns.ts';
import { jsonRows } from '../../db/json-rows.ts';
import { query } from '../../db/query.ts';
import type { ActingViewer } from '../../lib/access.ts';
import { NotFoundError } from '../../lib/errors.ts';
import { MAX_PAGE } from '../../lib/pagination.ts';
import { isStringId } from '../../lib/string-ids.ts';
import { isReadableBy, type ReadableDialog, readableDialog, STANDING, type Standing } from '../dialogs/access.ts';
import {
  type DetailParts,
  detailsOf,
  MARKS,
  MEMBERS,
  type MessageDetails,
  type PageDetails,
  REACTIONS,
} from './details.ts';
import type { MessageRow } from './rows.ts';

export interface WantedPage {
  dialogId: string;
  /** Conditions on `messages m`. */
  where: Prisma.Sql;
  orderBy: Prisma.Sql;
  /** At most `MAX_PAGE + 1`. */
  limit: number;
  skip: number;
  /** Whether the conditions depend on a filter of the client. */
  isFiltered: boolean;
  parts: DetailParts;
}

export interface MessagesOfDialog {
  dialog: ReadableDialog;
  messages: MessageRow[];
  /** In the order of the messages. */
  details: MessageDetails[];
}

const COLUMNS = columnsOf('Message', 'm', [
  'id',
  'seq',
  'senderId',
  'recipientId',
  'text',
  'attachments',
  'customFields',
  'sendToChat',
  'dateSent',
  'createdAt',
  'updatedAt',
]);
const TIMES = ['createdAt', 'updatedAt'] as const;

/**
 * Reads the caller's access to a dialog, a page of its messages and their details with one statement.
 * @throws {NotFoundError} {ForbiddenError} the caller is not an occupant
 */
export async function readMessagesOfDialog(wanted: WantedPage, viewer: ActingViewer): Promise<MessagesOfDialog> {
  const { dialogId, parts } = wanted;
  if (!isStringId(dialogId)) throw new NotFoundError();
  const { applicationId } = viewer;
  const userId = viewer.kind === 'user' ? viewer.userId : 0;
  const [row] = await query<Standing & PageDetails & { messages: unknown }>`
    SELECT ${STANDING}, d.type AS "dialogType", page.messages, ${parts.readState ? MEMBERS : NOTHING} AS members,
      ${parts.readState ? MARKS : NOTHING} AS marks, ${parts.reactions ? REACTIONS : NOTHING} AS reactions
    FROM dialogs d
    LEFT JOIN members o ON o.application_id = ${applicationId} AND o.dialog_id = d.id AND o.user_id = ${userId}
      AND o.left_at IS NULL
    CROSS JOIN LATERAL (
      SELECT json_agg(m) AS messages, array_agg(m.seq) AS seqs, array_agg(m.id) AS message_ids
      FROM (${pageOf(wanted, isReadableBy(viewer))}) AS m
    ) AS page
    WHERE d.application_id = ${applicationId} AND d.id = ${dialogId}`;
  const dialog = readableDialog(dialogId, row, viewer);
  const messages = jsonRows<MessageRow>(row!.messages, TIMES);
  for (const message of messages) Object.assign(message, { applicationId, dialogId });
  return { dialog, messages, details: detailsOf(messages, row!) };
}

const NOTHING = Prisma.sql`NULL`;

// PostgreSQL assumes that a limit in a parameter is a tenth of all rows, and therefore plans each execution anew. A
// constant limit inside the other one lets it keep the plan, which saves a third of the CPU time. Filters need plans for
// their values.
function pageOf({ where, orderBy, limit, skip, isFiltered }: WantedPage, isReadable: Prisma.Sql): Prisma.Sql {
  const page = Prisma.sql`SELECT ${COLUMNS} FROM messages m WHERE ${where} AND ${isReadable} ORDER BY ${orderBy}`;
  if (isFiltered || skip > 0) return Prisma.sql`${page} LIMIT ${limit} OFFSET ${skip}`;
  return Prisma.sql`SELECT * FROM (${page} LIMIT ${LONGEST}) AS m LIMIT ${limit}`;
}

const LONGEST = Prisma.raw(String(MAX_PAGE + 1));

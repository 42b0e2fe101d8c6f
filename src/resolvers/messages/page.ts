import { Prisma } from '../../db/client.ts';
import { applicationOf, coalesce } from '../../db/coalesce.ts';
import { column, columns, columnsWithout, type RowOf, select, withJson } from '../../db/columns.ts';
import { TYPE_IN_SQL } from '../../db/dialog-types.ts';
import { jsonRows } from '../../db/json-rows.ts';
import { query } from '../../db/query.ts';
import type { ActingViewer } from '../../lib/access.ts';
import { NotFoundError } from '../../lib/errors.ts';
import { MAX_PAGE } from '../../lib/pagination.ts';
import { isStringId } from '../../lib/string-ids.ts';
import { callerMembership, type ReadableDialog, readableDialog } from '../dialogs/access.ts';
import { hiddenFromUser } from '../dialogs/hidden-messages.ts';
import {
  type DetailParts,
  detailsOf,
  type MessageDetails,
  marksOf,
  membersOf,
  type PageDetails,
  reactionsOf,
} from './details.ts';
import type { MessageRow } from './rows.ts';

export interface PageQuery {
  dialogId: string;
  orderBy: Prisma.Sql;
  limit: number;
  parts: DetailParts;
  /** Unless the page is the first one of all messages. */
  search?: {
    where: Prisma.Sql;
    skip: number;
  };
}

export interface MessagesOfDialog {
  dialog: ReadableDialog;
  messages: MessageRow[];
  details: MessageDetails[];
}

/** One statement, which the first pages of one turn share. @throws {NotFoundError} {ForbiddenError} */
export async function readMessagesOfDialog(
  { orderBy, search, ...wanted }: PageQuery,
  viewer: ActingViewer,
): Promise<MessagesOfDialog> {
  const { dialogId, limit } = wanted;
  if (!isStringId(dialogId)) throw new NotFoundError();
  const { applicationId } = viewer;
  const isKey = viewer.kind === 'key';
  const input = { ...wanted, applicationId, userId: isKey ? 0 : viewer.userId, isKey };
  const row = search
    ? (
        await readPages(
          [input],
          applicationId,
          Prisma.sql`${visible(applicationId)} AND ${search.where} ORDER BY ${orderBy} LIMIT ${limit} OFFSET ${search.skip}`,
        )
      )[0]
    : await firstPagesBy(orderBy)(input);
  const dialog = readableDialog(dialogId, row, viewer);
  const rows = jsonRows(COLUMNS, row!.messages, TIMES);
  const messages: MessageRow[] = rows.map((message) => Object.assign(message, { applicationId, dialogId }));
  return { dialog, messages, details: detailsOf(messages, row!) };
}

interface Input extends Omit<PageQuery, 'orderBy' | 'search'> {
  applicationId: number;
  userId: number;
  isKey: boolean;
}

const WANTED = columns({
  ord: ['int', 'w.ord::int'],
  dialogType: ['int', 'd.type'],
  messages: ['json', 'page.messages'],
});

const pageColumns = (applicationId: number) =>
  withJson<Omit<PageDetails, 'dialogType'>>()(
    select`${callerMembership(applicationId)}, ${WANTED},
      ${column('members', 'json | null', Prisma.sql`CASE WHEN w.read_state THEN ${membersOf(applicationId)} END`)},
      ${column('marks', 'json | null', Prisma.sql`CASE WHEN w.read_state THEN ${marksOf(applicationId)} END`)},
      ${column('reactions', 'json | null', Prisma.sql`CASE WHEN w.reactions THEN ${reactionsOf(applicationId)} END`)}`,
  );

type Page = RowOf<[ReturnType<typeof pageColumns>]>;

const firstPages = new Map<string, (input: Input) => Promise<Page | undefined>>();

function firstPagesBy(orderBy: Prisma.Sql): (input: Input) => Promise<Page | undefined> {
  const cached = firstPages.get(orderBy.sql);
  if (cached) return cached;
  const read = coalesce(
    (inputs: Input[], applicationId: number) => readPages(inputs, applicationId, first(applicationId, orderBy)),
    { max: 16, applicationOf },
  );
  firstPages.set(orderBy.sql, read);
  return read;
}

const COLUMNS = columnsWithout('Message', 'm', ['applicationId', 'dialogId']);
const TIMES = { createdAt: true, updatedAt: true } as const;

const visible = (applicationId: number) => Prisma.sql`SELECT ${COLUMNS} FROM messages m
  WHERE m.application_id = ${applicationId} AND m.dialog_id = w.dialog_id
    AND (w.is_key OR d.type = ${TYPE_IN_SQL.PUBLIC_GROUP} OR o.user_id IS NOT NULL)
    AND NOT ${hiddenFromUser(applicationId, Prisma.sql`w.user_id`)}`;

// PostgreSQL assumes that a limit in a parameter is a tenth of all rows, and therefore plans each execution again. With
// a constant limit inside, it keeps the plan, which saves a third of the CPU time.
function first(applicationId: number, orderBy: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`SELECT * FROM (${visible(applicationId)} ORDER BY ${orderBy} LIMIT ${LONGEST}) AS m LIMIT w.size`;
}

const LONGEST = Prisma.raw(String(MAX_PAGE + 1));

async function readPages(inputs: Input[], applicationId: number, page: Prisma.Sql): Promise<(Page | undefined)[]> {
  // A subquery hides the number of inputs from the planner, for which it would plan each execution again.
  const rows = await query`
    SELECT ${pageColumns(applicationId)}
    FROM unnest((SELECT ${inputs.map((one) => one.dialogId)}::text[]),
      ${inputs.map((one) => one.userId)}::int[], ${inputs.map((one) => one.isKey)}::boolean[],
      ${inputs.map((one) => one.limit)}::int[], ${inputs.map(({ parts }) => parts.readState)}::boolean[],
      ${inputs.map(({ parts }) => parts.reactions)}::boolean[])
      WITH ORDINALITY AS w (dialog_id, user_id, is_key, size, read_state, reactions, ord)
    JOIN dialogs d ON d.application_id = ${applicationId} AND d.id = w.dialog_id
    LEFT JOIN members o ON o.application_id = ${applicationId} AND o.dialog_id = w.dialog_id AND o.user_id = w.user_id
      AND o.left_at IS NULL
    CROSS JOIN LATERAL (
      SELECT json_agg(m) AS messages, array_agg(m.seq) AS seqs, array_agg(m.id) AS message_ids FROM (${page}) AS m
    ) AS page`;
  const byOrdinal = new Map(rows.map((row) => [row.ord, row]));
  return inputs.map((_, index) => byOrdinal.get(index + 1));
}

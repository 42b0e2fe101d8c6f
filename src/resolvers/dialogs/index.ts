import type { ActingContext, UserContext } from '../../context.ts';
import { db, Prisma } from '../../db/client.ts';
import {
  between,
  conditionOf,
  type FilteredField,
  type FilterInput,
  type Order,
  orderBy,
} from '../../db/conditions.ts';
import { newId } from '../../db/ids.ts';
import type { Dialog } from '../../generated/prisma/client.ts';
import type { ActingViewer } from '../../lib/access.ts';
import { DIALOG_TYPE, type DialogType } from '../../lib/dialog-types.ts';
import { ForbiddenError, NotFoundError, UnprocessableError } from '../../lib/errors.ts';
import { type Connection, type ConnectionArguments, connection, pageRequest } from '../../lib/pages.ts';
import { holdUsers } from '../users/hold.ts';
import { requireReadableDialog } from './access.ts';
import { findOrCreatePrivateDialog } from './private.ts';

export interface NewDialog {
  type?: DialogType | null;
  occupantIds?: number[] | null;
  name?: string | null;
  photo?: string | null;
  isJoinRequired?: boolean | null;
  /** Class whose fields the dialog is to carry. */
  dataClassName?: string | null;
}

export type DialogSortField = 'id' | 'type' | 'name' | 'lastMessageDateSent' | 'createdAt' | 'updatedAt';

export interface DialogListing {
  filter?: FilterInput | null;
  /** Default: latest activity first. */
  orderBy?: { field: DialogSortField; direction: 'asc' | 'desc' } | null;
  /** Dialogs to pass over; the cost grows with it. */
  skip?: number | null;
  /** Only dialogs that carry this class. */
  dataClassName?: string | null;
}

const MAX_NAME = 200;
const MAX_OCCUPANTS = 10_000;

/**
 * Creates a dialog the caller owns; a private one that exists is returned as it is (gaps §5.2).
 * @throws {UnprocessableError} with all sentences that apply
 * @throws {ForbiddenError} `Undefined class`
 */
export async function createDialog(input: NewDialog, context: UserContext): Promise<Dialog> {
  const { viewer } = context;
  const type = input.type ?? undefined;
  const givenIds = [...new Set(input.occupantIds ?? [])];
  const problems = dialogProblems(input);
  if (type !== DIALOG_TYPE.PUBLIC_GROUP && new Set([...givenIds, viewer.userId]).size > MAX_OCCUPANTS) {
    throw new UnprocessableError(...problems, `Too many occupants (maximum is ${MAX_OCCUPANTS})`);
  }
  const knownIds = await existingUsers(viewer.applicationId, givenIds);
  if (type !== undefined && type !== DIALOG_TYPE.PUBLIC_GROUP && knownIds.length === 0) {
    problems.push('Occupants with these IDs do not exist.');
  }
  const otherIds = knownIds.filter((id) => id !== viewer.userId);
  if (type === DIALOG_TYPE.PRIVATE && knownIds.length > 0 && otherIds.length !== 1) {
    problems.push('Incorrect occupant_id');
  }
  if (type === undefined || problems.length > 0) throw new UnprocessableError(...problems);
  if (input.dataClassName != null) throw new ForbiddenError('Undefined class');

  if (type === DIALOG_TYPE.PRIVATE) {
    const dialog = await findOrCreatePrivateDialog(otherIds[0]!, context);
    if (!dialog) throw new UnprocessableError('Occupants with these IDs do not exist.');
    return dialog;
  }
  return createGroup(type, otherIds, input, context);
}

/**
 * @throws {NotFoundError} unknown dialog
 * @throws {ForbiddenError} the caller is not one of its occupants
 */
export async function findDialog(dialogId: string, { viewer }: ActingContext): Promise<Dialog> {
  await requireReadableDialog(dialogId, viewer);
  const { applicationId } = viewer;
  const dialog = await db.dialog.findUnique({ where: { applicationId_id: { applicationId, id: dialogId } } });
  if (!dialog) throw new NotFoundError();
  return dialog;
}

/**
 * The caller's groups and private dialogs and all public groups; for an API key alone all of its application.
 * @throws {ForbiddenError} `Undefined class`
 */
export async function listDialogs(
  listing: DialogListing & ConnectionArguments,
  { viewer }: ActingContext,
): Promise<Connection<Dialog> & { totalCount: () => Promise<number> }> {
  const page = pageRequest(listing);
  if (listing.dataClassName != null) throw new ForbiddenError('Undefined class');
  const name = shownName(viewer);
  const order = orderOf(listing, name);
  const where = Prisma.sql`${visibleTo(viewer)} AND ${conditionOf(listing.filter, { ...FIELDS, name })}`;
  const field = listing.orderBy?.field;
  const rows = await db.$queryRaw<SortedDialog[]>`
    SELECT ${DIALOG_COLUMNS}, ${field === 'name' ? name.column : Prisma.sql`NULL`} AS "shownName" FROM dialogs d
    WHERE ${where} AND ${between(page, order)}
    ORDER BY ${orderBy(order, page.isBackward)} LIMIT ${page.limit + 1} OFFSET ${Math.max(listing.skip ?? 0, 0)}`;
  return {
    ...connection(rows, page, (dialog) => ({ value: sortValue(dialog, field), id: dialog.id })),
    totalCount: async () => {
      const [row] = await db.$queryRaw<{ count: number }[]>`
        SELECT count(*)::int AS count FROM dialogs d WHERE ${where}`;
      return row!.count;
    },
  };
}

function dialogProblems({ type, name }: NewDialog): string[] {
  const problems: string[] = [];
  if (type == null) problems.push('Type should be 1, 2 or 3');
  if (type === DIALOG_TYPE.PRIVATE) return problems;
  if (!name?.trim() && type != null) problems.push("Name can't be blank");
  const { length } = [...(name?.trimEnd() ?? '')];
  if (length > MAX_NAME) problems.push(`Name is too long (maximum is ${MAX_NAME} characters)`);
  return problems;
}

async function existingUsers(applicationId: number, ids: number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const rows = await db.user.findMany({ where: { applicationId, id: { in: ids } }, select: { id: true } });
  return rows.map((row) => row.id);
}

async function createGroup(
  type: DialogType,
  otherIds: number[],
  { name, photo, isJoinRequired }: NewDialog,
  context: UserContext,
): Promise<Dialog> {
  const { applicationId, userId } = context.viewer;
  const at = context.now();
  const isPublic = type === DIALOG_TYPE.PUBLIC_GROUP;
  return db.$transaction(async (transaction) => {
    const memberIds = [userId, ...(await holdUsers(transaction, isPublic ? [] : otherIds, context))];
    const dialog = await transaction.dialog.create({
      data: {
        applicationId,
        id: newId(at),
        type,
        userId,
        name: name!.trimEnd(),
        photo: photo?.trimEnd() ?? null,
        isJoinRequired: isJoinRequired ?? false,
        activeAt: at,
        createdAt: at,
        updatedAt: at,
      },
    });
    if (!isPublic) {
      // One statement however many they are: Prisma would split a long list and run the parts at once.
      await transaction.$executeRaw`
        INSERT INTO members (application_id, dialog_id, user_id, joined_at)
        SELECT ${applicationId}::int, ${dialog.id}, unnest(${memberIds}::int[]), ${at}::timestamptz`;
    }
    return dialog;
  });
}

/** Confines a list to what the caller may see; users reach their dialogs through an index, not by scanning all. */
function visibleTo(viewer: ActingViewer): Prisma.Sql {
  const { applicationId } = viewer;
  if (viewer.kind === 'key') return Prisma.sql`d.application_id = ${applicationId}`;
  return Prisma.sql`d.application_id = ${applicationId} AND d.id IN (
    SELECT m.dialog_id FROM members m WHERE m.application_id = ${applicationId} AND m.user_id = ${viewer.userId}
    UNION ALL
    SELECT p.id FROM dialogs p WHERE p.application_id = ${applicationId} AND p.type = ${DIALOG_TYPE.PUBLIC_GROUP})`;
}

const LAST_MESSAGE_DATE = Prisma.sql`floor(extract(epoch FROM d.last_message_at))::int`;

const FIELDS: Record<string, FilteredField> = {
  id: { column: Prisma.sql`d.id`, cast: 'text' },
  type: { column: Prisma.sql`d.type`, cast: 'int' },
  lastMessageDateSent: { column: LAST_MESSAGE_DATE, cast: 'float8' },
  createdAt: { column: Prisma.sql`d.created_at`, cast: 'timestamptz' },
  updatedAt: { column: Prisma.sql`d.updated_at`, cast: 'timestamptz' },
  occupantIds: {
    column: Prisma.sql`ARRAY(SELECT m.user_id FROM members m
      WHERE m.application_id = d.application_id AND m.dialog_id = d.id AND d.type <> 1)`,
    cast: 'int',
    isArray: true,
  },
};

/** The name as the viewer sees it: a private dialog is called after the other occupant (see `views.ts`). */
function shownName(viewer: ActingViewer) {
  const own = viewer.kind === 'user' ? Prisma.sql`${viewer.userId}` : Prisma.sql`d.user_id`;
  const column = Prisma.sql`CASE WHEN d.type = ${DIALOG_TYPE.PRIVATE} THEN (
    SELECT coalesce(u.full_name, u.login, u.email) FROM users u
    WHERE u.application_id = d.application_id AND u.id = split_part(d.pair_key, ':',
      CASE WHEN split_part(d.pair_key, ':', 1)::int = ${own} THEN 2 ELSE 1 END)::int) ELSE d.name END`;
  return { column, cast: 'text' } as const;
}

const SORTS: Record<Exclude<DialogSortField, 'name'>, Omit<Order, 'isDescending' | 'id'>> = {
  id: { column: Prisma.sql`d.id`, cast: 'text' },
  type: { column: Prisma.sql`d.type`, cast: 'int' },
  lastMessageDateSent: { column: LAST_MESSAGE_DATE, cast: 'int' },
  createdAt: { column: Prisma.sql`d.created_at`, cast: 'timestamptz' },
  updatedAt: { column: Prisma.sql`d.updated_at`, cast: 'timestamptz' },
};

function orderOf({ orderBy }: DialogListing, name: Omit<Order, 'isDescending' | 'id'>): Order {
  const id = Prisma.sql`d.id`;
  if (!orderBy) return { column: Prisma.sql`d.active_at`, cast: 'timestamptz', id, isDescending: true };
  const sort = orderBy.field === 'name' ? name : SORTS[orderBy.field];
  return { ...sort, id, isDescending: orderBy.direction === 'desc' };
}

/** `shownName` is there when the list is sorted by it. */
type SortedDialog = Dialog & { shownName: string | null };

function sortValue(dialog: SortedDialog, field: DialogSortField | undefined): string | number | null {
  if (field === 'name') return dialog.shownName;
  if (field === 'lastMessageDateSent') {
    return dialog.lastMessageAt && Math.floor(dialog.lastMessageAt.getTime() / 1000);
  }
  const value = field ? dialog[field] : dialog.activeAt;
  return value instanceof Date ? value.toISOString() : value;
}

/** Columns of a dialog under the names of the Prisma model. */
const DIALOG_COLUMNS = Prisma.raw(
  [
    'd.application_id AS "applicationId"',
    'd.id',
    'd.type',
    'd.user_id AS "userId"',
    'd.name',
    'd.photo',
    'd.is_join_required AS "isJoinRequired"',
    'd.pair_key AS "pairKey"',
    'd.last_seq AS "lastSeq"',
    'd.message_count AS "messageCount"',
    'd.active_at AS "activeAt"',
    'd.last_message_at AS "lastMessageAt"',
    'd.member_version AS "memberVersion"',
    'd.created_at AS "createdAt"',
    'd.updated_at AS "updatedAt"',
  ].join(', '),
);

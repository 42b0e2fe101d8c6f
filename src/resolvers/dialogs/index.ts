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
import { query } from '../../db/query.ts';
import type { Dialog } from '../../generated/prisma/client.ts';
import { type ActingViewer, jobOwnerOf } from '../../lib/access.ts';
import { DIALOG_TYPE, type DialogType } from '../../lib/dialog-types.ts';
import { NotFoundError, UnprocessableError } from '../../lib/errors.ts';
import { type ConnectionArguments, type CountedConnection, connection, pageRequest } from '../../lib/pages.ts';
import { announce } from '../../realtime/outbox.ts';
import { classNamed, type KnownClass } from '../classes/catalogue.ts';
import { visibleTo as messageVisibleTo } from '../messages/rows.ts';
import { withClasses } from '../records/hold-class.ts';
import { holdUsers } from '../users/hold.ts';
import { requireReadableDialog } from './access.ts';
import { existingUsers, MAX_OCCUPANTS, nameProblems, tooManyOccupants } from './checks.ts';
import { type DataInput, type DialogData, dataColumns, dataCondition, namesData, newData } from './data.ts';
import { unhideDialog } from './hide.ts';
import { transactForUsers } from './hold.ts';
import { findOrCreatePrivateDialog } from './private.ts';
import { DIALOG_COLUMNS } from './rows.ts';

export interface NewDialog extends DataInput {
  type?: DialogType | null;
  occupantIds?: number[] | null;
  name?: string | null;
  photo?: string | null;
  isJoinRequired?: boolean | null;
}

export type DialogSortField = 'id' | 'type' | 'name' | 'lastMessageDateSent' | 'createdAt' | 'updatedAt';

export interface DialogListing {
  filter?: FilterInput | null;
  /** Default: latest activity first. */
  orderBy?: { field: DialogSortField; direction: 'asc' | 'desc' } | null;
  /** Dialogs to pass over; the cost grows with it. */
  skip?: number | null;
  /** Only dialogs that carry this class; then `filter` may ask for its fields under `data`. */
  dataClassName?: string | null;
}

/**
 * Creates a dialog the caller owns; a private one that exists is returned as it is (gaps §5.2).
 * @throws {UnprocessableError} with all sentences that apply
 * @throws {ForbiddenError} `Undefined class`
 */
export function createDialog(input: NewDialog, context: UserContext): Promise<Dialog> {
  if (!namesData(input)) return create(input, context, () => undefined);
  return withClasses(context.viewer, (classes) =>
    create(input, context, (problems) => newData(input, classes, problems)),
  );
}

async function create(
  input: NewDialog,
  context: UserContext,
  readData: (problems: string[]) => DialogData | undefined,
): Promise<Dialog> {
  const { viewer } = context;
  const type = input.type ?? undefined;
  const givenIds = [...new Set(input.occupantIds ?? [])];
  const problems = dialogProblems(input);
  if (type !== DIALOG_TYPE.PUBLIC_GROUP && new Set([...givenIds, viewer.userId]).size > MAX_OCCUPANTS) {
    throw new UnprocessableError(...problems, tooManyOccupants);
  }
  const knownIds = await existingUsers(viewer.applicationId, givenIds);
  if (type !== undefined && type !== DIALOG_TYPE.PUBLIC_GROUP && knownIds.length === 0) {
    problems.push('Occupants with these IDs do not exist.');
  }
  const otherIds = knownIds.filter((id) => id !== viewer.userId);
  if (type === DIALOG_TYPE.PRIVATE && knownIds.length > 0 && otherIds.length !== 1) {
    problems.push('Incorrect occupant_id');
  }
  const data = readData(problems);
  if (type === undefined || problems.length > 0) throw new UnprocessableError(...problems);

  if (type === DIALOG_TYPE.PRIVATE) {
    const dialog = await findOrCreatePrivateDialog(otherIds[0]!, context, data);
    if (!dialog) throw new UnprocessableError('Occupants with these IDs do not exist.');
    await unhideDialog(dialog.id, context);
    return dialog;
  }
  return createGroup(type, otherIds, { ...input, data }, context);
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
 * @throws {ForbiddenError} `Undefined class` @throws {UnprocessableError} a filter that the class does not have
 */
export async function listDialogs(
  listing: DialogListing & ConnectionArguments,
  { viewer }: ActingContext,
): Promise<CountedConnection<Dialog>> {
  const page = pageRequest(listing);
  const { dataClassName } = listing;
  const known = dataClassName == null ? undefined : await classNamed(dataClassName, viewer);
  const fields = fieldsFor(viewer);
  const order = orderOf(listing, fields);
  const asked = conditionOf(listing.filter, { ...fields, data: dataCondition(known) });
  const shown = Prisma.sql`${visibleTo(viewer)} AND ${carries(known)} AND ${asked}`;
  const rows = await query<SortedDialog>`
    SELECT ${DIALOG_COLUMNS}, ${order.column} AS "sortedBy" FROM ${shown} AND ${between(page, order)}
    ORDER BY ${orderBy(order, page.isBackward)} LIMIT ${page.limit + 1} OFFSET ${Math.max(listing.skip ?? 0, 0)}`;
  return {
    ...connection(rows, page, ({ sortedBy, id }) => ({
      value: sortedBy instanceof Date ? sortedBy.toISOString() : sortedBy,
      id,
    })),
    totalCount: async () => {
      const [row] = await query<{ count: number }>`
        SELECT count(*)::int AS count FROM ${shown}`;
      return row!.count;
    },
  };
}

function dialogProblems({ type, name }: NewDialog): string[] {
  if (type == null) return ['Type should be 1, 2 or 3', ...(name ? nameProblems(name) : [])];
  return type === DIALOG_TYPE.PRIVATE ? [] : nameProblems(name);
}

async function createGroup(
  type: DialogType,
  otherIds: number[],
  { name, photo, isJoinRequired, data }: NewDialog & { data: DialogData | undefined },
  context: UserContext,
): Promise<Dialog> {
  const { applicationId, userId } = context.viewer;
  const at = context.now();
  const isPublic = type === DIALOG_TYPE.PUBLIC_GROUP;
  const created = await transactForUsers(jobOwnerOf(context.viewer), otherIds.length, async (transaction) => {
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
        ...(await dataColumns(transaction, data)),
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
    await announce(transaction, [{ kind: 'dialogChanged', applicationId, dialogId: dialog.id, userId }], at);
    return dialog;
  });
  context.outbox.wake();
  return created;
}

/**
 * The dialogs `d` that the caller may see, with the `WHERE` that confines a list to them. Users are led from their
 * places to their dialogs one by one, never by way of everybody's; admins of public groups have a place there too.
 */
function visibleTo(viewer: ActingViewer): Prisma.Sql {
  const { applicationId } = viewer;
  if (viewer.kind === 'key') return Prisma.sql`dialogs d WHERE d.application_id = ${applicationId}`;
  return Prisma.sql`(
      SELECT m.dialog_id AS id, m.hidden_seq FROM members m
      WHERE m.application_id = ${applicationId} AND m.user_id = ${viewer.userId} AND m.left_at IS NULL
      UNION
      SELECT p.id, NULL FROM dialogs p
      WHERE p.application_id = ${applicationId} AND p.type = ${PUBLIC_GROUP}
    ) AS own CROSS JOIN LATERAL (
      SELECT * FROM dialogs o WHERE o.application_id = ${applicationId} AND o.id = own.id OFFSET 0
    ) AS d WHERE (own.hidden_seq IS NULL OR own.hidden_seq < d.last_seq)`;
}

function carries(known: KnownClass | undefined): Prisma.Sql {
  return known ? Prisma.sql`d.data_class_key = ${known.key}` : Prisma.sql`true`;
}

/** Said in the statement itself, so that its plan knows how few public groups there are. */
const PUBLIC_GROUP = Prisma.raw(String(DIALOG_TYPE.PUBLIC_GROUP));

type SortedField = FilteredField & { isAlwaysSet?: boolean };

/** What a list can be filtered and sorted by, as the viewer sees it. */
function fieldsFor(viewer: ActingViewer) {
  const lastMessageAt = shownLastMessageAt(viewer);
  return {
    id: { column: Prisma.sql`d.id`, cast: 'text', isAlwaysSet: true },
    type: { column: Prisma.sql`d.type`, cast: 'int', isAlwaysSet: true },
    name: { column: shownName(viewer), cast: 'text' },
    lastMessageDateSent: { column: Prisma.sql`floor(extract(epoch FROM ${lastMessageAt}))::float8`, cast: 'float8' },
    createdAt: { column: Prisma.sql`d.created_at`, cast: 'timestamptz', isAlwaysSet: true },
    updatedAt: { column: Prisma.sql`d.updated_at`, cast: 'timestamptz', isAlwaysSet: true },
    activeAt: { column: Prisma.sql`coalesce(${lastMessageAt}, d.created_at)`, cast: 'timestamptz', isAlwaysSet: true },
    occupantIds: {
      column: Prisma.sql`ARRAY(SELECT m.user_id FROM members m
        WHERE m.application_id = d.application_id AND m.dialog_id = d.id AND m.left_at IS NULL AND d.type <> 1)`,
      cast: 'int',
      isArray: true,
    },
  } as const satisfies Record<string, SortedField>;
}

/** A private dialog is called after the other occupant (see `views.ts`). */
function shownName(viewer: ActingViewer): Prisma.Sql {
  const own = viewer.kind === 'user' ? Prisma.sql`${viewer.userId}` : Prisma.sql`d.user_id`;
  return Prisma.sql`CASE WHEN d.type = ${DIALOG_TYPE.PRIVATE} THEN (
    SELECT coalesce(u.full_name, u.login, u.email) FROM users u
    WHERE u.application_id = d.application_id AND u.id = split_part(d.pair_key, ':',
      CASE WHEN split_part(d.pair_key, ':', 1)::int = ${own} THEN 2 ELSE 1 END)::int) ELSE d.name END`;
}

/**
 * Only who has deleted messages for themselves need have another latest one than the dialog. The maximum is what an
 * index gives at once; for whether there is any, the table may be scanned dialog by dialog.
 */
function shownLastMessageAt(viewer: ActingViewer): Prisma.Sql {
  if (viewer.kind === 'key') return Prisma.sql`d.last_message_at`;
  return Prisma.sql`CASE WHEN (SELECT max(h.seq) FROM hidden_messages h
      WHERE h.application_id = d.application_id AND h.user_id = ${viewer.userId} AND h.dialog_id = d.id) IS NOT NULL
    THEN (SELECT m.created_at FROM messages m
      WHERE m.application_id = d.application_id AND m.dialog_id = d.id AND ${messageVisibleTo(viewer)}
      ORDER BY m.seq DESC LIMIT 1)
    ELSE d.last_message_at END`;
}

/** Latest activity first unless asked otherwise. */
function orderOf({ orderBy }: DialogListing, fields: ReturnType<typeof fieldsFor>): Order {
  const id = Prisma.sql`d.id`;
  if (!orderBy) return { ...fields.activeAt, id, isDescending: true };
  return { ...fields[orderBy.field], id, isDescending: orderBy.direction === 'desc' };
}

interface SortedDialog extends Dialog {
  sortedBy: Date | string | number | null;
}

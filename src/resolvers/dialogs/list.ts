import type { ActingContext } from '../../context.ts';
import { Prisma } from '../../db/client.ts';
import { column, select } from '../../db/columns.ts';
import {
  between,
  type CheapOperators,
  conditionOf,
  type FilteredField,
  type FilterInput,
  isSearch,
  type Order,
  orderBy,
} from '../../db/conditions.ts';
import { DIALOG_TYPE } from '../../db/dialog-types.ts';
import { query } from '../../db/query.ts';
import { MAX_CHEAP_SKIP, searchesOf } from '../../db/search-turns.ts';
import type { Dialog } from '../../generated/prisma/client.ts';
import { type ActingViewer, jobOwnerOf } from '../../lib/access.ts';
import { type ConnectionArguments, type CountedConnection, connection, pageRequest } from '../../lib/pagination.ts';
import { type ClassDefinition, classNamed } from '../classes/catalogue.ts';
import { dataCondition } from './data.ts';
import { visibleTo as messageVisibleTo } from './hidden-messages.ts';
import { DIALOG_COLUMNS } from './rows.ts';

export type DialogSortField = 'id' | 'type' | 'name' | 'lastMessageDateSent' | 'createdAt' | 'updatedAt';

export interface DialogListing {
  filter?: FilterInput | null;
  /** Default: latest activity first. */
  orderBy?: { field: DialogSortField; direction: 'asc' | 'desc' } | null;
  /** The cost grows with it. */
  skip?: number | null;
  /** Only dialogs with data of this class; `filter` may then use its fields under `data`. */
  dataClassName?: string | null;
}

const COMPARISONS = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'notIn'] as const;

const OF_THE_ROW: CheapOperators = {
  id: COMPARISONS,
  type: COMPARISONS,
  lastMessageDateSent: COMPARISONS,
  createdAt: COMPARISONS,
  updatedAt: COMPARISONS,
};

/**
 * An API key alone lists all dialogs. @throws {ForbiddenError} `Undefined class` @throws {UnprocessableError} filter
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
  const filter = conditionOf(listing.filter, { ...fields, data: dataCondition(known) });
  const visible = Prisma.sql`${visibleTo(viewer)} AND ${carries(known)} AND ${filter}`;
  const isLong = (listing.skip ?? 0) > MAX_CHEAP_SKIP;
  const search = searchesOf(jobOwnerOf(viewer), isLong || isSearch(listing.filter, OF_THE_ROW));
  const walk = select`
    SELECT ${DIALOG_COLUMNS}, ${column('sortedBy', 'sort key | null', order.column)} FROM ${visible} AND ${between(page, order)}
    ORDER BY ${orderBy(order, page.isBackward)} LIMIT ${page.limit + 1} OFFSET ${Math.max(listing.skip ?? 0, 0)}`;
  const rows = await search(() => query(walk));
  return {
    ...connection(rows, page, ({ sortedBy, id }) => ({
      value: sortedBy instanceof Date ? sortedBy.toISOString() : sortedBy,
      id,
    })),
    totalCount: async () => {
      const counted = Prisma.sql`SELECT count(*)::int AS count FROM ${visible}`;
      const [row] = await search(() => query<{ count: number }>(counted));
      return row!.count;
    },
  };
}

// The lateral join reads dialogs by the user's memberships, so that the planner never scans all dialogs. Admins of
// public groups are members, too.
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

function carries(known: ClassDefinition | undefined): Prisma.Sql {
  return known ? Prisma.sql`d.data_class_key = ${known.key}` : Prisma.sql`true`;
}

/** Inlined, so that the planner knows the selectivity of public groups. */
const PUBLIC_GROUP = Prisma.raw(String(DIALOG_TYPE.PUBLIC_GROUP));

type SortedField = FilteredField & { isAlwaysSet?: boolean };

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

/** A private dialog is named after the other occupant (see `views.ts`). */
function shownName(viewer: ActingViewer): Prisma.Sql {
  const own = viewer.kind === 'user' ? Prisma.sql`${viewer.userId}` : Prisma.sql`d.user_id`;
  return Prisma.sql`CASE WHEN d.type = ${DIALOG_TYPE.PRIVATE} THEN (
    SELECT coalesce(u.full_name, u.login, u.email) FROM users u
    WHERE u.application_id = d.application_id AND u.id = split_part(d.pair_key, ':',
      CASE WHEN split_part(d.pair_key, ':', 1)::int = ${own} THEN 2 ELSE 1 END)::int) ELSE d.name END`;
}

// Only users with hidden messages can see another last message. `max` uses an index; with EXISTS the planner might scan
// the table for each dialog.
function shownLastMessageAt(viewer: ActingViewer): Prisma.Sql {
  if (viewer.kind === 'key') return Prisma.sql`d.last_message_at`;
  return Prisma.sql`CASE WHEN (SELECT max(h.seq) FROM hidden_messages h
      WHERE h.application_id = d.application_id AND h.user_id = ${viewer.userId} AND h.dialog_id = d.id) IS NOT NULL
    THEN (SELECT m.created_at FROM messages m
      WHERE m.application_id = d.application_id AND m.dialog_id = d.id AND ${messageVisibleTo(viewer)}
      ORDER BY m.seq DESC LIMIT 1)
    ELSE d.last_message_at END`;
}

function orderOf({ orderBy }: DialogListing, fields: ReturnType<typeof fieldsFor>): Order {
  const id = Prisma.sql`d.id`;
  if (!orderBy) return { ...fields.activeAt, id, isDescending: true };
  return { ...fields[orderBy.field], id, isDescending: orderBy.direction === 'desc' };
}

import type { ActingContext } from '../../context.ts';
import { Prisma } from '../../db/client.ts';
import { column, columnsWithout, select, withJson } from '../../db/columns.ts';
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
import { TYPE_IN_SQL } from '../../db/dialog-types.ts';
import { jsonRows } from '../../db/json-rows.ts';
import { query } from '../../db/query.ts';
import { MAX_CHEAP_SKIP, searchesOf } from '../../db/search-turns.ts';
import type { Dialog } from '../../generated/prisma/client.ts';
import { type ActingViewer, jobOwnerOf, userIdOf } from '../../lib/access.ts';
import {
  type ConnectionArguments,
  type CountedConnection,
  connection,
  MAX_PAGE,
  pageRequest,
} from '../../lib/pagination.ts';
import { type ClassDefinition, classNamed } from '../classes/catalogue.ts';
import { dataCondition } from './data.ts';
import { detailColumns, keepDetails, otherNameFor, partsOf, requestedDetails } from './details.ts';
import { visibleTo } from './hidden-messages.ts';

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
 * Reads the page with its details, and the total if it is requested, with one statement. An API key alone lists all
 * dialogs. @throws {ForbiddenError} `Undefined class` @throws {UnprocessableError} filter
 */
export async function listDialogs(
  listing: DialogListing & ConnectionArguments,
  requestedFields: ReadonlySet<string>,
  { viewer, loaders }: ActingContext,
): Promise<CountedConnection<Dialog>> {
  const page = pageRequest(listing);
  const { dataClassName } = listing;
  const definition = dataClassName == null ? undefined : await classNamed(dataClassName, viewer);
  const fields = fieldsFor(viewer);
  const order = orderOf(listing, fields);
  const filter = conditionOf(listing.filter, { ...fields, data: dataCondition(definition) });
  const visible = Prisma.sql`${dialogsVisibleTo(viewer)} AND ${carries(definition)} AND ${filter}`;
  const sorted: Order = { ...order, column: Prisma.sql`d.sorted_by` };
  const walk = Prisma.sql`SELECT d.* FROM visible d WHERE ${between(page, sorted)} ORDER BY ${orderBy(sorted, page.isBackward)}`;
  const parts = partsOf(requestedFields);
  const { applicationId } = viewer;
  const columns = select`${COLUMNS}, ${SORTED_BY}, ${detailColumns(applicationId)}`;
  const statement = Prisma.sql`
    WITH visible AS (SELECT d.*, ${order.column} AS sorted_by FROM ${visible})
    SELECT json_agg(page) AS dialogs, ${requestedFields.has('totalCount') ? totalOf(visible, viewer) : NOTHING} AS total
    FROM (
      SELECT ${columns}
      FROM ${requestedDetails(userIdOf(viewer), parts)} AS w
      CROSS JOIN (${limited(walk, page.limit + 1, Math.max(listing.skip ?? 0, 0))}) AS d
    ) AS page`;
  const isLong = (listing.skip ?? 0) > MAX_CHEAP_SKIP;
  const search = searchesOf(jobOwnerOf(viewer), isLong || isSearch(listing.filter, OF_THE_ROW));
  const [read] = await search(() => query<{ dialogs: unknown; total: number | null }>(statement));
  const rows = jsonRows(columns, read!.dialogs, TIMES);
  const dialogs = rows.map((row) => Object.assign(row, { applicationId }) as typeof row & Dialog);
  for (const dialog of dialogs) keepDetails(dialog, dialog, parts, loaders);
  return {
    ...connection(dialogs, page, ({ sortedBy, id }) => ({
      value: order.cast === 'timestamptz' && sortedBy !== null ? new Date(sortedBy).toISOString() : sortedBy,
      id,
    })),
    totalCount: async () => read!.total!,
  };
}

/** Without those that no field shows. */
const COLUMNS = columnsWithout('Dialog', 'd', [
  'applicationId',
  'lastSeq',
  'messageCount',
  'lastMessageAt',
  'memberVersion',
]);
const SORTED_BY = withJson<{ sortedBy: string | number | null }>()(
  column('sortedBy', 'json | null', Prisma.sql`d.sorted_by`),
);
const TIMES = { createdAt: true, updatedAt: true } as const;

const NOTHING = Prisma.sql`NULL::int`;

// A second reference to `visible` stores its rows. That saves reading the memberships of a user again, but an API key
// reads all dialogs, and possibly the page from an index.
function totalOf(visible: Prisma.Sql, { kind }: ActingViewer): Prisma.Sql {
  return kind === 'key'
    ? Prisma.sql`(SELECT count(*)::int FROM ${visible})`
    : Prisma.sql`(SELECT count(*)::int FROM visible)`;
}

// PostgreSQL assumes that a limit in a parameter is a tenth of all rows, and therefore plans each execution again. With
// a constant limit inside, it keeps the plan.
function limited(walk: Prisma.Sql, limit: number, skip: number): Prisma.Sql {
  if (skip > 0) return Prisma.sql`${walk} LIMIT ${limit} OFFSET ${skip}`;
  return Prisma.sql`SELECT * FROM (${walk} LIMIT ${LONGEST}) AS d LIMIT ${limit}`;
}

const LONGEST = Prisma.raw(String(MAX_PAGE + 1));

// The lateral join reads dialogs by the user's memberships, so that the planner never scans all dialogs. Admins of
// public groups are members, too.
function dialogsVisibleTo(viewer: ActingViewer): Prisma.Sql {
  const { applicationId } = viewer;
  if (viewer.kind === 'key') return Prisma.sql`dialogs d WHERE d.application_id = ${applicationId}`;
  return Prisma.sql`(
      SELECT m.dialog_id AS id, m.hidden_seq FROM members m
      WHERE m.application_id = ${applicationId} AND m.user_id = ${viewer.userId} AND m.left_at IS NULL
      UNION
      SELECT p.id, NULL FROM dialogs p
      WHERE p.application_id = ${applicationId} AND p.type = ${TYPE_IN_SQL.PUBLIC_GROUP}
    ) AS own CROSS JOIN LATERAL (
      SELECT * FROM dialogs o WHERE o.application_id = ${applicationId} AND o.id = own.id OFFSET 0
    ) AS d WHERE (own.hidden_seq IS NULL OR own.hidden_seq < d.last_seq)`;
}

function carries(definition: ClassDefinition | undefined): Prisma.Sql {
  return definition ? Prisma.sql`d.data_class_key = ${definition.key}` : Prisma.sql`true`;
}

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
        WHERE m.application_id = ${viewer.applicationId} AND m.dialog_id = d.id AND m.left_at IS NULL AND d.type <> ${TYPE_IN_SQL.PUBLIC_GROUP})`,
      cast: 'int',
      isArray: true,
    },
  } as const satisfies Record<string, SortedField>;
}

/** A private dialog is named after the other occupant. */
function shownName(viewer: ActingViewer): Prisma.Sql {
  const otherName = otherNameFor(viewer.applicationId, Prisma.sql`${userIdOf(viewer)}::int`);
  return Prisma.sql`CASE WHEN d.type = ${TYPE_IN_SQL.PRIVATE} THEN ${otherName} ELSE d.name END`;
}

// Only users with hidden messages can see another last message. `max` uses an index; with EXISTS the planner might scan
// the table for each dialog.
function shownLastMessageAt(viewer: ActingViewer): Prisma.Sql {
  if (viewer.kind === 'key') return Prisma.sql`d.last_message_at`;
  return Prisma.sql`CASE WHEN (SELECT max(h.seq) FROM hidden_messages h
      WHERE h.application_id = ${viewer.applicationId} AND h.user_id = ${viewer.userId} AND h.dialog_id = d.id) IS NOT NULL
    THEN (SELECT m.created_at FROM messages m
      WHERE m.application_id = ${viewer.applicationId} AND m.dialog_id = d.id AND ${visibleTo(viewer)}
      ORDER BY m.seq DESC LIMIT 1)
    ELSE d.last_message_at END`;
}

function orderOf({ orderBy }: DialogListing, fields: ReturnType<typeof fieldsFor>): Order {
  const id = Prisma.sql`d.id`;
  if (!orderBy) return { ...fields.activeAt, id, isDescending: true };
  return { ...fields[orderBy.field], id, isDescending: orderBy.direction === 'desc' };
}

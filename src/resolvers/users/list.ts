import type { IdentifiedContext } from '../../context.ts';
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
import { query } from '../../db/query.ts';
import { MAX_CHEAP_SKIP, type RunSearch, searchesOf } from '../../db/search-turns.ts';
import type { User } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { NoSuchUserError } from '../../lib/errors.ts';
import {
  type Connection,
  type ConnectionArguments,
  type CountedConnection,
  connection,
  numericPage,
} from '../../lib/pagination.ts';
import { listableBy, requireListing } from './listing.ts';
import { USER_COLUMNS } from './rows.ts';

export interface UserListing {
  filter?: FilterInput | null;
  orderBy?: { field: UserSortField; direction: 'asc' | 'desc' } | null;
  /** The cost grows with it. */
  skip?: number | null;
}

const FIELDS: Record<string, FilteredField> = {
  id: { column: Prisma.sql`u.id`, cast: 'int8' },
  fullName: { column: Prisma.sql`u.full_name`, cast: 'text' },
  email: { column: Prisma.sql`u.email`, cast: 'text', isFolded: true },
  login: { column: Prisma.sql`u.login_key`, cast: 'text', isFolded: true },
  phone: { column: Prisma.sql`u.phone`, cast: 'text' },
  createdAt: { column: Prisma.sql`u.created_at`, cast: 'timestamptz' },
  updatedAt: { column: Prisma.sql`u.updated_at`, cast: 'timestamptz' },
  lastRequestAt: { column: Prisma.sql`u.last_request_at`, cast: 'timestamptz' },
  externalUserId: { column: Prisma.sql`u.external_user_id`, cast: 'int8' },
  facebookId: { column: Prisma.sql`u.facebook_id::numeric`, cast: 'numeric' },
  roles: { column: Prisma.sql`u.roles`, cast: 'text', isArray: true },
  tags: { column: Prisma.sql`u.tags`, cast: 'text', isArray: true },
};

const LOOK_UPS: CheapOperators = { id: ['eq', 'in'] };

const SORTS = {
  id: { column: Prisma.sql`u.id`, cast: 'int', isAlwaysSet: true },
  fullName: { column: Prisma.sql`u.full_name`, cast: 'text' },
  email: { column: Prisma.sql`u.email`, cast: 'text' },
  login: { column: Prisma.sql`u.login`, cast: 'text' },
  phone: { column: Prisma.sql`u.phone`, cast: 'text' },
  website: { column: Prisma.sql`u.website`, cast: 'text' },
  createdAt: { column: Prisma.sql`u.created_at`, cast: 'timestamptz', isAlwaysSet: true },
  updatedAt: { column: Prisma.sql`u.updated_at`, cast: 'timestamptz', isAlwaysSet: true },
  lastRequestAt: { column: Prisma.sql`u.last_request_at`, cast: 'timestamptz' },
  externalUserId: { column: Prisma.sql`u.external_user_id`, cast: 'int8' },
} satisfies Record<string, Pick<Order, 'column' | 'cast' | 'isAlwaysSet'>>;

export type UserSortField = keyof typeof SORTS;

/** By id by default. @throws {BadInputError} {UsersListingForbiddenError} */
export async function listUsers(
  listing: UserListing & ConnectionArguments,
  requestedFields: ReadonlySet<string>,
  context: IdentifiedContext,
): Promise<CountedConnection<User>> {
  const { users, total } = await pageOf(listing, requestedFields.has('totalCount'), context);
  return { ...users, totalCount: total };
}

/** All words, case-insensitive. @throws {UsersListingForbiddenError} like `listUsers` @throws {NoSuchUserError} */
export function listUsersByFullName(
  { fullName, ...listing }: UserListing & ConnectionArguments & { fullName: string },
  context: IdentifiedContext,
): Promise<CountedConnection<User>> {
  const words = [...new Set(fullName.split(/\s+/).filter((word) => word !== ''))];
  const filter = { and: words.map((word) => ({ fullName: { contains: word } })) };
  return someUsers({ ...listing, filter }, words, context);
}

/** Matches any tag exactly. @throws {UsersListingForbiddenError} {NoSuchUserError} */
export function listUsersByTags(
  { tags, ...listing }: UserListing & ConnectionArguments & { tags: string[] },
  context: IdentifiedContext,
): Promise<CountedConnection<User>> {
  return someUsers({ ...listing, filter: { tags: { in: tags } } }, tags, context);
}

async function someUsers(
  listing: UserListing & ConnectionArguments,
  values: string[],
  context: IdentifiedContext,
): Promise<CountedConnection<User>> {
  const { users, total } = await pageOf(listing, true, context);
  const totalCount = values.length > 0 ? await total() : 0;
  if (totalCount === 0) throw new NoSuchUserError();
  return { ...users, totalCount: () => Promise.resolve(totalCount) };
}

interface UserPage {
  users: Connection<User>;
  total: () => Promise<number>;
}

async function pageOf(
  listing: UserListing & ConnectionArguments,
  isTotalWanted: boolean,
  context: IdentifiedContext,
): Promise<UserPage> {
  const page = numericPage(listing);
  const { viewer } = context;
  const { applicationId } = viewer;
  const field = listing.orderBy?.field ?? 'id';
  const order: Order = { ...SORTS[field], id: Prisma.sql`u.id`, isDescending: listing.orderBy?.direction === 'desc' };
  const sorted = orderBy(order, page.isBackward);
  const total = totalOf(listing, context);
  const where = whereOf(listing, context);
  // Sorts ids only, because rows are long.
  const walk = select`
    SELECT ${USER_COLUMNS}, ${column('total', 'int | null', isTotalWanted ? total : NOTHING)}
    FROM (
      SELECT u.id FROM users u WHERE ${where} AND ${between(page, order)} AND ${listableBy(viewer)}
      ORDER BY ${sorted} LIMIT ${page.limit + 1} OFFSET ${Math.max(listing.skip ?? 0, 0)}
    ) AS page JOIN users u ON u.application_id = ${applicationId} AND u.id = page.id
    ORDER BY ${sorted}`;
  const search = searchOf(listing, context);
  const rows = await search(() => query(walk));
  if (rows.length === 0) await requireListing(context);
  return {
    users: connection(rows, page, (user) => ({ value: sortValue(user, field), id: String(user.id) })),
    total: async () => {
      if (rows[0]?.total != null) return rows[0].total;
      const [row] = await search(() => query(select`SELECT ${column('total', 'int', total)}`));
      return row!.total;
    },
  };
}

const NOTHING = Prisma.sql`NULL::int`;

/** Without a filter from a counter. */
function totalOf(listing: UserListing, context: IdentifiedContext): Prisma.Sql {
  if (Object.keys(listing.filter ?? {}).length > 0) {
    return Prisma.sql`(SELECT count(*)::int FROM users u WHERE ${whereOf(listing, context)})`;
  }
  return Prisma.sql`(SELECT a.user_count FROM applications a WHERE a.id = ${context.viewer.applicationId})`;
}

function whereOf({ filter }: UserListing, { viewer }: IdentifiedContext): Prisma.Sql {
  return Prisma.sql`u.application_id = ${viewer.applicationId} AND ${conditionOf(filter, FIELDS)}`;
}

function sortValue(user: User, field: UserSortField): string | number | null {
  const value = user[field];
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'bigint' ? String(value) : value;
}

function searchOf({ filter, skip }: UserListing, { viewer }: IdentifiedContext): RunSearch {
  return searchesOf(jobOwnerOf(viewer), isSearch(filter, LOOK_UPS) || (skip ?? 0) > MAX_CHEAP_SKIP);
}

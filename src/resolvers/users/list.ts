import type { IdentifiedContext } from '../../context.ts';
import { db, Prisma } from '../../db/client.ts';
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
  type PageRequest,
} from '../../lib/pagination.ts';
import { requireListing } from './listing.ts';
import { usersById } from './rows.ts';

export type UserSortField =
  | 'id'
  | 'fullName'
  | 'email'
  | 'login'
  | 'phone'
  | 'website'
  | 'createdAt'
  | 'updatedAt'
  | 'lastRequestAt'
  | 'externalUserId';

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
  tags: { column: Prisma.sql`u.tags`, cast: 'text', isArray: true },
};

const LOOK_UPS: CheapOperators = { id: ['eq', 'in'] };

const SORTS: Record<UserSortField, Pick<Order, 'column' | 'cast' | 'isAlwaysSet'>> = {
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
};

/** By id by default. @throws {BadInputError} invalid page, cursor or filter @throws {UsersListingForbiddenError} */
export async function listUsers(
  listing: UserListing & ConnectionArguments,
  context: IdentifiedContext,
): Promise<CountedConnection<User>> {
  const page = numericPage(listing);
  const where = whereOf(listing, context);
  await requireListing(context);
  const isUnfiltered = Object.keys(listing.filter ?? {}).length === 0;
  return {
    ...(await usersOf(page, where, listing, context)),
    // From a counter, so that the cost does not grow with the number of users.
    totalCount: () => (isUnfiltered ? countAll(context) : count(where, listing, context)),
  };
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
  const page = numericPage(listing);
  const where = whereOf(listing, context);
  await requireListing(context);
  const total = values.length > 0 ? await count(where, listing, context) : 0;
  if (total === 0) throw new NoSuchUserError();
  return { ...(await usersOf(page, where, listing, context)), totalCount: () => Promise.resolve(total) };
}

async function countAll({ viewer: { applicationId: id } }: IdentifiedContext): Promise<number> {
  const { userCount } = await db.application.findUniqueOrThrow({ where: { id }, select: { userCount: true } });
  return userCount;
}

async function usersOf(
  page: PageRequest,
  where: Prisma.Sql,
  listing: UserListing,
  context: IdentifiedContext,
): Promise<Connection<User>> {
  const { orderBy: requested, skip } = listing;
  const field = requested?.field ?? 'id';
  const order: Order = { ...SORTS[field], id: Prisma.sql`u.id`, isDescending: requested?.direction === 'desc' };
  const walk = Prisma.sql`
    SELECT u.id FROM users u
    WHERE ${where} AND ${between(page, order)}
    ORDER BY ${orderBy(order, page.isBackward)}
    LIMIT ${page.limit + 1} OFFSET ${Math.max(skip ?? 0, 0)}`;
  const rows = await searchOf(listing, context)(() => query<{ id: number }>(walk));
  const ids = rows.map(({ id }) => id);
  const users = await usersById(context.viewer.applicationId, ids);
  return connection(users, page, (user) => ({ value: sortValue(user, field), id: String(user.id) }));
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

async function count(where: Prisma.Sql, listing: UserListing, context: IdentifiedContext): Promise<number> {
  const counted = Prisma.sql`SELECT count(*)::int AS count FROM users u WHERE ${where}`;
  const [row] = await searchOf(listing, context)(() => query<{ count: number }>(counted));
  return row!.count;
}

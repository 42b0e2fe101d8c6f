import type { IdentifiedContext } from '../../context.ts';
import { db, Prisma } from '../../db/client.ts';
import { column, columnsOf, select } from '../../db/columns.ts';
import {
  between,
  conditionOf,
  type FilteredField,
  type FilterInput,
  type Order,
  orderBy,
} from '../../db/conditions.ts';
import { query } from '../../db/query.ts';
import { MAX_CHEAP_SKIP, searchesOf } from '../../db/search-turns.ts';
import type { Geodatum } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { BadInputError, UnprocessableError } from '../../lib/errors.ts';
import { type ConnectionArguments, type CountedConnection, connection, numericPage } from '../../lib/pagination.ts';
import { problem } from '../../lib/problems.ts';
import { requireListing } from '../users/listing.ts';
import { antipodeOf, boxAround, chordOf, clampedDegrees, isPosition, type Position, type Rectangle } from './rules.ts';

export type GeodataSortField = 'createdAt' | 'latitude' | 'longitude' | 'distance';

export interface GeodataListing {
  filter?: FilterInput | null;
  /** Part of the login or full name, case-insensitive. */
  userName?: string | null;
  externalUserIds?: readonly number[] | null;
  within?: Rectangle | null;
  position?: Position | null;
  /** Metres. */
  radius?: number | null;
  latestOnly?: boolean | null;
  withStatus?: boolean | null;
  orderBy?: { field: GeodataSortField; direction: 'asc' | 'desc' } | null;
  /** The cost grows with it. */
  skip?: number | null;
}

const COLUMNS = columnsOf('Geodatum', 'g');

const FIELDS: Record<string, FilteredField> = {
  createdAt: { column: Prisma.sql`g.created_at`, cast: 'timestamptz' },
  userId: { column: Prisma.sql`g.user_id`, cast: 'int8' },
};

const SORTS: Record<Exclude<GeodataSortField, 'distance'>, Pick<Order, 'column' | 'cast'>> = {
  createdAt: { column: Prisma.sql`g.created_at`, cast: 'timestamptz' },
  latitude: { column: Prisma.sql`g.latitude`, cast: 'float8' },
  longitude: { column: Prisma.sql`g.longitude`, cast: 'float8' },
};

/** Must match the indexes. */
const PLACE = Prisma.sql`place_of(g.latitude, g.longitude)`;

/** @throws {UnprocessableError} a distance without a position @throws {UsersListingForbiddenError} `userName` */
export async function listGeodata(
  listing: GeodataListing & ConnectionArguments,
  context: IdentifiedContext,
): Promise<CountedConnection<Geodatum>> {
  const { applicationId } = context.viewer;
  const page = numericPage(listing);
  requirePlaces(listing);
  if (listing.userName != null) await requireListing(context);
  const order = orderOf(listing);
  const found = selection(applicationId, listing);
  const isLong = !isUnfiltered(listing) || (listing.skip ?? 0) > MAX_CHEAP_SKIP;
  const search = searchesOf(jobOwnerOf(context.viewer), isLong);
  const skip = Math.max(listing.skip ?? 0, 0);
  const isNearestFirst = listing.orderBy?.field === 'distance' && !page.isBackward;
  const after = Prisma.sql`${found} AND ${between(page, order)}`;
  const walk = select`
    SELECT ${COLUMNS}, ${column('sortValue', 'sort key', order.column)}
    FROM ${isNearestFirst ? nearest(order, page.limit + 1 + skip, after) : after}
    ORDER BY ${orderBy(order, page.isBackward)}
    LIMIT ${page.limit + 1} OFFSET ${skip}`;
  const rows = await search(() => query(walk));
  return {
    ...connection(rows, page, ({ sortValue, id }) => ({
      value: sortValue instanceof Date ? sortValue.toISOString() : sortValue,
      id: String(id),
    })),
    totalCount: () => (isUnfiltered(listing) ? countAll(applicationId) : search(() => count(found))),
  };
}

// Before version 17, PostgreSQL reads an index by distance only if the distance is the complete order.
function nearest({ column }: Order, count: number, found: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(SELECT g.* FROM ${found} ORDER BY ${column} FETCH FIRST (${count}) ROWS WITH TIES) AS g`;
}

function selection(applicationId: number, listing: GeodataListing): Prisma.Sql {
  const { filter, userName, externalUserIds, latestOnly, withStatus, orderBy } = listing;
  const conditions = [Prisma.sql`g.application_id = ${applicationId}`];
  if (latestOnly) conditions.push(Prisma.sql`g.is_latest`);
  conditions.push(...placeConditions(listing));
  const there = Prisma.join(conditions, ' AND ');
  // `OFFSET 0`, because the planner cannot estimate cube conditions and would scan all locations, newest first.
  const isApart = orderBy?.field !== 'distance' && (listing.within || listing.radius != null);
  const table = isApart
    ? Prisma.sql`(SELECT * FROM geodata g WHERE ${there} OFFSET 0) g WHERE true`
    : Prisma.sql`geodata g WHERE ${there}`;
  const more = [table, conditionOf(filter, FIELDS)];
  if (withStatus) more.push(Prisma.sql`g.status IS NOT NULL`);
  if (userName != null) more.push(Prisma.sql`g.user_id IN (${usersNamed(applicationId, userName)})`);
  if (externalUserIds != null) {
    more.push(Prisma.sql`g.user_id IN (SELECT u.id FROM users u
      WHERE u.application_id = ${applicationId} AND u.external_user_id = ANY(${[...externalUserIds]}::int8[]))`);
  }
  return Prisma.join(more, ' AND ');
}

function placeConditions({ within, position, radius }: GeodataListing): Prisma.Sql[] {
  const conditions: Prisma.Sql[] = [];
  if (within) {
    const { low, high } = boxAround(within);
    const { south, north, west, east } = within;
    const isAcross = Prisma.raw(west > east ? 'OR' : 'AND');
    conditions.push(
      Prisma.sql`${PLACE} <@ cube(${low}::float8[], ${high}::float8[])`,
      Prisma.sql`g.latitude BETWEEN ${south}::float8 AND ${north}::float8`,
      Prisma.sql`(g.longitude >= ${west}::float8 ${isAcross} g.longitude <= ${east}::float8)`,
    );
  }
  if (position && radius != null) {
    const [center, chord] = [placeOf(position), chordOf(radius)];
    conditions.push(
      Prisma.sql`${PLACE} <@ cube_enlarge(${center}, ${chord}::float8, 3)`,
      Prisma.sql`${PLACE} <-> ${center} <= ${chord}::float8`,
    );
  }
  return conditions;
}

function usersNamed(applicationId: number, name: string): Prisma.Sql {
  const field = (column: Prisma.Sql): FilteredField => ({ column, cast: 'text' });
  const fields = { login: field(Prisma.sql`u.login_key`), fullName: field(Prisma.sql`u.full_name`) };
  const named = conditionOf({ or: [{ login: { contains: name } }, { fullName: { contains: name } }] }, fields);
  return Prisma.sql`SELECT u.id FROM users u WHERE u.application_id = ${applicationId} AND ${named}`;
}

/** The farthest first equals the nearest to the antipode first, which the same index serves. */
function orderOf({ orderBy, position }: GeodataListing): Order {
  const { field, direction } = orderBy ?? { field: 'createdAt', direction: 'desc' };
  const order = { id: Prisma.sql`g.id`, isDescending: direction === 'desc', isAlwaysSet: true };
  if (field !== 'distance') return { ...SORTS[field], ...order };
  const from = placeOf(direction === 'desc' ? antipodeOf(position!) : position!);
  return { ...order, column: Prisma.sql`${PLACE} <-> ${from}`, cast: 'float8', isDescending: false };
}

function placeOf({ latitude, longitude }: Position): Prisma.Sql {
  return Prisma.sql`place_of(${clampedDegrees(latitude)}::float8, ${clampedDegrees(longitude)}::float8)`;
}

function requirePlaces({ within, position, radius, orderBy }: GeodataListing): void {
  if (!position && (radius != null || orderBy?.field === 'distance')) {
    throw new UnprocessableError('POSITION_REQUIRED');
  }
  if (radius != null && !(radius >= 0)) throw new BadInputError(problem('NEGATIVE_NUMBER', { name: 'radius' }));
  const corners = within
    ? [
        { latitude: within.south, longitude: within.west },
        { latitude: within.north, longitude: within.east },
      ]
    : [];
  const places = position ? [position, ...corners] : corners;
  if (!places.every(isPosition)) throw new BadInputError('POSITION_INVALID');
  if (within && within.south > within.north) throw new BadInputError('RECTANGLE_INVALID');
}

function isUnfiltered({ filter, userName, externalUserIds, within, radius, latestOnly, withStatus }: GeodataListing) {
  const isGiven = [userName, externalUserIds, within, radius].some((value) => value != null);
  return Object.keys(filter ?? {}).length === 0 && !isGiven && !latestOnly && !withStatus;
}

/** From a counter, so that the cost does not grow with the number of locations. */
async function countAll(applicationId: number): Promise<number> {
  const { _sum } = await db.geodataCount.aggregate({ where: { applicationId }, _sum: { count: true } });
  return _sum.count ?? 0;
}

async function count(found: Prisma.Sql): Promise<number> {
  const [row] = await query<{ count: number }>`SELECT count(*)::int AS count FROM ${found}`;
  return row!.count;
}

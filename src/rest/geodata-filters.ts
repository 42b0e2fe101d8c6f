import type { Parameters } from '../lib/bracket-keys.ts';
import { UnprocessableError } from '../lib/errors.ts';
import { type Given, readFlag, readInteger, readIntegerList, readNumber, readText } from '../lib/parameter-values.ts';
import { readSpan, type TimestampFilter, type TimestampOperator, timestampFilter } from '../lib/timestamp-filters.ts';
import { isPosition, type Position, type Rectangle } from '../resolvers/geodata/rules.ts';

type Part = TimestampFilter | { userId: { in: number[] } };

export const SORTS = {
  created_at: 'CREATED_AT',
  latitude: 'LATITUDE',
  longitude: 'LONGITUDE',
  distance: 'DISTANCE',
} as const;

const MOMENTS: Record<string, TimestampOperator> = {
  created_at: 'eq',
  min_created_at: 'gte',
  max_created_at: 'lte',
};

/**
 * What `/geodata/find` is asked (gaps §14); blank parameters ask nothing.
 * @throws {UnprocessableError} `Incorrect filter: <key>`
 */
export function readGeodataFilters(given: Parameters) {
  const and = [...momentParts(given), ...userParts(given)];
  return {
    // Without filters there is no filter, so that the number of all places need not be counted.
    filter: and.length > 0 ? { and } : undefined,
    userName: asked(given, 'user.name', readText),
    externalUserIds: asked(given, 'user.external_ids', readIntegerList),
    within: asked(given, 'geo_rect', readRectangle),
    position: asked(given, 'current_position', readPosition),
    radius: asked(given, 'radius', readRadius),
    latestOnly: readFlag(given.last_only) === true,
    withStatus: readFlag(given.status) === true,
    orderBy: {
      field: asked(given, 'sort_by', readSortField) ?? SORTS.created_at,
      direction: readFlag(given.sort_asc) === true ? ('ASC' as const) : ('DESC' as const),
    },
  };
}

function momentParts(given: Parameters): Part[] {
  return Object.entries(MOMENTS).flatMap(([key, operator]) => {
    const span = asked(given, key, readSpan);
    return span ? [timestampFilter('createdAt', operator, [span])] : [];
  });
}

function userParts(given: Parameters): Part[] {
  const id = asked(given, 'user.id', readInteger);
  const ids = asked(given, 'user.ids', readIntegerList);
  return [...(id === undefined ? [] : [[id]]), ...(ids === undefined ? [] : [ids])].map((one) => ({
    userId: { in: one },
  }));
}

function asked<Value>(
  given: Parameters,
  key: string,
  read: (value: Given) => Value | null | undefined,
): Value | undefined {
  const value = given[key];
  if (value === undefined || value === null || value === '') return undefined;
  const found = read(value);
  if (found === undefined || found === null) throw new UnprocessableError(`Incorrect filter: ${key}`);
  return found;
}

/**
 * `<lat1>;<lon1>;<lat2>;<lon2>`, two opposite corners. The first is the south-western one, unless it lies further north:
 * then the corners were named the other way round, or from the north-west.
 */
function readRectangle(value: Given): Rectangle | undefined {
  const numbers = numbersOf(value, /;/);
  if (numbers?.length !== 4) return undefined;
  const [south, west, north, east] = numbers as [number, number, number, number];
  const corners = [
    { latitude: south, longitude: west },
    { latitude: north, longitude: east },
  ];
  if (!corners.every(isPosition)) return undefined;
  if (south <= north) return { south, west, north, east };
  return { south: north, north: south, west: Math.min(west, east), east: Math.max(west, east) };
}

/** `<lat>;<lon>` or `<lat>,<lon>` */
function readPosition(value: Given): Position | undefined {
  const numbers = numbersOf(value, /[;,]/);
  if (numbers?.length !== 2) return undefined;
  const [latitude, longitude] = numbers as [number, number];
  return isPosition({ latitude, longitude }) ? { latitude, longitude } : undefined;
}

function numbersOf(value: Given, separator: RegExp): number[] | undefined {
  const numbers = readText(value)
    ?.split(separator)
    .map((part) => readNumber(part.trim()));
  return numbers?.every((number) => number !== undefined) ? numbers : undefined;
}

function readRadius(value: Given): number | undefined {
  const metres = readNumber(value);
  return metres !== undefined && metres >= 0 ? metres : undefined;
}

function readSortField(value: Given) {
  const name = readText(value) ?? '';
  return Object.hasOwn(SORTS, name) ? SORTS[name as keyof typeof SORTS] : undefined;
}

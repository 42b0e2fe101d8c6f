import type { Parameters } from '../lib/bracket-keys.ts';
import { UnprocessableError } from '../lib/errors.ts';
import {
  type ParameterInput,
  readFlag,
  readInteger,
  readIntegerList,
  readNumber,
  readText,
} from '../lib/parameter-values.ts';
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

/** @throws {UnprocessableError} `Incorrect filter: <key>` */
export function readGeodataFilters(parameters: Parameters) {
  const and = [...momentParts(parameters), ...userParts(parameters)];
  return {
    // Undefined instead of empty, which avoids counting all rows.
    filter: and.length > 0 ? { and } : undefined,
    userName: optionalValue(parameters, 'user.name', readText),
    externalUserIds: optionalValue(parameters, 'user.external_ids', readIntegerList),
    within: optionalValue(parameters, 'geo_rect', readRectangle),
    position: optionalValue(parameters, 'current_position', readPosition),
    radius: optionalValue(parameters, 'radius', readRadius),
    latestOnly: readFlag(parameters.last_only) === true,
    withStatus: readFlag(parameters.status) === true,
    orderBy: {
      field: optionalValue(parameters, 'sort_by', readSortField) ?? SORTS.created_at,
      direction: readFlag(parameters.sort_asc) === true ? ('ASC' as const) : ('DESC' as const),
    },
  };
}

function momentParts(parameters: Parameters): Part[] {
  return Object.entries(MOMENTS).flatMap(([key, operator]) => {
    const span = optionalValue(parameters, key, readSpan);
    return span ? [timestampFilter('createdAt', operator, [span])] : [];
  });
}

function userParts(parameters: Parameters): Part[] {
  const id = optionalValue(parameters, 'user.id', readInteger);
  const ids = optionalValue(parameters, 'user.ids', readIntegerList);
  return [...(id === undefined ? [] : [[id]]), ...(ids === undefined ? [] : [ids])].map((one) => ({
    userId: { in: one },
  }));
}

function optionalValue<Value>(
  parameters: Parameters,
  key: string,
  read: (value: ParameterInput) => Value | null | undefined,
): Value | undefined {
  const value = parameters[key];
  if (value === undefined || value === null || value === '') return undefined;
  const result = read(value);
  if (result === undefined || result === null) throw new UnprocessableError(`Incorrect filter: ${key}`);
  return result;
}

/** Two opposite corners, `<lat1>;<lon1>;<lat2>;<lon2>`. The first is the south-west one, unless it is further north. */
function readRectangle(value: ParameterInput): Rectangle | undefined {
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
function readPosition(value: ParameterInput): Position | undefined {
  const numbers = numbersOf(value, /[;,]/);
  if (numbers?.length !== 2) return undefined;
  const [latitude, longitude] = numbers as [number, number];
  return isPosition({ latitude, longitude }) ? { latitude, longitude } : undefined;
}

function numbersOf(value: ParameterInput, separator: RegExp): number[] | undefined {
  const numbers = readText(value)
    ?.split(separator)
    .map((part) => readNumber(part.trim()));
  return numbers?.every((number) => number !== undefined) ? numbers : undefined;
}

function readRadius(value: ParameterInput): number | undefined {
  const metres = readNumber(value);
  return metres !== undefined && metres >= 0 ? metres : undefined;
}

function readSortField(value: ParameterInput) {
  const name = readText(value) ?? '';
  return Object.hasOwn(SORTS, name) ? SORTS[name as keyof typeof SORTS] : undefined;
}

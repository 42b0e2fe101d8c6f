import type { Parameters } from '../lib/bracket-keys.ts';
import { readFlag, readInteger, readIntegerList, readNumber, readText } from '../lib/casts.ts';
import { UnprocessableError } from '../lib/errors.ts';
import type { OptionalJson } from '../lib/json.ts';
import { problem } from '../lib/problems.ts';
import { readSpan, type TimestampFilter, type TimestampOperator, timestampFilter } from '../lib/timestamp-filters.ts';
import { isPosition, type Position, type Rectangle } from '../resolvers/geodata/rules.ts';
import {
  described,
  flag,
  integer,
  integerId,
  moment,
  oneOfTexts,
  type Schema,
  text,
  WRONG_TYPE,
} from './openapi/docs/schemas.ts';
import { incorrectSort } from './parameters/lists.ts';
import { incorrectFilter, isSet, reader } from './parameters/readers.ts';
import { parameters, tableOf, together } from './parameters/table.ts';

type Part = TimestampFilter | { userId: { in: number[] } };

const SORTS = {
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

const moments = (description: string) => ({
  ...moment,
  description: `${description} ${moment.description}`,
  [WRONG_TYPE]: incorrectFilter,
});
const integers: Schema = { type: ['string', 'array'], items: integer, [WRONG_TYPE]: incorrectFilter };

/** @throws {UnprocessableError} `Incorrect filter: <key>` */
export const locationFilters = together(
  tableOf(
    {
      created_at: moments('Created at this time.'),
      min_created_at: moments('Created at this time or later.'),
      max_created_at: moments('Created at this time or earlier.'),
      'user.id': described({ ...integerId, [WRONG_TYPE]: incorrectFilter }, 'Of the user with this id.'),
      'user.ids': described(integers, 'Of the users with these ids, separated by commas.'),
    },
    (parameters) => {
      const and = [...momentParts(parameters), ...userParts(parameters)];
      // Undefined instead of empty, which avoids counting all rows.
      return { filter: and.length > 0 ? { and } : undefined };
    },
  ),
  parameters('Query.geodata', {
    'user.name': [
      'userName',
      filter('user.name', text, readText),
      'Of users whose login or full name contains this, letter case ignored.',
    ],
    'user.external_ids': [
      'externalUserIds',
      filter('user.external_ids', integers, readIntegerList),
      'Of the users with these ids in an external system, separated by commas.',
    ],
    geo_rect: [
      'within',
      filter('geo_rect', { ...text, examples: ['51.2;-0.6;51.7;0.4'] }, readRectangle),
      'Within the rectangle `<lat1>;<lon1>;<lat2>;<lon2>`, given by its south-west and its north-east corner.',
    ],
    current_position: [
      'position',
      filter('current_position', { ...text, examples: ['51.5;-0.12'] }, readPosition),
      'The position `<lat>;<lon>` for `radius` and for the order by `distance`, which require it.',
    ],
    radius: [
      'radius',
      filter('radius', { type: 'number', minimum: 0 }, readRadius),
      'Within this distance of `current_position`, in metres.',
    ],
    last_only: ['latestOnly', isSet, '1 returns only the latest location of each user. Default 0.'],
    status: ['withStatus', isSet, '1 returns only locations with a status. Default 0.'],
  }),
  tableOf(
    {
      sort_by: {
        ...described(oneOfTexts(Object.keys(SORTS)), 'Field to sort by.'),
        default: 'created_at',
        [WRONG_TYPE]: incorrectFilter,
      },
      sort_asc: {
        ...described(flag, '1 sorts in ascending order, 0 in descending order. Default 0.'),
        [WRONG_TYPE]: incorrectSort,
      },
    },
    (parameters) => ({
      orderBy: {
        field: optionalValue(parameters, 'sort_by', readSortField) ?? SORTS.created_at,
        direction: readFlag(parameters.sort_asc) === true ? ('ASC' as const) : ('DESC' as const),
      },
    }),
  ),
);

function filter<Value>(key: string, schema: Schema, read: (value: OptionalJson) => Value | null | undefined) {
  return reader({ ...schema, [WRONG_TYPE]: incorrectFilter }, (_value, { parameters }) =>
    optionalValue(parameters, key, read),
  );
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
  read: (value: OptionalJson) => Value | null | undefined,
): Value | undefined {
  const value = parameters[key];
  if (value === undefined || value === null || value === '') return undefined;
  const result = read(value);
  if (result === undefined || result === null)
    throw new UnprocessableError(problem('FILTER_INCORRECT', { filter: key }));
  return result;
}

/** Two opposite corners, `<lat1>;<lon1>;<lat2>;<lon2>`. The first is the south-west one, unless it is further north. */
function readRectangle(value: OptionalJson): Rectangle | undefined {
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
function readPosition(value: OptionalJson): Position | undefined {
  const numbers = numbersOf(value, /[;,]/);
  if (numbers?.length !== 2) return undefined;
  const [latitude, longitude] = numbers as [number, number];
  return isPosition({ latitude, longitude }) ? { latitude, longitude } : undefined;
}

function numbersOf(value: OptionalJson, separator: RegExp): number[] | undefined {
  const numbers = readText(value)
    ?.split(separator)
    .map((part) => readNumber(part.trim()));
  return numbers?.every((number) => number !== undefined) ? numbers : undefined;
}

function readRadius(value: OptionalJson): number | undefined {
  const metres = readNumber(value);
  return metres !== undefined && metres >= 0 ? metres : undefined;
}

function readSortField(value: OptionalJson) {
  const name = readText(value) ?? '';
  return Object.hasOwn(SORTS, name) ? SORTS[name as keyof typeof SORTS] : undefined;
}

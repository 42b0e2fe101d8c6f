import {
  MAX_VALUE_LENGTH,
  readNumber as readDecimal,
  readFlag,
  readInteger,
  readNumberedObject,
  readText,
  readTimestamp,
  splitCommas,
} from '../../lib/casts.ts';
import { isObject, type JsonValue, type OptionalJson } from '../../lib/json.ts';
import { type Problem, problem } from '../../lib/problems.ts';
import { clampedDegrees } from '../geodata/rules.ts';

export type FieldType = 'Integer' | 'Float' | 'String' | 'Boolean' | 'Date' | 'Location' | 'File';

export interface TypedField {
  name: string;
  type: FieldType;
  isArray: boolean;
}

/** Has keys instead of an order, so that latitude and longitude cannot be confused. */
export interface GeoPoint {
  /** Degrees, −90 to 90. */
  lat: number;
  /** Degrees, −180 to 180. */
  lon: number;
}

export interface FileValue {
  fileId: string;
  /** Storage key; never exposed. */
  key: string;
  name: string;
  /** Bytes. */
  size: number;
  contentType: string;
}

/** Dates are milliseconds since 1970. */
export type Scalar = number | string | boolean | GeoPoint | FileValue;
export type StoredValue = Scalar | Scalar[];

/** Unset fields are absent. */
export type StoredFields = Record<string, StoredValue>;

/** A null value unsets the field; `problem` says why the value does not fit. */
export type Cast<Value> = { value: Value; problem?: undefined } | { problem: Problem };

export function castField(field: TypedField, given: OptionalJson): Cast<StoredValue | null> {
  if (given === undefined || given === null) return { value: null };
  if (!field.isArray) return castScalar(field, given);
  const items = itemsOf(field, given);
  if (!items) return { problem: problem('FIELD_NOT_A_LIST', { field: field.name }) };
  const values: Scalar[] = [];
  for (const item of items) {
    const cast = castScalar(field, item);
    if (cast.problem !== undefined) return cast;
    values.push(cast.value);
  }
  return { value: values };
}

export function castScalar({ name, type }: TypedField, given: JsonValue): Cast<Scalar> {
  if (type === 'Location') return castPlace(name, given);
  const value = SCALARS[type](given);
  return value === undefined || value === null
    ? { problem: problem('FIELD_WRONG_TYPE', { field: name, wanted: WANTED[type] }) }
    : { value };
}

/** Splits at commas only if the complete value is one text. */
function itemsOf({ type }: TypedField, given: JsonValue): JsonValue[] | undefined {
  if (type === 'Location') return placesOf(given);
  if (typeof given === 'string') return splitCommas(given);
  return readNumberedObject(given) ?? (isObject(given) ? undefined : [given]);
}

/** `"50.1, 8.7"` and `[50.1, 8.7]` are lists of one place. */
function placesOf(given: JsonValue): JsonValue[] | undefined {
  if (typeof given === 'string') return given.trim() === '' ? [] : [given];
  const items = readNumberedObject(given);
  if (!items) return isObject(given) && 'lat' in given ? [given] : undefined;
  const isOnePlace = items.length === 2 && items.every((item) => readNumber(item) !== undefined);
  return isOnePlace ? [items] : items;
}

function castPlace(name: string, given: JsonValue): Cast<GeoPoint> {
  const place = readPoint(given);
  if (!place) return { problem: problem('FIELD_WRONG_TYPE', { field: name, wanted: 'a location' }) };
  const outside = pointProblem(place);
  return outside === undefined ? { value: place } : { problem: outside };
}

/** `"<lat>, <lon>"`, `[lat, lon]` or `{"lat", "lon"}`; undefined otherwise. Does not check the range. */
export function readPoint(given: OptionalJson): GeoPoint | undefined {
  const parts = typeof given === 'string' ? splitPlace(given) : coordinatesOf(given);
  if (parts?.length !== 2) return undefined;
  const [lat, lon] = parts.map(readNumber);
  return lat === undefined || lon === undefined ? undefined : { lat: clampedDegrees(lat), lon: clampedDegrees(lon) };
}

/** Characters; longer text cannot be two numbers and is not split. */
const MAX_PLACE = 2 * MAX_VALUE_LENGTH;

function splitPlace(text: string): string[] {
  return text.length > MAX_PLACE ? [] : text.split(',').map((part) => part.trim());
}

function coordinatesOf(given: OptionalJson): JsonValue[] | undefined {
  if (isObject(given) && given.lat !== undefined && given.lon !== undefined) return [given.lat, given.lon];
  return readNumberedObject(given);
}

export function pointProblem({ lat, lon }: GeoPoint): Problem | undefined {
  if (lat > 90) return problem('COORDINATE_TOO_LARGE', { coordinate: 'Latitude', max: 90 });
  if (lat < -90) return problem('COORDINATE_TOO_SMALL', { coordinate: 'Latitude', min: -90 });
  if (lon > 180) return problem('COORDINATE_TOO_LARGE', { coordinate: 'Longitude', max: 180 });
  if (lon < -180) return problem('COORDINATE_TOO_SMALL', { coordinate: 'Longitude', min: -180 });
  return undefined;
}

/** Like `readNumber` of parameters, but trims text. */
export function readNumber(given: OptionalJson): number | undefined {
  return readDecimal(typeof given === 'string' ? given.trim() : given);
}

const SCALARS: Record<Exclude<FieldType, 'Location'>, (given: OptionalJson) => Scalar | null | undefined> = {
  Integer: readInteger,
  Float: readNumber,
  String: readText,
  Boolean: readFlag,
  Date: (given) => readTimestamp((given as unknown) instanceof Date ? (given as unknown as Date).toISOString() : given),
  File: () => undefined,
};

const WANTED: Record<FieldType, string> = {
  Integer: 'an integer',
  Float: 'a number',
  String: 'a string',
  Boolean: 'a boolean',
  Date: 'a date',
  Location: 'a location',
  File: 'a file',
};

/** Dates become `Date`, places `[lat, lon]`, unset values null. */
export function presentedType({ type, isArray }: TypedField, stored: StoredValue | undefined): unknown {
  if (stored === undefined) return null;
  return isArray
    ? (stored as Scalar[]).map((item) => presentScalar(type, item))
    : presentScalar(type, stored as Scalar);
}

function presentScalar(type: FieldType, stored: Scalar): unknown {
  if (type === 'Date') return new Date(stored as number);
  if (type === 'File') return presentFile(stored as FileValue);
  if (type !== 'Location') return stored;
  const { lat, lon } = stored as GeoPoint;
  return [lat, lon];
}

export type PresentedFile = Omit<FileValue, 'key'>;

export function presentFile({ key: _hidden, ...file }: FileValue): PresentedFile {
  return file;
}

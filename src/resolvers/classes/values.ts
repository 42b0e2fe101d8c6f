import { isObject, type ParameterValue } from '../../lib/bracket-keys.ts';
import {
  MAX_VALUE_LENGTH,
  type ParameterInput,
  readNumber as readDecimal,
  readFlag,
  readInteger,
  readNumberedObject,
  readText,
  readTimestamp,
  splitCommas,
} from '../../lib/parameter-values.ts';
import { clampedDegrees } from '../geodata/rules.ts';

export type FieldType = 'Integer' | 'Float' | 'String' | 'Boolean' | 'Date' | 'Location' | 'File';

/** A field as far as its values are concerned. */
export interface TypedField {
  name: string;
  type: FieldType;
  isArray: boolean;
}

/** A place as it is stored: keys instead of an order, so that no comparison takes one of them for the other. */
export interface Place {
  /** Degrees, −90 to 90. */
  lat: number;
  /** Degrees, −180 to 180. */
  lon: number;
}

/** A file as its field keeps it. */
export interface FileValue {
  fileId: string;
  /** Of its bytes in the storage; shown to nobody. */
  key: string;
  name: string;
  /** Bytes. */
  size: number;
  contentType: string;
}

/** As it is stored: moments as milliseconds since 1970. */
export type Scalar = number | string | boolean | Place | FileValue;
export type StoredValue = Scalar | Scalar[];

/** Stored values by field; unset ones are absent. */
export type StoredFields = Record<string, StoredValue>;

/** What a cast makes of an input: the value, null for one that unsets the field, or the sentence that says what is wrong. */
export type Cast<Value> = { value: Value; problem?: undefined } | { problem: string };

/** Casts what a client says of a field to the type of its class. */
export function castField(field: TypedField, given: ParameterInput): Cast<StoredValue | null> {
  if (given === undefined || given === null) return { value: null };
  if (!field.isArray) return castScalar(field, given);
  const items = itemsOf(field, given);
  if (!items) return { problem: `Field ${field.name} should be an array` };
  const values: Scalar[] = [];
  for (const item of items) {
    const cast = castScalar(field, item);
    if (cast.problem !== undefined) return cast;
    values.push(cast.value);
  }
  return { value: values };
}

/** One value, or one item of an array. */
export function castScalar({ name, type }: TypedField, given: ParameterValue): Cast<Scalar> {
  if (type === 'Location') return castPlace(name, given);
  const value = SCALARS[type](given);
  return value === undefined || value === null ? { problem: `Field ${name} should be ${WANTED[type]}` } : { value };
}

/** A list in any form that an array field takes: only a whole value that is one text is split at its commas. */
function itemsOf({ type }: TypedField, given: ParameterValue): ParameterValue[] | undefined {
  if (type === 'Location') return placesOf(given);
  if (typeof given === 'string') return splitCommas(given);
  return readNumberedObject(given) ?? (isObject(given) ? undefined : [given]);
}

/** `"50.1, 8.7"` and `[50.1, 8.7]` are lists of one place. */
function placesOf(given: ParameterValue): ParameterValue[] | undefined {
  if (typeof given === 'string') return given.trim() === '' ? [] : [given];
  const items = readNumberedObject(given);
  if (!items) return isObject(given) && 'lat' in given ? [given] : undefined;
  const isOnePlace = items.length === 2 && items.every((item) => readNumber(item) !== undefined);
  return isOnePlace ? [items] : items;
}

function castPlace(name: string, given: ParameterValue): Cast<Place> {
  const place = readPlace(given);
  if (!place) return { problem: `Field ${name} should be a location` };
  const problem = placeProblem(place);
  return problem === undefined ? { value: place } : { problem };
}

/** `"<lat>, <lon>"`, `[lat, lon]` or `{"lat", "lon"}`; undefined for all else. The range is not looked at. */
export function readPlace(given: ParameterInput): Place | undefined {
  const parts = typeof given === 'string' ? splitPlace(given) : coordinatesOf(given);
  if (parts?.length !== 2) return undefined;
  const [lat, lon] = parts.map(readNumber);
  return lat === undefined || lon === undefined ? undefined : { lat: clampedDegrees(lat), lon: clampedDegrees(lon) };
}

/** Two numbers need no more characters; longer text is not split. */
const MAX_PLACE = 2 * MAX_VALUE_LENGTH;

function splitPlace(text: string): string[] {
  return text.length > MAX_PLACE ? [] : text.split(',').map((part) => part.trim());
}

function coordinatesOf(given: ParameterInput): ParameterValue[] | undefined {
  if (isObject(given) && given.lat !== undefined && given.lon !== undefined) return [given.lat, given.lon];
  return readNumberedObject(given);
}

/** What is wrong with the range of a place. */
export function placeProblem({ lat, lon }: Place): string | undefined {
  if (lat > 90) return 'Latitude must be less than or equal to 90';
  if (lat < -90) return 'Latitude must be greater than or equal to -90';
  if (lon > 180) return 'Longitude must be less than or equal to 180';
  if (lon < -180) return 'Longitude must be greater than or equal to -180';
  return undefined;
}

/** As `readNumber` of parameters, but blanks around the text are allowed. */
export function readNumber(given: ParameterInput): number | undefined {
  return readDecimal(typeof given === 'string' ? given.trim() : given);
}

const SCALARS: Record<Exclude<FieldType, 'Location'>, (given: ParameterInput) => Scalar | null | undefined> = {
  Integer: readInteger,
  Float: readNumber,
  String: readText,
  Boolean: readFlag,
  Date: (given) => readTimestamp((given as unknown) instanceof Date ? (given as unknown as Date).toISOString() : given),
  // Files are set by their own calls.
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

/** What a client is shown of a field: moments as `Date`, places as `[lat, lon]`, null for an unset one. */
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
  const { lat, lon } = stored as Place;
  return [lat, lon];
}

export type PresentedFile = Omit<FileValue, 'key'>;

export function presentFile({ key: _hidden, ...file }: FileValue): PresentedFile {
  return file;
}

import {
  readFlag,
  readIdList,
  readInteger,
  readList,
  readNumberedObject,
  readText,
  splitCommas,
} from '../../lib/casts.ts';
import { isObject, type JsonValue, type OptionalJson } from '../../lib/json.ts';
import { problem } from '../../lib/problems.ts';
import { isDatabaseId } from '../../lib/tokens.ts';
import { readIntegerId } from '../http/integer-ids.ts';
import * as schemas from '../openapi/docs/schemas.ts';
import { listOf, type Schema, WRONG_TYPE, type WrongType } from '../openapi/docs/schemas.ts';
import type { ParameterReader, ParameterSource, ParameterTable } from './table.ts';

const LIST_OR_TEXT: Schema = { type: ['string', 'array'], items: schemas.text };

export const text = reader(schemas.text, readText);
/** Empty as missing. */
export const nonEmptyText = reader(schemas.text, (value) => readText(value) || undefined);
/** Missing as empty. */
export const textOrEmpty = reader(schemas.text, (value) => readText(value) ?? '');
/** Numbers and booleans count as missing. */
export const textOnly = reader(schemas.text, (value) => (typeof value === 'string' ? value : undefined));
/** Lists and objects as their JSON. */
export const textOrJson = reader(schemas.text, (value) =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : readText(value),
);
/** From the path. */
export const id: ParameterReader<string> = reader(schemas.text, (value) => value as string);
/** From the path: `a,b,,a` as `["a", "b", "a"]`. */
export const ids = reader(schemas.text, (value) => splitCommas(value as string));
/** From the path. @throws {InvalidFieldsError} not a positive integer @throws {NotFoundError} above the range of ids */
export const integerId = reader(schemas.integerId, (value) => readIntegerId(value as string));
export const flag = reader(schemas.flag, readFlag);
/** Missing or invalid as false. */
export const isSet = reader(schemas.flag, (value) => readFlag(value) === true);
export const integer = reader(schemas.integer, readInteger);
/** Distinct, without blank ones. */
export const texts = reader(LIST_OR_TEXT, readIdList);
/** Undefined if missing; else the list replaces the stored one. */
export const tags = reader(LIST_OR_TEXT, (value) =>
  value === undefined ? undefined : readList(value).flatMap((tag) => readText(tag) ?? []),
);
/** An invalid id as 0, so that it counts as an unknown user. */
export const userId = reader(schemas.integer, (value) =>
  value === undefined || value === null || value === '' ? undefined : idOrZero(value),
);
/** Invalid ids as 0, so that they count as unknown users. */
export const userIds = reader(listOf(schemas.integerId), (value) => readList(value).map(idOrZero));
/** The operation itself checks the value. */
export const unchecked = reader(schemas.anything, (value) => value);

export function reader<Value>(
  schema: Schema,
  read: (value: OptionalJson, source: ParameterSource) => Value,
): ParameterReader<Value> {
  return { schema, read };
}

/** The same parameter with another documentation. */
export function shownAs<Value>(
  { schema: _former, ...one }: ParameterReader<Value>,
  schema: Schema,
): ParameterReader<Value> {
  return { ...one, schema };
}

/** Undefined if there is no list; null for items that are no objects. */
export function objects<Values>({
  schema,
  read,
}: ParameterTable<Values>): ParameterReader<(Values | null)[] | undefined> {
  return reader(listOf(schema), (value, source) =>
    readNumberedObject(value)?.map((item) => (isObject(item) ? read(item, source) : null)),
  );
}

/** Undefined only if the list is missing. */
export function unlessMissing<Value>({ read, ...one }: ParameterReader<Value>): ParameterReader<Value | undefined> {
  return { ...one, read: (value, source) => (value === undefined ? undefined : read(value, source)) };
}

/** The error for a list or an object in place of the value; default: the field `is invalid`. */
export function refusedAs<Value>({ schema, ...one }: ParameterReader<Value>, error: WrongType): ParameterReader<Value> {
  return { ...one, schema: { ...schema, [WRONG_TYPE]: error } };
}

export const incorrectFilter: WrongType = (_value, key) => problem('FILTER_INCORRECT', { filter: key });

function idOrZero(value: JsonValue): number {
  const id = readInteger(value);
  return id !== undefined && isDatabaseId(id) ? id : 0;
}

import { isObject, type Parameters, type ParameterValue } from '../../lib/bracket-keys.ts';
import { fieldSentences, WrongTypesError } from '../../lib/errors.ts';
import { readList } from '../../lib/parameter-values.ts';
import { MAX_PERIOD, MIN_PERIOD } from '../../resolvers/events/rules.ts';
import type { ObjectSchema, Schema } from '../openapi/docs/schemas.ts';
import type { Route } from './route.ts';

const TEXTS: Record<string, string[]> = {
  'user[login]': ['should contain alphanumeric and punctuation characters only'],
  'user[email]': ['should look like an email address.'],
  'user[password]': [
    'should contain alphanumeric and punctuation characters only',
    'is too short (minimum is 8 characters)',
  ],
  'user[external_user_id]': ['should be a positive integer'],
  'user[blob_id]': ['should be a positive integer'],
  'geo_data[latitude]': ['is not a number'],
  'geo_data[longitude]': ['is not a number'],
  days: ['should be an integer greater then 0'],
};

const incorrectFilter = (_value: string, key: string) => `Incorrect filter: ${key}`;
const incorrectSort = (value: string) => `Incorrect sort field: ${value}`;

/** Messages that do not begin with the name of their field. */
const SENTENCES: Record<string, (value: string, key: string) => string> = {
  _parent_id: () => 'Parent record was not found',
  page: () => 'page should be greater than 0',
  per_page: () => 'per_page should be between 1 and 100',
  order: (value) => `Incorrect order: ${value}`,
  sort_asc: incorrectSort,
  sort_desc: incorrectSort,
  sort_by: incorrectFilter,
  created_at: incorrectFilter,
  min_created_at: incorrectFilter,
  max_created_at: incorrectFilter,
  'user.id': incorrectFilter,
  'user.ids': incorrectFilter,
  'user.external_ids': incorrectFilter,
  'user.name': incorrectFilter,
  geo_rect: incorrectFilter,
  current_position: incorrectFilter,
  radius: incorrectFilter,
  type: () => 'Type should be 1, 2 or 3',
  'push_token[environment]': () => 'Environment should be production or development',
  'push_token[client_identification_sequence]': () => 'Client identification sequence is not valid',
  'push_token[endpoint]': () => 'Client identification sequence is not valid',
  'push_token[keys][p256dh]': () => 'Client identification sequence is not valid',
  'push_token[keys][auth]': () => 'Client identification sequence is not valid',
  'device[platform]': () => 'Device platform is not valid',
  'device[udid]': () => 'Device udid is invalid',
  'event[notification_type]': () => 'notification_type should be push',
  'event[environment]': () => 'environment should be production or development',
  'event[push_type]': (value) => `Unknown push_type: ${value}`,
  'event[event_type]': (value) => `Unknown event_type: ${value}`,
  'event[message]': () => 'message is required',
  'event[date]': () => 'date is not valid',
  'event[end_date]': () => 'end_date is not valid',
  'event[period]': () => `period should be between ${MIN_PERIOD} and ${MAX_PERIOD}`,
};

const MAX_REPEATED = 100;

/** The types are those of the route's documentation. @throws {WrongTypesError} names all such parameters */
export function refuseWrongTypes({ docs, refusesWrongTypes }: Route, parameters: Parameters): void {
  if (refusesWrongTypes || !Object.values(parameters).some(isNested)) return;
  const wrong = [docs.query, docs.body].flatMap((schema) => (schema ? wrongMembers(schema, parameters) : []));
  if (wrong.length > 0) throw errorOf(wrong);
}

export function wrongTypeErrors({ docs, refusesWrongTypes }: Route): WrongTypesError[] {
  if (refusesWrongTypes) return [];
  const mayBeWrong = (schema: Schema) => isScalar(schema) || isScalarList(schema);
  const keys = [docs.query, docs.body].flatMap((schema) => (schema ? keysOf(schema, mayBeWrong) : []));
  const byField = keys.find((key) => !Object.hasOwn(SENTENCES, key));
  const bySentence = keys.find((key) => Object.hasOwn(SENTENCES, key));
  return [byField, bySentence].flatMap((key) => (key === undefined ? [] : [errorOf([[key, []]])]));
}

export function scalarsOf(schema: ObjectSchema): string[] {
  return keysOf(schema, isScalar);
}

function keysOf({ properties }: ObjectSchema, isWanted: (schema: Schema) => boolean, prefix = ''): string[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const key = keyOf(prefix, name);
    if (isRefusedByRules(key, schema)) return [];
    if (isWanted(schema)) return [key];
    return isObjectSchema(schema) ? keysOf(schema, isWanted, key) : [];
  });
}

type Wrong = readonly [key: string, value: ParameterValue];

function wrongMembers({ properties }: ObjectSchema, parameters: Parameters, prefix = ''): Wrong[] {
  return Object.entries(properties).flatMap(([name, schema]): Wrong[] => {
    const value = parameters[name];
    if (typeof value !== 'object' || value === null) return [];
    const key = keyOf(prefix, name);
    if (isRefusedByRules(key, schema)) return [];
    if (isScalar(schema) || (isScalarList(schema) && readList(value).some(isNested))) return [[key, value]];
    return isObjectSchema(schema) && isObject(value) ? wrongMembers(schema, value, key) : [];
  });
}

/** `permissions` is an object checked by `readPermissions`, or a flag in lists. */
function isRefusedByRules(key: string, schema: Schema): boolean {
  return key === 'permissions' && !isScalar(schema);
}

function errorOf(wrong: Wrong[]): WrongTypesError {
  const fields: Record<string, string[]> = {};
  const sentences = wrong.flatMap(([key, value]) => {
    if (Object.hasOwn(SENTENCES, key)) return SENTENCES[key]!(JSON.stringify(value).slice(0, MAX_REPEATED), key);
    const name = key.split(/[[\]]/).findLast((part) => part !== '')!;
    fields[name] = TEXTS[key] ?? ['is invalid'];
    return fieldSentences({ [name]: fields[name] });
  });
  return new WrongTypesError(fields, [...new Set(sentences)]);
}

function keyOf(prefix: string, name: string): string {
  return prefix === '' ? name : `${prefix}[${name}]`;
}

const SCALARS = new Set<unknown>(['string', 'integer', 'number', 'boolean']);

function isScalar({ type, enum: values, anyOf }: Schema): boolean {
  if (anyOf) return (anyOf as Schema[]).every(isScalar);
  const types = [type ?? []].flat();
  return types.length === 0 ? values !== undefined : types.every((one) => SCALARS.has(one));
}

function isScalarList({ items }: Schema): boolean {
  return items !== undefined && isScalar(items as Schema);
}

function isNested(value: ParameterValue): boolean {
  return typeof value === 'object' && value !== null;
}

function isObjectSchema(schema: Schema): schema is ObjectSchema {
  return schema.type === 'object' && 'properties' in schema;
}

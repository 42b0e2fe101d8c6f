import type { Parameters } from '../../lib/bracket-keys.ts';
import { readList } from '../../lib/casts.ts';
import { WrongTypesError } from '../../lib/errors.ts';
import { isObject, type JsonValue } from '../../lib/json.ts';
import { distinct, type FieldProblems, inFields } from '../../lib/problems.ts';
import { type ObjectSchema, type Schema, WRONG_TYPE, type WrongType } from '../openapi/docs/schemas.ts';
import type { Route } from './route.ts';

const MAX_REPEATED = 100;

/** The types are those of the route's documentation. @throws {WrongTypesError} names all such parameters */
export function refuseWrongTypes({ docs, checksTypes }: Route, parameters: Parameters): void {
  if (checksTypes || !Object.values(parameters).some(isNested)) return;
  const wrong = [docs.query, docs.body].flatMap((schema) => (schema ? wrongMembers(schema, parameters) : []));
  if (wrong.length > 0) throw errorOf(wrong);
}

export function wrongTypeErrors({ docs, checksTypes }: Route): WrongTypesError[] {
  if (checksTypes) return [];
  const mayBeWrong = (schema: Schema) => isScalar(schema) || isScalarList(schema);
  const members = [docs.query, docs.body].flatMap((schema) => (schema ? membersOf(schema, mayBeWrong) : []));
  const hasSentence = ([, { [WRONG_TYPE]: error }]: Member) => typeof error === 'function';
  const byField = members.find((member) => !hasSentence(member));
  const bySentence = members.find(hasSentence);
  return [byField, bySentence].flatMap((member) => (member ? [errorOf([[member[0], [], member[1][WRONG_TYPE]]])] : []));
}

export function scalarsOf(schema: ObjectSchema): string[] {
  return membersOf(schema, isScalar).map(([key]) => key);
}

type Member = readonly [key: string, schema: Schema];

function membersOf({ properties }: ObjectSchema, isWanted: (schema: Schema) => boolean, prefix = ''): Member[] {
  return Object.entries(properties).flatMap(([name, schema]): Member[] => {
    const key = keyOf(prefix, name);
    if (isRefusedByRules(key, schema)) return [];
    if (isWanted(schema)) return [[key, schema]];
    return isObjectSchema(schema) ? membersOf(schema, isWanted, key) : [];
  });
}

type Wrong = readonly [key: string, value: JsonValue, error: WrongType | undefined];

function wrongMembers({ properties }: ObjectSchema, parameters: Parameters, prefix = ''): Wrong[] {
  return Object.entries(properties).flatMap(([name, schema]): Wrong[] => {
    const value = parameters[name];
    if (typeof value !== 'object' || value === null) return [];
    const key = keyOf(prefix, name);
    if (isRefusedByRules(key, schema)) return [];
    if (isScalar(schema) || (isScalarList(schema) && readList(value).some(isNested))) {
      return [[key, value, schema[WRONG_TYPE]]];
    }
    return isObjectSchema(schema) && isObject(value) ? wrongMembers(schema, value, key) : [];
  });
}

/** `permissions` is an object checked by `readPermissions`, or a flag in lists. */
function isRefusedByRules(key: string, schema: Schema): boolean {
  return key === 'permissions' && !isScalar(schema);
}

function errorOf(wrong: Wrong[]): WrongTypesError {
  const fields: FieldProblems = {};
  const problems = wrong.flatMap(([key, value, error]) => {
    if (typeof error === 'function') return error(JSON.stringify(value).slice(0, MAX_REPEATED), key);
    const name = key.split(/[[\]]/).findLast((part) => part !== '')!;
    fields[name] = error ?? ['INVALID'];
    return inFields({ [name]: fields[name] });
  });
  return new WrongTypesError(fields, distinct(problems));
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

function isNested(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null;
}

function isObjectSchema(schema: Schema): schema is ObjectSchema {
  return schema.type === 'object' && 'properties' in schema;
}

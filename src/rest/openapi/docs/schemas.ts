import type { Problem } from '../../../lib/problems.ts';

/** Key of the error for a list or an object in place of a text, number, date or flag; not part of the document. */
export const WRONG_TYPE = Symbol('wrong type');

/** Problems of the field, or one made from the JSON of the value and the key of the parameter. */
export type WrongType = Problem[] | ((value: string, key: string) => Problem);

/** JSON Schema 2020-12. */
export type Schema = { readonly [keyword: string]: unknown; readonly [WRONG_TYPE]?: WrongType };

export interface ObjectSchema extends Schema {
  type: 'object';
  properties: Record<string, Schema>;
  required?: string[];
}

export const text: Schema = { type: 'string' };
export const integer: Schema = { type: 'integer' };
export const number: Schema = { type: 'number' };
export const boolean: Schema = { type: 'boolean' };

export const anything: Schema = {};

export const bit: Schema = { type: 'integer', enum: [0, 1] };

/** Not one `enum`, because generators of clients expect values of one type. */
export const flag: Schema = { anyOf: [boolean, bit] };

export const isoTime: Schema = {
  type: 'string',
  format: 'date-time',
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$',
  examples: ['2026-11-20T17:46:59Z'],
};

export const unixTime: Schema = { type: 'integer', description: 'Unix time in seconds.', examples: [1795196819] };

export const moment: Schema = {
  type: ['integer', 'number', 'string'],
  description:
    'A time: Unix seconds, `YYYY-MM-DD`, `YYYY-MM-DD HH:MM:SS` or ISO 8601; in UTC unless it has a time zone.',
};

export const integerId: Schema = { type: 'integer', minimum: 1, maximum: 2_147_483_647 };

export const stringId: Schema = { type: 'string', pattern: '^[0-9a-f]{24}$' };

export const listOf = (items: Schema): Schema => ({ type: 'array', items });

export const mapOf = (values: Schema): ObjectSchema => ({
  type: 'object',
  properties: {},
  additionalProperties: values,
});

export const oneOfTexts = (values: readonly string[]): Schema => ({ type: 'string', enum: values });

export function nullable(schema: Schema): Schema {
  const { type, ...others } = schema;
  if (type === undefined || 'enum' in schema) return { anyOf: [schema, { type: 'null' }] };
  return { type: [...[type as string | string[]].flat(), 'null'], ...others };
}

export const described = (schema: Schema, description: string): Schema => ({ ...schema, description });

export function closed(properties: Record<string, Schema>, optional: string[] = []): ObjectSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required, additionalProperties: false };
}

export function open(properties: Record<string, Schema>, optional: string[] = []): ObjectSchema {
  return { ...closed(properties, optional), additionalProperties: true };
}

/** Unknown members are allowed, because the server ignores them. */
export function requestObject(properties: Record<string, Schema>, required: string[] = []): ObjectSchema {
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) };
}

/** Moves the schema to the components of the document, under this name. */
export const named = <Named extends Schema>(title: string, schema: Named): Named => ({ ...schema, title });

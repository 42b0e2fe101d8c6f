/** A JSON Schema (2020-12), as OpenAPI 3.1 has them. */
export type Schema = { readonly [keyword: string]: unknown };

export interface ObjectSchema extends Schema {
  type: 'object';
  properties: Record<string, Schema>;
  required?: string[];
}

export const text: Schema = { type: 'string' };
export const integer: Schema = { type: 'integer' };
export const number: Schema = { type: 'number' };
export const boolean: Schema = { type: 'boolean' };

/** Any JSON value. */
export const anything: Schema = {};

/** A boolean as requests say it. */
export const flag: Schema = { enum: [0, 1, false, true] };

/** A boolean as legacy answers say it. */
export const bit: Schema = { type: 'integer', enum: [0, 1] };

export const isoTime: Schema = {
  type: 'string',
  format: 'date-time',
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$',
  examples: ['2026-11-20T17:46:59Z'],
};

export const unixTime: Schema = { type: 'integer', description: 'Unix seconds.', examples: [1795196819] };

/** A moment as requests may say it. */
export const moment: Schema = {
  type: ['integer', 'number', 'string'],
  description: 'Unix seconds, `YYYY-MM-DD`, `YYYY-MM-DD HH:MM:SS` or ISO 8601.',
};

/** Ids of users, events, blobs … */
export const integerId: Schema = { type: 'integer', minimum: 1, maximum: 2_147_483_647 };

/** Ids of dialogs, messages, records and classes. */
export const stringId: Schema = { type: 'string', pattern: '^[0-9a-f]{24}$' };

export const listOf = (items: Schema): Schema => ({ type: 'array', items });

/** Members by names that nobody knows beforehand. */
export const mapOf = (values: Schema): ObjectSchema => ({
  type: 'object',
  properties: {},
  additionalProperties: values,
});

export const oneOfTexts = (values: readonly string[]): Schema => ({ type: 'string', enum: values });

/** The same with null. */
export function nullable(schema: Schema): Schema {
  const { type, ...others } = schema;
  if (type === undefined || 'enum' in schema) return { anyOf: [schema, { type: 'null' }] };
  return { type: [...[type as string | string[]].flat(), 'null'], ...others };
}

export const described = (schema: Schema, description: string): Schema => ({ ...schema, description });

/** An object of an answer: these members, all of them but the optional ones, and no others. */
export function closed(properties: Record<string, Schema>, optional: string[] = []): ObjectSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required, additionalProperties: false };
}

/** An object of an answer with more members, by names that are the client's. */
export function open(properties: Record<string, Schema>, optional: string[] = []): ObjectSchema {
  return { ...closed(properties, optional), additionalProperties: true };
}

/** What is asked for: members that are not known are ignored. */
export function requestObject(properties: Record<string, Schema>, required: string[] = []): ObjectSchema {
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) };
}

/** Several that are asked for together. */
export function together(...schemas: ObjectSchema[]): ObjectSchema {
  const required = schemas.flatMap((schema) => schema.required ?? []);
  return { ...requestObject(Object.assign({}, ...schemas.map(({ properties }) => properties)), required) };
}

/** Told once in the document, under this name. */
export const named = <Named extends Schema>(title: string, schema: Named): Named => ({ ...schema, title });

import type { ObjectSchema, Schema } from './docs/schemas.ts';

/** The schema of a JSON body as a form: `user[login]`, `ids[]`; of a list of objects only the first, `contacts[0][name]`. */
export function formOf(body: ObjectSchema): ObjectSchema {
  const required: string[] = [];
  const properties: Record<string, Schema> = {};
  for (const [name, schema] of Object.entries(body.properties)) {
    const isNeeded = body.required?.includes(name) ?? false;
    for (const leaf of leavesOf(name, schema, isNeeded)) {
      properties[leaf.key] = leaf.schema;
      if (leaf.isRequired) required.push(leaf.key);
    }
  }
  const more = body.additionalProperties === undefined ? {} : { additionalProperties: body.additionalProperties };
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}), ...more };
}

export function formPairs(key: string, value: unknown): [key: string, value: unknown][] {
  if (Array.isArray(value)) {
    const isPlain = value.every((item) => typeof item !== 'object' || item === null);
    return isPlain ? [[`${key}[]`, value]] : value.flatMap((item, index) => formPairs(`${key}[${index}]`, item));
  }
  if (typeof value !== 'object' || value === null) return [[key, value]];
  return Object.entries(value).flatMap(([name, member]) => formPairs(`${key}[${name}]`, member));
}

interface Leaf {
  key: string;
  schema: Schema;
  isRequired: boolean;
}

function leavesOf(key: string, schema: Schema, isRequired: boolean): Leaf[] {
  if (isObjectSchema(schema)) {
    return Object.entries(schema.properties).flatMap(([name, member]) =>
      leavesOf(`${key}[${name}]`, member, isRequired && (schema.required?.includes(name) ?? false)),
    );
  }
  if (schema.type !== 'array') return [{ key, schema, isRequired }];
  const items = schema.items as Schema;
  if (isObjectSchema(items)) return leavesOf(`${key}[0]`, items, false);
  return [{ key: `${key}[]`, schema, isRequired }];
}

function isObjectSchema(schema: Schema): schema is ObjectSchema {
  return schema.type === 'object' && 'properties' in schema;
}

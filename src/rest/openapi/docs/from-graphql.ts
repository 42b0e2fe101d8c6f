import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { schema } from '../../../schema/index.ts';
import {
  anything,
  boolean,
  flag,
  integer,
  isoTime,
  listOf,
  moment,
  nullable,
  number,
  type ObjectSchema,
  requestObject,
  type Schema,
  text,
  unixTime,
} from './schemas.ts';

/** A field with its type or a form of its own, or a parameter that only REST has. */
export type Renaming = string | readonly [field: string, form: Schema] | Schema;

interface Typed {
  type: GraphQLType;
  description?: string | null | undefined;
}

/** @param form replaces the schema of the field's type, except that a nullable field stays nullable */
export function answerSchemaOf(field: Typed, form?: Schema): Schema {
  const value = described(field, form, ANSWERED);
  return isNonNullType(field.type) ? value : nullable(value);
}

export function inputOf(typeName: string, names: Record<string, Renaming>, required: string[] = []): ObjectSchema {
  const type = schema.getType(typeName);
  if (!isInputObjectType(type)) throw new Error(`${typeName} is no input of the schema`);
  return requestObject(renamed(typeName, type.getFields(), names), required);
}

/** @param operation `Mutation.addReaction` */
export function argumentsOf(operation: string, names: Record<string, Renaming>, required: string[] = []): ObjectSchema {
  const fields = Object.fromEntries(operationField(operation).args.map((argument) => [argument.name, argument]));
  return requestObject(renamed(operation, fields, names), required);
}

export function operationField(operation: string): GraphQLField<unknown, unknown> {
  const [typeName, name] = operation.split('.') as [string, string];
  const type = schema.getType(typeName);
  const field = isObjectType(type) ? type.getFields()[name] : undefined;
  if (!field) throw new Error(`${operation} is no operation of the schema`);
  return field;
}

function renamed(
  owner: string,
  fields: Record<string, Typed>,
  names: Record<string, Renaming>,
): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(names).map(([legacy, renaming]) => {
      if (typeof renaming === 'object' && !Array.isArray(renaming)) return [legacy, renaming as Schema];
      const [name, form] = (typeof renaming === 'string' ? [renaming] : renaming) as [string, Schema?];
      const field = fields[name];
      if (!field) throw new Error(`${owner} has no ${name}`);
      return [legacy, described(field, form, REQUESTED)];
    }),
  );
}

/** A form's own description replaces that of the field. That of a scalar follows it: `When it was sent. Unix seconds.` */
function described({ type, description }: Typed, form: Schema | undefined, scalars: Record<string, Schema>): Schema {
  if (form) return description ? { description, ...form } : form;
  const value = schemaOf(type, scalars);
  const sentences = [description, value.description].filter(Boolean);
  return sentences.length > 0 ? { ...value, description: [...new Set(sentences)].join(' ') } : value;
}

function schemaOf(type: GraphQLType, scalars: Record<string, Schema>): Schema {
  if (isNonNullType(type)) return schemaOf(type.ofType, scalars);
  if (isListType(type)) return listOf(schemaOf(type.ofType, scalars));
  const { name } = type as GraphQLNamedType;
  const schema = scalars[name];
  if (!schema) throw new Error(`${name} needs a form of its own`);
  return schema;
}

const COMMON = { Int: integer, SafeInt: integer, Float: number, String: text, ID: text, JSON: anything };

const ANSWERED: Record<string, Schema> = {
  ...COMMON,
  Boolean: boolean,
  Flag: boolean,
  DateTime: isoTime,
  UnixTime: unixTime,
  Seconds: { type: 'integer', description: 'In seconds.' },
};
const REQUESTED: Record<string, Schema> = {
  ...COMMON,
  Boolean: flag,
  Flag: flag,
  DateTime: moment,
  UnixTime: moment,
  Seconds: { type: ['integer', 'string'] },
};

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

/**
 * How a legacy name stands for a field of the schema: the field's name, whose type it has; the field and the form that
 * the adapter gives it; or a form that is the adapter's alone.
 */
export type Renaming = string | readonly [field: string, form: Schema] | Schema;

/** A field or an argument of the schema. */
interface Typed {
  type: GraphQLType;
  description?: string | null | undefined;
}

/** The schema of a field in answers: null where the field may be null, `form` in place of what its type says. */
export function answerSchemaOf(field: Typed, form?: Schema): Schema {
  const value = form ?? schemaOf(field.type, ANSWERED);
  return { ...descriptionOf(field), ...(isNonNullType(field.type) ? value : nullable(value)) };
}

/** The object of a request that fills a GraphQL input under legacy names. What the input requires is required. */
export function inputOf(typeName: string, names: Record<string, Renaming>, required: string[] = []): ObjectSchema {
  const type = schema.getType(typeName);
  if (!isInputObjectType(type)) throw new Error(`${typeName} is no input of the schema`);
  return requestObject(renamed(typeName, type.getFields(), names), required);
}

/** The same of an operation's own arguments: `Mutation.addReaction`. */
export function argumentsOf(operation: string, names: Record<string, Renaming>, required: string[] = []): ObjectSchema {
  const fields = Object.fromEntries(operationField(operation).args.map((argument) => [argument.name, argument]));
  return requestObject(renamed(operation, fields, names), required);
}

/** The field of `Query` or `Mutation` behind an operation. */
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
      return [legacy, { ...(form ?? schemaOf(field.type, REQUESTED)), ...descriptionOf(field) }];
    }),
  );
}

function descriptionOf({ description }: Typed): { description?: string } {
  return description ? { description } : {};
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

/** The legacy form of each scalar in answers, and in requests. */
const ANSWERED: Record<string, Schema> = {
  ...COMMON,
  Boolean: boolean,
  Flag: boolean,
  DateTime: isoTime,
  UnixTime: unixTime,
  Seconds: integer,
};
const REQUESTED: Record<string, Schema> = {
  ...COMMON,
  Boolean: flag,
  Flag: flag,
  DateTime: moment,
  UnixTime: moment,
  Seconds: { type: ['integer', 'string'] },
};

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
  closed,
  flag,
  integer,
  isoTime,
  listOf,
  moment,
  nullable,
  number,
  type ObjectSchema,
  asked as objectAsked,
  type Schema,
  text,
  unixTime,
} from './schemas.ts';

/**
 * How a legacy name stands for a field of the schema: the field's name, whose type it has; the field and the form that
 * the adapter gives it; or a form that is the adapter's alone.
 */
export type Renaming = string | readonly [field: string, form: Schema] | Schema;

/** A value of an answer or a request, as the schema types it. */
interface Typed {
  type: GraphQLType;
  description?: string | null | undefined;
}

/** The object of an answer that shows a GraphQL type under legacy names: types, nulls and descriptions are its fields'. */
export function shown(typeName: string, names: Record<string, Renaming>, optional: string[] = []): ObjectSchema {
  const type = schema.getType(typeName);
  if (!isObjectType(type)) throw new Error(`${typeName} is no type of the schema`);
  return closed(renamed(typeName, type.getFields(), names, ANSWERED), optional);
}

/** The same of an input: what it requires is required. */
export function asked(typeName: string, names: Record<string, Renaming>, required: string[] = []): ObjectSchema {
  const type = schema.getType(typeName);
  if (!isInputObjectType(type)) throw new Error(`${typeName} is no input of the schema`);
  return objectAsked(renamed(typeName, type.getFields(), names, ASKED), required);
}

/** The same of an operation's own arguments: `Mutation.addReaction`. */
export function argumentsOf(operation: string, names: Record<string, Renaming>, required: string[] = []): ObjectSchema {
  const fields = Object.fromEntries(operationField(operation).args.map((argument) => [argument.name, argument]));
  return objectAsked(renamed(operation, fields, names, ASKED), required);
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
  scalars: Record<string, Schema>,
): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(names).map(([legacy, renaming]) => {
      if (typeof renaming === 'object' && !Array.isArray(renaming)) return [legacy, renaming as Schema];
      const [name, form] = (typeof renaming === 'string' ? [renaming] : renaming) as [string, Schema?];
      const field = fields[name];
      if (!field) throw new Error(`${owner} has no ${name}`);
      const description = field.description ? { description: field.description } : {};
      // Requests may leave out what is not required; only answers say null.
      const isNullable = scalars === ANSWERED && !isNonNullType(field.type);
      const value = form ?? schemaOf(field.type, scalars);
      return [legacy, { ...(isNullable ? nullable(value) : value), ...description }];
    }),
  );
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
const ASKED: Record<string, Schema> = {
  ...COMMON,
  Boolean: flag,
  Flag: flag,
  DateTime: moment,
  UnixTime: moment,
  Seconds: { type: ['integer', 'string'] },
};

import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { schema } from '../../../schema/index.ts';
import {
  anything,
  boolean,
  integer,
  isoTime,
  listOf,
  nullable,
  number,
  type Schema,
  text,
  unixTime,
} from './schemas.ts';

interface Typed {
  type: GraphQLType;
  description?: string | null | undefined;
}

/** @param form replaces the schema of the field's type, except that a nullable field stays nullable */
export function responseSchemaOf(field: Typed, form?: Schema): Schema {
  const value = described(field, form);
  return isNonNullType(field.type) ? value : nullable(value);
}

/** @param operation `Mutation.addReaction` */
export function operationField(operation: string): GraphQLField<unknown, unknown> {
  const [typeName, name] = operation.split('.') as [string, string];
  const type = schema.getType(typeName);
  const field = isObjectType(type) ? type.getFields()[name] : undefined;
  if (!field) throw new Error(`${operation} is no operation of the schema`);
  return field;
}

/** A form's own description replaces that of the field. That of a scalar follows it: `When it was sent. Unix seconds.` */
function described({ type, description }: Typed, form: Schema | undefined): Schema {
  if (form) return description ? { description, ...form } : form;
  const value = schemaOf(type);
  const sentences = [description, value.description].filter(Boolean);
  return sentences.length > 0 ? { ...value, description: [...new Set(sentences)].join(' ') } : value;
}

function schemaOf(type: GraphQLType): Schema {
  if (isNonNullType(type)) return schemaOf(type.ofType);
  if (isListType(type)) return listOf(schemaOf(type.ofType));
  const { name } = type as GraphQLNamedType;
  const schema = SCALARS[name];
  if (!schema) throw new Error(`${name} needs a form of its own`);
  return schema;
}

const SCALARS: Record<string, Schema> = {
  Int: integer,
  SafeInt: integer,
  Float: number,
  String: text,
  ID: text,
  JSON: anything,
  Boolean: boolean,
  Flag: boolean,
  DateTime: isoTime,
  UnixTime: unixTime,
  Seconds: { type: 'integer', description: 'In seconds.' },
};

import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { schema } from '../../../src/schema/index.ts';

type Field = GraphQLField<unknown, unknown>;

/** A root field of the schema, with a document that calls it with required arguments only. */
export interface RootField {
  kind: 'query' | 'mutation' | 'subscription';
  /** `Query.dialog` */
  path: string;
  name: string;
  field: Field;
  document: string;
}

/** @param of may be the schema of an application, which contains operations of its classes */
export function rootFields(of: GraphQLSchema = schema): RootField[] {
  const roots = [
    ['query', of.getQueryType()],
    ['mutation', of.getMutationType()],
    ['subscription', of.getSubscriptionType()],
  ] as const;
  return roots.flatMap(([kind, type]) =>
    Object.values(type?.getFields() ?? {}).map((field) => ({
      kind,
      path: `${type!.name}.${field.name}`,
      name: field.name,
      field,
      document: `${kind} { ${callOf(field, {})}${oneLeaf(field.type)} }`,
    })),
  );
}

/** How to write arguments as literals. */
export interface Literals {
  /** Whether an optional argument or field of an input is given. */
  isGiven?: (name: string) => boolean;
  /** A literal of a scalar; undefined for the usual one of its type. */
  scalar?: (type: string, name: string) => string | undefined;
}

export function callOf({ name, args }: Field, literals: Literals): string {
  const given = args.filter((argument) => isRequiredArgument(argument) || literals.isGiven?.(argument.name));
  const values = given.map((argument) => `${argument.name}: ${literalOf(argument.type, argument.name, literals)}`);
  return name + (values.length > 0 ? `(${values.join(', ')})` : '');
}

const SCALARS: Record<string, string> = {
  Int: '2147483647', // An unknown id, so that nothing is deleted or revoked.
  SafeInt: '1',
  Float: '1',
  Seconds: '1',
  UnixTime: '1',
  Boolean: 'true',
  Flag: 'true',
  ID: '"000000000000000000000000"',
  DateTime: '"2026-01-01T00:00:00Z"',
  JSON: '{}',
};

function literalOf(type: GraphQLInputType, name: string, literals: Literals): string {
  if (isNonNullType(type)) return literalOf(type.ofType as GraphQLInputType, name, literals);
  if (isListType(type)) return `[${literalOf(type.ofType as GraphQLInputType, name, literals)}]`;
  if (isEnumType(type)) return type.getValues()[0]!.name;
  if (isInputObjectType(type)) {
    const all = Object.values(type.getFields());
    const fields = type.isOneOf
      ? all.slice(0, 1)
      : all.filter((field) => isRequiredInputField(field) || literals.isGiven?.(field.name));
    return `{ ${fields.map((field) => `${field.name}: ${literalOf(field.type, field.name, literals)}`).join(', ')} }`;
  }
  return literals.scalar?.(type.name, name) ?? SCALARS[type.name] ?? '"x"';
}

function oneLeaf(type: GraphQLOutputType): string {
  const named = getNamedType(type);
  if (isLeafType(named)) return '';
  const fields = isObjectType(named) ? Object.values(named.getFields()) : [];
  return ` { ${fields.find((field) => isLeafType(getNamedType(field.type)))?.name ?? '__typename'} }`;
}

/** Selects all leaf fields, and those of nested nodes, records, messages and events up to `depth` levels down. */
export function selection(type: GraphQLOutputType, depth: number): string {
  const named = getNamedType(type);
  if (isLeafType(named)) return '';
  if (!isObjectType(named) && !isInterfaceType(named)) return ' { __typename }';
  const parts = Object.values(named.getFields()).flatMap((field) => {
    if (field.args.some((argument) => isRequiredArgument(argument))) return [];
    if (isLeafType(getNamedType(field.type))) return [field.name];
    return depth > 0 && /^(edges|node|items|records|messages|events)$/.test(field.name)
      ? [field.name + selection(field.type, depth - 1)]
      : [];
  });
  return ` { __typename ${parts.join(' ')} }`;
}

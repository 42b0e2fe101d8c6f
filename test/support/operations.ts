import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { schema } from '../../src/schema/index.ts';

/** A root field of the schema with a document that calls it, giving no more than it has to. */
export interface Operation {
  kind: 'query' | 'mutation' | 'subscription';
  /** `Query.dialog` */
  path: string;
  name: string;
  document: string;
}

/** Every root field there is, read from the schema. */
export function allOperations(): Operation[] {
  const roots = [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
    ['subscription', schema.getSubscriptionType()],
  ] as const;
  return roots.flatMap(([kind, type]) =>
    Object.values(type?.getFields() ?? {}).map((field) => ({
      kind,
      path: `${type!.name}.${field.name}`,
      name: field.name,
      document: `${kind} { ${call(field)} }`,
    })),
  );
}

function call(field: GraphQLField<unknown, unknown>): string {
  const given = field.args.filter((argument: GraphQLArgument) => isRequiredArgument(argument));
  const values = given.map((argument) => `${argument.name}: ${smallest(argument.type)}`);
  return field.name + (values.length > 0 ? `(${values.join(', ')})` : '') + selection(field.type);
}

/** A literal that fits the type. */
function smallest(type: GraphQLInputType): string {
  if (isNonNullType(type)) return smallest(type.ofType as GraphQLInputType);
  if (isListType(type)) return `[${smallest(type.ofType as GraphQLInputType)}]`;
  if (isEnumType(type)) return type.getValues()[0]!.name;
  if (isInputObjectType(type)) {
    const all = Object.values(type.getFields());
    const fields = type.isOneOf ? all.slice(0, 1) : all.filter((field) => isRequiredInputField(field));
    return `{ ${fields.map((field) => `${field.name}: ${smallest(field.type)}`).join(', ')} }`;
  }
  switch (type.name) {
    case 'Int':
      return '2147483647'; // an id that nothing has, so that nothing is deleted or revoked
    case 'SafeInt':
    case 'Float':
      return '1';
    case 'Boolean':
    case 'Flag':
      return 'true';
    case 'ID':
      return '"000000000000000000000000"';
    case 'DateTime':
      return '"2026-01-01T00:00:00Z"';
    case 'JSON':
      return '{}';
    default:
      return '"x"';
  }
}

/** The shortest selection that is valid: one leaf, however deep it lies. */
function selection(type: GraphQLOutputType): string {
  const named = getNamedType(type);
  if (isLeafType(named)) return '';
  if (!isObjectType(named)) return ' { __typename }';
  const leaf = Object.values(named.getFields()).find((field) => isLeafType(getNamedType(field.type)));
  return ` { ${leaf?.name ?? '__typename'} }`;
}

import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';

export type OperationKind = 'query' | 'mutation' | 'subscription';

export interface RootOperation {
  kind: OperationKind;
  field: GraphQLField<unknown, unknown>;
}

/** What the schema offers, by name. Those of the classes of an application are among them. */
export function operationsOf(schema: GraphQLSchema): RootOperation[] {
  const of = (kind: OperationKind, type: GraphQLObjectType | null | undefined) =>
    Object.values(type?.getFields() ?? {}).map((field) => ({ kind, field }));
  return [
    ...of('query', schema.getQueryType()),
    ...of('mutation', schema.getMutationType()),
    ...of('subscription', schema.getSubscriptionType()),
  ].sort((one, other) => one.field.name.localeCompare(other.field.name));
}

/** A document with a variable for each argument and the values of the result, which can be run once variables are set. */
export function documentOf({ kind, field }: RootOperation, schema: GraphQLSchema): string {
  const args = field.args.filter((argument) => argument.deprecationReason == null);
  const variables = args.map(({ name, type }) => `$${name}: ${type}`);
  const passed = args.map(({ name }) => `${name}: $${name}`);
  const name = field.name[0]!.toUpperCase() + field.name.slice(1);
  const declared = variables.join(', ').length > LINE ? `(\n  ${variables.join('\n  ')}\n)` : inParentheses(variables);
  const given = passed.join(', ').length > LINE ? `(\n    ${passed.join('\n    ')}\n  )` : inParentheses(passed);
  // An event says what happened to an object.
  const selected = selectionOf(getNamedType(field.type), schema, '  ', kind === 'subscription' ? EVENT : 0);
  return `${kind} ${name}${declared} {\n  ${field.name}${given}${selected}\n}`;
}

/** Values of the first run: lists are short. */
export function firstVariables({ field }: RootOperation): string {
  return field.args.some(({ name }) => name === 'first') ? '{\n  "first": 10\n}' : '';
}

const LINE = 70;
const MAX_DEPTH = 5;
/** The depth of an event, whose objects are selected, too. */
const EVENT = -1;
/** Objects whose values belong to a list. */
const OF_LISTS = ['edges', 'node', 'pageInfo'];

const inParentheses = (items: string[]) => (items.length === 0 ? '' : `(${items.join(', ')})`);

/** The values of a type; objects within it only if it is part of a list, or has no values. */
function selectionOf(type: GraphQLNamedType, schema: GraphQLSchema, indent: string, depth = 0): string {
  if (isLeafType(type)) return '';
  const inner = `${indent}  `;
  const lines = [
    ...(isAbstractType(type) ? ['__typename'] : []),
    ...fieldsOf(type, schema, inner, depth),
    ...(isAbstractType(type) ? fragmentsOf(type, schema, inner) : []),
  ];
  return ` {\n${inner}${(lines.length === 0 ? ['__typename'] : lines).join(`\n${inner}`)}\n${indent}}`;
}

function fieldsOf(type: GraphQLNamedType, schema: GraphQLSchema, indent: string, depth: number): string[] {
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  const fields = Object.values(type.getFields()).filter(
    ({ args, deprecationReason }) => deprecationReason == null && !args.some(isRequiredArgument),
  );
  const isValue = ({ type }: (typeof fields)[number]) => isLeafType(getNamedType(type));
  const values = fields.filter(isValue);
  const objects = fields.filter(
    (field) => !isValue(field) && (values.length === 0 || depth === EVENT || OF_LISTS.includes(field.name)),
  );
  return [
    ...values.map(({ name }) => name),
    ...(depth < MAX_DEPTH
      ? objects.map(({ name, type }) => `${name}${selectionOf(getNamedType(type), schema, indent, depth + 1)}`)
      : []),
  ];
}

/** Each possible type with the values that the common type lacks. */
function fragmentsOf(type: GraphQLNamedType, schema: GraphQLSchema, indent: string): string[] {
  if (!isAbstractType(type)) return [];
  const common = isInterfaceType(type) ? Object.keys(type.getFields()) : [];
  return schema.getPossibleTypes(type).flatMap((possible) => {
    const own = fieldsOf(possible, schema, indent, MAX_DEPTH).filter((name) => !common.includes(name));
    return own.length === 0 ? [] : [`... on ${possible.name} { ${own.join(' ')} }`];
  });
}

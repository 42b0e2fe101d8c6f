import {
  type GraphQLFieldConfigMap,
  GraphQLInputObjectType,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  type GraphQLType,
  isInputObjectType,
  isListType,
  isNamedType,
  isNonNullType,
  isObjectType,
} from 'graphql';

type Fields = GraphQLFieldConfigMap<unknown, unknown>;

const ROOTS = ['Query', 'Mutation', 'Subscription'] as const;

/** Refers only to types of this class and of the base schema. */
export interface ClassPart {
  types: readonly GraphQLNamedType[];
  roots: Record<(typeof ROOTS)[number], Fields>;
}

export function partOf(classSchema: GraphQLSchema, service: GraphQLSchema): ClassPart {
  const own = Object.values(classSchema.getTypeMap()).filter(({ name }) => !service.getType(name));
  const rewired = new Map<string, GraphQLNamedType>();
  const named = (name: string) => rewired.get(name) ?? service.getType(name)!;
  for (const type of own) rewired.set(type.name, rewire(type, named));
  const rootFields = (name: string) =>
    rewireFields((classSchema.getType(name) as GraphQLObjectType).toConfig().fields, named);
  const part = {
    types: [...rewired.values()],
    roots: { Query: rootFields('Query'), Mutation: rootFields('Mutation'), Subscription: rootFields('Subscription') },
  };
  // Resolves the fields now; otherwise `joinParts` would resolve those of all classes in one turn.
  for (const type of part.types) if (isObjectType(type) || isInputObjectType(type)) type.getFields();
  return part;
}

/** Operations of the base schema win name conflicts. */
export function joinParts(service: GraphQLSchema, parts: readonly ClassPart[]): GraphQLSchema {
  const [query, mutation, subscription] = ROOTS.map((name) => {
    const own = (service.getType(name) as GraphQLObjectType).toConfig();
    const added = Object.assign({}, ...parts.map(({ roots }) => roots[name])) as Fields;
    return new GraphQLObjectType({ ...own, fields: { ...added, ...own.fields } });
  });
  const isRoot = ({ name }: GraphQLNamedType) => name.startsWith('__') || ROOTS.some((root) => root === name);
  const ofService = Object.values(service.getTypeMap()).filter((type) => !isRoot(type));
  return new GraphQLSchema({
    query,
    mutation,
    subscription,
    types: [...ofService, ...parts.flatMap(({ types }) => types)],
    directives: [...service.getDirectives()],
    extensions: service.extensions,
    assumeValid: true, // each part is validated; validating all of them again takes too long
  });
}

type Named = (name: string) => GraphQLNamedType;

function rewire(type: GraphQLNamedType, named: Named): GraphQLNamedType {
  if (isObjectType(type)) {
    const config = type.toConfig();
    return new GraphQLObjectType({ ...config, fields: () => rewireFields(config.fields, named) });
  }
  if (isInputObjectType(type)) {
    const config = type.toConfig();
    return new GraphQLInputObjectType({ ...config, fields: () => withTypes(config.fields, named) });
  }
  return type;
}

function rewireFields(fields: Fields, named: Named): Fields {
  const rewired = withTypes(fields, named);
  for (const field of Object.values(rewired)) if (field.args) field.args = withTypes(field.args, named);
  return rewired;
}

function withTypes<Config extends { type: GraphQLType }>(fields: Record<string, Config>, named: Named) {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, { ...field, type: typeBy(named, field.type) }]),
  ) as Record<string, Config>;
}

function typeBy(named: Named, type: GraphQLType): GraphQLType {
  if (isNonNullType(type)) return new GraphQLNonNull(typeBy(named, type.ofType) as GraphQLList<GraphQLNamedType>);
  if (isListType(type)) return new GraphQLList(typeBy(named, type.ofType));
  return isNamedType(type) ? named(type.name) : type;
}

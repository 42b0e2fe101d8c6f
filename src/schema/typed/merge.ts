import { rewireTypes } from '@graphql-tools/utils';
import { GraphQLObjectType, GraphQLSchema } from 'graphql';

const ROOTS = ['Query', 'Mutation', 'Subscription'] as const;

/** The service's schema with the types and operations of an application's classes; the service's own win by name. */
export function joinSchemas(service: GraphQLSchema, classes: GraphQLSchema): GraphQLSchema {
  const types = { ...classes.getTypeMap(), ...service.getTypeMap() };
  for (const name of ROOTS) {
    const own = (service.getType(name) as GraphQLObjectType).toConfig();
    const added = (classes.getType(name) as GraphQLObjectType).toConfig();
    types[name] = new GraphQLObjectType({ ...own, fields: { ...added.fields, ...own.fields } });
  }
  const { typeMap, directives } = rewireTypes(types, service.getDirectives());
  return new GraphQLSchema({
    query: typeMap.Query as GraphQLObjectType,
    mutation: typeMap.Mutation as GraphQLObjectType,
    subscription: typeMap.Subscription as GraphQLObjectType,
    types: Object.values(typeMap),
    directives: [...directives],
    extensions: service.extensions,
  });
}

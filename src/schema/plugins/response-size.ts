import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLFieldResolver,
  getNamedType,
  introspectionTypes,
  isLeafType,
  isObjectType,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from 'graphql';
import type { Context } from '../../context.ts';
import type { ResponseSize } from '../../lib/response-size.ts';

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      responseSize: ResponseSizePlugin<Types>;
    }
  }
}

type Resolver<Context = unknown> = GraphQLFieldResolver<unknown, Context, object>;

/** Once the response is too large, no more resolvers run. */
class ResponseSizePlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(
    resolver: Resolver<Types['Context']>,
    { type }: PothosOutputFieldConfig<Types>,
  ): Resolver<Types['Context']> {
    return counted(resolver as Resolver, isLeaf(type)) as Resolver<Types['Context']>;
  }
}

/** Resolvers that read the property named like the field, apart from counting. */
const propertyResolvers = new WeakSet<Resolver>();

export function readsProperty(resolver: Resolver): boolean {
  return resolver === defaultFieldResolver || propertyResolvers.has(resolver);
}

function isLeaf<Types extends SchemaTypes>(type: PothosOutputFieldConfig<Types>['type']): boolean {
  return type.kind === 'List' ? isLeaf(type.type) : type.kind === 'Scalar' || type.kind === 'Enum';
}

function counted(resolver: Resolver, isLeaf: boolean): Resolver {
  const counting: Resolver = (parent, args, context, info) => {
    const size = (context as Partial<Context> | undefined)?.responseSize;
    if (!size) return resolver(parent, args, context, info);
    // `execute` replaces the response by one error; null is cheaper than an error per field.
    if (!size.addField(String(info.path.key))) return null;
    const result = resolver(parent, args, context, info);
    return isLeaf ? measured(size, result) : result;
  };
  if (resolver === defaultFieldResolver) propertyResolvers.add(counting);
  return counting;
}

/** Counts a property that is read without its resolver. */
export function countedProperty(size: ResponseSize, name: string, value: unknown, isLeaf: boolean): unknown {
  if (!size.addField(name)) return null;
  return isLeaf ? measured(size, value) : value;
}

function measured(size: ResponseSize, result: unknown): unknown {
  if (result instanceof Promise) return result.then((value) => measured(size, value));
  size.addValue(result);
  return result;
}

// Introspection types are global objects of graphql-js, so no builder wraps their resolvers.
function countIntrospection(): void {
  const ofTypes = introspectionTypes.flatMap((type) => (isObjectType(type) ? Object.values(type.getFields()) : []));
  const fields: GraphQLField<unknown, unknown>[] = [
    ...ofTypes,
    SchemaMetaFieldDef,
    TypeMetaFieldDef,
    TypeNameMetaFieldDef,
  ];
  for (const field of fields) field.resolve = counted(field.resolve!, isLeafType(getNamedType(field.type)));
}

countIntrospection();
SchemaBuilder.registerPlugin('responseSize', ResponseSizePlugin);

import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import type { GraphQLFieldResolver } from 'graphql';
import type { Context } from '../context.ts';
import { Loaders } from '../lib/loaders.ts';

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      freshLoaders: FreshLoadersPlugin<Types>;
    }
  }
}

/** The mutations of one document run one after the other, and none may answer with what was read before it. */
class FreshLoadersPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(
    resolver: GraphQLFieldResolver<unknown, Types['Context'], object>,
    fieldConfig: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    if (fieldConfig.parentType !== 'Mutation') return resolver;
    return (parent, args, context, info) => {
      const ours = context as unknown as Context;
      ours.loaders = new Loaders(ours.viewer);
      return resolver(parent, args, context, info);
    };
  }
}

SchemaBuilder.registerPlugin('freshLoaders', FreshLoadersPlugin);

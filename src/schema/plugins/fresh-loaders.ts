import SchemaBuilder, { type SchemaTypes } from '@pothos/core';
import type { Context } from '../../context.ts';
import { Loaders } from '../../lib/loaders.ts';
import { type Field, OperationPlugin, type Resolver } from './operation-plugin.ts';

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      freshLoaders: FreshLoadersPlugin<Types>;
    }
  }
}

/** Each mutation of a document gets new loaders, so that it never returns data cached by an earlier one. */
class FreshLoadersPlugin<Types extends SchemaTypes> extends OperationPlugin<Types> {
  protected override around(resolver: Resolver<Types>, { parentType }: Field<Types>): Resolver<Types> {
    if (parentType !== 'Mutation') return resolver;
    return (parent, args, context, info) => {
      const typedContext = context as unknown as Context;
      typedContext.loaders = new Loaders(typedContext.viewer);
      return resolver(parent, args, context, info);
    };
  }
}

SchemaBuilder.registerPlugin('freshLoaders', FreshLoadersPlugin);

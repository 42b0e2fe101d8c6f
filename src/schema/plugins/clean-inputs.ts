import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import type { GraphQLFieldResolver } from 'graphql';
import { cleanTexts } from '../../lib/clean-text.ts';

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      cleanInputs: CleanInputsPlugin<Types>;
    }
  }
}

class CleanInputsPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(
    resolver: GraphQLFieldResolver<unknown, Types['Context'], object>,
    fieldConfig: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    if (!isOperationWithArguments(fieldConfig)) return resolver;
    return (parent, args, context, info) => resolver(parent, cleanTexts(args), context, info);
  }

  override wrapSubscribe(
    subscriber: GraphQLFieldResolver<unknown, Types['Context'], object> | undefined,
    fieldConfig: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> | undefined {
    if (!subscriber || !isOperationWithArguments(fieldConfig)) return subscriber;
    return (parent, args, context, info) => subscriber(parent, cleanTexts(args), context, info);
  }
}

function isOperationWithArguments<Types extends SchemaTypes>(fieldConfig: PothosOutputFieldConfig<Types>): boolean {
  const isOperation = ['Query', 'Mutation', 'Subscription'].includes(fieldConfig.parentType);
  return isOperation && Object.keys(fieldConfig.args).length > 0;
}

SchemaBuilder.registerPlugin('cleanInputs', CleanInputsPlugin);

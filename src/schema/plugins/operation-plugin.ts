import { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import type { GraphQLFieldResolver } from 'graphql';

export type Resolver<Types extends SchemaTypes> = GraphQLFieldResolver<unknown, Types['Context'], object>;
export type Field<Types extends SchemaTypes> = PothosOutputFieldConfig<Types>;

/** Wraps operations: of a subscription the subscribe call, not each event. */
export abstract class OperationPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  protected abstract around(resolver: Resolver<Types>, field: Field<Types>): Resolver<Types>;

  override wrapResolve(resolver: Resolver<Types>, field: Field<Types>): Resolver<Types> {
    return field.parentType === 'Query' || field.parentType === 'Mutation' ? this.around(resolver, field) : resolver;
  }

  override wrapSubscribe(subscriber: Resolver<Types> | undefined, field: Field<Types>): Resolver<Types> | undefined {
    return subscriber && field.parentType === 'Subscription' ? this.around(subscriber, field) : subscriber;
  }
}

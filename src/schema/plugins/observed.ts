import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import type { GraphQLFieldResolver } from 'graphql';
import type { Context } from '../../context.ts';
import { ServiceError } from '../../lib/errors.ts';
import { tracing } from '../../platform/observability/tracing.ts';

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      observed: ObservedPlugin<Types>;
    }

    export interface SchemaBuilderOptions<Types extends SchemaTypes> {
      /** Clients choose the names of typed operations. */
      observedAs?: string | undefined;
    }
  }
}

type Resolver<Types extends SchemaTypes> = GraphQLFieldResolver<unknown, Types['Context'], object>;

/** Includes failed operations. */
class ObservedPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(resolver: Resolver<Types>, field: PothosOutputFieldConfig<Types>): Resolver<Types> {
    // For a subscription, only the subscribe call counts, not each event.
    return field.parentType === 'Query' || field.parentType === 'Mutation'
      ? observed(resolver, field.parentType, this.#nameOf(field))
      : resolver;
  }

  override wrapSubscribe(
    subscriber: Resolver<Types> | undefined,
    field: PothosOutputFieldConfig<Types>,
  ): Resolver<Types> | undefined {
    return subscriber && field.parentType === 'Subscription'
      ? observed(subscriber, field.parentType, this.#nameOf(field))
      : subscriber;
  }

  #nameOf({ name }: PothosOutputFieldConfig<Types>): string {
    return this.builder.options.observedAs ?? name;
  }
}

function observed<Types extends SchemaTypes>(resolver: Resolver<Types>, type: string, field: string): Resolver<Types> {
  const span = `${type}.${field}`;
  return async (parent, args, context, info) => {
    const { observer } = context as unknown as Context;
    const begin = performance.now();
    const record = (code: string) =>
      observer.operationEnded({ type, field, code, seconds: (performance.now() - begin) / 1000 });
    try {
      const resolve = () => resolver(parent, args, context, info);
      const result = await (tracing ? tracing.span(span, {}, async () => resolve()) : resolve());
      record('OK');
      return result;
    } catch (error) {
      record(error instanceof ServiceError ? error.code : 'INTERNAL_SERVER_ERROR');
      throw error;
    }
  };
}

SchemaBuilder.registerPlugin('observed', ObservedPlugin);

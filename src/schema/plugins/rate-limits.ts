import SchemaBuilder, {
  BasePlugin,
  type FieldNullability,
  type InputFieldMap,
  type PothosOutputFieldConfig,
  type SchemaTypes,
  type TypeParam,
} from '@pothos/core';
import type { GraphQLFieldResolver } from 'graphql';
import type { Context } from '../../context.ts';
import type { LimitName } from '../../platform/limits/definitions.ts';

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      rateLimits: RateLimitsPlugin<Types>;
    }

    export interface QueryFieldOptions<
      Types extends SchemaTypes,
      Type extends TypeParam<Types>,
      Nullable extends FieldNullability<Type>,
      Args extends InputFieldMap,
      ResolveReturnShape,
    > {
      rateLimit?: LimitName;
    }

    export interface MutationFieldOptions<
      Types extends SchemaTypes,
      Type extends TypeParam<Types>,
      Nullable extends FieldNullability<Type>,
      Args extends InputFieldMap,
      ResolveReturnShape,
    > {
      rateLimit?: LimitName;
    }
  }
}

type Resolver<Types extends SchemaTypes> = GraphQLFieldResolver<unknown, Types['Context'], object>;

/** Before any other check, and for each alias separately. */
class RateLimitsPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(resolver: Resolver<Types>, field: PothosOutputFieldConfig<Types>): Resolver<Types> {
    // For a subscription, only the subscribe call counts, not each event.
    return field.parentType === 'Query' || field.parentType === 'Mutation' ? counted(resolver, field) : resolver;
  }

  override wrapSubscribe(
    subscriber: Resolver<Types> | undefined,
    field: PothosOutputFieldConfig<Types>,
  ): Resolver<Types> | undefined {
    return subscriber && field.parentType === 'Subscription' ? counted(subscriber, field) : subscriber;
  }
}

function counted<Types extends SchemaTypes>(
  resolver: Resolver<Types>,
  { pothosOptions }: PothosOutputFieldConfig<Types>,
): Resolver<Types> {
  const { rateLimit = 'default' } = pothosOptions as { rateLimit?: LimitName };
  return (parent, args, context, info) => {
    const { meter, isCounted } = context as unknown as Context;
    if (!meter || isCounted) return resolver(parent, args, context, info);
    return meter.count(rateLimit).then(() => resolver(parent, args, context, info));
  };
}

SchemaBuilder.registerPlugin('rateLimits', RateLimitsPlugin);

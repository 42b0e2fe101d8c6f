import SchemaBuilder, { type SchemaTypes } from '@pothos/core';
import type { Context } from '../../context.ts';
import type { LimitName } from '../../platform/limits/definitions.ts';
import { type Field, OperationPlugin, type Resolver } from './operation-plugin.ts';

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      rateLimits: RateLimitsPlugin<Types>;
    }

    export interface FieldOptions {
      /** Of a query or mutation. Default: `default`. */
      rateLimit?: LimitName;
    }
  }
}

/** Before any other check, and for each alias separately. */
class RateLimitsPlugin<Types extends SchemaTypes> extends OperationPlugin<Types> {
  protected override around(resolver: Resolver<Types>, { pothosOptions }: Field<Types>): Resolver<Types> {
    const { rateLimit = 'default' } = pothosOptions as { rateLimit?: LimitName };
    return (parent, args, context, info) => {
      const { meter, isCounted } = context as unknown as Context;
      if (!meter || isCounted) return resolver(parent, args, context, info);
      return meter.count(rateLimit).then(() => resolver(parent, args, context, info));
    };
  }
}

SchemaBuilder.registerPlugin('rateLimits', RateLimitsPlugin);

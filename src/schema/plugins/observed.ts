import SchemaBuilder, { type SchemaTypes } from '@pothos/core';
import type { Context } from '../../context.ts';
import { ServiceError } from '../../lib/errors.ts';
import { tracing } from '../../platform/observability/tracing.ts';
import { type Field, OperationPlugin, type Resolver } from './operation-plugin.ts';

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

/** Includes failed operations. */
class ObservedPlugin<Types extends SchemaTypes> extends OperationPlugin<Types> {
  protected override around(resolver: Resolver<Types>, { parentType, name }: Field<Types>): Resolver<Types> {
    return observed(resolver, parentType, this.builder.options.observedAs ?? name);
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

import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import type { GraphQLFieldResolver } from 'graphql';
import type { Context } from '../context.ts';
import { type Access, administratorOf } from '../lib/access.ts';
import { requireRight } from '../resolvers/administrators/rights.ts';
import { rightOf } from './administrator-rights.ts';

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      administratorAccess: AdministratorAccessPlugin<Types>;
    }

    export interface FieldOptions {
      /** The operation for all classes that this operation of one class corresponds to. */
      genericName?: string;
    }
  }
}

type Resolver<Types extends SchemaTypes> = GraphQLFieldResolver<unknown, Types['Context'], object>;

const ROOTS: readonly string[] = ['Query', 'Mutation', 'Subscription'];

/** Compares the roles of an administrator with the right that an operation requires. Denies by default. */
class AdministratorAccessPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(resolver: Resolver<Types>, field: PothosOutputFieldConfig<Types>): Resolver<Types> {
    return field.parentType === 'Query' || field.parentType === 'Mutation'
      ? restricted(resolver, operationOf(field))
      : resolver;
  }

  override wrapSubscribe(
    subscriber: Resolver<Types> | undefined,
    field: PothosOutputFieldConfig<Types>,
  ): Resolver<Types> | undefined {
    return subscriber && ROOTS.includes(field.parentType) ? restricted(subscriber, operationOf(field)) : subscriber;
  }
}

interface Operation {
  name: string;
  access: Access | undefined;
}

/** Operations of a class have the rights of the operation for all classes. */
function operationOf<Types extends SchemaTypes>({ name, pothosOptions }: PothosOutputFieldConfig<Types>): Operation {
  const { authScopes, genericName = name } = pothosOptions as { authScopes?: object; genericName?: string };
  return { name: genericName, access: Object.keys(authScopes ?? {})[0] as Access | undefined };
}

function restricted<Types extends SchemaTypes>(
  resolver: Resolver<Types>,
  { name, access }: Operation,
): Resolver<Types> {
  const right = rightOf(name);
  if (access === 'anyone' && !right) return resolver;
  return (parent, args, context, info) => {
    const { viewer, now } = context as unknown as Context;
    const administrator = administratorOf(viewer);
    if (administrator) {
      requireRight(right, administrator, 'applicationId' in viewer ? viewer.applicationId : undefined, now());
    }
    return resolver(parent, args, context, info);
  };
}

SchemaBuilder.registerPlugin('administratorAccess', AdministratorAccessPlugin);

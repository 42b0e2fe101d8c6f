import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import type { GraphQLFieldResolver } from 'graphql';
import type { Context } from '../context.ts';
import { type Access, administratorOf, type Viewer } from '../lib/access.ts';
import type { Actor } from '../lib/actor.ts';
import { type Right, requireRight } from '../resolvers/administrators/rights.ts';
import { type Read, recordRead } from '../resolvers/audit/reads.ts';
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
  isRead: boolean;
}

/** Operations of a class have the rights of the operation for all classes. */
function operationOf<Types extends SchemaTypes>({
  name,
  parentType,
  pothosOptions,
}: PothosOutputFieldConfig<Types>): Operation {
  const { authScopes, genericName = name } = pothosOptions as { authScopes?: object; genericName?: string };
  const access = Object.keys(authScopes ?? {})[0] as Access | undefined;
  return { name: genericName, access, isRead: parentType !== 'Mutation' };
}

function restricted<Types extends SchemaTypes>(resolver: Resolver<Types>, operation: Operation): Resolver<Types> {
  const { name, access } = operation;
  const right = rightOf(name);
  if (access === 'anyone' && !right) return resolver;
  return (parent, args, context, info) => {
    const { viewer, now } = context as unknown as Context;
    const administrator = administratorOf(viewer);
    if (administrator) {
      requireRight(right, administrator, 'applicationId' in viewer ? viewer.applicationId : undefined, now());
      const read = recordedRead(operation, right, args, viewer);
      if (read) return recordRead(...read, now()).then(() => resolver(parent, args, context, info));
    }
    return resolver(parent, args, context, info);
  };
}

/** Changes are recorded by the database. @returns undefined for a read without a reason or another person's rights */
function recordedRead(
  { name, isRead }: Operation,
  right: Right | undefined,
  args: object,
  viewer: Viewer,
): [Read, Actor] | undefined {
  if (!isRead || !('applicationId' in viewer) || !viewer.actor) return undefined;
  const userId = viewer.kind === 'user' ? viewer.userId : undefined;
  if (!right?.needsReason && userId === undefined) return undefined;
  const { id, dialogId, messageId } = args as Record<string, unknown>;
  const subjectId = String(id ?? dialogId ?? messageId ?? '');
  return [{ operation: name, subjectId, applicationId: viewer.applicationId, userId }, viewer.actor];
}

SchemaBuilder.registerPlugin('administratorAccess', AdministratorAccessPlugin);

import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import type { GraphQLFieldResolver, GraphQLResolveInfo } from 'graphql';
import { isHarmless, type Right, requireRight } from '../../administration/administrators/rights.ts';
import { hasSameRights } from '../../administration/administrators/sessions.ts';
import { type Read, recordRead } from '../../administration/audit/reads.ts';
import type { Context } from '../../context.ts';
import {
  type Access,
  type AdministratorIdentity,
  administratorOf,
  scopesOf,
  type UserViewer,
  type Viewer,
} from '../../lib/access.ts';
import type { Actor } from '../../lib/actor.ts';
import { ForbiddenError, UnauthenticatedError } from '../../lib/errors.ts';
import { problem } from '../../lib/problems.ts';
import { type FieldScope, hasScope, requiredScope } from '../../lib/scopes.ts';
import { requirePolicies } from '../../resolvers/users/policies.ts';

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      rights: RightsPlugin<Types>;
    }

    export interface FieldOptions {
      /** The operation for all classes that this operation of one class corresponds to. */
      genericName?: string;
      /** The class of an operation of one class. */
      className?: string;
      /**
       * What a restricted API key needs for the field. Required for root fields that API keys may run; of other fields,
       * those that lead to the data of another group have one.
       */
      scope?: FieldScope;
      /** Whether users need a verified address for it, if the application demands one. */
      needsVerifiedEmail?: boolean;
      /** Whether users whose role needs a second factor may run it without one. */
      needsNoSecondFactor?: boolean;
      /** What an administrator needs for a root field. Default: no administrator may run it. */
      administrator?: Right;
    }
  }
}

interface FieldRules {
  administrator?: Right;
  scope?: FieldScope;
  needsVerifiedEmail?: boolean;
  needsNoSecondFactor?: boolean;
}

type Resolver<Types extends SchemaTypes> = GraphQLFieldResolver<unknown, Types['Context'], object>;

/** The ids of many objects are cut, so that they fit into the index. */
const MAX_SUBJECT = 500;

const ROOTS: readonly string[] = ['Query', 'Mutation', 'Subscription'];

/** By operation, as the root fields declare them. */
const rights = new Map<string, Right>();
const scopes = new Map<string, FieldScope>();
const forVerified = new Set<string>();
const withoutFactor = new Set<string>();

/** @returns undefined if no administrator may run the operation */
export function rightOf(operation: string): Right | undefined {
  return rights.get(operation);
}

/** @returns undefined if it needs no scope: no API key may run it, or it needs no credentials */
export function scopeOf(operation: string): FieldScope | undefined {
  return scopes.get(operation);
}

/** Those that an administrator with the right may run. */
export function administratorOperations(): string[] {
  return [...rights.keys()];
}

/** Compares the roles of an administrator with the right that an operation requires. Denies by default. */
class RightsPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(field: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    const { administrator, scope, needsVerifiedEmail, needsNoSecondFactor } = field.pothosOptions as FieldRules;
    if (!ROOTS.includes(field.parentType)) return field;
    if (administrator) rights.set(field.name, administrator);
    if (scope) scopes.set(field.name, scope);
    if (needsVerifiedEmail) forVerified.add(field.name);
    if (needsNoSecondFactor) withoutFactor.add(field.name);
    const needed = scopeFor(operationOf(field), {});
    return needed ? { ...field, description: `${field.description} Scope: \`${needed}\`.` } : field;
  }

  override wrapResolve(resolver: Resolver<Types>, field: PothosOutputFieldConfig<Types>): Resolver<Types> {
    if (field.parentType === 'Subscription') return recordedEvents(resolver, operationOf(field));
    if (ROOTS.includes(field.parentType)) return restricted(resolver, operationOf(field));
    const { scope } = field.pothosOptions as { scope?: FieldScope };
    return scope ? scoped(resolver, scope) : resolver;
  }

  override wrapSubscribe(
    subscriber: Resolver<Types> | undefined,
    field: PothosOutputFieldConfig<Types>,
  ): Resolver<Types> | undefined {
    return subscriber && field.parentType === 'Subscription' ? restricted(subscriber, operationOf(field)) : subscriber;
  }
}

type RecordedRead = [Read, Actor];

interface RestrictedOperation {
  name: string;
  access: Access | undefined;
  scope: FieldScope | undefined;
  isMutation: boolean;
  className: string | undefined;
}

/** Operations of a class have the rights of the operation for all classes. */
function operationOf<Types extends SchemaTypes>({
  name,
  parentType,
  pothosOptions,
}: PothosOutputFieldConfig<Types>): RestrictedOperation {
  const options = pothosOptions as { authScopes?: object; genericName?: string; className?: string };
  const { authScopes, genericName = name, className } = options;
  const access = Object.keys(authScopes ?? {})[0] as Access | undefined;
  return {
    name: genericName,
    access,
    scope: scopes.get(genericName),
    isMutation: parentType === 'Mutation',
    className,
  };
}

/** The scope of a restricted API key that an operation requires, as `records:Car:read`; undefined if it needs none. */
function scopeFor({ scope, isMutation, className }: RestrictedOperation, args: Arguments): string | undefined {
  if (scope === undefined) return undefined;
  return requiredScope(scope, isMutation, scope === 'records' ? (className ?? classOf(args)) : undefined);
}

interface Arguments {
  className?: unknown;
  input?: object;
}

function classOf({ className, input }: Arguments): string | undefined {
  const named = className ?? (input as { className?: unknown } | undefined)?.className;
  return typeof named === 'string' ? named : undefined;
}

/** @throws {ForbiddenError} a restricted API key lacks the scope */
function requireScope(viewer: Viewer, scope: string | undefined): void {
  const granted = scopesOf(viewer);
  if (!granted || scope === undefined || hasScope(granted, scope)) return;
  throw new ForbiddenError(problem('SCOPE_REQUIRED', { scope }));
}

function scoped<Types extends SchemaTypes>(resolver: Resolver<Types>, scope: FieldScope): Resolver<Types> {
  return (parent, args, context, info) => {
    requireScope((context as unknown as Context).viewer, scope);
    return resolver(parent, args, context, info);
  };
}

function restricted<Types extends SchemaTypes>(
  resolver: Resolver<Types>,
  operation: RestrictedOperation,
): Resolver<Types> {
  const { name, access, scope } = operation;
  const right = rightOf(name);
  const needsVerified = forVerified.has(name);
  const isWithoutFactor = withoutFactor.has(name);
  if (access === 'anyone' && !right && !scope) return resolver;
  return (parent, args, context, info) => {
    const { viewer, now } = context as unknown as Context;
    if (scopesOf(viewer)) requireScope(viewer, scopeFor(operation, args));
    const administrator = administratorOf(viewer);
    if (!administrator) {
      const policies = viewer.kind === 'user' ? viewer.session?.policies : undefined;
      if (!policies) return resolver(parent, args, context, info);
      const isEmailRequired = needsVerified && policies.isEmailRequired;
      const unprovenRoles = isWithoutFactor ? [] : policies.unprovenRoles;
      const demanded = requirePolicies(viewer as UserViewer, { isEmailRequired, unprovenRoles });
      return demanded.then(() => resolver(parent, args, context, info));
    }
    const run = () => resolver(parent, args, context, info);
    requireRight(right, administrator, 'applicationId' in viewer ? viewer.applicationId : undefined, args, now());
    const read = recordedRead(name, right, args, viewer);
    const recordedRun = read ? () => recorded(read, now, info, run) : run;
    return info.operation.operation === 'mutation' ? ifSessionLives(administrator, now, recordedRun) : recordedRun();
  };
}

/** It may have ended during earlier mutations of the document, for example by a new password. */
async function ifSessionLives(administrator: AdministratorIdentity, now: () => Date, run: () => unknown) {
  if (!(await hasSameRights(administrator, { now }))) throw new UnauthenticatedError('CONSOLE_SIGN_IN_REQUIRED');
  return run();
}

/** A subscription was recorded when it began. */
function recordedEvents<Types extends SchemaTypes>(
  resolver: Resolver<Types>,
  { name }: RestrictedOperation,
): Resolver<Types> {
  return (parent, args, context, info) => {
    const { viewer, now } = context as unknown as Context;
    const read = administratorOf(viewer) && recordedRead(name, rightOf(name), args, viewer);
    const event = resolver(parent, args, context, info);
    return read ? recordDialogs(read, event, now).then(() => event) : event;
  };
}

/** Queries are recorded once their rows are known, other operations also before they change or deliver something. */
async function recorded(
  [read, actor]: RecordedRead,
  now: () => Date,
  { operation }: GraphQLResolveInfo,
  run: () => unknown,
): Promise<unknown> {
  const isQuery = operation.operation === 'query';
  if (!isQuery) await recordRead(read, actor, now());
  let result: unknown;
  try {
    result = await run();
  } catch (error) {
    if (isQuery) await recordRead(read, actor, now());
    throw error;
  }
  const hasDialogs = await recordDialogs([read, actor], result, now);
  if (isQuery && !hasDialogs) await recordRead(read, actor, now());
  return result;
}

async function recordDialogs([read, actor]: RecordedRead, result: unknown, now: () => Date): Promise<boolean> {
  const dialogIds = [...new Set(dialogsIn(result))].filter((id) => id !== read.subjectId).sort();
  if (dialogIds.length > 0) await recordRead({ ...read, dialogIds }, actor, now());
  return dialogIds.length > 0;
}

/** Ids of the dialogs, and of those of messages and events, in the result of an operation. */
function dialogsIn(result: unknown): string[] {
  if (Array.isArray(result)) return result.flatMap(dialogsIn);
  if (typeof result !== 'object' || result === null) return [];
  const { dialogId, id, pairKey, ...others } = result as Record<string, unknown>;
  if (typeof dialogId === 'string') return [dialogId];
  if (typeof id === 'string' && pairKey !== undefined) return [id];
  return [others.edges, others.node, others.items, others.events, others.payload].flatMap(dialogsIn);
}

/**
 * Also for mutations, because their results show what they may leave unchanged. The database records changes.
 * @returns undefined for an operation that needs no reason and no rights of a user
 */
function recordedRead(
  operation: string,
  right: Right | undefined,
  args: { input?: object },
  viewer: Viewer,
): RecordedRead | undefined {
  if (!('applicationId' in viewer) || !viewer.actor) return undefined;
  const userId = viewer.kind === 'user' ? viewer.userId : undefined;
  const needsReason = right?.needsReason === true && !isHarmless(right, args.input);
  if (!needsReason && userId === undefined) return undefined;
  return [{ operation, subjectId: subjectOf(args), applicationId: viewer.applicationId, userId }, viewer.actor];
}

/** @returns the ids that the caller named, for example of a dialog; empty for a list */
function subjectOf(args: { input?: object }): string {
  const { id, ids, dialogId, messageId } = { ...args.input, ...args } as Record<string, unknown>;
  return String(id ?? dialogId ?? messageId ?? ids ?? '').slice(0, MAX_SUBJECT);
}

SchemaBuilder.registerPlugin('rights', RightsPlugin);

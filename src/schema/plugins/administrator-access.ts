import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import type { GraphQLFieldResolver, GraphQLResolveInfo } from 'graphql';
import { isHarmless, type Right, requireRight } from '../../administration/administrators/rights.ts';
import { hasSameRights } from '../../administration/administrators/sessions.ts';
import { type Read, recordRead } from '../../administration/audit/reads.ts';
import type { Context } from '../../context.ts';
import { type Access, type AdministratorIdentity, administratorOf, type Viewer } from '../../lib/access.ts';
import type { Actor } from '../../lib/actor.ts';
import { UnauthenticatedError } from '../../lib/errors.ts';

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      administratorAccess: AdministratorAccessPlugin<Types>;
    }

    export interface FieldOptions {
      /** The operation for all classes that this operation of one class corresponds to. */
      genericName?: string;
      /** What an administrator needs for a root field. Default: no administrator may run it. */
      administrator?: Right;
    }
  }
}

type Resolver<Types extends SchemaTypes> = GraphQLFieldResolver<unknown, Types['Context'], object>;

/** The ids of many objects are cut, so that they fit into the index. */
const MAX_SUBJECT = 500;

const ROOTS: readonly string[] = ['Query', 'Mutation', 'Subscription'];

/** By operation, as the root fields declare them. */
const rights = new Map<string, Right>();

/** @returns undefined if no administrator may run the operation */
export function rightOf(operation: string): Right | undefined {
  return rights.get(operation);
}

/** Those that an administrator with the right may run. */
export function administratorOperations(): string[] {
  return [...rights.keys()];
}

/** Compares the roles of an administrator with the right that an operation requires. Denies by default. */
class AdministratorAccessPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(field: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    const { administrator } = field.pothosOptions as { administrator?: Right };
    if (administrator && ROOTS.includes(field.parentType)) rights.set(field.name, administrator);
    return field;
  }

  override wrapResolve(resolver: Resolver<Types>, field: PothosOutputFieldConfig<Types>): Resolver<Types> {
    if (field.parentType === 'Subscription') return recordedEvents(resolver, operationOf(field));
    return ROOTS.includes(field.parentType) ? restricted(resolver, operationOf(field)) : resolver;
  }

  override wrapSubscribe(
    subscriber: Resolver<Types> | undefined,
    field: PothosOutputFieldConfig<Types>,
  ): Resolver<Types> | undefined {
    return subscriber && field.parentType === 'Subscription' ? restricted(subscriber, operationOf(field)) : subscriber;
  }
}

type RecordedRead = [Read, Actor];

interface AdministratorOperation {
  name: string;
  access: Access | undefined;
}

/** Operations of a class have the rights of the operation for all classes. */
function operationOf<Types extends SchemaTypes>({
  name,
  pothosOptions,
}: PothosOutputFieldConfig<Types>): AdministratorOperation {
  const { authScopes, genericName = name } = pothosOptions as { authScopes?: object; genericName?: string };
  const access = Object.keys(authScopes ?? {})[0] as Access | undefined;
  return { name: genericName, access };
}

function restricted<Types extends SchemaTypes>(
  resolver: Resolver<Types>,
  operation: AdministratorOperation,
): Resolver<Types> {
  const { name, access } = operation;
  const right = rightOf(name);
  if (access === 'anyone' && !right) return resolver;
  return (parent, args, context, info) => {
    const { viewer, now } = context as unknown as Context;
    const administrator = administratorOf(viewer);
    if (!administrator) return resolver(parent, args, context, info);
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
  { name }: AdministratorOperation,
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

SchemaBuilder.registerPlugin('administratorAccess', AdministratorAccessPlugin);

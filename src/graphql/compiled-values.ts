import {
  type FieldNode,
  type GraphQLError,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  getNullableType,
  isLeafType,
  isNonNullType,
  locatedError,
} from 'graphql';
import type { Variables } from './compiled-inputs.ts';

/** One execution. */
export interface Run {
  context: unknown;
  variables: Variables;
  /** By number of the field. */
  infos: GraphQLResolveInfo[];
  /** Whether `@skip` and `@include` select a field, by its number. */
  included: boolean[];
  /** Collects the errors of nullable fields and items; if it is undefined, the first error rejects. */
  errors: GraphQLError[] | undefined;
}

/** Of an object or a list in the response; undefined for the root. */
export type ResponsePath = { prev: ResponsePath; key: string | number } | undefined;

/** Completes a value of a type, like "Value Completion" of the specification; a promise if any part of it is one. */
export type Complete = (value: unknown, run: Run, at: ResponsePath) => unknown;

/** @param type of the items @param complete completes an item */
export function listOf(type: GraphQLOutputType, nodes: FieldNode[], complete: Complete): Complete {
  const isLeaf = isLeafType(getNullableType(type));
  const isNullable = !isNonNullType(type);
  const fail = (error: unknown, run: Run, here: ResponsePath) =>
    failed(locatedError(error, nodes, keysOf(here)), isNullable, run);
  const completeItem = (item: unknown, run: Run, at: ResponsePath, key: number): unknown => {
    const here = isLeaf ? undefined : { prev: at, key };
    try {
      const completed = isPromise(item)
        ? item.then((settled) => complete(settled, run, here))
        : complete(item, run, here);
      return isPromise(completed)
        ? completed.then(undefined, (error) => fail(error, run, { prev: at, key }))
        : completed;
    } catch (error) {
      return fail(error, run, { prev: at, key });
    }
  };
  return (list, run, at) => {
    const items: unknown[] = [];
    let hasPromises = false;
    try {
      for (const item of list as Iterable<unknown>) {
        const completed = completeItem(item, run, at, items.length);
        hasPromises ||= isPromise(completed);
        items.push(completed);
      }
    } catch (error) {
      ignore(items.filter(isPromise));
      throw error;
    }
    return hasPromises ? Promise.all(items) : items;
  };
}

/** @throws the error, unless null is an allowed value and partial results are */
export function failed(error: GraphQLError, isNullable: boolean, { errors }: Run): null {
  if (!isNullable || !errors) throw error;
  errors.push(error);
  return null;
}

export function keysOf(place: ResponsePath): (string | number)[] {
  return place ? [...keysOf(place.prev), place.key] : [];
}

/** Queries of Prisma are thenable, but no promises. */
export function isPromise(value: unknown): value is Promise<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

/** Another field has already failed. */
export function ignore(pending: Promise<unknown>[]): void {
  for (const one of pending) one.then(undefined, () => {});
}

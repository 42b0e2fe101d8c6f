import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../context.ts';

/**
 * The columns that a type reads, for `select` of `prismaObject`. Listed for the type instead of collected from the
 * fields of each document, so that an operation has one statement, which is planned once and takes one name of the few
 * that `db/client.ts` gives.
 */
export function columns<Name extends string>(...names: Name[]): Record<Name, true> {
  return Object.fromEntries(names.map((name) => [name, true])) as Record<Name, true>;
}

/** The selection that `prismaField` passes to its resolver, for the rows of a connection with cursors of its own. */
export function nodeSelection(context: Context, info: GraphQLResolveInfo) {
  return queryFromInfo({ context, info, select: { id: true }, paths: [['edges', 'node']] });
}

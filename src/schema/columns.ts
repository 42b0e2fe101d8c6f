import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../context.ts';

/** Independent of the selected fields, so that each operation has one prepared statement (see `db/client.ts`). */
export function columns<Name extends string>(...names: Name[]): Record<Name, true> {
  return Object.fromEntries(names.map((name) => [name, true])) as Record<Name, true>;
}

/** Like the selection that `prismaField` passes, for the nodes of a connection that makes its own cursors. */
export function nodeSelection(context: Context, info: GraphQLResolveInfo) {
  return queryFromInfo({ context, info, select: { id: true }, paths: [['edges', 'node']] });
}

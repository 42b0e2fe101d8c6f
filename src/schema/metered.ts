import type { SchemaTypes } from '@pothos/core';
import type { CountedConnection } from '../lib/pagination.ts';
import { TOTAL_COUNT } from './descriptions.ts';

/** What a list that can be counted has beside the fields of its connection. */
export function metered<Types extends SchemaTypes, Page>(t: PothosSchemaTypes.ObjectFieldBuilder<Types, Page>) {
  return {
    totalCount: t.field({
      type: 'Int',
      nullable: false,
      description: TOTAL_COUNT,
      // Resolvers add it to what the types of connections know.
      resolve: (page) => (page as unknown as CountedConnection<unknown>).totalCount() as never,
    }),
  };
}

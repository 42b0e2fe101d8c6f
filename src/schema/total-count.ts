import type { SchemaTypes } from '@pothos/core';
import type { CountedConnection } from '../lib/pagination.ts';
import { TOTAL_COUNT } from './descriptions.ts';

export function withTotalCount<Types extends SchemaTypes, Page>(t: PothosSchemaTypes.ObjectFieldBuilder<Types, Page>) {
  return {
    totalCount: t.field({
      type: 'Int',
      nullable: false,
      description: TOTAL_COUNT,
      // Not part of Pothos' type of connections.
      resolve: (page) => (page as unknown as CountedConnection<unknown>).totalCount() as never,
    }),
  };
}

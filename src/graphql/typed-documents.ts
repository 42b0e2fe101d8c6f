import { initGraphQLTada } from 'gql.tada';
import type { introspection } from '../generated/graphql-env.d.ts';
import type { FileContent } from '../resolvers/files/served-file.ts';

/** Scalars have the types that resolvers return, because execution is in process. */
export const graphql = initGraphQLTada<{
  introspection: introspection;
  scalars: {
    DateTime: Date;
    JSON: unknown;
    SafeInt: number;
    ID: string;
    Flag: unknown;
    UnixTime: unknown;
    Seconds: unknown;
    FileContent: FileContent;
  };
}>();

export type { FragmentOf } from 'gql.tada';

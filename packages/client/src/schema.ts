import { initGraphQLTada } from 'gql.tada';
import type { introspection } from './introspection.d.ts';

/** JSON types of the scalars. `DateTime` is ISO 8601 in UTC; `UnixTime` and `Seconds` are integers. */
export interface Scalars {
  ID: string;
  DateTime: string;
  JSON: unknown;
  SafeInt: number;
  Digits: string;
  Flag: boolean;
  UnixTime: number;
  Seconds: number;
  FileContent: string;
}

export const graphql = /* @__PURE__ */ initGraphQLTada<{ introspection: introspection; scalars: Scalars }>();

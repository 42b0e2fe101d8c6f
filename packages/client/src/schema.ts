import { initGraphQLTada } from 'gql.tada';
import type { introspection } from './introspection.d.ts';

/** What the schema's scalars are in JSON. `DateTime` is ISO 8601 in UTC, `UnixTime` and `Seconds` whole seconds. */
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

/** Makes a document of the service's schema, typed: its variables and its answer. */
export const graphql = /* @__PURE__ */ initGraphQLTada<{ introspection: introspection; scalars: Scalars }>();

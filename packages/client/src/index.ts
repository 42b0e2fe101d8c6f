export type { FragmentOf, ResultOf, VariablesOf } from 'gql.tada';
export { initGraphQLTada, readFragment } from 'gql.tada';
export {
  type AtriumClient,
  type ClientOptions,
  createClient,
  type MutationOptions,
  type RequestOptions,
} from './client.ts';
export type { AdministratorOptions, SignedRequest, SignIn } from './credentials.ts';
export type { Document } from './documents.ts';
export { type AnsweredError, AtriumError, type AtriumErrorCode } from './errors.ts';
export type { ConnectionState } from './line.ts';
export { graphql, type Scalars } from './schema.ts';
export { type Session, type SessionStorage, type StoredSession, webStorage } from './storage.ts';
export type { Subscription, SubscriptionOptions } from './subscription.ts';

export { Atrium, type AtriumOptions, type Classes, createAtrium } from './app/atrium.ts';
export type { Chat } from './app/chat.ts';
export type * from './app/chat-types.ts';
export { type DeviceStorage, memoryStorage } from './app/device-storage.ts';
export type { DialogHandle } from './app/dialog.ts';
export type { DialogsState } from './app/dialog-list.ts';
export type { FileAddress, FileLink, Files, StoredFile, UploadOptions } from './app/files.ts';
export type { OutboxEntry } from './app/outbox.ts';
export type { BlockedUser, ChatContact, NewSignal, People, Signal } from './app/people.ts';
export type { AtriumRecord, Fields, RecordFilter, Records, RecordsState, Where } from './app/records.ts';
export type {
  CodeOptions,
  NewPasskey,
  NewUser,
  Passkey,
  ProviderPage,
  RequestedCode,
  SessionApi,
  SessionState,
} from './app/session.ts';
export type { Live } from './app/store.ts';
export type { ThreadState } from './app/thread.ts';
export type { Users } from './app/users.ts';
export {
  type AtriumClient,
  type ClientOptions,
  createClient,
  type MutationOptions,
  type RequestOptions,
} from './client.ts';
export type { AdministratorOptions, SignedRequest, SignIn } from './credentials.ts';
export type { Document } from './documents.ts';
export {
  type AnsweredError,
  AtriumError,
  type AtriumErrorCode,
  type ErrorProblem,
  type SignInChallenge,
} from './errors.ts';
export type { ErrorReason } from './generated/errors.ts';
export type { FragmentOf, ResultOf, TadaDocumentNode, VariablesOf } from './generated/gql-tada.d.ts';
export type { ConnectionState } from './line.ts';
export {
  type GraphQL,
  graphql,
  initGraphQL,
  initGraphQL as initGraphQLTada,
  readFragment,
  type Scalars,
} from './schema.ts';
export { type Session, type SessionStorage, type StoredSession, webStorage } from './storage.ts';
export type { Subscription, SubscriptionOptions } from './subscription.ts';

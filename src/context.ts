import type { Logger } from 'pino';
import type { IdentityVerifiers } from './gateways/identity.ts';
import type { Mailer } from './gateways/mailer.ts';
import type { ModelClient } from './gateways/model.ts';
import type { PushGateways } from './gateways/push/index.ts';
import type { StagedFile, Storage } from './gateways/storage.ts';
import type { ActingViewer, IdentifiedViewer, OfApplication, SessionViewer, UserViewer, Viewer } from './lib/access.ts';
import type { Loaders } from './lib/loaders.ts';
import type { ResponseSize } from './lib/response-size.ts';
import type { Hub } from './realtime/hub.ts';
import type { Outbox } from './realtime/outbox.ts';
import type { Presence } from './realtime/presence.ts';
import type { PushNotifier } from './realtime/push-notifier.ts';
import type { Encrypter } from './server/encryption/encrypter.ts';
import type { CallingRequest } from './server/limits/client-address.ts';
import type { Meter, RateLimits } from './server/limits/rate-limits.ts';
import type { Observer } from './server/observability/observer.ts';

/** The clock and what operators see. */
export interface Diagnostics {
  now: () => Date;
  log: Logger;
  observer: Observer;
}

/** Events between processes and to subscribers. */
export interface Realtime {
  outbox: Outbox;
  hub: Hub;
  presence: Presence;
  pushNotifier: PushNotifier;
}

/** Systems outside this service. */
export interface Gateways {
  identities: IdentityVerifiers;
  mailer: Mailer;
  /** Holds the bytes of files. */
  storage: Storage;
  pushGateways: PushGateways;
  models: ModelClient;
}

export interface Security {
  sessionClock: SessionClock;
  /** Undefined when rate limits are switched off. */
  rateLimits: RateLimits | undefined;
  /** The network that a request comes from; a network counts as one client. */
  networkOf: (request: CallingRequest) => string;
  /** Encrypts the secrets of applications. */
  encrypter: Encrypter;
}

/** URLs that are handed out. */
export interface Links {
  /** Base URL without trailing slash; known once the server listens. */
  publicUrl: () => string;
  /** The page that a reset link opens, before the token is added. */
  resetPageUrl: () => string;
}

/** Shared by all requests of one running service. */
export interface Services extends Diagnostics, Realtime, Gateways, Security, Links {}

/** A row of `sessions` with what its application adds. */
export interface StoredSession {
  applicationId: number;
  id: number;
  userId: number | null;
  generation: number;
  /** The lifetime that its application sets; null: the service's. */
  sessionMinutes: number | null;
  /** Version of the application's classes. */
  catalogueVersion: number;
  /** When its user signed in. */
  signedInAt: Date;
  /** The latest stored request; `SessionClock` knows later ones. */
  updatedAt: Date;
}

/** The sliding lifetime of sessions. */
export interface SessionClock {
  /** When a session ends whose latest request came at this moment. */
  expiry(latestRequest: Date, lifetime: Pick<StoredSession, 'sessionMinutes'>): Date;
  isExpired(session: StoredSession, now: Date): boolean;
  latestRequest(session: Pick<StoredSession, 'applicationId' | 'id' | 'updatedAt'>): Date;
  /** The latest request made as that user; null before the first. */
  latestRequestOf(user: { applicationId: number; id: number; lastRequestAt: Date | null }): Date | null;
  /** Counts a request of the session, and of its user. */
  touch(session: StoredSession, at: Date): void;
  touchUser(user: { applicationId: number; userId: number }, at: Date): void;
  /** Stores the requests that are not stored yet. */
  flush(): Promise<void>;
}

/** What one request, or one operation on a socket, gives to every resolver. */
export interface Context extends Services {
  viewer: Viewer;
  /** Batch reads of fields; they live as long as one execution, so that nothing in them is stale. */
  loaders: Loaders;
  /** The network of the client (`networkOf`). */
  network: string;
  /** Bounds the response of a client's document; undefined for documents of the service itself. */
  responseSize?: ResponseSize | undefined;
  /** Counts operations and guesses; undefined while rate limits are off. */
  meter?: Meter | undefined;
  /** The transport has counted the operation, as REST does before it reads parameters. */
  isCounted?: boolean | undefined;
  /** The caller uses the legacy REST contract, which newer rules do not apply to. */
  isLegacy?: boolean | undefined;
  /** The uploaded file, over REST, if the operation takes one and the client sent one. */
  upload?: StagedFile | undefined;
  /** Aborts when the caller no longer waits: the connection is closed, or the operation cancelled. */
  callerLeft?: (() => AbortSignal) | undefined;
  /** Ends the connection of a subscriber who does not keep up with the events. */
  onTooSlow?: (() => void) | undefined;
}

/** For operations on a whole application: an API key calls, or the operator's shell. */
export type AdministrationContext = Pick<Services, 'now' | 'log' | 'outbox' | 'encrypter'> & { viewer: OfApplication };

// Contexts whose viewer `withAuth` has checked (src/lib/access.ts).
export type IdentifiedContext = Context & { viewer: IdentifiedViewer };
export type TokenContext = Context & { viewer: SessionViewer };
export type UserContext = Context & { viewer: UserViewer };
export type ActingContext = Context & { viewer: ActingViewer };

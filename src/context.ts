import type { Logger } from 'pino';
import type { IdentityVerifiers } from './gateways/identity.ts';
import type { Mailer } from './gateways/mailer.ts';
import type { ModelClient } from './gateways/model.ts';
import type { PushGateways } from './gateways/push/index.ts';
import type { RedirectSignIn } from './gateways/redirect-sign-in.ts';
import type { StagedFile, Storage } from './gateways/storage.ts';
import type { TokenVerifier } from './gateways/token-verifier.ts';
import {
  type Access,
  type ActingViewer,
  type AdministratorViewer,
  type IdentifiedViewer,
  type OfApplication,
  refusal,
  type SessionViewer,
  type UserTokenViewer,
  type UserViewer,
  type Viewer,
} from './lib/access.ts';
import type { Actor } from './lib/actor.ts';
import type { Loaders } from './lib/loaders.ts';
import type { ResponseSize } from './lib/response-size.ts';
import type { Encrypter } from './platform/encryption/encrypter.ts';
import type { CallingRequest } from './platform/limits/client-address.ts';
import type { Meter, RateLimits } from './platform/limits/rate-limits.ts';
import type { DiskSpace } from './platform/observability/disk-space.ts';
import type { Observer } from './platform/observability/observer.ts';
import type { RequestFacts } from './platform/observability/request-facts.ts';
import type { RequestLog } from './platform/observability/request-log.ts';
import type { LiveEvents } from './realtime/hubs.ts';
import type { JobNotifier } from './realtime/job-notifier.ts';
import type { EventOrigin, Outbox } from './realtime/outbox.ts';
import type { Presence } from './realtime/presence.ts';
import type { PushNotifier } from './realtime/push-notifier.ts';
import type { RequestFeed } from './realtime/request-feed.ts';
import type { ChatFigures, Rooms } from './realtime/rooms.ts';

export interface Diagnostics {
  now: () => Date;
  log: Logger;
  observer: Observer;
  requestLog: RequestLog;
  /** Of the file system with `DATA_DIR`; undefined if it does not report its size. */
  dataSpace: () => Promise<DiskSpace | undefined>;
}

export interface Realtime {
  outbox: Outbox;
  hub: LiveEvents;
  presence: Presence;
  rooms: Rooms;
  chat: ChatFigures;
  pushNotifier: PushNotifier;
  jobNotifier: JobNotifier;
  requestFeed: RequestFeed;
}

export interface Gateways {
  identities: IdentityVerifiers;
  tokens: TokenVerifier;
  mailer: Mailer;
  storage: Storage;
  pushGateways: PushGateways;
  models: ModelClient;
}

export interface Security {
  sessionClock: SessionClock;
  rateLimits: RateLimits | undefined;
  /** Rate limits count each network as one client. */
  networkOf: (request: CallingRequest) => string;
  encrypter: Encrypter;
}

export interface Links {
  /** Without trailing slash; available once the server listens. */
  publicUrl: () => string;
  /** Of the addresses in the live chat of legacy clients. */
  chatDomain: () => string;
  /** URL of the password reset page, without the token. */
  resetPageUrl: () => string;
  /** URL of the page that verifies an address, without the token. */
  verifyPageUrl: () => string;
  /** Without trailing slash. */
  consoleUrl: () => string;
  isConsoleOn: boolean;
  /** Whether pages of the console have this origin; `host` is the header of the request. */
  isConsoleOrigin: (origin: string, host: string | undefined) => boolean;
}

/** An export or a check that an administrator has started. */
export interface JobOrder {
  applicationId: number;
  id: string;
  kind: 'export' | 'check';
  isRepair: boolean;
  actor: Actor;
  /** Of an export. Never stored. */
  passphrase: string | undefined;
}

/** Runs jobs of this process in the background. */
export interface JobRunner {
  readonly processId: string;
  readonly isStopping: boolean;
  /** @param order of a stored job with the `processId` */
  run(order: JobOrder): void;
}

export interface Services extends Diagnostics, Realtime, Gateways, Security, Links {
  jobRunner: JobRunner;
  redirects: RedirectSignIn;
}

export interface StoredSession {
  applicationId: number;
  id: number;
  userId: number | null;
  generation: number;
  /** null: the service default. */
  sessionMinutes: number | null;
  /** After the sign-in; null: no limit. */
  maxSessionMinutes: number | null;
  verifiedEmailRequired: boolean;
  dialogCreators: string[];
  secondFactorRoles: string[];
  isMultiFactor: boolean;
  confirmedAt: Date;
  catalogueVersion: number;
  signedInAt: Date;
  /** `SessionClock` may know a later one. */
  updatedAt: Date;
}

export interface SessionClock {
  expiry(
    latestRequest: Date,
    lifetime: Pick<StoredSession, 'sessionMinutes' | 'maxSessionMinutes' | 'signedInAt'>,
  ): Date;
  isExpired(session: StoredSession, now: Date): boolean;
  latestRequest(session: Pick<StoredSession, 'applicationId' | 'id' | 'updatedAt'>): Date;
  latestRequestOf(user: { applicationId: number; id: number; lastRequestAt: Date | null }): Date | null;
  touch(session: StoredSession, at: Date): void;
  touchUser(user: { applicationId: number; userId: number }, at: Date): void;
  /** When a connection of the user has ended. */
  touchSeen(user: { applicationId: number; userId: number }, at: Date): void;
  /** The latest request or end of a connection. */
  latestSeenOf(user: {
    applicationId: number;
    id: number;
    lastRequestAt: Date | null;
    lastSeenAt: Date | null;
  }): Date | null;
  touchKey(key: { applicationId: number; id: number }, at: Date): void;
  latestUseOf(key: { applicationId: number; id: number; lastUsedAt: Date | null }): Date | null;
  flush(): Promise<void>;
}

export interface CallingPage {
  origin: string;
  /** Stores or removes the cookie of the session. */
  setToken: (token: string | null) => void;
  /** Value of the cookie that recognizes the browser during a sign-in with a passkey. */
  browser: string | undefined;
  /** @param maxAge in seconds */
  setBrowser: (token: string, maxAge: number) => void;
}

export interface Context extends Services {
  viewer: Viewer;
  /** Live as long as one execution, so that no value becomes stale. */
  loaders: Loaders;
  network: string;
  /** The header of that name. */
  userAgent?: string | undefined;
  /** What the request log will know of the request. */
  facts?: Pick<RequestFacts, 'applicationId' | 'list'> | undefined;
  /** Undefined for documents of the service itself. */
  responseSize?: ResponseSize | undefined;
  meter?: Meter | undefined;
  /** REST counts before it parses parameters. */
  isCounted?: boolean | undefined;
  /** Newer rules do not apply to the legacy REST contract. */
  isLegacy?: boolean | undefined;
  /** Only of legacy chat clients. */
  origin?: EventOrigin | undefined;
  /** Public groups that the chat client has joined. */
  isJoined?: ((dialogId: string) => boolean) | undefined;
  upload?: StagedFile | undefined;
  /** Only for POST requests from pages of the console. */
  page?: CallingPage | undefined;
  callerLeft?: (() => AbortSignal) | undefined;
  onTooSlow?: (() => void) | undefined;
}

export type AdministrationContext = Pick<Services, 'now' | 'log' | 'outbox' | 'encrypter' | 'consoleUrl'> & {
  viewer: OfApplication;
};

// `withAuth` has checked the viewer (src/lib/access.ts).
export type IdentifiedContext = Context & { viewer: IdentifiedViewer };
export type TokenContext = Context & { viewer: SessionViewer };
export type UserTokenContext = Context & { viewer: UserTokenViewer };
export type UserContext = Context & { viewer: UserViewer };
export type ActingContext = Context & { viewer: ActingViewer };

/** For the events of a subscription, which has checked its caller. @throws {ServiceError} */
export function actingContext(context: Context): ActingContext {
  requireAccess('userOrKey', context);
  return context as ActingContext;
}

/** Like `actingContext`, for subscriptions of users. */
export function userContext(context: Context): UserContext {
  requireAccess('user', context);
  return context as UserContext;
}

function requireAccess(access: Access, { viewer }: Context): void {
  const refused = refusal(access, viewer);
  if (refused) throw refused;
}

export type AdministratorContext = Context & { viewer: AdministratorViewer };

import type { Logger } from 'pino';
import type { IdentityVerifiers } from './gateways/identity.ts';
import type { Mailer } from './gateways/mailer.ts';
import type { ModelClient } from './gateways/model.ts';
import type { PushGateways } from './gateways/push/index.ts';
import type { StagedFile, Storage } from './gateways/storage.ts';
import type {
  ActingViewer,
  AdministratorViewer,
  IdentifiedViewer,
  OfApplication,
  SessionViewer,
  UserViewer,
  Viewer,
} from './lib/access.ts';
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

export interface Diagnostics {
  now: () => Date;
  log: Logger;
  observer: Observer;
}

export interface Realtime {
  outbox: Outbox;
  hub: Hub;
  presence: Presence;
  pushNotifier: PushNotifier;
}

export interface Gateways {
  identities: IdentityVerifiers;
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
  /** URL of the password reset page, without the token. */
  resetPageUrl: () => string;
  /** Without trailing slash. */
  consoleUrl: () => string;
  isConsoleOn: boolean;
  /** Whether pages of the console have this origin; `host` is the header of the request. */
  isConsoleOrigin: (origin: string, host: string | undefined) => boolean;
}

export interface Services extends Diagnostics, Realtime, Gateways, Security, Links {}

export interface StoredSession {
  applicationId: number;
  id: number;
  userId: number | null;
  generation: number;
  /** null: the service default. */
  sessionMinutes: number | null;
  catalogueVersion: number;
  signedInAt: Date;
  /** `SessionClock` may know a later one. */
  updatedAt: Date;
}

export interface SessionClock {
  expiry(latestRequest: Date, lifetime: Pick<StoredSession, 'sessionMinutes'>): Date;
  isExpired(session: StoredSession, now: Date): boolean;
  latestRequest(session: Pick<StoredSession, 'applicationId' | 'id' | 'updatedAt'>): Date;
  latestRequestOf(user: { applicationId: number; id: number; lastRequestAt: Date | null }): Date | null;
  touch(session: StoredSession, at: Date): void;
  touchUser(user: { applicationId: number; userId: number }, at: Date): void;
  flush(): Promise<void>;
}

export interface Context extends Services {
  viewer: Viewer;
  /** Live as long as one execution, so that no value becomes stale. */
  loaders: Loaders;
  network: string;
  /** Undefined for documents of the service itself. */
  responseSize?: ResponseSize | undefined;
  meter?: Meter | undefined;
  /** REST counts before it parses parameters. */
  isCounted?: boolean | undefined;
  /** Newer rules do not apply to the legacy REST contract. */
  isLegacy?: boolean | undefined;
  upload?: StagedFile | undefined;
  /** Stores or removes the cookie of the console; only for requests from its pages. */
  setCookie?: ((token: string | null) => void) | undefined;
  callerLeft?: (() => AbortSignal) | undefined;
  onTooSlow?: (() => void) | undefined;
}

export type AdministrationContext = Pick<Services, 'now' | 'log' | 'outbox' | 'encrypter' | 'consoleUrl'> & {
  viewer: OfApplication;
};

// `withAuth` has checked the viewer (src/lib/access.ts).
export type IdentifiedContext = Context & { viewer: IdentifiedViewer };
export type TokenContext = Context & { viewer: SessionViewer };
export type UserContext = Context & { viewer: UserViewer };
export type ActingContext = Context & { viewer: ActingViewer };
export type AdministratorContext = Context & { viewer: AdministratorViewer };

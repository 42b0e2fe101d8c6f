import type { Logger } from 'pino';
import type { IdentityVerifiers } from './gateways/identity.ts';
import type { Mailer } from './gateways/mailer.ts';
import type { ModelClient } from './gateways/model.ts';
import type { PushGateways } from './gateways/push/index.ts';
import type { Storage } from './gateways/storage.ts';
import type { ActingViewer, KnownViewer, OfApplication, SessionViewer, UserViewer, Viewer } from './lib/access.ts';
import type { CallingRequest } from './lib/client-address.ts';
import type { ResponseSize } from './lib/response-size.ts';
import type { Meter, RateLimits } from './limits/rate-limits.ts';
import type { Observer } from './observe/observer.ts';
import type { Hub } from './realtime/hub.ts';
import type { Outbox } from './realtime/outbox.ts';
import type { Presence } from './realtime/presence.ts';
import type { PushBell } from './realtime/push-bell.ts';
import type { StagedFile } from './resolvers/files/loose.ts';
import type { Loaders } from './resolvers/loaders.ts';
import type { SessionClock } from './resolvers/sessions/session-clock.ts';
import type { Sealer } from './secrets/sealer.ts';

/** What one running service shares between its requests. */
export interface Services {
  now: () => Date;
  log: Logger;
  observer: Observer;
  outbox: Outbox;
  hub: Hub;
  presence: Presence;
  pushBell: PushBell;
  sessionClock: SessionClock;
  identities: IdentityVerifiers;
  /** Undefined when they are switched off. */
  rateLimits: RateLimits | undefined;
  /** The network that a request comes from; it counts as one client. */
  networkOf: (request: CallingRequest) => string;
  mailer: Mailer;
  /** The bytes of files. */
  storage: Storage;
  pushGateways: PushGateways;
  models: ModelClient;
  /** Hides secrets of applications in the database. */
  sealer: Sealer;
  /** Base of the links handed out, without trailing slash; known once the server listens. */
  publicUrl: () => string;
  /** Where a reset link leads, before the token is added. */
  resetPageUrl: () => string;
}

/** What one request, or one operation on a socket, brings to every resolver. */
export interface Context extends Services {
  viewer: Viewer;
  /** Batch what fields ask for; they live as long as one execution, so nothing in them is stale. */
  loaders: Loaders;
  /** The network of the client (`networkOf`). */
  network: string;
  /** Bounds the response, each time that a document of a client is executed; undefined for documents of ours. */
  responseSize?: ResponseSize | undefined;
  /** Counts operations and guesses; undefined while rate limits are off. */
  meter?: Meter | undefined;
  /** The transport has counted the operation, as REST does before it reads parameters. */
  isCounted?: boolean | undefined;
  /** A client of the legacy REST contract calls, which knows nothing of rules made since. */
  isLegacy?: boolean | undefined;
  /** The file that came with the request, over REST, where the operation takes one and the client sent one. */
  upload?: StagedFile | undefined;
  /** Aborts when the caller no longer waits for the answer: the connection is closed, or the operation cancelled. */
  callerLeft?: (() => AbortSignal) | undefined;
  /** Ends the connection of a subscriber who does not keep up with the events. */
  onTooSlow?: (() => void) | undefined;
}

/** For what concerns an application as a whole: its API key asks, or the operator from the shell. */
export type AdministrationContext = Pick<Services, 'now' | 'log' | 'outbox' | 'sealer'> & { viewer: OfApplication };

// What `withAuth` leaves of the viewer (src/lib/access.ts has the rules).
export type KnownContext = Context & { viewer: KnownViewer };
export type TokenContext = Context & { viewer: SessionViewer };
export type UserContext = Context & { viewer: UserViewer };
export type ActingContext = Context & { viewer: ActingViewer };

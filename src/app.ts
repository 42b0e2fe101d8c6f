import { createServer, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { ClientConfig } from 'pg';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { Services } from './context.ts';
import { poolState } from './db/client.ts';
import { retries } from './db/coalesce.ts';
import { longJobs, longSteps } from './db/long-work.ts';
import { DatabaseProbe } from './db/probe.ts';
import { lockWaits } from './db/transact.ts';
import type { IdentityVerifiers } from './gateways/identity.ts';
import type { Mailer } from './gateways/mailer.ts';
import type { ModelClient } from './gateways/model.ts';
import type { PushGateways } from './gateways/push/index.ts';
import type { Storage } from './gateways/storage.ts';
import { graphqlOverHttp } from './graphql/http.ts';
import { graphqlOverSocket } from './graphql/socket.ts';
import { addressOf, close, listen } from './http/listening.ts';
import { cutStalled } from './http/stalled-clients.ts';
import { boundUnread } from './http/unread-responses.ts';
import { readBacklog } from './jobs/backlog.ts';
import { PushJobs } from './jobs/pushes.ts';
import { SWEEP_EVERY, sweep } from './jobs/sweep.ts';
import { sweepFiles } from './jobs/sweep-files.ts';
import { networkOf } from './lib/client-address.ts';
import type { Limit, LimitName } from './lib/rate-limits.ts';
import { MINUTE, SECOND } from './lib/time.ts';
import { type Counters, memoryCounters, postgresCounters, redisCounters } from './limits/counters.ts';
import { RateLimits } from './limits/rate-limits.ts';
import { Health } from './observe/health.ts';
import { Metrics } from './observe/metrics.ts';
import { Requests } from './observe/requests.ts';
import { traced } from './observe/tracing.ts';
import { documentation, isDocs } from './pages/docs.ts';
import { resetPasswordPage } from './pages/reset-password.ts';
import { createBus } from './realtime/create-bus.ts';
import { Hub } from './realtime/hub.ts';
import { Outbox } from './realtime/outbox.ts';
import { type Clock, Presence } from './realtime/presence.ts';
import { PushBell } from './realtime/push-bell.ts';
import { SessionClock } from './resolvers/sessions/session-clock.ts';
import { restAdapter } from './rest/index.ts';
import { openApiDocument } from './rest/openapi/document.ts';
import type { Sealer } from './secrets/sealer.ts';

/** What an app is made of: its settings, a migrated database (`connectDatabase` came before), and the world outside. */
export interface AppDependencies {
  config: Pick<
    Config,
    | 'host'
    | 'port'
    | 'publicUrl'
    | 'tokenHeaders'
    | 'sessionMinutes'
    | 'eventRetentionHours'
    | 'resetPageUrl'
    | 'rateLimit'
    | 'trustProxy'
    | 'redisUrl'
    | 'databaseUrl'
    | 'pushLogDays'
  >;
  /** For the connections that count rate limits and take work from the queue. */
  database: ClientConfig;
  /** For the one that hears of events, which has to be a session of the server itself; default: `database`. */
  directDatabase?: ClientConfig;
  now: () => Date;
  log: Logger;
  identities: IdentityVerifiers;
  /** Closed with the app. */
  mailer: Mailer;
  /** Where files lie; closed with the app. */
  storage: Storage;
  /** Closed with the app. */
  pushGateways: PushGateways;
  /** Stopped with the app. */
  models: ModelClient;
  sealer: Sealer;
  /** Other rate limits than those of the contract. */
  limits?: Partial<Record<LimitName, Limit>> | undefined;
  /** How long it goes on serving while it is no longer ready; default: not at all. */
  drainSeconds?: number;
  /** Another clock for who is online than the process' own. */
  presenceClock?: Clock | undefined;
  /** Milliseconds after which a client that neither sends nor takes what is due is cut off; default: two minutes. */
  stalledAfter?: number | undefined;
}

export interface App {
  /** Address the server is reached at, with the port in use. */
  url: string;
  services: Services;
  /**
   * Is no longer ready, goes on serving for a while so that proxies notice, and closes sockets with 1001 meanwhile; then
   * stops accepting and finishes what is under way.
   */
  stop: () => Promise<void>;
}

/** How long a request may take to come in: a file of 100 MB from a phone takes longer than Node's five minutes. */
const ARRIVAL = 30 * MINUTE;

/**
 * How long a connection may be idle. Proxies keep theirs for a minute, and one that we close first may just be carrying the
 * next request, which is lost then.
 */
const KEEP_ALIVE = 75 * SECOND;

/** How long a client may send nothing more of its request, or take nothing more of its answer. */
const STALLED = 2 * MINUTE;

/** How long requests under way may take when the app stops. */
const PATIENCE = 10 * SECOND;

/** Where the service's own page for reset links is. */
const RESET_PAGE = '/reset-password';
const READ_METHODS = new Set<string | undefined>(['GET', 'HEAD']);
const PAGE_METHODS = new Set<string | undefined>(['GET', 'HEAD', 'POST']);

/** Paths that are routes by themselves; the documentation's files are one, and the REST door tells its own. */
const FIXED_PATHS = new Set(['/graphql', '/healthz', '/readyz', '/metrics', RESET_PAGE]);

/** Builds and starts the service: GraphQL, WebSocket and REST on one server. */
export async function createApp(dependencies: AppDependencies): Promise<App> {
  const { config, database, now, log, identities, mailer, storage, models, pushGateways, sealer } = dependencies;
  const { limits, presenceClock, drainSeconds = 0, directDatabase = database, stalledAfter = STALLED } = dependencies;
  const probe = new DatabaseProbe(database);
  const metrics: Metrics = new Metrics({
    sockets: () => sockets.count(),
    pool: poolState,
    pushes: () => pushGateways.traffic.load,
    semaphores: () => ({
      transactions: lockWaits.load,
      long_jobs: longJobs.load,
      long_steps: longSteps.load,
      retries: retries.load,
    }),
    backlog: () => readBacklog(probe, hub.readUpTo, now()),
  });
  const bus = createBus({ redisUrl: config.redisUrl, database: directDatabase, log });
  const outbox = new Outbox(bus);
  const hub = new Hub(outbox, bus, log);
  const presence = new Presence(bus, presenceClock);
  const sessionClock = new SessionClock({ sessionMinutes: config.sessionMinutes, log });
  const rateLimits = config.rateLimit
    ? new RateLimits({
        counters: createCounters(dependencies),
        limits,
        onExceeded: (limit) => metrics.rateLimitExceeded(limit),
      })
    : undefined;
  let url = '';
  const services: Services = {
    now,
    log,
    observer: metrics,
    outbox,
    hub,
    presence,
    pushBell: new PushBell(bus),
    sessionClock,
    identities,
    mailer,
    storage,
    pushGateways,
    models,
    sealer,
    rateLimits,
    networkOf: (request) => networkOf(request, config.trustProxy),
    publicUrl: () => config.publicUrl ?? url,
    resetPageUrl: () => config.resetPageUrl ?? `${services.publicUrl()}${RESET_PAGE}`,
  };

  const health = new Health(() => probe.isThere());
  const requests = new Requests(log, metrics);
  const graphql = graphqlOverHttp(services, config.tokenHeaders);
  const resetPage = resetPasswordPage(services);
  const docs = documentation(services, () => openApiDocument(services.publicUrl(), config.tokenHeaders));
  const rest = restAdapter(services, config.tokenHeaders);
  let isStopping = false;
  const server = createServer({ requestTimeout: ARRIVAL, keepAliveTimeout: KEEP_ALIVE }, (request, response) => {
    // While it stops, no proxy keeps a connection on which it would send the next request.
    if (isStopping) response.setHeader('Connection', 'close');
    const path = pathOf(request);
    watchOver(request, response);
    watchUnread(request);
    requests.serve(request, response, patternOf(path), () => {
      if (path === '/graphql') void graphql(request, response);
      else if (path === '/healthz' || path === '/readyz') void health.answer(path, response);
      else if (path === '/metrics') void metrics.answer(response);
      else if (path === RESET_PAGE && PAGE_METHODS.has(request.method)) void resetPage(request, response);
      else if (isDocs(path) && READ_METHODS.has(request.method)) void docs(path, request, response);
      else void rest(request, response);
    });
  });
  const watchOver = cutStalled(server, stalledAfter);
  const watchUnread = boundUnread(server, services.networkOf);
  const sockets = graphqlOverSocket(server, services, { tokenHeaders: config.tokenHeaders, requests });
  /** First proxies get to know; then the sockets go one after the other, so that clients do not come back all at once. */
  const drain = async (milliseconds: number) => {
    await pause(milliseconds / 2);
    await sockets.closeWithin(milliseconds / 2);
  };
  hub.start();
  await bus.start();
  presence.start();
  const pushJobs = new PushJobs(services, database);
  await pushJobs.start();
  await listen(server, config.port, config.host).catch(async (error) => {
    await pushJobs.stop();
    hub.stop();
    presence.stop();
    await bus.stop();
    throw error;
  });
  url = addressOf(server, config.host);
  health.isServing = true;

  const sweepFailed = (error: unknown) => {
    metrics.sweepFailed();
    log.warn({ err: error }, 'the sweep failed; it will be tried again');
  };
  const sweeper = setInterval(() => {
    traced('job sweep', { isRoot: true }, () => sweep(now(), config)).catch(sweepFailed);
    traced('job sweep-files', { isRoot: true }, () => sweepFiles(now(), storage)).catch(sweepFailed);
  }, SWEEP_EVERY).unref();

  return {
    url,
    services,
    async stop() {
      health.isServing = false;
      isStopping = true;
      if (drainSeconds > 0) await drain(drainSeconds * SECOND);
      clearInterval(sweeper);
      const closed = close(server, PATIENCE);
      const pushed = pushJobs.stop();
      await sockets.stop(PATIENCE);
      // Not before: what ends so is over for a client on a socket, who would not go on elsewhere.
      hub.endWatches();
      presence.endWatches();
      models.stop();
      await closed;
      await pushed;
      pushGateways.close();
      hub.stop();
      presence.stop();
      await bus.stop();
      await sessionClock.flush();
      await rateLimits?.stop();
      mailer.close();
      storage.close();
      await probe.stop();
    },
  };
}

/** Where operations are counted: wherever other processes may be, with them. */
function createCounters({ config, database, log }: AppDependencies): Counters {
  if (config.redisUrl) return redisCounters(config.redisUrl, log);
  return config.databaseUrl ? postgresCounters(database, log) : memoryCounters();
}

function patternOf(path: string): string | undefined {
  if (isDocs(path)) return path === '/openapi.json' ? path : '/docs';
  return FIXED_PATHS.has(path) ? path : undefined;
}

function pathOf({ url = '/' }: IncomingMessage): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

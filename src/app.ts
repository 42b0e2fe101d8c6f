import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ClientConfig } from 'pg';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { Services } from './context.ts';
import { db } from './db/client.ts';
import type { IdentityVerifiers } from './gateways/identity.ts';
import type { Mailer } from './gateways/mailer.ts';
import type { ModelClient } from './gateways/model.ts';
import type { PushGateways } from './gateways/push/index.ts';
import type { Storage } from './gateways/storage.ts';
import { graphqlOverHttp } from './graphql/http.ts';
import { graphqlOverSocket } from './graphql/socket.ts';
import { PushJobs } from './jobs/pushes.ts';
import { SWEEP_EVERY, sweep } from './jobs/sweep.ts';
import { sweepFiles } from './jobs/sweep-files.ts';
import type { Limit, LimitName } from './lib/rate-limits.ts';
import { MINUTE, SECOND } from './lib/time.ts';
import { type Counters, memoryCounters, postgresCounters, redisCounters } from './limits/counters.ts';
import { RateLimits } from './limits/rate-limits.ts';
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
  /** For the connections that hear of events, and that take work from the queue. */
  database: ClientConfig;
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
  /** Another clock for who is online than the process' own. */
  presenceClock?: Clock | undefined;
}

export interface App {
  /** Address the server is reached at, with the port in use. */
  url: string;
  services: Services;
  /** Stops accepting, finishes what is under way, closes sockets with 1001. */
  stop: () => Promise<void>;
}

/** How long a request may take to come in: a file of 100 MB from a phone takes longer than Node's five minutes. */
const ARRIVAL = 30 * MINUTE;

/** How long requests under way may take when the app stops. */
const DRAIN = 10 * SECOND;
const IDLE_CHECK = 100;

/** Connections that may wait to be taken in. Thousands come back at once, and one that finds no place waits for minutes. */
const BACKLOG = 8_192;

/** Where the service's own page for reset links is. */
const RESET_PAGE = '/reset-password';
const READ_METHODS = new Set<string | undefined>(['GET', 'HEAD']);
const PAGE_METHODS = new Set<string | undefined>(['GET', 'HEAD', 'POST']);

/** Builds and starts the service: GraphQL, WebSocket and REST on one server. */
export async function createApp(dependencies: AppDependencies): Promise<App> {
  const { config, database, now, log, identities, mailer, storage, models, pushGateways, sealer } = dependencies;
  const { limits, presenceClock } = dependencies;
  const bus = createBus({ redisUrl: config.redisUrl, database, log });
  const outbox = new Outbox(bus);
  const hub = new Hub(outbox, bus, log);
  const presence = new Presence(bus, presenceClock);
  const sessionClock = new SessionClock({ sessionMinutes: config.sessionMinutes, log });
  const rateLimits = config.rateLimit
    ? new RateLimits({ counters: createCounters(dependencies), trustProxy: config.trustProxy, limits })
    : undefined;
  let url = '';
  const services: Services = {
    now,
    log,
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
    publicUrl: () => config.publicUrl ?? url,
    resetPageUrl: () => config.resetPageUrl ?? `${services.publicUrl()}${RESET_PAGE}`,
  };

  const health = new Health();
  const graphql = graphqlOverHttp(services, config.tokenHeaders);
  const resetPage = resetPasswordPage(services);
  const docs = documentation(services, () => openApiDocument(services.publicUrl(), config.tokenHeaders));
  const rest = restAdapter(services, config.tokenHeaders);
  const server = createServer({ requestTimeout: ARRIVAL }, (request, response) => {
    // GraphQL is told apart here: mounted inside Express it would cost each request much of its time.
    const path = pathOf(request);
    if (path === '/graphql') void graphql(request, response);
    else if (path === '/healthz' || path === '/readyz') void health.answer(path, response);
    else if (path === RESET_PAGE && PAGE_METHODS.has(request.method)) void resetPage(request, response);
    else if (isDocs(path) && READ_METHODS.has(request.method)) void docs(path, request, response);
    else rest(request, response);
  });
  const sockets = graphqlOverSocket(server, services, config.tokenHeaders);
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
  health.isReady = true;

  const sweepFailed = (error: unknown) => log.warn({ err: error }, 'the sweep failed; it will be tried again');
  const sweeper = setInterval(() => {
    sweep(now(), config).catch(sweepFailed);
    sweepFiles(now(), storage).catch(sweepFailed);
  }, SWEEP_EVERY).unref();

  return {
    url,
    services,
    async stop() {
      health.isReady = false;
      clearInterval(sweeper);
      const closed = close(server);
      const pushed = pushJobs.stop();
      const disconnected = sockets.stop();
      hub.endWatches();
      presence.endWatches();
      models.stop();
      await disconnected;
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
    },
  };
}

/** Where operations are counted: wherever other processes may be, with them. */
function createCounters({ config, database, log }: AppDependencies): Counters {
  if (config.redisUrl) return redisCounters(config.redisUrl, log);
  return config.databaseUrl ? postgresCounters(database, log) : memoryCounters();
}

/** `/healthz`: the process lives. `/readyz`: it serves, and the database answers. */
class Health {
  isReady = false;

  async answer(path: '/healthz' | '/readyz', response: ServerResponse): Promise<void> {
    const isFine = path === '/healthz' || (this.isReady && (await isDatabaseThere()));
    response.writeHead(isFine ? 200 : 503, { 'Content-Type': 'text/plain', 'Cache-Control': 'no-cache' });
    response.end(isFine ? 'ok\n' : 'not ready\n');
  }
}

async function isDatabaseThere(): Promise<boolean> {
  try {
    await db.$queryRaw`SELECT 1 AS one`;
    return true;
  } catch {
    return false;
  }
}

function pathOf({ url = '/' }: IncomingMessage): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, BACKLOG, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function addressOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Idle connections end at once, busy ones with their answer, at the latest after `DRAIN`. */
function close(server: Server): Promise<void> {
  const hurry = setTimeout(() => server.closeAllConnections(), DRAIN).unref();
  // One that has just answered would otherwise be kept alive for another request.
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK).unref();
  return new Promise((resolve) => {
    server.close(() => {
      clearTimeout(hurry);
      clearInterval(idle);
      resolve();
    });
    server.closeIdleConnections();
  });
}

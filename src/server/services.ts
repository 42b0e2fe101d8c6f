import type { ClientConfig } from 'pg';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Gateways, Services } from '../context.ts';
import { createPool } from '../db/pool.ts';
import { homeOf } from '../db/shards.ts';
import { storeName } from '../db/store-name.ts';
import { RedirectSignIn } from '../gateways/redirect-sign-in.ts';
import { JobRuns } from '../jobs/job-runner.ts';
import type { Encrypter } from '../platform/encryption/encrypter.ts';
import { networkOf } from '../platform/limits/client-address.ts';
import { type Counters, memoryCounters, postgresCounters, redisCounters } from '../platform/limits/counters.ts';
import type { Limit, LimitName } from '../platform/limits/definitions.ts';
import { RateLimits } from '../platform/limits/rate-limits.ts';
import { diskSpaceOf } from '../platform/observability/disk-space.ts';
import type { Observer } from '../platform/observability/observer.ts';
import { RequestLog } from '../platform/observability/request-log.ts';
import type { Bus } from '../realtime/bus.ts';
import type { Clock } from '../realtime/clock.ts';
import { createBus } from '../realtime/create-bus.ts';
import { createHub } from '../realtime/hubs.ts';
import { JobNotifier } from '../realtime/job-notifier.ts';
import { Outbox } from '../realtime/outbox.ts';
import { Presence } from '../realtime/presence.ts';
import { PushNotifier } from '../realtime/push-notifier.ts';
import { RequestFeed } from '../realtime/request-feed.ts';
import { Rooms } from '../realtime/rooms.ts';
import { BatchedSessionClock } from '../resolvers/sessions/session-clock.ts';
import { type Addresses, consoleLinks } from './console-links.ts';
import { RESET_PAGE, VERIFY_PAGE } from './pages/paths.ts';

export interface ServiceDependencies extends Gateways {
  config: Config;
  database: ClientConfig;
  /** The further databases among which applications are divided. */
  otherDatabases?: readonly ClientConfig[];
  /** For the connection that listens for events, which needs its own database session; default: `database`. */
  directDatabase?: ClientConfig;
  now: () => Date;
  log: Logger;
  encrypter: Encrypter;
  limits?: Partial<Record<LimitName, Limit>> | undefined;
  liveClock?: Clock | undefined;
}

export async function createServices(
  dependencies: ServiceDependencies,
  observer: Observer,
  addresses: Addresses,
): Promise<{ services: Services; bus: Bus; jobRuns: JobRuns }> {
  const { config, now, log, identities, tokens, mailer, storage, models, pushGateways, encrypter, database } =
    dependencies;
  const { limits, liveClock, directDatabase = database, otherDatabases = [] } = dependencies;
  const bus = await createBus({ redisUrl: config.redisUrl, database: directDatabase, log });
  const outbox = new Outbox(bus);
  const publicUrl = () => config.publicUrl ?? addresses.main();
  const services = {
    now,
    log,
    observer,
    requestLog: new RequestLog(config.requestLogSlowMs, now),
    dataSpace: () => diskSpaceOf(config.dataDir),
    outbox,
    hub: createHub(outbox, bus, log, liveClock),
    presence: new Presence(bus, liveClock),
    rooms: new Rooms(bus, liveClock),
    chat: { isOn: config.xmpp !== undefined, streams: 0, refusedSignIns: 0, failedStreams: 0 },
    pushNotifier: new PushNotifier(bus),
    jobNotifier: new JobNotifier(bus),
    requestFeed: new RequestFeed(bus, log),
    identities,
    tokens,
    redirects: new RedirectSignIn(tokens),
    mailer,
    storage,
    pushGateways,
    models,
    sessionClock: new BatchedSessionClock({ sessionMinutes: config.sessionMinutes, log }),
    rateLimits: config.rateLimit
      ? new RateLimits({
          counters: await createCounters(dependencies),
          limits,
          onExceeded: (limit) => observer.rateLimitExceeded(limit),
        })
      : undefined,
    networkOf: (request) => networkOf(request, config.trustProxy),
    encrypter,
    publicUrl,
    chatDomain: () => config.chatDomain ?? new URL(publicUrl()).hostname,
    verifyPageUrl: () => `${publicUrl()}${VERIFY_PAGE}`,
    resetPageUrl: () => config.resetPageUrl ?? `${publicUrl()}${RESET_PAGE}`,
    ...consoleLinks(config, publicUrl, addresses),
  } satisfies Omit<Services, 'jobRunner'>;
  const all: Services = Object.assign(services, { jobRunner: undefined as never });
  const databases = [directDatabase, ...otherDatabases];
  const databaseOf = async (applicationId: number) => databases[(await homeOf(applicationId)).number]!;
  const jobRuns = new JobRuns(all, { databaseOf, backupDays: config.backupDays });
  all.jobRunner = jobRuns;
  return { services: all, bus, jobRuns };
}

async function createCounters({ config, database, log }: ServiceDependencies): Promise<Counters> {
  if (config.redisUrl) return redisCounters(config.redisUrl, await storeName(), log);
  return config.databaseUrl || config.workers > 1
    ? postgresCounters((settings) => createPool({ ...database, ...settings }), log)
    : memoryCounters();
}

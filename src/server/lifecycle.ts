import { setTimeout as pause } from 'node:timers/promises';
import type { Services } from '../context.ts';
import { poolState } from '../db/client.ts';
import { laneLoads } from '../db/lanes.ts';
import { DatabaseProbes } from '../db/probe.ts';
import { allShards, onShard, setReachable } from '../db/shards.ts';
import { readBacklog } from '../jobs/backlog.ts';
import { PushJobs } from '../jobs/pushes.ts';
import { RequestStorage } from '../jobs/store-requests.ts';
import { Sweeps } from '../jobs/sweeps.ts';
import { SECOND } from '../lib/time.ts';
import { Health } from '../platform/observability/health.ts';
import { Metrics, type Peers, type Readings } from '../platform/observability/metrics.ts';
import { isKnownName } from '../rest/known-names.ts';
import { createEntrances, type EmbeddedEntrances } from './entrances.ts';
import { createServices, type ServiceDependencies } from './services.ts';

export interface AppDependencies extends ServiceDependencies {
  /** Seconds for which the app still serves after `/readyz` fails. */
  drainSeconds?: number;
  stalledAfter?: number | undefined;
  peers?: Peers | undefined;
  /** Numbers of databases that did not respond at the start. */
  away?: readonly number[];
  /** Makes such a database ready for use. */
  admitDatabase?: (number: number) => Promise<void>;
  /** Default: HTTP servers at `host` and the ports. */
  entrances?: EmbeddedEntrances | undefined;
}

export interface App {
  url: string;
  /** Of the ports of the chat for legacy clients: WebSocket, then TCP. */
  chatAddresses: readonly string[];
  services: Services;
  /** Serves for `drainSeconds` so that proxies notice, closes sockets with 1001, and finishes requests in flight. */
  stop: () => Promise<void>;
}

const SHUTDOWN_TIMEOUT_MS = 10 * SECOND;

/** Parts start in the order of their list and stop in the reverse order. */
interface Part {
  start?: () => unknown;
  stop?: () => unknown;
}

export async function startApp(dependencies: AppDependencies): Promise<App> {
  const { config, database, otherDatabases = [], away = [], now, drainSeconds = 0, stalledAfter, peers } = dependencies;
  const { mailer, storage, models, pushGateways } = dependencies;
  let url = '';
  let consoleAddress = '';
  let chatAddresses: readonly string[] = [];
  const admitDatabase = async (number: number) => {
    await dependencies.admitDatabase?.(number);
    setReachable(number, true);
    await startPushes(number);
  };
  const probes = new DatabaseProbes([database, ...otherDatabases], dependencies.log, { away, admit: admitDatabase });
  const readings: Readings = {
    sockets: () => sockets.count(),
    streams: () => entrances.streams(),
    rooms: () => services.rooms.count,
    pool: poolState,
    database: () => probes.state(),
    pushes: () => pushGateways.traffic.load,
    lanes: laneLoads,
    backlog: () => readBacklog(probes.all, hub.positions, now()),
  };
  const metrics = new Metrics(readings, { peers });
  const { services, bus, jobRuns } = await createServices(dependencies, metrics, {
    main: () => url,
    console: () => consoleAddress,
  });
  services.requestLog.isKnownName = isKnownName;
  const { hub, presence, rooms, jobNotifier, requestFeed, rateLimits, sessionClock } = services;
  const health = new Health(() => probes.state());
  const { tokenHeaders } = config;
  const handlerSettings = { tokenHeaders, health, metrics, isMetricsOn: config.isMetricsOn, stalledAfter };
  const entrances = createEntrances(services, handlerSettings, config, dependencies.entrances);
  const { sockets } = entrances;
  const pushJobs = [database, ...otherDatabases].map((one, number) =>
    onShard(allShards()[number]!, () => new PushJobs(services, one)),
  );
  const startPushes = (number: number) => onShard(allShards()[number]!, () => pushJobs[number]!.start());
  const stopPushes = () => Promise.all(pushJobs.map((jobs) => jobs.stop()));

  const sweeps = new Sweeps(services, config);
  const startWork = async () => {
    for (const number of pushJobs.keys()) if (!away.includes(number)) await startPushes(number);
    try {
      const addresses = await entrances.open();
      url = addresses.main;
      consoleAddress = addresses.console ?? '';
      chatAddresses = addresses.chat;
    } catch (error) {
      await stopPushes();
      throw error;
    }
  };
  const finishWork = async () => {
    const closed = Promise.all([entrances.close(SHUTDOWN_TIMEOUT_MS), stopPushes()]);
    await sockets.stop(SHUTDOWN_TIMEOUT_MS);
    // After the sockets, because a client would not resume a subscription that was completed.
    hub.endSubscriptions();
    presence.endSubscriptions();
    jobNotifier.endSubscriptions();
    requestFeed.endSubscriptions();
    models.stop();
    await closed;
  };
  const startServing = () => {
    health.isServing = true;
  };
  const stopServing = async () => {
    health.isServing = false;
    entrances.closeConnections();
    if (drainSeconds > 0) await drain(sockets, drainSeconds * SECOND);
  };
  const parts: Part[] = [
    { start: () => probes.start(), stop: () => probes.stop() },
    { stop: () => entrances.stop() },
    { stop: () => storage.close() },
    { stop: () => mailer.close() },
    { stop: () => rateLimits?.stop() },
    { stop: () => sessionClock.flush() },
    { stop: () => bus.stop() },
    { start: () => hub.start(), stop: () => hub.stop() },
    { start: () => bus.start() },
    { start: () => presence.start(), stop: () => presence.stop() },
    { start: () => rooms.start(), stop: () => rooms.stop() },
    { stop: () => pushGateways.close() },
    new RequestStorage(services),
    { start: startWork, stop: finishWork },
    jobRuns,
    sweeps,
    { start: startServing, stop: stopServing },
  ];
  await start(parts);
  return { url, chatAddresses, services, stop: () => stop(parts) };
}

async function start(parts: Part[]): Promise<void> {
  for (const [index, part] of parts.entries()) {
    try {
      await part.start?.();
    } catch (error) {
      await stop(parts.slice(0, index));
      throw error;
    }
  }
}

async function stop(parts: Part[]): Promise<void> {
  for (const part of parts.toReversed()) await part.stop?.();
}

/** Leaves proxies half of the time, then closes sockets evenly, so that clients do not reconnect at the same time. */
async function drain(
  sockets: { closeWithin: (milliseconds: number) => Promise<unknown> },
  milliseconds: number,
): Promise<void> {
  await pause(milliseconds / 2);
  await sockets.closeWithin(milliseconds / 2);
}

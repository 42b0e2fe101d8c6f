import { setTimeout as pause } from 'node:timers/promises';
import type { Services } from '../context.ts';
import { poolState } from '../db/client.ts';
import { retries } from '../db/coalesce.ts';
import { longJobs, longSteps } from '../db/long-work.ts';
import { DatabaseProbe } from '../db/probe.ts';
import { lockWaits } from '../db/transact.ts';
import { readBacklog } from '../jobs/backlog.ts';
import { PushJobs } from '../jobs/pushes.ts';
import { Sweeps } from '../jobs/sweeps.ts';
import { SECOND } from '../lib/time.ts';
import { addressOf, close, listen } from './http/listening.ts';
import { Health } from './observability/health.ts';
import { Metrics } from './observability/metrics.ts';
import { createHttpServer } from './server.ts';
import { createServices, type ServiceDependencies } from './services.ts';

export interface AppDependencies extends ServiceDependencies {
  /** How long the app keeps serving after it reports that it is not ready; default: not at all. */
  drainSeconds?: number;
  /** Milliseconds after which a stalled client is cut off; default: two minutes. */
  stalledAfter?: number | undefined;
}

export interface App {
  /** Base URL of the server, with the port in use. */
  url: string;
  services: Services;
  /**
   * Reports that it is not ready, serves on for `drainSeconds` so that proxies notice, closing sockets with 1001, then
   * stops accepting and finishes requests in flight. Also ends the gateways it was given.
   */
  stop: () => Promise<void>;
}

/** How long requests in flight may take when the app stops. */
const SHUTDOWN_TIMEOUT_MS = 10 * SECOND;

/** One part of the app. Parts start in the order of their list and stop in the reverse order. */
interface Part {
  start?: () => unknown;
  stop?: () => unknown;
}

/** Creates and starts the service: GraphQL, WebSocket and REST on one server. */
export async function startApp(dependencies: AppDependencies): Promise<App> {
  const { config, database, now, drainSeconds = 0, stalledAfter } = dependencies;
  const { mailer, storage, models, pushGateways } = dependencies;
  let url = '';
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
  const { services, bus } = createServices(dependencies, metrics, () => url);
  const { hub, presence, rateLimits, sessionClock } = services;
  const health = new Health(() => probe.isThere());
  const { tokenHeaders } = config;
  const http = createHttpServer(services, { tokenHeaders, health, metrics, stalledAfter });
  const { server, sockets } = http;
  const pushJobs = new PushJobs(services, database);

  const sweeps = new Sweeps(services, config);
  const startWork = async () => {
    await pushJobs.start();
    try {
      await listen(server, config.port, config.host);
    } catch (error) {
      await pushJobs.stop();
      throw error;
    }
    url = addressOf(server, config.host);
  };
  /** Requests and pushes in flight end at the same time. */
  const finishWork = async () => {
    const closed = Promise.all([close(server, SHUTDOWN_TIMEOUT_MS), pushJobs.stop()]);
    await sockets.stop(SHUTDOWN_TIMEOUT_MS);
    // After the sockets: an operation that ends with its subscription is complete for a client, which would not resume.
    hub.endSubscriptions();
    presence.endSubscriptions();
    models.stop();
    await closed;
  };
  const startServing = () => {
    health.isServing = true;
  };
  const stopServing = async () => {
    health.isServing = false;
    http.closeConnections();
    if (drainSeconds > 0) await drain(sockets, drainSeconds * SECOND);
  };
  const parts: Part[] = [
    { stop: () => probe.stop() },
    { stop: () => storage.close() },
    { stop: () => mailer.close() },
    { stop: () => rateLimits?.stop() },
    { stop: () => sessionClock.flush() },
    { stop: () => bus.stop() },
    { start: () => hub.start(), stop: () => hub.stop() },
    { start: () => bus.start() },
    { start: () => presence.start(), stop: () => presence.stop() },
    { stop: () => pushGateways.close() },
    { start: startWork, stop: finishWork },
    sweeps,
    { start: startServing, stop: stopServing },
  ];
  await start(parts);
  return { url, services, stop: () => stop(parts) };
}

/** Starts all parts; if one fails, stops those that were started before it. */
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

/** Gives proxies half of the time to notice, then closes sockets evenly, so that clients do not reconnect all at once. */
async function drain(
  sockets: { closeWithin: (milliseconds: number) => Promise<unknown> },
  milliseconds: number,
): Promise<void> {
  await pause(milliseconds / 2);
  await sockets.closeWithin(milliseconds / 2);
}

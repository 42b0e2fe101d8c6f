import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { MINUTE, SECOND } from '../lib/time.ts';
import type { MetricsSnapshot } from '../platform/observability/metrics.ts';
import type { Connections } from './database-server.ts';
import type { ToPrimary, ToWorker } from './worker.ts';

const FIRST = 1;

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10 * SECOND;
const STABLE_MS = MINUTE;

/** Workers that do not respond within this time are missing from the metrics. */
const SNAPSHOT_TIMEOUT_MS = 2 * SECOND;

export interface Workers {
  /** Lets the workers use the database. @returns their description, once all are ready @throws a worker exits before */
  start: (database: Connections) => Promise<string[]>;
  stop: () => Promise<void>;
}

/** The workers load their modules until `start` is called. Those that exit are restarted, after pauses that double. */
export function forkWorkers(count: number, log: Logger): Workers {
  const supervisor = new Supervisor(log);
  const ready = Promise.all(Array.from({ length: count }, (_, index) => supervisor.keep(FIRST + index)));
  ready.catch(() => {}); // reported by `start`
  return {
    start: async (database) => {
      supervisor.start(database);
      return (await ready).flat();
    },
    stop: () => supervisor.stop(),
  };
}

class Supervisor {
  readonly #log: Logger;
  readonly #stopping = new AbortController();
  readonly #kept: Promise<void>[] = [];
  readonly #workers = new Map<Worker, number>();
  readonly #ready = new Set<Worker>();
  #requests = 0;
  #database: Connections | undefined;
  #hasStarted = false;
  #hasFailed = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  start(database: Connections): void {
    this.#database = database;
    for (const [worker, slot] of this.#workers) this.#startOne(worker, slot);
  }

  keep(slot: number): Promise<string[]> {
    const worker = this.#fork(slot);
    this.#kept.push(this.#restart(slot, worker));
    return new Promise((resolve, reject) => {
      worker.on('message', (message: ToPrimary) => message.kind === 'ready' && resolve(message.description));
      worker.once('exit', () => reject(new Error(`worker ${slot} did not start`)));
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const worker of this.#workers.keys()) worker.process.kill('SIGTERM');
    await Promise.all(this.#kept);
    if (this.#hasFailed) throw new Error('a worker did not stop gracefully');
  }

  async #restart(slot: number, first: Worker): Promise<void> {
    const { signal } = this.#stopping;
    let delay = FIRST_PAUSE_MS;
    for (let worker = first; ; worker = this.#fork(slot)) {
      const startedAt = performance.now();
      const [code, killedBy] = await once(worker, 'exit');
      if (signal.aborted) {
        this.#hasFailed ||= code !== 0;
        return;
      }
      const { pid } = worker.process;
      this.#log.error({ worker: slot, workerPid: pid, code, signal: killedBy }, 'a worker exited and is restarted');
      if (performance.now() - startedAt > STABLE_MS) delay = FIRST_PAUSE_MS;
      await pause(delay, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      delay = Math.min(delay * 2, LONGEST_PAUSE_MS);
    }
  }

  #fork(slot: number): Worker {
    cluster.setupPrimary({ args: [String(slot)] });
    const worker = cluster.fork();
    this.#workers.set(worker, slot);
    worker.on('message', (message: ToPrimary) => {
      if (message.kind === 'ready') {
        this.#ready.add(worker);
        this.#hasStarted ||= slot === FIRST;
        this.#log.info({ worker: slot, workerPid: worker.process.pid }, 'a worker is ready');
      }
      if (message.kind === 'loading') this.#startOne(worker, slot);
      if (message.kind === 'collect') void this.#collect(worker);
    });
    worker.once('exit', () => {
      this.#workers.delete(worker);
      this.#ready.delete(worker);
    });
    worker.on('error', () => {});
    return worker;
  }

  #startOne(worker: Worker, slot: number): void {
    const database = this.#database;
    if (database) send(worker, { kind: 'start', isFirst: slot === FIRST && !this.#hasStarted, database });
  }

  async #collect(asking: Worker): Promise<void> {
    const snapshots = await Promise.all([...this.#ready].map((worker) => this.#snapshotOf(worker)));
    send(asking, { kind: 'collected', snapshots: snapshots.filter((snapshot) => snapshot !== undefined) });
  }

  #snapshotOf(worker: Worker): Promise<MetricsSnapshot | undefined> {
    const request = ++this.#requests;
    return new Promise((resolve) => {
      const end = (metrics?: MetricsSnapshot) => {
        clearTimeout(timer);
        worker.off('message', onMessage);
        resolve(metrics);
      };
      const onMessage = (message: ToPrimary) => {
        if (message.kind === 'snapshot' && message.request === request) end(message.metrics);
      };
      const timer = setTimeout(end, SNAPSHOT_TIMEOUT_MS);
      worker.on('message', onMessage);
      send(worker, { kind: 'report', request });
    });
  }
}

function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, () => {});
}

import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { MINUTE, SECOND } from '../lib/time.ts';
import type { MetricsSnapshot } from './observability/metrics.ts';
import type { ToPrimary, ToWorker } from './worker.ts';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10 * SECOND;
const STABLE_MS = MINUTE;

/** Workers that do not respond within this time are missing from the metrics. */
const SNAPSHOT_TIMEOUT_MS = 2 * SECOND;

interface Addresses {
  url: string;
  consoleUrl: string;
}

export interface Workers {
  /** Lets the workers use the database. @returns the addresses, once all are ready @throws a worker exits before */
  start: () => Promise<Addresses>;
  stop: () => Promise<void>;
}

/** The workers load their modules until `start` is called. Those that exit are restarted, after pauses that double. */
export function forkWorkers(count: number, log: Logger): Workers {
  const supervisor = new Supervisor(log);
  const ready = Promise.all(Array.from({ length: count }, (_, index) => supervisor.keep(index + 1)));
  ready.catch(() => {}); // reported by `start`
  return {
    start: async () => {
      supervisor.start();
      const [first] = await ready;
      return first!;
    },
    stop: () => supervisor.stop(),
  };
}

class Supervisor {
  readonly #log: Logger;
  readonly #stopping = new AbortController();
  readonly #kept: Promise<void>[] = [];
  readonly #workers = new Set<Worker>();
  readonly #ready = new Set<Worker>();
  #requests = 0;
  #mayStart = false;
  #hasFailed = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  start(): void {
    this.#mayStart = true;
    for (const worker of this.#workers) send(worker, { kind: 'start' });
  }

  keep(slot: number): Promise<Addresses> {
    const worker = this.#fork(slot);
    this.#kept.push(this.#restart(slot, worker));
    return new Promise((resolve, reject) => {
      worker.on('message', (message: ToPrimary) => message.kind === 'ready' && resolve(message));
      worker.once('exit', () => reject(new Error(`worker ${slot} did not start`)));
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const worker of this.#workers) worker.process.kill('SIGTERM');
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
    this.#workers.add(worker);
    worker.on('message', (message: ToPrimary) => {
      if (message.kind === 'ready') {
        this.#ready.add(worker);
        this.#log.info({ worker: slot, workerPid: worker.process.pid }, 'a worker is ready');
      }
      if (message.kind === 'loading' && this.#mayStart) send(worker, { kind: 'start' });
      if (message.kind === 'collect') void this.#collect(worker);
    });
    worker.once('exit', () => {
      this.#workers.delete(worker);
      this.#ready.delete(worker);
    });
    worker.on('error', () => {});
    return worker;
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

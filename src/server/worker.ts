import cluster from 'node:cluster';
import type { MetricsSnapshot, Peers } from './observability/metrics.ts';

// Messages between a worker and the primary process (`WORKERS`, src/server/workers.ts).

export type ToPrimary =
  | { kind: 'loading' }
  | { kind: 'ready'; url: string; consoleUrl: string }
  | { kind: 'collect' }
  | { kind: 'snapshot'; request: number; metrics: MetricsSnapshot };

export type ToWorker =
  | { kind: 'start' }
  | { kind: 'report'; request: number }
  | { kind: 'collected'; snapshots: MetricsSnapshot[] };

export class WorkerProcess implements Peers {
  /** A restarted worker has the number of its predecessor. */
  readonly number: number;
  /** Resolves when the primary process has prepared the database. */
  readonly mayStart: Promise<void>;

  constructor(number: number) {
    this.number = number;
    this.mayStart = new Promise((resolve) => {
      process.on('message', ({ kind }: ToWorker) => kind === 'start' && resolve());
    });
    send({ kind: 'loading' }); // earlier messages were lost
  }

  reportReady(url: string, consoleUrl: string): void {
    send({ kind: 'ready', url, consoleUrl });
  }

  answer(report: () => Promise<MetricsSnapshot>): void {
    process.on('message', async (message: ToWorker) => {
      if (message.kind === 'report') send({ kind: 'snapshot', request: message.request, metrics: await report() });
    });
  }

  collect(): Promise<MetricsSnapshot[]> {
    return new Promise((resolve) => {
      const onMessage = (message: ToWorker) => {
        if (message.kind !== 'collected') return;
        process.off('message', onMessage);
        resolve(message.snapshots);
      };
      process.on('message', onMessage);
      send({ kind: 'collect' });
    });
  }
}

/** Undefined in the primary process. */
export function workerProcess(): WorkerProcess | undefined {
  return cluster.isWorker ? new WorkerProcess(Number(process.argv[2])) : undefined;
}

/** The channel is closed while the process ends. */
function send(message: ToPrimary): void {
  if (process.connected) process.send!(message, undefined, undefined, () => {});
}

import cluster from 'node:cluster';
import type { MetricsSnapshot, Peers } from '../platform/observability/metrics.ts';
import type { Connections } from './database-server.ts';

// Messages between a worker and the primary process (`WORKERS`, src/server/workers.ts).

export interface Assignment {
  /** Whether this worker prepares the database and describes the running service for the terminal. */
  isFirst: boolean;
  database: Connections;
}

export type ToPrimary =
  | { kind: 'loading' }
  | { kind: 'ready'; description: string[] }
  | { kind: 'collect' }
  | { kind: 'snapshot'; request: number; metrics: MetricsSnapshot };

export type ToWorker =
  | ({ kind: 'start' } & Assignment)
  | { kind: 'report'; request: number }
  | { kind: 'collected'; snapshots: MetricsSnapshot[] };

export class WorkerProcess implements Peers {
  /** A restarted worker has the number of its predecessor. */
  readonly number: number;
  /** Resolves when the primary process has opened the database. */
  readonly assignment: Promise<Assignment>;

  constructor(number: number) {
    this.number = number;
    this.assignment = new Promise((resolve) => {
      process.on('message', (message: ToWorker) => message.kind === 'start' && resolve(message));
    });
    send({ kind: 'loading' }); // earlier messages were lost
  }

  reportReady(description: string[]): void {
    send({ kind: 'ready', description });
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

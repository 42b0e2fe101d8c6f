import type { Services } from '../../context.ts';
import type { WorkQueue } from '../../db/work-queue.ts';

/** What whoever sends pushes works with. */
export interface PushContext
  extends Pick<Services, 'now' | 'log' | 'observer' | 'encrypter' | 'pushGateways' | 'presence' | 'pushNotifier'> {
  queue: WorkQueue;
}

/** The queue of sends whose devices are to be found. */
export const SPREAD = 'push-spread';

/** The queue of devices that are to be served, some of one send at a time. */
export const DELIVER = 'push-deliver';

/** Jobs of one owner have turns with those of others. */
export interface SpreadJob {
  applicationId: number;
  /** The user who created the event; 0 or none for an API key, and for messages. */
  userId?: number;
  sendId: string;
}

export interface DeliverJob extends SpreadJob {
  /** Subscriptions. */
  ids: number[];
}

/** Devices of one job: few enough to be served long before it is given to another process. */
const JOB_DEVICES = 250;

/** The jobs that serve those devices. */
export function deliverJobs({ applicationId, userId, sendId }: SpreadJob, ids: number[]): DeliverJob[] {
  const jobs: DeliverJob[] = [];
  for (let start = 0; start < ids.length; start += JOB_DEVICES) {
    jobs.push({ applicationId, userId, sendId, ids: ids.slice(start, start + JOB_DEVICES) });
  }
  return jobs;
}

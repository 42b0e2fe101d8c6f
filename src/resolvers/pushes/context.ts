import type { Services } from '../../context.ts';
import type { WorkQueue } from '../../db/work-queue.ts';

export interface PushContext
  extends Pick<Services, 'now' | 'log' | 'observer' | 'encrypter' | 'pushGateways' | 'presence' | 'pushNotifier'> {
  queue: WorkQueue;
}

export const SPREAD = 'push-spread';

export const DELIVER = 'push-deliver';

export interface SpreadJob {
  applicationId: number;
  userId?: number;
  sendId: string;
}

export interface DeliverJob extends SpreadJob {
  ids: number[];
}

/** Devices per job: few enough to finish long before its lease expires. */
const JOB_DEVICES = 250;

export function deliverJobs({ applicationId, userId, sendId }: SpreadJob, ids: number[]): DeliverJob[] {
  const jobs: DeliverJob[] = [];
  for (let start = 0; start < ids.length; start += JOB_DEVICES) {
    jobs.push({ applicationId, userId, sendId, ids: ids.slice(start, start + JOB_DEVICES) });
  }
  return jobs;
}

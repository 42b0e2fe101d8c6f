import { setTimeout as pause } from 'node:timers/promises';
import { db } from '../../db/client.ts';
import { groupBy } from '../../lib/collections.ts';
import { SECOND } from '../../lib/time.ts';
import { DeliveryBatch } from './batch.ts';
import { contentsOf } from './contents.ts';
import type { DeliverJob, PushContext } from './context.ts';
import { readDevices } from './devices.ts';
import { finishSend } from './finish.ts';
import { gatewayKeyOf, gatewayOf } from './gateways.ts';

/** A job keeps its slot so long; answers that are due then are waited for without one. */
const SLOT_MS = SECOND;

export interface DeliveredJob {
  /** `more`: devices are left to begin with. `stuck`: and none was served. */
  state: 'done' | 'more' | 'stuck';
  /** Ends with the last answer that is still due. */
  open: Promise<void>;
}

/**
 * Serves the devices of a job that have not been served yet, and logs what became of each. Whoever does a job again
 * after a crash sends once more what had not been logged, under the same ids: at least once, seldom twice.
 * @param signal when the process is about to stop
 */
export async function deliverPushes(job: DeliverJob, context: PushContext, signal: AbortSignal): Promise<DeliveredJob> {
  const { applicationId, sendId } = job;
  const send = await db.pushSend.findUnique({ where: { applicationId_id: { applicationId, id: sendId } } });
  if (!send) return { state: 'done', open: Promise.resolve() };
  const devices = await readDevices(job, send);
  const contents = await contentsOf(send, [...new Set(devices.map(({ userId }) => userId))]);
  const batch = new DeliveryBatch({ send, contents, creatorId: job.userId ?? 0 }, context);

  const served = Promise.all(
    [...groupBy(devices, gatewayKeyOf).values()].map(async (group) =>
      batch.serve(group, await gatewayOf(applicationId, group[0]!, context)),
    ),
  );
  const open = served.then(
    () => {},
    (error) => context.log.warn({ err: error }, 'results of pushes were not stored; they are sent again'),
  );
  try {
    await withinSlot(served, signal);
  } catch (error) {
    await batch.close().catch(() => {});
    throw error;
  }
  const left = await batch.close();
  await finishSend(job, context);
  const state = left === 0 ? 'done' : batch.hasServed ? 'more' : 'stuck';
  return { state, open };
}

async function withinSlot(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const timer = new AbortController();
  const end = AbortSignal.any([signal, timer.signal]);
  await Promise.race([work, pause(SLOT_MS, undefined, { signal: end }).catch(() => {})]);
  timer.abort();
}

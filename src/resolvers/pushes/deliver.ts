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

/** Outstanding answers are awaited without a slot. */
const SLOT_MS = SECOND;

export interface DeliveredJob {
  /** `more`: devices are left to start. `stuck`: same, but none was served. */
  state: 'done' | 'more' | 'stuck';
  open: Promise<void>;
}

/** A retry after a crash repeats only unlogged pushes, with the same ids (at-least-once). @param signal on shutdown */
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
    (error) => context.log.warn({ err: error }, 'could not store the results of pushes; they will be sent again'),
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

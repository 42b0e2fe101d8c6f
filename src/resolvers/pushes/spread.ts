import type { Transaction } from '../../db/client.ts';
import { transact } from '../../db/transact.ts';
import type { PushSend } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { DELIVER, deliverJobs, type PushContext, SPREAD, type SpreadJob } from './context.ts';
import { finishSend } from './finish.ts';
import { type Candidate, eventCandidates, messageCandidates, PAGE_USERS } from './recipients.ts';

/** Pages per job; the rest becomes another job, so that other owners get their turn. */
const PAGES = 4;

/** Stores the position with the devices, so that a retry after a crash finds no device twice. */
export async function spreadSend(job: SpreadJob, context: PushContext): Promise<void> {
  for (let page = 1; ; page++) {
    const state = await transact(jobOwnerOf(job), (transaction) =>
      spreadPage(transaction, job, page === PAGES, context),
    );
    context.pushNotifier.wake();
    if (state === 'done') await finishSend(job, context);
    if (state !== 'more' || page === PAGES) return;
  }
}

async function spreadPage(
  transaction: Transaction,
  job: SpreadJob,
  isLastPage: boolean,
  context: PushContext,
): Promise<'more' | 'done' | 'over'> {
  const send = await lockSend(transaction, job);
  if (!send || send.finishedAt) return 'over';
  if (send.isSpread) return 'done';
  const candidates = await candidatesOf(transaction, send);
  const users = new Set(candidates.map(({ userId }) => userId));
  const devices = candidates.filter(
    (one): one is Device => one.subscriptionId !== null && isWanted(one, send, context),
  );
  if (devices.length > 0) {
    await transaction.$executeRaw`
      INSERT INTO push_deliveries (application_id, send_id, subscription_id, user_id, channel)
      SELECT ${job.applicationId}, ${job.sendId}, d.*
      FROM unnest(${devices.map((one) => one.subscriptionId)}::int[], ${devices.map((one) => one.userId)}::int[],
        ${devices.map((one) => one.channel)}::push_channel[]) AS d`;
    const ids = devices.map(({ subscriptionId }) => subscriptionId);
    await context.queue.add(transaction, DELIVER, deliverJobs(job, ids));
  }
  const isSpread = users.size < PAGE_USERS;
  await transaction.pushSend.update({
    where: { applicationId_id: { applicationId: send.applicationId, id: send.id } },
    data: {
      isSpread,
      lastUserId: Math.max(send.lastUserId, ...users),
      recipients: { increment: devices.length },
    },
  });
  if (!isSpread && isLastPage) await context.queue.add(transaction, SPREAD, [job]);
  return isSpread ? 'done' : 'more';
}

interface Device extends Candidate {
  subscriptionId: number;
  channel: string;
}

async function lockSend(transaction: Transaction, { applicationId, sendId }: SpreadJob): Promise<PushSend | null> {
  await transaction.$queryRaw`
    SELECT id FROM push_sends WHERE application_id = ${applicationId} AND id = ${sendId} FOR NO KEY UPDATE`;
  return transaction.pushSend.findUnique({ where: { applicationId_id: { applicationId, id: sendId } } });
}

async function candidatesOf(transaction: Transaction, send: PushSend): Promise<Candidate[]> {
  const { applicationId, eventId, dialogId, firstSeq, lastSeq, lastUserId } = send;
  if (eventId === null) {
    const range = { applicationId, dialogId: dialogId!, firstSeq: firstSeq!, lastSeq: lastSeq! };
    return messageCandidates(transaction, range, lastUserId);
  }
  const event = await transaction.event.findUnique({ where: { applicationId_id: { applicationId, id: eventId } } });
  return event ? eventCandidates(transaction, event, lastUserId) : [];
}

/** Users with an open socket receive messages there, so they need no push. */
function isWanted({ userId }: Candidate, { applicationId, eventId }: PushSend, { presence }: PushContext): boolean {
  return eventId !== null || !presence.isOnline({ applicationId, userId });
}

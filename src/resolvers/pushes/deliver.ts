import { createHash } from 'node:crypto';
import { db } from '../../db/client.ts';
import { query } from '../../db/query.ts';
import type { Push, PushGateway, PushOutcome } from '../../gateways/push/gateway.ts';
import type { PushProvider } from '../../gateways/push/index.ts';
import type { PushSend } from '../../generated/prisma/client.ts';
import { groupBy } from '../../lib/collections.ts';
import type { PushChannel, PushEnvironment } from '../../lib/push-names.ts';
import { PUSH_LIFETIME } from '../../lib/retries.ts';
import { SECOND } from '../../lib/time.ts';
import { traced } from '../../observe/tracing.ts';
import { SealBrokenError } from '../../secrets/sealer.ts';
import { openSettings } from '../push-settings.ts';
import { type Contents, contentsOf } from './contents.ts';
import type { DeliverJob, PushContext } from './context.ts';
import { finishSend } from './finish.ts';
import { DeliveryLog } from './log.ts';

/** A device that is still to be served, as it is now. */
interface Device {
  subscriptionId: number;
  userId: number;
  channel: PushChannel;
  attempts: number;
  /** Nulls: the subscription is gone. */
  environment: PushEnvironment | null;
  sequence: string | null;
  keys: Push['keys'];
  bundleIdentifier: string | null;
  isSubscribed: boolean;
  email: string | null;
  /** A later push of the same dialog is on its way to the device. */
  isOutdated: boolean;
}

const PROVIDERS: Record<Exclude<PushChannel, 'email'>, PushProvider> = {
  apns: 'apns',
  apns_voip: 'apns',
  gcm: 'fcm',
  web: 'web',
};

/** After this no more devices are begun with: the job comes back before it would be given to somebody else. */
const WORKING_TIME = 10 * SECOND;

/**
 * Serves the devices of a job that have not been served yet, and logs what became of each. Whoever does a job again
 * after a crash sends once more what had not been logged, under the same ids: at least once, seldom twice.
 * @param signal when the process is about to stop
 * @returns false when something is left to do
 */
export async function deliverPushes(job: DeliverJob, context: PushContext, signal: AbortSignal): Promise<boolean> {
  const { applicationId, sendId } = job;
  const send = await db.pushSend.findUnique({ where: { applicationId_id: { applicationId, id: sendId } } });
  if (!send) return true;
  const devices = await readDevices(job, send);
  const log = new DeliveryLog(send, context);
  const contents = await contentsOf(send, [...new Set(devices.map(({ userId }) => userId))]);
  const deadline = performance.now() + WORKING_TIME;
  const isOver = () => signal.aborted || performance.now() > deadline;

  const ways = groupBy(devices, ({ channel, environment }) => `${environment}/${PROVIDERS[channel as 'apns'] ?? ''}`);
  const served = await Promise.all(
    [...ways.values()].map(async (group) => {
      const gateway = await gatewayOf(applicationId, group[0]!, context);
      return serve(group, isOver, gateway.concurrency, async (device) => {
        const work = () => outcomeOf(device, { send, contents, gateway, now: context.now() });
        const outcome = await traced(`push ${device.channel}`, { kind: 'client' }, work);
        context.observer.pushAnswered(device.channel, outcome.kind);
        await log.tell(device, outcome);
      });
    }),
  );
  await log.flush();
  await finishSend(job, context);
  return served.every((isServed) => isServed);
}

/** @returns whether all of them were begun with */
async function serve(
  devices: Device[],
  isOver: () => boolean,
  concurrency: number,
  one: (device: Device) => Promise<void>,
): Promise<boolean> {
  let next = 0;
  const worker = async () => {
    while (next < devices.length && !isOver()) await one(devices[next++]!);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, devices.length) }, worker));
  return next >= devices.length;
}

async function outcomeOf(
  device: Device,
  { send, contents, gateway, now }: { send: PushSend; contents: Contents; gateway: PushGateway; now: Date },
): Promise<PushOutcome> {
  const { channel, userId } = device;
  const expiresAt = new Date(send.createdAt.getTime() + PUSH_LIFETIME);
  const content = contents(userId);
  const address = channel === 'email' ? device.email : device.sequence;
  if (send.finishedAt) return { kind: 'refused', answer: 'cancelled' };
  if (!device.isSubscribed) return { kind: 'refused', answer: 'the subscription is gone' };
  if (!content) return { kind: 'refused', answer: 'there is nothing to tell any more' };
  if (device.isOutdated) return { kind: 'refused', answer: 'a later message has taken its place' };
  if (!address) return { kind: 'refused', answer: 'the user has no address' };
  if (expiresAt <= now) return { kind: 'refused', answer: 'expired' };
  return gateway.send({
    id: idOf(send, device),
    channel,
    address,
    keys: device.keys,
    bundleIdentifier: device.bundleIdentifier,
    content,
    collapseKey: send.dialogId ?? send.id,
    isReplaced: send.dialogId !== null,
    expiresAt,
  });
}

async function gatewayOf(
  applicationId: number,
  { channel, environment }: Device,
  { pushGateways, sealer, log }: PushContext,
): Promise<PushGateway> {
  if (channel === 'email') return pushGateways.mail;
  if (environment === null) return refusing({ kind: 'refused', answer: 'the subscription is gone' });
  const provider = PROVIDERS[channel];
  const account = { applicationId, environment, provider };
  const row = await db.pushSettings.findUnique({ where: { applicationId_environment_provider: account } });
  if (!row) return refusing({ kind: 'refused', answer: `${provider} is not set up for ${environment}` });
  try {
    return pushGateways.of({ ...account, updatedAt: row.updatedAt }, () => openSettings(row, sealer));
  } catch (error) {
    if (!(error instanceof SealBrokenError)) throw error;
    log.error({ err: error }, 'the settings of a provider of pushes can not be read');
    return refusing({ kind: 'later', answer: 'its settings can not be read' });
  }
}

function refusing(outcome: PushOutcome): PushGateway {
  return { concurrency: 1_000, send: () => Promise.resolve(outcome), close: () => {} };
}

/** A UUID that is the same whenever the push is sent to the device. */
function idOf({ applicationId, id }: PushSend, { subscriptionId }: Device): string {
  const hash = createHash('sha256').update(`${applicationId}/${id}/${subscriptionId}`).digest('hex');
  const variant = ((Number.parseInt(hash[16]!, 16) & 3) | 8).toString(16);
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-${variant}${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}

function readDevices({ applicationId, sendId, ids }: DeliverJob, { dialogId }: PushSend): Promise<Device[]> {
  return query<Device>`
    SELECT d.subscription_id AS "subscriptionId", d.user_id AS "userId", d.channel::text AS channel, d.attempts,
      s.environment::text AS environment, s.sequence, s.keys, s.bundle_identifier AS "bundleIdentifier",
      s.id IS NOT NULL AS "isSubscribed", u.email,
      ${dialogId}::text IS NOT NULL AND EXISTS (
        SELECT FROM push_sends n JOIN push_deliveries l ON l.application_id = n.application_id AND l.send_id = n.id
        WHERE n.application_id = d.application_id AND n.dialog_id = ${dialogId}::text AND n.id > d.send_id
          AND l.subscription_id = d.subscription_id) AS "isOutdated"
    FROM push_deliveries d
    LEFT JOIN push_subscriptions s ON s.application_id = d.application_id AND s.id = d.subscription_id
      AND s.user_id = d.user_id
    LEFT JOIN users u ON u.application_id = d.application_id AND u.id = d.user_id
    WHERE d.application_id = ${applicationId} AND d.send_id = ${sendId} AND d.subscription_id = ANY(${ids}::int[])
      AND d.status = 'pending' AND d.retry_at IS NULL
    ORDER BY d.subscription_id`;
}

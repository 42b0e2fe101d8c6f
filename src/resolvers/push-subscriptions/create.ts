import type { UserContext } from '../../context.ts';
import type { Prisma, Transaction } from '../../db/client.ts';
import { transact } from '../../db/transact.ts';
import type { BrowserKeys } from '../../gateways/push/gateway.ts';
import type { PushSubscription, PushToken } from '../../generated/prisma/client.ts';
import type { PushChannel } from '../../generated/prisma/enums.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { UnprocessableError } from '../../lib/errors.ts';
import type { Problem } from '../../lib/problems.ts';
import { hashSecret } from '../../lib/tokens.ts';
import { isPushChannel, providerOfChannel } from '../pushes/channels.ts';
import { listSubscriptions } from './list.ts';
import { lockOwner } from './lock.ts';
import { dropOldest, jsonOf } from './rows.ts';
import {
  type CheckedDevice,
  type CheckedToken,
  checkedDevice,
  checkedToken,
  type DeviceInput,
  deviceProblems,
  isTokenOf,
  type PushTokenInput,
  tokenProblems,
} from './rules.ts';
import { latestToken } from './tokens.ts';

export interface NewSubscription {
  channels: string[];
  token?: PushTokenInput | null;
  device?: DeviceInput | null;
}

interface Source {
  token: CheckedToken | null;
  device: CheckedDevice;
  pushTokenId: number | null;
}

/** Repeating it updates the subscription. Takes the device over from other users, and drops the oldest beyond ten. */
export async function createSubscription(
  input: NewSubscription,
  context: UserContext,
  selection: Prisma.PushSubscriptionDefaultArgs = {},
): Promise<PushSubscription[]> {
  const { channels, problems } = checkedChannels(input);
  await transact(jobOwnerOf(context.viewer), async (transaction) => {
    await lockOwner(transaction, context);
    const latest = input.token && input.device ? null : await latestToken(transaction, context);
    const all = [...problems, ...givenTokenProblems(input.token, channels, latest, context)];
    const source = sourceOf(input, channels, latest, all);
    for (const channel of channels) await subscribe(transaction, channel, source, context);
    await dropOldest(transaction.pushSubscription, context);
  });
  return listSubscriptions(context, selection);
}

function checkedChannels({ channels }: NewSubscription): { channels: PushChannel[]; problems: Problem[] } {
  const known = [...new Set(channels)].filter(isPushChannel);
  const isFine = known.length > 0 && channels.every((channel) => isPushChannel(channel));
  return { channels: known, problems: isFine ? [] : ['CHANNEL_UNKNOWN'] };
}

function sourceOf(
  { token, device }: NewSubscription,
  channels: PushChannel[],
  latest: PushToken | null,
  problems: Problem[],
): Source {
  const all = [...problems];
  // A given token does not identify its device; nor does e-mail without a token.
  const needsDevice = token || (!latest && channels.every(needsNoToken) && channels.length > 0);
  if (device || needsDevice) all.push(...deviceProblems(device ?? {}));
  if (all.length > 0) throw new UnprocessableError(...all);
  return {
    token: token ? checkedToken(token) : latest && { ...latest, keys: latest.keys as BrowserKeys | null },
    device: device ? checkedDevice(device) : { platform: latest!.platform, udid: latest!.udid },
    pushTokenId: token ? null : (latest?.id ?? null),
  };
}

function givenTokenProblems(
  token: PushTokenInput | null | undefined,
  channels: PushChannel[],
  latest: PushToken | null,
  { pushGateways }: UserContext,
): Problem[] {
  if (token) return tokenProblems(token, isTokenOf(channels, pushGateways));
  const isEnough = latest ? latest.keys || !channels.some(needsEndpoint) : channels.every(needsNoToken);
  return isEnough ? [] : ['PUSH_TOKEN_REQUIRED'];
}

const needsNoToken = (channel: PushChannel) => providerOfChannel(channel).address === 'email';
const needsEndpoint = (channel: PushChannel) => providerOfChannel(channel).address === 'endpoint';

async function subscribe(
  transaction: Transaction,
  channel: PushChannel,
  { token, device, pushTokenId }: Source,
  { viewer, now }: UserContext,
): Promise<void> {
  const { applicationId, userId } = viewer;
  const sequence = needsNoToken(channel) ? null : token!.sequence;
  const sequenceHash = sequence === null ? null : hashSecret(sequence);
  const of = {
    channel,
    environment: token?.environment ?? null,
    udid: device.udid,
    bundleIdentifier: token?.bundleIdentifier ?? null,
  };
  const values = {
    ...of,
    platform: device.platform,
    sequence,
    sequenceHash,
    keys: jsonOf(needsEndpoint(channel) ? token!.keys : null),
    pushTokenId,
    sessionId: viewer.session?.id ?? null,
    updatedAt: now(),
  };
  if (sequenceHash) await takeOver(transaction, { applicationId, userId, channel, sequenceHash });
  const known = await transaction.pushSubscription.findFirst({
    where: { applicationId, userId, ...of },
    select: { id: true },
  });
  if (known) {
    await transaction.pushSubscription.update({
      where: { applicationId_id: { applicationId, id: known.id } },
      data: values,
    });
  } else {
    await transaction.pushSubscription.create({ data: { applicationId, userId, ...values, createdAt: now() } });
  }
}

/** The advisory lock makes concurrent claims serial: the last user gets the device. */
async function takeOver(
  transaction: Transaction,
  {
    applicationId,
    userId,
    channel,
    sequenceHash,
  }: Record<'applicationId' | 'userId', number> & {
    channel: PushChannel;
    sequenceHash: string;
  },
): Promise<void> {
  await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`${applicationId}:${sequenceHash}`}, 0))`;
  await transaction.pushSubscription.deleteMany({
    where: { applicationId, sequenceHash, channel, userId: { not: userId } },
  });
}

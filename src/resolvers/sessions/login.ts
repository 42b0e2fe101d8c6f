import type { TokenContext } from '../../context.ts';
import type { Transaction } from '../../db/client.ts';
import { transact } from '../../db/transact.ts';
import type { User } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { deviceName } from '../../lib/device-name.ts';
import { SessionMissingError } from '../../lib/errors.ts';
import { appendNotices } from '../../realtime/outbox.ts';
import type { ChallengeAnswer } from '../second-factors/challenges.ts';
import { removeDevicesOf } from '../users/revoke.ts';
import { noticeDevice } from './device-notices.ts';
import type { EmailCode } from './mailed-codes.ts';
import type { ProviderCode } from './provider-sign-in.ts';
import { type SignIn, signIn } from './sign-in.ts';
import { lockSignedIn } from './signed-in.ts';
import type { IdToken } from './token-sign-in.ts';

export interface LoginInput {
  userId?: number | null;
  login?: string | null;
  email?: string | null;
  password?: string | null;
  provider?: string | null;
  keys?: { token?: string | null; secret?: string | null } | null;
  firebasePhone?: { accessToken?: string | null; projectId?: string | null } | null;
  emailCode?: EmailCode | null;
  idToken?: IdToken | null;
  providerCode?: ProviderCode | null;
  answer?: ChallengeAnswer | null;
}

interface Devices {
  /** Whether the devices of the previous user remain. */
  keepDevices?: boolean | null | undefined;
}

/** Ends everything opened with the token before, because its rights differed. Attaches an unproven provider account. */
export async function loginUser(
  { input, keepDevices }: { input: LoginInput } & Devices,
  context: TokenContext,
): Promise<User> {
  const { viewer, now, sessionClock } = context;
  const { applicationId } = viewer;
  const signInInput = signInOf(input);
  const attachTo = viewer.kind === 'user' ? viewer : undefined;
  const signedIn = await signIn(signInInput, applicationId, context, attachTo);
  const { user } = signedIn;
  const { isMultiFactor = false } = signedIn;
  await switchUser({ userId: user.id, isMultiFactor, keepDevices }, context, (transaction) =>
    lockSignedIn(transaction, signedIn),
  );
  const device = await deviceName(context.userAgent);
  noticeDevice(user, { id: viewer.session.id, device, network: context.network }, context);
  sessionClock.touchUser({ applicationId, userId: user.id }, now());
  return user;
}

export async function logoutUser({ keepDevices }: Devices, context: TokenContext): Promise<true> {
  if (context.viewer.kind === 'user') await switchUser({ userId: null, isMultiFactor: false, keepDevices }, context);
  return true;
}

/** @param lock keeps the new user unchanged until the commit */
async function switchUser(
  { userId, isMultiFactor, keepDevices }: { userId: number | null; isMultiFactor: boolean } & Devices,
  { viewer, now, outbox, network, userAgent }: TokenContext,
  lock?: (transaction: Transaction) => Promise<void>,
): Promise<void> {
  const { applicationId, session } = viewer;
  const at = now();
  const device = await deviceName(userAgent);
  await transact(jobOwnerOf(viewer), async (transaction) => {
    await lock?.(transaction);
    const { count } = await transaction.session.updateMany({
      where: { applicationId, id: session.id },
      data: {
        ...{ userId, isMultiFactor, device, network, signedInAt: at, confirmedAt: null },
        generation: { increment: 1 },
      },
    });
    if (count === 0) throw new SessionMissingError();
    if (viewer.kind === 'user' && viewer.userId !== userId && !keepDevices) await removeDevicesOf(transaction, viewer);
    await appendNotices(transaction, 'sessionEnded', { applicationId, ids: [session.id] }, at);
  });
  outbox.wake();
}

function signInOf({
  provider,
  keys,
  firebasePhone,
  emailCode,
  idToken,
  providerCode,
  answer,
  ...user
}: LoginInput): SignIn {
  if (answer) return { answer };
  if (idToken) return { proof: idToken };
  if (providerCode) return { proof: { providerCode } };
  if (emailCode) return { emailCode };
  if (provider == null) return user;
  return {
    social: {
      provider,
      keys: {
        token: keys?.token ?? undefined,
        secret: keys?.secret ?? undefined,
        accessToken: firebasePhone?.accessToken ?? undefined,
        projectId: firebasePhone?.projectId ?? undefined,
      },
    },
  };
}

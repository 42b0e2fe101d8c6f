import type { TokenContext } from '../../context.ts';
import type { Transaction } from '../../db/client.ts';
import { transact } from '../../db/transact.ts';
import type { User } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { SessionMissingError } from '../../lib/errors.ts';
import { appendEndedSessions } from '../../realtime/outbox.ts';
import { type SignIn, signIn } from './sign-in.ts';
import { lockSignedIn } from './signed-in.ts';

/** What a user shows to log in: login or e-mail with password, or what a provider vouches for. */
export interface LoginInput {
  login?: string | null;
  email?: string | null;
  password?: string | null;
  provider?: string | null;
  keys?: { token?: string | null; secret?: string | null } | null;
  firebasePhone?: { accessToken?: string | null; projectId?: string | null } | null;
}

/**
 * Makes the caller's token that user's session, also from another user's. What was opened with the
 * token before ends, as its rights were other ones. A provider account that nobody has proven becomes the caller's.
 * @throws {SignInRefusedError} @throws {SignInTooOldError} a social or phone sign-in
 * @throws {WrongPasswordError} no such user, or another password
 * @throws {SessionMissingError} the session has ended meanwhile
 */
export async function loginUser(input: LoginInput, context: TokenContext): Promise<User> {
  const { viewer, now, sessionClock } = context;
  const { applicationId } = viewer;
  const signInInput = signInOf(input);
  const attachTo = viewer.kind === 'user' ? viewer : undefined;
  const signedIn = await signIn(signInInput, applicationId, context, attachTo);
  const { user } = signedIn;
  await handOver(user.id, context, (transaction) => lockSignedIn(transaction, signedIn));
  sessionClock.touchUser({ applicationId, userId: user.id }, now());
  return user;
}

/** Makes the caller's token an application session again; nothing happens to one that is. */
export async function logoutUser(context: TokenContext): Promise<true> {
  if (context.viewer.kind === 'user') await handOver(null, context);
  return true;
}

/** @param hold what has to stay true of the new user until the session is theirs */
async function handOver(
  userId: number | null,
  { viewer, now, outbox }: TokenContext,
  lock?: (transaction: Transaction) => Promise<void>,
): Promise<void> {
  const { applicationId, session } = viewer;
  const at = now();
  await transact(jobOwnerOf(viewer), async (transaction) => {
    await lock?.(transaction);
    const { count } = await transaction.session.updateMany({
      where: { applicationId, id: session.id },
      data: { userId, signedInAt: at, generation: { increment: 1 } },
    });
    if (count === 0) throw new SessionMissingError();
    await appendEndedSessions(transaction, [{ applicationId, id: session.id }], at);
  });
  outbox.wake();
}

function signInOf({ provider, keys, firebasePhone, ...user }: LoginInput): SignIn {
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

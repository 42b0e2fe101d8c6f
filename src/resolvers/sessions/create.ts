import { randomBytes, randomInt } from 'node:crypto';
import type { Context } from '../../context.ts';
import { db, type Prisma } from '../../db/client.ts';
import { transact } from '../../db/transact.ts';
import type { Application } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { deviceName } from '../../lib/device-name.ts';
import { DisabledError, UnprocessableError } from '../../lib/errors.ts';
import { isSameSecret, isSignedBy, type ParameterPair } from '../../lib/signature.ts';
import { HOUR, unixSeconds } from '../../lib/time.ts';
import { hashSecret, isDatabaseId, SESSION_TOKEN_BYTES, sessionToken } from '../../lib/tokens.ts';
import { noticeDevice } from './device-notices.ts';
import type { OpenSession } from './rows.ts';
import { signedSignIn, signIn } from './sign-in.ts';
import { lockSignedIn, type SignedIn } from './signed-in.ts';

/** Between a signed timestamp and the server's clock. */
const TIMESTAMP_TOLERANCE_SECONDS = 3600;

/** Longer than a timestamp is valid, so that a pair of nonce and timestamp cannot be replayed. */
export const NONCE_LIFETIME_MS = 2 * HOUR;

/** Exclusive; nonces of unsigned requests are only displayed. */
export const MAX_NONCE = 2 ** 47;

/** A request with any of these is signed, so that legacy clients always receive the documented errors. */
const SIGNED_NAMES = ['auth_key', 'nonce', 'timestamp', 'signature'];

/**
 * Reads only the signed pairs, or any if the application permits unsigned requests.
 * @param asGuest signs in a new user without credentials @throws {DisabledError}
 * @throws {UnprocessableError} application, signature, timestamp, nonce, in this order
 */
export async function createSession(
  pairs: ParameterPair[],
  context: Context,
  { asGuest = false }: { asGuest?: boolean } = {},
): Promise<OpenSession> {
  const { now, sessionClock } = context;
  const parameters = new Map(pairs);
  const application = await requireApplication(parameters);
  if (context.facts) context.facts.applicationId = application.id;
  const { nonce, timestamp } = isUnsigned(parameters)
    ? { nonce: randomInt(MAX_NONCE), timestamp: unixSeconds(now()) }
    : await requireSigned(parameters, pairs, application, now());
  if (asGuest && application.guestDays === null) throw new DisabledError('GUESTS_OFF');
  const signInInput = asGuest ? undefined : signedSignIn(parameters);
  const signedIn = signInInput && (await signIn(signInInput, application.id, context));

  const token = sessionToken(application.id, randomBytes(SESSION_TOKEN_BYTES));
  const at = now();
  const data = {
    applicationId: application.id,
    tokenHash: hashSecret(token),
    nonce,
    timestamp,
    device: await deviceName(context.userAgent),
    network: context.network,
    createdAt: at,
    updatedAt: at,
  };
  const session = signedIn
    ? await storeFor(signedIn, data)
    : asGuest
      ? await storeForGuest(data)
      : await db.session.create({ data });
  if (signedIn) noticeDevice(signedIn.user, session, context);
  if (signedIn) sessionClock.touchUser({ applicationId: application.id, userId: signedIn.user.id }, at);
  return { ...session, token, expiresAt: sessionClock.expiry(at, { ...application, signedInAt: at }) };
}

async function requireApplication(parameters: Map<string, string>): Promise<Application> {
  const id = integer(parameters.get('application_id'));
  const application = id !== undefined && isDatabaseId(id) ? await db.application.findUnique({ where: { id } }) : null;
  const isKnown =
    application?.importId === null &&
    (isUnsigned(parameters)
      ? application.publicSignIn
      : isSameSecret(parameters.get('auth_key') ?? '', application.authKey));
  if (!isKnown) throw new UnprocessableError('NO_APPLICATION');
  return application;
}

function isUnsigned(parameters: Map<string, string>): boolean {
  return !SIGNED_NAMES.some((name) => parameters.has(name));
}

async function requireSigned(
  parameters: Map<string, string>,
  pairs: ParameterPair[],
  application: Application,
  now: Date,
): Promise<{ nonce: number; timestamp: number }> {
  requireSignature(parameters, pairs, application);
  const timestamp = requireTimestamp(parameters.get('timestamp'), now);
  return { timestamp, nonce: await useNonce(parameters.get('nonce'), timestamp, application, now) };
}

function requireSignature(parameters: Map<string, string>, pairs: ParameterPair[], application: Application): void {
  const signature = parameters.get('signature');
  // A duplicate name could be signed with one value and read with the other.
  const isUnambiguous = parameters.size === pairs.length;
  if (
    !signature ||
    !isUnambiguous ||
    !isSignedBy(signature, pairs, application.authSecret, application.signatureHash)
  ) {
    throw new UnprocessableError('SIGNATURE_WRONG');
  }
}

function requireTimestamp(text: string | undefined, now: Date): number {
  const timestamp = integer(text);
  if (timestamp === undefined || Math.abs(timestamp - unixSeconds(now)) > TIMESTAMP_TOLERANCE_SECONDS) {
    throw new UnprocessableError('TIMESTAMP_WRONG');
  }
  return timestamp;
}

/** The unique insert lets only one of several concurrent requests use the pair. */
async function useNonce(text: string | undefined, timestamp: number, { id }: Application, now: Date): Promise<number> {
  const nonce = integer(text);
  if (nonce === undefined) throw new UnprocessableError('NONCE_WRONG');
  const { count } = await db.usedNonce.createMany({
    data: [{ applicationId: id, nonce, timestamp, usedAt: now }],
    skipDuplicates: true,
  });
  if (count === 0) throw new UnprocessableError('NONCE_WRONG');
  return nonce;
}

function storeFor(signedIn: SignedIn, data: Prisma.SessionUncheckedCreateInput) {
  const { applicationId, id: userId } = signedIn.user;
  return transact(jobOwnerOf({ applicationId, userId }), async (transaction) => {
    await lockSignedIn(transaction, signedIn);
    return transaction.session.create({ data: { ...data, userId, isMultiFactor: signedIn.isMultiFactor ?? false } });
  });
}

function storeForGuest(data: Prisma.SessionUncheckedCreateInput & { createdAt: Date }) {
  const { applicationId, createdAt } = data;
  return transact(jobOwnerOf({ applicationId }), async (transaction) => {
    const guest = { applicationId, isGuest: true, createdAt, updatedAt: createdAt };
    const { id: userId } = await transaction.user.create({ data: guest });
    return transaction.session.create({ data: { ...data, userId } });
  });
}

function integer(text: string | undefined): number | undefined {
  if (text === undefined || !/^[+-]?\d{1,16}$/.test(text)) return undefined;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : undefined;
}

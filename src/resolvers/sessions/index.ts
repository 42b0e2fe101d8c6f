import { randomBytes } from 'node:crypto';
import type { Context, TokenContext } from '../../context.ts';
import { db, type Prisma } from '../../db/client.ts';
import { transact } from '../../db/transact.ts';
import type { Application, Session, User } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { SessionMissingError, UnprocessableError } from '../../lib/errors.ts';
import { isSameSecret, isSignedBy, type ParameterPair } from '../../lib/signature.ts';
import { HOUR, unixSeconds } from '../../lib/time.ts';
import { hashSecret, isDatabaseId, SESSION_TOKEN_BYTES, sessionToken } from '../../lib/tokens.ts';
import { announceEndedSessions } from '../../realtime/outbox.ts';
import { holdSignedIn, type SignIn, signedSignIn, signIn } from './sign-in.ts';

/** A session together with the token that opens it; only the caller who holds the token ever sees one. */
export type OpenSession = Session & { token: string; expiresAt: Date };

/** How far a signed timestamp may lie from the server's clock. */
const TIMESTAMP_TOLERANCE_SECONDS = 3600;

/** How long a used pair of nonce and timestamp is remembered: past the moment at which its timestamp turns stale. */
export const NONCE_LIFETIME = 2 * HOUR;

/**
 * Opens an application or user session for a signed request (gaps §3.1–3.3). Everything is read from the signed
 * pairs, so that nothing can be asked for that was not signed.
 * @throws {UnprocessableError} `No application found`, `Unexpected signature`, `Bad timestamp`, `Bad nonce`,
 *   checked in this order
 * @throws {SignInRefusedError} a social or phone sign-in
 * @throws {WrongPasswordError} no such user, or another password
 */
export async function createSession(pairs: ParameterPair[], context: Context): Promise<OpenSession> {
  const { now, sessionClock } = context;
  const parameters = new Map(pairs);
  const application = await requireApplication(parameters);
  requireSignature(parameters, pairs, application);
  const timestamp = requireTimestamp(parameters.get('timestamp'), now());
  const nonce = await useNonce(parameters.get('nonce'), timestamp, application, now());
  const asked = signedSignIn(parameters);
  const signedIn = asked && { asked, user: await signIn(asked, application.id, context) };

  const token = sessionToken(application.id, randomBytes(SESSION_TOKEN_BYTES));
  const at = now();
  const data = {
    applicationId: application.id,
    tokenHash: hashSecret(token),
    nonce,
    timestamp,
    createdAt: at,
    updatedAt: at,
  };
  const session = signedIn ? await storeFor(signedIn, data) : await db.session.create({ data });
  if (signedIn) sessionClock.touchUser({ applicationId: application.id, userId: signedIn.user.id }, at);
  return { ...session, token, expiresAt: sessionClock.expiry(at, application) };
}

/** The caller's session; this request is its latest. */
export async function findSession({ viewer, now }: TokenContext): Promise<OpenSession> {
  const { applicationId, session } = viewer;
  const found = await db.session.findUnique({ where: { applicationId_id: { applicationId, id: session.id } } });
  if (!found) throw new SessionMissingError();
  return { ...found, updatedAt: now(), token: session.token, expiresAt: session.expiresAt };
}

/** Ends the caller's session and the sockets that live on it. */
export async function deleteSession({ viewer, now, outbox }: TokenContext): Promise<true> {
  const { applicationId, session } = viewer;
  await transact(jobOwnerOf(viewer), async (transaction) => {
    await transaction.session.deleteMany({ where: { applicationId, id: session.id } });
    await announceEndedSessions(transaction, [{ applicationId, id: session.id }], now());
  });
  outbox.wake();
  return true;
}

async function requireApplication(parameters: Map<string, string>): Promise<Application> {
  const id = integer(parameters.get('application_id'));
  const application = id !== undefined && isDatabaseId(id) ? await db.application.findUnique({ where: { id } }) : null;
  if (
    !application ||
    application.importId !== null ||
    !isSameSecret(parameters.get('auth_key') ?? '', application.authKey)
  ) {
    throw new UnprocessableError('No application found');
  }
  return application;
}

function requireSignature(parameters: Map<string, string>, pairs: ParameterPair[], application: Application): void {
  const signature = parameters.get('signature');
  // A name given twice could be signed with one value and read with the other.
  const isUnambiguous = parameters.size === pairs.length;
  if (
    !signature ||
    !isUnambiguous ||
    !isSignedBy(signature, pairs, application.authSecret, application.signatureHash)
  ) {
    throw new UnprocessableError('Unexpected signature');
  }
}

function requireTimestamp(text: string | undefined, now: Date): number {
  const timestamp = integer(text);
  if (timestamp === undefined || Math.abs(timestamp - unixSeconds(now)) > TIMESTAMP_TOLERANCE_SECONDS) {
    throw new UnprocessableError('Bad timestamp');
  }
  return timestamp;
}

/** Uses the pair up; of several requests at the same moment one gets it. */
async function useNonce(text: string | undefined, timestamp: number, { id }: Application, now: Date): Promise<number> {
  const nonce = integer(text);
  if (nonce === undefined) throw new UnprocessableError('Bad nonce');
  const { count } = await db.usedNonce.createMany({
    data: [{ applicationId: id, nonce, timestamp, usedAt: now }],
    skipDuplicates: true,
  });
  if (count === 0) throw new UnprocessableError('Bad nonce');
  return nonce;
}

function storeFor({ asked, user }: { asked: SignIn; user: User }, data: Prisma.SessionUncheckedCreateInput) {
  return transact(jobOwnerOf({ applicationId: user.applicationId, userId: user.id }), async (transaction) => {
    await holdSignedIn(transaction, asked, user);
    return transaction.session.create({ data: { ...data, userId: user.id } });
  });
}

/** Decimal text → the number; undefined for anything else and beyond ±(2^53 − 1). */
function integer(text: string | undefined): number | undefined {
  if (text === undefined || !/^[+-]?\d{1,16}$/.test(text)) return undefined;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : undefined;
}

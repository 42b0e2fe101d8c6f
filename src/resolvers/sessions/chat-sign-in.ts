import { createHmac, randomBytes, randomInt } from 'node:crypto';
import type { Services } from '../../context.ts';
import { db, Prisma } from '../../db/client.ts';
import { transact } from '../../db/transact.ts';
import { jobOwnerOf, type UserViewer } from '../../lib/access.ts';
import { ServiceError } from '../../lib/errors.ts';
import { MINUTE, unixSeconds } from '../../lib/time.ts';
import { applicationOfToken, hashSecret, isDatabaseId, SESSION_TOKEN_BYTES, sessionToken } from '../../lib/tokens.ts';
import { createContext } from '../create-context.ts';
import { authenticate } from './authenticate.ts';
import { MAX_NONCE } from './create.ts';
import { deleteSession } from './delete.ts';
import { signIn } from './sign-in.ts';
import { lockSignedIn, type SignedIn } from './signed-in.ts';

export interface ChatCredentials {
  applicationId: number;
  userId: number;
  /** A session token or the password. */
  secret: string;
}

export interface ChatSession {
  viewer: UserViewer;
  token: string;
  /** Opened by the password, and useless after the stream. */
  isOwn: boolean;
}

/** Undefined for refused credentials, without a reason and in equal time. */
export async function signInToChat(
  credentials: ChatCredentials,
  network: string,
  services: Services,
): Promise<ChatSession | undefined> {
  const { applicationId, userId, secret } = credentials;
  if (applicationOfToken(secret) === applicationId) {
    const viewer = await viewerOf(secret, network, services);
    if (viewer?.applicationId === applicationId && viewer.userId === userId)
      return { viewer, token: secret, isOwn: false };
  }
  const token = await openSession(credentials, network, services);
  const viewer = token && (await viewerOf(token, network, services));
  return viewer ? { viewer, token, isOwn: true } : undefined;
}

/** Ends a session that a password has opened. */
export async function endChatSession({ token }: ChatSession, network: string, services: Services): Promise<void> {
  const viewer = await viewerOf(token, network, services);
  if (!viewer?.session) return;
  await deleteSession({}, createContext(services, viewer, { network }) as Parameters<typeof deleteSession>[1]);
}

async function viewerOf(token: string, network: string, services: Services): Promise<UserViewer | undefined> {
  const credentials = { token, authorization: undefined, onBehalfOf: undefined };
  const viewer = await authenticate(credentials, network, services);
  return viewer.kind === 'user' ? viewer : undefined;
}

async function openSession(
  { applicationId, userId, secret }: ChatCredentials,
  network: string,
  services: Services,
): Promise<string | undefined> {
  const { now, sessionClock } = services;
  try {
    const signedIn = await checked({ applicationId, userId, secret }, network, services);
    if (signedIn.user.blockedAt) return undefined;
    const token = sessionToken(applicationId, randomBytes(SESSION_TOKEN_BYTES));
    const at = now();
    const data = {
      ...{ applicationId, userId, network, device: DEVICE, tokenHash: hashSecret(token), nonce: randomInt(MAX_NONCE) },
      ...{ timestamp: unixSeconds(at), createdAt: at, updatedAt: at },
    };
    await transact(jobOwnerOf({ applicationId, userId }), async (transaction) => {
      await lockSignedIn(transaction, signedIn);
      await transaction.session.create({ data });
    });
    sessionClock.touchUser({ applicationId, userId }, at);
    return token;
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

/** After a restart all clients sign in again at once, so that verified passwords are remembered. @throws as `signIn` */
async function checked(
  { applicationId, userId, secret }: ChatCredentials,
  network: string,
  services: Services,
): Promise<SignedIn> {
  const isPossible = isDatabaseId(applicationId) && isDatabaseId(userId);
  const where = { applicationId_id: { applicationId, id: userId }, application: { importId: null } };
  const user = isPossible ? await db.user.findUnique({ where }) : null;
  // Legacy clients cannot answer for a second factor: such users sign in with the token of a session.
  if (user && !user.needsSecondFactor && isRemembered(secret, user.passwordHash))
    return { user, isAsChecked: Prisma.sql`password_hash = ${user.passwordHash}` };
  const viewer = { kind: 'anonymous' } as const;
  const meter = services.rateLimits?.meter(network, viewer);
  const context = createContext(services, viewer, { network, meter, isCounted: true });
  const signedIn = await signIn({ userId: user ? userId : null, password: secret }, applicationId, context);
  remember(secret, signedIn.user.passwordHash!);
  return signedIn;
}

const DEVICE = 'Chat client';

const REMEMBERED_MS = 5 * MINUTE;
const MAX_REMEMBERED = 10_000;

/** Digests of verified passwords by their hash in the database, so that a changed password is not found. */
const verified = new Map<string, { digest: string; until: number }>();
const KEY = randomBytes(32);

function isRemembered(password: string, passwordHash: string | null): boolean {
  const known = passwordHash === null ? undefined : verified.get(passwordHash);
  return known !== undefined && known.digest === digestOf(password) && known.until > performance.now();
}

function remember(password: string, passwordHash: string): void {
  verified.set(passwordHash, { digest: digestOf(password), until: performance.now() + REMEMBERED_MS });
  for (const oldest of verified.keys()) {
    if (verified.size <= MAX_REMEMBERED) break;
    verified.delete(oldest);
  }
}

function digestOf(password: string): string {
  return createHmac('sha256', KEY).update(password).digest('base64');
}

import type { Services } from '../../context.ts';
import { db, Prisma } from '../../db/client.ts';
import { coalesce } from '../../db/coalesce.ts';
import type { KnownViewer, Viewer } from '../../lib/access.ts';
import { apiKeyOf, type Credentials } from '../../lib/credentials.ts';
import {
  BadInputError,
  NotFoundError,
  ServiceError,
  SessionMissingError,
  UnauthenticatedError,
} from '../../lib/errors.ts';
import { applicationOfToken, hashSecret, isDatabaseId } from '../../lib/tokens.ts';
import type { StoredSession } from './session-clock.ts';

/**
 * Who calls, by the credentials (gaps §2). A refused credential is a viewer too, with its reason, so that operations
 * which ask nobody work however wrong it is. An accepted one counts as a request of the session and of its user.
 */
export async function authenticate(credentials: Credentials, services: Services): Promise<Viewer> {
  try {
    return (await knownViewer(credentials, services)) ?? { kind: 'anonymous' };
  } catch (error) {
    if (error instanceof ServiceError) return { kind: 'refused', reason: error };
    throw error;
  }
}

async function knownViewer(credentials: Credentials, services: Services): Promise<KnownViewer | undefined> {
  const { token, authorization, onBehalfOf } = credentials;
  if (token && authorization) throw new BadInputError('Only one of SVC-Token and Authorization may be used');
  if (authorization) return viewerOfKey(authorization, onBehalfOf, services);
  const viewer = token ? await viewerOfToken(token, services) : undefined;
  if (onBehalfOf) throw new BadInputError('On-Behalf-Of may be used only with an API key');
  return viewer;
}

async function viewerOfToken(token: string, { now, sessionClock }: Services): Promise<KnownViewer> {
  const applicationId = applicationOfToken(token);
  if (applicationId === undefined) throw new SessionMissingError();
  const session = await findByToken({ applicationId, tokenHash: hashSecret(token) });
  if (!session) throw new SessionMissingError();

  const at = now();
  if (sessionClock.isExpired(session, at)) throw new SessionMissingError();
  sessionClock.touch(session, at);

  const seen = { id: session.id, token, expiresAt: sessionClock.expiry(at) };
  return session.userId === null
    ? { kind: 'application', applicationId, session: seen }
    : { kind: 'user', applicationId, userId: session.userId, session: seen };
}

/** When a token's session ends unless another request comes; undefined when it has ended. Counts as no request. */
export async function sessionExpiry(token: string, { now, sessionClock }: Services): Promise<Date | undefined> {
  const applicationId = applicationOfToken(token);
  const session = applicationId && (await findByToken({ applicationId, tokenHash: hashSecret(token) }));
  if (!session || sessionClock.isExpired(session, now())) return undefined;
  return sessionClock.expiry(sessionClock.latestRequest(session));
}

async function viewerOfKey(
  authorization: string,
  onBehalfOf: string | undefined,
  { now, sessionClock }: Services,
): Promise<KnownViewer> {
  const secret = apiKeyOf(authorization);
  const key = secret && (await findByKey(hashSecret(secret)));
  if (!key) throw new UnauthenticatedError('Unauthorized');
  const { applicationId, id: apiKeyId } = key;
  if (onBehalfOf === undefined) return { kind: 'key', applicationId, apiKeyId };

  const userId = /^\d{1,10}$/.test(onBehalfOf) ? Number(onBehalfOf) : 0;
  const user = isDatabaseId(userId)
    ? await db.user.findUnique({ where: { applicationId_id: { applicationId, id: userId } }, select: { id: true } })
    : null;
  if (!user) throw new NotFoundError();
  sessionClock.touchUser({ applicationId, userId }, now());
  return { kind: 'user', applicationId, userId, apiKeyId };
}

const findByToken = coalesce(async (wanted: { applicationId: number; tokenHash: string }[]) => {
  const rows = await db.$queryRaw<(StoredSession & { tokenHash: string })[]>`
    SELECT s.application_id AS "applicationId", s.id, s.user_id AS "userId", s.updated_at AS "updatedAt",
      s.token_hash AS "tokenHash"
    FROM unnest(${wanted.map((session) => session.applicationId)}::int[], ${wanted.map((session) => session.tokenHash)}::text[])
      AS wanted (application_id, token_hash)
    JOIN sessions s USING (application_id, token_hash)`;
  const byHash = new Map(rows.map((row) => [row.tokenHash, row]));
  return wanted.map(({ tokenHash }) => byHash.get(tokenHash));
});

const findByKey = coalesce(async (hashes: string[]) => {
  const rows = await db.$queryRaw<{ applicationId: number; id: number; keyHash: string }[]>(Prisma.sql`
    SELECT application_id AS "applicationId", id, key_hash AS "keyHash"
    FROM api_keys WHERE key_hash = ANY(${hashes}::text[]) AND revoked_at IS NULL`);
  const byHash = new Map(rows.map((row) => [row.keyHash, row]));
  return hashes.map((hash) => byHash.get(hash));
});

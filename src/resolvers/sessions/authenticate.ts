import { viewerOfAdministrator } from '../../administration/administrators/authenticate.ts';
import { requireConfirmed } from '../../administration/administrators/sessions.ts';
import type { Services, StoredSession } from '../../context.ts';
import { db } from '../../db/client.ts';
import type { ApiKey } from '../../generated/prisma/client.ts';
import type { AdministratorViewer, IdentifiedViewer, KnownViewer, Policies, Viewer } from '../../lib/access.ts';
import { apiKeyOf, type Credentials } from '../../lib/credentials.ts';
import {
  BadInputError,
  ForbiddenError,
  NotFoundError,
  ServiceError,
  SessionMissingError,
  UnauthenticatedError,
} from '../../lib/errors.ts';
import { ALL_SCOPES } from '../../lib/scopes.ts';
import { applicationOfToken, hashSecret, isDatabaseId } from '../../lib/tokens.ts';
import { isInNetworks } from '../../platform/limits/allowed-networks.ts';
import { findKeyByHash, findSessionByToken } from './credential-rows.ts';

/** Refused credentials also yield a viewer, so that operations without authentication still work. */
export async function authenticate(credentials: Credentials, network: string, services: Services): Promise<Viewer> {
  try {
    return (await knownViewer(credentials, network, services)) ?? { kind: 'anonymous' };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const claimedApplicationId = credentials.token ? applicationOfToken(credentials.token) : undefined;
    return { kind: 'refused', reason: error, claimedApplicationId };
  }
}

async function knownViewer(
  credentials: Credentials,
  network: string,
  services: Services,
): Promise<KnownViewer | undefined> {
  const { token, authorization, onBehalfOf, administrator } = credentials;
  if (token && authorization) throw new BadInputError('TWO_CREDENTIALS');
  if (authorization) return viewerOfKey(authorization, onBehalfOf, network, services);
  if (administrator && !token)
    return actingViewer(await viewerOfAdministrator(administrator, network, services), onBehalfOf, services);
  const viewer = token ? await viewerOfToken(token, services) : undefined;
  if (onBehalfOf) throw new BadInputError('ON_BEHALF_OF_NEEDS_KEY');
  return viewer;
}

async function viewerOfToken(token: string, { now, sessionClock }: Services): Promise<IdentifiedViewer> {
  const session = await findSessionByToken(token);
  if (!session) throw new SessionMissingError();

  const at = now();
  if (sessionClock.isExpired(session, at)) throw new SessionMissingError();
  sessionClock.touch(session, at);

  const { applicationId, catalogueVersion, id, generation, signedInAt, confirmedAt } = session;
  const policies = policiesOf(session);
  const expiresAt = sessionClock.expiry(at, session);
  const seen = { id, token, generation, signedInAt, confirmedAt, expiresAt, policies };
  return session.userId === null
    ? { kind: 'application', applicationId, catalogueVersion, session: seen }
    : { kind: 'user', applicationId, catalogueVersion, userId: session.userId, session: seen };
}

function policiesOf(session: StoredSession): Policies | undefined {
  const { verifiedEmailRequired: isEmailRequired, dialogCreators, secondFactorRoles, isMultiFactor } = session;
  const unprovenRoles = isMultiFactor ? [] : secondFactorRoles;
  const isNone = !isEmailRequired && dialogCreators.length === 0 && unprovenRoles.length === 0;
  return isNone ? undefined : { isEmailRequired, dialogCreators, unprovenRoles };
}

async function viewerOfKey(
  authorization: string,
  onBehalfOf: string | undefined,
  network: string,
  services: Services,
): Promise<IdentifiedViewer> {
  const secret = apiKeyOf(authorization);
  const hash = secret && hashSecret(secret);
  const stored = hash ? await findKeyByHash(hash) : undefined;
  const at = services.now();
  const expiresAt = hash && stored ? expiryOfSecret(hash, stored) : undefined;
  if (!stored || (expiresAt && expiresAt <= at)) throw new UnauthenticatedError('UNAUTHORIZED');
  const { applicationId, catalogueVersion, id: apiKeyId, scopes, networks } = stored;
  if (networks.length > 0 && !isInNetworks(network, networks)) throw new ForbiddenError('KEY_NETWORK_FORBIDDEN');
  services.sessionClock.touchKey({ applicationId, id: apiKeyId }, at);
  const actor = { kind: 'apiKey', id: apiKeyId, network } as const;
  const key = { scopes: scopes.includes(ALL_SCOPES) ? undefined : scopes, generation: stored.generation, expiresAt };
  if (onBehalfOf === undefined) return { kind: 'key', applicationId, catalogueVersion, apiKeyId, key, actor };
  const userId = await findActedUser(applicationId, onBehalfOf, stored);
  services.sessionClock.touchUser({ applicationId, userId }, at);
  return { kind: 'user', applicationId, catalogueVersion, userId, apiKeyId, key, actor };
}

type StoredKey = Pick<ApiKey, 'previousHash' | 'previousExpiresAt' | 'expiresAt'>;

/** The earlier one of the key and of the secret. */
function expiryOfSecret(hash: string, { previousHash, previousExpiresAt, expiresAt }: StoredKey): Date | undefined {
  const ofSecret = hash === previousHash ? previousExpiresAt : null;
  if (ofSecret && (!expiresAt || ofSecret < expiresAt)) return ofSecret;
  return expiresAt ?? undefined;
}

/** Looking at the application as a user does not count as a request of that user. */
async function actingViewer(
  viewer: AdministratorViewer,
  onBehalfOf: string | undefined,
  { now }: Services,
): Promise<KnownViewer> {
  if (onBehalfOf === undefined) return viewer;
  if (viewer.kind !== 'key') throw new BadInputError('ON_BEHALF_OF_NEEDS_APPLICATION');
  const { applicationId, catalogueVersion, administrator, actor } = viewer;
  requireConfirmed(administrator, now());
  const userId = await findActedUser(applicationId, onBehalfOf);
  return { kind: 'user', applicationId, catalogueVersion, userId, administrator, actor };
}

const ANY_USER = { actsForAll: true, actsFor: [], actsForRoles: [] };

/** @param limits of an API key @throws {NotFoundError} @throws {ForbiddenError} the key may not act for the user */
async function findActedUser(
  applicationId: number,
  onBehalfOf: string,
  limits: Pick<ApiKey, 'actsForAll' | 'actsFor' | 'actsForRoles'> = ANY_USER,
): Promise<number> {
  const { actsForAll, actsFor, actsForRoles } = limits;
  const userId = /^\d{1,10}$/.test(onBehalfOf) ? Number(onBehalfOf) : 0;
  const user = isDatabaseId(userId)
    ? await db.user.findUnique({ where: { applicationId_id: { applicationId, id: userId } }, select: { roles: true } })
    : null;
  const isAllowed = actsForAll || actsFor.includes(userId) || user?.roles.some((role) => actsForRoles.includes(role));
  // Keys with limits do not learn which other users exist.
  if (!isAllowed) throw new ForbiddenError('KEY_USER_FORBIDDEN');
  if (!user) throw new NotFoundError();
  return userId;
}

import type { Services } from '../../context.ts';
import type { IdentifiedViewer, ViewerSession } from '../../lib/access.ts';
import { findSessionByToken, isKeyLiving } from './credential-rows.ts';

export interface Validity {
  expiresAt: Date | undefined;
}

/** Undefined after a login or logout, because the credentials identify another viewer. Does not count as a request. */
export async function findValidity(viewer: IdentifiedViewer, services: Services): Promise<Validity | undefined> {
  if ('session' in viewer && viewer.session) return validityOfSession(viewer.session, services);
  const { applicationId } = viewer;
  const apiKeyId = 'apiKeyId' in viewer ? viewer.apiKeyId : undefined;
  const userId = viewer.kind === 'user' ? viewer.userId : undefined;
  return apiKeyId !== undefined && (await isKeyLiving({ applicationId, apiKeyId, userId }))
    ? { expiresAt: undefined }
    : undefined;
}

async function validityOfSession(
  { token, generation }: ViewerSession,
  { now, sessionClock }: Services,
): Promise<Validity | undefined> {
  const session = await findSessionByToken(token);
  if (!session || session.generation !== generation || sessionClock.isExpired(session, now())) return undefined;
  return { expiresAt: sessionClock.expiry(sessionClock.latestRequest(session), session) };
}

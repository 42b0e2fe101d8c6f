import { hasSameRights } from '../../administration/administrators/sessions.ts';
import type { Services } from '../../context.ts';
import { type AdministratorIdentity, administratorOf, type KnownViewer, type ViewerSession } from '../../lib/access.ts';
import { SECOND } from '../../lib/time.ts';
import { findSessionByToken, isKeyLiving } from './credential-rows.ts';

export interface Validity {
  expiresAt: Date | undefined;
}

/** Undefined after a login or logout, because the credentials identify another viewer. Does not count as a request. */
export async function findValidity(viewer: KnownViewer, services: Services): Promise<Validity | undefined> {
  if ('session' in viewer && viewer.session) return validityOfSession(viewer.session, services);
  const administrator = administratorOf(viewer);
  if (administrator) return validityOfAdministrator(administrator, services);
  if (viewer.kind === 'administrator') return undefined;
  const { applicationId } = viewer;
  const apiKeyId = 'apiKeyId' in viewer ? viewer.apiKeyId : undefined;
  const userId = viewer.kind === 'user' ? viewer.userId : undefined;
  const key = 'key' in viewer ? viewer.key : undefined;
  if (apiKeyId === undefined || !key || (key.expiresAt && key.expiresAt <= services.now())) return undefined;
  const inUse = { applicationId, apiKeyId, userId, generation: key.generation };
  return (await isKeyLiving(inUse)) ? { expiresAt: key.expiresAt } : undefined;
}

/** Open connections check the session of an administrator at this interval, instead of following events. */
const ADMINISTRATOR_CHECK_MS = 5 * SECOND;

async function validityOfAdministrator(
  administrator: AdministratorIdentity,
  services: Services,
): Promise<Validity | undefined> {
  if (!(await hasSameRights(administrator, services))) return undefined;
  return { expiresAt: new Date(services.now().getTime() + ADMINISTRATOR_CHECK_MS) };
}

async function validityOfSession(
  { token, generation }: ViewerSession,
  { now, sessionClock }: Services,
): Promise<Validity | undefined> {
  const session = await findSessionByToken(token);
  if (!session || session.generation !== generation || sessionClock.isExpired(session, now())) return undefined;
  return { expiresAt: sessionClock.expiry(sessionClock.latestRequest(session), session) };
}

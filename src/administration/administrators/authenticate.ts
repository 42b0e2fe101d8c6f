import type { Services } from '../../context.ts';
import { db } from '../../db/client.ts';
import type { AdministratorIdentity, AdministratorViewer } from '../../lib/access.ts';
import type { AdministratorToken } from '../../lib/credentials.ts';
import { BadInputError, NotFoundError, UnauthenticatedError } from '../../lib/errors.ts';
import { isDatabaseId } from '../../lib/tokens.ts';
import { reasonOf, requireConsole } from './rules.ts';
import { findIdentity } from './sessions.ts';

/** Value of the header `Application` for operations outside of an application. */
export const NO_APPLICATION = 'none';

/** @throws {UnauthenticatedError} {DisabledError} {BadInputError} {NotFoundError} */
export async function viewerOfAdministrator(
  { token, application, reason }: AdministratorToken,
  network: string,
  services: Services,
): Promise<AdministratorViewer> {
  requireConsole(services);
  const identity = token === undefined ? undefined : await findIdentity(token, services);
  if (!identity) throw new UnauthenticatedError('CONSOLE_SIGN_IN_REQUIRED');
  const administrator = { ...identity, reason: reasonOf(reason) };
  const actor = { kind: 'administrator', id: administrator.id, network, reason: administrator.reason } as const;
  if (application === NO_APPLICATION) return { kind: 'administrator', administrator, actor };
  return { kind: 'key', administrator, actor, ...(await findApplicationOf(administrator, application)) };
}

/** An application without a role looks like an unknown one. */
async function findApplicationOf({ roles }: AdministratorIdentity, application: string) {
  const id = /^\d{1,10}$/.test(application) ? Number(application) : 0;
  if (!isDatabaseId(id)) throw new BadInputError('APPLICATION_HEADER_INVALID');
  const isMine = roles.some(({ applicationId }) => applicationId === null || applicationId === id);
  const select = { catalogueVersion: true };
  const found = isMine ? await db.application.findUnique({ where: { id, importId: null }, select }) : null;
  if (!found) throw new NotFoundError('APPLICATION_NOT_FOUND');
  return { applicationId: id, catalogueVersion: found.catalogueVersion };
}

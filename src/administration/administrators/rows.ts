import { db, type Transaction } from '../../db/client.ts';
import { transact } from '../../db/transact.ts';
import type { Administrator as StoredAdministrator } from '../../generated/prisma/client.ts';
import { type AdministratorViewer, type AssignedRole, withActor } from '../../lib/access.ts';
import { NotFoundError, UnauthenticatedError } from '../../lib/errors.ts';
import type { FairnessPath } from '../../lib/semaphore.ts';

export type Administrator = Pick<
  StoredAdministrator,
  'id' | 'email' | 'name' | 'hasTotp' | 'createdAt' | 'signedInAt'
> & {
  passkeyCount: number;
  roles: AssignedRole[];
  /** Only of the caller. */
  confirmedUntil?: Date | undefined;
};

const ROLES = { select: { applicationId: true, role: true }, orderBy: { id: 'asc' } } as const;

export const SELECTION = {
  id: true,
  email: true,
  name: true,
  hasTotp: true,
  createdAt: true,
  signedInAt: true,
  _count: { select: { passkeys: true } },
  roles: ROLES,
} as const;

type Selected = Omit<Administrator, 'passkeyCount' | 'confirmedUntil'> & {
  _count: { passkeys: number };
};

export function administratorOfRow({ _count, ...row }: Selected): Administrator {
  return { ...row, passkeyCount: _count.passkeys };
}

/** @throws {NotFoundError} */
export async function findAdministrator(id: number, client: Transaction | typeof db = db): Promise<Administrator> {
  const row = await client.administrator.findUnique({ where: { id }, select: SELECTION });
  if (!row) throw new NotFoundError('ADMINISTRATOR_NOT_FOUND');
  return administratorOfRow(row);
}

/**
 * Changes of administrators, one after the other. A request of a session that has ended since it began changes nothing.
 * @throws {UnauthenticatedError}
 */
export function transactAs<Result>(
  viewer: AdministratorViewer,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  return transact(jobOf(viewer), async (transaction) => {
    await lockAdministrators(transaction);
    const { sessionId: id } = viewer.administrator;
    const sessions = await transaction.$executeRaw`SELECT FROM administrator_sessions WHERE id = ${id} FOR KEY SHARE`;
    if (sessions === 0) throw new UnauthenticatedError('CONSOLE_SIGN_IN_REQUIRED');
    return work(transaction);
  });
}

export function jobOf({ administrator, actor }: AdministratorViewer): FairnessPath {
  return withActor(['console', `administrator:${administrator.id}`], actor);
}

/** For an administrator who is about to sign in. */
export function jobOfAdministrator(id: number, network: string): FairnessPath {
  return withActor(['console', `administrator:${id}`], { kind: 'administrator', id, network });
}

/** Serializes changes of administrators, so that the last owner cannot be removed and the first is created once. */
export async function lockAdministrators(transaction: Transaction): Promise<void> {
  await transaction.$executeRaw`SELECT pg_advisory_xact_lock(7270102)`;
}

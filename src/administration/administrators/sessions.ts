import { randomBytes } from 'node:crypto';
import type { CallingPage, Context, Services } from '../../context.ts';
import { db, type Transaction } from '../../db/client.ts';
import type { AdministratorIdentity, AssignedRole } from '../../lib/access.ts';
import { BadInputError, ConfirmationRequiredError } from '../../lib/errors.ts';
import { HOUR, MINUTE } from '../../lib/time.ts';
import { hashSecret } from '../../lib/tokens.ts';

/** A session ends after this time without a request, and at the latest `MAX_SESSION_MS` after its sign-in. */
const IDLE_MS = 30 * MINUTE;
const MAX_SESSION_MS = 12 * HOUR;

/** For this long after a sign-in or confirmation, deletions and secrets need no further one. */
export const CONFIRMATION_MS = 15 * MINUTE;

const SEEN_STEP_MS = MINUTE;
const TOKEN_BYTES = 32;

/** @throws {BadInputError} no cookie can be set, for example over WebSocket */
export function requirePage({ page }: Pick<Context, 'page'>): CallingPage {
  if (!page) throw new BadInputError('FOREIGN_ORIGIN');
  return page;
}

/** @returns the token for the cookie */
export async function startSession(transaction: Transaction, administratorId: number, at: Date): Promise<string> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  await transaction.administratorSession.create({
    data: { administratorId, tokenHash: hashSecret(token), createdAt: at, seenAt: at, confirmedAt: at },
  });
  await transaction.administrator.update({ where: { id: administratorId }, data: { signedInAt: at } });
  return token;
}

const SESSION = {
  id: true,
  createdAt: true,
  seenAt: true,
  confirmedAt: true,
  administrator: { select: { id: true, roles: { select: { applicationId: true, role: true } } } },
} as const;

/** Counts as a request. @returns undefined if the session is unknown or has expired */
export async function findIdentity(
  token: string,
  { now }: Pick<Services, 'now'>,
): Promise<AdministratorIdentity | undefined> {
  const session = await db.administratorSession.findUnique({
    where: { tokenHash: hashSecret(token) },
    select: SESSION,
  });
  const at = now();
  if (!session || isExpired(session, at)) return undefined;
  const { id: sessionId, seenAt, confirmedAt, administrator } = session;
  if (at.getTime() - seenAt.getTime() >= SEEN_STEP_MS) {
    await db.administratorSession.updateMany({ where: { id: sessionId }, data: { seenAt: at } });
  }
  return { ...administrator, sessionId, confirmedAt };
}

/** Whether the session is valid and its administrator has the same roles. Does not count as a request. */
export async function hasSameRights(
  { sessionId, roles }: Pick<AdministratorIdentity, 'sessionId' | 'roles'>,
  { now }: Pick<Services, 'now'>,
): Promise<boolean> {
  const session = await db.administratorSession.findUnique({ where: { id: sessionId }, select: SESSION });
  if (!session || isExpired(session, now())) return false;
  const current = session.administrator.roles.map(nameOfRole);
  return current.length === roles.length && roles.every((role) => current.includes(nameOfRole(role)));
}

const nameOfRole = ({ applicationId, role }: AssignedRole) => `${applicationId} ${role}`;

export function confirmedUntil(confirmedAt: Date): Date {
  return new Date(confirmedAt.getTime() + CONFIRMATION_MS);
}

/** @throws {ConfirmationRequiredError} */
export function requireConfirmed({ confirmedAt }: Pick<AdministratorIdentity, 'confirmedAt'>, now: Date): void {
  if (confirmedUntil(confirmedAt) <= now) throw new ConfirmationRequiredError();
}

/** @param except the session that remains */
export async function endSessions(transaction: Transaction, administratorId: number, except?: number): Promise<void> {
  const id = except === undefined ? undefined : { not: except };
  await transaction.administratorSession.deleteMany({ where: { administratorId, id } });
}

export function latestExpired(now: Date): { seenBefore: Date; createdBefore: Date } {
  return { seenBefore: new Date(now.getTime() - IDLE_MS), createdBefore: new Date(now.getTime() - MAX_SESSION_MS) };
}

function isExpired({ createdAt, seenAt }: { createdAt: Date; seenAt: Date }, now: Date): boolean {
  const { seenBefore, createdBefore } = latestExpired(now);
  return seenAt <= seenBefore || createdAt <= createdBefore;
}

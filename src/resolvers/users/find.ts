import type { IdentifiedContext, UserContext } from '../../context.ts';
import { db, type Prisma } from '../../db/client.ts';
import type { User } from '../../generated/prisma/client.ts';
import { NoSuchUserError, requirePositive, SessionMissingError, UnknownUserError } from '../../lib/errors.ts';
import { isDatabaseId } from '../../lib/tokens.ts';
import { userById } from './rows.ts';

/** @throws {InvalidFieldsError} {UnknownUserError} */
export async function findUser(id: number, { viewer }: IdentifiedContext): Promise<User> {
  requirePositive(id);
  const { applicationId } = viewer;
  const user = isDatabaseId(id) ? await userById({ applicationId, id }) : undefined;
  if (!user) throw new UnknownUserError();
  return user;
}

/** @throws {InvalidFieldsError} {UnknownUserError} */
export async function findUserByExternalId(externalUserId: number, { viewer }: IdentifiedContext): Promise<User> {
  requirePositive(externalUserId);
  const { applicationId } = viewer;
  const user = await findUnique({ applicationId_externalUserId: { applicationId, externalUserId } });
  if (!user) throw new UnknownUserError();
  return user;
}

/** Case-insensitive. @throws {NoSuchUserError} */
export function findUserByLogin(login: string, { viewer }: IdentifiedContext): Promise<User> {
  const { applicationId } = viewer;
  return requireOne(findUnique({ applicationId_loginKey: { applicationId, loginKey: login.toLowerCase() } }));
}

/** Case-insensitive. @throws {NoSuchUserError} */
export function findUserByEmail(email: string, { viewer }: IdentifiedContext): Promise<User> {
  const { applicationId } = viewer;
  return requireOne(findUnique({ applicationId_email: { applicationId, email: email.toLowerCase() } }));
}

export function findUserByFacebookId(facebookId: string, { viewer }: IdentifiedContext): Promise<User> {
  const { applicationId } = viewer;
  return requireOne(findUnique({ applicationId_facebookId: { applicationId, facebookId } }));
}

export function findUserByTwitterId(twitterId: string, { viewer }: IdentifiedContext): Promise<User> {
  const { applicationId } = viewer;
  return requireOne(findUnique({ applicationId_twitterId: { applicationId, twitterId } }));
}

/** The user who has proven the phone, else the oldest who claims it. @throws {NoSuchUserError} */
export async function findUserByPhone(phone: string, { viewer }: IdentifiedContext): Promise<User> {
  const { applicationId } = viewer;
  const orderBy = { id: 'asc' } as const;
  const proven = await db.user.findFirst({ where: { applicationId, phone, verifiedPhone: phone }, orderBy });
  return proven ?? requireOne(db.user.findFirst({ where: { applicationId, phone }, orderBy }));
}

export async function findMe({ viewer: { applicationId, userId } }: UserContext): Promise<User> {
  const user = await userById({ applicationId, id: userId });
  // The user was deleted during the request, with their sessions.
  if (!user) throw new SessionMissingError();
  return user;
}

function findUnique(where: Prisma.UserWhereUniqueInput): Promise<User | null> {
  return db.user.findUnique({ where });
}

async function requireOne(found: Promise<User | null>): Promise<User> {
  const user = await found;
  if (!user) throw new NoSuchUserError();
  return user;
}

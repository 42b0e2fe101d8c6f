import type { KnownContext, UserContext } from '../../context.ts';
import { db, Prisma } from '../../db/client.ts';
import type { User } from '../../generated/prisma/client.ts';
import { type FieldErrors, InvalidFieldsError, NotFoundError } from '../../lib/errors.ts';
import { isDatabaseId } from '../../lib/tokens.ts';
import { type CheckedUser, checkedUser, newUserProblems, type UserInput } from '../../lib/user-rules.ts';
import { hashPassword } from './passwords.ts';

/**
 * Signs a user up in the caller's application; the caller's session stays as it is (gaps §4.1, §4.2).
 * @throws {InvalidFieldsError} all fields at fault, all texts
 */
export async function createUser(input: UserInput, { viewer, now }: KnownContext): Promise<User> {
  const { applicationId } = viewer;
  const user = checkedUser(wellFormed(input));
  const problems = newUserProblems(input, await takenFields(applicationId, user));
  if (Object.keys(problems).length > 0) throw new InvalidFieldsError(problems);

  const passwordHash = await hashPassword(input.password!);
  const at = now();
  try {
    return await db.user.create({ data: { ...user, applicationId, passwordHash, createdAt: at, updatedAt: at } });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    // Somebody else took it between the look and the insert.
    throw new InvalidFieldsError(await takenFields(applicationId, user));
  }
}

/**
 * @throws {InvalidFieldsError} an id that is no positive integer
 * @throws {NotFoundError} unknown user
 */
export async function findUser(id: number, { viewer }: KnownContext): Promise<User> {
  if (id < 1) throw new InvalidFieldsError({ id: ['should be a positive integer'] });
  const user = isDatabaseId(id)
    ? await db.user.findUnique({ where: { applicationId_id: { applicationId: viewer.applicationId, id } } })
    : null;
  if (!user) throw new NotFoundError('The user was not found');
  return user;
}

/** The user behind the call. */
export function findViewer({ viewer }: UserContext): Promise<User> {
  const { applicationId, userId } = viewer;
  return db.user.findUniqueOrThrow({ where: { applicationId_id: { applicationId, id: userId } } });
}

/** What is left of the input without the fields that break a rule by themselves. */
function wellFormed(input: UserInput): UserInput {
  const problems = newUserProblems(input);
  return Object.fromEntries(Object.entries(input).filter(([field]) => !(field in problems)));
}

/** Which of the fields that may exist once in an application another user has. */
async function takenFields(applicationId: number, user: CheckedUser): Promise<FieldErrors> {
  const unique = ['loginKey', 'email', 'facebookId', 'twitterId', 'externalUserId'] as const;
  const given = unique.filter((field) => user[field] !== null);
  if (given.length === 0) return {};
  const others = await db.user.findMany({
    where: { applicationId, OR: given.map((field) => ({ [field]: user[field] })) },
    select: { loginKey: true, email: true, facebookId: true, twitterId: true, externalUserId: true },
  });
  const taken = given.filter((field) => others.some((other) => other[field] === user[field]));
  return Object.fromEntries(taken.map((field) => [field === 'loginKey' ? 'login' : field, ['has already been taken']]));
}

function isUniqueViolation(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
}

import { db, Prisma } from '../../db/client.ts';
import { InvalidFieldsError } from '../../lib/errors.ts';
import type { FieldProblems } from '../../lib/problems.ts';
import type { CheckedUser } from './rules.ts';

const UNIQUE = ['loginKey', 'email', 'facebookId', 'twitterId', 'externalUserId'] as const;

interface Owner {
  applicationId: number;
  id?: number;
}

export async function takenFields({ applicationId, id }: Owner, user: Partial<CheckedUser>): Promise<FieldProblems> {
  const present = UNIQUE.filter((field) => user[field] !== null && user[field] !== undefined);
  if (present.length === 0) return {};
  const others = await db.user.findMany({
    where: { applicationId, OR: present.map((field) => ({ [field]: user[field] })), ...(id && { NOT: { id } }) },
    select: { loginKey: true, email: true, facebookId: true, twitterId: true, externalUserId: true },
  });
  const taken = present.filter((field) => others.some((other) => other[field] === user[field]));
  return Object.fromEntries(taken.map((field) => [field === 'loginKey' ? 'login' : field, ['TAKEN']]));
}

export function wellFormed<Input extends object>(input: Input, problems: FieldProblems): Input {
  const broken = new Set(Object.keys(problems).map((field) => (field === 'tagList' ? 'tags' : field)));
  return Object.fromEntries(Object.entries(input).filter(([field]) => !broken.has(field))) as Input;
}

/** Retries if a value is taken and released concurrently. */
const ATTEMPTS = 5;

/** @throws {InvalidFieldsError} another user took a value since the check */
export async function storeUnique<Stored>(
  owner: Owner,
  user: Partial<CheckedUser>,
  store: () => Promise<Stored>,
): Promise<Stored> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await store();
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      const taken = await takenFields(owner, user);
      if (Object.keys(taken).length > 0) throw new InvalidFieldsError(taken);
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
}

/** Once more if a concurrent request stored the same unique value, which is then found. */
export async function retriedOnce<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    return work();
  }
}

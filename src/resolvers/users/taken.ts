import { db, Prisma } from '../../db/client.ts';
import { type FieldErrors, InvalidFieldsError } from '../../lib/errors.ts';
import type { CheckedUser } from './rules.ts';

/** Fields that may exist once in an application. */
const UNIQUE = ['loginKey', 'email', 'facebookId', 'twitterId', 'externalUserId'] as const;

/** Whose fields they are; a new user has no id yet. */
interface Owner {
  applicationId: number;
  id?: number;
}

/** Which of the fields that may exist once in an application another user has. */
export async function takenFields({ applicationId, id }: Owner, user: Partial<CheckedUser>): Promise<FieldErrors> {
  const present = UNIQUE.filter((field) => user[field] !== null && user[field] !== undefined);
  if (present.length === 0) return {};
  const others = await db.user.findMany({
    where: { applicationId, OR: present.map((field) => ({ [field]: user[field] })), ...(id && { NOT: { id } }) },
    select: { loginKey: true, email: true, facebookId: true, twitterId: true, externalUserId: true },
  });
  const taken = present.filter((field) => others.some((other) => other[field] === user[field]));
  return Object.fromEntries(taken.map((field) => [field === 'loginKey' ? 'login' : field, ['has already been taken']]));
}

/** What is left of an input without the fields that break a rule by themselves. */
export function wellFormed<Input extends object>(input: Input, problems: FieldErrors): Input {
  const broken = new Set(Object.keys(problems).map((field) => (field === 'tagList' ? 'tags' : field)));
  return Object.fromEntries(Object.entries(input).filter(([field]) => !broken.has(field))) as Input;
}

/** How often somebody may take a field and give it back while it is wanted here. */
const ATTEMPTS = 5;

/**
 * Stores what was looked up to be free.
 * @throws {InvalidFieldsError} somebody took it between the look and the write
 */
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

/** Whether a unique index has refused a write. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
}

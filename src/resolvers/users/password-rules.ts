import { db } from '../../db/client.ts';
import { onFirstUse } from '../../lib/on-first-use.ts';
import { type FieldProblems, type Problem, problem } from '../../lib/problems.ts';
import { passwordProblems } from './rules.ts';

const MIN_STRICT = 10;
const MAX_STRICT = 128;
/** Shorter names occur in many good passwords. */
const MIN_NAME = 4;

interface Names {
  login?: string | null | undefined;
  email?: string | null | undefined;
}

/** Of a new password, by the rules of the application. Undefined without one. */
export async function newPasswordProblems(
  applicationId: number,
  password: string | null | undefined,
  names: Names,
): Promise<FieldProblems> {
  if (password === undefined) return {};
  const select = { strictPasswords: true };
  const { strictPasswords } = await db.application.findUniqueOrThrow({ where: { id: applicationId }, select });
  return { password: strictPasswords ? await strictProblems(password ?? '', names) : passwordProblems(password ?? '') };
}

async function strictProblems(password: string, { login, email }: Names): Promise<Problem[]> {
  if (/\p{Cc}/u.test(password)) return ['CONTROL_CHARACTERS'];
  if (password.length < MIN_STRICT) return [problem('TOO_SHORT', { min: MIN_STRICT })];
  if (password.length > MAX_STRICT) return [problem('TOO_LONG', { max: MAX_STRICT })];
  const typed = password.toLowerCase();
  const found = [login, email?.split('@')[0]].some(
    (name) => name && name.length >= MIN_NAME && typed.includes(name.toLowerCase()),
  );
  if (found) return ['PASSWORD_HAS_NAME'];
  return isRepeated(typed) || (await commonPasswords()).has(typed) ? ['PASSWORD_COMMON'] : [];
}

/** One to five characters again and again. */
function isRepeated(password: string): boolean {
  return [1, 2, 3, 4, 5].some((length) => {
    const part = password.slice(0, length);
    return part.repeat(Math.ceil(password.length / length)).startsWith(password);
  });
}

const commonPasswords = onFirstUse(async () => {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common'] as string[]);
});

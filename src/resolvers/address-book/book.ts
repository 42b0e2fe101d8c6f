import type { UserContext } from '../../context.ts';
import { Prisma } from '../../db/client.ts';
import { query } from '../../db/query.ts';
import { NotFoundError, UnprocessableError } from '../../lib/errors.ts';
import { type Problem, problem } from '../../lib/problems.ts';
import { MAX_UDID } from './rules.ts';

/** `udid` is empty for the book that belongs to no device. */
export interface BookKey {
  applicationId: number;
  userId: number;
  udid: string;
}

/** @throws {UnprocessableError} a udid of more than 64 characters */
export function bookOf(udid: string | null | undefined, { viewer }: UserContext): BookKey {
  const problems = udidProblems(udid);
  if (problems.length > 0) throw new UnprocessableError(...problems);
  return { applicationId: viewer.applicationId, userId: viewer.userId, udid: udid ?? '' };
}

export function udidProblems(udid: string | null | undefined): Problem[] {
  return [...(udid ?? '')].length > MAX_UDID ? [problem('UDID_TOO_LONG', { max: MAX_UDID })] : [];
}

export function inBook({ applicationId, userId, udid }: BookKey): Prisma.Sql {
  return Prisma.sql`c.application_id = ${applicationId} AND c.user_id = ${userId} AND c.udid = ${udid}`;
}

/** @throws {NotFoundError} */
export async function requireContacts(book: BookKey): Promise<void> {
  const [found] = await query<unknown>`SELECT 1 AS one FROM contacts c WHERE ${inBook(book)} LIMIT 1`;
  if (!found) throw emptyBook();
}

export function emptyBook(): NotFoundError {
  return new NotFoundError('ADDRESS_BOOK_EMPTY');
}

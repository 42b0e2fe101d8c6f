import { BadInputError, CursorExpiredError } from '../lib/errors.ts';
import { keptPosition } from './outbox-reader.ts';

/**
 * @throws {BadInputError} malformed cursor
 * @throws {CursorExpiredError} the outbox no longer stores the position
 */
export async function requireKept(cursor: string, { applicationId }: { applicationId: number }): Promise<bigint> {
  if (!/^(0|[1-9]\d{0,17})$/.test(cursor)) throw new BadInputError('CURSOR_INVALID');
  const position = await keptPosition({ applicationId, position: BigInt(cursor) });
  if (position === undefined) throw new CursorExpiredError();
  return position;
}

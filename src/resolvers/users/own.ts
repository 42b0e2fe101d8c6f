import type { ActingContext } from '../../context.ts';
import type { User } from '../../generated/prisma/client.ts';
import { OtherUserError } from '../../lib/errors.ts';

/** Users may change only themselves; API keys alone, any user. @throws {OtherUserError} */
export function requireOwn(user: User, { viewer }: ActingContext): void {
  if (viewer.kind === 'user' && viewer.userId !== user.id) throw new OtherUserError();
}

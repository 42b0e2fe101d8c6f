import type { ActingContext } from '../context.ts';
import { BadInputError, CursorExpiredError } from '../lib/errors.ts';
import { isKept } from '../realtime/outbox-reader.ts';
import type { Watch, WatchedKind } from '../realtime/watch.ts';
import { requireReadableDialog } from './dialogs/access.ts';

/**
 * What happens in one dialog, or in all the caller may see, from now on or from behind a cursor.
 * @throws {NotFoundError} unknown dialog
 * @throws {ForbiddenError} the caller is not one of its occupants
 * @throws {BadInputError} no cursor of ours
 * @throws {CursorExpiredError} what came behind the cursor is no longer kept
 */
export async function watchDialogs(
  kind: WatchedKind,
  { dialogId, since }: { dialogId?: string | null; since?: string | null },
  { viewer, hub }: ActingContext,
): Promise<Watch> {
  if (dialogId != null) await requireReadableDialog(dialogId, viewer);
  const position = since == null ? undefined : await requireKept(since);
  return hub.watch({ viewer, kind, dialogId: dialogId ?? undefined }, position);
}

async function requireKept(cursor: string): Promise<bigint> {
  if (!/^[1-9]\d{0,17}$/.test(cursor)) throw new BadInputError('Invalid cursor');
  const position = BigInt(cursor);
  if (!(await isKept(position))) throw new CursorExpiredError();
  return position;
}

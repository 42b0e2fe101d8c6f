import type { ActingContext, UserContext } from '../context.ts';
import { BadInputError, CursorExpiredError } from '../lib/errors.ts';
import { MAX_PAGE } from '../lib/pages.ts';
import { isKept } from '../realtime/outbox-reader.ts';
import type { StreamEvent, Watch, WatchedKind } from '../realtime/watch.ts';
import { requireReadableDialog } from './dialogs/access.ts';

interface WatchedDialog {
  dialogId?: string | null;
  since?: string | null;
}

/** What has happened behind a cursor, and the cursor to go on from. */
export interface ChangesSince {
  events: StreamEvent[];
  cursor: string;
  hasMore: boolean;
}

/**
 * What happens in one dialog, or in all the caller may see, from now on or from behind a cursor.
 * @throws {NotFoundError} unknown dialog
 * @throws {ForbiddenError} the caller is not one of its occupants
 * @throws {BadInputError} no cursor of ours
 * @throws {CursorExpiredError} what came behind the cursor is no longer kept
 */
export async function watchDialogs(
  kind: WatchedKind,
  { dialogId, since }: WatchedDialog,
  { viewer, hub }: ActingContext,
): Promise<Watch> {
  const { removals } = hub;
  if (dialogId != null) await requireReadableDialog(dialogId, viewer);
  const position = since == null ? undefined : await requireKept(since);
  const watch = await hub.watch({ viewer, kind, dialogId: dialogId ?? undefined }, position);
  // Whoever is removed from now on has their watch ended; it may have happened while it was being made.
  if (dialogId != null && hub.removals !== removals) {
    try {
      await requireReadableDialog(dialogId, viewer);
    } catch (error) {
      await watch.return();
      throw error;
    }
  }
  return watch;
}

/**
 * What has happened behind a cursor, for clients that ask now and then; without a cursor the present one.
 * @param first 1 to 100; `hasMore` tells that another call gets more
 * @throws as `watchDialogs`
 */
export async function listChanges(
  { dialogId, since, first }: WatchedDialog & { first: number },
  context: ActingContext,
): Promise<ChangesSince> {
  const { viewer, hub } = context;
  if (first < 1 || first > MAX_PAGE) throw new BadInputError(`first should be between 1 and ${MAX_PAGE}`);
  if (dialogId != null) await requireReadableDialog(dialogId, viewer);
  const position = since == null ? undefined : await requireKept(since);
  const watched = { viewer, kind: 'dialogEvents' as const, dialogId: dialogId ?? undefined };
  const changes = await hub.changes(watched, position, first);
  const events = await withoutGone(changes.events, context);
  return { events, cursor: String(changes.position), hasMore: changes.hasMore };
}

/** Leaves out what tells of messages or dialogs that are deleted since. */
async function withoutGone(events: StreamEvent[], { viewer, loaders }: ActingContext): Promise<StreamEvent[]> {
  const isThere = async ({ told }: StreamEvent): Promise<boolean> => {
    if (told.kind === 'dialogChanged') return told.dialogType !== null;
    if (told.kind !== 'messageSent' && told.kind !== 'messageEdited') return true;
    const message = await loaders.message.load({ applicationId: viewer.applicationId, id: told.subjectId });
    return message !== null && !message.isHidden;
  };
  const there = await Promise.all(events.map(isThere));
  return events.filter((_, index) => there[index]);
}

/**
 * Messages of a dialog that were sent or edited behind a cursor, and the cursor to go on from.
 * @param since empty: the present, and no ids
 * @throws as `watchDialogs`
 */
export async function changedMessages(
  { dialogId, since, limit }: { dialogId: string; since: string; limit: number },
  { viewer, hub }: ActingContext,
): Promise<{ ids: string[] | undefined; cursor: string }> {
  const position = since === '' ? undefined : await requireKept(since);
  const { events, position: reached } = await hub.changes(
    { viewer, kind: 'messageChanges', dialogId },
    position,
    limit,
  );
  const ids = position === undefined ? undefined : [...new Set(events.map(({ told }) => told.subjectId))];
  return { ids, cursor: String(reached) };
}

/**
 * Tells the other occupants who listen now that the caller is typing; nothing of it is kept.
 * @throws {NotFoundError} @throws {ForbiddenError} the caller is no occupant
 */
export async function startTyping(dialogId: string, { viewer, hub }: UserContext): Promise<true> {
  const dialog = await requireReadableDialog(dialogId, viewer);
  hub.tell({
    kind: 'typing',
    applicationId: viewer.applicationId,
    dialogId,
    subjectId: dialogId,
    userId: viewer.userId,
    name: null,
    detail: null,
    audienceIds: null,
    classKey: null,
    dialogType: dialog.type,
    memberVersion: dialog.memberVersion,
  });
  return true;
}

/** @throws {BadInputError} no cursor of ours @throws {CursorExpiredError} */
export async function requireKept(cursor: string): Promise<bigint> {
  if (!/^(0|[1-9]\d{0,17})$/.test(cursor)) throw new BadInputError('Invalid cursor');
  const position = BigInt(cursor);
  if (!(await isKept(position))) throw new CursorExpiredError();
  return position;
}

import type { ActingContext } from '../../context.ts';
import { BadInputError } from '../../lib/errors.ts';
import { MAX_PAGE } from '../../lib/pagination.ts';
import { requireKept } from '../../realtime/cursors.ts';
import type { StreamEvent, Subscription, SubscriptionKind } from '../../realtime/subscription.ts';
import { requireReadableDialog } from '../dialogs/access.ts';
import { messageLoader } from './rows.ts';

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
export async function subscribeToDialogs(
  kind: SubscriptionKind,
  { dialogId, since }: WatchedDialog,
  { viewer, hub }: ActingContext,
): Promise<Subscription> {
  const { removals } = hub;
  if (dialogId != null) await requireReadableDialog(dialogId, viewer);
  const position = since == null ? undefined : await requireKept(since);
  const subscription = await hub.subscribe({ viewer, kind, dialogId: dialogId ?? undefined }, position);
  // Whoever is removed from now on has their watch ended; it may have happened while it was being made.
  if (dialogId != null && hub.removals !== removals) {
    try {
      await requireReadableDialog(dialogId, viewer);
    } catch (error) {
      await subscription.return();
      throw error;
    }
  }
  return subscription;
}

/**
 * What has happened behind a cursor, for clients that ask now and then; without a cursor the present one.
 * @param first 1 to 100; `hasMore` tells that another call gets more
 * @throws as `subscribeToDialogs`
 */
export async function listChanges(
  { dialogId, since, first }: WatchedDialog & { first: number },
  context: ActingContext,
): Promise<ChangesSince> {
  const { viewer, hub } = context;
  if (first < 1 || first > MAX_PAGE) throw new BadInputError(`first should be between 1 and ${MAX_PAGE}`);
  if (dialogId != null) await requireReadableDialog(dialogId, viewer);
  const position = since == null ? undefined : await requireKept(since);
  const target = { viewer, kind: 'dialogEvents' as const, dialogId: dialogId ?? undefined };
  const changes = await hub.changes(target, position, first);
  const events = await withoutGone(changes.events, context);
  return { events, cursor: String(changes.position), hasMore: changes.hasMore };
}

/** Leaves out what tells of messages or dialogs that are deleted since. */
async function withoutGone(events: StreamEvent[], { viewer, loaders }: ActingContext): Promise<StreamEvent[]> {
  const isThere = async ({ payload: told }: StreamEvent): Promise<boolean> => {
    if (told.kind === 'dialogChanged') return told.dialogType !== null;
    if (told.kind !== 'messageSent' && told.kind !== 'messageEdited') return true;
    const message = await loaders.of(messageLoader).load({ applicationId: viewer.applicationId, id: told.subjectId });
    return message !== undefined && !message.isHidden;
  };
  const there = await Promise.all(events.map(isThere));
  return events.filter((_, index) => there[index]);
}

/**
 * Messages of a dialog that were sent or edited behind a cursor, and the cursor to go on from.
 * @param since empty: the present, and no ids
 * @throws as `subscribeToDialogs`
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
  const ids = position === undefined ? undefined : [...new Set(events.map(({ payload: told }) => told.subjectId))];
  return { ids, cursor: String(reached) };
}

import type { ActingContext } from '../../context.ts';
import { db } from '../../db/client.ts';
import { BadInputError } from '../../lib/errors.ts';
import { MAX_PAGE } from '../../lib/pagination.ts';
import { problem } from '../../lib/problems.ts';
import type { StreamEvent, Subscription, SubscriptionKind } from '../../realtime/subscription.ts';
import { requireReadableDialog } from '../dialogs/access.ts';
import { type MessageRow, messageLoader } from './rows.ts';

interface WatchedDialog {
  dialogId?: string | null;
  since?: string | null;
}

export interface ChangesSince {
  events: StreamEvent[];
  cursor: string;
  hasMore: boolean;
}

/** @throws {NotFoundError} {ForbiddenError} {BadInputError} {CursorExpiredError} */
export async function subscribeToDialogs(
  kind: SubscriptionKind,
  { dialogId, since }: WatchedDialog,
  { viewer, hub, isJoined }: ActingContext,
): Promise<Subscription> {
  const { removals } = hub;
  if (dialogId != null) await requireReadableDialog(dialogId, viewer);
  const target = { viewer, kind, dialogId: dialogId ?? undefined, ...(isJoined && { isJoined }) };
  const subscription = await hub.subscribe(target, since ?? undefined);
  // A removal ends existing subscriptions; one that happened during `subscribe` requires another check.
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

/** @throws like `subscribeToDialogs` */
export function subscribeToTyping(
  { dialogId, includeStops }: { dialogId?: string | null; includeStops: boolean },
  context: ActingContext,
): Promise<Subscription> {
  return subscribeToDialogs(includeStops ? 'typingWithStops' : 'typing', { dialogId }, context);
}

/** Without `since`, returns the current cursor. @throws like `subscribeToDialogs` */
export async function listChanges(
  { dialogId, since, first }: WatchedDialog & { first: number },
  context: ActingContext,
): Promise<ChangesSince> {
  const { viewer, hub } = context;
  if (first < 1 || first > MAX_PAGE)
    throw new BadInputError(problem('OUT_OF_RANGE', { name: 'first', min: 1, max: MAX_PAGE }));
  if (dialogId != null) await requireReadableDialog(dialogId, viewer);
  const target = { viewer, kind: 'dialogEvents' as const, dialogId: dialogId ?? undefined };
  const changes = await hub.changes(target, since ?? undefined, first);
  const events = await withoutGone(changes.events, context);
  return { events, cursor: String(changes.position), hasMore: changes.hasMore };
}

export const MAX_MARKED = 100;

export type Marked = Pick<MessageRow, 'id' | 'clientId' | 'senderId'>;

/** Equal for all subscribers, so without content, which some may have deleted for themselves. */
export function listMarked({ applicationId, dialogId, detail }: StreamEvent['payload']): Promise<Marked[]> {
  const ids = detail?.messageIds;
  return db.message.findMany({
    where: { applicationId, dialogId: dialogId!, ...(ids && { id: { in: ids } }) },
    orderBy: { seq: 'desc' },
    take: MAX_MARKED,
    select: { id: true, clientId: true, senderId: true },
  });
}

async function withoutGone(events: StreamEvent[], { viewer, loaders }: ActingContext): Promise<StreamEvent[]> {
  const exists = async ({ payload }: StreamEvent): Promise<boolean> => {
    if (payload.kind === 'dialogChanged') return payload.dialogType !== null;
    if (payload.kind !== 'messageSent' && payload.kind !== 'messageEdited') return true;
    const message = await loaders
      .of(messageLoader)
      .load({ applicationId: viewer.applicationId, id: payload.subjectId });
    return message !== undefined && !message.isHidden;
  };
  const existing = await Promise.all(events.map(exists));
  return events.filter((_, index) => existing[index]);
}

/** @param since empty: returns the current cursor and no ids */
export async function changedMessages(
  { dialogId, since, limit }: { dialogId: string; since: string; limit: number },
  { viewer, hub }: ActingContext,
): Promise<{ ids: string[] | undefined; cursor: string }> {
  const target = { viewer, kind: 'messageChanges' as const, dialogId };
  const { events, position: reached } = await hub.changes(target, since || undefined, limit);
  const ids = since === '' ? undefined : [...new Set(events.map(({ payload }) => payload.subjectId))];
  return { ids, cursor: String(reached) };
}

import { DIALOG_TYPE } from '../db/dialog-types.ts';
import { addTo, removeFrom } from '../lib/collections.ts';
import { LiveEvent } from './live-queue.ts';
import type { StreamRow } from './outbox-reader.ts';
import { canReceive, type Recipients } from './recipients.ts';
import { type RecordClass, RecordFilters } from './record-filters.ts';
import { isEphemeral, type StreamEvent, type Subscription, type SubscriptionTarget, wants } from './subscription.ts';

const { PUBLIC_GROUP } = DIALOG_TYPE;

export class SubscriptionRegistry {
  /** Subscriptions of one dialog by dialog id. */
  readonly #ofDialog = new Map<string, Set<Subscription>>();
  /** Subscriptions of all dialogs of a user, by application and user; `*` for an API key alone. */
  readonly #ofUser = new Map<string, Set<Subscription>>();
  /** Subscriptions of records by class key. */
  readonly #ofClass = new Map<number, Set<Subscription>>();
  readonly #recordFilters = new RecordFilters();
  #ephemeralOfUsers = 0;

  get size(): number {
    let count = 0;
    for (const subscriptions of this.#sets()) count += subscriptions.size;
    return count;
  }

  *[Symbol.iterator](): Iterator<Subscription> {
    for (const subscriptions of this.#sets()) yield* subscriptions;
  }

  add(subscription: Subscription): void {
    const { classKey } = subscription.target;
    this.#recordFilters.add(subscription.target);
    if (isOfAllDialogs(subscription)) this.#ephemeralOfUsers++;
    if (classKey !== undefined) addTo(this.#ofClass, classKey, subscription);
    else addTo(...this.#indexOf(subscription.target), subscription);
  }

  delete(subscription: Subscription): boolean {
    const { classKey } = subscription.target;
    const wasThere =
      classKey === undefined
        ? removeFrom(...this.#indexOf(subscription.target), subscription)
        : removeFrom(this.#ofClass, classKey, subscription);
    if (wasThere) this.#recordFilters.delete(subscription.target);
    if (wasThere && isOfAllDialogs(subscription)) this.#ephemeralOfUsers--;
    return wasThere;
  }

  hasRecordFilter(recordClass: RecordClass, text: string): boolean {
    return this.#recordFilters.has(recordClass, text);
  }

  /** Whether a subscription may want a row that is not stored; most have none. */
  wantNow(row: StreamRow): boolean {
    const { applicationId, audienceIds } = row;
    if (audienceIds) return audienceIds.some((id) => this.#ofUser.has(userKey(applicationId, id)));
    if (this.#ephemeralOfUsers > 0) return true;
    return [...(this.#ofDialog.get(row.dialogId!) ?? [])].some(({ target }) => wants(target.kind, row));
  }

  mayWant({ kind, applicationId, dialogId, classKey, audienceIds }: StreamRow): boolean {
    if (classKey !== null) return this.#ofClass.has(classKey);
    if (kind === 'contactChanged') return audienceIds!.some((id) => this.#ofUser.has(userKey(applicationId, id)));
    return dialogId !== null && (this.#ofDialog.has(dialogId) || this.#ofUser.size > 0);
  }

  deliver(row: StreamRow, recipients: Recipients): void {
    const event = new LiveEvent(row, row.createdAt?.getTime());
    if (row.classKey !== null) {
      this.#deliverOfClass(row, row.classKey, event);
      return;
    }
    const isLoss = row.kind === 'dialogRemoved' && row.detail?.removal !== 'hidden';
    const deliver = (subscription: Subscription) => {
      const { viewer, kind } = subscription.target;
      if (viewer.applicationId !== row.applicationId || !canReceive(viewer, row, recipients)) return;
      if (row.position >= 0n && row.position <= subscription.startsAfter) return;
      if (isOfAllDialogs(subscription) && !isForAllDialogs(row, subscription.target)) return;
      if (isLoss) subscription.loseRights(row);
      if (wants(kind, row)) subscription.push(event);
    };
    const ofDialog = this.#ofDialog.get(row.dialogId!) ?? [];
    for (const subscription of ofDialog) deliver(subscription);
    for (const subscription of this.#ofUser.get(userKey(row.applicationId, '*')) ?? []) deliver(subscription);
    for (const subscription of this.#subscriptionsOfUsers(row.applicationId, recipients)) deliver(subscription);
    if (isLoss) {
      for (const subscription of ofDialog) {
        if (row.position > subscription.startsAfter && canReceive(subscription.target.viewer, row, recipients))
          subscription.finish();
      }
    }
  }

  #deliverOfClass(row: StreamRow, classKey: number, event: StreamEvent): void {
    for (const subscription of this.#ofClass.get(classKey) ?? []) {
      // Class keys are unique only within an application, because imports preserve them.
      if (subscription.target.viewer.applicationId !== row.applicationId || row.position <= subscription.startsAfter)
        continue;
      if (wants(subscription.target.kind, row)) subscription.push(event);
      else if (row.kind === 'classDeleted') subscription.finish();
    }
  }

  /** Iterates over the smaller set: the recipients, or the subscribed users. */
  *#subscriptionsOfUsers(applicationId: number, recipients: Recipients): Iterable<Subscription> {
    if (recipients !== 'everyone' && recipients.size <= this.#ofUser.size) {
      for (const userId of recipients) yield* this.#ofUser.get(userKey(applicationId, userId)) ?? [];
    } else {
      for (const [key, subscriptions] of this.#ofUser) {
        if (key !== userKey(applicationId, '*')) yield* subscriptions;
      }
    }
  }

  #indexOf({ viewer, dialogId }: SubscriptionTarget): [Map<string, Set<Subscription>>, string] {
    if (dialogId !== undefined) return [this.#ofDialog, dialogId];
    return [this.#ofUser, userKey(viewer.applicationId, viewer.kind === 'user' ? viewer.userId : '*')];
  }

  *#sets(): Iterable<Set<Subscription>> {
    yield* this.#ofDialog.values();
    yield* this.#ofUser.values();
    yield* this.#ofClass.values();
  }
}

/** Of rows that are not stored. */
function isOfAllDialogs({ target: { kind, dialogId } }: Subscription): boolean {
  return dialogId === undefined && isEphemeral(kind);
}

function isForAllDialogs({ dialogType, dialogId, detail }: StreamRow, target: SubscriptionTarget): boolean {
  if (dialogType === PUBLIC_GROUP) return target.isJoined?.(dialogId!) ?? false;
  const recipientId = detail?.signal?.recipientId;
  const isOwn = recipientId !== undefined && target.viewer.kind === 'user' && target.viewer.userId !== recipientId;
  return !isOwn || target.includesOwn === true;
}

function userKey(applicationId: number, user: number | '*'): string {
  return `${applicationId}:${user}`;
}

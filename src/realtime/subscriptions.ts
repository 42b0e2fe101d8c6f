import { addTo, removeFrom } from '../lib/collections.ts';
import { LiveEvent } from './live-queue.ts';
import type { StreamRow } from './outbox-reader.ts';
import { canReceive, type Recipients } from './recipients.ts';
import { type RecordClass, RecordFilters } from './record-filters.ts';
import { type StreamEvent, type Subscription, type SubscriptionTarget, wants } from './subscription.ts';

/** All that is watched in this process, found by what a row of the stream tells of. */
export class SubscriptionRegistry {
  /** Watches of one dialog, by its id. */
  readonly #ofDialog = new Map<string, Set<Subscription>>();
  /** Watches of all the dialogs of a user, by application and user; of an API key alone under `*`. */
  readonly #ofUser = new Map<string, Set<Subscription>>();
  /** Watches of the records of one class, by its key. */
  readonly #ofClass = new Map<number, Set<Subscription>>();
  readonly #recordFilters = new RecordFilters();

  get size(): number {
    let count = 0;
    for (const subscriptions of this.#sets()) count += subscriptions.size;
    return count;
  }

  *[Symbol.iterator](): Iterator<Subscription> {
    for (const subscriptions of this.#sets()) yield* subscriptions;
  }

  /** @throws {BadInputError} as `RecordFilters` */
  add(subscription: Subscription): void {
    const { classKey } = subscription.target;
    this.#recordFilters.add(subscription.target);
    if (classKey !== undefined) addTo(this.#ofClass, classKey, subscription);
    else addTo(...this.#indexOf(subscription.target), subscription);
  }

  /** @returns whether it was there */
  delete(subscription: Subscription): boolean {
    const { classKey } = subscription.target;
    const wasThere =
      classKey === undefined
        ? removeFrom(...this.#indexOf(subscription.target), subscription)
        : removeFrom(this.#ofClass, classKey, subscription);
    if (wasThere) this.#recordFilters.delete(subscription.target);
    return wasThere;
  }

  /** Whether a watch of the records of a class has this filter. */
  hasRecordFilter(recordClass: RecordClass, text: string): boolean {
    return this.#recordFilters.has(recordClass, text);
  }

  /** Whether a watch of this very dialog wants a row; most dialogs have none. */
  wantOfDialog(row: StreamRow): boolean {
    return [...(this.#ofDialog.get(row.dialogId!) ?? [])].some(({ target }) => wants(target.kind, row));
  }

  /** Whether somebody may want to be told of a row. */
  mayWant({ dialogId, classKey }: StreamRow): boolean {
    if (classKey !== null) return this.#ofClass.has(classKey);
    return dialogId !== null && (this.#ofDialog.has(dialogId) || this.#ofUser.size > 0);
  }

  /** Hands a row to the watches that want it and may know of it. */
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
      // Keys of classes are unique within their application; an imported one brings its own.
      if (subscription.target.viewer.applicationId !== row.applicationId || row.position <= subscription.startsAfter)
        continue;
      if (wants(subscription.target.kind, row)) subscription.push(event);
      else if (row.kind === 'classDeleted') subscription.finish();
    }
  }

  /** Looks from the shorter side: few users listening to a large group, or many to a small one. */
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

function userKey(applicationId: number, user: number | '*'): string {
  return `${applicationId}:${user}`;
}

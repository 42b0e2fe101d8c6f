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
    for (const watches of this.#sets()) count += watches.size;
    return count;
  }

  *[Symbol.iterator](): Iterator<Subscription> {
    for (const watches of this.#sets()) yield* watches;
  }

  /** @throws {BadInputError} as `RecordFilters` */
  add(watch: Subscription): void {
    const { classKey } = watch.target;
    this.#recordFilters.add(watch.target);
    if (classKey !== undefined) addTo(this.#ofClass, classKey, watch);
    else addTo(...this.#placeOf(watch.target), watch);
  }

  /** @returns whether it was there */
  delete(watch: Subscription): boolean {
    const { classKey } = watch.target;
    const wasThere =
      classKey === undefined
        ? removeFrom(...this.#placeOf(watch.target), watch)
        : removeFrom(this.#ofClass, classKey, watch);
    if (wasThere) this.#recordFilters.delete(watch.target);
    return wasThere;
  }

  /** Whether a watch of the records of a class has this filter. */
  hasRecordFilter(recordClass: RecordClass, text: string): boolean {
    return this.#recordFilters.has(recordClass, text);
  }

  /** Whether a watch of this very dialog wants a row; most dialogs have none. */
  wantOfDialog(row: StreamRow): boolean {
    return [...(this.#ofDialog.get(row.dialogId!) ?? [])].some(({ target: watched }) => wants(watched.kind, row));
  }

  /** Whether somebody may want to be told of a row. */
  mayWant({ dialogId, classKey }: StreamRow): boolean {
    if (classKey !== null) return this.#ofClass.has(classKey);
    return dialogId !== null && (this.#ofDialog.has(dialogId) || this.#ofUser.size > 0);
  }

  /** Hands a row to the watches that want it and may know of it. */
  deliver(row: StreamRow, audience: Recipients): void {
    const event = new LiveEvent(row, row.createdAt?.getTime());
    if (row.classKey !== null) {
      this.#deliverOfClass(row, row.classKey, event);
      return;
    }
    const isLoss = row.kind === 'dialogRemoved' && row.detail?.removal !== 'hidden';
    const deliver = (watch: Subscription) => {
      const { viewer, kind } = watch.target;
      if (viewer.applicationId !== row.applicationId || !canReceive(viewer, row, audience)) return;
      if (row.position >= 0n && row.position <= watch.startsAfter) return;
      if (isLoss) watch.loseRights(row);
      if (wants(kind, row)) watch.push(event);
    };
    const ofDialog = this.#ofDialog.get(row.dialogId!) ?? [];
    for (const watch of ofDialog) deliver(watch);
    for (const watch of this.#ofUser.get(placeOfUser(row.applicationId, '*')) ?? []) deliver(watch);
    for (const watch of this.#watchesOfUsers(row.applicationId, audience)) deliver(watch);
    if (isLoss) {
      for (const watch of ofDialog) {
        if (row.position > watch.startsAfter && canReceive(watch.target.viewer, row, audience)) watch.finish();
      }
    }
  }

  #deliverOfClass(row: StreamRow, classKey: number, event: StreamEvent): void {
    for (const watch of this.#ofClass.get(classKey) ?? []) {
      // Keys of classes are unique within their application; an imported one brings its own.
      if (watch.target.viewer.applicationId !== row.applicationId || row.position <= watch.startsAfter) continue;
      if (wants(watch.target.kind, row)) watch.push(event);
      else if (row.kind === 'classDeleted') watch.finish();
    }
  }

  /** Looks from the shorter side: few users listening to a large group, or many to a small one. */
  *#watchesOfUsers(applicationId: number, audience: Recipients): Iterable<Subscription> {
    if (audience !== 'everyone' && audience.size <= this.#ofUser.size) {
      for (const userId of audience) yield* this.#ofUser.get(placeOfUser(applicationId, userId)) ?? [];
    } else {
      for (const [place, watches] of this.#ofUser) {
        if (place !== placeOfUser(applicationId, '*')) yield* watches;
      }
    }
  }

  #placeOf({ viewer, dialogId }: SubscriptionTarget): [Map<string, Set<Subscription>>, string] {
    if (dialogId !== undefined) return [this.#ofDialog, dialogId];
    return [this.#ofUser, placeOfUser(viewer.applicationId, viewer.kind === 'user' ? viewer.userId : '*')];
  }

  *#sets(): Iterable<Set<Subscription>> {
    yield* this.#ofDialog.values();
    yield* this.#ofUser.values();
    yield* this.#ofClass.values();
  }
}

function placeOfUser(applicationId: number, user: number | '*'): string {
  return `${applicationId}:${user}`;
}

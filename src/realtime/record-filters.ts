import { jobOwnerOf } from '../lib/access.ts';
import { BadInputError } from '../lib/errors.ts';
import { problem } from '../lib/problems.ts';
import type { SubscriptionTarget } from './subscription.ts';

/** Limit per caller, because each change of a record is compared with all values. */
const MAX_VALUES_PER_CALLER = 1_000;

/** Limits of the JSON of one filter and of all filters of a caller, which remain in memory. */
const MAX_CHARACTERS = 16 * 1024;
const MAX_CHARACTERS_PER_CALLER = 64 * 1024;

export class RecordFilters {
  readonly #subscriptions = new Map<string, number>();
  readonly #valuesOfCaller = new Map<string, number>();
  readonly #charactersOfCaller = new Map<string, number>();

  /** @throws {BadInputError} too many values or characters in all filters of the caller */
  add({ viewer, classKey, filter }: SubscriptionTarget): void {
    if (!filter || classKey === undefined) return;
    const caller = callerOf(viewer);
    const valueCount = (this.#valuesOfCaller.get(caller) ?? 0) + filter.valueCount;
    if (valueCount > MAX_VALUES_PER_CALLER) {
      throw new BadInputError(problem('TOO_MANY_FILTER_VALUES', { max: MAX_VALUES_PER_CALLER }));
    }
    const characters = (this.#charactersOfCaller.get(caller) ?? 0) + filter.text.length;
    if (filter.text.length > MAX_CHARACTERS || characters > MAX_CHARACTERS_PER_CALLER) {
      throw new BadInputError(problem('FILTER_TOO_LONG', { max: MAX_CHARACTERS, total: MAX_CHARACTERS_PER_CALLER }));
    }
    change(this.#valuesOfCaller, caller, filter.valueCount);
    change(this.#charactersOfCaller, caller, filter.text.length);
    change(this.#subscriptions, keyOf({ applicationId: viewer.applicationId, key: classKey }, filter.text), 1);
  }

  delete({ viewer, classKey, filter }: SubscriptionTarget): void {
    if (!filter || classKey === undefined) return;
    change(this.#valuesOfCaller, callerOf(viewer), -filter.valueCount);
    change(this.#charactersOfCaller, callerOf(viewer), -filter.text.length);
    change(this.#subscriptions, keyOf({ applicationId: viewer.applicationId, key: classKey }, filter.text), -1);
  }

  has(recordClass: RecordClass, text: string): boolean {
    return this.#subscriptions.has(keyOf(recordClass, text));
  }
}

export interface RecordClass {
  applicationId: number;
  key: number;
}

function callerOf(viewer: SubscriptionTarget['viewer']): string {
  return jobOwnerOf(viewer).join(' ');
}

function keyOf({ applicationId, key }: RecordClass, text: string): string {
  return `${applicationId} ${key} ${text}`;
}

function change(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}

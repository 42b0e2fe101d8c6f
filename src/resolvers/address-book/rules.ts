/** An entry of an upload as it was sent; null where the item was no object. */
export type ContactInput = { name?: string | null; phone?: string | null; destroy?: unknown } | null | undefined;

/** Takes a contact out of the book, or puts it in under this name. */
export interface ContactChange {
  phone: string;
  /** Undefined for one that is to go. */
  name: string | undefined;
}

export const MAX_UDID = 64;

export const PHONE = { min: 10, max: 15 };
export const NAME = { min: 1, max: 255 };

/** Sentences of the rules that an entry breaks; one that is to go needs no name. */
export function contactProblems(contact: ContactInput): string[] {
  const { name, phone } = contact ?? {};
  const isGoing = contact?.destroy === true;
  if (typeof (contact?.destroy ?? false) === 'object') return ['Invalid fields set'];
  if (phone == null || (name == null && !isGoing)) return ['Invalid fields set'];
  return [...lengthProblems('phone', phone, PHONE), ...(isGoing ? [] : lengthProblems('name', name!, NAME))];
}

/** An entry without problems as a change. */
export function contactChange(contact: ContactInput): ContactChange {
  const { name, phone, destroy } = contact!;
  return { phone: phone!, name: destroy === true ? undefined : name! };
}

/** What an upload makes of a book. */
export interface UploadPlan {
  created: number;
  updated: number;
  deleted: number;
  /** Phones that go before anything is stored. */
  gone: string[];
  /** Contacts that are stored then, new ones in their order. */
  stored: { phone: string; name: string }[];
}

/**
 * Plays the changes in their order. A known phone counts as updated even if nothing changes, and removing an unknown
 * one counts nothing.
 * @param known phones of the book, or all of the changes that are in it
 * @param force what is in the book and in no change goes
 */
export function planUpload(known: Iterable<string>, changes: ContactChange[], force: boolean): UploadPlan {
  const before = new Set(known);
  const present = new Set(before);
  const named = new Set<string>();
  const gone = new Set<string>();
  // Keeps the order in which phones came in; one that goes and comes back is new.
  const stored = new Map<string, string>();
  const counts = { created: 0, updated: 0, deleted: 0 };
  for (const { phone, name } of changes) {
    named.add(phone);
    if (name !== undefined) {
      counts[present.has(phone) ? 'updated' : 'created']++;
      present.add(phone);
      stored.set(phone, name);
    } else if (present.delete(phone)) {
      counts.deleted++;
      stored.delete(phone);
      if (before.has(phone)) gone.add(phone);
    }
  }
  if (force) {
    const unnamed = [...before].filter((phone) => !named.has(phone));
    counts.deleted += unnamed.length;
    for (const phone of unnamed) gone.add(phone);
  }
  return { ...counts, gone: [...gone], stored: Array.from(stored, ([phone, name]) => ({ phone, name })) };
}

function lengthProblems(field: string, text: string, { min, max }: { min: number; max: number }): string[] {
  const { length } = [...text];
  return length >= min && length <= max ? [] : [`Length of '${field}' field should be min: ${min} and max: ${max}.`];
}

export type ContactInput = { name?: string | null; phone?: string | null; destroy?: unknown } | null | undefined;

export interface ContactChange {
  phone: string;
  /** Undefined removes the contact. */
  name: string | undefined;
}

export const MAX_UDID = 64;

export const PHONE = { min: 10, max: 15 };
export const NAME = { min: 1, max: 255 };

export function contactProblems(contact: ContactInput): string[] {
  const { name, phone } = contact ?? {};
  const isGoing = contact?.destroy === true;
  if (typeof (contact?.destroy ?? false) === 'object') return ['Invalid fields set'];
  if (phone == null || (name == null && !isGoing)) return ['Invalid fields set'];
  return [...lengthProblems('phone', phone, PHONE), ...(isGoing ? [] : lengthProblems('name', name!, NAME))];
}

export function contactChange(contact: ContactInput): ContactChange {
  const { name, phone, destroy } = contact!;
  return { phone: phone!, name: destroy === true ? undefined : name! };
}

export interface UploadPlan {
  created: number;
  updated: number;
  deleted: number;
  gone: string[];
  stored: { phone: string; name: string }[];
}

/** `force` removes contacts that no change names. @param known at least the phones that the changes name */
export function planUpload(known: Iterable<string>, changes: ContactChange[], force: boolean): UploadPlan {
  const before = new Set(known);
  const present = new Set(before);
  const named = new Set<string>();
  const gone = new Set<string>();
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

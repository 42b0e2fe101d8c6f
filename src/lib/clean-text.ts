import { BadInputError } from './errors.ts';

/** Far deeper than any valid input, so that recursion cannot exhaust the stack. */
const MAX_DEPTH = 40;

/** Stops at the limit, so that the check itself cannot exhaust the stack. */
export function isTooDeep(value: unknown, levels = MAX_DEPTH): boolean {
  if (value === null || typeof value !== 'object') return false;
  return levels === 0 || Object.values(value).some((part) => isTooDeep(part, levels - 1));
}

/** Rejects NUL, replaces a lone surrogate by U+FFFD. Returns an unchanged object itself. @throws {BadInputError} */
export function cleanTexts<T>(input: T): T {
  if (isTooDeep(input)) throw new BadInputError('REQUEST_TOO_COMPLEX');
  return clean(input) as T;
}

function clean(value: unknown): unknown {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw new BadInputError('BODY_MALFORMED');
    return value.isWellFormed() ? value : value.toWellFormed();
  }
  if (Array.isArray(value)) return cleanArray(value);
  if (value !== null && typeof value === 'object' && isPlain(value))
    return cleanObject(value as Record<string, unknown>);
  return value;
}

function cleanArray(items: unknown[]): unknown[] {
  let changed = false;
  const cleaned = items.map((item) => {
    const next = clean(item);
    changed ||= next !== item;
    return next;
  });
  return changed ? cleaned : items;
}

function cleanObject(object: Record<string, unknown>): Record<string, unknown> {
  let changed = false;
  const cleaned: Record<string, unknown> = Object.create(null);
  for (const [key, value] of Object.entries(object)) {
    const nextKey = clean(key) as string;
    const next = clean(value);
    changed ||= next !== value || nextKey !== key;
    cleaned[nextKey] = next;
  }
  return changed ? cleaned : object;
}

function isPlain(object: object): boolean {
  const prototype = Object.getPrototypeOf(object);
  return prototype === null || prototype === Object.prototype;
}

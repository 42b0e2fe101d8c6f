import { isObject, type JsonValue, type OptionalJson } from './json.ts';

export const MAX_VALUE_LENGTH = 64;

function isShortText(value: OptionalJson): value is string {
  return typeof value === 'string' && value.length <= MAX_VALUE_LENGTH;
}

/** Accepts an integer JSON number or decimal text (`"-12"`), up to ±(2^53 − 1). */
export function readInteger(value: OptionalJson): number | undefined {
  const number = isShortText(value) && /^[+-]?[0-9]+$/.test(value) ? Number(value) : value;
  // Adding 0 turns -0 into 0.
  return Number.isSafeInteger(number) ? (number as number) + 0 : undefined;
}

/** Clamps integers of any size. */
export function readIntegerWithin(value: OptionalJson, least: number, most: number): number | undefined {
  const number = isShortText(value) && /^[+-]?[0-9]+$/.test(value) ? Number(value) : value;
  const isInteger = Number.isInteger(number) || number === Infinity || number === -Infinity;
  return isInteger ? Math.min(Math.max(number as number, least), most) + 0 : undefined;
}

export function readNumber(value: OptionalJson): number | undefined {
  const number = isShortText(value) && DECIMAL.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number + 0 : undefined;
}

const DECIMAL = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?$/;

const FLAGS = new Map<unknown, boolean>([
  ...[true, 1, '1', 'true'].map((value) => [value, true] as const),
  ...[false, 0, '0', 'false', ''].map((value) => [value, false] as const),
]);

/** `1 "1" true "true"` are true, `0 "0" false "false" ""` are false, all others undefined. */
export function readFlag(value: unknown): boolean | undefined {
  return FLAGS.get(value);
}

export function readText(value: OptionalJson): string | null | undefined {
  if (value === null || typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** Splits a single text at commas, alone or in an array: `"8, 9"`, `key[]=8,9`. A numbered object yields its values. */
export function readList(value: OptionalJson): JsonValue[] {
  if (value === undefined || value === null) return [];
  if (typeof value === 'string') return splitCommas(value);

  const items = readNumberedObject(value) ?? [value];
  return items.length === 1 && typeof items[0] === 'string' ? splitCommas(items[0]) : items;
}

export function readIntegerList(value: OptionalJson): number[] | undefined {
  const integers = new Set<number>();
  for (const item of readList(value)) {
    if (isBlank(item)) continue;
    const integer = readInteger(typeof item === 'string' ? item.trim() : item);
    if (integer === undefined) return undefined;
    integers.add(integer);
  }
  return [...integers];
}

/** Distinct and trimmed; ignores blank and other items. */
export function readIdList(value: OptionalJson): string[] {
  const ids = new Set<string>();
  for (const item of readList(value)) {
    if (typeof item === 'number') ids.add(String(item));
    else if (typeof item === 'string' && !isBlank(item)) ids.add(item.trim());
  }
  return [...ids];
}

/** `{ "10": b, "2": a }` → `[a, b]` */
export function readNumberedObject(value: OptionalJson): JsonValue[] | undefined {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) return undefined;

  const members = Object.entries(value);
  if (!members.every(([key]) => /^[0-9]+$/.test(key))) return undefined;
  return members.sort(([a], [b]) => Number(a) - Number(b)).map(([, member]) => member);
}

/** `"a, b,,c"` → `["a", "b", "c"]` */
export function splitCommas(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/**
 * Milliseconds from Unix seconds (number or text), `2023-02-28`, `2023.02.28`, `2023-02-28 23:59:59` or ISO 8601; UTC
 * unless it has a zone. Undefined for nonexistent days and years outside 0001–9999.
 */
export function readTimestamp(value: OptionalJson): number | undefined {
  const milliseconds = isShortText(value) ? momentOfText(value) : secondsToMilliseconds(value);
  if (milliseconds === undefined || milliseconds < FIRST_MOMENT || milliseconds > LAST_MOMENT) return undefined;
  return milliseconds;
}

const FIRST_MOMENT = Date.parse('0001-01-01T00:00:00.000Z');
const LAST_MOMENT = Date.parse('9999-12-31T23:59:59.999Z');

const UNIX_SECONDS = /^[+-]?[0-9]+(?:\.[0-9]+)?$/;
const DATE = /^([0-9]{4})(?:-([0-9]{2})-([0-9]{2})|\.([0-9]{2})\.([0-9]{2}))$/;
const TIME = /^([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]{1,9}))?)?(Z|z|[+-][0-9]{2}(?::?[0-9]{2})?)?$/;
const DATE_LENGTH = 10;

function momentOfText(text: string): number | undefined {
  if (UNIX_SECONDS.test(text)) return secondsToMilliseconds(Number(text));

  const midnight = dayOfText(text.slice(0, DATE_LENGTH));
  if (midnight === undefined || text.length === DATE_LENGTH) return midnight;
  if (text[4] !== '-' || !/[ Tt]/.test(text.charAt(DATE_LENGTH))) return undefined;

  const time = timeOfText(text.slice(DATE_LENGTH + 1));
  return time === undefined ? undefined : midnight + time;
}

function secondsToMilliseconds(seconds: OptionalJson): number | undefined {
  return typeof seconds === 'number' && Number.isFinite(seconds) ? Math.round(seconds * 1000) + 0 : undefined;
}

function dayOfText(text: string): number | undefined {
  const [, year, month, day, dottedMonth, dottedDay] = DATE.exec(text) ?? [];
  if (year === undefined) return undefined;

  const monthIndex = Number(month ?? dottedMonth) - 1;
  const dayOfMonth = Number(day ?? dottedDay);
  // Date.UTC maps the years 0–99 to 1900–1999.
  const date = new Date(0);
  date.setUTCFullYear(Number(year), monthIndex, dayOfMonth);
  // 30 February overflows into March.
  const isReal = date.getUTCMonth() === monthIndex && date.getUTCDate() === dayOfMonth;
  return isReal ? date.getTime() : undefined;
}

/** `"01:00:00+02:00"` → milliseconds relative to midnight UTC of its date, here minus one hour. */
function timeOfText(text: string): number | undefined {
  const [, hour, minute, second = '0', fraction = '0', zone = 'Z'] = TIME.exec(text) ?? [];
  if (hour === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;

  const offset = zoneMinutes(zone);
  if (offset === undefined) return undefined;
  const minutes = Number(hour) * 60 + Number(minute) - offset;
  return minutes * 60_000 + Number(second) * 1000 + Math.round(Number(`0.${fraction}`) * 1000);
}

function zoneMinutes(zone: string): number | undefined {
  if (zone === 'Z' || zone === 'z') return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(-2))];
  const hasMinutes = zone.length > 3;
  if (hours > 23 || (hasMinutes && minutes > 59)) return undefined;
  const size = hours * 60 + (hasMinutes ? minutes : 0);
  return zone.startsWith('-') ? -size : size;
}

function isBlank(value: JsonValue): boolean {
  return typeof value === 'string' && value.trim() === '';
}

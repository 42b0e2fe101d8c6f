import type { Choice } from './record-choices.ts';
import type { Field, FieldType, Item, Place, Value } from './record-words.ts';

// Chooses one of the equivalent forms in which clients may send a value.

type ParameterInput = string | number | boolean | null | ParameterInput[] | { [key: string]: ParameterInput };

export function givenItem(type: FieldType, item: Item, choice: Choice): ParameterInput {
  switch (type) {
    case 'Integer':
    case 'Float':
      return choice.of([item as number, String(item)]);
    case 'String':
      return /^(0|[1-9]\d{0,9})$/.test(String(item)) ? choice.of([String(item), Number(item)]) : String(item);
    case 'Boolean':
      return item ? choice.of([true, 1, '1', 'true']) : choice.of([false, 0, '0', 'false']);
    case 'Date':
      return givenMoment(item as number, choice);
    case 'Location': {
      const { lat, lon } = item as Place;
      return choice.of<ParameterInput>([`${lat}, ${lon}`, [lat, lon], { lat, lon }, [String(lat), String(lon)]]);
    }
  }
}

export function givenMoment(at: number, choice: Choice): string | number {
  const iso = new Date(at).toISOString();
  const isWhole = at % 1000 === 0;
  return choice.of<string | number>([
    iso,
    at / 1000,
    String(at / 1000),
    ...(isWhole ? [iso.slice(0, 19).replace('T', ' '), iso.replace('.000Z', 'Z'), `${iso.slice(0, 19)}+00:00`] : []),
    ...(at % 86_400_000 === 0 ? [iso.slice(0, 10), iso.slice(0, 10).replaceAll('-', '.')] : []),
  ]);
}

/** Duration of a time in a filter: one second, or one millisecond if it has a fraction. */
export function lengthOf(given: ParameterInput): number {
  if (typeof given === 'number') return Number.isInteger(given) ? 1000 : 1;
  return /^\d{4}\.\d\d\.\d\d$/.test(String(given)) || !String(given).includes('.') ? 1000 : 1;
}

/**
 * All values of a field in one of their forms. Objects are used only for new records, because in updates they would
 * replace items of an array.
 */
export function givenField(
  { type, isArray }: Field,
  value: Value | null,
  choice: Choice,
  isNew: boolean,
): ParameterInput {
  if (value === null) return null;
  if (!isArray) return givenItem(type, value as Item, choice);
  const items = (value as Item[]).map((item) => givenItem(type, item, choice));
  const forms: ParameterInput[] = [items];
  if (isNew && items.length > 0) forms.push(Object.fromEntries(items.map((item, nth) => [String(nth + 5), item])));
  const isText = (item: ParameterInput) =>
    !['object', 'boolean'].includes(typeof item) && /^[^\s,]([^,]*[^\s,])?$/.test(String(item));
  if (items.every(isText)) forms.push(items.join(', '));
  if (type !== 'Location' && items.length === 1 && typeof items[0] !== 'string') forms.push(items[0]!);
  return choice.of(forms);
}

/** As a form with brackets, `a[b][]=c`; undefined where a form cannot express the value. */
export function formOf(given: { [key: string]: ParameterInput }): string | undefined {
  const pairs: string[] = [];
  const add = (key: string, value: ParameterInput): boolean => {
    if (value === null) return pairs.push(`${encodeURIComponent(key)}=null`) > 0;
    if (typeof value !== 'object') return pairs.push(`${encodeURIComponent(key)}=${encodeURIComponent(value)}`) > 0;
    const isFlat = Array.isArray(value) && value.every((item) => typeof item !== 'object');
    if (isFlat) return value.length > 0 && value.every((item) => add(`${key}[]`, item));
    const entries = Object.entries(value);
    return entries.length > 0 && entries.every(([inner, item]) => item !== null && add(`${key}[${inner}]`, item));
  };
  return Object.entries(given).every(([key, value]) => add(key, value)) ? pairs.join('&') : undefined;
}

/** As responses show it: times in ISO 8601, locations as lists. */
export function shownValue(type: string, value: Value | undefined | null): unknown {
  if (value === undefined || value === null) return null;
  if (Array.isArray(value)) return value.map((item) => shownValue(type, item));
  if (type === 'Date') return new Date(value as number).toISOString();
  return typeof value === 'object' ? [value.lat, value.lon] : value;
}

import type { FieldType } from './values.ts';

const TYPES: ReadonlySet<string> = new Set<FieldType>([
  'Integer',
  'Float',
  'String',
  'Boolean',
  'Date',
  'Location',
  'File',
]);

/** `String` → one string, `String_a` → an array of them; undefined for what is no type, as arrays of files. */
export function readFieldType(text: string): { type: FieldType; array: boolean } | undefined {
  const array = text.endsWith('_a');
  const type = array ? text.slice(0, -2) : text;
  return TYPES.has(type) && text !== 'File_a' ? { type: type as FieldType, array } : undefined;
}

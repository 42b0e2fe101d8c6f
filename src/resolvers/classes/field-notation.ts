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

/** `String` → a string, `String_a` → an array of strings. Undefined if unknown; arrays of files do not exist. */
export function readFieldType(text: string): { type: FieldType; array: boolean } | undefined {
  const array = text.endsWith('_a');
  const type = array ? text.slice(0, -2) : text;
  return TYPES.has(type) && text !== 'File_a' ? { type: type as FieldType, array } : undefined;
}

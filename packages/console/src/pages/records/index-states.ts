import type { RecordClass } from './documents.ts';

type IndexState = RecordClass['fields'][number]['index'];

/** Of one field, or of several. */
export function indexState({ fields, indexes }: RecordClass, names: readonly string[]): IndexState {
  if (names.length === 1) return fields.find(({ name }) => name === names[0])?.index ?? 'NONE';
  return indexes.find((index) => index.fields.join() === names.join())?.state ?? 'NONE';
}

export function buildingIndexes({ fields, indexes }: RecordClass): string[][] {
  const single = fields.filter(({ index }) => index === 'BUILDING').map(({ name }) => [name]);
  return [...single, ...indexes.filter(({ state }) => state === 'BUILDING').map((index) => index.fields)];
}

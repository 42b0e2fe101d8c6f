import type { Parameters } from '../lib/bracket-keys.ts';
import { readList, readText } from '../lib/casts.ts';
import { isObject, type JsonValue } from '../lib/json.ts';
import type { FragmentOf } from './graphql.ts';
import { listedRecordShape, recordShape } from './shapes/record.ts';
import type { LegacyRecord } from './shapes/shape.ts';

export type ListedRecord = FragmentOf<typeof listedRecordShape>;
export type MaskedRecord = FragmentOf<typeof recordShape>;

/** A caller who may update but not read the record receives only id and times. */
export function presentRecord(record: MaskedRecord): LegacyRecord {
  const presented = recordShape.present(record);
  if (presented.permissions !== null) return presented;
  const { _id, created_at, updated_at } = presented;
  return { _id, created_at, updated_at };
}

export function presentListed(records: readonly ListedRecord[], parameters: Parameters): LegacyRecord[] {
  const output = isObject(parameters.output) ? parameters.output : {};
  const include = output.include === undefined ? undefined : new Set(['_id', ...names(output.include)]);
  const exclude = new Set(names(output.exclude));
  if (!include && exclude.size === 0) return records.map((record) => listedRecordShape.present(record));
  return records.map((record) => {
    const members = Object.entries(listedRecordShape.present(record));
    return Object.fromEntries(members.filter(([name]) => (include?.has(name) ?? true) && !exclude.has(name)));
  });
}

function names(value: JsonValue | undefined): string[] {
  return readList(value).flatMap((name) => readText(name) ?? []);
}

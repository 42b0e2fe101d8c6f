import { isoSeconds } from '../lib/time.ts';

/** @param fields names begin with a letter, so none is `__proto__` */
export function legacyFields(fields: unknown): Record<string, unknown> {
  const given = fields as Record<string, unknown>;
  const presented: Record<string, unknown> = {};
  for (const name of Object.keys(given)) presented[name] = presentValue(given[name]);
  return presented;
}

export function presentValue(value: unknown): unknown {
  if (value instanceof Date) return isoSeconds(value);
  if (Array.isArray(value)) return value.map(presentValue);
  if (typeof value !== 'object' || value === null) return value;
  // Files are the only objects in fields.
  const { fileId, name, size, contentType } = value as Record<string, unknown>;
  return { file_id: fileId, name, size, content_type: contentType };
}

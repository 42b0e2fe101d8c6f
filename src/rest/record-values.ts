import { isoSeconds } from '../lib/time.ts';

export function presentFields(fields: unknown): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields as Record<string, unknown>).map(([name, value]) => [name, presentValue(value)]),
  );
}

export function presentValue(value: unknown): unknown {
  if (value instanceof Date) return isoSeconds(value);
  if (Array.isArray(value)) return value.map(presentValue);
  if (typeof value !== 'object' || value === null) return value;
  // Files are the only objects in fields.
  const { fileId, name, size, contentType } = value as Record<string, unknown>;
  return { file_id: fileId, name, size, content_type: contentType };
}

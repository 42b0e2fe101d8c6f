/** Byte offsets from 0, both inclusive. */
export interface ByteRange {
  start: number;
  end: number;
}

/** In characters; a file position has at most 16 digits. */
const MAX_RANGE = 64;

/**
 * RFC 9110 §14: `bytes=0-9`, `bytes=10-`, `bytes=-5`. Undefined: send the complete file, also for several ranges and
 * invalid syntax; `'outside'`: the file has none of the bytes.
 */
export function readRange(header: string | undefined, size: number): ByteRange | 'outside' | undefined {
  const [unit, range = ''] = (header ?? '').split('=', 2).map((part) => part.trim());
  if (unit?.toLowerCase() !== 'bytes' || range.length > MAX_RANGE) return undefined;
  const [, first, last] = /^(\d*)\s*-\s*(\d*)$/.exec(range) ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'outside' : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return undefined;
  return start >= size ? 'outside' : { start, end: Math.min(last === '' ? size - 1 : Number(last), size - 1) };
}

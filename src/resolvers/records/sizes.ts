import { setImmediate } from 'node:timers/promises';
import { Prisma } from '../../db/client.ts';

/** JSON per statement: 16 of the largest records. */
export const MAX_BATCH_BYTES = 4 * 1024 * 1024;

/** JSON processed per event loop turn: about 10 ms. */
const MAX_SLICE_BYTES = 512 * 1024;

/** Approximate JSON size of record `r`; decompresses compressed fields. */
export const FIELD_BYTES = Prisma.sql`CASE WHEN pg_column_compression(r.fields) IS NULL THEN pg_column_size(r.fields)
  ELSE octet_length(r.fields::text) END`;

export interface HeldRecord {
  id: string;
  bytes: number;
}

export function fittingCount(sizes: number[]): number {
  let bytes = 0;
  const end = sizes.findIndex((size, index) => {
    bytes += size;
    return index > 0 && bytes > MAX_BATCH_BYTES;
  });
  return end === -1 ? sizes.length : end;
}

export function batchesOf<Item>(items: Item[], sizeOf: (item: Item) => number): Item[][] {
  const batches: Item[][] = [];
  for (let rest = items; rest.length > 0; ) {
    const count = fittingCount(rest.map(sizeOf));
    batches.push(rest.slice(0, count));
    rest = rest.slice(count);
  }
  return batches;
}

/** Yields to other requests between slices. @param map returns the result and the JSON bytes processed */
export async function mapInSlices<Item, Result>(
  items: Item[],
  map: (item: Item) => [result: Result, bytes: number],
): Promise<Result[]> {
  const results: Result[] = [];
  let sliceBytes = 0;
  for (const item of items) {
    if (sliceBytes > MAX_SLICE_BYTES) {
      await setImmediate();
      sliceBytes = 0;
    }
    const [result, bytes] = map(item);
    results.push(result);
    sliceBytes += bytes;
  }
  return results;
}

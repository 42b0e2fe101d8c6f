import { setImmediate } from 'node:timers/promises';
import { Prisma } from '../../db/client.ts';

/** Fields that one statement reads or writes, as JSON: the largest record 16 times. */
export const MAX_BATCH_BYTES = 4 * 1024 * 1024;

/** Work on fields, as JSON, before other requests get their turn: about 10 ms. */
const MAX_SLICE_BYTES = 512 * 1024;

/** Bytes of the fields of record `r`, about as JSON. The values of compressed ones are read for it. */
export const FIELD_BYTES = Prisma.sql`CASE WHEN pg_column_compression(r.fields) IS NULL THEN pg_column_size(r.fields)
  ELSE octet_length(r.fields::text) END`;

/** A record that a transaction has locked. */
export interface HeldRecord {
  id: string;
  /** `FIELD_BYTES` */
  bytes: number;
}

/** How many of the first items fit into one batch, at least one. */
export function fittingCount(sizes: number[]): number {
  let bytes = 0;
  const end = sizes.findIndex((size, index) => {
    bytes += size;
    return index > 0 && bytes > MAX_BATCH_BYTES;
  });
  return end === -1 ? sizes.length : end;
}

/** Splits items into batches, in their order. */
export function batchesOf<Item>(items: Item[], sizeOf: (item: Item) => number): Item[][] {
  const batches: Item[][] = [];
  for (let rest = items; rest.length > 0; ) {
    const count = fittingCount(rest.map(sizeOf));
    batches.push(rest.slice(0, count));
    rest = rest.slice(count);
  }
  return batches;
}

/**
 * Maps items one after the other, with pauses for other requests where they are large.
 * @param map the result, and how many bytes of fields it took, as JSON
 */
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

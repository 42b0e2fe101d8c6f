import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Started } from './processes.ts';

export const MEASURABLE = ['--expose-gc', '--import', fileURLToPath(new URL('./report-memory.mjs', import.meta.url))];

interface Memory {
  rss: number;
  heapUsed: number;
  /** Resident size of V8's young generation, which grows with the load and not with the objects that remain. */
  young: number;
}

/** Bytes after a garbage collection. */
export async function memoryOf({ child }: Pick<Started, 'child'>): Promise<Memory> {
  child.send('memory');
  const [reported] = await once(child, 'message');
  return reported as Memory;
}

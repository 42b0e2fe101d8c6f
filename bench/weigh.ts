import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Started } from './processes.ts';

export const WEIGHABLE = ['--expose-gc', '--import', fileURLToPath(new URL('./tell-memory.mjs', import.meta.url))];

/** Bytes after a garbage collection. */
export async function memoryOf({ child }: Started): Promise<{ rss: number; heapUsed: number }> {
  child.send('memory');
  const [told] = await once(child, 'message');
  return told as { rss: number; heapUsed: number };
}

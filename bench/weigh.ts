import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Started } from './processes.ts';

/** With these a process tells its memory when it is asked. */
export const WEIGHABLE = ['--expose-gc', '--import', fileURLToPath(new URL('./tell-memory.mjs', import.meta.url))];

/** Bytes that are left after collecting what is garbage. */
export async function memoryOf({ child }: Started): Promise<{ rss: number; heapUsed: number }> {
  child.send('memory');
  const [told] = await once(child, 'message');
  return told as { rss: number; heapUsed: number };
}

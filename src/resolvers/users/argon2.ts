import { onFirstUse } from '../../lib/on-first-use.ts';
import type * as webAssembly from './argon2-webassembly.ts';

/** The native binary is an optional package. WebAssembly gives the same hashes, but occupies the thread of the service. */
export const argon2 = onFirstUse(() => native().catch(() => import('./argon2-webassembly.ts')));

export async function native(): Promise<typeof webAssembly> {
  const { hash, verify } = await import('@node-rs/argon2');
  return {
    hash: (password, { memoryKib, passes, lanes }) =>
      hash(password, { memoryCost: memoryKib, timeCost: passes, parallelism: lanes }),
    verify: (encoded, password) => verify(encoded, password),
  };
}

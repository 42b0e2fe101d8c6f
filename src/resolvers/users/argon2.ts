import { onFirstUse } from '../../lib/on-first-use.ts';

interface Argon2 {
  hash: (password: string) => Promise<string>;
  verify: (hash: string, password: string) => Promise<boolean>;
}

/** The native binary is an optional package. WebAssembly gives the same hashes, but occupies the thread of the service. */
export const argon2 = onFirstUse(
  (): Promise<Argon2> => import('@node-rs/argon2').catch(() => import('./argon2-webassembly.ts')),
);

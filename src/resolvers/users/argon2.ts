import { randomBytes } from 'node:crypto';
import { onFirstUse } from '../../lib/on-first-use.ts';

/** Argon2id with the parameters that OWASP recommends, and that `@node-rs/argon2` uses by default. */
const COST = { memorySize: 19_456, iterations: 2, parallelism: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;

interface Argon2 {
  hash: (password: string) => Promise<string>;
  verify: (hash: string, password: string) => Promise<boolean>;
}

/** The native binary is an optional package. WebAssembly gives the same hashes, but occupies the thread of the service. */
export const argon2 = onFirstUse(() => import('@node-rs/argon2').catch(webAssembly));

export async function webAssembly(): Promise<Argon2> {
  const { argon2id, argon2Verify } = await import('hash-wasm');
  return {
    hash: (password) =>
      argon2id({ ...COST, password, salt: randomBytes(SALT_BYTES), hashLength: HASH_BYTES, outputType: 'encoded' }),
    verify: (hash, password) => argon2Verify({ hash, password }),
  };
}

import { randomBytes } from 'node:crypto';
// Not deferred, because the members of a CommonJS package are missing from a deferred import of the bundle.
import { argon2id, argon2Verify } from 'hash-wasm';

/** Argon2id with the parameters that OWASP recommends, and that `@node-rs/argon2` uses by default. */
const COST = { memorySize: 19_456, iterations: 2, parallelism: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;

export function hash(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  return argon2id({ ...COST, password, salt, hashLength: HASH_BYTES, outputType: 'encoded' });
}

export function verify(encoded: string, password: string): Promise<boolean> {
  return argon2Verify({ hash: encoded, password });
}

import { randomBytes } from 'node:crypto';
// Not deferred, because the members of a CommonJS package are missing from a deferred import of the bundle.
import { argon2id, argon2Verify } from 'hash-wasm';

interface PasswordCost {
  memoryKib: number;
  passes: number;
  lanes: number;
}

const SALT_BYTES = 16;
const HASH_BYTES = 32;

export function hash(password: string, { memoryKib, passes, lanes }: PasswordCost): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const cost = { memorySize: memoryKib, iterations: passes, parallelism: lanes };
  return argon2id({ ...cost, password, salt, hashLength: HASH_BYTES, outputType: 'encoded' });
}

export function verify(encoded: string, password: string): Promise<boolean> {
  return argon2Verify({ hash: encoded, password });
}

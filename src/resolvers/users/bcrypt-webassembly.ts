// Not deferred, because the members of a CommonJS package are missing from a deferred import of the bundle.
import { bcryptVerify } from 'hash-wasm';

export function verify(password: string, hash: string): Promise<boolean> {
  return bcryptVerify({ password, hash });
}

import { pbkdf2, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { onFirstUse } from '../../lib/on-first-use.ts';

const derivePbkdf2 = promisify(pbkdf2);
const deriveScrypt = promisify<string, Buffer, number, object, Buffer>(scrypt);

/** Costs of one check: the sign-in replaces the hash, and others of the service wait for it. */
const MAX_BCRYPT_COST = 13;
const MAX_SCRYPT_BYTES = 64 * 1024 * 1024;
const MAX_PBKDF2_ITERATIONS = 2_000_000;
const MAX_HASH_BYTES = 128;

/** Without the native binary in WebAssembly, which occupies the thread of the service. */
const bcrypt = onFirstUse(
  (): Promise<{ verify: (password: string, hash: string) => Promise<boolean> }> =>
    import('@node-rs/bcrypt').catch(() => import('./bcrypt-webassembly.ts')),
);

const BCRYPT = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
/** PHC. */
const SCRYPT = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([^$]+)\$([^$]+)$/;
/** PHC with `i=`, or as of passlib without it. */
const PBKDF2 = /^\$pbkdf2(-sha1|-sha256|-sha512)?\$(?:i=)?(\d{1,7})\$([^$]+)\$([^$]+)$/;
const DJANGO = /^pbkdf2_(sha1|sha256)\$(\d{1,7})\$([^$]+)\$([^$]+)$/;

/** @returns undefined for other formats, and for costs that a check cannot afford */
export function importedHash(encoded: string): ((password: string) => Promise<boolean>) | undefined {
  return bcryptHash(encoded) ?? scryptHash(encoded) ?? pbkdf2Hash(encoded) ?? djangoHash(encoded);
}

type Verify = (password: string) => Promise<boolean>;

function bcryptHash(encoded: string): Verify | undefined {
  const [, cost] = BCRYPT.exec(encoded) ?? [];
  const isAffordable = Number(cost) >= 4 && Number(cost) <= MAX_BCRYPT_COST;
  return isAffordable ? async (password) => (await bcrypt()).verify(password, encoded) : undefined;
}

function scryptHash(encoded: string): Verify | undefined {
  const [, ln, r, p, salt, hash] = SCRYPT.exec(encoded) ?? [];
  const [cost, blockSize, parallelization] = [2 ** Number(ln), Number(r), Number(p)];
  const bytes = 128 * cost * blockSize;
  const expected = bytesOf(hash);
  if (!expected || !(bytes * parallelization <= MAX_SCRYPT_BYTES) || cost < 2 || blockSize < 1 || parallelization < 1) {
    return undefined;
  }
  const options = { cost, blockSize, parallelization, maxmem: 2 * MAX_SCRYPT_BYTES };
  return async (password) =>
    timingSafeEqual(await deriveScrypt(password, bytesOf(salt)!, expected.length, options), expected);
}

function pbkdf2Hash(encoded: string): Verify | undefined {
  const [, digest = '-sha1', iterations, salt, hash] = PBKDF2.exec(encoded) ?? [];
  return pbkdf2With(digest.slice(1), iterations, bytesOf(salt), bytesOf(hash));
}

function djangoHash(encoded: string): Verify | undefined {
  const [, digest = '', iterations, salt, hash] = DJANGO.exec(encoded) ?? [];
  return pbkdf2With(digest, iterations, salt === undefined ? undefined : Buffer.from(salt), bytesOf(hash));
}

function pbkdf2With(digest: string, count: string | undefined, salt?: Buffer, expected?: Buffer): Verify | undefined {
  const iterations = Number(count);
  if (!salt || !expected || !(iterations >= 1 && iterations <= MAX_PBKDF2_ITERATIONS)) return undefined;
  return async (password) =>
    timingSafeEqual(await derivePbkdf2(password, salt, iterations, expected.length, digest), expected);
}

/** Base64 in each usual alphabet. Undefined if it is none, or too short or long for a hash or salt. */
function bytesOf(text: string | undefined): Buffer | undefined {
  if (text === undefined || !/^[A-Za-z0-9+/.=_-]+$/.test(text)) return undefined;
  const bytes = Buffer.from(text.replaceAll('.', '+'), 'base64');
  return bytes.length >= 4 && bytes.length <= MAX_HASH_BYTES ? bytes : undefined;
}

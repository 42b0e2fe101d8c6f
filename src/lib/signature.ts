import { createHmac, timingSafeEqual } from 'node:crypto';

/** Decoded name and raw value: `['user[login]', 'bob']`. */
export type ParameterPair = readonly [name: string, value: string];

export type SignatureHash = 'sha1' | 'sha256';

/** Without the signature itself, sorted by bytes. */
export function signedText(pairs: Iterable<ParameterPair>): string {
  const lines: Buffer[] = [];
  for (const [name, value] of pairs) {
    if (name !== 'signature') lines.push(Buffer.from(`${name}=${value}`, 'utf8'));
  }
  return lines
    .sort(Buffer.compare)
    .map((line) => line.toString('utf8'))
    .join('&');
}

export function sign(pairs: Iterable<ParameterPair>, secret: string, hash: SignatureHash): string {
  return createHmac(hash, secret).update(signedText(pairs), 'utf8').digest('hex');
}

/** Constant-time; case-sensitive. */
export function isSignedBy(
  signature: string,
  pairs: Iterable<ParameterPair>,
  secret: string,
  hash: SignatureHash,
): boolean {
  const expected = Buffer.from(sign(pairs, secret, hash));
  const actual = Buffer.from(signature);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

/** Constant-time, also for secrets of different lengths. */
export function isSameSecret(actual: string, expected: string): boolean {
  const key = Buffer.from('compare');
  const digest = (text: string) => createHmac('sha256', key).update(text).digest();
  return timingSafeEqual(digest(actual), digest(expected));
}

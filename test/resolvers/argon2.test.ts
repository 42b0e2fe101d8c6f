import { expect, test } from 'vitest';
import { native } from '../../src/resolvers/users/argon2.ts';
import * as fallback from '../../src/resolvers/users/argon2-webassembly.ts';
import { PRODUCTION_COST } from '../support/app/password-cost.ts';

test('native code and WebAssembly verify the hashes of each other, with the cost that OWASP recommends', async () => {
  const argon2 = await native();
  const hashes = [
    await argon2.hash('correct-horse', PRODUCTION_COST),
    await fallback.hash('correct-horse', PRODUCTION_COST),
  ] as const;
  for (const hash of hashes) expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  for (const { verify } of [argon2, fallback]) {
    for (const hash of hashes) {
      expect(await verify(hash, 'correct-horse')).toBe(true);
      expect(await verify(hash, 'wrong-horse')).toBe(false);
    }
  }
});

import { hash, verify } from '@node-rs/argon2';
import { expect, test } from 'vitest';
import * as fallback from '../../src/resolvers/users/argon2-webassembly.ts';

test('native code and WebAssembly verify the hashes of each other, with the same cost', async () => {
  const [native, other] = [await hash('correct-horse'), await fallback.hash('correct-horse')];
  const cost = (text: string) => text.split('$').slice(1, 4);
  expect(cost(other)).toEqual(cost(native));
  expect(await verify(other, 'correct-horse')).toBe(true);
  expect(await fallback.verify(native, 'correct-horse')).toBe(true);
  expect(await fallback.verify(native, 'wrong-horse')).toBe(false);
  expect(await fallback.verify(other, 'correct-horse')).toBe(true);
});

import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { ServiceUnavailableError } from '../../../src/lib/errors.ts';
import { hashPassword, isPassword } from '../../../src/resolvers/users/passwords.ts';

test('row 41: a flood of password checks is rejected when the queue is full, and leaves no rows', async () => {
  const known = await hashPassword('password-1');
  const places = availableParallelism() + 100;
  const flood = Array.from({ length: places }, () => hashPassword('password-1'));
  const tooMany = [hashPassword('password-1'), isPassword('password-1', known)];
  for (const refused of tooMany) await expect(refused).rejects.toThrow(new ServiceUnavailableError());

  const hashes = await Promise.all(flood);
  expect(new Set(hashes).size).toBe(places);
  expect(await isPassword('password-1', hashes[0])).toBe(true);
  expect(await isPassword('password-1', undefined)).toBe(false);
});

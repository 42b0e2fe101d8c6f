import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';

vi.mock('node:crypto', async (original) => ({
  ...(await original<typeof import('node:crypto')>()),
  randomInt: (limit: number) => limit - 500,
}));

test('ids of a process sort in creation order for any start of the counter', async () => {
  const { newId } = await freshIds();
  const now = new Date(1_795_196_819_000);
  const ids = Array.from({ length: 1_000 }, () => newId(now));
  expect(ids).toEqual([...new Set(ids)].sort());
  expect(ids.every((id) => /^6b008793[0-9a-f]{16}$/.test(id))).toBe(true);
});

function freshIds(): Promise<typeof import('../../src/db/ids.ts')> {
  return import(`${fileURLToPath(new URL('../../src/db/ids.ts', import.meta.url))}?fresh`);
}

// Records the statements that the service sends during a test file, for `reporter.ts`.
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, aroundEach, vi } from 'vitest';
import { allShards, onShard } from '../../../src/db/shards.ts';
import { statementsFolder } from '../../support/app/run-folder.ts';
import { ofTest, sent } from './sent-statements.ts';

vi.mock('../../../src/jobs/sweep.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../../src/jobs/sweep.ts')>();
  const sweep: typeof original.sweep = (...given) => ofTest.run(true, () => original.sweep(...given));
  return { ...original, sweep };
});
vi.mock('../../../src/jobs/sweep-files.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../../src/jobs/sweep-files.ts')>();
  const sweepFiles: typeof original.sweepFiles = (...given) => ofTest.run(true, () => original.sweepFiles(...given));
  return { ...original, sweepFiles };
});
vi.mock('../../../src/administration/audit/trim.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../../src/administration/audit/trim.ts')>();
  const trimAuditLog: typeof original.trimAuditLog = (...given) =>
    ofTest.run(true, () => original.trimAuditLog(...given));
  return { ...original, trimAuditLog };
});
/** Statements of tests, which do not name the application. Those of the service do not inherit this. */
const ofLastShard = {
  isDown: false,
  get number() {
    return allShards().length - 1;
  },
  get pool() {
    return allShards().at(-1)!.pool;
  },
};
aroundEach((runTest) =>
  ofTest.run(true, () => (process.env.TEST_DATABASE === 'shards' ? onShard(ofLastShard, runTest) : runTest())),
);

afterAll(() => {
  mkdirSync(statementsFolder(), { recursive: true });
  writeFileSync(join(statementsFolder(), `${randomUUID()}.json`), JSON.stringify([...sent]));
  sent.clear();
});

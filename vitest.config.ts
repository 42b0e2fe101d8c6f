import { createRequire } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { memoryFolder } from './test/support/app/memory-folder.ts';

// Read by `tmpdir()` here, in test files and in the processes that they start.
process.env.TMPDIR ??= memoryFolder() ?? tmpdir();

/** Where each test file leaves the statements that it made the service send. */
const statements = join(tmpdir(), `atrium-statements-${process.pid}`);

const PROOFS = 'test/proof/**/*.test.ts';

/** The proofs of every change: most faults that everyday tests miss are in what they cover. */
const GUARDS = 'test/proof/{attacks,parity,shard-keys}/**/*.test.ts';

export default defineConfig({
  // Node loads graphql's CommonJS build, also for our dependencies; a second copy could not work with its schema.
  resolve: { alias: [{ find: /^graphql$/, replacement: createRequire(import.meta.url).resolve('graphql') }] },
  test: {
    reporters: [
      'default',
      ['./test/proof/shard-keys/reporter.ts', { folder: statements }],
      './test/support/app/summary-reporter.ts',
    ],
    globalSetup: 'test/support/app/global-setup.ts',
    setupFiles: 'test/proof/shard-keys/record.ts',
    env: { STATEMENTS_FOLDER: statements },
    pool: 'forks',
    // Files share the modules of their process, since loading them takes seconds; each has a database of its own.
    isolate: false,
    // Tests wait for the database and for processes much of the time, so one per core is too few.
    maxWorkers: availableParallelism() + 1,
    // What hangs has to end some time; how busy a machine is must not decide.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 200_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'everyday',
          include: ['test/**/*.test.ts'],
          exclude: [PROOFS],
        },
      },
      { extends: true, test: { name: 'guards', include: [GUARDS] } },
      { extends: true, test: { name: 'proof', include: [PROOFS], exclude: [GUARDS] } },
    ],
  },
});

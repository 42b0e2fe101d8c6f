import { createRequire } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Where each test file leaves the statements that it made the service send. */
const statements = join(tmpdir(), `atrium-statements-${process.pid}`);

export default defineConfig({
  // Node loads graphql's CommonJS build, also for our dependencies; a second copy could not work with its schema.
  resolve: { alias: [{ find: /^graphql$/, replacement: createRequire(import.meta.url).resolve('graphql') }] },
  test: {
    include: ['test/**/*.test.ts'],
    reporters: [
      'default',
      ['./test/support/shard-keys/reporter.ts', { folder: statements }],
      './test/support/plain-summary.ts',
    ],
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: 'test/support/shard-keys/record.ts',
    env: { STATEMENTS_FOLDER: statements },
    // Each file has a database of its own, so they run side by side; a module knows one database.
    pool: 'forks',
    // Tests wait for the database and for each other's processes much of the time, so one per core is too few.
    maxWorkers: Math.max(2, availableParallelism()),
    // What hangs has to end some time; how busy a machine is must not decide.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});

import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Of each project, because Vitest would also run that of the root. */
const GLOBAL_SETUP = 'test/support/app/global-setup.ts';

const PROOFS = 'test/proof/**/*.test.ts';

/**
 * Tests that start a service with one database in their process, read or sweep one database directly, or count
 * statements, where `npm run test:shards` has three databases.
 */
const OF_ONE_DATABASE = [
  'embedded/embedded',
  'operator/cli/{archive,check}',
  'realtime/{bus,changes,outbox,subscriptions}',
  'realtime/presence/presence',
  'rest/address-book',
  'rest/sessions/{sessions,wire-samples}',
  'rest/users/{lookup,samples}',
  'schema/address-book/address-book',
  'schema/applications/{applications,console}',
  'schema/audit/chain',
  'schema/jobs/jobs',
  'schema/list-statements',
  'schema/statement-counts',
  'schema/request-log/{reading,recording,slow}',
].map((name) => `test/${name}.test.ts`);

export default defineConfig({
  plugins: [
    {
      // `--sequence.shuffle` shuffles files only, because the tests of many files are steps of one story.
      name: 'shuffle-files',
      configureVitest: ({ vitest }) => {
        vitest.config.sequence.shuffle = false;
      },
    },
  ],
  // Node loads graphql's CommonJS build, also for our dependencies; a second copy could not work with its schema.
  resolve: { alias: [{ find: /^graphql$/, replacement: createRequire(import.meta.url).resolve('graphql') }] },
  test: {
    reporters: ['default', './test/proof/shard-keys/reporter.ts', './test/support/app/summary-reporter.ts'],
    setupFiles: 'test/proof/shard-keys/record.ts',
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
          globalSetup: GLOBAL_SETUP,
          include: ['test/**/*.test.ts'],
          exclude: [PROOFS, ...(process.env.TEST_DATABASE === 'shards' ? OF_ONE_DATABASE : [])],
        },
      },
      { extends: true, test: { name: 'proof', globalSetup: GLOBAL_SETUP, include: [PROOFS] } },
    ],
  },
});

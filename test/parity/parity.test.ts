import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { routes } from '../../src/rest/index.ts';
import { useApp } from '../support/app.ts';
import { says, startModel } from '../support/model.ts';
import { closeSockets } from '../support/sockets.ts';
import { commands } from './commands.ts';
import { nameOf } from './doors.ts';
import { type Coverage, expectParity, stepOf } from './sequence.ts';
import { spreadIds } from './world.ts';

useApp();

beforeAll(spreadIds);

/**
 * Each run takes some thirty steps. What a failure prints is taken up again, where it was shortest, by
 * `PARITY_SEED=<seed> PARITY_PATH=<path>`; with `PARITY_RUNS=<number>` there are more, of other seeds.
 */
const USUAL_RUNS = 12;
const USUAL_SEED = 20;
const { PARITY_RUNS, PARITY_SEED, PARITY_PATH } = process.env;

/** Endpoints that steps cannot be refused or served at, with the reason. */
const NEVER_SERVED: Record<string, string> = {};
const NEVER_REFUSED: Record<string, string> = {};

test('every endpoint has one command', () => {
  expect(commands.map(({ route }) => route).sort()).toEqual(routes.map(nameOf).sort());
});

// Runs only when asked to: it has not been run often enough yet to stand among the others.
test.runIf(PARITY_RUNS)(
  'whatever is done, every door does the same',
  async () => {
    const { url: modelUrl } = await startModel((response) => says(response, 'The model says.'));
    const coverage: Coverage = new Map();
    const steps = fc.array(fc.oneof(...commands.map(stepOf)), { minLength: 1, maxLength: 60, size: 'max' });
    const setting = fc.constantFrom(undefined, undefined, undefined, false);
    const settings = fc.record({
      usersList: setting,
      passwordReset: setting,
      answerAssist: setting,
      summarize: setting,
      translate: setting,
      gateway: setting,
    });
    await fc.assert(
      fc
        .asyncProperty(steps, settings, async (steps, settings) => {
          await expectParity({ steps, settings, modelUrl }, coverage);
        })
        .afterEach(() => closeSockets()),
      {
        numRuns: Number(PARITY_RUNS ?? USUAL_RUNS),
        ...(PARITY_SEED ? { seed: Number(PARITY_SEED) } : PARITY_RUNS ? {} : { seed: USUAL_SEED }),
        ...(PARITY_PATH ? { path: PARITY_PATH } : {}),
      },
    );
    const summary = routes.map((endpoint) => [nameOf(endpoint), coverage.get(nameOf(endpoint))] as const);
    console.log(
      summary
        .map(([name, count]) => `${name} → ${count?.served ?? 0} served, ${count?.refused ?? 0} refused`)
        .join('\n'),
    );
    expect(summary.filter(([name, count]) => !count?.served && !(name in NEVER_SERVED)).map(([name]) => name)).toEqual(
      [],
    );
    expect(
      summary.filter(([name, count]) => !count?.refused && !(name in NEVER_REFUSED)).map(([name]) => name),
    ).toEqual([]);
  },
  3_600_000,
);

import fc from 'fast-check';
import { afterEach, beforeAll, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { closeSockets } from '../../support/clients/websocket.ts';
import { says, startModel } from '../../support/fakes/model.ts';
import { operations } from '../../support/operations/index.ts';
import { spreadIds } from './fixture.ts';
import { type Coverage, expectParity, stepOf } from './sequence.ts';

useApp();

beforeAll(spreadIds);

afterEach(() => closeSockets());

/**
 * A failure prints values that reproduce it: `PARITY_SEED=<seed> PARITY_PATH=<path>`. `PARITY_RUNS=<number>` makes more
 * runs with a new seed.
 */
const USUAL_RUNS = 6;
const USUAL_SEED = 20;
const { PARITY_RUNS, PARITY_SEED, PARITY_PATH } = process.env;
/** In milliseconds; generous, because no step depends on time. */
const LONG = PARITY_RUNS ? 36_000_000 : 600_000;

const walk = operations.flatMap((operation) => operation.examples.map((example) => ({ operation, ...example })));

test(
  'every transport serves or refuses each step of the walk alike',
  async () => {
    const modelUrl = await startTalker();
    await expectParity({ steps: walk, settings: {}, modelUrl }, new Map());
  },
  LONG,
);

test(
  'every transport responds alike to any sequence of commands',
  async () => {
    const modelUrl = await startTalker();
    const coverage: Coverage = new Map();
    const steps = fc.array(fc.oneof(...operations.map(stepOf)), { minLength: 1, maxLength: 60, size: 'max' });
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
    if (PARITY_RUNS) console.log(summaryOf(coverage));
  },
  LONG,
);

async function startTalker(): Promise<string> {
  const { url } = await startModel((response) => says(response, 'The model says.'));
  return url;
}

function summaryOf(coverage: Coverage): string {
  const lines = operations.map(({ name }) => {
    const { served = 0, refused = 0 } = coverage.get(name) ?? {};
    return `${name} → ${served} served, ${refused} refused`;
  });
  return lines.join('\n');
}

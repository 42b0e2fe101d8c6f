import fc from 'fast-check';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { routes } from '../../../src/rest/index.ts';
import { useApp } from '../../support/app/app.ts';
import { closeSockets } from '../../support/clients/websocket.ts';
import { says, startModel } from '../../support/fakes/model.ts';
import { commands } from './commands.ts';
import { coverageWalk } from './coverage-walk.ts';
import { spreadIds } from './fixture.ts';
import { type Coverage, expectParity, stepOf } from './sequence.ts';
import { nameOf } from './transports.ts';

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

/** Endpoints that never refuse a caller, with the reason. */
const NEVER_REFUSED: Record<string, string> = {
  'get /account_settings': 'it asks for no caller and no parameter',
};

test('every endpoint has one command, and the walk covers it served and refused', () => {
  const names = routes.map(nameOf).sort();
  expect(commands.map(({ route }) => route).sort()).toEqual(names);
  const stops = (isServed: boolean) =>
    coverageWalk.filter((stop) => stop.isServed === isServed).map(({ command }) => command.route);
  expect(stops(true).sort()).toEqual(names);
  expect(stops(false).sort()).toEqual(names.filter((name) => !(name in NEVER_REFUSED)));
});

test(
  'every transport serves or refuses each step of the walk alike',
  async () => {
    const modelUrl = await startTalker();
    await expectParity({ steps: coverageWalk, settings: {}, modelUrl }, new Map());
  },
  LONG,
);

test(
  'every transport responds alike to any sequence of commands',
  async () => {
    const modelUrl = await startTalker();
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
    if (PARITY_RUNS) console.log(summaryOf(coverage));
  },
  LONG,
);

async function startTalker(): Promise<string> {
  const { url } = await startModel((response) => says(response, 'The model says.'));
  return url;
}

function summaryOf(coverage: Coverage): string {
  const lines = routes.map(nameOf).map((name) => {
    const { served = 0, refused = 0 } = coverage.get(name) ?? {};
    return `${name} → ${served} served, ${refused} refused`;
  });
  return lines.join('\n');
}

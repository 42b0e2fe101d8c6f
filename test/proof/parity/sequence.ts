import fc from 'fast-check';
import { expect } from 'vitest';
import { sweep } from '../../../src/jobs/sweep.ts';
import { clock, running } from '../../support/app/app.ts';
import { TRANSPORTS, type TransportName, Transports } from '../../support/clients/transports.ts';
import { execute } from '../../support/fixtures/chat.ts';
import { RETENTION } from '../../support/fixtures/retention.ts';
import type { Args, Operation } from '../../support/operations/operation.ts';
import type { Outcome } from '../../support/operations/outcomes.ts';
import type { Who } from '../../support/operations/values.ts';
import { agree } from './canonical.ts';
import { createParityFixture, type ParityFixture } from './fixture.ts';
import { Listeners, type Topic } from './listeners.ts';
import { rowsOf, viewsOf } from './state.ts';

export interface Step {
  operation: Operation;
  who: Who;
  args: Args;
  /** The required outcome; undefined allows both. */
  isServed?: boolean;
}

export function stepOf(operation: Operation): fc.Arbitrary<Step> {
  const choice = fc.record({ who: operation.who, args: operation.args }, { noNullPrototype: true });
  return choice.map((chosen) => ({
    ...chosen,
    operation,
    [fc.toStringMethod]: () => `${chosen.who}: ${operation.name} ${fc.stringify(chosen.args)}`,
  }));
}

export type Coverage = Map<string, { served: number; refused: number }>;

export interface Settings {
  usersList?: boolean | undefined;
  passwordReset?: boolean | undefined;
  answerAssist?: boolean | undefined;
  summarize?: boolean | undefined;
  translate?: boolean | undefined;
  gateway?: boolean | undefined;
}

interface Stage {
  transport: TransportName;
  fixture: ParityFixture;
  listeners: Listeners;
}

/**
 * Runs the same steps on every transport, each in its own application, and asserts equal outcomes, events, rows and
 * views.
 */
export async function expectParity(
  { steps, settings, modelUrl }: { steps: Step[]; settings: Settings; modelUrl: string },
  coverage: Coverage,
): Promise<void> {
  const transports = new Transports();
  const stages: Stage[] = [];
  try {
    const fixtures = await Promise.all(TRANSPORTS.map(() => openFixture(modelUrl, settings)));
    for (const [place, transport] of TRANSPORTS.entries()) {
      const fixture = fixtures[place]!;
      stages.push({ transport, fixture, listeners: await Listeners.begin(fixture) });
    }
    for (const step of steps) {
      const isServed = await take(step, { stages, transports, coverage });
      if (step.operation.rules.changesCredentials) await transports.close();
      if (isServed && LEAVES_REST.test(step.operation.name)) await sweep(running.now(), RETENTION);
      const topics = isServed ? topicsOf(step) : [];
      if (topics.length > 0) await Promise.all(stages.map(({ listeners }) => listeners.settle(topics)));
    }
    const [first, ...others] = await Promise.all(stages.map(endOf));
    for (const other of others) expect(other).toEqual(first);
  } finally {
    await transports.close();
    for (const { listeners } of stages) await listeners.close();
  }
}

async function openFixture(modelUrl: string, settings: Settings): Promise<ParityFixture> {
  const fixture = await createParityFixture(modelUrl);
  const UPDATE = 'mutation ($input: UpdateApplicationInput!) { updateApplication(input: $input) { id } }';
  await execute(UPDATE, { input: settings }, fixture.key);
  return fixture;
}

/** Commands whose remaining work is done by the sweep, which runs in all fixtures at the same time. */
const LEAVES_REST = /^(delete|put) \/(class|chat\/Dialog|users)/;

/** Topics of the events that a command may cause; reading messages marks them. */
function topicsOf({ operation: { route } }: Step): Topic[] {
  const { method, path } = route;
  if (method === 'get' && path !== '/chat/Message') return [];
  if (path.startsWith('/chat')) return ['dialogs'];
  if (path.startsWith('/data') || path.startsWith('/class')) return ['records'];
  return path.startsWith('/users') ? ['dialogs', 'records'] : [];
}

async function take(
  { operation, who, args, ...notified }: Step,
  { stages, transports, coverage }: { stages: Stage[]; transports: Transports; coverage: Coverage },
): Promise<boolean> {
  clock.advance(1_000);
  const { name } = operation;
  const outcomes = await Promise.all(
    stages.map(async ({ transport, fixture }) => {
      const answer = await transports.run(transport, operation, operation.call(args, fixture), fixture.callers[who]);
      if (!('served' in answer)) return fixture.names.of(answer) as Outcome;
      if (answer.served !== '') operation.learn(answer.served, fixture);
      return fixture.names.of({ served: answer.served }) as Outcome;
    }),
  );
  const [rest, ...others] = outcomes as [Outcome, ...Outcome[]];
  const isServed = 'served' in rest;
  const count = coverage.get(name) ?? { served: 0, refused: 0 };
  coverage.set(name, count);
  count[isServed ? 'served' : 'refused']++;
  const asked = fc.stringify([who, name, args]);
  if (notified.isServed !== undefined) expect({ asked, isServed, ...rest }).toEqual({ asked, ...notified, ...rest });
  for (const [place, other] of others.entries()) {
    if (agree(rest, other)) continue;
    expect({ asked, by: stages[place + 1]!.transport, ...other }).toEqual({ asked, by: 'REST', ...rest });
  }
  return isServed;
}

async function endOf({ fixture, listeners }: Stage) {
  const events = fixture.names.of(await listeners.end());
  const views = await viewsOf(fixture);
  return { events, views, rows: await rowsOf(fixture) };
}

import fc from 'fast-check';
import { expect } from 'vitest';
import { sweep } from '../../../src/jobs/sweep.ts';
import { clock, running } from '../../support/app/app.ts';
import { execute } from '../../support/fixtures/chat.ts';
import { agree, type Outcome } from './canonical.ts';
import type { Command } from './command.ts';
import { createParityFixture, type ParityFixture, type Who } from './fixture.ts';
import { Listeners, type Topic } from './listeners.ts';
import { rowsOf, viewsOf } from './state.ts';
import { type Door, endpoints, overHttp, overRest, SocketTransport } from './transports.ts';

/** One thing that somebody does. */
export interface Step {
  command: Command;
  who: Who;
  args: unknown;
  /** What has to come of it; otherwise it may be either. */
  isServed?: boolean;
}

/** A command with all it is given. */
export function stepOf(command: Command): fc.Arbitrary<Step> {
  const choice = fc.record({ who: command.who, args: command.args }, { noNullPrototype: true });
  return choice.map((chosen) => ({
    ...chosen,
    command,
    [fc.toStringMethod]: () => `${chosen.who}: ${command.route} ${fc.stringify(chosen.args)}`,
  }));
}

/** How often each endpoint was called with success and with a refusal. */
export type Coverage = Map<string, { served: number; refused: number }>;

export interface Settings {
  usersList?: boolean | undefined;
  passwordReset?: boolean | undefined;
  answerAssist?: boolean | undefined;
  summarize?: boolean | undefined;
  translate?: boolean | undefined;
  gateway?: boolean | undefined;
}

/** One door with an application of its own. */
interface Stage {
  name: string;
  door: Door;
  fixture: ParityFixture;
  listeners: Listeners;
}

/**
 * Takes the same steps through every door, each in an application of its own, and demands of each step the same outcome,
 * and in the end the same events, rows and views.
 */
export async function expectParity(
  { steps, settings, modelUrl }: { steps: Step[]; settings: Settings; modelUrl: string },
  coverage: Coverage,
): Promise<void> {
  const sockets = new SocketTransport();
  const stages: Stage[] = [];
  try {
    const doors: [name: string, door: Door][] = [
      ['REST', overRest],
      ['GraphQL', overHttp],
      ['WebSocket', sockets.run],
    ];
    const fixtures = await Promise.all(doors.map(() => openFixture(modelUrl, settings)));
    for (const [place, [name, door]] of doors.entries()) {
      const fixture = fixtures[place]!;
      stages.push({ name, door, fixture, listeners: await Listeners.begin(fixture) });
    }
    for (const step of steps) {
      const isServed = await take(step, stages, coverage);
      if (step.command.changesCredentials) await sockets.close();
      if (isServed && LEAVES_REST.test(step.command.route)) await sweep(running.now(), RETENTION);
      const topics = isServed ? topicsOf(step) : [];
      if (topics.length > 0) await Promise.all(stages.map(({ listeners }) => listeners.settle(topics)));
    }
    const [first, ...others] = await Promise.all(stages.map(endOf));
    for (const other of others) expect(other).toEqual(first);
  } finally {
    await sockets.close();
    for (const { listeners } of stages) await listeners.close();
  }
}

async function openFixture(modelUrl: string, settings: Settings): Promise<ParityFixture> {
  const fixture = await createParityFixture(modelUrl);
  const UPDATE = 'mutation ($input: UpdateApplicationInput!) { updateApplication(input: $input) { id } }';
  await execute(UPDATE, { input: settings }, fixture.key);
  return fixture;
}

/** What destroys classes or dialogs leaves their contents to the sweep, which comes in every fixture at the same moment. */
const LEAVES_REST = /^(delete|put) \/(class|chat\/Dialog|users)/;
const RETENTION = { sessionMinutes: 120, eventRetentionHours: 24 };

/** What a command may tell of; reading messages marks them. */
function topicsOf({ command: { route } }: Step): Topic[] {
  const [method, path = ''] = route.split(' ');
  if (method === 'get' && path !== '/chat/Message') return [];
  if (path.startsWith('/chat')) return ['dialogs'];
  if (path.startsWith('/data') || path.startsWith('/class')) return ['records'];
  return path.startsWith('/users') ? ['dialogs', 'records'] : [];
}

/** @returns whether it was served */
async function take({ command, who, args, ...told }: Step, stages: Stage[], coverage: Coverage): Promise<boolean> {
  clock.advance(1_000);
  const endpoint = endpoints.get(command.route)!;
  const outcomes = await Promise.all(
    stages.map(async ({ door, fixture }) => {
      const outcome = await door(endpoint, command.call(fixture, args), fixture.callers[who]);
      if ('served' in outcome && outcome.served !== '') command.learn?.(fixture, outcome.served, args);
      return fixture.names.of(outcome) as Outcome;
    }),
  );
  const [rest, ...others] = outcomes as [Outcome, ...Outcome[]];
  const isServed = 'served' in rest;
  const count = coverage.get(command.route) ?? { served: 0, refused: 0 };
  coverage.set(command.route, count);
  count[isServed ? 'served' : 'refused']++;
  const asked = fc.stringify([who, command.route, args]);
  if (told.isServed !== undefined) expect({ asked, isServed, ...rest }).toEqual({ asked, ...told, ...rest });
  for (const [place, other] of others.entries()) {
    if (agree(rest, other)) continue;
    expect({ asked, by: stages[place + 1]!.name, ...other }).toEqual({ asked, by: 'REST', ...rest });
  }
  return isServed;
}

async function endOf({ fixture, listeners }: Stage) {
  const events = fixture.names.of(await listeners.end());
  const views = await viewsOf(fixture);
  return { events, views, rows: await rowsOf(fixture) };
}

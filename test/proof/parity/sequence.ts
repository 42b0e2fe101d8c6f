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
import { endpoints, overHttp, overRest, SocketTransport, type Transport } from './transports.ts';

export interface Step {
  command: Command;
  who: Who;
  args: unknown;
  /** The required outcome; undefined allows both. */
  isServed?: boolean;
}

export function stepOf(command: Command): fc.Arbitrary<Step> {
  const choice = fc.record({ who: command.who, args: command.args }, { noNullPrototype: true });
  return choice.map((chosen) => ({
    ...chosen,
    command,
    [fc.toStringMethod]: () => `${chosen.who}: ${command.route} ${fc.stringify(chosen.args)}`,
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
  name: string;
  transport: Transport;
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
  const sockets = new SocketTransport();
  const stages: Stage[] = [];
  try {
    const transports: [name: string, transport: Transport][] = [
      ['REST', overRest],
      ['GraphQL', overHttp],
      ['WebSocket', sockets.run],
    ];
    const fixtures = await Promise.all(transports.map(() => openFixture(modelUrl, settings)));
    for (const [place, [name, transport]] of transports.entries()) {
      const fixture = fixtures[place]!;
      stages.push({ name, transport, fixture, listeners: await Listeners.begin(fixture) });
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

/** Commands whose remaining work is done by the sweep, which runs in all fixtures at the same time. */
const LEAVES_REST = /^(delete|put) \/(class|chat\/Dialog|users)/;
const RETENTION = { sessionMinutes: 120, eventRetentionHours: 24 };

/** Topics of the events that a command may cause; reading messages marks them. */
function topicsOf({ command: { route } }: Step): Topic[] {
  const [method, path = ''] = route.split(' ');
  if (method === 'get' && path !== '/chat/Message') return [];
  if (path.startsWith('/chat')) return ['dialogs'];
  if (path.startsWith('/data') || path.startsWith('/class')) return ['records'];
  return path.startsWith('/users') ? ['dialogs', 'records'] : [];
}

async function take({ command, who, args, ...notified }: Step, stages: Stage[], coverage: Coverage): Promise<boolean> {
  clock.advance(1_000);
  const endpoint = endpoints.get(command.route)!;
  const outcomes = await Promise.all(
    stages.map(async ({ transport, fixture }) => {
      const outcome = await transport(endpoint, command.call(fixture, args), fixture.callers[who]);
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
  if (notified.isServed !== undefined) expect({ asked, isServed, ...rest }).toEqual({ asked, ...notified, ...rest });
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

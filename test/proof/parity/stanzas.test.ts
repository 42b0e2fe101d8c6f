import fc from 'fast-check';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { clock, running, useApp } from '../../support/app/app.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { closeSockets, connect, type LiveSubscription, listenOn } from '../../support/clients/websocket.ts';
import { CHAT, closeStreams, type OpenChat, openChat, tokenOf } from '../../support/clients/xmpp.ts';
import { says, startModel } from '../../support/fakes/model.ts';
import { insertSession } from '../../support/fixtures/callers.ts';
import { contextOf } from '../../support/fixtures/contexts.ts';
import type { Caller } from '../../support/fixtures/users.ts';
import { resolved } from '../../support/operations/operation.ts';
import { Addresses, type NamedStanza, stanzas } from '../../support/operations/stanzas.ts';
import type { Id } from '../../support/operations/values.ts';
import { createParityFixture, type ParityFixture, PEOPLE, spreadIds } from './fixture.ts';
import { rowsOf, viewsOf } from './state.ts';

// Legacy clients have no transport for most operations, so the stanzas that `src/xmpp/routes.ts` answers are compared
// with the operations that they stand for.

useApp(CHAT);

beforeAll(spreadIds);
afterEach(async () => {
  await closeStreams();
  await closeSockets();
});

/** As in the proof of the other transports: `PARITY_SEED`, `PARITY_PATH`, `PARITY_RUNS`. */
const { PARITY_RUNS, PARITY_SEED, PARITY_PATH } = process.env;
const LONG = PARITY_RUNS ? 36_000_000 : 600_000;
const SETTLE_TIMEOUT_MS = 30_000;

interface Step {
  stanza: NamedStanza;
  /** Place in `PEOPLE`. */
  who: number;
  args: Record<string, Id | undefined>;
}

const anyStep = fc.oneof(
  ...stanzas.map((stanza) =>
    fc
      .record({ who: fc.nat(PEOPLE.length - 1), args: fc.record(stanza.args, { noNullPrototype: true }) })
      .map((chosen) => ({
        ...(chosen as Omit<Step, 'stanza'>),
        stanza,
        [fc.toStringMethod]: () => `${PEOPLE[chosen.who]}: ${stanza.name} ${fc.stringify(chosen.args)}`,
      })),
  ),
);

test(
  'each stanza has the result of the operation that it stands for',
  async () => {
    const refused = await expectSame(stanzas.map((stanza) => ({ stanza, who: 0, args: stanza.example })));
    expect(refused).toEqual(['a message to another kind of address', 'an unknown request']);
  },
  LONG,
);

test(
  'any sequence of stanzas has the results, events and rows of their operations',
  async () => {
    await fc.assert(
      fc
        .asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 40, size: 'max' }), async (steps) => {
          await expectSame(steps);
        })
        .afterEach(async () => {
          await closeStreams();
          await closeSockets();
        }),
      {
        numRuns: Number(PARITY_RUNS ?? 5),
        ...(PARITY_SEED ? { seed: Number(PARITY_SEED) } : PARITY_RUNS ? {} : { seed: 38 }),
        ...(PARITY_PATH ? { path: PARITY_PATH } : {}),
      },
    );
  },
  LONG,
);

const SUBSCRIPTIONS = [
  'subscription { event: contactChanged { action initiatorId contact { userId subscription requested pending } } }',
  'subscription { event: signals { kind senderId recipientId dialogId text payload } }',
  'subscription { event: typing(includeStops: true) { dialogId userId isTyping } }',
  `subscription { event: dialogEvents { __typename dialogId
    ... on MessageSent { message { id clientId text senderId recipientId customFields sendToChat } }
    ... on MessagesMarked { userId messageIds read delivered } } }`,
];

interface Stage {
  fixture: ParityFixture;
  users: (Caller & { id: number })[];
  chats: OpenChat[];
  received: LiveSubscription[];
}

async function open(modelUrl: string, isOverXmpp: boolean): Promise<Stage> {
  const fixture = await createParityFixture(modelUrl);
  const { applicationId } = fixture;
  const users: Stage['users'] = [];
  const stage: Stage = { fixture, users, chats: [], received: [] };
  for (const id of fixture.known.user.map(Number)) {
    const user = { id, ...(await insertSession(id, applicationId)) };
    users.push(user);
    const socket = await connect(user);
    for (const document of SUBSCRIPTIONS) stage.received.push(await listenOn(socket, document, {}, running.app));
    if (isOverXmpp) stage.chats.push(await openChat(user, 'phone', { applicationId, secret: tokenOf(user) }));
  }
  return stage;
}

/** Events in the order of each subscription. */
function eventsOf({ fixture, received }: Stage): unknown {
  return fixture.names.of(received.map((one) => one.payloads().map(({ event }) => event)));
}

/** @returns names of refused stanzas */
async function expectSame(steps: Step[]): Promise<string[]> {
  const refused: string[] = [];
  const { url } = await startModel((response) => says(response, 'The model says.'));
  const [legacy, other] = [await open(url, true), await open(url, false)];
  for (const { stanza, who, args } of steps) {
    clock.advance(1_000);
    const asked = `${PEOPLE[who]}: ${stanza.name} ${fc.stringify(args)}`;
    const [ofLegacy, ofOther] = [legacy, other].map(({ fixture }) => resolved(args, fixture) as Step['args']);
    // Clients send to themselves what other resources receive; there is no operation for it.
    if (ofLegacy!.to === legacy.users[who]!.id) continue;
    const isRefused = await overXmpp(stanza, who, ofLegacy!, legacy);
    if (isRefused) refused.push(stanza.name);
    const isOtherRefused = await throughOperation(stanza, who, ofOther!, other);
    if (stanza.answers !== 'none') expect({ asked, isRefused }).toEqual({ asked, isRefused: isOtherRefused });
    await vi.waitFor(() => expect({ asked, events: eventsOf(legacy) }).toEqual({ asked, events: eventsOf(other) }), {
      timeout: SETTLE_TIMEOUT_MS,
    });
  }
  for (const look of [viewsOf, rowsOf]) expect(await look(legacy.fixture)).toEqual(await look(other.fixture));
  return refused;
}

const JOIN = stanzas.find(({ name }) => name === 'a join')!;

async function overXmpp(stanza: NamedStanza, who: number, args: Step['args'], stage: Stage): Promise<boolean> {
  const chat = stage.chats[who]!;
  const at = new Addresses(stage.fixture.applicationId);
  if (stanza.joins) chat.send(String(JOIN.write({ to: args.to, id: 'join' }, at)));
  await chat.settle();
  chat.send(String(stanza.write(args, at)));
  const frames = await chat.settle();
  const isAnswered = frames.some((frame) => args.id && frame.includes(` id="${args.id}"`));
  if (stanza.answers === 'all') expect({ stanza: stanza.name, frames, isAnswered }).toMatchObject({ isAnswered: true });
  const isRefused = frames.some((frame) => frame.includes(' type="error"'));
  if (stanza.answers === 'none') expect({ stanza: stanza.name, frames, isRefused }).toMatchObject({ isRefused: false });
  return isRefused;
}

/** @returns whether it was refused */
async function throughOperation(
  { graphql: operation, resolve, name, answers }: NamedStanza,
  who: number,
  args: Step['args'],
  { fixture, users }: Stage,
): Promise<boolean> {
  const user = users[who]!;
  if (operation) {
    const { data, errors } = await graphql(operation.document, operation.variables(args) as never, user);
    if (errors?.some(({ message }) => /^Cannot query|^Unknown|^Field /.test(message))) throw new Error(name);
    return errors !== undefined || operation.isRefused?.(data as never) === true;
  }
  if (!resolve) return answers === 'refused';
  return resolve(args, contextOf(user, running.app, fixture.applicationId)).then(
    () => false,
    () => true,
  );
}

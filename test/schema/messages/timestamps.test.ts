import { beforeAll, expect, test } from 'vitest';
import { clock, SAMPLE_TIME, useApp } from '../../support/app/app.ts';
import { fc } from '../../support/app/properties.ts';
import { createDialog, execute, type QuickUser, quickUsers, send } from '../../support/fixtures/chat.ts';

useApp();

const START = SAMPLE_TIME.getTime();
const COMING = [0, 0, 1, 250, 999, 1_000, 1_000, 1_001, 1_999, 3_500, 3_500, 4_000, 60_000];

interface Sent {
  id: string;
  createdAt: number;
  dateSent: number;
}

let alice: QuickUser;
let bob: QuickUser;
let dialogId: string;
let seen: Sent[];

beforeAll(async () => {
  [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
  dialogId = await createDialog(alice, [bob]);
  const sent: Sent[] = [];
  for (const milliseconds of COMING) {
    const createdAt = START + milliseconds;
    clock.set(new Date(createdAt));
    const id = await send(alice, dialogId, String(milliseconds));
    sent.push({ id, createdAt, dateSent: Math.floor(createdAt / 1000) });
  }
  const remove =
    'mutation ($ids: [ID!]!, $force: Boolean!) { deleteMessages(ids: $ids, force: $force) { deletedIds } }';
  await execute(remove, { ids: [sent[3]!.id], force: true }, alice);
  await execute(remove, { ids: [sent[10]!.id], force: false }, alice);
  seen = sent.filter((_, nth) => nth !== 3 && nth !== 10);
});

type Asked = Partial<Record<string, number | null | number[]>>;
interface Filter {
  createdAt?: Asked;
  dateSent?: Asked;
  or?: Filter[];
  and?: Filter[];
}

const YEAR_1 = Date.parse('0001-01-01T00:00:00Z');
const YEAR_9999 = Date.parse('9999-12-31T23:59:59.999Z');
const nearby = fc.constantFrom(...new Set(COMING)).chain((at) => fc.integer({ min: -2, max: 2 }).map((by) => at + by));
const milliseconds = fc.oneof(
  { weight: 6, arbitrary: nearby.map((by) => START + by) },
  { weight: 2, arbitrary: fc.integer({ min: -5_000, max: 65_000 }).map((by) => START + by) },
  fc.constantFrom(YEAR_1, -1, 0, 1, Date.UTC(1969, 6), Date.UTC(1999, 11, 31, 23, 59, 59, 999), Date.UTC(2000, 0)),
  fc.constantFrom(Date.UTC(2038, 0, 19, 3, 14, 8), Date.UTC(9_999, 0), YEAR_9999),
);
const seconds = fc.oneof(
  { weight: 6, arbitrary: milliseconds.map((at) => at / 1000) },
  { weight: 3, arbitrary: milliseconds.map((at) => Math.floor(at / 1000)) },
  // The smallest difference to a full second that a number of this size can represent.
  fc.tuple(nearby, fc.constantFrom(-(2 ** -22), 2 ** -22)).map(([by, tiny]) => Math.floor((START + by) / 1000) + tiny),
  fc.constantFrom(0, -0, 0.5, -1, 2_147_483_647, 2_147_483_648, 1e15, -1e15, 1e300, -1e300, Number.MAX_VALUE, 5e-324),
);

const asked = (moment: fc.Arbitrary<number>): fc.Arbitrary<Asked> => {
  const one = fc.option(moment, { freq: 20 });
  const some = fc.array(moment, { maxLength: 3 });
  const bound = fc.record({ lt: one, lte: one, gt: one, gte: one }, { requiredKeys: [] });
  const equal = fc.record({ eq: one, ne: one, in: some, notIn: some }, { requiredKeys: [] });
  return fc.oneof(
    { weight: 4, arbitrary: bound },
    equal,
    fc.tuple(bound, equal).map(([a, b]) => ({ ...a, ...b })),
  );
};

const { filter } = fc.letrec<{ filter: Filter; leaf: Filter }>((tie) => ({
  leaf: fc.record({ createdAt: asked(milliseconds), dateSent: asked(seconds) }, { requiredKeys: [] }),
  filter: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('leaf'),
    fc
      .tuple(
        tie('leaf'),
        fc.record(
          {
            or: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }),
            and: fc.array(tie('filter'), { maxLength: 2 }),
          },
          { requiredKeys: [] },
        ),
      )
      .map(([leaf, more]) => ({ ...leaf, ...more })),
  ),
}));

function matches(message: Sent, { createdAt, dateSent, or, and }: Filter): boolean {
  return (
    (!createdAt || fits(message.createdAt, createdAt)) &&
    (!dateSent || fits(message.dateSent, dateSent)) &&
    (!or || or.some((part) => matches(message, part))) &&
    (and ?? []).every((part) => matches(message, part))
  );
}

const COMPARISONS: Record<string, (value: number, asked: never) => boolean> = {
  eq: (value, one: number | null) => value === one,
  ne: (value, one: number | null) => value !== one,
  lt: (value, one: number | null) => one === null || value < one,
  lte: (value, one: number | null) => one === null || value <= one,
  gt: (value, one: number | null) => one === null || value > one,
  gte: (value, one: number | null) => one === null || value >= one,
  in: (value, some: number[]) => some.includes(value),
  notIn: (value, some: number[]) => !some.includes(value),
};

function fits(value: number, asked: Asked): boolean {
  return Object.entries(asked).every(([operator, given]) => COMPARISONS[operator]!(value, given as never));
}

function written({ createdAt, dateSent, or, and }: Filter): object {
  const iso = (moment: number | null) => (moment === null ? null : new Date(moment).toISOString());
  const texts = Object.entries(createdAt ?? {}).map(([operator, given]) => [
    operator,
    Array.isArray(given) ? given.map(iso) : iso(given as number | null),
  ]);
  return {
    ...(createdAt ? { createdAt: Object.fromEntries(texts) } : {}),
    ...(dateSent ? { dateSent } : {}),
    ...(or ? { or: or.map(written) } : {}),
    ...(and ? { and: and.map(written) } : {}),
  };
}

const LIST = `query ($dialogId: ID!, $filter: MessageFilter, $orderBy: MessageOrder) {
  messages(dialogId: $dialogId, filter: $filter, orderBy: $orderBy) { totalCount edges { node { id } } }
}`;

test('a timestamp filter lists exactly the messages that match it one by one', async () => {
  await fc.assert(
    fc.asyncProperty(filter, fc.constantFrom('ASC', 'DESC'), async (given, direction) => {
      const expected = seen.filter((message) => matches(message, given)).map(({ id }) => id);
      if (direction === 'DESC') expected.reverse();
      const orderBy = { field: 'DATE_SENT', direction };
      const { messages } = await execute(LIST, { dialogId, filter: written(given), orderBy }, alice);
      expect(messages.edges.map(({ node }: { node: Sent }) => node.id)).toEqual(expected);
      expect(messages.totalCount).toBe(expected.length);
    }),
    { numRuns: 120, seed: 20_261_120 },
  );
});

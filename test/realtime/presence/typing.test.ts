import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { App } from '../../../src/server/lifecycle.ts';
import { running, useApp } from '../../support/app/app.ts';
import { TestClock } from '../../support/app/clock.ts';
import { createTenant, startAnother } from '../../support/app/other-apps.ts';
import { freePort, REDIS, startRedis } from '../../support/app/redis.ts';
import { rowCounts, sql, statementsOf } from '../../support/app/sql.ts';
import { streamEvents } from '../../support/clients/sse.ts';
import { closeSockets, connect, type LiveSubscription, listen, until } from '../../support/clients/websocket.ts';
import { createDialog, errorOf, execute, type QuickUser, quickUsers } from '../../support/fixtures/chat.ts';
import { apiKey, type Caller } from '../../support/fixtures/users.ts';

useApp();

const TYPING = 'subscription ($dialogId: ID!) { typing(dialogId: $dialogId) { dialogId userId } }';
const START_TYPING = 'mutation ($dialogId: ID!) { startTyping(dialogId: $dialogId) }';

const type = (as: Caller, dialogId: string) => execute(START_TYPING, { dialogId }, as);

const typists = (received: LiveSubscription) => received.payloads().map(({ typing }) => typing.userId);

afterEach(() => closeSockets());

describe('typing', () => {
  test('typing reaches the occupants on all devices, including those of the typist', async () => {
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const dialogId = await createDialog(alice, [bob]);
    const all: LiveSubscription[] = [];
    for (const user of [alice, alice, bob, bob]) all.push(await listen(TYPING, { dialogId }, user));
    expect(await type(alice, dialogId)).toEqual({ startTyping: true });
    await type(bob, dialogId);
    for (const one of all) {
      expect(await one.atLeast(2)).toEqual([alice, bob].map(({ id }) => ({ typing: { dialogId, userId: id } })));
    }
  });

  test('every call of startTyping is published', async () => {
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const dialogId = await createDialog(alice, [bob], 'PRIVATE');
    const received = await listen(TYPING, { dialogId }, bob);
    for (let times = 0; times < 3; times++) await type(alice, dialogId);
    await type(bob, dialogId);
    await received.atLeast(4);
    expect(typists(received)).toEqual([alice.id, alice.id, alice.id, bob.id]);
  });

  test('every user of a public group receives typing, and may type there', async () => {
    const [alice, bob, carol] = (await quickUsers(3)) as [QuickUser, QuickUser, QuickUser];
    const dialogId = await createDialog(alice, [], 'PUBLIC_GROUP');
    const received = await listen(TYPING, { dialogId }, bob);
    await type(carol, dialogId);
    expect(await received.atLeast(1)).toEqual([{ typing: { dialogId, userId: carol.id } }]);
  });

  test('an API key receives typing of every dialog, and cannot type itself', async () => {
    const [alice] = (await quickUsers(1)) as [QuickUser];
    const dialogId = await createDialog(alice, [alice]);
    const received = await listen(TYPING, { dialogId }, apiKey);
    await type(alice, dialogId);
    expect(await received.atLeast(1)).toEqual([{ typing: { dialogId, userId: alice.id } }]);
    expect(await errorOf(START_TYPING, { dialogId }, apiKey)).toMatchObject({ code: 'FORBIDDEN' });
  });

  test('typing is delivered over server-sent events', async () => {
    const [alice] = (await quickUsers(1)) as [QuickUser];
    const dialogId = await createDialog(alice, [alice]);
    const stream = await streamEvents(TYPING, { dialogId }, alice);
    await until(() => running.app.services.hub.subscriptionCount > 0);
    await type(alice, dialogId);
    await until(() => stream.results.length > 0);
    expect(stream.results).toEqual([{ data: { typing: { dialogId, userId: alice.id } } }]);
    stream.abort();
    await stream.ended;
  });

  test('typing reaches no other subscription and no other dialog', async () => {
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const dialogId = await createDialog(alice, [bob]);
    const other = await createDialog(alice, [bob]);
    const ofOther = await listen(TYPING, { dialogId: other }, bob);
    const events = await listen('subscription { dialogEvents { __typename } }', {}, bob);
    const messages = await listen('subscription { messageSent { dialogId } }', {}, apiKey);
    await type(alice, dialogId);
    await type(bob, other);
    await execute(
      'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { id } }',
      {
        input: { dialogId, text: 'hi' },
      },
      alice,
    );
    await ofOther.atLeast(1);
    expect(typists(ofOther)).toEqual([bob.id]);
    expect(await events.atLeast(1)).toEqual([{ dialogEvents: { __typename: 'MessageSent' } }]);
    expect(await messages.atLeast(1)).toEqual([{ messageSent: { dialogId } }]);
  });

  test('outsiders can neither subscribe to typing nor type, and unknown dialogs are not found', async () => {
    const [alice, mallory] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const dialogId = await createDialog(alice, [alice]);
    await expect(listen(TYPING, { dialogId }, mallory)).rejects.toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
    expect(await errorOf(START_TYPING, { dialogId }, mallory)).toMatchObject({ code: 'FORBIDDEN' });
    for (const unknown of ['0'.repeat(24), 'x', '']) {
      await expect(listen(TYPING, { dialogId: unknown }, alice)).rejects.toMatchObject([
        { extensions: { code: 'NOT_FOUND' } },
      ]);
      expect(await errorOf(START_TYPING, { dialogId: unknown }, alice)).toMatchObject({ code: 'NOT_FOUND' });
    }
  });

  test('typing is confined to its application', async () => {
    const { users, key } = await createTenant(1);
    const [alice] = (await quickUsers(1)) as [QuickUser];
    const dialogId = await createDialog(alice, [], 'PUBLIC_GROUP');
    for (const stranger of [users[0]!, key]) {
      await expect(listen(TYPING, { dialogId }, stranger)).rejects.toMatchObject([
        { extensions: { code: 'NOT_FOUND' } },
      ]);
    }
    expect(await errorOf(START_TYPING, { dialogId }, users[0]!)).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('typing is not stored', async () => {
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const dialogId = await createDialog(alice, [bob]);
    const received = await listen(TYPING, { dialogId }, bob);
    const before = await rowCounts();
    await type(alice, dialogId);
    await received.atLeast(1);
    expect(await rowCounts()).toEqual(before);
    const late = await listen(TYPING, { dialogId }, bob);
    await type(bob, dialogId);
    await late.atLeast(1);
    expect(typists(late)).toEqual([bob.id]);
  });
});

describe('the end of typing', () => {
  const STOPS = `subscription ($dialogId: ID!) {
    typing(dialogId: $dialogId, includeStops: true) { userId isTyping } }`;
  const STOP_TYPING = 'mutation ($dialogId: ID!) { stopTyping(dialogId: $dialogId) }';
  const states = (received: LiveSubscription) =>
    received.payloads().map(({ typing }) => [typing.userId, typing.isTyping]);

  test('a stop reaches subscribers who ask for it, in every process', async () => {
    const another = await startAnother();
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const dialogId = await createDialog(alice, [bob]);
    const far = await listen(STOPS, { dialogId }, bob, another);
    const near = await listen(STOPS, { dialogId }, bob);
    const plain = await listen(TYPING, { dialogId }, bob);
    await type(alice, dialogId);
    expect(await execute(STOP_TYPING, { dialogId }, alice)).toEqual({ stopTyping: true });
    await type(alice, dialogId);
    for (const received of [far, near]) {
      await until(() => states(received).length >= 3);
      expect(states(received)).toEqual([true, false, true].map((isTyping) => [alice.id, isTyping]));
    }
    await until(() => typists(plain).length >= 2);
    expect(typists(plain)).toEqual([alice.id, alice.id]);
    await far.close();
    await another.stop();
  });

  test('a user who does not continue has stopped after 6 seconds, once', async () => {
    const clock = new TestClock();
    const another = await startAnother({ liveClock: clock });
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const dialogId = await createDialog(alice, [bob]);
    const received = await listen(STOPS, { dialogId }, bob, another);
    const typing = async (user: QuickUser, count: number) => {
      await type(user, dialogId);
      await until(() => states(received).length >= count);
    };
    await typing(alice, 1);
    clock.advance(4_000);
    await typing(bob, 2);
    await typing(alice, 3);
    clock.advance(5_500);
    expect(states(received)).toHaveLength(3);
    await typing(alice, 4);
    clock.advance(1_000);
    await until(() => states(received).length >= 5);
    expect(states(received).at(-1)).toEqual([bob.id, false]);
    clock.advance(60_000);
    await until(() => states(received).length >= 6);
    await typing(bob, 7);
    expect(states(received).slice(5)).toEqual([
      [alice.id, false],
      [bob.id, true],
    ]);
    await received.close();
    await another.stop();
  });

  test('outsiders and API keys alone cannot stop typing', async () => {
    const [alice, bob, carol] = (await quickUsers(3)) as [QuickUser, QuickUser, QuickUser];
    const dialogId = await createDialog(alice, [bob]);
    expect(await errorOf(STOP_TYPING, { dialogId }, carol)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await errorOf(STOP_TYPING, { dialogId: '0'.repeat(24) }, alice)).toMatchObject({ code: 'NOT_FOUND' });
    expect(await errorOf(STOP_TYPING, { dialogId }, apiKey)).toMatchObject({ code: 'FORBIDDEN' });
  });
});

describe('typing in a dialog without subscribers', () => {
  test('typing without subscribers does not query the occupants', async () => {
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const dialogId = await createDialog(alice, [bob]);
    const events = await listen('subscription { dialogEvents { __typename } }', {}, bob);
    const statements = await statementsOf(() => type(alice, dialogId));
    expect(statements.filter((statement) => statement.includes('member_version AS version'))).toEqual([]);
    await events.close();
  });
});

describe('a removed occupant', () => {
  test('the typing subscription of a removed occupant completes, and they can neither subscribe nor type again', async () => {
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const dialogId = await createDialog(alice, [bob]);
    const received = await listen(TYPING, { dialogId }, bob);
    const stays = await listen(TYPING, { dialogId }, alice);
    await type(alice, dialogId);
    await received.atLeast(1);
    await execute(
      'mutation ($id: ID!, $ids: [Int!]) { updateDialog(id: $id, input: { removeOccupantIds: $ids }) { id } }',
      { id: dialogId, ids: [bob.id] },
      alice,
    );
    await received.socket.find(({ type: kind }) => kind === 'complete');
    await type(alice, dialogId);
    await stays.atLeast(2);
    await expect(listen(TYPING, { dialogId }, bob)).rejects.toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
    expect(await errorOf(START_TYPING, { dialogId }, bob)).toMatchObject({ code: 'FORBIDDEN' });
    expect(typists(received)).toEqual([alice.id]);
  });

  test('a removed occupant receives no typing even before the removal is read from the outbox', async () => {
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const dialogId = await createDialog(alice, [bob]);
    const received = await listen(TYPING, { dialogId }, bob);
    const stays = await listen(TYPING, { dialogId }, alice);
    await type(alice, dialogId);
    await received.atLeast(1);
    await sql(
      `WITH gone AS (DELETE FROM members WHERE dialog_id = $1 AND user_id = $2)
       UPDATE dialogs SET member_version = member_version + 1 WHERE id = $1`,
      [dialogId, bob.id],
    );
    await type(alice, dialogId);
    await stays.atLeast(2);
    await received.socket.run('{ __typename }');
    expect(typists(received)).toEqual([alice.id]);
  });
});

async function expectToHearEachOther(one: App, other: App): Promise<void> {
  const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
  const dialogId = await createDialog(alice, [bob]);
  const near = await listen(TYPING, { dialogId }, bob, one);
  const far = await listen(TYPING, { dialogId }, bob, other);
  const typist = await connect(alice, one);
  // The bus may still be connecting, and drops signals until then.
  await until(async () => {
    await typist.run(START_TYPING, { dialogId });
    return far.payloads().length > 0;
  });
  const back = await connect(bob, other);
  await back.run(START_TYPING, { dialogId });
  for (const received of [near, far]) {
    await until(() => typists(received).includes(bob.id));
    expect(new Set(typists(received))).toEqual(new Set([alice.id, bob.id]));
  }
  for (const socket of [near, far, typist, back]) await socket.close();
}

describe('two processes', () => {
  test('two processes deliver each typing signal once', async () => {
    const another = await startAnother();
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const dialogId = await createDialog(alice, [bob]);
    const far = await listen(TYPING, { dialogId }, bob, another);
    const near = await listen(TYPING, { dialogId }, bob);
    for (const typist of [alice, bob, alice]) {
      const count = far.payloads().length + 1;
      await type(typist, dialogId);
      await far.atLeast(count);
    }
    expect(typists(far)).toEqual([alice.id, bob.id, alice.id]);
    await near.atLeast(3);
    expect(typists(near)).toEqual([alice.id, bob.id, alice.id]);
    await expectToHearEachOther(running.app, another);
    await far.close();
    await another.stop();
  });

  test('a removal in one process completes the typing subscription in another', async () => {
    const another = await startAnother();
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const dialogId = await createDialog(alice, [bob]);
    const far = await listen(TYPING, { dialogId }, bob, another);
    await execute(
      'mutation ($id: ID!, $ids: [Int!]) { updateDialog(id: $id, input: { removeOccupantIds: $ids }) { id } }',
      { id: dialogId, ids: [bob.id] },
      alice,
    );
    await far.socket.find(({ type: kind }) => kind === 'complete');
    await far.close();
    await another.stop();
  });
});

describe.skipIf(!REDIS)('two processes on one Redis', () => {
  let apps: App[];
  let stop: () => Promise<void>;
  beforeAll(async () => {
    const port = await freePort();
    stop = await startRedis(port);
    const settings = { redisUrl: `redis://127.0.0.1:${port}` };
    apps = [await startAnother(settings), await startAnother(settings)];
  });
  afterAll(async () => {
    await Promise.all(apps.map((app) => app.stop()));
    await stop();
  });

  test('two processes on one Redis exchange typing', async () => {
    await expectToHearEachOther(apps[0]!, apps[1]!);
  });
});

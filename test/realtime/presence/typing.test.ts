import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { App } from '../../../src/server/lifecycle.ts';
import { running, useApp } from '../../support/app/app.ts';
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

const typists = (heard: LiveSubscription) => heard.payloads().map(({ typing }) => typing.userId);

afterEach(() => closeSockets());

describe('who is typing', () => {
  test('is heard by the occupants on all their devices, those of the typist too', async () => {
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

  test('is told each time it is said', async () => {
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const dialogId = await createDialog(alice, [bob], 'PRIVATE');
    const heard = await listen(TYPING, { dialogId }, bob);
    for (let times = 0; times < 3; times++) await type(alice, dialogId);
    await type(bob, dialogId);
    await heard.atLeast(4);
    expect(typists(heard)).toEqual([alice.id, alice.id, alice.id, bob.id]);
  });

  test('is heard in a public group by every user, who may type there as well', async () => {
    const [alice, bob, carol] = (await quickUsers(3)) as [QuickUser, QuickUser, QuickUser];
    const dialogId = await createDialog(alice, [], 'PUBLIC_GROUP');
    const heard = await listen(TYPING, { dialogId }, bob);
    await type(carol, dialogId);
    expect(await heard.atLeast(1)).toEqual([{ typing: { dialogId, userId: carol.id } }]);
  });

  test('is heard by an API key alone in any dialog, which has nobody to type as', async () => {
    const [alice] = (await quickUsers(1)) as [QuickUser];
    const dialogId = await createDialog(alice, [alice]);
    const heard = await listen(TYPING, { dialogId }, apiKey);
    await type(alice, dialogId);
    expect(await heard.atLeast(1)).toEqual([{ typing: { dialogId, userId: alice.id } }]);
    expect(await errorOf(START_TYPING, { dialogId }, apiKey)).toMatchObject({ code: 'FORBIDDEN' });
  });

  test('is heard over server-sent events', async () => {
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

  test('is heard by no other subscription and in no other dialog', async () => {
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

  test('is neither told to outsiders nor taken from them, and unknown dialogs are not found', async () => {
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

  test('stays inside its application', async () => {
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

  test('is stored nowhere', async () => {
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const dialogId = await createDialog(alice, [bob]);
    const heard = await listen(TYPING, { dialogId }, bob);
    const before = await rowCounts();
    await type(alice, dialogId);
    await heard.atLeast(1);
    expect(await rowCounts()).toEqual(before);
    const late = await listen(TYPING, { dialogId }, bob);
    await type(bob, dialogId);
    await late.atLeast(1);
    expect(typists(late)).toEqual([bob.id]);
  });
});

describe('typing in a dialog where nobody wants to know of it', () => {
  test('makes no process ask who its occupants are', async () => {
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const dialogId = await createDialog(alice, [bob]);
    const events = await listen('subscription { dialogEvents { __typename } }', {}, bob);
    const statements = await statementsOf(() => type(alice, dialogId));
    expect(statements.filter((statement) => statement.includes('member_version AS version'))).toEqual([]);
    await events.close();
  });
});

describe('one who is removed', () => {
  test('is told that it is over, and may neither listen nor type again', async () => {
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const dialogId = await createDialog(alice, [bob]);
    const heard = await listen(TYPING, { dialogId }, bob);
    const stays = await listen(TYPING, { dialogId }, alice);
    await type(alice, dialogId);
    await heard.atLeast(1);
    await execute(
      'mutation ($id: ID!, $ids: [Int!]) { updateDialog(id: $id, input: { removeOccupantIds: $ids }) { id } }',
      { id: dialogId, ids: [bob.id] },
      alice,
    );
    await heard.socket.find(({ type: kind }) => kind === 'complete');
    await type(alice, dialogId);
    await stays.atLeast(2);
    await expect(listen(TYPING, { dialogId }, bob)).rejects.toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
    expect(await errorOf(START_TYPING, { dialogId }, bob)).toMatchObject({ code: 'FORBIDDEN' });
    expect(typists(heard)).toEqual([alice.id]);
  });

  test('hears nothing more even before the removal has come through the stream', async () => {
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const dialogId = await createDialog(alice, [bob]);
    const heard = await listen(TYPING, { dialogId }, bob);
    const stays = await listen(TYPING, { dialogId }, alice);
    await type(alice, dialogId);
    await heard.atLeast(1);
    await sql(
      `WITH gone AS (DELETE FROM members WHERE dialog_id = $1 AND user_id = $2)
       UPDATE dialogs SET member_version = member_version + 1 WHERE id = $1`,
      [dialogId, bob.id],
    );
    await type(alice, dialogId);
    await stays.atLeast(2);
    await heard.socket.run('{ __typename }');
    expect(typists(heard)).toEqual([alice.id]);
  });
});

/** What two processes tell each other, by whatever carries it. */
async function expectToHearEachOther(one: App, other: App): Promise<void> {
  const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
  const dialogId = await createDialog(alice, [bob]);
  const near = await listen(TYPING, { dialogId }, bob, one);
  const far = await listen(TYPING, { dialogId }, bob, other);
  const typist = await connect(alice, one);
  // A carrier that is still connecting carries nothing yet.
  await until(async () => {
    await typist.run(START_TYPING, { dialogId });
    return far.payloads().length > 0;
  });
  const back = await connect(bob, other);
  await back.run(START_TYPING, { dialogId });
  for (const heard of [near, far]) {
    await until(() => typists(heard).includes(bob.id));
    expect(new Set(typists(heard))).toEqual(new Set([alice.id, bob.id]));
  }
  for (const socket of [near, far, typist, back]) await socket.close();
}

describe('two processes', () => {
  test('hear of each other, once each time', async () => {
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

  test('end the subscription of one who is removed on the other', async () => {
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

  test('hear of each other', async () => {
    await expectToHearEachOther(apps[0]!, apps[1]!);
  });
});

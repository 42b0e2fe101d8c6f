import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { deriveContext } from '../../../src/resolvers/create-context.ts';
import { sendSignal, signalOf, subscribeToSignals } from '../../../src/resolvers/signals/send.ts';
import type { App } from '../../../src/server/lifecycle.ts';
import { running, useApp } from '../../support/app/app.ts';
import { createTenant, startAnother } from '../../support/app/other-apps.ts';
import { freePort, REDIS, startRedis } from '../../support/app/redis.ts';
import { rowCounts } from '../../support/app/sql.ts';
import { streamEvents } from '../../support/clients/sse.ts';
import { closeSockets, connect, type LiveSubscription, listen, until } from '../../support/clients/websocket.ts';
import { createDialog, errorOf, execute, type QuickUser, quickUsers } from '../../support/fixtures/chat.ts';
import { contextOf } from '../../support/fixtures/contexts.ts';
import { apiKey, type Caller } from '../../support/fixtures/users.ts';

useApp();

const SIGNALS = 'subscription { signals { id kind senderId dialogId text payload } }';
const SEND = `mutation ($input: SendSignalInput!) {
  sendSignal(input: $input) { id kind senderId dialogId text payload } }`;

const sendAs = async (as: Caller, input: object) => (await execute(SEND, { input }, as)).sendSignal;
const refused = (as: Caller, input: object) => errorOf(SEND, { input }, as);
const signals = (received: LiveSubscription) => received.payloads().map(({ signals }) => signals);

afterEach(() => closeSockets());

describe('a signal to a user', () => {
  test('reaches all devices of the user and no other user, and is not stored', async () => {
    const [alice, bob, carol] = (await quickUsers(3)) as [QuickUser, QuickUser, QuickUser];
    const devices = [await listen(SIGNALS, {}, bob), await listen(SIGNALS, {}, bob)];
    const others = [await listen(SIGNALS, {}, alice), await listen(SIGNALS, {}, carol)];
    const before = await rowCounts();
    const payload = { signalType: 'call', opponentsIDs: { opponentID: [1, 2] }, sdp: 'v=0\r\n' };
    const call = { userId: bob.id, kind: 'CALL', id: 'M1', payload: { ...payload, moduleIdentifier: 'x' } };
    const expected = { id: 'M1', kind: 'CALL', senderId: alice.id, dialogId: null, text: '', payload };
    expect(await sendAs(alice, call)).toEqual(expected);
    const notice = await sendAs(alice, { userId: bob.id, kind: 'SYSTEM', text: 'hello' });
    expect(notice).toMatchObject({ id: expect.stringMatching(/^[0-9a-f]{24}$/), text: 'hello', payload: {} });
    for (const device of devices) {
      await device.atLeast(2);
      expect(signals(device)).toEqual([expected, notice]);
    }
    await sendAs(bob, { userId: alice.id, kind: 'MESSAGE', text: 'back' });
    await others[0]!.atLeast(1);
    expect(others.map((other) => signals(other).length)).toEqual([1, 0]);
    expect(await rowCounts()).toEqual(before);
  });

  test('keeps its order on every transport and reaches event streams', async () => {
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const events = await streamEvents(SIGNALS, {}, bob);
    await until(() => running.app.services.hub.subscriptionCount === 1);
    const received = await listen(SIGNALS, {}, bob);
    const socket = await connect(alice);
    const texts = Array.from({ length: 40 }, (_, nth) => `n${nth}`);
    const send = (text: string) => socket.run(SEND, { input: { userId: bob.id, kind: 'CALL', text } });
    await Promise.all(texts.map(send));
    await received.atLeast(40);
    expect(signals(received).map(({ text }) => text)).toEqual(texts);
    await until(() => events.results.length === 40);
    events.abort();
    await events.ended;
  });

  test('is refused by a block of either side, unless it is not mutual', async () => {
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const dialogId = await createDialog(alice, [bob], 'PRIVATE');
    await execute(`mutation { blockUser(userId: ${bob.id}) { id } }`, {}, alice);
    const refusal = { code: 'FORBIDDEN' };
    for (const [sender, userId] of [
      [alice, bob.id],
      [bob, alice.id],
    ] as const) {
      expect(await refused(sender, { userId, kind: 'CALL', text: 'x' })).toMatchObject(refusal);
      expect(await refused(sender, { dialogId, kind: 'MESSAGE', text: 'x' })).toMatchObject(refusal);
    }
    await execute(`mutation { blockUser(userId: ${bob.id}, mutual: false) { id } }`, {}, alice);
    await sendAs(alice, { userId: bob.id, kind: 'CALL', text: 'x' });
    expect(await refused(bob, { userId: alice.id, kind: 'CALL', text: 'x' })).toMatchObject(refusal);
  });
});

describe('a signal to a dialog', () => {
  test('reaches the occupants, the sender included, but not those who block the sender or have left', async () => {
    const [alice, bob, carol, dave] = (await quickUsers(4)) as [QuickUser, QuickUser, QuickUser, QuickUser];
    const dialogId = await createDialog(alice, [bob, carol]);
    const received: LiveSubscription[] = [];
    for (const user of [alice, bob, carol, dave]) received.push(await listen(SIGNALS, {}, user));
    await execute(`mutation { blockUser(userId: ${alice.id}) { id } }`, {}, carol);
    const sent = await sendAs(alice, { dialogId, kind: 'MESSAGE', text: 'to all' });
    expect(sent).toMatchObject({ dialogId, senderId: alice.id });
    await received[1]!.atLeast(1);
    await execute(
      `mutation { updateDialog(id: "${dialogId}", input: { removeOccupantIds: [${bob.id}] }) { id } }`,
      {},
      alice,
    );
    await sendAs(alice, { dialogId, kind: 'MESSAGE', text: 'later' });
    await received[0]!.atLeast(2);
    expect(received.map((one) => signals(one).map(({ text }) => text))).toEqual([
      ['to all', 'later'],
      ['to all'],
      [],
      [],
    ]);
  });

  test('a signal to a public group does not reach users who only know that it exists', async () => {
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const dialogId = await createDialog(alice, [], 'PUBLIC_GROUP');
    const received = await listen(SIGNALS, {}, bob);
    await sendAs(alice, { dialogId, kind: 'MESSAGE', text: 'to the group' });
    await sendAs(alice, { userId: bob.id, kind: 'MESSAGE', text: 'to Bob' });
    await received.atLeast(1);
    expect(signals(received).map(({ text }) => text)).toEqual(['to Bob']);
  });
});

describe('other transports', () => {
  test('a transport can follow what its user sends elsewhere, and public groups that the user has joined', async () => {
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const dialogIds = [await createDialog(bob, [], 'PUBLIC_GROUP'), await createDialog(bob, [], 'PUBLIC_GROUP')];
    const isJoined = (dialogId: string) => dialogId === dialogIds[0];
    const followed = await subscribeToSignals(contextOf(alice), { isJoined, includesOwn: true });
    for (const dialogId of dialogIds) await sendAs(bob, { dialogId, kind: 'MESSAGE', text: dialogId });
    const context = deriveContext(contextOf(alice), { origin: { resource: 'phone' } });
    await sendSignal({ userId: bob.id, kind: 'message', text: 'own' }, context);
    await sendAs(bob, { userId: alice.id, kind: 'MESSAGE', text: 'back' });
    const texts: unknown[] = [];
    for (let count = 0; count < 3; count++) texts.push(signalOf((await followed.next()).value!.payload));
    expect(texts).toMatchObject([
      { text: dialogIds[0], senderId: bob.id },
      { text: 'own', senderId: alice.id, recipientId: bob.id, origin: { resource: 'phone' } },
      { text: 'back', senderId: bob.id, recipientId: alice.id },
    ]);
    await followed.return();
  });
});

describe('bad input', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['neither user nor dialog', { kind: 'MESSAGE', text: 'x' }, 'BAD_USER_INPUT'],
    ['both', { userId: 1, dialogId: '0'.repeat(24), kind: 'MESSAGE', text: 'x' }, 'BAD_USER_INPUT'],
    ['a call to a dialog', { dialogId: '0'.repeat(24), kind: 'CALL', text: 'x' }, 'BAD_USER_INPUT'],
    ['an unknown kind', { userId: 1, kind: 'OTHER', text: 'x' }, 'BAD_USER_INPUT'],
    ['a list as payload', { userId: 1, kind: 'CALL', payload: [] }, 'BAD_USER_INPUT'],
    ['a text as payload', { userId: 1, kind: 'CALL', payload: 'x' }, 'BAD_USER_INPUT'],
    ['nothing to deliver', { userId: 1, kind: 'CALL', payload: { moduleIdentifier: 'x' } }, 'UNPROCESSABLE'],
    ['an empty id', { userId: 1, kind: 'CALL', id: '', text: 'x' }, 'UNPROCESSABLE'],
    ['a long id', { userId: 1, kind: 'CALL', id: 'x'.repeat(256), text: 'x' }, 'UNPROCESSABLE'],
    ['a long text', { userId: 1, kind: 'CALL', text: 'x'.repeat(32 * 1024 + 1) }, 'UNPROCESSABLE'],
    ['a large payload', { userId: 1, kind: 'CALL', payload: { x: 'x'.repeat(64 * 1024) } }, 'UNPROCESSABLE'],
    ['an unknown user', { userId: 2_147_483_647, kind: 'CALL', text: 'x' }, 'NOT_FOUND'],
    ['no possible user', { userId: -1, kind: 'CALL', text: 'x' }, 'NOT_FOUND'],
    ['an unknown dialog', { dialogId: '0'.repeat(24), kind: 'MESSAGE', text: 'x' }, 'NOT_FOUND'],
    ['a malformed dialog', { dialogId: 'x', kind: 'MESSAGE', text: 'x' }, 'NOT_FOUND'],
  ])('a signal with %s is refused', async (_name, input, code) => {
    const [alice] = (await quickUsers(1)) as [QuickUser];
    const answer = await refused(alice, input).catch(String);
    expect(code === 'BAD_USER_INPUT' && typeof answer === 'object' ? { code, ...answer } : answer).toMatchObject({
      code,
    });
  });

  test('outsiders, other applications and API keys alone can neither send nor subscribe', async () => {
    const [alice, bob, carol] = (await quickUsers(3)) as [QuickUser, QuickUser, QuickUser];
    const dialogId = await createDialog(alice, [bob]);
    const { users } = await createTenant(20);
    const stranger = users.at(-1)!;
    expect(await refused(carol, { dialogId, kind: 'MESSAGE', text: 'x' })).toMatchObject({ code: 'FORBIDDEN' });
    expect(await refused(stranger, { dialogId, kind: 'MESSAGE', text: 'x' })).toMatchObject({ code: 'NOT_FOUND' });
    expect(await refused(alice, { userId: stranger.id, kind: 'CALL', text: 'x' })).toMatchObject({ code: 'NOT_FOUND' });
    expect(await refused(apiKey, { userId: bob.id, kind: 'CALL', text: 'x' })).toMatchObject({ code: 'FORBIDDEN' });
    await expect(listen(SIGNALS, {}, apiKey)).rejects.toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
  });
});

/** Larger than a notification of PostgreSQL. */
const LARGE = { sdp: 'é"\\'.repeat(10_000) };

async function expectBetween(one: App, other: App): Promise<void> {
  const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
  const far = await listen(SIGNALS, {}, bob, other);
  const near = await listen(SIGNALS, {}, bob, one);
  const socket = await connect(alice, one);
  const send = (text: string, payload: object = {}) =>
    socket.run(SEND, { input: { userId: bob.id, kind: 'CALL', text, payload } });
  // The bus may still be connecting, and drops signals until then.
  await until(async () => {
    await send('first');
    return signals(far).length > 0;
  });
  await Promise.all([send('large', LARGE), send('last'), send('last')]);
  for (const received of [near, far]) {
    await until(() => signals(received).filter(({ text }) => text === 'last').length === 2);
    const later = signals(received).filter(({ text }) => text !== 'first');
    expect(later.map(({ text }) => text)).toEqual(['large', 'last', 'last']);
    expect(later[0]!.payload).toEqual(LARGE);
  }
  for (const open of [near, far, socket]) await open.close();
}

test('two processes deliver each signal once and in order, also one that is larger than a notification', async () => {
  const one = await startAnother();
  const other = await startAnother();
  await expectBetween(one, other);
  await Promise.all([one.stop(), other.stop()]);
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

  test('two processes on one Redis exchange signals', async () => {
    await expectBetween(apps[0]!, apps[1]!);
  });
});

import { afterEach, expect, test, vi } from 'vitest';
import { running, useApp } from '../support/app/app.ts';
import { statementsOf } from '../support/app/sql.ts';
import { streamEvents } from '../support/clients/sse.ts';
import { closeSockets, connect, type LiveSubscription, listen, listenOn, until } from '../support/clients/websocket.ts';
import {
  createDialog,
  execute,
  MESSAGE_SENT,
  type QuickUser,
  quickUsers,
  send,
  sendMany,
} from '../support/fixtures/chat.ts';

useApp();

afterEach(() => closeSockets());

async function answersWrittenDuring(action: () => Promise<unknown>): Promise<number> {
  const stringify = vi.spyOn(JSON, 'stringify');
  try {
    await action();
    return stringify.mock.calls.filter(([value]) => value?.data?.messageSent).length;
  } finally {
    stringify.mockRestore();
  }
}

const react = (as: QuickUser, id: string) =>
  execute('mutation ($id: ID!) { addReaction(messageId: $id, name: "like") { id } }', { id }, as);

async function group(count: number): Promise<{ users: QuickUser[]; alice: QuickUser; dialogId: string }> {
  const users = await quickUsers(count);
  return { users, alice: users[0]!, dialogId: await createDialog(users[0]!, users.slice(1)) };
}

test('an event is serialized once for all subscribers that share its payload', async () => {
  const { users, alice, dialogId } = await group(21);
  const received = await Promise.all(users.map((user) => connect(user)));
  const listening: LiveSubscription[] = [];
  for (const socket of received) listening.push(await listenOn(socket, MESSAGE_SENT, { dialogId }));
  const written = await answersWrittenDuring(async () => {
    await send(alice, dialogId, 'hi "@"} there');
    await Promise.all(listening.map((one) => one.atLeast(1)));
  });
  expect(written).toBe(1);
  const [first, ...others] = listening.map((one) => one.payloads()[0]);
  expect(first.messageSent.message.text).toBe('hi "@"} there');
  for (const other of others) expect(other).toEqual(first);
});

test('a subscription whose payload cannot be sent ends with an error and leaves no subscriber behind', async () => {
  const { users, alice, dialogId } = await group(2);
  const { hub } = running.app.services;
  const before = hub.subscriptionCount;
  const subscriber = await listen(MESSAGE_SENT, { dialogId }, users[1]!);
  const { stringify } = JSON;
  const failing = vi.spyOn(JSON, 'stringify').mockImplementation((value, ...rest) => {
    if (value?.data?.messageSent) throw new RangeError('Invalid string length');
    return stringify(value, ...(rest as []));
  });
  try {
    await send(alice, dialogId, 'hi');
    const { payload } = await subscriber.socket.find(({ type }) => type === 'error');
    expect(payload).toEqual([{ message: 'Internal server error', extensions: { code: 'INTERNAL_SERVER_ERROR' } }]);
  } finally {
    failing.mockRestore();
  }
  await until(() => hub.subscriptionCount === before);
  const again = await listenOn(subscriber.socket, MESSAGE_SENT, { dialogId }, running.app, 'again');
  await send(alice, dialogId, 'again');
  expect((await again.atLeast(1))[0].messageSent.message.text).toBe('again');
});

test('subscribers that reconnect at the same time share the missed events', async () => {
  const { users, alice, dialogId } = await group(31);
  const start = await listen(MESSAGE_SENT, { dialogId }, alice);
  await send(alice, dialogId, 'start');
  const since = (await start.atLeast(1))[0].messageSent.cursor;
  const ids = await sendMany(alice, dialogId, 20);
  await start.atLeast(21);

  const comeBack = async (count: number) => {
    const sockets = await Promise.all(users.slice(1, 1 + count).map((user) => connect(user)));
    let listening: LiveSubscription[] = [];
    const statements = await statementsOf(async () => {
      listening = await Promise.all(sockets.map((socket) => listenOn(socket, MESSAGE_SENT, { dialogId, since })));
      await Promise.all(listening.map((one) => one.atLeast(20)));
    });
    for (const one of listening) expect(one.payloads().map((event) => event.messageSent.message.id)).toEqual(ids);
    for (const socket of sockets) socket.socket.terminate();
    await until(() => running.app.services.hub.subscriptionCount === 1);
    return statements.filter((text) => text.includes('FROM messages m')).length;
  };
  const written = await answersWrittenDuring(() => comeBack(30));
  expect(written).toBeLessThan(300);
  expect(await comeBack(30)).toBeLessThan(15);
});

test('different viewers, documents and variables receive their own payloads, live and after reconnecting', async () => {
  const { users, alice, dialogId } = await group(4);
  const [, bob, carol, dan] = users as [QuickUser, QuickUser, QuickUser, QuickUser];
  const own = `subscription Own($dialogId: ID, $since: String) { messageSent(dialogId: $dialogId, since: $since) {
    cursor message { id ownReactions } } }`;
  const plain = `subscription Plain($dialogId: ID, $since: String) { messageSent(dialogId: $dialogId, since: $since) {
    cursor message { id } } }`;
  const chosen = `subscription Chosen($dialogId: ID, $since: String, $with: Boolean!) {
    messageSent(dialogId: $dialogId, since: $since) { cursor message { id text @include(if: $with) } } }`;
  const start = await listen(plain, { dialogId }, alice);
  await send(alice, dialogId, 'start');
  const since = (await start.atLeast(1))[0].messageSent.cursor;
  const id = await send(alice, dialogId, 'hi');
  await react(bob, id);
  await react(dan, id);

  const asks: [QuickUser, string, Record<string, unknown>, object][] = [
    [bob, own, {}, { id, ownReactions: ['like'] }],
    [carol, own, {}, { id, ownReactions: [] }],
    [dan, own, {}, { id, ownReactions: ['like'] }],
    [bob, plain, {}, { id }],
    [carol, plain, {}, { id }],
    [bob, chosen, { with: true }, { id, text: 'hi' }],
    [carol, chosen, { with: false }, { id }],
    [dan, chosen, { with: true }, { id, text: 'hi' }],
  ];
  const received = await Promise.all(
    asks.map(async ([user, query, variables]) => {
      const socket = await connect(user);
      return listenOn(socket, query, { dialogId, since, ...variables });
    }),
  );
  for (const [nth, [, , , message]] of asks.entries()) {
    expect((await received[nth]!.atLeast(1))[0].messageSent.message).toEqual(message);
  }
  const next = await send(alice, dialogId, 'hi');
  for (const [nth, [, , , message]] of asks.entries()) {
    const live = (await received[nth]!.atLeast(2))[1].messageSent.message;
    const expected = 'ownReactions' in message ? { ...message, ownReactions: [] } : message;
    expect(live).toEqual({ ...expected, id: next });
  }
});

test('a socket and a server-sent event stream share a payload, each in its own format', async () => {
  const { users, alice, dialogId } = await group(3);
  const socket = await listen(MESSAGE_SENT, { dialogId }, users[1]!);
  const stream = await streamEvents(MESSAGE_SENT, { dialogId }, users[2]!);
  await until(() => running.app.services.hub.subscriptionCount === 2);
  await send(alice, dialogId, 'hi');
  await until(() => stream.results.length > 0);
  expect(stream.results).toEqual((await socket.atLeast(1)).map((data) => ({ data })));
  stream.abort();
});

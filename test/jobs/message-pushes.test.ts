import { beforeAll, beforeEach, expect, test } from 'vitest';
import { db } from '../../src/db/client.ts';
import { running, useApp } from '../support/app/app.ts';
import { startAnother } from '../support/app/other-apps.ts';
import { statementsOf } from '../support/app/sql.ts';
import { rest } from '../support/clients/rest.ts';
import { connect, until } from '../support/clients/websocket.ts';
import { type Apple, startApns } from '../support/fakes/apns.ts';
import { type Browser, startBrowser } from '../support/fakes/browser.ts';
import { type Google, startGoogle } from '../support/fakes/google.ts';
import { execute } from '../support/fixtures/chat.ts';
import { created } from '../support/fixtures/chat-cast.ts';
import {
  advanceClock,
  appleToken,
  messagePushesSettled,
  setUpApple,
  setUpGoogle,
  setUpWeb,
  subscribeDevice,
} from '../support/fixtures/pushes.ts';
import { apiKey, createUser, type TestUser } from '../support/fixtures/users.ts';

useApp();

let apple: Apple;
let google: Google;
let browser: Browser;
let alice: TestUser;
let bob: TestUser;
let carol: TestUser;
let group: string;

beforeAll(async () => {
  apple = await startApns();
  google = await startGoogle(running.now);
  browser = await startBrowser();
  await setUpApple(apple);
  await setUpGoogle(google, 'production');
  await setUpWeb();
  return async () => {
    await apple.down();
    await google.stop();
    await browser.stop();
  };
});

beforeEach(async () => {
  [alice, bob, carol] = [
    await createUser({ full_name: 'Alice A' }),
    await createUser({ full_name: 'Bob B' }),
    await createUser(),
  ];
  group = (await created('/chat/Dialog', { type: 2, name: 'Lunch', occupants_ids: [bob.id, carol.id] }, alice))._id;
  for (const user of [alice, bob, carol]) await phone(user);
  apple.answer = () => ({ status: 200 });
  await messagePushesSettled();
  apple.pushes.length = 0;
});

function phone(user: TestUser) {
  const client_identification_sequence = appleToken(user.id);
  return subscribeDevice(user, 'apns', { client_identification_sequence });
}

const message = (body: object, as: TestUser) => created('/chat/Message', { send_to_chat: 1, ...body }, as);

const pushesTo = (user: TestUser) => apple.pushes.filter(({ token }) => token === appleToken(user.id));
const alerts = (user: TestUser) =>
  pushesTo(user).map(({ body }) => (body as { aps: { alert: { body: string } } }).aps.alert.body);

test('offline occupants receive a push with sender, text and unread count', async () => {
  await message({ recipient_id: bob.id, message: 'Earlier' }, carol);
  await messagePushesSettled();
  apple.pushes.length = 0;
  const { _id } = await message({ chat_dialog_id: group, message: 'Lunch?' }, alice);
  await messagePushesSettled();
  expect(pushesTo(alice)).toEqual([]);
  expect(pushesTo(carol).map(({ body }) => (body as { aps: { badge: number } }).aps.badge)).toEqual([1]);
  const [push, ...more] = pushesTo(bob);
  expect(more).toEqual([]);
  expect(push!.headers).toMatchObject({ 'apns-push-type': 'alert', 'apns-priority': '10', 'apns-collapse-id': group });
  expect(push!.body).toEqual({
    aps: {
      alert: { title: 'Alice A', subtitle: 'Lunch', body: 'Lunch?' },
      badge: 2,
      sound: 'default',
      'thread-id': group,
    },
    dialog_id: group,
    message_id: _id,
    user_id: alice.id,
  });
});

test('FCM and web push messages carry the same data in their own formats', async () => {
  await subscribeDevice(bob, 'gcm', { client_identification_sequence: 'g' }, 'production');
  await subscribeDevice(carol, 'web', browser.subscription('carol'));
  const { _id } = await message({ chat_dialog_id: group, message: 'Lunch?' }, alice);
  await messagePushesSettled();
  const about = { title: 'Alice A', dialog_name: 'Lunch', dialog_id: group, message_id: _id };
  expect(google.pushes.map(({ body }) => body.message)).toEqual([
    {
      token: 'g',
      data: { message: 'Lunch?', ...about, user_id: String(alice.id), badge: '1' },
      android: { priority: 'HIGH', ttl: '86400s', collapse_key: group },
    },
  ]);
  expect(browser.pushes.map(({ text }) => JSON.parse(text))).toEqual([
    { message: 'Lunch?', ...about, user_id: alice.id, badge: 1 },
  ]);
  expect(browser.pushes[0]!.headers.topic).toBe(group);
});

test('a user with an open socket on any process receives no push', async () => {
  const other = await startAnother();
  const here = await connect(bob);
  const there = await connect(carol, other);
  const { presence } = running.app.services;
  await until(() => [bob, carol].every(({ id }) => presence.isOnline({ applicationId: 92, userId: id })));
  await until(() =>
    [bob, carol].every(({ id }) => other.services.presence.isOnline({ applicationId: 92, userId: id })),
  );
  await message({ chat_dialog_id: group, message: 'Lunch?' }, alice);
  await messagePushesSettled();
  expect(apple.pushes).toEqual([]);
  await here.close();
  await until(() => !presence.isOnline({ applicationId: 92, userId: bob.id }));
  await until(() => !other.services.presence.isOnline({ applicationId: 92, userId: bob.id }));
  await message({ chat_dialog_id: group, message: 'Anybody?' }, alice);
  await messagePushesSettled();
  expect([alerts(bob), alerts(carol)]).toEqual([['Anybody?'], []]);
  await there.close();
  await other.stop();
});

test('a user who has muted or left the dialog receives no push', async () => {
  await rest('PUT', `/chat/Dialog/${group}/notifications`, { as: bob, json: { enabled: 0 } });
  await rest('DELETE', `/chat/Dialog/${group}`, { as: carol });
  await message({ chat_dialog_id: group, message: 'Lunch?' }, alice);
  await messagePushesSettled();
  expect(apple.pushes).toEqual([]);
  await rest('PUT', `/chat/Dialog/${group}/notifications`, { as: bob, json: { enabled: 1 } });
  await message({ chat_dialog_id: group, message: 'Again' }, alice);
  await messagePushesSettled();
  expect(alerts(bob)).toEqual(['Again']);
});

test('messages with send_to_chat 0 and messages of public groups cause no push', async () => {
  await message({ chat_dialog_id: group, message: 'Import', send_to_chat: 0 }, alice);
  const lobby = (await created('/chat/Dialog', { type: 1, name: 'Lobby' }, alice))._id;
  await message({ chat_dialog_id: lobby, message: 'Hello all' }, alice);
  await messagePushesSettled();
  expect(apple.pushes).toEqual([]);
});

test('an application can turn off pushes for messages', async () => {
  const set = (chatPushes: boolean) =>
    execute(
      'mutation ($on: Boolean) { updateApplication(input: { chatPushes: $on }) { chatPushes } }',
      { on: chatPushes },
      apiKey,
    );
  expect(await set(false)).toEqual({ updateApplication: { chatPushes: false } });
  await message({ chat_dialog_id: group, message: 'Lunch?' }, alice);
  await messagePushesSettled();
  expect(apple.pushes).toEqual([]);
  await set(true);
});

test('messages found in one step cause one push per recipient, with the latest message of others', async () => {
  // Another process holds the cursor, so no messages are found until it expires.
  await db.$executeRaw`UPDATE push_cursor SET holder = 'somebody', lease_expires_at = now() + interval '1 day'`;
  for (let index = 0; index < 20; index++) {
    await message({ chat_dialog_id: group, message: `Message ${index}` }, alice);
  }
  await message({ chat_dialog_id: group, message: 'From Bob' }, bob);
  await db.$executeRaw`UPDATE push_cursor SET lease_expires_at = NULL`;
  await messagePushesSettled();
  expect([alerts(alice), alerts(bob), alerts(carol)]).toEqual([['From Bob'], ['Message 19'], ['From Bob']]);
  expect(new Set(apple.pushes.map(({ headers }) => headers['apns-collapse-id']))).toEqual(new Set([group]));
});

test('a delayed push is dropped when its message was read, deleted or followed by a newer one', async () => {
  apple.answer = () => ({ status: 503 });
  const tried = (count: number) => until(() => apple.pushes.length >= count);
  await message({ chat_dialog_id: group, message: 'One' }, alice);
  await tried(2);
  await rest('PUT', '/chat/Message', { as: bob, json: { chat_dialog_id: group, read: 1 } });
  const { _id } = await message({ chat_dialog_id: group, message: 'Two' }, alice);
  await tried(4);
  await until(async () => (await db.pushDelivery.count({ where: { retryAt: { not: null } } })) === 4);
  await rest('DELETE', `/chat/Message/${_id}`, { as: carol });
  apple.answer = () => ({ status: 200 });
  apple.pushes.length = 0;
  advanceClock(10_000);
  await messagePushesSettled();
  expect([alerts(bob), alerts(carol)]).toEqual([['Two'], []]);
  const answers = await db.pushDelivery.findMany({ where: { userId: carol.id }, orderBy: { sendId: 'asc' } });
  expect(answers.map(({ answer }) => answer)).toEqual(['replaced by a later message', 'nothing left to send']);
});

test('long texts are truncated, and messages without text are described as attachments', async () => {
  await message({ chat_dialog_id: group, message: '😀'.repeat(600) }, alice);
  await messagePushesSettled();
  expect(alerts(bob)).toEqual([`${'😀'.repeat(499)}…`]);
  apple.pushes.length = 0;
  await message({ chat_dialog_id: group, attachments: [{ type: 'image', id: '5' }] }, alice);
  await messagePushesSettled();
  expect(alerts(bob)).toEqual(['Attachment']);
});

test('sendMessage runs the same statements with and without devices', async () => {
  const send = () => message({ chat_dialog_id: group, message: 'Lunch?' }, alice);
  const withDevices = await statementsOf(send);
  await messagePushesSettled();
  await db.pushSubscription.deleteMany();
  await messagePushesSettled();
  const without = await statementsOf(send);
  const own = (statements: string[]) =>
    statements.filter((text) => !/push_|pgboss|BEGIN|COMMIT|transaction/i.test(text));
  expect(own(withDevices).length).toBe(own(without).length);
});

test('one of several processes finds the messages, and another takes over when it stops', async () => {
  const others = [await startAnother(), await startAnother()];
  const ids: string[] = [];
  for (let sent = 0; sent < 10; sent++) {
    ids.push((await message({ recipient_id: bob.id, message: `Hello ${sent}` }, alice))._id);
    await messagePushesSettled();
    if (sent === 5) await others.pop()!.stop();
  }
  expect(alerts(bob)).toEqual(ids.map((_, index) => `Hello ${index}`));
  await others.pop()!.stop();
});

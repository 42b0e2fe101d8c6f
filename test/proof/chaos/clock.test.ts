import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sweep } from '../../../src/jobs/sweep.ts';
import { clock, running, SAMPLE_TIME, useApp } from '../../support/app/app.ts';
import { findDifferences } from '../../support/app/integrity.ts';
import { rest } from '../../support/clients/rest.ts';
import { closeSockets, listen } from '../../support/clients/websocket.ts';
import { startApns } from '../../support/fakes/apns.ts';
import {
  createDialog,
  errorOf,
  execute,
  MESSAGE_SENT,
  type QuickUser,
  quickUsers,
  send,
} from '../../support/fixtures/chat.ts';
import {
  advanceClock,
  appleToken,
  deliveriesTo,
  delivery,
  sendEvent,
  sentEvent,
  setUpApple,
  subscribeDevice,
} from '../../support/fixtures/pushes.ts';
import { Random } from '../../support/fixtures/random.ts';
import { RETENTION } from '../../support/fixtures/retention.ts';
import { apiKey, createUser } from '../../support/fixtures/users.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const SEED = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const STEPS = 30;

useApp();

beforeEach(({ onTestFailed }) => {
  clock.reset();
  onTestFailed(() => console.error(`A jump of the clock failed with CHAOS_SEED=${SEED}.`));
});

afterEach(async () => {
  await closeSockets();
  expect(await findDifferences()).toEqual([]);
});

const EDIT = 'mutation ($id: ID!, $text: String) { updateMessages(ids: [$id], input: { text: $text }) { id } }';
const REACT = 'mutation ($id: ID!) { addReaction(messageId: $id, name: "like") { id } }';
const CHANGES = `query ($since: String) { changes(since: $since, first: 100) {
  cursor hasMore events { __typename cursor ... on MessageSent { message { text } } } } }`;

interface Shown {
  message: string;
  date_sent: number;
  created_at: string;
}

test('messages keep their order, and subscribers receive each once, however the clock jumps', async () => {
  const random = new Random(SEED);
  const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
  const dialogId = await createDialog(alice, [bob]);
  const { changes } = await execute(CHANGES, {}, bob);
  const listening = await listen(MESSAGE_SENT, { dialogId }, bob);
  const texts: string[] = [];
  const polled: { __typename: string; cursor: string; message?: { text: string } }[] = [];
  let { cursor } = changes;
  for (let step = 0; step < STEPS; step++) {
    clock.reset(random.between(-HOUR, HOUR));
    const text = `step ${step}`;
    const id = await send(random.pick([alice, bob]), dialogId, text);
    texts.push(text);
    if (random.chance(0.3)) await execute(EDIT, { id, text }, apiKey);
    if (random.chance(0.3)) await execute(REACT, { id }, bob);
    if (random.chance(0.3)) await rest('GET', `/chat/Message?chat_dialog_id=${dialogId}`, { as: bob });
    if (random.chance(0.2)) await sweep(running.now(), RETENTION);
    const page = (await execute(CHANGES, { since: cursor }, bob)).changes;
    polled.push(...page.events);
    cursor = page.cursor;
  }
  const path = `/chat/Message?chat_dialog_id=${dialogId}&limit=100&mark_as_read=0`;
  const shown: Shown[] = (await rest('GET', `${path}&sort_asc=date_sent`, { as: bob })).body.items;
  expect(shown.map(({ message }) => message)).toEqual(texts);
  const behind: Shown[] = (await rest('GET', `${path}&sort_desc=date_sent`, { as: bob })).body.items;
  expect(behind.map(({ message }) => message)).toEqual([...texts].reverse());
  for (const moment of [({ date_sent: at }: Shown) => at, ({ created_at: at }: Shown) => Date.parse(at)]) {
    const moments = shown.map(moment);
    expect(moments).toEqual([...moments].sort((a, b) => a - b));
  }
  const [dialog] = (await rest('GET', `/chat/Dialog?_id=${dialogId}`, { as: bob })).body.items;
  expect(dialog.last_message).toBe(texts.at(-1));

  await listening.atLeast(STEPS);
  expect(listening.payloads().map(({ messageSent }) => messageSent.message.text)).toEqual(texts);
  const sent = polled.filter(({ __typename }) => __typename === 'MessageSent');
  expect(sent.map(({ message }) => message!.text)).toEqual(texts);
  for (const cursors of [
    polled.map((event) => event.cursor),
    listening.payloads().map((one) => one.messageSent.cursor),
  ]) {
    expect(cursors).toEqual([...new Set(cursors)].sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1)));
  }
});

test('a cursor whose events expired while the clock was ahead remains expired after the clock is corrected', async () => {
  const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
  const dialogId = await createDialog(alice, [bob]);
  const { cursor } = (await execute(CHANGES, {}, bob)).changes;
  await send(alice, dialogId, 'let go');
  clock.reset(72 * HOUR);
  await sweep(running.now(), RETENTION);
  for (const jump of [72, 0, -72]) {
    clock.reset(jump * HOUR);
    expect(await errorOf(CHANGES, { since: cursor }, bob)).toMatchObject({ code: 'CURSOR_EXPIRED' });
    const fresh = (await execute(CHANGES, {}, bob)).changes.cursor;
    await send(alice, dialogId, `after ${jump}`);
    const { events } = (await execute(CHANGES, { since: fresh }, bob)).changes;
    expect(events.map(({ message }: { message: { text: string } }) => message.text)).toEqual([`after ${jump}`]);
  }
});

test('sessions survive a clock that is set back, and expire on time', async () => {
  const user = await createUser();
  const isIn = async () => (await rest('GET', '/session', { as: user })).status === 200;
  for (const hours of [0, -3, -48, 1, -1]) {
    clock.reset(hours * HOUR);
    expect(await isIn(), `${hours} hours`).toBe(true);
  }
  const late = await createUser();
  expect((await rest('GET', '/session', { as: late })).status).toBe(200);
  clock.reset(4 * HOUR);
  expect(await isIn()).toBe(false);
});

test('due pushes are sent once and retried, however the clock jumps', async () => {
  const apple = await startApns();
  try {
    await setUpApple(apple);
    const user = await createUser();
    const device = await subscribeDevice(user, 'apns', { client_identification_sequence: appleToken(7) });
    const due = Math.floor(SAMPLE_TIME.getTime() / 1000) + 3600;
    const id = await sendEvent({ push_type: 'apns', user: { ids: user.id }, date: due });
    apple.answer = () => ({ status: 429, reason: 'TooManyRequests', headers: { 'retry-after': '100' } });
    advanceClock(HOUR);
    await delivery(device, 'pending', 1);
    advanceClock(-2 * HOUR);
    apple.answer = () => ({ status: 200 });
    // Once a later event has been sent, the scheduler has also looked for due retries.
    const other = await sendEvent({ push_type: 'apns', user: { ids: user.id } });
    await sentEvent(other);
    expect((await deliveriesTo(device)).map(({ status }) => status).sort()).toEqual(['delivered', 'pending']);
    // Without a wake-up signal, the service must find the due retry itself.
    clock.reset(HOUR + 100_000);
    await sentEvent(id);
    for (const jump of [-3, 3, -1, 48]) advanceClock(jump * HOUR);
    const last = await sendEvent({ push_type: 'apns', user: { ids: user.id } });
    await sentEvent(last);
    const all = await deliveriesTo(device);
    expect(all.map(({ status }) => status)).toEqual(['delivered', 'delivered', 'delivered']);
    for (const event of [id, other, last]) {
      expect((await rest('GET', `/events/${event}`, { as: apiKey })).body.event).toMatchObject({
        active: false,
        occured_count: 1,
      });
    }
    // One attempt was refused, and each of the three pushes was accepted once.
    expect(apple.pushes).toHaveLength(4);
  } finally {
    await apple.down();
  }
});

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { db } from '../../src/db/client.ts';
import { clock, SAMPLE_TIME, useApp } from '../support/app/app.ts';
import { rest } from '../support/clients/rest.ts';
import { until } from '../support/clients/websocket.ts';
import { type Apple, startApns } from '../support/fakes/apns.ts';
import {
  advanceClock,
  appleToken,
  delivery,
  sendEvent,
  sentEvent,
  setUpApple,
  subscribeDevice,
} from '../support/fixtures/pushes.ts';
import { apiKey, createUser, type TestUser } from '../support/fixtures/users.ts';

useApp();

const WEEK = 7 * 86_400;
const NOW = 1_795_196_819;

let apple: Apple;
let user: TestUser;
let device: number;
let tokens = 100;

beforeAll(async () => {
  apple = await startApns();
  await setUpApple(apple);
  return () => apple.down();
});

beforeEach(async () => {
  clock.reset();
  user = await createUser({ tag_list: 'a,b', external_user_id: ++tokens });
  device = await subscribeDevice(user, 'apns', { client_identification_sequence: appleToken(tokens) });
  apple.answer = () => ({ status: 200 });
  apple.pushes.length = 0;
});

const show = async (id: number) => (await rest('GET', `/events/${id}`, { as: apiKey })).body.event;
const change = (id: number, event: object) => rest('PUT', `/events/${id}`, { as: apiKey, json: { event } });
const toUser = (event: object) => ({ push_type: 'apns', user: { ids: user.id }, ...event });

test('a weekly event over four years sends one push a week', async () => {
  const weeks = 4 * 52;
  const id = await sendEvent(toUser({ period: WEEK, end_date: NOW + weeks * WEEK }));
  await sentEvent(id);
  for (let week = 1; week <= weeks; week++) {
    advanceClock(WEEK * 1000);
    await until(async () => (await db.event.count({ where: { id, occuredCount: week + 1 } })) > 0);
  }
  expect(await show(id)).toMatchObject({ active: false, occured_count: weeks + 1 });
  advanceClock(10 * WEEK * 1000);
  await sentEvent(await sendEvent(toUser({})));
  expect(await show(id)).toMatchObject({ active: false, occured_count: weeks + 1 });
  const sends = await db.pushSend.findMany({ where: { eventId: id }, orderBy: { createdAt: 'asc' } });
  expect(sends.map(({ createdAt }) => createdAt.getTime() / 1000)).toEqual(
    Array.from({ length: weeks + 1 }, (_, week) => NOW + week * WEEK),
  );
  expect(sends.every(({ recipients, delivered }) => recipients === 1 && delivered === 1)).toBe(true);
}, 600_000);

test('missed repetitions are sent as one push, and the next push keeps the schedule', async () => {
  const id = await sendEvent(toUser({ date: NOW + 100, period: 1_000 }));
  advanceClock(5_500_000);
  expect(await sentEvent(id)).toMatchObject({ occured_count: 1, last_sent_at: NOW + 5_500 });
  advanceClock(599_000);
  expect(await show(id)).toMatchObject({ active: true, occured_count: 1 });
  advanceClock(1_000);
  expect(await sentEvent(id, 2)).toMatchObject({ last_sent_at: NOW + 6_100 });
  await change(id, { active: false });
});

test('a repeated event with a past date starts at its next repetition', async () => {
  const id = await sendEvent(toUser({ date: NOW - 100, period: 1_000 }));
  advanceClock(899_000);
  expect(await show(id)).toMatchObject({ active: true, occured_count: 0 });
  advanceClock(1_000);
  expect(await sentEvent(id)).toMatchObject({ last_sent_at: NOW + 900 });
  await change(id, { active: false });
});

test('an inactive event is not sent until it is activated again', async () => {
  const id = await sendEvent(toUser({ date: NOW + 100 }));
  await change(id, { active: false });
  advanceClock(200_000);
  const later = await sendEvent(toUser({}));
  await sentEvent(later);
  expect(await show(id)).toMatchObject({ active: false, occured_count: 0 });
  await change(id, { active: true });
  expect(await sentEvent(id)).toMatchObject({ occured_count: 1, last_sent_at: NOW + 200, active: false });
  await change(id, { active: true, date: NOW + 300 });
  expect(await show(id)).toMatchObject({ active: true, date: NOW + 300, occured_count: 1 });
  advanceClock(100_000);
  expect(await sentEvent(id, 2)).toMatchObject({ last_sent_at: NOW + 300 });
});

test('a rescheduled event is sent once, at its new date', async () => {
  const id = await sendEvent(toUser({ date: NOW + 100 }));
  await change(id, { date: NOW + 1_000 });
  advanceClock(999_000);
  expect(await show(id)).toMatchObject({ occured_count: 0 });
  advanceClock(1_000);
  expect(await sentEvent(id)).toMatchObject({ active: false, delivered: 1 });
  expect(apple.pushes).toHaveLength(1);
});

test('an event stays active until its last delivery has succeeded or failed', async () => {
  apple.answer = () => ({ status: 503 });
  const id = await sendEvent(toUser({ period: 60, date: NOW, end_date: NOW + 60 }));
  await delivery(device, 'pending');
  expect(await show(id)).toMatchObject({ active: true, occured_count: 0 });
  advanceClock(60_000);
  await until(async () => (await db.pushSend.count({ where: { eventId: id } })) === 2);
  apple.answer = () => ({ status: 200 });
  advanceClock(60_000);
  expect(await sentEvent(id, 2)).toMatchObject({ active: false });
});

test('a deleted event sends no more retries', async () => {
  apple.answer = () => ({ status: 503 });
  const id = await sendEvent(toUser({}));
  await delivery(device, 'pending');
  await rest('DELETE', `/events/${id}`, { as: apiKey });
  const before = apple.pushes.length;
  advanceClock(10_000);
  expect(await delivery(device, 'failed', 2)).toMatchObject({ answer: 'cancelled' });
  expect(apple.pushes).toHaveLength(before);
});

describe('recipients of push events', () => {
  test.each<[name: string, recipients: (user: TestUser) => object, isReached: boolean]>([
    ['by id', ({ id }) => ({ user: { ids: [id] } }), true],
    ['by an external id', () => ({ external_user: { ids: String(tokens) } }), true],
    ['by any of some tags', () => ({ user: { tags: { any: ['x', 'a'] } } }), true],
    ['by all of some tags', () => ({ user: { tags: { all: 'a,b' } } }), true],
    ['not by all tags when one is missing', () => ({ user: { tags: { all: ['a', 'x'] } } }), false],
    ['not by any tag without all', () => ({ user: { tags: { any: 'a', all: 'x' } } }), false],
    ['not by an unknown tag', () => ({ user: { tags: { any: 'x' } } }), false],
    ['not with an excluded tag', () => ({ user: { tags: { any: 'a', exclude: 'b' } } }), false],
    ['not by id with an excluded tag', ({ id }) => ({ user: { ids: id, tags: { exclude: ['b'] } } }), false],
    ['by one known id among unknown ones', ({ id }) => ({ user: { ids: `1,${id},2147483647` } }), true],
  ])('an event selects its recipients %s', async (_name, recipients, isReached) => {
    const id = await sendEvent({ push_type: 'apns', ...recipients(user) });
    await sentEvent(id);
    const logged = await db.pushDelivery.count({ where: { subscriptionId: device, status: 'delivered' } });
    expect(logged).toBe(isReached ? 1 : 0);
  });

  test('a user who is selected twice receives one push on each device', async () => {
    await subscribeDevice(user, 'apns', { client_identification_sequence: appleToken(++tokens) });
    await subscribeDevice(user, 'gcm', { client_identification_sequence: 'g' });
    const everything = { user: { ids: [user.id], tags: { any: 'a' } }, external_user: { ids: [tokens - 1] } };
    const before = await db.pushSubscription.count({ where: { channel: 'apns', user: { tags: { has: 'a' } } } });
    expect(await sentEvent(await sendEvent({ push_type: 'apns', ...everything }))).toMatchObject({
      recipients: before,
      delivered: before,
    });
    expect(await db.pushDelivery.count({ where: { userId: user.id } })).toBe(2);
  });

  test('an event selects only users of its own application', async () => {
    const at = SAMPLE_TIME;
    const { id: applicationId } = await db.application.create({
      data: { name: 'other', authKey: 'o', authSecret: 'o', createdAt: at, updatedAt: at },
    });
    const other = await db.user.create({ data: { applicationId, tags: ['a'], createdAt: at, updatedAt: at } });
    await db.pushSubscription.create({
      data: {
        applicationId,
        userId: other.id,
        channel: 'apns',
        environment: 'development',
        platform: 'ios',
        udid: 'x',
        sequence: appleToken(999),
        createdAt: at,
        updatedAt: at,
      },
    });
    await sentEvent(await sendEvent({ push_type: 'apns', user: { ids: other.id, tags: { any: 'a' } } }));
    expect(await db.pushDelivery.count({ where: { userId: other.id } })).toBe(0);
    expect(apple.pushes.some(({ token }) => token === appleToken(999))).toBe(false);
  });
});

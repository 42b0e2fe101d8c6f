import { beforeAll, beforeEach, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { hashSecret } from '../../../src/lib/tokens.ts';
import { APPLICATION, clock, running, SAMPLE_TIME, useApp } from '../../support/app/app.ts';
import { rest } from '../../support/clients/rest.ts';
import { until } from '../../support/clients/websocket.ts';
import { type Apple, startApns } from '../../support/fakes/apns.ts';
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
import { createUser, type TestUser } from '../../support/fixtures/users.ts';

useApp();

const NOW = 1_795_196_819;
const DAY = 86_400;
const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64');

let apple: Apple;
let user: TestUser;
let device: number;
let tokens = 0;

beforeAll(async () => {
  apple = await startApns();
  await setUpApple(apple);
  return () => apple.down();
});

beforeEach(async () => {
  apple.answer = () => ({ status: 200 });
  apple.pushes.length = 0;
  clock.reset();
  user = await createUser();
  device = await subscribeDevice(user, 'apns', { client_identification_sequence: appleToken(++tokens) });
});

const toUser = (event: object = {}) => ({ push_type: 'apns', user: { ids: user.id }, ...event });

test('a push has the headers and body that APNs requires', async () => {
  const id = await sendEvent(toUser());
  expect(await sentEvent(id)).toEqual({
    id,
    active: false,
    occured_count: 1,
    last_sent_at: NOW,
    recipients: 1,
    delivered: 1,
    failed: 0,
  });
  const [send] = await db.pushSend.findMany({ where: { eventId: id } });
  const [push, ...more] = apple.pushes;
  expect(more).toEqual([]);
  expect(push!.token).toBe(appleToken(tokens));
  expect(push!.headers).toMatchObject({
    ':method': 'POST',
    'apns-topic': 'org.example.app',
    'apns-push-type': 'alert',
    'apns-priority': '10',
    'apns-expiration': String(NOW + DAY),
    'apns-collapse-id': send!.id,
    'apns-id': expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
    'content-type': 'application/json',
  });
  expect(push!.body).toEqual({ aps: { alert: 'hello world!' } });
  expect(push!.claims).toEqual({ iss: 'TEAM000001', iat: NOW, kid: 'KEY0000001' });
  expect(await delivery(device, 'delivered')).toMatchObject({
    userId: user.id,
    channel: 'apns',
    attempts: 1,
    retryAt: null,
    answer: '200',
    answeredAt: SAMPLE_TIME,
  });
});

test('a push without visible content is sent with background priority', async () => {
  await sentEvent(await sendEvent(toUser({ message: base64({ ios_content_available: 1, order: 7 }) })));
  expect(apple.pushes[0]!.headers).toMatchObject({ 'apns-push-type': 'background', 'apns-priority': '5' });
  expect(apple.pushes[0]!.body).toEqual({ aps: { 'content-available': 1 }, order: 7 });
});

test('a VoIP push uses the topic of the app that the device names', async () => {
  await subscribeDevice(user, 'apns_voip', {
    client_identification_sequence: appleToken(++tokens),
    bundle_identifier: 'org.example.other',
  });
  await sentEvent(await sendEvent(toUser({ push_type: 'apns_voip' })));
  expect(apple.pushes).toHaveLength(1);
  expect(apple.pushes[0]!.headers).toMatchObject({
    'apns-topic': 'org.example.other.voip',
    'apns-push-type': 'voip',
    'apns-priority': '10',
  });
});

test('all pushes share one connection and one provider token until the token is 50 minutes old', async () => {
  const before = apple.connections();
  for (let sent = 0; sent < 3; sent++) await sentEvent(await sendEvent(toUser()));
  expect(apple.connections() - before).toBeLessThanOrEqual(1);
  expect(new Set(apple.pushes.map(({ headers }) => headers.authorization)).size).toBe(1);
  advanceClock(51 * 60_000);
  await sentEvent(await sendEvent(toUser()));
  expect(apple.pushes.at(-1)!.claims.iat).toBe(NOW + 51 * 60);
});

test('a provider token that Apple rejects as expired is replaced immediately', async () => {
  let isFirst = true;
  apple.answer = () => {
    if (!isFirst) return { status: 200 };
    isFirst = false;
    return { status: 403, reason: 'ExpiredProviderToken' };
  };
  expect(await sentEvent(await sendEvent(toUser()))).toMatchObject({ delivered: 1 });
  expect(apple.pushes).toHaveLength(2);
});

test('a device that Apple reports as unregistered is removed', async () => {
  apple.answer = () => ({ status: 410, reason: 'Unregistered', timestamp: SAMPLE_TIME.getTime() });
  expect(await sentEvent(await sendEvent(toUser()))).toMatchObject({ recipients: 1, delivered: 0, failed: 1 });
  expect(await deliveriesTo(device)).toMatchObject([{ status: 'failed', answer: '410 Unregistered' }]);
  expect((await rest('GET', '/subscriptions', { as: user })).body).toEqual([]);
});

test('a device that was registered again after the reported time is not removed', async () => {
  apple.answer = () => ({ status: 410, reason: 'Unregistered', timestamp: SAMPLE_TIME.getTime() - 1 });
  await sentEvent(await sendEvent(toUser()));
  expect((await rest('GET', '/subscriptions', { as: user })).body).toHaveLength(1);
});

test('a waiting delivery uses the latest token of its device', async () => {
  apple.answer = () => ({ status: 500 });
  const id = await sendEvent(toUser());
  await delivery(device, 'pending');
  const sequence = appleToken(++tokens);
  await db.pushSubscription.update({
    where: { applicationId_id: { applicationId: APPLICATION.id, id: device } },
    data: { sequence, sequenceHash: hashSecret(sequence) },
  });
  apple.answer = ({ token }) => (token === sequence ? { status: 200 } : { status: 410, reason: 'Unregistered' });
  advanceClock(10_000);
  expect(await sentEvent(id)).toMatchObject({ delivered: 1 });
});

test.each([
  [400, 'BadDeviceToken'],
  [403, 'InvalidProviderToken'],
  [413, 'PayloadTooLarge'],
])('a push refused with %d %s is not retried and its device remains', async (status, reason) => {
  apple.answer = () => ({ status, reason });
  expect(await sentEvent(await sendEvent(toUser()))).toMatchObject({ failed: 1 });
  expect(await deliveriesTo(device)).toMatchObject([{ status: 'failed', answer: `${status} ${reason}`, attempts: 1 }]);
  expect((await rest('GET', '/subscriptions', { as: user })).body).toHaveLength(1);
});

test('an invalid device token is not sent to Apple', async () => {
  const odd = await subscribeDevice(user, 'apns', {
    client_identification_sequence: '../../other',
    bundle_identifier: 'x',
  });
  expect(await sentEvent(await sendEvent(toUser()))).toMatchObject({ recipients: 2, delivered: 1, failed: 1 });
  expect(await deliveriesTo(odd)).toMatchObject([{ answer: '400 BadDeviceToken (not sent)' }]);
});

test('a delivery waits as long as Retry-After requests', async () => {
  apple.answer = () => ({ status: 429, reason: 'TooManyRequests', headers: { 'retry-after': '100' } });
  const id = await sendEvent(toUser());
  const waiting = await delivery(device, 'pending');
  expect(waiting).toMatchObject({ answer: '429 TooManyRequests', retryAt: new Date(SAMPLE_TIME.getTime() + 100_000) });
  expect(
    (await rest('GET', `/events/${id}`, { as: { headers: { Authorization: 'ApiKey KEY' } } })).body.event,
  ).toMatchObject({
    active: true,
    occured_count: 0,
  });
  apple.answer = () => ({ status: 200 });
  advanceClock(100_000);
  expect(await sentEvent(id)).toMatchObject({ active: false, delivered: 1, failed: 0 });
  expect(await delivery(device, 'delivered')).toMatchObject({ attempts: 2, retryAt: null });
  expect(new Set(apple.pushes.map(({ headers }) => headers['apns-id'])).size).toBe(1);
});

test('retries back off up to an hour and stop after a day', async () => {
  apple.answer = () => ({ status: 503, reason: 'Shutdown' });
  const id = await sendEvent(toUser());
  const waits: number[] = [];
  for (let attempts = 1; ; attempts++) {
    await until(async () => ((await deliveriesTo(device)).at(-1)?.attempts ?? 0) >= attempts);
    const { status, retryAt } = (await deliveriesTo(device)).at(-1)!;
    if (status === 'failed') break;
    waits.push((retryAt!.getTime() - running.now().getTime()) / 1000);
    advanceClock(retryAt!.getTime() - running.now().getTime());
  }
  expect(waits.slice(0, 11)).toEqual([10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600]);
  expect(waits.reduce((sum, wait) => sum + wait)).toBeLessThan(DAY);
  expect(await sentEvent(id)).toMatchObject({
    active: false,
    occured_count: 1,
    recipients: 1,
    delivered: 0,
    failed: 1,
  });
});

test('pushes of an outage are delivered when the provider is back', async () => {
  await sentEvent(await sendEvent(toUser()));
  await apple.down();
  const id = await sendEvent(toUser());
  expect((await delivery(device, 'pending')).answer).toMatch(/^not reached: /);
  advanceClock(10_000);
  await delivery(device, 'pending', 2);
  await apple.up();
  advanceClock(20_000);
  expect(await sentEvent(id)).toMatchObject({ delivered: 1, failed: 0 });
});

test('a broken connection is replaced', async () => {
  apple.answer = () => 'hang up';
  const id = await sendEvent(toUser());
  await delivery(device, 'pending');
  apple.answer = () => ({ status: 200 });
  advanceClock(10_000);
  expect(await sentEvent(id)).toMatchObject({ delivered: 1 });
});

test('deliveries of a cancelled event are not retried', async () => {
  apple.answer = () => ({ status: 503 });
  const id = await sendEvent(toUser());
  await delivery(device, 'pending');
  const key = { headers: { Authorization: 'ApiKey KEY' } };
  const cancelled = await rest('PUT', `/events/${id}`, { as: key, json: { event: { active: false } } });
  expect(cancelled.body.event).toMatchObject({ active: false, occured_count: 0 });
  const before = apple.pushes.length;
  advanceClock(10_000);
  expect(await delivery(device, 'failed', 2)).toMatchObject({ answer: 'cancelled' });
  expect(apple.pushes).toHaveLength(before);
});

test('a push is sent only to devices of its environment, and fails when that environment is not configured', async () => {
  const other = await subscribeDevice(
    user,
    'apns',
    { client_identification_sequence: appleToken(++tokens) },
    'production',
  );
  expect(await sentEvent(await sendEvent(toUser()))).toMatchObject({ recipients: 1, delivered: 1 });
  const id = await sendEvent(toUser({ environment: 'production' }));
  expect(await sentEvent(id)).toMatchObject({ recipients: 1, delivered: 0, failed: 1 });
  expect(await deliveriesTo(other)).toMatchObject([{ answer: 'apns is not set up for production' }]);
  expect(apple.pushes).toHaveLength(1);
});

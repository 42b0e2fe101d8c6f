import { beforeAll, beforeEach, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { clock, running, useApp } from '../../support/app/app.ts';
import { rest } from '../../support/clients/rest.ts';
import { until } from '../../support/clients/websocket.ts';
import { type Google, startGoogle } from '../../support/fakes/google.ts';
import {
  advanceClock,
  deliveriesTo,
  delivery,
  sendEvent,
  sentEvent,
  setUpGoogle,
  subscribeDevice,
} from '../../support/fixtures/pushes.ts';
import { createUser, type TestUser } from '../../support/fixtures/users.ts';

useApp();

let google: Google;
let user: TestUser;
let device: number;

beforeAll(async () => {
  google = await startGoogle(running.now);
  return () => google.stop();
});

beforeEach(async () => {
  google.answer = () => ({ status: 200, body: { name: 'projects/project-1/messages/1' } });
  google.refusal = undefined;
  google.pushes.length = 0;
  google.tokens.length = 0;
  clock.advance(1);
  // Configuring again creates a gateway without an access token.
  await setUpGoogle(google);
  user = await createUser();
  device = await subscribeDevice(user, 'gcm', { client_identification_sequence: `fcm-${user.id}` });
});

const toUser = (event: object = {}) => ({ push_type: 'gcm', user: { ids: user.id }, ...event });
const fcmError = (status: number, code: string, headers?: Record<string, string>) => () => ({
  status,
  headers,
  body: {
    error: {
      code: status,
      status: code === 'UNREGISTERED' ? 'NOT_FOUND' : code,
      details: [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode: code }],
    },
  },
});

test('a push has the format that FCM requires', async () => {
  expect(await sentEvent(await sendEvent(toUser()))).toMatchObject({ recipients: 1, delivered: 1, failed: 0 });
  expect(google.pushes).toEqual([
    {
      path: '/v1/projects/project-1/messages:send',
      authorization: 'Bearer access-1',
      body: {
        message: {
          token: `fcm-${user.id}`,
          data: { message: 'hello world!' },
          android: { priority: 'HIGH', ttl: '86400s' },
        },
      },
    },
  ]);
  expect(await deliveriesTo(device)).toMatchObject([{ answer: '200 projects/project-1/messages/1' }]);
});

test('every member of an object payload becomes a data text', async () => {
  const message = Buffer.from(JSON.stringify({ message: 'a b!', order: 7, ios_badge: 1 })).toString('base64');
  await sentEvent(await sendEvent(toUser({ message })));
  expect(google.pushes[0]!.body.message.data).toEqual({ message: 'a b!', order: '7' });
});

test('pushes share one access token until it expires', async () => {
  for (let sent = 0; sent < 3; sent++) await sentEvent(await sendEvent(toUser()));
  expect(google.tokens).toEqual(['access-1']);
  advanceClock(3_600_000);
  await sentEvent(await sendEvent(toUser()));
  expect(google.pushes.at(-1)!.authorization).toBe('Bearer access-2');
  clock.reset();
});

test('60 concurrent pushes share one access token and one failure to get it', async () => {
  // Only 50 password hashes per network may be queued.
  const users: Awaited<ReturnType<typeof createUser>>[] = [];
  for (let batch = 0; batch < 3; batch++) {
    users.push(...(await Promise.all(Array.from({ length: 20 }, () => createUser()))));
  }
  for (const one of users) await subscribeDevice(one, 'gcm', { client_identification_sequence: `many-${one.id}` });
  const toAll = { push_type: 'gcm', user: { ids: users.map(({ id }) => id) } };
  expect(await sentEvent(await sendEvent(toAll))).toMatchObject({ recipients: 60, delivered: 60 });
  expect(google.tokens).toEqual(['access-1']);

  google.answer = ({ authorization }) =>
    authorization === 'Bearer access-1' ? fcmError(401, 'UNAUTHENTICATED')() : { status: 200, body: {} };
  const id = await sendEvent(toAll);
  await until(async () => (await db.pushSend.count({ where: { eventId: id } })) === 1);
  const { id: sendId } = (await db.pushSend.findFirst({ where: { eventId: id } }))!;
  await until(async () => (await db.pushDelivery.count({ where: { sendId, attempts: 1 } })) === 60);
  advanceClock(10_000);
  expect(await sentEvent(id)).toMatchObject({ delivered: 60 });
  expect(google.tokens).toEqual(['access-1', 'access-2']);
});

test('a device that FCM reports as unregistered is removed', async () => {
  google.answer = fcmError(404, 'UNREGISTERED');
  expect(await sentEvent(await sendEvent(toUser()))).toMatchObject({ failed: 1 });
  expect(await deliveriesTo(device)).toMatchObject([{ status: 'failed', answer: '404 UNREGISTERED' }]);
  expect((await rest('GET', '/subscriptions', { as: user })).body).toEqual([]);
});

test.each([
  [400, 'INVALID_ARGUMENT'],
  [403, 'SENDER_ID_MISMATCH'],
  [404, 'NOT_FOUND'],
])('a push refused with %d %s is not retried and its device remains', async (status, code) => {
  google.answer = fcmError(status, code);
  expect(await sentEvent(await sendEvent(toUser()))).toMatchObject({ failed: 1 });
  expect(await deliveriesTo(device)).toMatchObject([{ status: 'failed', answer: `${status} ${code}` }]);
  expect((await rest('GET', '/subscriptions', { as: user })).body).toHaveLength(1);
});

test.each([
  [429, 'QUOTA_EXCEEDED', { 'retry-after': '60' }, 60],
  [503, 'UNAVAILABLE', {}, 10],
  [500, 'INTERNAL', { 'retry-after': 'soon' }, 10],
])('a push refused with %d %s is retried', async (status, code, headers, wait) => {
  google.answer = fcmError(status, code, headers as Record<string, string>);
  const id = await sendEvent(toUser());
  const { retryAt, answer } = await delivery(device, 'pending');
  expect([answer, retryAt!.getTime() - running.now().getTime()]).toEqual([`${status} ${code}`, wait * 1000]);
  google.answer = () => ({ status: 200, body: {} });
  advanceClock(wait * 1000);
  expect(await sentEvent(id)).toMatchObject({ delivered: 1 });
});

test('a revoked access token is replaced', async () => {
  await sentEvent(await sendEvent(toUser()));
  google.answer = ({ authorization }) =>
    authorization === 'Bearer access-1' ? fcmError(401, 'UNAUTHENTICATED')() : { status: 200, body: {} };
  const id = await sendEvent(toUser());
  expect(await delivery(device, 'pending')).toMatchObject({ answer: '401 UNAUTHENTICATED' });
  advanceClock(10_000);
  expect(await sentEvent(id)).toMatchObject({ delivered: 1 });
});

test('without an access token, pushes are retried after a temporary refusal and fail after a permanent one', async () => {
  google.refusal = { status: 503 };
  const id = await sendEvent(toUser());
  expect(await delivery(device, 'pending')).toMatchObject({ answer: '503 from the token address' });
  google.refusal = { status: 400, body: { error: 'invalid_grant' } };
  advanceClock(10_000);
  expect(await sentEvent(id)).toMatchObject({ failed: 1 });
  expect(await deliveriesTo(device)).toMatchObject([{ answer: '400 from the token address', attempts: 2 }]);
  expect(google.pushes).toEqual([]);
});

import { beforeAll, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { APPLICATION, clock, useApp } from '../../support/app/app.ts';
import { rest } from '../../support/clients/rest.ts';
import { type Scenario, testScenarios } from '../../support/clients/rest-table.ts';
import { type ChatCast, createChatCast } from '../../support/fixtures/chat-cast.ts';
import { BAD_ID, NEED_USER, NOT_FOUND, TOKEN_REQUIRED } from '../../support/fixtures/error-bodies.ts';
import { createUser } from '../../support/fixtures/users.ts';

useApp();

let cast: ChatCast;
beforeAll(async () => {
  cast = await createChatCast();
});

const DEVICE = { platform: 'android', udid: 'u1' };
const TOKEN = { environment: 'development', client_identification_sequence: 'seq' };
const GCM = { notification_channel: 'gcm', push_token: TOKEN, device: DEVICE };

const KEYS = {
  p256dh: Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 1)]).toString('base64url'),
  auth: Buffer.alloc(16, 2).toString('base64url'),
};
/** Endpoints that are never allowed, even with private networks enabled. */
const BAD_ENDPOINTS = [
  'file:///etc/passwd',
  'javascript:alert(1)',
  'ftp://push.example.org/x',
  'data:text/plain,x',
  'ws://push.example.org/x',
  'gopher://push.example.org/x',
  'HTTPS ://push.example.org/x',
  'https://user@push.example.org/x',
  'https://user:secret@push.example.org/x',
  'https://push.example.org/a b',
  'https://push.example.org/ä',
  `https://push.example.org/${'x'.repeat(2_000)}`,
];
const BROWSER = { environment: 'production', endpoint: 'https://push.example.org/send/1', keys: KEYS };

const item = (id: unknown, udid: string, sequence: string | null, platform: string, name: string, bundle?: string) => ({
  subscription: {
    id,
    device: {
      udid,
      client_identification_sequence: sequence,
      platform: { name: platform },
      bundle_identifier: bundle ?? null,
    },
    notification_channel: { name },
  },
});

const post = (name: string, as: string, body: object | string, status: number, answer: unknown): Scenario => [
  name,
  as,
  'POST',
  '/subscriptions.json',
  body,
  status,
  answer,
];
const refused = (name: string, body: object | string, ...errors: string[]): Scenario =>
  post(name, 'carol', body, 422, { errors });
const has = (name: string, as: string, answer: unknown): Scenario => [
  name,
  as,
  'GET',
  '/subscriptions.json',
  undefined,
  200,
  answer,
];

const INVALID = 'Client identification sequence is not valid';
const NO_PLATFORM = 'Device platform is not valid';
const NO_UDID = "Device udid can't be blank";

describe('subscriptions', () => {
  testScenarios(
    () => cast,
    [
      has('nobody has any at first', 'alice', []),
      post(
        'a device is subscribed by a form',
        'alice',
        'device[platform]=android&device[udid]=u1&notification_channel=gcm&push_token[bundle_identifier]=com.x&push_token[client_identification_sequence]=seq&push_token[environment]=development',
        201,
        [item(1, 'u1', 'seq', 'android', 'gcm', 'com.x')],
      ),
      post(
        'again it is the same with another sequence',
        'alice',
        { ...GCM, push_token: { ...TOKEN, client_identification_sequence: 'two', bundle_identifier: 'com.x' } },
        201,
        [item(1, 'u1', 'two', 'android', 'gcm', 'com.x')],
      ),
      post('another bundle is another', 'alice', GCM, 201, [
        item(1, 'u1', 'two', 'android', 'gcm', 'com.x'),
        item(2, 'u1', 'seq', 'android', 'gcm'),
      ]),
      post('a sequence moves to the user who tells it', 'key for mallory', GCM, 201, [
        item(3, 'u1', 'seq', 'android', 'gcm'),
      ]),
      has('and is no more the one who had it', 'alice', [item(1, 'u1', 'two', 'android', 'gcm', 'com.x')]),
      post(
        'several channels make several',
        'bob',
        { notification_channels: 'apns, apns_voip,email', push_token: TOKEN, device: { platform: 'ios', udid: 'b' } },
        201,
        [
          item(4, 'b', 'seq', 'ios', 'apns'),
          item(5, 'b', 'seq', 'ios', 'apns_voip'),
          item(6, 'b', null, 'ios', 'email'),
        ],
      ),
      has('another channel has sequences of its own', 'mallory', [item(3, 'u1', 'seq', 'android', 'gcm')]),
      ['one is deleted', 'bob', 'DELETE', '/subscriptions/5.json', undefined, 200, undefined],
      ['but once', 'bob', 'DELETE', '/subscriptions/5.json', undefined, 404, NOT_FOUND],
      ["not another's", 'alice', 'DELETE', '/subscriptions/4', undefined, 404, NOT_FOUND],
      ['not from another application', 'stranger', 'DELETE', '/subscriptions/4', undefined, 404, NOT_FOUND],
      ['nor one that is beyond all ids', 'bob', 'DELETE', '/subscriptions/2147483648', undefined, 404, NOT_FOUND],
      ['an id is a positive integer', 'bob', 'DELETE', '/subscriptions/0', undefined, 422, BAD_ID],
      ['an id is a positive integer', 'bob', 'DELETE', '/subscriptions/x.json', undefined, 422, BAD_ID],
      has('the others stay', 'bob', [item(4, 'b', 'seq', 'ios', 'apns'), item(6, 'b', null, 'ios', 'email')]),
      post('the other application has its own devices', 'stranger', GCM, 201, [
        item(expect.any(Number), 'u1', 'seq', 'android', 'gcm'),
      ]),
      has('beside ours', 'mallory', [item(3, 'u1', 'seq', 'android', 'gcm')]),
      post('a mailbox needs no token', 'carol', { notification_channel: 'email', device: DEVICE }, 201, [
        item(expect.any(Number), 'u1', null, 'android', 'email'),
      ]),
      post(
        'a browser is subscribed by its PushSubscription object',
        'key for alice',
        { notification_channel: 'web', push_token: BROWSER, device: { platform: 'web', udid: 'w' } },
        201,
        [
          item(1, 'u1', 'two', 'android', 'gcm', 'com.x'),
          item(expect.any(Number), 'w', BROWSER.endpoint, 'web', 'web'),
        ],
      ),
    ],
  );
});

describe('rejected subscriptions', () => {
  testScenarios(
    () => cast,
    [
      refused('nothing at all', {}, 'Unknown notification channel'),
      refused('an unknown channel', { ...GCM, notification_channel: 'bbps' }, 'Unknown notification channel'),
      refused('one among others', { ...GCM, notification_channels: ['gcm', 'x'] }, 'Unknown notification channel'),
      refused('no token', { notification_channel: 'gcm', device: DEVICE }, 'Push token is required'),
      refused('no sequence', { ...GCM, push_token: { environment: 'production' } }, INVALID),
      refused('a blank one', { ...GCM, push_token: { ...TOKEN, client_identification_sequence: ' ' } }, INVALID),
      refused(
        'a long one',
        { ...GCM, push_token: { ...TOKEN, client_identification_sequence: 's'.repeat(4097) } },
        INVALID,
      ),
      refused(
        'another environment',
        { ...GCM, push_token: { ...TOKEN, environment: 'staging' } },
        'Environment should be production or development',
      ),
      refused('no device', { notification_channel: 'gcm', push_token: TOKEN }, NO_PLATFORM, NO_UDID),
      refused('another platform', { ...GCM, device: { ...DEVICE, platform: 'windows' } }, NO_PLATFORM),
      refused('no udid', { ...GCM, device: { platform: 'ios', udid: '' } }, NO_UDID),
      refused(
        'all of it',
        { notification_channel: 'x', push_token: {}, device: {} },
        'Unknown notification channel',
        'Environment should be production or development',
        INVALID,
        NO_PLATFORM,
        NO_UDID,
      ),
      refused('a browser without an endpoint', { ...GCM, notification_channel: 'web' }, INVALID),
      refused(
        'a browser without keys',
        { notification_channel: 'web', push_token: { ...BROWSER, keys: {} }, device: DEVICE },
        INVALID,
      ),
      refused(
        'a browser with a short key',
        { notification_channel: 'web', push_token: { ...BROWSER, keys: { ...KEYS, auth: 'AA' } }, device: DEVICE },
        INVALID,
      ),
      refused(
        'a browser whose endpoint is none',
        { notification_channel: 'web', push_token: { ...BROWSER, endpoint: 'x' }, device: DEVICE },
        INVALID,
      ),
      ...BAD_ENDPOINTS.map((endpoint) =>
        refused(
          `a browser at ${endpoint.slice(0, 60)}`,
          { notification_channel: 'web', push_token: { ...BROWSER, endpoint }, device: DEVICE },
          INVALID,
        ),
      ),
      ...BAD_ENDPOINTS.map(
        (endpoint): Scenario => [
          `a token of a browser at ${endpoint.slice(0, 60)}`,
          'carol',
          'POST',
          '/push_tokens.json',
          { push_token: { ...BROWSER, endpoint }, device: DEVICE },
          422,
          { errors: [INVALID] },
        ],
      ),
      post('without credentials', 'anonymous', GCM, 401, TOKEN_REQUIRED),
      post('by an application session', 'application', GCM, 422, NEED_USER),
      post('by a key alone', 'key', GCM, 422, NEED_USER),
      ['listing by a key alone', 'key', 'GET', '/subscriptions', undefined, 422, NEED_USER],
      ['deleting by a key alone', 'key', 'DELETE', '/subscriptions/1', undefined, 422, NEED_USER],
      ['listing without credentials', 'anonymous', 'GET', '/subscriptions', undefined, 401, TOKEN_REQUIRED],
    ],
  );
});

describe('push tokens', () => {
  testScenarios(
    () => cast,
    [
      [
        'a token is kept',
        'carol',
        'POST',
        '/push_tokens.json',
        { push_token: TOKEN, device: { platform: 'ios', udid: 'c' } },
        201,
        { push_token: { id: 1, environment: 'development', client_identification_sequence: 'seq' } },
      ],
      [
        'again it is the same with another sequence',
        'carol',
        'POST',
        '/push_tokens.json',
        'push_token[environment]=development&push_token[client_identification_sequence]=three&device[platform]=ios&device[udid]=c',
        201,
        { push_token: { id: 1, environment: 'development', client_identification_sequence: 'three' } },
      ],
      post('a subscription is made from it', 'carol', { notification_channels: 'apns' }, 201, [
        item(expect.any(Number), 'u1', null, 'android', 'email'),
        item(expect.any(Number), 'c', 'three', 'ios', 'apns'),
      ]),
      ["not another's", 'bob', 'DELETE', '/push_tokens/1.json', undefined, 404, NOT_FOUND],
      ['goes', 'carol', 'DELETE', '/push_tokens/1.json', undefined, 200, undefined],
      has('with the subscriptions made from it', 'carol', [item(expect.any(Number), 'u1', null, 'android', 'email')]),
      ['but once', 'carol', 'DELETE', '/push_tokens/1.json', undefined, 404, NOT_FOUND],
      ['an id is a positive integer', 'carol', 'DELETE', '/push_tokens/-1', undefined, 422, BAD_ID],
      [
        'errors of a push token',
        'carol',
        'POST',
        '/push_tokens',
        {},
        422,
        { errors: ['Environment should be production or development', INVALID, NO_PLATFORM, NO_UDID] },
      ],
      ['of a key alone', 'key', 'POST', '/push_tokens', { push_token: TOKEN, device: DEVICE }, 422, NEED_USER],
    ],
  );
});

async function subscribe(as: { headers: Record<string, string> }, udid: string, sequence: string) {
  const push_token = { ...TOKEN, client_identification_sequence: sequence };
  const answer = await rest('POST', '/subscriptions', {
    as,
    json: { ...GCM, push_token, device: { ...DEVICE, udid } },
  });
  expect(answer.status).toBe(201);
  return answer.body as { subscription: { id: number; device: { udid: string } } }[];
}

test('an eleventh device removes the one registered longest ago', async () => {
  const user = await createUser();
  for (let index = 0; index < 10; index++) {
    clock.reset(index);
    await subscribe(user, `d${index}`, 'same for all');
  }
  clock.reset(20);
  await subscribe(user, 'd0', 'notified again');
  const all = await subscribe(user, 'd10', 'one more');
  expect(all.map(({ subscription }) => subscription.device.udid)).toEqual(
    [0, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((index) => `d${index}`),
  );
  clock.reset();
});

test('when two users claim a device concurrently, one of them has it', async () => {
  const users = [await createUser(), await createUser()];
  for (let round = 0; round < 10; round++) {
    await Promise.all(users.map((user) => subscribe(user, `r${round}`, `contested ${round}`)));
    expect(await db.pushSubscription.count({ where: { sequence: `contested ${round}` } })).toBe(1);
  }
});

test('concurrent identical requests create one subscription', async () => {
  const user = await createUser();
  await Promise.all(Array.from({ length: 5 }, () => subscribe(user, 'twice', 'twice')));
  expect(await db.pushSubscription.count({ where: { applicationId: APPLICATION.id, userId: user.id } })).toBe(1);
});

test('deleting a user deletes their devices and push tokens', async () => {
  const user = await createUser();
  await subscribe(user, 'gone', 'gone');
  await rest('POST', '/push_tokens', { as: user, json: { push_token: TOKEN, device: DEVICE } });
  await rest('DELETE', `/users/${user.id}`, { as: user });
  expect(await db.pushSubscription.count({ where: { userId: user.id } })).toBe(0);
  expect(await db.pushToken.count({ where: { userId: user.id } })).toBe(0);
});

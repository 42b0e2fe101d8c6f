import { createPublicKey, verify } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WebPushGateway } from '../../../src/gateways/push/web.ts';
import { clock, running, SAMPLE_TIME, useApp } from '../../support/app/app.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { rest } from '../../support/clients/rest.ts';
import { type Browser, startBrowser } from '../../support/fakes/browser.ts';
import {
  advanceClock,
  deliveriesTo,
  delivery,
  sendEvent,
  sentEvent,
  setUpWeb,
  subscribeDevice,
} from '../../support/fixtures/pushes.ts';
import { createUser, type TestUser } from '../../support/fixtures/users.ts';

useApp();

let browser: Browser;
let user: TestUser;
let device: number;

beforeAll(async () => {
  browser = await startBrowser();
  await setUpWeb();
  return () => browser.stop();
});

beforeEach(async () => {
  browser.answer = () => ({ status: 201 });
  browser.pushes.length = 0;
  user = await createUser();
  device = await subscribeDevice(user, 'web', browser.subscription(`b${user.id}`));
});

const toUser = (event: object = {}) => ({ push_type: 'web', user: { ids: user.id }, ...event });
const KEY = 'query ($environment: String!) { webPushKey(environment: $environment) }';

test('a push reaches the browser, which can decrypt it', async () => {
  expect(await sentEvent(await sendEvent(toUser()))).toMatchObject({ recipients: 1, delivered: 1, failed: 0 });
  const [{ headers, path, text }] = browser.pushes as [(typeof browser.pushes)[0]];
  expect([path, text]).toEqual([`/send/b${user.id}`, '{"message":"hello world!"}']);
  expect(headers).toMatchObject({
    ttl: '86400',
    urgency: 'high',
    'content-encoding': 'aes128gcm',
    topic: expect.stringMatching(/^[0-9a-f]{24}$/),
  });
  const [, token, key] = /^vapid t=([^,]+), k=(\S+)$/.exec(headers.authorization!)!;
  const { data } = await graphql(KEY, { environment: 'development' }, user);
  expect(data).toEqual({ webPushKey: key });
  const [head, claims, signature] = token!.split('.');
  expect(JSON.parse(Buffer.from(claims!, 'base64url').toString())).toMatchObject({
    aud: new URL(browser.subscription('').endpoint).origin,
    sub: 'mailto:push@example.org',
  });
  const point = Buffer.from(key!, 'base64url');
  const publicKey = createPublicKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
    },
  });
  const signed = Buffer.from(`${head}.${claims}`);
  const isSigned = verify(
    'sha256',
    signed,
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature!, 'base64url'),
  );
  expect(isSigned).toBe(true);
});

test.each([404, 410])('a browser whose push service responds %d is removed', async (status) => {
  browser.answer = () => ({ status });
  expect(await sentEvent(await sendEvent(toUser()))).toMatchObject({ failed: 1 });
  expect((await rest('GET', '/subscriptions', { as: user })).body).toEqual([]);
});

test('a push waits as long as Retry-After of the push service requests', async () => {
  browser.answer = () => ({ status: 429, headers: { 'Retry-After': '30' } });
  const id = await sendEvent(toUser());
  const { retryAt } = await delivery(device, 'pending');
  expect(retryAt).toEqual(new Date(SAMPLE_TIME.getTime() + 30_000));
  browser.answer = () => ({ status: 201 });
  advanceClock(30_000);
  expect(await sentEvent(id)).toMatchObject({ delivered: 1 });
  clock.reset();
});

test('redirects are not followed, and the log of deliveries holds only the status', async () => {
  browser.answer = () => ({ status: 302, headers: { Location: 'http://169.254.169.254/latest' } });
  expect(await sentEvent(await sendEvent(toUser()))).toMatchObject({ failed: 1 });
  expect(await deliveriesTo(device)).toMatchObject([{ answer: '302' }]);
});

test('the VAPID key stays the same when the application configures web push again', async () => {
  const before = (await graphql(KEY, { environment: 'development' }, user)).data;
  await setUpWeb();
  expect((await graphql(KEY, { environment: 'development' }, user)).data).toEqual(before);
  const { errors } = await graphql(KEY, { environment: 'production' }, user);
  expect(errors![0]!.extensions).toMatchObject({ code: 'NOT_FOUND' });
});

describe('row 27: push endpoints in private networks', () => {
  const vapid = {
    subject: 'mailto:push@example.org',
    publicKey: 'BJ6n5JnXlDZiJC-HLIlVkEOcMnpoBuYAT5ksTwf3r_Y2HVkcnL1tUMuP_0fYa8qu8ELbS5VRXs0CwEHZSI7MuB4',
    privateKey: 'AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE',
  };
  const push = (address: string) => ({
    id: '00000000-0000-8000-8000-000000000000',
    channel: 'web' as const,
    address,
    keys: browser.subscription('x').keys,
    bundleIdentifier: null,
    content: { title: '', stored: 'payload=e30=' },
    collapseKey: 'k',
    isReplaced: false,
    expiresAt: new Date(SAMPLE_TIME.getTime() + 1000),
  });

  test.each([
    'https://127.0.0.1/x',
    'https://10.0.0.1/x',
    'https://169.254.169.254/latest',
    'https://192.168.1.1/x',
    'https://[::1]/x',
    'https://[::ffff:127.0.0.1]/x',
    'https://[::ffff:a00:1]/x',
    'https://[64:ff9b::a00:1]/x',
    'https://[fd00::1]/x',
    'https://[fe80::1]/x',
    'https://2130706433/x',
    'https://0x7f.1/x',
    'https://localhost/x',
    'https://0.0.0.0/x',
  ])('send refuses the private endpoint %s', async (address) => {
    const gateway = new WebPushGateway(vapid, false, running.now);
    expect(await gateway.send(push(address))).toEqual({
      kind: 'refused',
      answer: 'the endpoint is in a private network',
    });
  });

  test.each(['http://example.org/x', 'https://user:pass@example.org/x', 'file:///etc/passwd', 'x'])(
    'send refuses %s, which is not a valid push endpoint',
    async (address) => {
      const gateway = new WebPushGateway(vapid, false, running.now);
      expect(await gateway.send(push(address))).toEqual({ kind: 'refused', answer: 'the endpoint is not allowed' });
    },
  );

  test('send refuses browser keys that are not a point of the curve', async () => {
    const keys = { p256dh: Buffer.alloc(65, 4).toString('base64url'), auth: Buffer.alloc(16).toString('base64url') };
    const gateway = new WebPushGateway(vapid, true, running.now);
    expect(await gateway.send({ ...push(browser.subscription('x').endpoint), keys })).toEqual({
      kind: 'refused',
      answer: 'the keys of the browser are unusable',
    });
  });

  test('send reaches a private endpoint when the operator allows private networks', async () => {
    const gateway = new WebPushGateway(vapid, true, running.now);
    expect(await gateway.send(push(browser.subscription('allowed').endpoint))).toEqual({
      kind: 'delivered',
      answer: '201',
    });
    expect(browser.pushes.at(-1)).toMatchObject({ path: '/send/allowed', text: '{}' });
  });
});

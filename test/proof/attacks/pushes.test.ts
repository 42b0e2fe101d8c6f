import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { PushTraffic } from '../../../src/gateways/push/traffic.ts';
import { createVapidKeys, WebPushGateway } from '../../../src/gateways/push/web.ts';
import { storePushSettings } from '../../../src/resolvers/pushes/settings.ts';
import { APPLICATION, ENCRYPTER, running, useApp } from '../../support/app/app.ts';
import { createTenant, startAnother, type Tenant } from '../../support/app/other-apps.ts';
import { statementsAbout } from '../../support/app/query-plans.ts';
import { rest } from '../../support/clients/rest.ts';
import { GRAPHQL_TRANSPORTS } from '../../support/clients/transports.ts';
import { until } from '../../support/clients/websocket.ts';
import { type Browser, startBrowser } from '../../support/fakes/browser.ts';
import { deadAddress } from '../../support/fakes/provider.ts';
import { startSilentPeer } from '../../support/faults/silent-peer.ts';
import { appleToken, sendEvent, sentEvent, setUpWeb, subscribeDevice } from '../../support/fixtures/pushes.ts';
import { apiKey, type Caller, createUser, type TestUser } from '../../support/fixtures/users.ts';

const silent = await startSilentPeer();
useApp({ smtpUrl: `smtp://127.0.0.1:${silent.port}` });

const RECIPIENTS = /user_ids|tags_any|tags_all|tags_exclude/;

const DEVICES_OF_USER = 10;
const EVENTS = 40;

let browser: Browser;
let other: Tenant;

beforeAll(async () => {
  browser = await startBrowser();
  await setUpWeb();
  other = await createTenant(20);
  const web = { subject: 'mailto:push@example.org' };
  await storePushSettings(
    { applicationId: other.applicationId, environment: 'development', web },
    { encrypter: ENCRYPTER, now: running.now() },
  );
  return async () => {
    await silent.stop();
    await browser.stop();
  };
});

const hanging = (name: string) => ({
  endpoint: `http://127.0.0.1:${silent.port}/${name}`,
  keys: browser.subscription('').keys,
});

const untouched = (userId: number) =>
  db.pushDelivery.count({ where: { applicationId: APPLICATION.id, userId, attempts: 0, status: 'pending' } });

async function userOfHangingBrowsers(devices: number): Promise<TestUser> {
  const user = await createUser();
  for (let device = 0; device < devices; device++) await subscribeDevice(user, 'web', hanging(`${user.id}-${device}`));
  return user;
}

async function sendMany(event: object, events: number, as?: TestUser): Promise<number[]> {
  const ids: number[] = [];
  for (let sent = 0; sent < events; sent++) ids.push(await sendEvent(event, as));
  return ids;
}

let used = 0;
async function expectOtherDelivered(endpoint = browser.subscription('other')): Promise<void> {
  const user = other.users[used++]!;
  await subscribeDevice(user, 'web', endpoint);
  const id = await sendEvent({ push_type: 'web', user: { ids: user.id } }, other.key);
  expect(await sentEvent(id, 1, other.key)).toMatchObject({ recipients: 1, delivered: 1 });
}

const unfinished = (eventIds: number[]) =>
  db.pushSend.count({ where: { applicationId: APPLICATION.id, eventId: { in: eventIds }, finishedAt: null } });

const numbers = (count: number) => Array.from({ length: count }, (_, nth) => nth + 1);

describe('#54 starvation of pushes', () => {
  test('an event with too many recipients or tags is rejected and not stored, on any transport', async () => {
    const user = await createUser();
    const stored = await db.event.count();
    const document = 'mutation ($input: CreateEventsInput!) { createEvents(input: $input) { id } }';
    const refusals: [as: Caller, input: object, error: string][] = [
      [user, { userIds: numbers(1_001) }, 'Recipients are too many (maximum is 1000)'],
      [user, { userIds: numbers(1_001).fill(7) }, 'Recipients are too many (maximum is 1000)'],
      [user, { userIds: numbers(501), externalUserIds: numbers(500) }, 'Recipients are too many (maximum is 1000)'],
      [apiKey, { externalUserIds: numbers(10_001) }, 'Recipients are too many (maximum is 10000)'],
      [user, { tags: { any: numbers(101).fill(1).map(String) } }, 'Tags are too many (maximum is 100)'],
      [user, { tags: { any: ['a'], exclude: ['x'.repeat(51)] } }, 'Tags are invalid'],
      [user, { tags: { any: ['a', ''] } }, 'Tags are invalid'],
      [user, { userIds: [7], tagQuery: 'x'.repeat(32_769) }, 'tag_query is too long (maximum is 32768 bytes)'],
    ];
    const event = { environment: 'development', message: 'aGVsbG8=', pushType: 'web' };
    for (const [as, input, error] of refusals) {
      const variables = { input: { ...event, ...input } };
      for (const [transport, run] of GRAPHQL_TRANSPORTS) {
        const { errors } = await run(document, variables, as);
        expect([transport, errors?.map(({ message }) => message)]).toEqual([transport, [error]]);
      }
    }
    const body = { environment: 'development', message: 'aGVsbG8=', user: { ids: numbers(140_000) } };
    const answer = await rest('POST', '/events', { as: user, json: { event: body } });
    expect([answer.status, answer.body]).toEqual([422, { errors: ['Recipients are too many (maximum is 1000)'] }]);
    expect(await db.event.count()).toBe(stored);
  });

  test('events are listed, read and changed without reading their recipients', async () => {
    const user = await createUser();
    const date = running.now().getTime() / 1000 + 3600;
    const id = await sendEvent({ push_type: 'web', date, user: { ids: user.id, tags: { any: 'a' } } }, user);
    const read = await statementsAbout(RECIPIENTS, async () => {
      expect((await rest('GET', '/events', { as: user })).body.items).toHaveLength(1);
      expect((await rest('GET', `/events/${id}`, { as: user })).status).toBe(200);
      expect((await rest('GET', `/events/${id}/status`, { as: user })).status).toBe(200);
      expect((await rest('PUT', `/events/${id}`, { as: user, json: { event: { name: 'N' } } })).status).toBe(200);
      expect((await rest('DELETE', `/events/${id}`, { as: user })).status).toBe(200);
    });
    expect(read.map(({ text }) => text)).toEqual([]);
  });

  test('unresponsive browsers of one user do not delay other applications', async () => {
    const user = await userOfHangingBrowsers(DEVICES_OF_USER);
    const ids = await sendMany({ push_type: 'web', user: { ids: user.id } }, EVENTS, user);
    await until(() => silent.connections() > 0);
    await expectOtherDelivered();
    expect(await untouched(user.id)).toBeGreaterThan(0);
    expect(await unfinished(ids)).toBe(EVENTS);
  });

  test('unresponsive browsers of one user do not delay other users', async () => {
    const attacker = await userOfHangingBrowsers(DEVICES_OF_USER);
    await sendMany({ push_type: 'web', user: { ids: attacker.id } }, EVENTS, attacker);
    const user = await createUser();
    await subscribeDevice(user, 'web', browser.subscription('same'));
    expect(await sentEvent(await sendEvent({ push_type: 'web', user: { ids: user.id } }, user), 1, user)).toMatchObject(
      {
        delivered: 1,
      },
    );
    expect(await untouched(attacker.id)).toBeGreaterThan(0);
  });

  test('unresponsive browsers of one user do not delay other applications with two processes', async () => {
    const second = await startAnother();
    onTestFinished(() => second.stop());
    const user = await userOfHangingBrowsers(DEVICES_OF_USER);
    await sendMany({ push_type: 'web', user: { ids: user.id } }, EVENTS, user);
    await expectOtherDelivered();
    expect(await untouched(user.id)).toBeGreaterThan(0);
  });

  test('unresponsive endpoints of many users do not delay others on the same host', async () => {
    const server = createServer((request, response) => {
      if (request.url!.startsWith('/send/')) response.writeHead(201).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { keys } = browser.subscription('');
    const users = await Promise.all(Array.from({ length: 12 }, () => createUser()));
    for (const user of users) await subscribeDevice(user, 'web', { endpoint: `${origin}/hang/${user.id}`, keys });
    const ids = await sendMany({ push_type: 'web', user: { ids: users.map(({ id }) => id) } }, 3);
    await expectOtherDelivered({ endpoint: `${origin}/send/1`, keys });
    expect(await unfinished(ids)).toBe(3);
  });

  test.each(['apns', 'gcm', 'email'])(
    'an unresponsive %s provider does not delay other applications',
    async (channel) => {
      await setUpHanging(channel);
      const users = await Promise.all(
        Array.from({ length: EVENTS }, (_, index) => createUser({ email: `reader${index}-${channel}@example.org` })),
      );
      for (const user of users) {
        await subscribeDevice(user, channel, { client_identification_sequence: appleToken(user.id) });
      }
      const ids = await sendMany({ push_type: channel, user: { ids: users.map(({ id }) => id) } }, EVENTS);
      await expectOtherDelivered();
      expect(await unfinished(ids)).toBe(EVENTS);
    },
  );

  test('one user has at most 8 sends in flight', async () => {
    const { traffic, gateway } = await direct();
    const hung = Array.from({ length: 100 }, (_, index) => {
      const { endpoint } = hanging(`direct-${index}`);
      return traffic.send(gateway, pushTo(endpoint), { applicationId: 1, creatorId: 0, userId: 1 }, () => true);
    });
    const { endpoint } = browser.subscription('direct');
    const owner = { applicationId: 1, creatorId: 0, userId: 2 };
    const outcomes: unknown[] = [];
    for (const one of hung) void one.then((outcome) => outcomes.push(outcome.kind));
    expect(traffic.load.inFlight).toBe(8);
    expect(await traffic.send(gateway, pushTo(endpoint), owner, () => true)).toMatchObject({ kind: 'delivered' });
    // 8 are in flight and 64 wait; the rest is not begun.
    expect(outcomes.filter((kind) => kind === 'not begun')).toHaveLength(100 - 8 - 64);
  });

  test('failures of many users open the circuit breaker of a host; failures of one user do not', async () => {
    const { traffic, gateway } = await direct();
    const endpoint = `${await deadAddress()}/x`;
    const ask = (userId: number) =>
      traffic.send(gateway, pushTo(endpoint), { applicationId: 1, creatorId: 0, userId }, () => true);
    for (let time = 0; time < 20; time++) expect(await ask(1)).toMatchObject({ kind: 'later' });
    for (let userId = 2; userId <= 6; userId++) expect(await ask(userId)).toMatchObject({ kind: 'later' });
    expect(await ask(1)).toMatchObject({ kind: 'held back' });
    expect(traffic.load.openCircuits).toBe(1);
  });

  test('due events start in turns of applications', async () => {
    const due = (applicationId: number, count: number) =>
      db.event.createMany({
        data: Array.from({ length: count }, () => ({
          applicationId,
          userId: 0,
          eventType: 'one_shot' as const,
          environment: 'development' as const,
          channel: 'web' as const,
          message: 'payload=e30=',
          active: true,
          dueAt: running.now(),
          userIds: [],
          createdAt: running.now(),
          updatedAt: running.now(),
        })),
      });
    await due(APPLICATION.id, 10_000);
    await due(other.applicationId, 1);
    running.app.services.pushNotifier.wake();
    await until(
      async () => (await db.event.count({ where: { applicationId: other.applicationId, active: true } })) === 0,
    );
    expect(await db.event.count({ where: { applicationId: APPLICATION.id, active: true } })).toBeGreaterThan(1_000);
  });
});

async function direct() {
  const keys = await createVapidKeys();
  const gateway = new WebPushGateway({ subject: 'mailto:push@example.org', ...keys }, true, running.now);
  return { gateway, traffic: new PushTraffic(running.now) };
}

const pushTo = (address: string) => ({
  id: '00000000-0000-8000-8000-000000000000',
  channel: 'web' as const,
  address,
  keys: browser.subscription('').keys,
  bundleIdentifier: null,
  content: { title: '', stored: 'payload=e30=' },
  collapseKey: 'k',
  isReplaced: false,
  expiresAt: new Date(running.now().getTime() + 1_000),
});

function setUpHanging(channel: string): Promise<unknown> {
  const operator = { encrypter: ENCRYPTER, now: running.now() };
  const account = { applicationId: APPLICATION.id, environment: 'development' };
  if (channel === 'apns') {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const apns = { topic: 'org.example.app', teamId: 'TEAM', keyId: 'KEY', key };
    return storePushSettings({ ...account, endpoint: `https://127.0.0.1:${silent.port}`, apns }, operator);
  }
  if (channel === 'email') return Promise.resolve();
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const serviceAccount = {
    project_id: 'project-1',
    client_email: 'pusher@project-1.example.org',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    token_uri: `http://127.0.0.1:${silent.port}/token`,
  };
  return storePushSettings({ ...account, fcm: { serviceAccount } }, operator);
}

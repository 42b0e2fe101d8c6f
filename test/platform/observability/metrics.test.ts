import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { MailUnavailableError } from '../../../src/gateways/mailer.ts';
import { STATUS_OF_CODE } from '../../../src/lib/errors.ts';
import { clock, running, useApp } from '../../support/app/app.ts';
import { readMetrics } from '../../support/app/metrics.ts';
import { ownConnection } from '../../support/app/sql.ts';
import { graphql, subscribe } from '../../support/clients/graphql.ts';
import { rawRequest } from '../../support/clients/raw-http.ts';
import { rest } from '../../support/clients/rest.ts';
import { connect, until } from '../../support/clients/websocket.ts';
import { type ChatCast, createChatCast } from '../../support/fixtures/chat-cast.ts';
import { deliveriesTo, delivery, sendEvent, subscribeDevice } from '../../support/fixtures/pushes.ts';
import { defineClass } from '../../support/fixtures/typed-classes.ts';
import { apiKey, createUser } from '../../support/fixtures/users.ts';

useApp({ limits: { signIn: { quota: 30, windowSeconds: 3600 }, default: { quota: 100_000, windowSeconds: 3600 } } });

let cast: ChatCast;

beforeAll(async () => {
  cast = await createChatCast();
});

/** The increases of the series during an action, after each has grown by its expected minimum. */
async function growth(expected: Record<string, number>, action: () => Promise<unknown>) {
  const names = Object.keys(expected);
  const before = await readMetrics();
  await action();
  let grown: Record<string, number> = {};
  // A request is counted when its connection has taken the response.
  await until(async () => {
    const after = await readMetrics();
    grown = Object.fromEntries(names.map((name) => [name, (after.get(name) ?? 0) - (before.get(name) ?? 0)]));
    return names.every((name) => grown[name]! >= expected[name]!);
  });
  return grown;
}

async function expectGrowth(expected: Record<string, number>, action: () => Promise<unknown>): Promise<void> {
  expect(await growth(expected, action)).toEqual(expected);
}

test('REST requests are counted by path pattern, and their operations together with those of GraphQL', async () => {
  const expected = {
    'atrium_graphql_operations_total{type="Query",field="message",code="OK"}': 2,
    'atrium_graphql_operations_total{type="Query",field="message",code="NOT_FOUND"}': 1,
    'atrium_graphql_operation_duration_seconds_count{type="Query",field="message"}': 3,
    'atrium_http_requests_total{method="GET",route="/chat/Message/:id",status="200"}': 1,
  };
  const read = async () => {
    await rest('GET', `/chat/Message/${cast.hello}.json`, { as: cast.alice });
    await graphql(`{ a: message(id: "${cast.hello}") { id } }`, {}, cast.alice);
    await graphql('{ b: message(id: "0123456789abcdef01234567") { id } }', {}, cast.alice);
  };
  await expectGrowth(expected, read);
});

test('operations of all classes share one series', async () => {
  await defineClass('Cars', { make: 'String' });
  const name = 'atrium_graphql_operations_total{type="Query",field="typed",code="OK"}';
  const asked = async () => {
    const { errors } = await graphql('{ carsConnection { totalCount } }', {}, apiKey);
    expect(errors).toBeUndefined();
  };
  await expectGrowth({ [name]: 1 }, asked);
  expect([...(await readMetrics()).keys()].join()).not.toMatch(/cars/i);
});

test('clients cannot create new series', async () => {
  const attack = async (salt: string) => {
    for (const method of ['GET', 'POST', 'PURGE', 'PROPFIND']) {
      await rawRequest(method, `/x${salt}/y?z=${salt}`, { as: cast.alice });
      await rawRequest(method, `/data/None${salt}/${salt}`, { as: cast.alice });
    }
    await rawRequest('OPTIONS', `/${salt}`);
    await graphql(`query Q${salt} { a${salt}: me { id } }`, {}, cast.alice);
    await graphql(`{ none${salt} }`, {}, cast.alice);
    const socket = await connect(cast.alice);
    await socket.run(`query Q${salt} { a${salt}: me { id } }`);
    await socket.close();
  };
  // The end of the second includes the counts of the first, even if these are slightly late.
  for (const salt of ['first', 'second']) await attack(salt);
  const before = [...(await readMetrics()).keys()];
  expect(before.join()).toContain('method="other",route="unknown"');
  for (const salt of ['a1', 'b2', 'c3', 'd4']) await attack(salt);
  await readMetrics();
  const after = [...(await readMetrics()).keys()];
  // The runtime adds a series at the first garbage collection of each kind, and while it opens a connection of a kind.
  const ours = after.filter((name) => !/^nodejs_(gc|active)_/.test(name));
  expect(ours.filter((name) => !before.includes(name))).toEqual([]);
  expect(after.join()).not.toMatch(/b2|first/);
});

test('every metric in the example alerts exists', async () => {
  const alerts = await readFile(new URL('../../../deploy/alerts.yml', import.meta.url), 'utf8');
  const named = new Set(alerts.match(/\batrium_[a-z_]+/g));
  expect(named.size).toBe(7);
  const { text } = await rawRequest('GET', '/metrics');
  for (const name of named) expect(text).toContain(`# TYPE ${name} `);
  const failures = Object.entries(STATUS_OF_CODE).filter(([, status]) => status >= 500);
  expect(/code=~"([^"]*)"/.exec(alerts)![1]!.split('|').sort()).toEqual(failures.map(([code]) => code).sort());
});

test('mails of resets that the mail server does not accept are counted, also those of the reset page', async () => {
  const { services } = running.app;
  const { mailer } = services;
  const send = () => Promise.reject(new MailUnavailableError('the mail server failed: ECONNREFUSED'));
  Object.assign(services, { mailer: { ...mailer, send } });
  try {
    await createUser({ email: 'forgetful@example.org' });
    const expected = { atrium_reset_mail_failures_total: 1 };
    const id = running.credentials.applicationId;
    const page = 'mutation ($id: Int!) { requestResetLink(applicationId: $id, email: "forgetful@example.org") }';
    await expectGrowth(expected, () => graphql(page, { id }));
    const form = 'mutation { requestPasswordReset(email: "forgetful@example.org") }';
    await expectGrowth(expected, () => graphql(form, {}, cast.alice));
  } finally {
    Object.assign(services, { mailer });
  }
});

test('rejected documents are counted', async () => {
  const refused = () => graphql('{ none }', {}, cast.alice);
  await expectGrowth({ atrium_graphql_refused_documents_total: 1 }, refused);
});

test('open sockets and subscriptions are gauged, and delivered events are counted', async () => {
  const gauges = async () => {
    const metrics = await readMetrics();
    return [metrics.get('atrium_sockets'), metrics.get('atrium_subscriptions')];
  };
  await until(async () => String(await gauges()) === '0,0');
  const notified = 'atrium_live_deliveries_total{kind="live"}';
  const delays = 'atrium_live_delivery_delay_seconds_count';
  const received = await subscribe('subscription { messageSent { message { text } } }', {}, cast.bob);
  expect(await gauges()).toEqual([1, 1]);
  const send = async () => {
    await rest('POST', '/chat/Message.json', { as: cast.alice, json: { chat_dialog_id: cast.group, message: 'Hi' } });
    await received.next();
  };
  await expectGrowth({ [notified]: 1, [delays]: 1, atrium_sockets_opened_total: 0 }, send);
  await received.close();
  await until(async () => String(await gauges()) === '0,0');

  const missed = async () => {
    const later = await subscribe('subscription { messageSent(since: "0") { cursor } }', {}, cast.bob);
    await later.next();
    await later.close();
  };
  const grown = await growth({ 'atrium_live_deliveries_total{kind="missed"}': 1, [delays]: 0 }, missed);
  expect(grown[delays]).toBe(0);
  await until(async () => String(await gauges()) === '0,0');
});

test('unread events are reported with their age', async () => {
  const name = 'atrium_unread_events{reader="pushes"}';
  const unread = async () => (await readMetrics()).get(name);
  await until(async () => (await unread()) === 0);
  const holder = await ownConnection();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM push_cursor FOR UPDATE');
  await rest('POST', '/chat/Message.json', { as: cast.alice, json: { chat_dialog_id: cast.group, message: 'Hi' } });
  const at = running.now();
  clock.set(new Date(at.getTime() + 90_000));
  const metrics = await readMetrics();
  expect(metrics.get(name)).toBe(1);
  expect(metrics.get('atrium_unread_events_age_seconds{reader="pushes"}')).toBe(90);
  expect([...metrics.keys()].filter((one) => one.includes('reader="live"'))).toEqual([]);
  clock.set(at);
  await holder.query('COMMIT');
  await holder.end();
  await until(async () => (await unread()) === 0);
});

test('waiting jobs are reported by queue, and push results by channel and outcome', async () => {
  const user = await createUser({ email: 'reader@example.org' });
  const device = await subscribeDevice(user, 'email', { client_identification_sequence: 'x' });
  const jobs = 'atrium_waiting_jobs{queue="push-deliver"}';
  expect((await readMetrics()).get(jobs)).toBe(0);
  await db.$executeRaw`INSERT INTO pgboss.job (name, data, start_after)
    SELECT 'push-deliver', '{}', now() + interval '1 hour' FROM generate_series(1, 3)`;
  expect((await readMetrics()).get(jobs)).toBe(3);
  await db.$executeRaw`DELETE FROM pgboss.job WHERE start_after > now() + interval '30 minutes'`;
  const deliver = async () => {
    await sendEvent({ push_type: 'email', user: { ids: user.id } });
    await delivery(device, 'delivered');
  };
  const name = 'atrium_push_results_total{channel="email",outcome="delivered"}';
  await expectGrowth({ [name]: 1 }, deliver);
  expect(await deliveriesTo(device)).toHaveLength(1);
});

test('operations above a rate limit are counted by limit', async () => {
  const tries = async () => {
    for (let time = 0; time < 31; time++) {
      await rest('POST', '/login.json', { as: cast.alice, json: { login: 'alice', password: 'wrong-one' } });
    }
  };
  await growth({ 'atrium_rate_limited_total{limit="signIn"}': 1 }, tries);
});

test('pool connections and waiting callers are reported', async () => {
  const metrics = await readMetrics();
  const busy = metrics.get('atrium_database_connections{state="busy"}')!;
  const idle = metrics.get('atrium_database_connections{state="idle"}')!;
  expect(busy + idle).toBeGreaterThan(0);
  expect(metrics.get('atrium_database_waiting')).toBe(0);
});

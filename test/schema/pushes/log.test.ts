import { beforeAll, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { sweep } from '../../../src/jobs/sweep.ts';
import { running, SAMPLE_TIME, useApp } from '../../support/app/app.ts';
import { createTenant } from '../../support/app/other-apps.ts';
import { statementsOf } from '../../support/app/sql.ts';
import { type Apple, startApns } from '../../support/fakes/apns.ts';
import { errorOf, execute } from '../../support/fixtures/chat.ts';
import { appleToken, sendEvent, sentEvent, setUpApple, subscribeDevice } from '../../support/fixtures/pushes.ts';
import { RETENTION } from '../../support/fixtures/retention.ts';
import { apiKey, createUsers, type TestUser } from '../../support/fixtures/users.ts';

useApp();

let apple: Apple;
let alice: TestUser;
let bob: TestUser;
let event: number;
const devices: number[] = [];

beforeAll(async () => {
  apple = await startApns();
  await setUpApple(apple);
  [alice, bob] = await createUsers(2);
  for (let made = 0; made < 5; made++) {
    devices.push(await subscribeDevice(bob, 'apns', { client_identification_sequence: appleToken(made) }));
  }
  apple.answer = ({ token }) => (token === appleToken(1) ? { status: 400, reason: 'BadTopic' } : { status: 200 });
  event = await sendEvent({ push_type: 'apns', user: { ids: bob.id } }, alice);
  await sentEvent(event, 1, alice);
  return () => apple.down();
});

const SENDS = `query ($eventId: Int, $dialogId: ID, $first: Int, $after: String) {
  pushSends(eventId: $eventId, dialogId: $dialogId, first: $first, after: $after) {
    edges { cursor node { id eventId dialogId recipients delivered failed createdAt finishedAt } }
    pageInfo { hasNextPage endCursor }
  }
}`;
const DELIVERIES = `query ($sendId: ID!, $status: DeliveryStatus, $first: Int, $after: String) {
  pushDeliveries(sendId: $sendId, status: $status, first: $first, after: $after) {
    edges { node { subscriptionId userId channel status attempts answer answeredAt retryAt } }
    pageInfo { hasNextPage endCursor }
  }
}`;

async function onlySend(): Promise<string> {
  const { pushSends } = await execute(SENDS, { eventId: event }, alice);
  return pushSends.edges[0].node.id;
}

test('the figures of the application count the deliveries of the last 24 hours', async () => {
  const figures = `{ applicationStats(hours: 2) {
    pushesDelivered pushesFailed pushesWaiting hours { pushesDelivered pushesFailed }
  } }`;
  const ended = { pushesDelivered: 4, pushesFailed: 1 };
  expect(await execute(figures, {}, apiKey)).toEqual({
    applicationStats: { ...ended, pushesWaiting: 0, hours: [{ pushesDelivered: 0, pushesFailed: 0 }, ended] },
  });
  await db.pushSend.updateMany({ data: { finishedAt: null, recipients: { increment: 3 } } });
  expect(await execute(figures, {}, apiKey)).toMatchObject({ applicationStats: { pushesWaiting: 3 } });
  await db.pushSend.updateMany({ data: { finishedAt: SAMPLE_TIME, recipients: { decrement: 3 } } });
});

test('a list of events counts the devices of all sends of each event, in one statement', async () => {
  const unsent = await sendEvent({ push_type: 'apns', user: { ids: alice.id } }, alice);
  await sentEvent(unsent, 1, alice);
  const statements = await statementsOf(async () => {
    const { events } = await execute('{ events { edges { node { id delivered failed } } } }', {}, alice);
    expect(events.edges.map(({ node }: { node: object }) => node)).toEqual([
      { id: unsent, delivered: 0, failed: 0 },
      { id: event, delivered: 4, failed: 1 },
    ]);
  });
  expect(statements.filter((statement) => statement.includes('push_sends'))).toHaveLength(1);
  await db.event.deleteMany({ where: { id: unsent } });
  await db.pushSend.deleteMany({ where: { eventId: unsent } });
});

test('the creator of a push event sees its sends and the outcome for each device', async () => {
  const { pushSends } = await execute(SENDS, { eventId: event }, alice);
  const at = SAMPLE_TIME.toISOString();
  expect(pushSends.edges.map(({ node }: { node: object }) => node)).toEqual([
    {
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      eventId: event,
      dialogId: null,
      recipients: 5,
      delivered: 4,
      failed: 1,
      createdAt: at,
      finishedAt: at,
    },
  ]);
  const seen: { subscriptionId: number }[] = [];
  let after: string | undefined;
  do {
    const { pushDeliveries } = await execute(DELIVERIES, { sendId: await onlySend(), first: 2, after }, alice);
    expect(pushDeliveries.edges.length).toBeLessThanOrEqual(2);
    seen.push(...pushDeliveries.edges.map(({ node }: { node: { subscriptionId: number } }) => node));
    after = pushDeliveries.pageInfo.hasNextPage ? pushDeliveries.pageInfo.endCursor : undefined;
  } while (after);
  expect(seen).toEqual(
    devices.map((subscriptionId, index) => ({
      subscriptionId,
      userId: bob.id,
      channel: 'apns',
      status: index === 1 ? 'FAILED' : 'DELIVERED',
      attempts: 1,
      answer: index === 1 ? '400 BadTopic' : '200',
      answeredAt: at,
      retryAt: null,
    })),
  );
  const failed = await execute(DELIVERIES, { sendId: await onlySend(), status: 'FAILED' }, alice);
  expect(
    failed.pushDeliveries.edges.map(({ node }: { node: { subscriptionId: number } }) => node.subscriptionId),
  ).toEqual([devices[1]]);
});

const LOG = `query ($userId: Int, $status: DeliveryStatus, $first: Int, $after: String) {
  pushDeliveries(userId: $userId, status: $status, first: $first, after: $after) {
    edges { node { sendId eventId dialogId createdAt subscriptionId userId status answer } }
    pageInfo { hasNextPage endCursor }
  }
}`;

test('an API key lists what was pushed to a user, and what failed, newest first', async () => {
  const later = await sendEvent({ push_type: 'apns', user: { ids: bob.id } });
  await sentEvent(later);
  const { pushDeliveries } = await execute(LOG, { userId: bob.id, first: 8 }, apiKey);
  const nodes = pushDeliveries.edges.map(({ node }: { node: { eventId: number } }) => node);
  expect(nodes.map(({ eventId }: { eventId: number }) => eventId)).toEqual([
    ...Array(5).fill(later),
    ...Array(3).fill(event),
  ]);
  expect(nodes[7]).toEqual({
    sendId: await onlySend(),
    eventId: event,
    dialogId: null,
    createdAt: SAMPLE_TIME.toISOString(),
    subscriptionId: devices[2],
    userId: bob.id,
    status: 'DELIVERED',
    answer: '200',
  });
  const rest = await execute(LOG, { userId: bob.id, first: 8, after: pushDeliveries.pageInfo.endCursor }, apiKey);
  expect(rest.pushDeliveries.edges.map(({ node }: { node: { status: string } }) => node.status)).toEqual([
    'FAILED',
    'DELIVERED',
  ]);
  const failed = await execute(LOG, { status: 'FAILED' }, apiKey);
  expect(failed.pushDeliveries.edges.map(({ node }: { node: object }) => node)).toMatchObject([
    { eventId: later, subscriptionId: devices[1], answer: '400 BadTopic' },
    { eventId: event, subscriptionId: devices[1], answer: '400 BadTopic' },
  ]);
  expect(await execute(LOG, { userId: alice.id }, apiKey)).toMatchObject({ pushDeliveries: { edges: [] } });
  for (const caller of [alice, bob]) {
    expect(await errorOf(LOG, { userId: bob.id }, caller)).toMatchObject({ code: 'NOT_FOUND' });
  }
  const { key } = await createTenant(0);
  expect(await execute(LOG, { userId: bob.id }, key)).toMatchObject({ pushDeliveries: { edges: [] } });
  await db.event.deleteMany({ where: { id: later } });
  await db.pushDelivery.deleteMany({ where: { sendId: nodes[0].sendId } });
  await db.pushSend.deleteMany({ where: { eventId: later } });
});

test('the push log is not visible to other users', async () => {
  const { key } = await createTenant(0);
  const sendId = await onlySend();
  for (const other of [bob, apiKey, key]) {
    expect(await errorOf(SENDS, { eventId: event }, other)).toMatchObject({ code: 'NOT_FOUND' });
    expect(await errorOf(DELIVERIES, { sendId }, other)).toMatchObject({ code: 'NOT_FOUND' });
  }
  expect(await errorOf(DELIVERIES, { sendId: 'x' }, alice)).toMatchObject({ code: 'NOT_FOUND' });
  expect(await errorOf(SENDS, { dialogId: 'x' }, alice)).toMatchObject({ code: 'NOT_FOUND' });
  expect(await errorOf(SENDS, {}, alice)).toMatchObject({ code: 'BAD_USER_INPUT' });
  expect(await execute(SENDS, { dialogId: '0123456789abcdef01234567' }, apiKey)).toMatchObject({
    pushSends: { edges: [] },
  });
});

test('the push log expires except for the counts of the latest send', async () => {
  const days = (count: number) => new Date(SAMPLE_TIME.getTime() + count * 86_400_000);
  await sweep(days(30), RETENTION);
  expect(await db.pushDelivery.count()).toBe(5);
  const again = await sendEvent({ push_type: 'apns', user: { ids: bob.id } });
  await sentEvent(again);
  await db.event.delete({ where: { applicationId_id: { applicationId: 92, id: again } } });
  await sweep(new Date(days(30).getTime() + 1), RETENTION);
  expect(await db.pushDelivery.count()).toBe(0);
  expect(await db.pushSend.findMany()).toMatchObject([{ eventId: event, delivered: 4, failed: 1 }]);
  expect(running.now()).toEqual(SAMPLE_TIME);
});

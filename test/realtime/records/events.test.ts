import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { running, useApp } from '../../support/app/app.ts';
import { sql } from '../../support/app/sql.ts';
import { rest } from '../../support/clients/rest.ts';
import { streamEvents } from '../../support/clients/sse.ts';
import {
  closeSockets,
  connect,
  type LiveSubscription,
  listen,
  listenOn,
  until,
} from '../../support/clients/websocket.ts';
import { execute } from '../../support/fixtures/chat.ts';
import { created } from '../../support/fixtures/chat-cast.ts';
import { CAR_CHANGED, RECORD_CHANGED, receivedBy } from '../../support/fixtures/record-events.ts';
import { defineClass } from '../../support/fixtures/typed-classes.ts';
import { type Caller, createUser, type TestUser } from '../../support/fixtures/users.ts';

useApp();

const KINDS = { generic: RECORD_CHANGED, typed: CAR_CHANGED };

let user: TestUser;

beforeAll(async () => {
  user = await createUser();
  await defineClass('cars', { make: 'String', value: 'Integer', tags: '[String]' });
});

afterEach(() => closeSockets());

const make = async (json: object, as: Caller = user): Promise<string> => (await created('/data/cars', json, as))._id;
const change = (id: string, json: object, as: Caller = user) => rest('PUT', `/data/cars/${id}`, { as, json });
const remove = (ids: string, as: Caller = user) => rest('DELETE', `/data/cars/${ids}`, { as });

/** Waits for a last event, which fits every filter of these tests. @returns the events before it */
async function rung(...listeners: LiveSubscription[]): Promise<string[][]> {
  const id = await make({ make: 'bell', value: 7, tags: ['bell'] });
  for (const one of listeners) await until(() => one.payloads().some(({ changed }) => changed.recordId === id));
  return listeners.map((one) => receivedBy(one).slice(0, -1));
}

describe.each(Object.entries(KINDS))('%s record subscriptions', (_kind, query) => {
  test('created, updated and deleted records are published in order, once each', async () => {
    const received = await listen(query, {}, user);
    const id = await make({ make: 'AB', value: 1 });
    await received.atLeast(1);
    await change(id, { value: 2 });
    await received.atLeast(2);
    await remove(id);
    expect(await rung(received)).toEqual([['CREATED AB 1', 'UPDATED AB 2', 'DELETED -']]);
    const events = received.payloads().map(({ changed }) => changed);
    expect(events.slice(0, 3).map(({ recordId }) => recordId)).toEqual([id, id, id]);
    const cursors = events.map(({ cursor }) => Number(cursor));
    expect(cursors).toEqual([...new Set(cursors)].sort((a, b) => a - b));
  });

  test('a filter delivers records that match it now or matched it before the change', async () => {
    const received = await listen(query, { where: { value: { gte: 5 } } }, user);
    // The filter applies to the record at delivery, so wait for each step before the next.
    const all = await listen(query, {}, user);
    const id = await make({ make: 'low', value: 1 });
    await all.atLeast(1);
    await change(id, { value: 2 });
    await all.atLeast(2);
    await change(id, { value: 5, make: 'enters' });
    await received.atLeast(1);
    await change(id, { value: 6, make: 'stays' });
    await received.atLeast(2);
    await change(id, { value: 4, make: 'leaves' });
    await received.atLeast(3);
    await change(id, { make: 'outside' });
    await remove(id);
    const inside = await make({ make: 'inside', value: 9 });
    await received.atLeast(4);
    await remove(inside);
    expect(await rung(received)).toEqual([
      ['UPDATED enters 5', 'UPDATED stays 6', 'UPDATED -', 'CREATED inside 9', 'DELETED -'],
    ]);
  });

  test('filters accept common fields, lists and alternatives', async () => {
    const parent = await make({ make: 'parent' });
    const other = await createUser();
    const wheres = [
      { parentId: { eq: parent } },
      { userId: { eq: other.id } },
      { tags: { in: ['red', 'blue'] } },
      { or: [{ make: { eq: 'CD' } }, { and: [{ make: { eq: 'EF' } }, { value: { lt: 0 } }] }] },
    ];
    const listeners: LiveSubscription[] = [];
    for (const where of wheres)
      listeners.push(await listen(query, { where: { or: [where, { make: { eq: 'bell' } }] } }, user));
    await make({ make: 'child', value: 1, _parent_id: parent });
    await make({ make: 'others', value: 2 }, other);
    await make({ make: 'tagged', value: 3, tags: ['green', 'red'] });
    await make({ make: 'CD', value: 4 });
    await make({ make: 'EF', value: -5 });
    await make({ make: 'EF', value: 5 });
    expect(await rung(...listeners)).toEqual([
      ['CREATED child 1'],
      ['CREATED others 2'],
      ['CREATED tagged 3'],
      ['CREATED CD 4', 'CREATED EF -5'],
    ]);
  });

  test('records deleted with their parent are published too', async () => {
    const parent = await make({ make: 'parent', value: 1 });
    const child = await make({ _parent_id: parent });
    const grandchild = await make({ _parent_id: child });
    const received = await listen(query, {}, user);
    await remove(parent);
    await rung(received);
    const gone = received.payloads().slice(0, -1);
    expect(gone.map(({ changed }) => [changed.change, changed.recordId])).toEqual(
      [parent, child, grandchild].map((id) => ['DELETED', id]),
    );
  });

  test('batches publish one event per record, when created, updated or deleted by criteria', async () => {
    const received = await listen(query, {}, user);
    const record = Object.fromEntries(Array.from({ length: 100 }, (_, nth) => [nth + 1, { make: 'many', value: nth }]));
    const { items } = await created('/data/cars/multi', { record }, user);
    const ids = items.map(({ _id }: { _id: string }) => _id);
    await received.atLeast(100);
    await rest('PUT', '/data/cars/by_criteria', {
      as: user,
      json: { search_criteria: { make: 'many' }, inc: { value: 1 } },
    });
    await received.atLeast(200);
    await rest('DELETE', '/data/cars/by_criteria', { as: user, form: 'make=many' });
    await rung(received);
    const notified = received.payloads().slice(0, -1);
    expect(notified.map(({ changed }) => changed.recordId)).toEqual([...ids, ...ids, ...ids]);
    expect(receivedBy(received).slice(100, 200)).toEqual(
      ids.map((_: string, nth: number) => `UPDATED many ${nth + 1}`),
    );
    await expect(listen(query, { where: { value: { near: 1 } } }, user)).rejects.toBeTruthy();
  });

  test('each of several quick changes of a record is published, the last one with the final state', async () => {
    const id = await make({ make: 'quick', value: 0 });
    const received = await listen(query, {}, user);
    const changes = Array.from({ length: 20 }, () => change(id, { inc: { value: 1 } }));
    await Promise.all(changes);
    const [notified] = await rung(received);
    expect(notified).toHaveLength(20);
    expect(notified!.at(-1)).toBe('UPDATED quick 20');
    const values = notified!.map((one) => Number(one.split(' ')[2]));
    expect(values).toEqual([...values].sort((a, b) => a - b));
  });
});

test('a filter that does not fit the class is rejected', async () => {
  for (const where of [{ wings: 1 }, { value: { ctn: 'x' } }, { make: { $gt: 1 } }, { "make' OR 1=1": 'x' }]) {
    await expect(listen(RECORD_CHANGED, { where }, user)).rejects.toMatchObject([
      { message: expect.stringMatching(/^Incorrect filter: /) },
    ]);
  }
  await expect(listen('subscription { recordChanged(className: "none") { cursor } }', {}, user)) //
    .rejects.toMatchObject([{ message: 'Undefined class', extensions: { code: 'FORBIDDEN' } }]);
});

test('the end of a session ends its subscriptions, and no others', async () => {
  const leaver = await createUser();
  const socket = await connect(leaver);
  const received = await listenOn(socket, CAR_CHANGED, {});
  const stream = await streamEvents(RECORD_CHANGED, {}, leaver);
  const staying = await listen(CAR_CHANGED, {}, user);
  await until(() => running.app.services.hub.subscriptionCount === 3);
  await make({ make: 'before', value: 1 });
  await received.atLeast(1);
  await until(() => stream.results.length === 1);
  await execute('mutation { logoutUser }', {}, leaver);
  expect((await socket.closed).code).toBe(4403);
  await stream.ended;
  await make({ make: 'after', value: 2 });
  await staying.atLeast(2);
  expect(receivedBy(received)).toEqual(['CREATED before 1']);
  expect(stream.results).toHaveLength(1);
});

describe('a burst of changes', () => {
  const BURST = 5_000;

  /** One change repeated, read at once like the requests of a bulk import. */
  const burst = async (recordId: string): Promise<void> => {
    await sql(
      `INSERT INTO events_outbox (application_id, kind, class_key, subject_id, user_id, created_at, detail)
       SELECT application_id, kind, class_key, subject_id, user_id, created_at, detail
       FROM (SELECT * FROM events_outbox WHERE subject_id = $1 ORDER BY position DESC LIMIT 1) e, generate_series(1, $2)`,
      [recordId, BURST],
    );
    running.app.services.outbox.wake();
  };

  test('a subscriber who may not read the records stays connected', async () => {
    const bob = await createUser();
    const received = await listen(RECORD_CHANGED, {}, user);
    const id = await make({ make: 'hidden', permissions: { read: { access: 'owner' } } }, bob);
    await burst(id);
    expect(await rung(received)).toEqual([[]]);
  });

  test('a subscriber receives more changes than its queue can hold, each once and in order', async () => {
    const received = await listen(RECORD_CHANGED, {}, user);
    const id = await make({ make: 'shown' });
    await received.atLeast(1);
    await burst(id);
    await received.atLeast(1 + BURST);
    await make({ make: 'last' });
    await received.atLeast(2 + BURST);
    const cursors = received.payloads().map(({ changed }) => Number(changed.cursor));
    expect(cursors).toHaveLength(2 + BURST);
    expect(cursors).toEqual([...new Set(cursors)].sort((a, b) => a - b));
  });
});

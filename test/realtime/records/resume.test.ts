import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sweep } from '../../../src/jobs/sweep.ts';
import type { App } from '../../../src/server/lifecycle.ts';
import { running, SAMPLE_TIME, useApp } from '../../support/app/app.ts';
import { startAnother } from '../../support/app/other-apps.ts';
import { rest } from '../../support/clients/rest.ts';
import { closeSockets, type LiveSubscription, listen, until } from '../../support/clients/websocket.ts';
import { createDialog, MESSAGE_SENT, type QuickUser, quickUsers, send } from '../../support/fixtures/chat.ts';
import { created } from '../../support/fixtures/chat-cast.ts';
import { CAR_CHANGED, cursorOf, RECORD_CHANGED, receivedBy } from '../../support/fixtures/record-events.ts';
import { RETENTION } from '../../support/fixtures/retention.ts';
import { defineClass, dropClass } from '../../support/fixtures/typed-classes.ts';
import { createUser, type TestUser } from '../../support/fixtures/users.ts';

useApp();

let second: App;
let user: TestUser;

beforeAll(async () => {
  second = await startAnother();
  user = await createUser();
  await defineClass('cars', { make: 'String', value: 'Integer' });
});

afterEach(() => closeSockets());
afterAll(() => second.stop());

const make = async (json: object): Promise<string> => (await created('/data/cars', json, user))._id;
const change = (id: string, json: object) => rest('PUT', `/data/cars/${id}`, { as: user, json });

const KINDS = { generic: RECORD_CHANGED, typed: CAR_CHANGED };
const PROCESSES: [process: string, app: () => App][] = [
  ['this process', () => running.app],
  ['another process', () => second],
];

describe.each(Object.entries(KINDS))('%s record subscriptions', (_kind, query) => {
  test.each(PROCESSES)(
    'a subscriber that resumes on %s receives the missed events, then new ones',
    async (_process, app) => {
      const received = await listen(query, {}, user);
      const gone = await make({ make: 'gone', value: 1 });
      // A record that is deleted before the delivery of its creation has no such event.
      await received.atLeast(1);
      const stays = await make({ make: 'stays', value: 2 });
      await change(stays, { value: 3 });
      await rest('DELETE', `/data/cars/${gone}`, { as: user });
      await received.atLeast(4);
      const since = cursorOf(received, 0);
      const back = await listen(query, { since }, user, app());
      const filtered = await listen(query, { since, where: { value: { eq: 2 } } }, user, app());
      await back.atLeast(3);
      await make({ make: 'live', value: 2 });
      await back.atLeast(4);
      // Events show the record at delivery; for deleted records only the deletion is published.
      expect(receivedBy(back)).toEqual(['CREATED stays 3', 'UPDATED stays 3', 'DELETED -', 'CREATED live 2']);
      // The record matched the filter before its change, and no longer does.
      await filtered.atLeast(2);
      expect(receivedBy(filtered)).toEqual(['UPDATED -', 'CREATED live 2']);
      expect(cursorOf(back, 2)).toBe(cursorOf(received, 3));
    },
  );

  test('missed events of a record that became unreadable do not show it, even if the result was shared before', async () => {
    const stranger = await createUser();
    const received = await listen(query, {}, stranger);
    await make({ make: 'first', value: 1 });
    const id = await make({ make: 'public', value: 1 });
    await received.atLeast(2);
    const since = cursorOf(received, 0);
    const early = await listen(query, { since }, stranger);
    expect((await early.atLeast(1)).length).toBe(1);
    await change(id, { make: 'private', permissions: { read: { access: 'owner' } } });
    await received.atLeast(3);
    const late = await listen(query, { since }, stranger);
    await make({ make: 'end', value: 2 });
    await late.atLeast(2);
    await early.atLeast(3);
    // The event has no record, because the subscriber may no longer read it.
    expect(receivedBy(late)).toEqual(['UPDATED -', 'CREATED end 2']);
    expect(receivedBy(early)).toEqual(['CREATED public 1', 'UPDATED -', 'CREATED end 2']);
  });
});

test('cursors of messages and of records are positions in one stream', async () => {
  const [bob] = await quickUsers(1);
  const dialogId = await createDialog(user, [bob!]);
  const cars = await listen(CAR_CHANGED, {}, user);
  const messages = await listen(MESSAGE_SENT, { dialogId }, user);
  await send(user, dialogId, 'first');
  await make({ make: 'first', value: 1 });
  await send(user, dialogId, 'second');
  await make({ make: 'second', value: 2 });
  await cars.atLeast(2);
  const [first] = await messages.atLeast(2);
  const behindMessage = await listen(RECORD_CHANGED, { since: first.messageSent.cursor }, user);
  await behindMessage.atLeast(2);
  expect(receivedBy(behindMessage)).toEqual(['CREATED first 1', 'CREATED second 2']);
  const behindRecord = await listen(MESSAGE_SENT, { dialogId, since: cursorOf(cars, 0) }, user);
  expect((await behindRecord.atLeast(1))[0].messageSent.message.text).toBe('second');
});

test('events of a deleted class are not delivered to a new class of the same name', async () => {
  await defineClass('kites', { make: 'String' });
  const query = 'subscription ($since: String) { kiteChanged(since: $since) { cursor recordId } }';
  const received = await listen(query, {}, user);
  await created('/data/kites', { make: 'one' }, user);
  await created('/data/kites', { make: 'two' }, user);
  const [first] = await received.atLeast(2);
  await dropClass('kites');
  await expect(listen(query, {}, user)).rejects.toMatchObject([{ message: expect.stringContaining('kiteChanged') }]);
  await defineClass('kites', { make: 'String' });
  const { _id: id } = await created('/data/kites', { make: 'new' }, user);
  const back = await listen(query, { since: first.kiteChanged.cursor }, user);
  expect((await back.atLeast(1)).map(({ kiteChanged }) => kiteChanged.recordId)).toEqual([id]);
});

test('hundreds of subscribers with different filters and rights each receive their events, in order', async () => {
  const users = await quickUsers(100);
  const query = CAR_CHANGED;
  const filterOf = (nth: number) => ({ or: [{ value: { eq: nth % 10 } }, { make: { eq: 'end' } }] });
  const listeners: [QuickUser, number, LiveSubscription][] = [];
  for (const [nth, one] of users.entries()) {
    listeners.push([one, nth, await listen(query, { where: filterOf(nth) }, one, nth % 2 ? second : running.app)]);
    // Half of the users also share the document and filter of another user.
    if (nth % 2) listeners.push([one, nth + 1, await listen(query, { where: filterOf(nth + 1) }, one)]);
  }
  const made: { make: string; value: number; readers: number[] | 'all' }[] = [];
  for (let nth = 0; nth < 40; nth++) {
    const value = nth % 10;
    const readers = nth < 20 ? 'all' : users.filter((_, index) => index % 3 === nth % 3).map(({ id }) => id);
    const read = readers === 'all' ? { access: 'open' } : { access: 'open_for_users_ids', ids: readers };
    await make({ make: `car-${nth}`, value, permissions: { read } });
    made.push({ make: `car-${nth}`, value, readers });
  }
  await make({ make: 'end', value: 11 });
  for (const [one, nth, listening] of listeners) {
    const theirs = made.filter(
      ({ value, readers }) => value === nth % 10 && (readers === 'all' || readers.includes(one.id)),
    );
    const expected = [...theirs.map((car) => `CREATED ${car.make} ${car.value}`), 'CREATED end 11'];
    await until(() => receivedBy(listening).at(-1) === 'CREATED end 11');
    expect(receivedBy(listening)).toEqual(expected);
  }
});

test('expired and invalid cursors are rejected', async () => {
  const received = await listen(CAR_CHANGED, {}, user);
  await make({ make: 'old', value: 1 });
  await make({ make: 'younger', value: 1 });
  await received.atLeast(2);
  const since = cursorOf(received, 0);
  const later = new Date(SAMPLE_TIME.getTime() + 25 * 3_600_000);
  await sweep(later, { ...RETENTION, sessionMinutes: 1_000_000, eventRetentionHours: 24 });
  for (const query of Object.values(KINDS)) {
    await expect(listen(query, { since }, user)).rejects.toMatchObject([{ extensions: { code: 'CURSOR_EXPIRED' } }]);
    for (const bad of ['x', '-1', '', '1e3', '01']) {
      await expect(listen(query, { since: bad }, user)).rejects.toMatchObject([
        { extensions: { code: 'BAD_USER_INPUT' } },
      ]);
    }
  }
});

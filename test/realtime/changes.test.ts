import { afterEach, describe, expect, test } from 'vitest';
import { sweep } from '../../src/jobs/sweep.ts';
import { APPLICATION, clock, running, useApp } from '../support/app/app.ts';
import { createTenant, startAnother } from '../support/app/other-apps.ts';
import { ownConnection, sql } from '../support/app/sql.ts';
import { throughGraphQL, throughRest } from '../support/clients/chat-transports.ts';
import { DIALOG_EVENTS, EVENT_FIELDS, eventsOf, type ReceivedEvent } from '../support/clients/live.ts';
import { rest } from '../support/clients/rest.ts';
import { closeSockets, listen } from '../support/clients/websocket.ts';
import {
  createDialog,
  errorOf,
  execute,
  MESSAGE_SENT,
  type QuickUser,
  quickUsers,
  send,
} from '../support/fixtures/chat.ts';
import { RETENTION } from '../support/fixtures/retention.ts';
import { apiKey, type Caller } from '../support/fixtures/users.ts';

useApp();

afterEach(() => closeSockets());

const CHANGES = `query ($since: String, $dialogId: ID, $first: Int) {
  changes(since: $since, dialogId: $dialogId, first: $first) { events { ${EVENT_FIELDS} } cursor hasMore } }`;

interface Changes {
  events: ReceivedEvent[];
  cursor: string;
  hasMore: boolean;
}

async function changes(as: Caller, variables: { since?: string; dialogId?: string; first?: number } = {}) {
  return (await execute(CHANGES, { first: 50, ...variables }, as)).changes as Changes;
}

async function present(as: Caller): Promise<string> {
  const { events, cursor, hasMore } = await changes(as);
  expect([events, hasMore]).toEqual([[], false]);
  return cursor;
}

async function pages(as: Caller, since: string, first: number): Promise<Changes[]> {
  const all: Changes[] = [];
  for (let cursor = since; ; ) {
    const page = await changes(as, { since: cursor, first });
    all.push(page);
    if (!page.hasMore) return all;
    cursor = page.cursor;
  }
}

const typesOf = (events: ReceivedEvent[]) => events.map((event) => event.__typename);
const textsOf = (events: ReceivedEvent[]) => events.map((event) => event.message?.text);

async function cast() {
  const [alice, bob, carol] = (await quickUsers(3)) as [QuickUser, QuickUser, QuickUser];
  return { alice, bob, carol, dialogId: await createDialog(alice, [bob]) };
}

describe('changes', () => {
  test('changes returns the current cursor, then the events after it as subscriptions deliver them', async () => {
    const { alice, bob, carol, dialogId } = await cast();
    const since = await present(bob);
    const live = await listen(DIALOG_EVENTS, {}, bob);
    const id = await send(alice, dialogId, 'Hi');
    await throughRest.react(bob, id, 'like');
    await throughRest.unreact(bob, id, 'like');
    await throughRest.mark(bob, [id], { read: true });
    await throughRest.edit(alice, [id], 'Hello');
    await throughRest.deleteMessages(bob, [await send(alice, dialogId, 'hidden')]);
    await throughRest.update(alice, dialogId, { join: [carol] });
    const open = await createDialog(carol, [], 'PUBLIC_GROUP');
    await throughRest.deleteDialog(carol, open, true);
    await throughRest.update(alice, dialogId, { leave: [bob] });
    await live.atLeast(1);
    const received = await changes(bob, { since });
    // Bob has left one dialog and the other is deleted, so only his own deletion and the removals remain.
    expect(typesOf(received.events)).toEqual(['MessagesDeleted', 'DialogRemoved', 'DialogRemoved']);
    expect(received.events.map((event) => event.removal)).toEqual([undefined, 'DESTROYED', 'LEFT']);
    const ofAlice = await changes(alice, { since });
    expect(typesOf(ofAlice.events)).toEqual([
      'MessageSent',
      'ReactionAdded',
      'ReactionRemoved',
      'MessagesMarked',
      'MessageEdited',
      'MessageSent',
      'DialogChanged',
      'DialogRemoved',
      'DialogChanged',
    ]);
    expect(textsOf(ofAlice.events).filter(Boolean)).toEqual(['Hello', 'Hello', 'hidden']);
    await live.close();
  });

  test('changes includes the latest action of the caller, in every process', async () => {
    const { alice, dialogId } = await cast();
    const second = await startAnother();
    let cursor = await present(alice);
    for (let nth = 1; nth <= 20; nth++) {
      const id = await send(alice, dialogId, `message ${nth}`);
      const url = nth % 2 === 0 ? running.url : second.url;
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...alice.headers },
        body: JSON.stringify({ query: CHANGES, variables: { since: cursor, first: 50 } }),
      });
      const { data } = (await response.json()) as { data: { changes: Changes } };
      expect(data.changes.events.map((event) => event.message?.id)).toEqual([id]);
      cursor = data.changes.cursor;
    }
    await second.stop();
  });

  test.each([1, 7, 25, 90])('changes in pages of %i returns each event once, in order', async (first) => {
    const { alice, bob, dialogId } = await cast();
    const other = await createDialog(alice, []).catch(() => createDialog(alice, [alice]));
    const since = await present(bob);
    const expected: string[] = [];
    for (let nth = 0; nth < 25; nth++) {
      expected.push(await send(alice, dialogId, 'for both'));
      await send(alice, other, 'for Alice');
    }
    const all = await pages(bob, since, first);
    expect(all.flatMap((page) => page.events).map((event) => event.message.id)).toEqual(expected);
    for (const page of all) expect(page.events.length).toBeLessThanOrEqual(first);
    for (const page of all.slice(0, -1)) expect(page.cursor).toBe(page.events.at(-1).cursor);
    expect(await changes(bob, { since: all.at(-1)!.cursor })).toEqual({
      events: [],
      cursor: all.at(-1)!.cursor,
      hasMore: false,
    });
  });

  test('changes continues where a subscription stopped, and a subscription where changes stopped', async () => {
    const { alice, bob, dialogId } = await cast();
    const live = await listen(MESSAGE_SENT, {}, bob);
    await send(alice, dialogId, 'one');
    const [{ messageSent }] = await live.atLeast(1);
    await live.close();
    await send(alice, dialogId, 'two');
    const { events, cursor } = await changes(bob, { since: messageSent.cursor });
    expect(textsOf(events)).toEqual(['two']);
    await send(alice, dialogId, 'three');
    const resumed = await listen(DIALOG_EVENTS, { since: cursor }, bob);
    await send(alice, dialogId, 'four');
    await resumed.atLeast(2);
    expect(textsOf(eventsOf(resumed))).toEqual(['three', 'four']);
  });

  test('changes of one dialog skips other dialogs, and its cursor covers them', async () => {
    const { alice, bob, dialogId } = await cast();
    const other = await createDialog(alice, [bob]);
    const since = await present(bob);
    await send(alice, other, 'elsewhere');
    await send(alice, dialogId, 'here');
    await send(alice, other, 'elsewhere');
    const here = await changes(bob, { since, dialogId });
    expect(textsOf(here.events)).toEqual(['here']);
    expect((await changes(bob, { since: here.cursor })).events).toEqual([]);
  });

  test('changes skips messages that have been deleted', async () => {
    const { alice, bob, dialogId } = await cast();
    const since = await present(bob);
    const [gone, hidden] = [await send(alice, dialogId, 'gone'), await send(alice, dialogId, 'hidden')];
    await throughRest.edit(alice, [gone, hidden], 'edited');
    await send(alice, dialogId, 'kept');
    await throughRest.deleteMessages(alice, [gone], true);
    await throughRest.deleteMessages(bob, [hidden]);
    const { events } = await changes(bob, { since });
    expect(typesOf(events)).toEqual(['MessageSent', 'MessagesDeleted', 'MessagesDeleted']);
    expect(textsOf(events).filter(Boolean)).toEqual(['kept']);
    // A page whose events are all skipped is not the last one.
    expect((await pages(bob, since, 1)).flatMap((page) => page.events)).toEqual(events);
    expect(typesOf((await changes(apiKey, { since, dialogId })).events)).toEqual([
      'MessageSent',
      'MessageEdited',
      'MessageSent',
      'MessagesDeleted',
    ]);
  });

  test('changes applies current rights: only the removal from a dialog that the caller left, all events of one they joined', async () => {
    const { alice, bob, carol, dialogId } = await cast();
    const since = await present(alice);
    const id = await send(alice, dialogId, 'early');
    await throughGraphQL.react(bob, id, 'like');
    await throughGraphQL.update(alice, dialogId, { leave: [bob], join: [carol] });
    expect(typesOf((await changes(bob, { since })).events)).toEqual(['DialogRemoved']);
    const ofCarol = (await changes(carol, { since })).events;
    expect(typesOf(ofCarol)).toEqual(['MessageSent', 'ReactionAdded', 'DialogChanged', 'DialogChanged']);
    expect(await errorOf(CHANGES, { since, dialogId, first: 1 }, bob)).toMatchObject({ code: 'FORBIDDEN' });
    await throughGraphQL.update(alice, dialogId, { join: [bob] });
    expect(textsOf((await changes(bob, { since, dialogId })).events)).toContain('early');
  });

  test('changes returns nothing to other applications, even with a valid cursor', async () => {
    const { alice, dialogId } = await cast();
    const other = await createTenant(1);
    const since = await present(alice);
    await send(alice, dialogId, 'secret');
    await createDialog(alice, [], 'PUBLIC_GROUP');
    for (const as of [other.key, other.users[0]!]) {
      expect((await changes(as, { since })).events).toEqual([]);
      expect(await errorOf(CHANGES, { since, dialogId, first: 1 }, as)).toMatchObject({ code: 'NOT_FOUND' });
    }
  });

  test('changes rejects invalid cursors and pages above 100', async () => {
    const { alice } = await cast();
    for (const since of ['', 'x', '-1', '01', '1.5', '99999999999999999999']) {
      expect(await errorOf(CHANGES, { since, first: 1 }, alice)).toMatchObject({
        message: 'Invalid cursor',
        code: 'BAD_USER_INPUT',
      });
    }
    const page = 'query ($since: String, $first: Int) { changes(since: $since, first: $first) { cursor } }';
    for (const first of [0, -1, 101]) {
      expect(await errorOf(page, { first }, alice)).toMatchObject({ code: 'BAD_USER_INPUT' });
    }
    expect(await errorOf(page, { since: '999999999', first: 100 }, alice)).toMatchObject({ code: 'CURSOR_EXPIRED' });
  });
});

describe('a transaction that commits late', () => {
  test('an event whose transaction commits late is neither skipped nor delivered twice', async () => {
    const { alice, bob, dialogId } = await cast();
    const messageId = await send(alice, dialogId, 'first');
    const live = await listen(DIALOG_EVENTS, {}, bob);
    const since = await present(bob);
    const slow = await ownConnection();
    try {
      await slow.query('BEGIN');
      await slow.query(
        `INSERT INTO events_outbox (application_id, kind, dialog_id, subject_id, user_id, name, created_at)
         VALUES ($1, 'reactionAdded', $2, $3, $4, 'late', $5)`,
        [APPLICATION.id, dialogId, messageId, alice.id, running.now()],
      );
      await send(alice, dialogId, 'behind it');
      const early = await changes(bob, { since });
      expect(early.events).toEqual([]);
      const fresh = await changes(bob);
      const { body } = await rest('GET', `/chat/Message?chat_dialog_id=${dialogId}&since=`, { as: bob });
      expect(body.items.at(-1).message).toBe('behind it');
      await slow.query('COMMIT');
      for (const cursor of [since, early.cursor, fresh.cursor, body.cursor]) {
        expect(typesOf((await changes(bob, { since: cursor })).events)).toContain('ReactionAdded');
        expect(textsOf((await changes(bob, { since: cursor })).events)).toContain('behind it');
      }
      await live.atLeast(2);
      expect(typesOf(eventsOf(live)).slice(0, 2)).toEqual(['ReactionAdded', 'MessageSent']);
    } finally {
      await slow.end();
    }
  });
});

describe('expired events', () => {
  test('changes rejects an expired cursor with CURSOR_EXPIRED, and accepts 0 until the first event expires', async () => {
    const { alice, dialogId } = await cast();
    expect(typesOf((await changes(alice, { since: '0' })).events).length).toBeGreaterThan(0);
    const begin = running.now();
    const old = await present(alice);
    try {
      clock.set(new Date(begin.getTime() + 20 * 3_600_000));
      const id = await send(alice, dialogId, 'younger');
      await sweep(new Date(begin.getTime() + 25 * 3_600_000), RETENTION);
      for (const since of [old, '0']) {
        expect(await errorOf(CHANGES, { since, first: 1 }, alice)).toMatchObject({ code: 'CURSOR_EXPIRED' });
      }
      const cursor = await present(alice);
      expect((await changes(alice, { since: cursor })).events).toEqual([]);
      await throughRest.react(alice, id, 'like');
      expect(typesOf((await changes(alice, { since: cursor })).events)).toEqual(['ReactionAdded']);
      // The last event never expires, so that clients that are up to date can continue.
      await sweep(new Date(begin.getTime() + 2_000 * 3_600_000), RETENTION);
      expect((await changes(alice, { since: await present(alice) })).events).toEqual([]);
      expect(await sql('SELECT 1 FROM events_outbox')).toHaveLength(1);
    } finally {
      clock.set(begin);
    }
  });
});

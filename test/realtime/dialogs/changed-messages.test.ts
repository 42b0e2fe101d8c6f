import { describe, expect, test } from 'vitest';
import { sweep } from '../../../src/jobs/sweep.ts';
import { clock, running, useApp } from '../../support/app/app.ts';
import { createTenant } from '../../support/app/other-apps.ts';
import { throughRest } from '../../support/clients/chat-transports.ts';
import { type RestAnswer, rest } from '../../support/clients/rest.ts';
import { createDialog, execute, type QuickUser, quickUsers, send, sendMany } from '../../support/fixtures/chat.ts';
import { RETENTION } from '../../support/fixtures/retention.ts';
import type { Caller } from '../../support/fixtures/users.ts';

useApp();

function get(as: Caller, dialogId: string, parameters: Record<string, string>, path = '/chat/Message') {
  return rest('GET', `${path}?${new URLSearchParams({ chat_dialog_id: dialogId, ...parameters })}`, { as });
}

async function cast() {
  const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
  return { alice, bob, dialogId: await createDialog(alice, [bob]) };
}

const textsOf = ({ body }: RestAnswer) => body.items.map((item: { message: string }) => item.message);

describe('GET /chat/Message?since=', () => {
  test('an empty since returns the usual list and a cursor, which then returns messages sent or edited since', async () => {
    const { alice, bob, dialogId } = await cast();
    const [first] = await sendMany(alice, dialogId, 3);
    const all = await get(bob, dialogId, { since: '' });
    expect(all.body).toEqual({
      skip: 0,
      limit: 100,
      items: expect.any(Array),
      cursor: expect.stringMatching(/^\d+$/),
    });
    expect(textsOf(all)).toEqual(['message 1', 'message 2', 'message 3']);
    expect((await get(bob, dialogId, {})).body).not.toHaveProperty('cursor');

    const nothing = await get(bob, dialogId, { since: all.body.cursor });
    expect(nothing.body.items).toEqual([]);
    await throughRest.edit(alice, [first!], 'edited');
    await throughRest.react(alice, first!, 'like');
    await send(bob, dialogId, 'mine');
    const changed = await get(bob, dialogId, { since: nothing.body.cursor });
    expect(textsOf(changed)).toEqual(['edited', 'mine']);
    expect((await get(bob, dialogId, { since: changed.body.cursor })).body.items).toEqual([]);
  });

  test('since returns the latest message of the caller every time', async () => {
    const { alice, dialogId } = await cast();
    let { cursor } = (await get(alice, dialogId, { since: '' })).body;
    for (let nth = 1; nth <= 20; nth++) {
      await send(alice, dialogId, `message ${nth}`);
      const changed = await get(alice, dialogId, { since: cursor });
      expect(textsOf(changed)).toEqual([`message ${nth}`]);
      ({ cursor } = changed.body);
    }
  });

  test('since with a limit pages until the cursor no longer changes', async () => {
    const { alice, bob, dialogId } = await cast();
    const other = await createDialog(alice, [bob]);
    let { cursor } = (await get(bob, dialogId, { since: '' })).body;
    const sent = await sendMany(alice, dialogId, 7);
    await sendMany(alice, other, 7);
    const got: string[] = [];
    for (let isMore = true; isMore; ) {
      const { body } = await get(bob, dialogId, { since: cursor, limit: '3' });
      expect(body.items.length).toBeLessThanOrEqual(3);
      got.push(...body.items.map((item: { _id: string }) => item._id));
      isMore = body.cursor !== cursor;
      cursor = body.cursor;
    }
    expect(got).toEqual(sent);
  });

  test('since marks returned messages as read and delivered unless mark_as_read is 0', async () => {
    const { alice, bob, dialogId } = await cast();
    const { cursor } = (await get(bob, dialogId, { since: '' })).body;
    await sendMany(alice, dialogId, 2);
    const unread = async () =>
      (await execute('query ($ids: [ID!]) { unreadCounts(dialogIds: $ids) { total } }', { ids: [dialogId] }, bob))
        .unreadCounts.total;
    const unmarked = await get(bob, dialogId, { since: cursor, mark_as_read: '0' });
    expect(unmarked.body.items[0].read_ids).toEqual([alice.id]);
    expect(await unread()).toBe(2);
    const marked = await get(bob, dialogId, { since: cursor });
    expect(marked.body.items[0].read_ids).toEqual([alice.id, bob.id]);
    expect(await unread()).toBe(0);
    // Marks are not changes of a message, so polling does not trigger itself.
    expect((await get(bob, dialogId, { since: marked.body.cursor })).body.items).toEqual([]);
  });

  test('since combines with filters, sorting and count', async () => {
    const { alice, bob, dialogId } = await cast();
    await send(alice, dialogId, 'apple before');
    const { cursor } = (await get(bob, dialogId, { since: '' })).body;
    for (const text of ['apple 1', 'pear', 'apple 2']) await send(alice, dialogId, text);
    const apples = { since: cursor, 'message[ctn]': 'apple' };
    expect(textsOf(await get(bob, dialogId, apples))).toEqual(['apple 1', 'apple 2']);
    expect(textsOf(await get(bob, dialogId, { ...apples, sort_desc: 'date_sent' }))).toEqual(['apple 2', 'apple 1']);
    expect((await get(bob, dialogId, { ...apples, count: '1' })).body).toEqual({ items: { count: 2 } });
    expect((await get(bob, dialogId, { since: cursor, count: '1' })).body).toEqual({ items: { count: 3 } });
    expect((await get(bob, dialogId, { since: cursor, sender_id: String(bob.id) })).body.items).toEqual([]);
  });

  test('since works in XML', async () => {
    const { alice, bob, dialogId } = await cast();
    const all = await get(bob, dialogId, { since: '' }, '/chat/Message.xml');
    expect(all.status).toBe(200);
    const cursor = /<cursor>(\d+)<\/cursor>/.exec(all.text)?.[1];
    await send(alice, dialogId, 'in XML');
    const changed = await get(bob, dialogId, { since: cursor! }, '/chat/Message.xml');
    expect(changed.text.match(/<message>[^<]*<\/message>/g)).toEqual(['<message>in XML</message>']);
    expect(changed.text).toMatch(/<cursor>\d+<\/cursor>/);
  });

  test('since skips messages deleted for all or for the caller', async () => {
    const { alice, bob, dialogId } = await cast();
    const { cursor } = (await get(bob, dialogId, { since: '' })).body;
    const [gone, hidden] = await sendMany(alice, dialogId, 3);
    await throughRest.deleteMessages(alice, [gone!], true);
    await throughRest.deleteMessages(bob, [hidden!]);
    expect(textsOf(await get(bob, dialogId, { since: cursor }))).toEqual(['message 3']);
    expect(textsOf(await get(alice, dialogId, { since: cursor }))).toEqual(['message 2', 'message 3']);
  });

  test('since applies current rights', async () => {
    const { alice, bob, dialogId } = await cast();
    const { cursor: since } = (await get(bob, dialogId, { since: '' })).body;
    await throughRest.update(alice, dialogId, { leave: [bob] });
    expect((await get(bob, dialogId, { since })).status).toBe(403);
    await send(alice, dialogId, 'meanwhile');
    await throughRest.update(alice, dialogId, { join: [bob] });
    expect(textsOf(await get(bob, dialogId, { since }))).toEqual(['meanwhile']);
    const other = await createTenant(1);
    for (const as of [other.key, other.users[0]!]) expect((await get(as, dialogId, { since })).status).toBe(404);
  });

  test('since rejects invalid cursors with 400 and expired ones with 422', async () => {
    const { alice, dialogId } = await cast();
    for (const since of ['x', '-1', '01', '1.5', '99999999999999999999']) {
      const { status, body } = await get(alice, dialogId, { since });
      expect([status, body]).toEqual([400, { errors: ['Invalid cursor'] }]);
    }
    const { cursor } = (await get(alice, dialogId, { since: '' })).body;
    const begin = running.now();
    try {
      clock.set(new Date(begin.getTime() + 25 * 3_600_000));
      await send(alice, dialogId, 'younger');
      await sweep(running.now(), RETENTION);
      for (const since of [cursor, '0', '999999999']) {
        const { status, body } = await get(alice, dialogId, { since });
        expect([status, body]).toEqual([422, { errors: [expect.stringContaining('cursor')] }]);
      }
      expect((await get(alice, dialogId, { since: '' })).status).toBe(200);
    } finally {
      clock.set(begin);
    }
  });
});

import { afterEach, describe, expect, test } from 'vitest';
import { APPLICATION, useApp } from '../../support/app/app.ts';
import { createTenant, startAnother } from '../../support/app/other-apps.ts';
import { sql } from '../../support/app/sql.ts';
import { rest } from '../../support/clients/rest.ts';
import { closeSockets, connect, type LiveSubscription, listen, until } from '../../support/clients/websocket.ts';
import { createDialog, errorOf, execute, type QuickUser, quickUsers, send } from '../../support/fixtures/chat.ts';
import { apiKey, type Caller, createUsers, onBehalfOf } from '../../support/fixtures/users.ts';

useApp();

const BLOCK =
  'mutation ($userId: Int!, $mutual: Boolean! = true) { blockUser(userId: $userId, mutual: $mutual) { id } }';
const UNBLOCK = 'mutation ($userId: Int!) { unblockUser(userId: $userId) { id } }';
const BLOCKED = '{ blockedUsers { userId mutual } }';
const SEND = 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { id } }';
const REFUSAL = "You don't have appropriate permissions to perform this operation";
const PRESENCE = 'subscription ($userIds: [Int!]!) { presence(userIds: $userIds) { userId online } }';

const block = (as: Caller, user: { id: number }, mutual = true) => execute(BLOCK, { userId: user.id, mutual }, as);
const unblock = (as: Caller, user: { id: number }) => execute(UNBLOCK, { userId: user.id }, as);
const blockedBy = async (as: Caller) => (await execute(BLOCKED, {}, as)).blockedUsers;
const sendTo = (user: { id: number }) => ({ input: { recipientId: user.id, text: 'hi' } });

afterEach(() => closeSockets());

describe('private messages', () => {
  test('a block refuses private messages of both on every transport, until it ends', async () => {
    const [alice, bob] = await createUsers(2);
    const dialogId = await createDialog(alice, [bob], 'PRIVATE');
    expect(await block(alice, bob)).toEqual({ blockUser: { id: bob.id } });
    expect(await blockedBy(alice)).toEqual([{ userId: bob.id, mutual: true }]);
    expect(await blockedBy(bob)).toEqual([]);
    for (const [sender, recipient] of [
      [alice, bob],
      [bob, alice],
    ] as const) {
      for (const input of [{ recipientId: recipient.id }, { dialogId }]) {
        const refusal = { message: REFUSAL, code: 'FORBIDDEN' };
        expect(await errorOf(SEND, { input: { ...input, text: 'hi' } }, sender)).toEqual(refusal);
      }
      const socket = await connect(sender);
      expect((await socket.run(SEND, sendTo(recipient))).errors).toMatchObject([{ message: REFUSAL }]);
      const json = { recipient_id: recipient.id, message: 'hi' };
      const { status, body } = await rest('POST', '/chat/Message', { as: sender, json });
      expect([status, body]).toEqual([403, { errors: [REFUSAL] }]);
      expect((await errorOf(SEND, sendTo(recipient), onBehalfOf(sender))).message).toBe(REFUSAL);
    }
    expect(await sql('SELECT FROM messages WHERE dialog_id = $1', [dialogId])).toEqual([]);
    await unblock(alice, bob);
    expect(await blockedBy(alice)).toEqual([]);
    for (const [sender, recipient] of [
      [alice, bob],
      [bob, alice],
    ] as const)
      await execute(SEND, sendTo(recipient), sender);
  });

  test('a block that is not mutual refuses messages of the blocked user only', async () => {
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    await block(alice, bob);
    await block(alice, bob, false);
    expect(await blockedBy(alice)).toEqual([{ userId: bob.id, mutual: false }]);
    await execute(SEND, sendTo(bob), alice);
    expect((await errorOf(SEND, sendTo(alice), bob)).message).toBe(REFUSAL);
  });

  test('a blocked user creates no private dialog and can send to others', async () => {
    const [alice, bob, carol] = (await quickUsers(3)) as [QuickUser, QuickUser, QuickUser];
    await block(alice, bob);
    const dialog = 'mutation ($id: Int!) { createDialog(input: { type: PRIVATE, occupantIds: [$id] }) { id } }';
    expect((await errorOf(dialog, { id: alice.id }, bob)).message).toBe(REFUSAL);
    expect((await errorOf(SEND, sendTo(alice), bob)).message).toBe(REFUSAL);
    expect(await sql('SELECT FROM members WHERE user_id = ANY($1)', [[alice.id, bob.id]])).toEqual([]);
    await execute(SEND, sendTo(carol), bob);
    await execute(SEND, sendTo(alice), carol);
  });
});

describe('live events', () => {
  const texts = (received: LiveSubscription) => received.payloads().map(({ messageSent }) => messageSent.message.text);

  test('group messages, typing and marks of a blocked user do not reach the blocker, in any process', async () => {
    const another = await startAnother();
    const [alice, bob, carol] = (await quickUsers(3)) as [QuickUser, QuickUser, QuickUser];
    const dialogId = await createDialog(alice, [bob, carol]);
    const sent = await send(alice, dialogId, 'of Alice');
    await block(alice, bob);
    const messages = 'subscription { messageSent { message { text } } }';
    const events = 'subscription { dialogEvents { __typename ... on MessagesMarked { userId } } }';
    const typing = 'subscription ($dialogId: ID!) { typing(dialogId: $dialogId) { userId } }';
    const near = await listen(messages, {}, alice);
    const far = await listen(messages, {}, alice, another);
    const all = await listen(messages, {}, carol);
    const marks = await listen(events, {}, alice);
    const typists = await listen(typing, { dialogId }, alice);
    await send(bob, dialogId, 'of Bob');
    for (const user of [bob, carol]) {
      await execute('mutation ($dialogId: ID!) { startTyping(dialogId: $dialogId) }', { dialogId }, user);
      await execute(`mutation { updateMessages(ids: ["${sent}"], input: { read: true }) { id } }`, {}, user);
    }
    await send(carol, dialogId, 'of Carol');
    for (const received of [near, far]) {
      await received.atLeast(1);
      expect(texts(received)).toEqual(['of Carol']);
    }
    await all.atLeast(2);
    expect(texts(all)).toEqual(['of Bob', 'of Carol']);
    expect(await typists.atLeast(1)).toEqual([{ typing: { userId: carol.id } }]);
    await until(() => marks.payloads().some(({ dialogEvents }) => dialogEvents.userId === carol.id));
    expect(marks.payloads().some(({ dialogEvents }) => dialogEvents.userId === bob.id)).toBe(false);
    await far.close();
    await another.stop();
  });

  test('a subscriber who catches up misses the group messages of blocked users as well', async () => {
    const [alice, bob, carol] = (await quickUsers(3)) as [QuickUser, QuickUser, QuickUser];
    const dialogId = await createDialog(alice, [bob, carol]);
    const { changes } = await execute('{ changes { cursor } }', {}, alice);
    await send(bob, dialogId, 'before');
    await block(alice, bob);
    await send(bob, dialogId, 'after');
    await send(carol, dialogId, 'last');
    const query = 'subscription ($since: String) { messageSent(since: $since) { message { text } } }';
    const received = await listen(query, { since: changes.cursor }, alice);
    await until(() => texts(received).includes('last'));
    expect(texts(received)).not.toContain('after');
  });

  test('both users appear offline to each other while a block lasts, in every process', async () => {
    const another = await startAnother();
    const [alice, bob, carol] = await createUsers(3);
    for (const user of [alice, bob]) await connect(user);
    const userIds = [alice.id, bob.id];
    const watch = async (user: Caller, app?: typeof another) => listen(PRESENCE, { userIds }, user, app);
    const open = [await watch(alice), await watch(bob, another), await watch(carol)] as const;
    const latest = (received: LiveSubscription) =>
      Object.fromEntries(received.payloads().map(({ presence }) => [presence.userId, presence.online]));
    for (const received of open)
      await until(() => latest(received)[alice.id] === true && latest(received)[bob.id] === true);
    await block(alice, bob);
    await until(() => latest(open[0])[bob.id] === false && latest(open[1])[alice.id] === false);
    const present = async (as: Caller) =>
      (await execute(`{ presence(userIds: [${userIds}]) { online } }`, {}, as)).presence;
    expect(await present(alice)).toEqual([{ online: true }, { online: false }]);
    expect(await present(bob)).toEqual([{ online: false }, { online: true }]);
    expect(await present(apiKey)).toEqual([{ online: true }, { online: true }]);
    const late = await watch(bob, another);
    await late.atLeast(2);
    expect(latest(late)).toEqual({ [alice.id]: false, [bob.id]: true });
    await unblock(alice, bob);
    await until(() => latest(open[0])[bob.id] === true && latest(open[1])[alice.id] === true);
    expect(latest(open[2])).toEqual({ [alice.id]: true, [bob.id]: true });
    for (const received of [open[1], late]) await received.close();
    await another.stop();
  });
});

describe('bad input', () => {
  test('unknown users, users of other applications and oneself cannot be blocked', async () => {
    const [alice] = (await quickUsers(1)) as [QuickUser];
    const { users } = await createTenant(20);
    for (const query of [BLOCK, UNBLOCK]) {
      for (const userId of [users.at(-1)!.id, 2_147_483_647])
        expect(await errorOf(query, { userId }, alice)).toMatchObject({ code: 'NOT_FOUND' });
      expect(await errorOf(query, { userId: 0 }, alice)).toMatchObject({ code: 'UNPROCESSABLE' });
      expect(await errorOf(query, { userId: alice.id }, alice)).toMatchObject({ code: 'UNPROCESSABLE' });
    }
    expect(await errorOf(BLOCKED, {}, apiKey)).toMatchObject({ code: 'FORBIDDEN' });
  });

  test('a user blocks at most 2,000 users', async () => {
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    await sql(
      `WITH made AS (INSERT INTO users (application_id, login, login_key, created_at, updated_at)
        SELECT $1, 'many' || n, 'many' || n, now(), now() FROM generate_series(1, 2000) n RETURNING id)
      INSERT INTO user_blocks SELECT $1, $2, id, 'user', true, true, true, now() FROM made`,
      [APPLICATION.id, alice.id],
    );
    const refusal = { message: 'A user may block at most 2000 users', code: 'UNPROCESSABLE' };
    expect(await errorOf(BLOCK, { userId: bob.id }, alice)).toEqual(refusal);
    expect(await blockedBy(alice)).toHaveLength(2_000);
  });

  test('the blocks of a user, and blocks of the user, are deleted with the user', async () => {
    const [alice, bob, carol] = (await quickUsers(3)) as [QuickUser, QuickUser, QuickUser];
    await block(alice, bob);
    await block(bob, carol);
    await rest('DELETE', `/users/${bob.id}`, { as: bob });
    expect(await blockedBy(alice)).toEqual([]);
    expect(await sql('SELECT FROM user_blocks WHERE user_id = $1', [bob.id])).toEqual([]);
  });
});

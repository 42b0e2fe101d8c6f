import { afterEach, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { sql } from '../../support/app/sql.ts';
import { rest } from '../../support/clients/rest.ts';
import { GRAPHQL_TRANSPORTS } from '../../support/clients/transports.ts';
import { closeSockets, listen, until } from '../../support/clients/websocket.ts';
import { createDialog, errorOf, execute, type QuickUser, quickUsers, send } from '../../support/fixtures/chat.ts';

useApp();

afterEach(() => closeSockets());

const block = (as: QuickUser, { id }: QuickUser) => execute(`mutation { blockUser(userId: ${id}) { id } }`, {}, as);

describe('#81 a block is evaded', () => {
  test('a blocked user reaches the blocker by no operation', async () => {
    const [alice, mallory, bob] = (await quickUsers(3)) as [QuickUser, QuickUser, QuickUser];
    const dialogId = await createDialog(alice, [mallory], 'PRIVATE');
    await block(alice, mallory);
    await block(bob, mallory);
    const attempts = [
      `sendMessage(input: { dialogId: "${dialogId}", text: "x" }) { id }`,
      `sendMessage(input: { recipientId: ${alice.id}, text: "x", id: "${'a'.repeat(24)}" }) { id }`,
      `sendMessage(input: { recipientId: ${bob.id}, text: "x" }) { id }`,
      `createDialog(input: { type: PRIVATE, occupantIds: [${bob.id}] }) { id }`,
      `sendSignal(input: { userId: ${alice.id}, kind: CALL, text: "x" }) { id }`,
      `sendSignal(input: { dialogId: "${dialogId}", kind: MESSAGE, text: "x" }) { id }`,
      `requestContact(userId: ${alice.id}) { userId }`,
    ];
    for (const attempt of attempts)
      expect([attempt, await errorOf(`mutation { ${attempt} }`, {}, mallory)]).toMatchObject([
        attempt,
        { code: 'FORBIDDEN' },
      ]);
    for (const json of [
      { chat_dialog_id: dialogId, message: 'x' },
      { recipient_id: bob.id, message: 'x' },
    ])
      expect((await rest('POST', '/chat/Message', { as: mallory, json })).status).toBe(403);
    expect(await sql('SELECT FROM messages WHERE sender_id = $1', [mallory.id])).toEqual([]);
    expect(await sql('SELECT FROM members WHERE user_id = $1', [bob.id])).toEqual([]);
    expect(await sql('SELECT FROM chat_contacts')).toEqual([]);
    const { user } = await execute(`{ user(id: ${alice.id}) { lastSeenAt } }`, {}, mallory);
    expect(user.lastSeenAt).toBeNull();
  });

  test('messages of a blocked user in groups reach the blocker over no live transport', async () => {
    const [alice, mallory, bob] = (await quickUsers(3)) as [QuickUser, QuickUser, QuickUser];
    const dialogId = await createDialog(alice, [mallory, bob]);
    await block(alice, mallory);
    const { changes } = await execute('{ changes { cursor } }', {}, alice);
    const query = 'subscription ($since: String) { messageSent(since: $since) { message { text } } }';
    const open = [await listen(query, {}, alice), await listen(query, { since: changes.cursor }, alice)];
    await send(mallory, dialogId, 'SECRET');
    await send(bob, dialogId, 'last');
    open.push(await listen(query, { since: changes.cursor }, alice));
    for (const received of open) {
      await until(() => received.payloads().length > 0);
      expect(received.payloads().map(({ messageSent }) => messageSent.message.text)).toEqual(['last']);
    }
    const poll = `{ changes(since: "${changes.cursor}") { events { ... on MessageSent { message { text } } } } }`;
    for (const [name, run] of GRAPHQL_TRANSPORTS) {
      const answer = JSON.stringify(await run(poll, {}, alice));
      expect([name, answer.includes('last'), answer.includes('SECRET')]).toEqual([name, true, false]);
    }
  });
});

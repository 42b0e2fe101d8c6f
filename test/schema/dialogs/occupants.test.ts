import { describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { APPLICATION, useApp } from '../../support/app/app.ts';
import { sql, whileLocked } from '../../support/app/sql.ts';
import { subscribe } from '../../support/clients/graphql.ts';
import {
  createDialog,
  errorOf,
  execute,
  MESSAGE_SENT,
  type QuickUser,
  quickUsers,
  send,
  sendMany,
} from '../../support/fixtures/chat.ts';
import {
  addOccupants,
  aGroup,
  DESTROY,
  DIALOG,
  dialogOf,
  expectGone,
  idsOf,
  LEAVE,
  MUTE,
  READ,
  removeOccupants,
  sweepNow,
  UPDATE_DIALOG,
  updateDialog,
} from '../../support/fixtures/groups.ts';
import { apiKey } from '../../support/fixtures/users.ts';

useApp();

const MESSAGES =
  'query ($id: ID!) { messages(dialogId: $id, first: 100) { edges { node { id readIds deliveredIds } } } }';
const MESSAGE = 'query ($id: ID!) { message(id: $id) { id } }';
const FORGET = 'mutation ($ids: [ID!]!) { deleteMessages(ids: $ids, force: true) { deletedIds } }';

describe('group ownership', () => {
  test('a group passes to the admin, else the occupant, with the lowest id when its owner leaves or is removed', async () => {
    for (const isRemoved of [true, false]) {
      const [alice, bob, carol, dave, id] = await aGroup();
      await addOccupants(alice, id, dave);
      await updateDialog(alice, id, { addAdminIds: idsOf(dave, carol) });
      if (isRemoved) await removeOccupants(dave, id, alice);
      else await execute(LEAVE, { id }, alice);
      expect(await dialogOf(id)).toMatchObject({ userId: carol.id, adminIds: idsOf(carol, dave) });
      await updateDialog(carol, id, { removeOccupantIds: idsOf(carol, dave), addOccupantIds: idsOf(alice) });
      expect(await dialogOf(id)).toMatchObject({ userId: alice.id, adminIds: [], occupantIds: idsOf(alice, bob) });
      expect((await errorOf(UPDATE_DIALOG, { id, input: { addAdminIds: [bob.id] } }, carol)).code).toBe('FORBIDDEN');
      expect((await errorOf(DESTROY, { id }, bob)).code).toBe('FORBIDDEN');
      expect(await updateDialog(alice, id, { addAdminIds: [bob.id] })).toMatchObject({ adminIds: [bob.id] });
    }
  });

  test('a group keeps its owner when other occupants leave', async () => {
    const [alice, bob, carol, , id] = await aGroup();
    await updateDialog(alice, id, { addAdminIds: idsOf(bob) });
    await removeOccupants(alice, id, bob, carol);
    expect(await dialogOf(id)).toMatchObject({ userId: alice.id, occupantIds: [alice.id] });
  });

  test('a group and everything in it is deleted when the last occupant leaves or it is deleted by force', async () => {
    for (const end of [LEAVE, DESTROY]) {
      const [alice, bob, carol, , id] = await aGroup();
      const messages = await sendMany(bob, id, 3);
      await execute(
        'mutation ($id: ID!) { addReaction(messageId: $id, name: "like") { id } }',
        { id: messages[0] },
        alice,
      );
      await execute('mutation ($id: ID!) { deleteMessages(ids: [$id]) { deletedIds } }', { id: messages[1] }, alice);
      await execute(READ, { id, skip: 2 }, alice);
      await execute(MUTE, { id }, alice);
      if (end === LEAVE) await removeOccupants(alice, id, bob, carol);
      await execute(end, { id }, alice);
      expect((await errorOf(DIALOG, { id }, apiKey)).code).toBe('NOT_FOUND');
      for (const message of messages) {
        expect((await errorOf(MESSAGE, { id: message }, apiKey)).code).toBe('NOT_FOUND');
      }
      await expectGone([id], messages);
    }
  });

  test('a deleted group is swept completely, even if another process sweeps it at the same time and crashes', async () => {
    const [alice] = (await quickUsers(1)) as [QuickUser];
    const id = await createDialog(alice, [alice]);
    await sql(
      `INSERT INTO messages (application_id, id, dialog_id, seq, sender_id, recipient_id, text, send_to_chat, date_sent,
         created_at, updated_at)
       SELECT $1, lpad(to_hex(n), 24, '0'), $2, n, $3, 0, 'x', true, 0, now(), now() FROM generate_series(1, 5001) n`,
      [APPLICATION.id, id, alice.id],
    );
    await execute(DESTROY, { id }, alice);
    const another = 'DELETE FROM messages WHERE dialog_id = $1 AND seq <= 5000';
    await whileLocked(another, id, 'SELECT $1', sweepNow);
    await sweepNow();
    expect(await sql('SELECT FROM messages WHERE dialog_id = $1', [id])).toEqual([]);
    expect(await db.destroyedDialog.count()).toBe(0);
  });
});

describe('leaving a group and coming back', () => {
  test('a returning occupant keeps their read state, and messages sent in the meantime are unread', async () => {
    const [alice, bob, carol, , id] = await aGroup();
    const before = await sendMany(alice, id, 3);
    const own = await send(bob, id, 'mine');
    await execute(READ, { id, limit: 2 }, bob);
    expect((await dialogOf(id, bob)).unreadMessagesCount).toBe(1);
    await execute(LEAVE, { id }, bob);
    const concurrent = await sendMany(carol, id, 2);
    const readers = async () => {
      const { messages } = await execute(MESSAGES, { id }, apiKey);
      return messages.edges.map(({ node }: { node: { readIds: number[] } }) => node.readIds);
    };
    const read = [idsOf(alice, bob), idsOf(alice, bob), idsOf(alice), idsOf(bob), idsOf(carol), idsOf(carol)];
    expect(await readers()).toEqual(read);
    await addOccupants(alice, id, bob);
    expect(await dialogOf(id, bob)).toMatchObject({ occupantIds: idsOf(alice, bob, carol), unreadMessagesCount: 3 });
    expect(await readers()).toEqual(read);
    await execute(READ, { id }, bob);
    expect((await dialogOf(id, bob)).unreadMessagesCount).toBe(0);
    const { messages } = await execute(MESSAGES, { id }, bob);
    expect(messages.edges.map(({ node }: { node: { id: string } }) => node.id)).toEqual([
      ...before,
      own,
      ...concurrent,
    ]);
  });

  test('counters stay correct when messages, including own ones, are deleted for all in the meantime', async () => {
    const [alice, bob, carol, , id] = await aGroup();
    const [first, , third] = await sendMany(alice, id, 3);
    const own = await send(bob, id, 'mine');
    await execute(READ, { id, limit: 1 }, bob);
    await removeOccupants(alice, id, bob);
    const late = await send(carol, id, 'late');
    await execute(FORGET, { ids: [first, third, own] }, apiKey);
    await addOccupants(carol, id, bob);
    expect((await dialogOf(id, bob)).unreadMessagesCount).toBe(2);
    await execute(FORGET, { ids: [late] }, apiKey);
    expect((await dialogOf(id, bob)).unreadMessagesCount).toBe(1);
  });

  test('a returning admin is no longer an admin', async () => {
    const [alice, bob, , , id] = await aGroup();
    await updateDialog(alice, id, { addAdminIds: [bob.id] });
    await removeOccupants(bob, id, bob);
    expect(await addOccupants(alice, id, bob)).toMatchObject({ adminIds: [] });
  });
});

describe('removed occupants', () => {
  test('a removed occupant is denied access and receives no more events', async () => {
    const [alice, bob, carol, , id] = await aGroup();
    const message = await send(bob, id, 'mine');
    const [toBob, toCarol] = [
      await subscribe(MESSAGE_SENT, { dialogId: id }, bob),
      await subscribe(MESSAGE_SENT, {}, carol),
    ];
    const toAll = await subscribe(MESSAGE_SENT, {}, bob);
    await removeOccupants(alice, id, bob);
    await send(alice, id, 'unheard');
    const other = await createDialog(alice, [bob]);
    await send(alice, other, 'received');
    expect((await toCarol.next()).messageSent.message.text).toBe('unheard');
    expect((await toAll.next()).messageSent.message.text).toBe('received');
    expect(toBob.pending).toEqual([]);
    for (const received of [toBob, toCarol, toAll]) await received.close();
    await expect(subscribe(MESSAGE_SENT, { dialogId: id }, bob)).rejects.toMatchObject([
      { extensions: { code: 'FORBIDDEN' } },
    ]);
    for (const [document, variables] of [
      [DIALOG, { id }],
      [UPDATE_DIALOG, { id, input: {} }],
      [LEAVE, { id }],
      [MESSAGES, { id }],
      [READ, { id }],
      ['query ($id: ID!) { dialogNotifications(dialogId: $id) { enabled } }', { id }],
      [
        'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { id } }',
        { input: { dialogId: id, text: 'x' } },
      ],
      [MESSAGE, { id: message }],
      ['mutation ($id: ID!) { addReaction(messageId: $id, name: "x") { id } }', { id: message }],
      ['mutation ($id: ID!) { removeReaction(messageId: $id, name: "x") { id } }', { id: message }],
    ] as [string, object][]) {
      expect([document, (await errorOf(document, variables as Record<string, unknown>, bob)).code]).toEqual([
        document,
        'FORBIDDEN',
      ]);
    }
    expect((await execute('{ unreadCounts { total } }', {}, bob)).unreadCounts.total).toBe(1);
  });
});

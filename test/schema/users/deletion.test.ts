import { describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { sweep } from '../../../src/jobs/sweep.ts';
import { APPLICATION, running, useApp } from '../../support/app/app.ts';
import { sql, whileUserIsLocked } from '../../support/app/sql.ts';
import { until } from '../../support/app/until.ts';
import { graphql, socketClient, subscribe } from '../../support/clients/graphql.ts';
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
import { RETENTION } from '../../support/fixtures/retention.ts';
import { apiKey, type Caller, createUser, onBehalfOf } from '../../support/fixtures/users.ts';

useApp();

const DELETE = 'mutation ($id: Int!) { deleteUser(id: $id) }';
const DIALOG = 'query ($id: ID!) { dialog(id: $id) { userId occupantIds adminIds unreadMessagesCount lastMessage } }';
const REACT = 'mutation ($id: ID!, $name: String!) { addReaction(messageId: $id, name: $name) { id } }';

const remove = (user: QuickUser, as: Caller = user) => execute(DELETE, { id: user.id }, as);
const dialogOf = async (id: string, as: Caller = apiKey) => (await execute(DIALOG, { id }, as)).dialog;

/** Opens a socket with a subscription and returns the code with which the service closes it. */
function closeOfSocket(as: Caller, dialogId: string): Promise<number> {
  return new Promise((resolve) => {
    const nothing = () => {};
    const sink = { next: nothing, error: nothing, complete: nothing };
    socketClient(as, resolve).subscribe({ query: MESSAGE_SENT, variables: { dialogId } }, sink);
  });
}

describe('deleteUser', () => {
  test('deleteUser removes the user from their groups and keeps messages, counts and read state of others', async () => {
    const [alice, bob, carol] = (await quickUsers(3)) as [QuickUser, QuickUser, QuickUser];
    const dialogId = await createDialog(alice, [bob, carol]);
    await sendMany(bob, dialogId, 3);
    await send(alice, dialogId, 'last');
    await execute(
      'mutation ($id: ID!) { readMessages(dialogId: $id, limit: 2) { items { id } } }',
      { id: dialogId },
      carol,
    );
    await execute('mutation ($id: ID!) { readMessages(dialogId: $id) { items { id } } }', { id: dialogId }, bob);
    expect((await dialogOf(dialogId, carol)).unreadMessagesCount).toBe(2);

    expect(await remove(bob)).toEqual({ deleteUser: true });
    expect(await dialogOf(dialogId, carol)).toEqual({
      userId: alice.id,
      occupantIds: [alice.id, carol.id],
      adminIds: [],
      unreadMessagesCount: 2,
      lastMessage: 'last',
    });
    const { messages } = await execute(
      'query ($id: ID!) { messages(dialogId: $id) { totalCount edges { node { senderId sender { id } readIds } } } }',
      { id: dialogId },
      alice,
    );
    expect(messages.totalCount).toBe(4);
    expect(messages.edges[0].node).toMatchObject({ senderId: bob.id, sender: null });
    expect(messages.edges.at(-1).node.readIds).not.toContain(bob.id);
    expect(await sql('SELECT FROM message_marks WHERE user_id = $1', [bob.id])).toEqual([]);
  });

  test('deleteUser passes a group to its admin, else its occupant, with the lowest id', async () => {
    const [alice, bob, carol, dave] = (await quickUsers(4)) as [QuickUser, QuickUser, QuickUser, QuickUser];
    const plain = await createDialog(alice, [carol, bob]);
    const administered = await createDialog(alice, [bob, carol, dave]);
    await db.member.updateMany({
      where: { dialogId: administered, userId: { in: [carol.id, dave.id] } },
      data: { isAdmin: true },
    });
    const foreign = await createDialog(dave, [alice]);
    await remove(alice);
    expect((await dialogOf(plain)).userId).toBe(bob.id);
    expect((await dialogOf(administered)).userId).toBe(carol.id);
    expect((await dialogOf(foreign)).userId).toBe(dave.id);
  });

  test('deleteUser deletes a group without remaining occupants, with everything in it', async () => {
    const [alice] = (await quickUsers(1)) as [QuickUser];
    const dialogId = await createDialog(alice, [alice]);
    const message = await send(alice, dialogId, 'alone');
    await execute(REACT, { id: message, name: 'like' }, alice);
    await remove(alice);
    expect((await errorOf(DIALOG, { id: dialogId }, apiKey)).code).toBe('NOT_FOUND');
    await sweep(running.now(), RETENTION);
    for (const table of ['messages', 'message_marks', 'hidden_messages', 'members', 'destroyed_dialogs']) {
      expect(await sql(`SELECT FROM ${table} WHERE dialog_id = $1`, [dialogId])).toEqual([]);
    }
    expect(await sql('SELECT FROM reactions WHERE message_id = $1', [message])).toEqual([]);
  });

  test('deleteUser leaves a private dialog to the other user and a public group to its admin', async () => {
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const pair = await createDialog(alice, [bob], 'PRIVATE');
    await send(alice, pair, 'bye');
    const lobby = await createDialog(alice, [], 'PUBLIC_GROUP');
    await sql(
      'INSERT INTO members (application_id, dialog_id, user_id, is_admin, joined_at) VALUES ($1, $2, $3, true, now())',
      [APPLICATION.id, lobby, bob.id],
    );
    await remove(alice, apiKey);
    expect(await dialogOf(pair, bob)).toMatchObject({ userId: bob.id, occupantIds: [bob.id], unreadMessagesCount: 1 });
    expect((await dialogOf(lobby)).userId).toBe(bob.id);
    expect(await send(bob, pair, 'hello?')).toMatch(/^[0-9a-f]{24}$/);
  });

  test("deleteUser removes the user's reactions and notifies subscribers", async () => {
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const dialogId = await createDialog(alice, [bob]);
    const message = await send(alice, dialogId, 'x');
    for (const name of ['like', 'wow']) await execute(REACT, { id: message, name }, bob);
    await execute(REACT, { id: message, name: 'like' }, alice);
    const received = await subscribe(
      'subscription ($dialogId: ID) { reactionRemoved(dialogId: $dialogId) { messageId userId name } }',
      { dialogId },
      alice,
    );
    await remove(bob);
    for (const name of ['like', 'wow']) {
      expect(await received.next()).toEqual({ reactionRemoved: { messageId: message, userId: bob.id, name } });
    }
    await received.close();
    const { message: shown } = await execute(
      'query ($id: ID!) { message(id: $id) { reactions { name count } } }',
      { id: message },
      alice,
    );
    expect(shown.reactions).toEqual([{ name: 'like', count: 1 }]);
  });

  test('deleteUser publishes the left groups in creation order', async () => {
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const ids: string[] = [];
    for (let count = 0; count < 3; count++) ids.push(await createDialog(alice, [bob]));
    // Small tables are read in physical order, in which the last updated row comes last.
    await execute(
      'mutation ($id: ID!) { updateDialog(id: $id, input: { name: "New" }) { id } }',
      { id: ids[0] },
      alice,
    );
    await sql('ANALYZE dialogs');
    const received = await subscribe('subscription { dialogEvents { dialogId } }', {}, bob);
    await remove(alice);
    const notified: string[] = [];
    for (const _ of ids) notified.push((await received.next()).dialogEvents.dialogId);
    expect(notified).toEqual(ids);
    await received.close();
  });

  test("deleteUser closes the user's sockets, opened by session or by a key on their behalf", async () => {
    const [bob] = (await quickUsers(1)) as [QuickUser];
    const alice = await createUser();
    const dialogId = await createDialog(bob, [alice]);
    const closed = [alice, onBehalfOf(alice)].map((caller) => closeOfSocket(caller, dialogId));
    await until(() => running.app.services.hub.subscriptionCount >= 2);
    await remove(alice);
    expect(await Promise.all(closed)).toEqual([4403, 4403]);
    expect((await errorOf('{ me { id } }', {}, alice)).code).toBe('UNAUTHENTICATED');
  });

  test('concurrent deletions of all users while they write leave no rows', async () => {
    const users = await quickUsers(6);
    const dialogs = await Promise.all(users.map((user) => createDialog(user, users)));
    const writing = dialogs.flatMap((dialogId, place) =>
      users.map((_, turn) =>
        graphql(
          'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { id } }',
          { input: { dialogId, text: `${turn}` } },
          users[place]!,
        ),
      ),
    );
    const answers = await Promise.all([...users.map((user) => graphql(DELETE, { id: user.id }, user)), ...writing]);
    const codes = answers.flatMap(({ errors }) => errors?.map(({ extensions }) => extensions?.code) ?? []);
    expect(codes).not.toContain('INTERNAL_SERVER_ERROR');
    expect(await db.dialog.count({ where: { id: { in: dialogs } } })).toBe(0);
    expect(await db.member.count({ where: { userId: { in: users.map(({ id }) => id) } } })).toBe(0);
  });

  test('only the user and an API key alone may delete a user', async () => {
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const refused = { code: 'FORBIDDEN', message: 'You are not allowed to modify this user' };
    expect(await errorOf(DELETE, { id: bob.id }, alice)).toEqual(refused);
    const update =
      'mutation ($id: Int!, $input: UpdateUserInput!) { updateUser(id: $id, input: $input) { id fullName } }';
    expect(await errorOf(update, { id: bob.id, input: {} }, alice)).toEqual(refused);
    expect(await errorOf(update, { id: bob.id, input: {} }, bob)).toEqual({
      code: 'BAD_USER_INPUT',
      message: 'No data for update was provided',
    });
    expect(await execute(update, { id: bob.id, input: { fullName: 'Bob' } }, bob)).toEqual({
      updateUser: { id: bob.id, fullName: 'Bob' },
    });
    expect((await errorOf(DELETE, { id: 2_000_000_000 }, apiKey)).code).toBe('NOT_FOUND');
    const byExternalId = 'mutation { deleteUserByExternalId(externalUserId: 4711) }';
    await execute(update, { id: bob.id, input: { externalUserId: '4711' } }, apiKey);
    expect((await errorOf(byExternalId, {}, alice)).code).toBe('FORBIDDEN');
    expect(await execute(byExternalId, {}, apiKey)).toEqual({ deleteUserByExternalId: true });
  });
});

describe('while a user is being deleted', () => {
  const DELETED = 'DELETE FROM users WHERE id = $1';
  const CREATE = 'mutation ($input: CreateDialogInput!) { createDialog(input: $input) { id occupantIds } }';

  const create = (as: Caller, type: string, others: QuickUser[]) =>
    graphql(CREATE, { input: { type, name: 'A dialog', occupantIds: others.map(({ id }) => id) } }, as);
  const tracesOf = ({ id }: QuickUser) =>
    sql(
      `SELECT dialog_id AS id FROM members WHERE user_id = $1 UNION ALL SELECT id FROM dialogs WHERE user_id = $1
        UNION ALL SELECT message_id FROM reactions WHERE user_id = $1`,
      [id],
    );

  test('a new group is created without them', async () => {
    const [alice, bob, carol] = (await quickUsers(3)) as [QuickUser, QuickUser, QuickUser];
    const { data } = await whileUserIsLocked(bob.id, DELETED, () => create(alice, 'GROUP', [carol, bob]));
    expect(data.createDialog.occupantIds).toEqual([alice.id, carol.id]);
    expect(await tracesOf(bob)).toEqual([]);
  });

  test('no private dialog with them is created', async () => {
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const { errors } = await whileUserIsLocked(bob.id, DELETED, () => create(alice, 'PRIVATE', [bob]));
    expect(errors?.[0]?.message).toBe('Occupants with these IDs do not exist.');
    expect(await tracesOf(bob)).toEqual([]);
    expect(await tracesOf(alice)).toEqual([]);
  });

  test.each(['GROUP', 'PUBLIC_GROUP', 'PRIVATE'])('they create no %s', async (type) => {
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const session = await createUser();
    const byKey = await whileUserIsLocked(alice.id, DELETED, () => create(alice, type, [bob]));
    expect(byKey.errors?.[0]?.extensions?.code).toBe('NOT_FOUND');
    const bySession = await whileUserIsLocked(session.id, DELETED, () => create(session, type, [bob]));
    expect(bySession.errors?.[0]?.extensions?.code).toBe('UNAUTHENTICATED');
    for (const user of [alice, bob, session]) expect(await tracesOf(user)).toEqual([]);
  });

  test('they leave no reaction, and no event is published', async () => {
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const message = await send(alice, await createDialog(alice, [bob]), 'x');
    await whileUserIsLocked(bob.id, DELETED, () => graphql(REACT, { id: message, name: 'like' }, bob));
    expect(await sql('SELECT FROM reactions WHERE message_id = $1', [message])).toEqual([]);
    expect(await sql("SELECT FROM events_outbox WHERE kind = 'reactionAdded' AND user_id = $1", [bob.id])).toEqual([]);
  });
});

import { describe, expect, test } from 'vitest';
import { APPLICATION, clock, running, SAMPLE_TIME, useApp } from '../../support/app/app.ts';
import { createTenant } from '../../support/app/other-apps.ts';
import { sql, statementsOf } from '../../support/app/sql.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { walk } from '../../support/clients/pages.ts';
import { createDialog, errorOf, execute, type QuickUser, quickUsers, send } from '../../support/fixtures/chat.ts';
import { apiKey, type Caller, createUser } from '../../support/fixtures/users.ts';

useApp();

const CREATE = `mutation ($input: CreateDialogInput!) {
  createDialog(input: $input) {
    id type userId name photo isJoinRequired occupantIds adminIds xmppRoomJid lastMessage lastMessageId
    lastMessageDateSent lastMessageUserId unreadMessagesCount createdAt updatedAt
  }
}`;

describe('createDialog', () => {
  test('createDialog creates a group with the caller as owner and occupant', async () => {
    const [alice, bob, carol] = await quickUsers(3);
    const input = {
      type: 'GROUP',
      name: 'G & H ',
      photo: '77',
      isJoinRequired: true,
      occupantIds: [carol!.id, bob!.id, bob!.id, 2_000_000_000],
    };
    const { createDialog } = await execute(CREATE, { input }, alice!);
    expect(createDialog).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      type: 'GROUP',
      userId: alice!.id,
      name: 'G & H',
      photo: '77',
      isJoinRequired: true,
      occupantIds: [alice!.id, bob!.id, carol!.id],
      adminIds: [],
      xmppRoomJid: `${APPLICATION.id}_${createDialog.id}@muc.127.0.0.1`,
      lastMessage: null,
      lastMessageId: null,
      lastMessageDateSent: null,
      lastMessageUserId: null,
      unreadMessagesCount: 0,
      createdAt: running.now().toISOString(),
      updatedAt: running.now().toISOString(),
    });
  });

  test('createDialog creates a public group without an occupant list', async () => {
    const [alice, bob] = await quickUsers(2);
    const input = { type: 'PUBLIC_GROUP', name: 'All', occupantIds: [bob!.id] };
    expect((await execute(CREATE, { input }, alice!)).createDialog).toMatchObject({
      type: 'PUBLIC_GROUP',
      occupantIds: [],
      adminIds: [],
    });
  });

  test('createDialog creates one private dialog per pair, also for concurrent requests of both', async () => {
    const [alice, bob] = await quickUsers(2);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, nth) => {
        const [from, to] = nth % 2 === 0 ? [alice!, bob!] : [bob!, alice!];
        return execute(CREATE, { input: { type: 'PRIVATE', occupantIds: [to.id] } }, from);
      }),
    );
    expect(new Set(answers.map(({ createDialog }) => createDialog.id)).size).toBe(1);
    expect(answers[0].createDialog).toMatchObject({
      type: 'PRIVATE',
      occupantIds: [alice!.id, bob!.id],
      adminIds: [],
      xmppRoomJid: null,
    });
    expect(await sql('SELECT 1 FROM members WHERE dialog_id = $1', [answers[0].createDialog.id])).toHaveLength(2);
  });

  test('a private dialog is named after the other user: full name, else login, else e-mail', async () => {
    const alice = await createUser({ full_name: 'Alice A.' });
    const bob = await createUser();
    const id = await createDialog(alice, [bob], 'PRIVATE');
    const name = async (as: Caller) =>
      (await execute('query ($id: ID!) { dialog(id: $id) { name } }', { id }, as)).dialog;
    expect(await name(bob)).toEqual({ name: 'Alice A.' });
    expect(await name(alice)).toEqual({ name: bob.login });
    await sql('UPDATE users SET login = NULL, login_key = NULL, email = $2 WHERE id = $1', [bob.id, 'b@example.com']);
    expect(await name(alice)).toEqual({ name: 'b@example.com' });
    expect((await name(apiKey)).name).toBe('b@example.com');
  });

  test.each<[string, (me: QuickUser) => object, string]>([
    ['no type', () => ({ name: 'x' }), 'type is required'],
    [
      'a group without name and occupants',
      () => ({ type: 'GROUP' }),
      "Name can't be blank, Occupants with these IDs do not exist.",
    ],
    ['a blank name', (me) => ({ type: 'GROUP', name: '  ', occupantIds: [me.id] }), "Name can't be blank"],
    ['a public group without a name', () => ({ type: 'PUBLIC_GROUP' }), "Name can't be blank"],
    [
      'a long name',
      (me) => ({ type: 'GROUP', name: 'x'.repeat(201), occupantIds: [me.id] }),
      'Name is too long (maximum is 200 characters)',
    ],
    [
      'unknown occupants only',
      () => ({ type: 'GROUP', name: 'x', occupantIds: [2_000_000_000] }),
      'Occupants with these IDs do not exist.',
    ],
    [
      'a private dialog with unknown users only',
      () => ({ type: 'PRIVATE', occupantIds: [2_000_000_000] }),
      'Occupants with these IDs do not exist.',
    ],
    [
      'a private dialog with oneself',
      (me) => ({ type: 'PRIVATE', occupantIds: [me.id] }),
      'A private dialog has exactly one other occupant',
    ],
  ])('createDialog rejects %s', async (_name, input, message) => {
    const [alice] = await quickUsers(1);
    expect(await errorOf(CREATE, { input: input(alice!) }, alice!)).toEqual({ message, code: 'UNPROCESSABLE' });
  });

  test('createDialog rejects a private dialog of three users and an unknown class', async () => {
    const [alice, bob, carol] = await quickUsers(3);
    const input = { type: 'PRIVATE', occupantIds: [bob!.id, carol!.id] };
    expect(await errorOf(CREATE, { input }, alice!)).toMatchObject({
      message: 'A private dialog has exactly one other occupant',
    });
    const classed = { type: 'GROUP', name: 'x', occupantIds: [bob!.id], dataClassName: 'Nope' };
    expect(await errorOf(CREATE, { input: classed }, alice!)).toEqual({
      message: 'Undefined class',
      code: 'FORBIDDEN',
    });
  });

  test('createDialog accepts names of 200 characters', async () => {
    const [alice, bob] = await quickUsers(2);
    const name = '😀'.repeat(200);
    const input = { type: 'GROUP', name, occupantIds: [bob!.id] };
    expect((await execute(CREATE, { input }, alice!)).createDialog.name).toBe(name);
  });
});

describe('dialog', () => {
  const DIALOG = `query ($id: ID!) { dialog(id: $id) {
    id occupantIds lastMessage lastMessageId lastMessageDateSent lastMessageUserId unreadMessagesCount updatedAt } }`;

  test("dialog returns the latest message and the caller's unread count", async () => {
    const [alice, bob] = await quickUsers(2);
    const id = await createDialog(alice!, [bob!]);
    await send(alice!, id, 'first');
    clock.advance(5_000);
    const messageId = await send(alice!, id, 'second');
    const shown = {
      lastMessage: 'second',
      lastMessageId: messageId,
      lastMessageDateSent: Math.floor(running.now().getTime() / 1000),
      lastMessageUserId: alice!.id,
      updatedAt: running.now().toISOString(),
    };
    expect((await execute(DIALOG, { id }, alice!)).dialog).toMatchObject({ ...shown, unreadMessagesCount: 0 });
    expect((await execute(DIALOG, { id }, bob!)).dialog).toMatchObject({ ...shown, unreadMessagesCount: 2 });
    expect((await execute(DIALOG, { id }, apiKey)).dialog).toMatchObject({ ...shown, unreadMessagesCount: 0 });
  });

  test('dialog is available to occupants, to all users if public, and to API keys', async () => {
    const [alice, bob, mallory] = await quickUsers(3);
    const group = await createDialog(alice!, [bob!]);
    const open = await createDialog(alice!, [], 'PUBLIC_GROUP');
    for (const reader of [alice!, bob!, apiKey])
      expect((await execute(DIALOG, { id: group }, reader)).dialog.id).toBe(group);
    expect(await errorOf(DIALOG, { id: group }, mallory!)).toEqual({
      message: "You don't have appropriate permissions to perform this operation",
      code: 'FORBIDDEN',
    });
    await send(bob!, open, 'hi all');
    expect((await execute(DIALOG, { id: open }, mallory!)).dialog).toMatchObject({ unreadMessagesCount: 0 });
    for (const id of ['0'.repeat(24), 'abc', '', `${group}0`, group.toUpperCase(), "' OR 1=1 --"]) {
      if (id === group) continue;
      expect(await errorOf(DIALOG, { id }, alice!)).toEqual({
        message: "The resource wasn't found",
        code: 'NOT_FOUND',
      });
    }
  });
});

describe('dialogs', () => {
  const LIST = `query ($filter: DialogFilter, $orderBy: DialogOrder, $first: Int, $after: String, $last: Int,
      $before: String, $skip: Int, $dataClassName: String) {
    dialogs(filter: $filter, orderBy: $orderBy, first: $first, after: $after, last: $last, before: $before, skip: $skip,
        dataClassName: $dataClassName) {
      totalCount
      edges { cursor node { id name } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }`;

  interface Made {
    alice: QuickUser;
    bob: QuickUser;
    ids: Record<string, string>;
  }

  async function manyDialogs(): Promise<Made> {
    const tenant = await createTenant(6);
    const [alice, bob, ...others] = tenant.users as [QuickUser, QuickUser, ...QuickUser[]];
    const ids: Record<string, string> = {};
    for (const name of ['b', 'a', 'c', 'a2', 'B']) {
      ids[name] = await createDialog(alice, [bob], 'GROUP', name);
      clock.advance(1_000);
    }
    ids.open = await createDialog(bob, [], 'PUBLIC_GROUP', 'open');
    for (const [nth, other] of others.slice(0, 3).entries()) {
      clock.advance(1_000);
      await sql('UPDATE users SET login = $2 WHERE id = $1', [other.id, nth === 2 ? null : `zed${nth}`]);
      ids[`private${nth}`] = await createDialog(alice, [other], 'PRIVATE');
    }
    await createDialog(bob, [others[0]!], 'GROUP', 'not mine');
    for (const name of ['c', 'private1', 'b']) {
      clock.advance(1_000);
      await send(alice, ids[name]!, 'hi');
    }
    await send(alice, ids.a!, 'in the same second');
    return { alice, bob, ids };
  }

  test('dialogs lists the visible dialogs, latest activity first', async () => {
    const { alice, ids } = await manyDialogs();
    const { dialogs } = await execute(LIST, {}, alice);
    const order = ['private2', 'private0', 'open', 'B', 'a2'];
    const listed = dialogs.edges.map((edge: { node: { id: string } }) => edge.node.id);
    expect(listed.slice(0, 2).sort()).toEqual([ids.a, ids.b].sort());
    expect(listed.slice(2, 4)).toEqual([ids.private1, ids.c]);
    expect(listed.slice(4)).toEqual(order.map((name) => ids[name]));
    expect(dialogs.totalCount).toBe(9);
  });

  test('dialogs lists all dialogs of the application for an API key alone', async () => {
    const tenant = await createTenant(3);
    const [alice, bob, carol] = tenant.users;
    await createDialog(alice!, [bob!]);
    await createDialog(bob!, [carol!]);
    expect((await execute(LIST, {}, tenant.key)).dialogs.totalCount).toBe(2);
    expect((await execute(LIST, {}, alice!)).dialogs.totalCount).toBe(1);
  });

  const SORTS = ['ID', 'TYPE', 'NAME', 'LAST_MESSAGE_DATE_SENT', 'CREATED_AT', 'UPDATED_AT'];

  test('dialogs can be paged in every order, direction and page size, unset values last', async () => {
    const { alice, ids } = await manyDialogs();
    const all = Object.values(ids).sort();
    for (const field of SORTS) {
      for (const direction of ['ASC', 'DESC']) {
        const orderBy = { field, direction };
        const page = (variables: object) =>
          execute(LIST, { orderBy, ...variables }, alice).then(({ dialogs }) => dialogs);
        const whole = (await page({ first: 100 })).edges.map((edge: { node: { id: string } }) => edge.node.id);
        expect([...whole].sort()).toEqual(all);
        for (const size of [1, 4, 9]) {
          expect([field, direction, size, await walk(page, size, 'forward')]).toEqual([field, direction, size, whole]);
          expect([field, direction, size, await walk(page, size, 'backward')]).toEqual([field, direction, size, whole]);
        }
        if (field === 'ID') expect(whole).toEqual(direction === 'ASC' ? all : [...all].reverse());
        if (field === 'LAST_MESSAGE_DATE_SENT') {
          const unset = ['a2', 'B', 'open', 'private0', 'private2'].map((name) => ids[name]!).sort();
          expect(whole.slice(4)).toEqual(direction === 'ASC' ? unset : unset.reverse());
          const [first] = direction === 'ASC' ? [ids.c] : [ids.a, ids.b].sort().reverse();
          expect(whole[0]).toBe(first);
        }
        if (field === 'NAME') expect(whole.at(-1)).toBe(ids.private2);
      }
    }
  });

  test('dialogs can be paged in the default order in both directions', async () => {
    const { alice } = await manyDialogs();
    const page = (variables: object) => execute(LIST, { ...variables }, alice).then(({ dialogs }) => dialogs);
    const whole = (await page({})).edges.map((edge: { node: { id: string } }) => edge.node.id);
    for (const size of [1, 3]) {
      expect(await walk(page, size, 'forward')).toEqual(whole);
      expect(await walk(page, size, 'backward')).toEqual(whole);
    }
  });

  test('dialogs can be filtered by every field', async () => {
    const { alice, bob, ids } = await manyDialogs();
    const found = async (filter: object) => {
      const { dialogs } = await execute(LIST, { filter, first: 100 }, alice);
      const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]));
      const listed = dialogs.edges.map((edge: { node: { id: string } }) => names.get(edge.node.id)!).sort();
      expect(dialogs.totalCount).toBe(listed.length);
      return listed;
    };
    expect(await found({ id: { eq: ids.a } })).toEqual(['a']);
    expect(await found({ id: { in: [ids.a, ids.b, 'x'] } })).toEqual(['a', 'b']);
    expect(await found({ id: { lt: ids.a } })).toEqual(['b']);
    expect(await found({ type: { eq: 1 } })).toEqual(['open']);
    expect(await found({ type: { in: [1, 3] } })).toEqual(['open', 'private0', 'private1', 'private2']);
    expect(await found({ type: { gte: 2, lt: 3 } })).toEqual(['B', 'a', 'a2', 'b', 'c']);
    expect(await found({ name: { eq: 'a' } })).toEqual(['a']);
    expect(await found({ name: { contains: 'A' } })).toEqual(['a', 'a2']);
    expect(await found({ name: { contains: '%' } })).toEqual([]);
    expect(await found({ name: { contains: '_' } })).toEqual([]);
    expect(await found({ name: { contains: '\\' } })).toEqual([]);
    expect(await found({ name: { eq: null } })).toEqual(['private2']);
    expect(await found({ name: { contains: 'ZED' } })).toEqual(['private0', 'private1']);
    expect(await found({ name: { ne: null }, type: { ne: 2 } })).toEqual(['open', 'private0', 'private1']);
    expect(await found({ name: { ne: 'a' } })).toHaveLength(8);
    expect(await found({ name: { notIn: ['a', 'b', 'c', 'a2', 'B', 'open'] } })).toHaveLength(3);
    expect(await found({ lastMessageDateSent: { eq: null } })).toEqual(['B', 'a2', 'open', 'private0', 'private2']);
    expect(await found({ lastMessageDateSent: { gt: 1.5 } })).toEqual(['a', 'b', 'c', 'private1']);
    expect(await found({ createdAt: { gt: running.now().toISOString() } })).toEqual([]);
    expect(await found({ createdAt: { gte: SAMPLE_TIME.toISOString() } })).toHaveLength(9);
    expect(await found({ updatedAt: { eq: running.now().toISOString() } })).toEqual(['a', 'b']);
    expect(await found({ occupantIds: { eq: bob.id } })).toEqual(['B', 'a', 'a2', 'b', 'c']);
    expect(await found({ occupantIds: { ne: alice.id } })).toEqual(['open']);
    expect(await found({ occupantIds: { all: [alice.id, bob.id] }, name: { contains: 'b' } })).toEqual(['B', 'b']);
    expect(await found({ occupantIds: { notIn: [bob.id] }, type: { eq: 2 } })).toEqual([]);
    expect(await found({ or: [{ name: { eq: 'a' } }, { type: { eq: 1 } }] })).toEqual(['a', 'open']);
    expect(await found({ or: [{ name: { eq: 'a' } }, { name: { eq: 'b' } }], type: { eq: 1 } })).toEqual([]);
    expect(await found({ type: null, or: [] })).toHaveLength(9);
  });

  test('row 11: filter values are never part of the SQL text', async () => {
    const [alice] = await quickUsers(1);
    for (const text of ["'", "'; DROP TABLE users; --", '"', '$1', '\\', 'a\u0001', '->>']) {
      for (const filter of [{ name: { eq: text } }, { id: { in: [text] } }, { name: { contains: text } }]) {
        expect((await execute(LIST, { filter }, alice!)).dialogs).toMatchObject({ totalCount: expect.any(Number) });
      }
    }
    for (const field of ['name', 'd.name; DROP TABLE users', 'PASSWORD_HASH']) {
      const orderBy = { field, direction: 'ASC' };
      expect((await errorOf(LIST, { orderBy }, alice!)).code).toBe('BAD_USER_INPUT');
    }
    expect((await errorOf(LIST, { filter: { passwordHash: { eq: 'x' } } }, alice!)).code).toBe('BAD_USER_INPUT');
  });

  test('dialogs skips the given number', async () => {
    const { alice } = await manyDialogs();
    const whole = (await execute(LIST, {}, alice)).dialogs.edges;
    expect((await execute(LIST, { skip: 3, first: 2 }, alice)).dialogs.edges).toEqual(whole.slice(3, 5));
    expect((await execute(LIST, { skip: 2_147_483_647 }, alice)).dialogs.edges).toEqual([]);
    expect((await execute(LIST, { skip: -1 }, alice)).dialogs.edges).toEqual(whole);
    expect(await errorOf(LIST, { dataClassName: 'Nope' }, alice)).toMatchObject({ message: 'Undefined class' });
  });

  test.each([
    ['first', 0],
    ['first', 101],
    ['first', -1],
    ['last', 0],
    ['last', 101],
  ])('dialogs rejects %s: %i', async (argument, value) => {
    expect(await errorOf(LIST, { [argument]: value }, apiKey)).toEqual({
      message: `${argument} should be between 1 and 100`,
      code: 'BAD_USER_INPUT',
    });
  });

  test('a page of dialogs with all fields requires few statements, regardless of its length', async () => {
    const tenant = await createTenant(12);
    const [alice, ...others] = tenant.users as [QuickUser, ...QuickUser[]];
    for (const other of others) await send(other, await createDialog(alice, [other], 'PRIVATE'), 'hi');
    const document = `query ($first: Int) { dialogs(first: $first) { totalCount edges { node {
      id name occupantIds adminIds lastMessage lastMessageId lastMessageDateSent lastMessageUserId unreadMessagesCount
    } } } }`;
    const cost = async (first: number) => {
      const sent = await statementsOf(() => execute(document, { first }, alice));
      return sent.length;
    };
    const one = await cost(1);
    expect(await cost(11)).toBe(one);
    expect(one).toBeLessThanOrEqual(8);
  });
});

test('the sample requests of the contract return the documented responses', async () => {
  const [alice, bob, carol] = await quickUsers(3);
  const answer = await graphql(
    `mutation { createDialog(input: { type: GROUP, name: "Lunch", occupantIds: [${bob!.id}, ${carol!.id}] }) { id type occupantIds } }`,
    {},
    alice!,
  );
  expect(answer.data.createDialog).toMatchObject({ type: 'GROUP', occupantIds: [alice!.id, bob!.id, carol!.id] });
});

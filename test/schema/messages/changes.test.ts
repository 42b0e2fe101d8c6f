import { describe, expect, test } from 'vitest';
import { clock, running, useApp } from '../../support/app/app.ts';
import { expectCounted } from '../../support/app/integrity.ts';
import { sql } from '../../support/app/sql.ts';
import {
  createDialog,
  errorOf,
  execute,
  type QuickUser,
  quickUsers,
  send,
  sendMany,
} from '../../support/fixtures/chat.ts';
import { apiKey, type Caller } from '../../support/fixtures/users.ts';

useApp();

const UPDATE = `mutation ($ids: [ID!]!, $input: UpdateMessagesInput!) {
  updateMessages(ids: $ids, input: $input) { id text updatedAt readIds deliveredIds read } }`;
const MARK_ALL = `mutation ($dialogId: ID!, $read: Boolean, $delivered: Boolean) {
  markDialogMessages(dialogId: $dialogId, read: $read, delivered: $delivered) }`;
const DELETE = `mutation ($ids: [ID!]!, $force: Boolean!, $ownOnly: Boolean! = false) {
  deleteMessages(ids: $ids, force: $force, ownOnly: $ownOnly) { deletedIds notFoundIds wrongPermissionsIds } }`;
const UPDATE_DIALOG = 'mutation ($id: ID!, $input: UpdateDialogInput!) { updateDialog(id: $id, input: $input) { id } }';

const update = async (as: Caller, ids: string[], input: object) =>
  (await execute(UPDATE, { ids, input }, as)).updateMessages;
const markAll = (as: Caller, dialogId: string, mark: object) => execute(MARK_ALL, { dialogId, ...mark }, as);
const hide = async (as: Caller, ids: string[]) => (await execute(DELETE, { ids, force: false }, as)).deleteMessages;
const retract = async (as: Caller, ids: string[]) => (await execute(DELETE, { ids, force: true }, as)).deleteMessages;

async function dialogAs(as: Caller, id: string) {
  const { dialog } = await execute(
    'query ($id: ID!) { dialog(id: $id) { unreadMessagesCount lastMessageId lastMessage } }',
    { id },
    as,
  );
  return dialog;
}

const unread = async (as: Caller, id: string): Promise<number> => (await dialogAs(as, id)).unreadMessagesCount;

/** Ids of the messages that a user sees, with the users who have read and received each. */
async function seen(as: Caller, id: string): Promise<{ id: string; readIds: number[]; deliveredIds: number[] }[]> {
  const { messages } = await execute(
    'query ($id: ID!) { messages(dialogId: $id) { edges { node { id readIds deliveredIds } } } }',
    { id },
    as,
  );
  return messages.edges.map(({ node }: { node: object }) => node);
}

const seenIds = async (as: Caller, id: string) => (await seen(as, id)).map((message) => message.id);

async function group(): Promise<{ alice: QuickUser; bob: QuickUser; carol: QuickUser; dialogId: string }> {
  const [alice, bob, carol] = (await quickUsers(3)) as [QuickUser, QuickUser, QuickUser];
  return { alice, bob, carol, dialogId: await createDialog(alice, [bob, carol]) };
}

describe('updateMessages', () => {
  test('updateMessages returns each message once, in the requested order, with its current state', async () => {
    const { alice, bob, dialogId } = await group();
    const [first, second] = (await sendMany(alice, dialogId, 2)) as [string, string];
    clock.advance(1500);
    const updatedAt = running.now().toISOString();
    expect(await update(alice, [second, '0'.repeat(24), first, second], { text: 'new ', read: false })).toEqual(
      [second, first].map((id) => ({ id, text: 'new', updatedAt, readIds: [], deliveredIds: [alice.id], read: false })),
    );
    expect(await dialogAs(bob, dialogId)).toMatchObject({ lastMessageId: second, lastMessage: 'new' });
    expect(await seenIds(bob, dialogId)).toEqual([first, second]);
  });

  test("updateMessages sets and unsets read and delivered marks of others' messages, on both sides of the watermark", async () => {
    const { alice, bob, dialogId } = await group();
    const ids = await sendMany(alice, dialogId, 4);
    const [a, b] = [alice.id, bob.id];
    const steps: [nths: number[], input: object, readers: number[][], receivers: number[][], left: number][] = [
      [[2], { read: true }, [[a], [a], [a, b], [a]], [[a], [a], [a], [a]], 3],
      [[0, 1], { delivered: true }, [[a], [a], [a, b], [a]], [[a, b], [a, b], [a], [a]], 3],
      [
        [0, 1, 3],
        { read: true },
        [
          [a, b],
          [a, b],
          [a, b],
          [a, b],
        ],
        [[a, b], [a, b], [a], [a]],
        0,
      ],
      [[1], { read: false }, [[a, b], [a], [a, b], [a, b]], [[a, b], [a, b], [a], [a]], 1],
      [[1], { delivered: false }, [[a, b], [a], [a, b], [a, b]], [[a, b], [a], [a], [a]], 1],
      [[0, 2], { read: false, delivered: false }, [[a], [a], [a], [a, b]], [[a], [a], [a], [a]], 3],
      [[0, 1, 2, 3], { read: true, delivered: true }, Array(4).fill([a, b]), Array(4).fill([a, b]), 0],
    ];
    for (const [nths, input, readers, receivers, left] of steps) {
      const marked = nths.map((nth) => ids[nth]!);
      const answered = await update(bob, marked, input);
      const now = await seen(alice, dialogId);
      expect(now).toEqual(ids.map((id, nth) => ({ id, readIds: readers[nth], deliveredIds: receivers[nth] })));
      expect(answered).toMatchObject(now.filter(({ id }) => marked.includes(id)));
      expect(await unread(bob, dialogId)).toBe(left);
      await expectCounted(dialogId);
    }
    expect(await sql('SELECT FROM message_marks WHERE dialog_id = $1', [dialogId])).toEqual([]);
  });

  test('updateMessages marks own messages, which are never unread', async () => {
    const { alice, bob, dialogId } = await group();
    const [first, second] = (await sendMany(alice, dialogId, 2)) as [string, string];
    await update(alice, [first], { read: false });
    await update(alice, [second], { delivered: false });
    expect(await seen(bob, dialogId)).toEqual([
      { id: first, readIds: [], deliveredIds: [alice.id] },
      { id: second, readIds: [alice.id], deliveredIds: [] },
    ]);
    expect(await unread(alice, dialogId)).toBe(0);
    await expectCounted(dialogId);
    await update(alice, [first, second], { read: true, delivered: true });
    expect((await seen(bob, dialogId)).map(({ readIds }) => readIds)).toEqual([[alice.id], [alice.id]]);
  });

  test('updateMessages changes nothing when one part is rejected', async () => {
    const { alice, bob, dialogId } = await group();
    const own = await send(bob, dialogId, 'own');
    const other = await send(alice, dialogId, 'other');
    const refused = (input: object) => errorOf(UPDATE, { ids: [own, other], input }, bob);
    expect(await refused({ text: 'x', read: true })).toMatchObject({ code: 'FORBIDDEN' });
    expect(await refused({ text: ' ', read: true })).toMatchObject({ code: 'FORBIDDEN' });
    expect(await errorOf(UPDATE, { ids: [own], input: { text: ' ', read: false } }, bob)).toEqual({
      message: "Message can't be blank",
      code: 'UNPROCESSABLE',
    });
    expect(await seen(alice, dialogId)).toMatchObject([{ readIds: [bob.id] }, { readIds: [alice.id] }]);
    expect((await dialogAs(alice, dialogId)).lastMessage).toBe('other');
  });
});

describe('markDialogMessages', () => {
  test('markDialogMessages marks all messages for the caller, including own ones, and later messages are new', async () => {
    const { alice, bob, carol, dialogId } = await group();
    const first = await send(alice, dialogId, '1');
    const second = await send(bob, dialogId, '2');
    const [a, b] = [alice.id, bob.id];
    const steps: [mark: object, readers: number[][], receivers: number[][], left: number][] = [
      [{ read: true }, [[a, b], [b]], [[a], [b]], 0],
      [{ delivered: true }, [[a, b], [b]], [[a, b], [b]], 0],
      [{ read: false }, [[a], []], [[a, b], [b]], 1],
      [{ delivered: false, read: true }, [[a, b], [b]], [[a], []], 0],
      [{ read: false, delivered: true }, [[a], []], [[a, b], [b]], 1],
    ];
    for (const [mark, readers, receivers, left] of steps) {
      await markAll(bob, dialogId, mark);
      expect(await seen(carol, dialogId)).toEqual([
        { id: first, readIds: readers[0], deliveredIds: receivers[0] },
        { id: second, readIds: readers[1], deliveredIds: receivers[1] },
      ]);
      expect([await unread(bob, dialogId), await unread(carol, dialogId)]).toEqual([left, 2]);
      await expectCounted(dialogId);
    }
    await send(bob, dialogId, '3');
    await send(alice, dialogId, '4');
    expect((await seen(carol, dialogId)).map(({ readIds }) => readIds)).toEqual([[a], [], [b], [a]]);
    expect(await unread(bob, dialogId)).toBe(2);
  });

  test('markDialogMessages leaves hidden messages settled', async () => {
    const { alice, bob, dialogId } = await group();
    const [first] = (await sendMany(alice, dialogId, 3)) as [string];
    await hide(bob, [first]);
    expect(await unread(bob, dialogId)).toBe(2);
    await markAll(bob, dialogId, { read: true });
    await markAll(bob, dialogId, { read: false });
    expect(await unread(bob, dialogId)).toBe(2);
    await expectCounted(dialogId);
  });

  test('markDialogMessages marks nothing in public groups', async () => {
    const { alice, bob } = await group();
    const dialogId = await createDialog(alice, [], 'PUBLIC_GROUP');
    const id = await send(alice, dialogId, 'x');
    for (const as of [alice, bob]) {
      await markAll(as, dialogId, { read: true, delivered: true });
      await update(as, [id], { read: true, delivered: true });
    }
    expect(await seen(bob, dialogId)).toEqual([{ id, readIds: [], deliveredIds: [] }]);
    expect(await sql('SELECT FROM message_marks WHERE dialog_id = $1', [dialogId])).toEqual([]);
  });
});

describe('deleteMessages without force', () => {
  test('deleteMessages hides the message in every view of the caller and of no other user', async () => {
    const { alice, bob, carol, dialogId } = await group();
    const ids = (await sendMany(alice, dialogId, 3)) as [string, string, string];
    const last = ids[2];
    await execute('mutation ($id: ID!) { addReaction(messageId: $id, name: "like") { id } }', { id: last }, bob);
    expect(await hide(bob, [last])).toEqual({ deletedIds: [last], notFoundIds: [], wrongPermissionsIds: [] });

    expect(await seenIds(bob, dialogId)).toEqual(ids.slice(0, 2));
    expect(await dialogAs(bob, dialogId)).toMatchObject({ unreadMessagesCount: 2, lastMessageId: ids[1] });
    const { unreadCounts } = await execute('{ unreadCounts { total } }', {}, bob);
    expect(unreadCounts.total).toBe(2);
    for (const [document, variables] of [
      ['query ($id: ID!) { message(id: $id) { id } }', {}],
      ['query ($id: ID!) { reactions(messageId: $id) { name } }', {}],
      ['mutation ($id: ID!) { removeReaction(messageId: $id, name: "like") { id } }', {}],
      [UPDATE, { ids: [last], input: { read: true } }],
      [DELETE, { ids: [last], force: false }],
    ] as const) {
      expect(await errorOf(document, { id: last, ...variables }, bob)).toMatchObject({ code: 'NOT_FOUND' });
    }

    for (const other of [alice, carol, apiKey]) {
      expect(await seenIds(other, dialogId)).toEqual(ids);
      expect((await dialogAs(other, dialogId)).lastMessageId).toBe(last);
    }
    expect(await unread(carol, dialogId)).toBe(3);
    await expectCounted(dialogId);
  });

  test.each(['read', 'marked as unread again', 'own'])('hiding counts a message once that was %s', async (state) => {
    const { alice, bob, dialogId } = await group();
    const id = await send(state === 'own' ? bob : alice, dialogId, 'x');
    await send(alice, dialogId, 'y');
    if (state !== 'own') await update(bob, [id], { read: true });
    if (state === 'marked as unread again') await update(bob, [id], { read: false });
    await hide(bob, [id]);
    expect(await unread(bob, dialogId)).toBe(1);
    await expectCounted(dialogId);
    await retract(apiKey, [id]);
    expect(await unread(bob, dialogId)).toBe(1);
    await expectCounted(dialogId);
  });
});

describe('deleteMessages with force', () => {
  test('deleteMessages deletes the message with its dependent rows for all, and its seq stays unused', async () => {
    const { alice, bob, carol, dialogId } = await group();
    const ids = (await sendMany(alice, dialogId, 4)) as [string, string, string, string];
    const [, second, third, last] = ids;
    await update(bob, [third], { read: true });
    await hide(carol, [third]);
    await execute('mutation ($id: ID!) { addReaction(messageId: $id, name: "like") { id } }', { id: last }, bob);
    expect(await retract(alice, [last, third])).toEqual({
      deletedIds: [last, third],
      notFoundIds: [],
      wrongPermissionsIds: [],
    });
    for (const viewer of [alice, bob, carol, apiKey]) {
      expect(await seenIds(viewer, dialogId)).toEqual(ids.slice(0, 2));
      expect((await dialogAs(viewer, dialogId)).lastMessageId).toBe(second);
    }
    expect([await unread(alice, dialogId), await unread(bob, dialogId), await unread(carol, dialogId)]).toEqual([
      0, 2, 2,
    ]);
    await expectCounted(dialogId);

    await send(bob, dialogId, 'next');
    const places = await sql<{ seq: number }>('SELECT seq FROM messages WHERE dialog_id = $1 ORDER BY seq', [dialogId]);
    expect(places.map(({ seq }) => seq)).toEqual([1, 2, 5]);
    await retract(apiKey, await seenIds(apiKey, dialogId));
    expect(await dialogAs(alice, dialogId)).toMatchObject({
      lastMessage: null,
      lastMessageId: null,
      unreadMessagesCount: 0,
    });
    await expectCounted(dialogId);
  });

  test('deleting earlier messages does not change the read state of later ones', async () => {
    const { alice, bob, dialogId } = await group();
    const ids = (await sendMany(alice, dialogId, 5)) as [string, string, string, string, string];
    await update(bob, [ids[0], ids[1], ids[3]], { read: true, delivered: true });
    await retract(alice, [ids[1], ids[2]]);
    expect((await seen(alice, dialogId)).map(({ readIds }) => readIds.includes(bob.id))).toEqual([true, true, false]);
    expect(await unread(bob, dialogId)).toBe(1);
    await expectCounted(dialogId);
  });
});

describe('former members', () => {
  test('former members cannot read, change or delete messages, keep their read state, and have correct counts on return', async () => {
    const { alice, bob, carol, dialogId } = await group();
    const ids = (await sendMany(alice, dialogId, 3)) as [string, string, string];
    const own = await send(bob, dialogId, 'own');
    await update(bob, [ids[0]], { read: true });
    await execute(UPDATE_DIALOG, { id: dialogId, input: { removeOccupantIds: [bob.id] } }, bob);

    expect(await errorOf(UPDATE, { ids: [own], input: { text: 'x' } }, bob)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await errorOf(UPDATE, { ids: [own], input: { read: true } }, bob)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await errorOf(MARK_ALL, { dialogId, read: true }, bob)).toMatchObject({ code: 'FORBIDDEN' });
    const nothing = { deletedIds: [], notFoundIds: [], wrongPermissionsIds: [own] };
    expect([await hide(bob, [own]), await retract(bob, [own])]).toEqual([nothing, nothing]);
    expect((await seen(carol, dialogId)).map(({ readIds }) => readIds.includes(bob.id))).toEqual([
      true,
      false,
      false,
      true,
    ]);

    await retract(alice, [ids[1]]);
    await expectCounted(dialogId);
    await execute(UPDATE_DIALOG, { id: dialogId, input: { addOccupantIds: [bob.id] } }, carol);
    await expectCounted(dialogId);
    expect(await retract(bob, [own])).toMatchObject({ deletedIds: [own] });
    await expectCounted(dialogId);
  });
});

test('admins of a public group have no counters', async () => {
  const [owner, admin] = await quickUsers(2);
  const dialogId = await createDialog(owner!, [], 'PUBLIC_GROUP');
  await execute(UPDATE_DIALOG, { id: dialogId, input: { addAdminIds: [admin!.id] } }, owner!);
  const [hidden, retracted] = await sendMany(admin!, dialogId, 2);
  await execute(DELETE, { ids: [hidden], force: false }, admin!);
  await execute(DELETE, { ids: [hidden, retracted], force: true }, admin!);
  expect(await sql('SELECT settled_count, sent_count FROM members WHERE dialog_id = $1', [dialogId])).toEqual([
    { settled_count: 0, sent_count: 0 },
  ]);
});

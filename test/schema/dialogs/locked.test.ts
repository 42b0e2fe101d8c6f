import { describe, expect, onTestFinished, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { expectCounted } from '../../support/app/integrity.ts';
import { ownConnection, sql } from '../../support/app/sql.ts';
import { until } from '../../support/app/until.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { rest } from '../../support/clients/rest.ts';
import { createDialog, execute, type QuickUser, quickUsers, send, sendMany } from '../../support/fixtures/chat.ts';

useApp();

const MANY = 30;

interface Chat {
  alice: QuickUser;
  bob: QuickUser;
  locked: string;
  free: string;
}

async function twoDialogs(): Promise<Chat> {
  const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
  return { alice, bob, locked: await createDialog(alice, [bob]), free: await createDialog(bob, [alice]) };
}

/** Locks the dialog in another transaction until it is released or the test ends. */
async function lock(dialogId: string): Promise<{ release: () => Promise<unknown> }> {
  const holder = await ownConnection();
  onTestFinished(() => holder.end());
  await holder.query('BEGIN');
  await holder.query('SELECT FROM dialogs WHERE id = $1 FOR UPDATE', [dialogId]);
  return { release: () => holder.query('ROLLBACK') };
}

const isWaiting = async () =>
  (await sql("SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")).length >
  0;

const textsOf = (dialogId: string) =>
  sql<{ seq: number; text: string }>('SELECT seq, text FROM messages WHERE dialog_id = $1 ORDER BY seq', [dialogId]);

describe('while a dialog is locked', () => {
  test('messages to a locked dialog wait in order, and messages to other dialogs do not wait', async () => {
    const { alice, bob, locked, free } = await twoDialogs();
    const { release } = await lock(locked);
    let stored = 0;
    const waiting = Array.from({ length: MANY }, async (_, nth) => {
      await send(alice, locked, `message ${nth + 1}`);
      stored++;
    });
    await until(isWaiting);
    await sendMany(bob, free, 10);
    expect((await rest('GET', `/users/${alice.id}`, { as: bob })).status).toBe(200);
    expect(stored).toBe(0);
    await release();
    await Promise.all(waiting);
    const seqs = (await textsOf(locked)).map(({ seq }) => seq);
    expect(seqs).toEqual(Array.from({ length: MANY }, (_, nth) => nth + 1));
    await expectCounted(locked);
    await expectCounted(free);
  });

  test('messages of one connection are stored in the order of sending', async () => {
    const { alice, locked } = await twoDialogs();
    const { release } = await lock(locked);
    const fields = Array.from(
      { length: MANY },
      (_, nth) => `m${nth}: sendMessage(input: { dialogId: "${locked}", text: "${nth}" }) { id }`,
    );
    const sending = [0, 10, 20].map((from) =>
      graphql(`mutation { ${fields.slice(from, from + 10).join(' ')} }`, {}, alice),
    );
    await until(isWaiting);
    await release();
    for (const { errors } of await Promise.all(sending)) expect(errors).toBeUndefined();
    const texts = (await textsOf(locked)).map(({ text }) => Number(text));
    for (const from of [0, 10, 20]) {
      const own = texts.filter((text) => text >= from && text < from + 10);
      expect(own).toEqual([...own].sort((a, b) => a - b));
    }
  });

  test('a message with an idempotency key is stored once, even when it is sent repeatedly during the lock', async () => {
    const { alice, locked } = await twoDialogs();
    const { release } = await lock(locked);
    const input = { dialogId: locked, text: 'once', clientId: 'key-1' };
    const again = () =>
      execute('mutation ($input: SendMessageInput!) { sendMessage(input: $input) { id } }', { input }, alice);
    const sending = Array.from({ length: MANY }, again);
    await until(isWaiting);
    await release();
    const ids = (await Promise.all(sending)).map(({ sendMessage }) => sendMessage.id);
    expect(new Set(ids).size).toBe(1);
    expect(await textsOf(locked)).toHaveLength(1);
  });

  test('waiting marks, edits, reactions and deletions do not use up the connections of other requests', async () => {
    const { alice, bob, locked, free } = await twoDialogs();
    const ids = await sendMany(alice, locked, 3);
    const others = await sendMany(alice, free, 3);
    const { release } = await lock(locked);
    const [id] = ids;
    const deeds: [string, QuickUser][] = [
      [`mutation { updateMessages(ids: ["${id}"], input: { read: true }) { id } }`, bob],
      [`mutation { updateMessages(ids: ["${id}"], input: { text: "edited" }) { id } }`, alice],
      [`mutation { markDialogMessages(dialogId: "${locked}", read: true) }`, bob],
      [`mutation { readMessages(dialogId: "${locked}") { items { id } } }`, bob],
      [`mutation { addReaction(messageId: "${id}", name: "like") { id } }`, bob],
      [`mutation { changeReactions(messageId: "${id}", add: "heart") { id } }`, bob],
      [`mutation { updateDialog(id: "${locked}", input: { name: "Other" }) { id } }`, alice],
      [`mutation { updateDialogNotifications(dialogId: "${locked}", enabled: false) { enabled } }`, bob],
      [`mutation { deleteMessages(ids: ["${ids[2]}"], force: true) { deletedIds } }`, alice],
    ];
    const waiting = [...deeds, ...deeds, ...deeds].map(([document, as]) => graphql(document, {}, as));
    await until(isWaiting);
    for (const other of others) {
      await execute(`mutation { updateMessages(ids: ["${other}"], input: { read: true }) { id } }`, {}, bob);
      await execute(`mutation { addReaction(messageId: "${other}", name: "like") { id } }`, {}, bob);
      await send(bob, free, 'beside');
    }
    await release();
    const codes = (await Promise.all(waiting)).flatMap(
      ({ errors }) => errors?.map((one) => one.extensions?.code) ?? [],
    );
    // Two of the deletions find no message left.
    expect(codes).toEqual(['NOT_FOUND', 'NOT_FOUND']);
    await expectCounted(locked);
  });

  test('at most 1,000 operations on a locked dialog wait, and the next one is rejected immediately', async () => {
    const { alice, locked } = await twoDialogs();
    const { release } = await lock(locked);
    const answers = Array.from({ length: 1_100 }, () =>
      graphql(`mutation { sendMessage(input: { dialogId: "${locked}", text: "x" }) { id } }`, {}, alice),
    );
    const refused = await Promise.any(
      answers.map(async (answer) => {
        const { errors } = await answer;
        if (!errors) throw new Error('not refused');
        return errors[0]!.message;
      }),
    );
    expect(refused).toBe('Service unavailable');
    await release();
    const stored = (await Promise.all(answers)).filter(({ errors }) => !errors).length;
    expect(await textsOf(locked)).toHaveLength(stored);
    await expectCounted(locked);
  });
});

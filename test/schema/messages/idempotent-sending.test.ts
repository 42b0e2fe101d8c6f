import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { running, useApp } from '../../support/app/app.ts';
import { expectCounted } from '../../support/app/integrity.ts';
import { createDataDir, type Service, startService } from '../../support/app/service.ts';
import { sql, whileDialogIsLocked } from '../../support/app/sql.ts';
import { subscribe } from '../../support/clients/graphql.ts';
import { rest } from '../../support/clients/rest.ts';
import {
  createDialog,
  errorOf,
  execute,
  MESSAGE_SENT,
  type QuickUser,
  quickUsers,
  send,
} from '../../support/fixtures/chat.ts';
import { type Caller, onBehalfOf } from '../../support/fixtures/users.ts';

useApp();

let second: Service;
let removeData: () => Promise<void>;
beforeAll(async () => {
  const { dataDir, remove } = await createDataDir();
  removeData = remove;
  second = await startService(dataDir, { DATABASE_URL: String(running.database.config.connectionString) });
}, 60_000);
afterAll(async () => {
  await second.stop();
  await removeData();
});

const SEND = `mutation ($input: SendMessageInput!) {
  sendMessage(input: $input) { id dialogId text senderId readIds dateSent reactions { name } } }`;
const KEY_TOO_LONG = 'clientId is too long (maximum is 255 characters)';

const sendAs = async (as: Caller, input: object) => (await execute(SEND, { input }, as)).sendMessage;
const refused = (as: Caller, input: object) => errorOf(SEND, { input }, as);
const post = (as: Caller, key: string, json: object) =>
  rest('POST', '/chat/Message.json', { as, json, headers: { 'Idempotency-Key': key } });

async function pair(): Promise<{ alice: QuickUser; bob: QuickUser; dialogId: string }> {
  const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
  return { alice, bob, dialogId: await createDialog(alice, [bob]) };
}

const stored = (dialogId: string) =>
  sql<{ id: string; text: string }>('SELECT id, text FROM messages WHERE dialog_id = $1 ORDER BY seq', [dialogId]);

async function unread(as: Caller, dialogId: string): Promise<number> {
  const { dialog } = await execute(
    'query ($id: ID!) { dialog(id: $id) { unreadMessagesCount } }',
    { id: dialogId },
    as,
  );
  return dialog.unreadMessagesCount;
}

describe('sending a message again with its key', () => {
  test('sending again returns the stored message on every transport, even with other content', async () => {
    const { alice, bob, dialogId } = await pair();
    const elsewhere = await createDialog(alice, [bob]);
    const received = await subscribe(MESSAGE_SENT, { dialogId }, bob);
    const first = await sendAs(alice, { dialogId, text: 'first', clientId: 'k' });
    expect(await sendAs(alice, { dialogId, text: 'first', clientId: 'k' })).toEqual(first);
    expect(await sendAs(alice, { dialogId: elsewhere, text: 'other', clientId: 'k' })).toEqual(first);
    const again = await post(alice, ' k ', { chat_dialog_id: dialogId, message: 'first', markable: 1 });
    expect([again.status, again.body]).toMatchObject([201, { _id: first.id, message: 'first', markable: 1 }]);

    expect(await stored(dialogId)).toEqual([{ id: first.id, text: 'first' }]);
    expect(await stored(elsewhere)).toEqual([]);
    expect(await unread(bob, dialogId)).toBe(1);
    await expectCounted(dialogId);
    const last = await send(alice, dialogId, 'last');
    const events = [await received.next(), await received.next()];
    expect(events.map(({ messageSent }) => messageSent.message.id)).toEqual([first.id, last]);
    await received.close();
  });

  test('sending again returns the current state of the message', async () => {
    const { alice, bob, dialogId } = await pair();
    const { id } = await sendAs(alice, { dialogId, text: 'old', clientId: 'k' });
    await execute(`mutation { updateMessages(ids: ["${id}"], input: { text: "new" }) { id } }`, {}, alice);
    await execute(`mutation { updateMessages(ids: ["${id}"], input: { read: true }) { id } }`, {}, bob);
    await execute(`mutation { addReaction(messageId: "${id}", name: "like") { id } }`, {}, bob);
    expect(await sendAs(alice, { dialogId, text: 'old', clientId: 'k' })).toMatchObject({
      id,
      text: 'new',
      readIds: [alice.id, bob.id],
      reactions: [{ name: 'like' }],
    });
  });

  test('20 concurrent attempts on two processes store the message once', async () => {
    const { alice, bob, dialogId } = await pair();
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, nth) => {
        const response = await fetch(`${nth % 2 ? second.url : running.url}/chat/Message.json`, {
          method: 'POST',
          headers: { ...alice.headers, 'Content-Type': 'application/json', 'Idempotency-Key': 'k' },
          body: JSON.stringify({ chat_dialog_id: dialogId, message: 'once' }),
        });
        return { status: response.status, ...((await response.json()) as object) };
      }),
    );
    const [once, ...others] = await stored(dialogId);
    const answer = expect.objectContaining({ status: 201, _id: once!.id, message: 'once' });
    expect(answers).toEqual(Array(20).fill(answer));
    expect(others).toEqual([]);
    expect(await unread(bob, dialogId)).toBe(1);
    const events = await sql("SELECT FROM events_outbox WHERE dialog_id = $1 AND kind = 'messageSent'", [dialogId]);
    expect(events).toHaveLength(1);
    await expectCounted(dialogId);
  });

  test('many keys in many dialogs on two processes cause no deadlock', async () => {
    const { alice, bob, dialogId } = await pair();
    const dialogs = [dialogId, await createDialog(bob, [alice]), await createDialog(alice, [bob])];
    const answers = await Promise.all(
      Array.from({ length: 120 }, async (_, nth) => {
        const response = await fetch(`${nth % 2 ? second.url : running.url}/graphql`, {
          method: 'POST',
          headers: { ...(nth % 3 ? alice : bob).headers, 'Content-Type': 'application/json' },
          body: JSON.stringify({
            query: SEND,
            variables: { input: { dialogId: dialogs[(nth * 7) % 3], text: 'x', clientId: `k${(nth * 11) % 5}` } },
          }),
        });
        return ((await response.json()) as { errors?: unknown }).errors;
      }),
    );
    expect(answers).toEqual(Array(120).fill(undefined));
    const all = await Promise.all(dialogs.map(stored));
    expect(all.flat()).toHaveLength(10);
    for (const id of dialogs) await expectCounted(id);
  });

  test('a key repeated within one batch stores the message once', async () => {
    const { alice, bob, dialogId } = await pair();
    const input = (clientId: string, text: string) =>
      `input: { dialogId: "${dialogId}", text: "${text}", clientId: "${clientId}" }`;
    const batch = (as: Caller) =>
      Promise.all(
        Array.from({ length: 10 }, (_, nth) =>
          execute(`mutation { sendMessage(${input(`k${nth % 2}`, String(nth % 2))}) { id senderId text } }`, {}, as),
        ),
      );
    const answers = (await Promise.all([batch(alice), batch(bob)])).flat().map(({ sendMessage }) => sendMessage);
    expect(new Set(answers.map(({ id }) => id)).size).toBe(4);
    expect(new Set(answers.map(({ senderId, text }) => `${senderId} ${text}`)).size).toBe(4);
    expect(await stored(dialogId)).toHaveLength(4);
    expect(await unread(bob, dialogId)).toBe(2);
    await expectCounted(dialogId);
  });

  test('concurrent attempts to a recipient create the private dialog once', async () => {
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const input = { recipientId: bob.id, text: 'hi', clientId: 'k' };
    const answers = await Promise.all(Array.from({ length: 10 }, () => sendAs(alice, input)));
    expect(new Set(answers.map(({ id, dialogId }) => `${id} ${dialogId}`)).size).toBe(1);
    expect(await stored(answers[0].dialogId)).toHaveLength(1);
    expect(await unread(bob, answers[0].dialogId)).toBe(1);
  });

  test('a deleted message is not stored again, whether it was deleted for the sender or for all', async () => {
    const { alice, dialogId } = await pair();
    for (const force of [false, true]) {
      const input = { dialogId, text: 'x', clientId: `force ${force}` };
      const { id } = await sendAs(alice, input);
      await execute(`mutation { deleteMessages(ids: ["${id}"], force: ${force}) { deletedIds } }`, {}, alice);
      const before = await stored(dialogId);
      expect(await refused(alice, input)).toMatchObject({ code: 'NOT_FOUND' });
      expect((await post(alice, input.clientId, { chat_dialog_id: dialogId, message: 'x' })).status).toBe(404);
      expect(await stored(dialogId)).toEqual(before);
    }
  });

  test('a former member is refused, and stores the message once after returning', async () => {
    const { alice, bob, dialogId } = await pair();
    const input = { dialogId, text: 'x', clientId: 'k' };
    const first = await sendAs(bob, input);
    const change = (part: string, as: Caller) =>
      execute(`mutation { updateDialog(id: "${dialogId}", input: { ${part}: [${bob.id}] }) { id } }`, {}, as);
    await change('removeOccupantIds', bob);
    expect(await refused(bob, input)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await refused(bob, { ...input, dialogId: await createDialog(bob, [alice]) })).toMatchObject({
      code: 'FORBIDDEN',
    });
    await change('addOccupantIds', alice);
    expect(await sendAs(bob, input)).toEqual(first);
    expect(await stored(dialogId)).toHaveLength(1);
  });
});

describe('idempotency keys', () => {
  test('keys of different users are independent', async () => {
    const { alice, bob, dialogId } = await pair();
    const sent = [alice, bob].map((as) => sendAs(as, { dialogId, text: `of ${as.id}`, clientId: 'k' }));
    const [hers, his] = await Promise.all(sent);
    expect([hers.senderId, his.senderId]).toEqual([alice.id, bob.id]);
    expect(await stored(dialogId)).toHaveLength(2);
  });

  test('keys of up to 255 characters are distinguished by every character, and an empty key counts as none', async () => {
    const { alice, dialogId } = await pair();
    const keys = ['k', 'K', 'k ', '😀'.repeat(255), 'k'.repeat(255), "'; --", '__proto__'];
    for (const clientId of keys) await sendAs(alice, { dialogId, text: 'x', clientId });
    for (const clientId of [...keys, ...keys]) await sendAs(alice, { dialogId, text: 'x', clientId });
    expect(await stored(dialogId)).toHaveLength(keys.length);
    for (const clientId of ['', '', null]) await sendAs(alice, { dialogId, text: 'x', clientId });
    expect(await stored(dialogId)).toHaveLength(keys.length + 3);
    await post(alice, '', { chat_dialog_id: dialogId, message: 'x' });
    await post(alice, '  ', { chat_dialog_id: dialogId, message: 'x' });
    expect(await stored(dialogId)).toHaveLength(keys.length + 5);
  });

  test('a key of 256 characters is rejected together with other errors', async () => {
    const { alice, dialogId } = await pair();
    const clientId = 'k'.repeat(256);
    expect(await refused(alice, { dialogId, text: 'x', clientId })).toMatchObject({
      message: KEY_TOO_LONG,
      code: 'UNPROCESSABLE',
    });
    const { status, body } = await post(alice, clientId, { chat_dialog_id: dialogId });
    expect([status, body]).toEqual([422, { errors: [KEY_TOO_LONG, "Message can't be blank"] }]);
    expect(await refused(alice, { dialogId, text: 'x', clientId: 'a\0b' })).toMatchObject({ code: 'BAD_USER_INPUT' });
    expect(await stored(dialogId)).toEqual([]);
  });

  test('a key can be used again after a rejected attempt', async () => {
    const { alice, bob, dialogId } = await pair();
    const [mallory] = (await quickUsers(1)) as [QuickUser];
    const others = await createDialog(bob, [mallory]);
    for (const [nth, bad] of [
      { dialogId },
      { dialogId: '0'.repeat(24), text: 'x' },
      { dialogId: others, text: 'x' },
      { recipientId: 2_000_000_000, text: 'x' },
    ].entries()) {
      const clientId = `k${nth}`;
      await refused(alice, { ...bad, clientId });
      expect(await sendAs(alice, { dialogId, text: clientId, clientId })).toMatchObject({ text: clientId });
    }
    expect(await stored(dialogId)).toHaveLength(4);
  });

  test('a key can be used again when its dialog is deleted during the attempt', async () => {
    const { alice, bob, dialogId } = await pair();
    const vanishing = await createDialog(alice, [bob]);
    const answer = await whileDialogIsLocked(vanishing, 'DELETE FROM dialogs WHERE id = $1', () =>
      refused(alice, { dialogId: vanishing, text: 'x', clientId: 'k' }),
    );
    expect(answer).toMatchObject({ code: 'NOT_FOUND' });
    expect(await stored(vanishing)).toEqual([]);
    expect(await sendAs(alice, { dialogId, text: 'y', clientId: 'k' })).toMatchObject({ text: 'y' });
  });

  test('deleting a user deletes their keys', async () => {
    const { alice, bob, dialogId } = await pair();
    await sendAs(bob, { dialogId, text: 'x', clientId: 'k' });
    await sendAs(alice, { dialogId, text: 'x', clientId: 'k' });
    await rest('DELETE', `/users/${bob.id}`, { as: onBehalfOf(bob) });
    const keys = await sql<{ user_id: number }>('SELECT user_id FROM message_keys WHERE user_id = ANY($1)', [
      [alice.id, bob.id],
    ]);
    expect(keys).toEqual([{ user_id: alice.id }]);
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { running, useApp } from '../../support/app/app.ts';
import { expectCounted } from '../../support/app/integrity.ts';
import { createDataDir, type Service, startService } from '../../support/app/service.ts';
import { sql } from '../../support/app/sql.ts';
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
import type { Caller } from '../../support/fixtures/users.ts';

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
  sendMessage(input: $input) { id clientId dialogId text senderId } }`;
const FIND = 'query ($id: ID!, $senderId: Int) { message(id: $id, senderId: $senderId) { id clientId } }';
const TAKEN = { message: 'id belongs to another message', code: 'UNPROCESSABLE' };

const sendAs = async (as: Caller, input: object) => (await execute(SEND, { input }, as)).sendMessage;
const refused = (as: Caller, input: object) => errorOf(SEND, { input }, as);

let chosen = 0;
/** By a clock that is hours ahead. */
const chosenId = () => `7fffffff${String(++chosen).padStart(16, '0')}`;

async function pair(): Promise<{ alice: QuickUser; bob: QuickUser; dialogId: string }> {
  const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
  return { alice, bob, dialogId: await createDialog(alice, [bob]) };
}

const stored = (dialogId: string) =>
  sql<{ id: string; client_id: string | null }>(
    'SELECT id, client_id FROM messages WHERE dialog_id = $1 ORDER BY seq',
    [dialogId],
  );

describe('a message with an id that the client chose', () => {
  test('24 hex digits become its id, and sending again stores and delivers nothing', async () => {
    const { alice, bob, dialogId } = await pair();
    const id = chosenId();
    const received = await subscribe(MESSAGE_SENT, { dialogId }, bob);
    const first = await sendAs(alice, { id, dialogId, text: 'first' });
    expect(first).toEqual({ id, clientId: null, dialogId, text: 'first', senderId: alice.id });
    expect(await sendAs(alice, { id, dialogId, text: 'other' })).toEqual(first);
    expect(await sendAs(alice, { id, clientId: 'key', dialogId, text: 'other' })).toEqual(first);
    const found = await rest('GET', `/chat/Message/${id}`, { as: bob });
    expect([found.status, found.body]).toMatchObject([200, { _id: id, message: 'first' }]);

    const last = await send(alice, dialogId, 'last');
    const events = [await received.next(), await received.next()];
    expect(events.map(({ messageSent }) => messageSent.message.id)).toEqual([id, last]);
    await received.close();
    expect(await stored(dialogId)).toEqual([
      { id, client_id: null },
      { id: last, client_id: null },
    ]);
    await expectCounted(dialogId);
  });

  test('the id of another message is refused in every dialog, also to its sender', async () => {
    const { alice, bob, dialogId } = await pair();
    const elsewhere = await createDialog(alice, [bob]);
    const id = chosenId();
    await sendAs(alice, { id, dialogId, text: 'mine' });
    const assigned = await send(alice, dialogId, 'assigned');
    expect(await refused(bob, { id, dialogId, text: 'x' })).toEqual(TAKEN);
    expect(await refused(bob, { id, recipientId: alice.id, text: 'x' })).toEqual(TAKEN);
    expect(await refused(alice, { id, dialogId: elsewhere, text: 'x' })).toEqual(TAKEN);
    expect(await refused(alice, { id, recipientId: bob.id, text: 'x' })).toEqual(TAKEN);
    expect(await refused(alice, { id: assigned, dialogId, text: 'x' })).toEqual(TAKEN);
    expect(await stored(dialogId)).toHaveLength(2);
    expect(await stored(elsewhere)).toEqual([]);
  });

  test('a retry to a user finds the message and creates no second dialog', async () => {
    const { alice, bob } = await pair();
    const input = { id: chosenId(), recipientId: bob.id, text: 'hi' };
    const first = await sendAs(alice, input);
    expect(await sendAs(alice, input)).toEqual(first);
    expect(await sendAs(alice, { ...input, recipientId: null, dialogId: first.dialogId })).toEqual(first);
    await execute(`mutation { deleteMessages(ids: ["${input.id}"], force: true) { deletedIds } }`, {}, alice);
    expect(await refused(alice, input)).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('concurrent attempts of two senders on two processes store one message', async () => {
    const { alice, bob, dialogId } = await pair();
    const id = chosenId();
    const answers = await Promise.all(
      Array.from({ length: 24 }, async (_, nth) => {
        const response = await fetch(`${nth % 3 ? second.url : running.url}/graphql`, {
          method: 'POST',
          headers: { ...(nth % 2 ? alice : bob).headers, 'Content-Type': 'application/json' },
          body: JSON.stringify({ query: SEND, variables: { input: { id, dialogId, text: 'once' } } }),
        });
        const { data, errors } = (await response.json()) as {
          data: { sendMessage: { senderId: number } } | null;
          errors?: { message: string }[];
        };
        return { isAlice: nth % 2 === 1, sender: data?.sendMessage?.senderId, error: errors?.[0]?.message };
      }),
    );
    const winner = answers.find(({ sender }) => sender !== undefined)!.sender;
    for (const { isAlice, sender, error } of answers) {
      const isWinner = isAlice === (winner === alice.id);
      expect([sender, error]).toEqual(isWinner ? [winner, undefined] : [undefined, TAKEN.message]);
    }
    expect(await stored(dialogId)).toEqual([{ id, client_id: null }]);
    await expectCounted(dialogId);
  });

  test('another text is stored beside an assigned id, and finds the message of its sender', async () => {
    const { alice, bob, dialogId } = await pair();
    const [mallory] = (await quickUsers(1)) as [QuickUser];
    const texts = ['x7', 'K'.repeat(255), 'ABCDEFABCDEFABCDEFABCDEF', '😀'];
    for (const id of texts) {
      const sent = await sendAs(alice, { id, dialogId, text: 'x' });
      expect(sent).toMatchObject({ id: expect.stringMatching(/^[0-9a-f]{24}$/), clientId: id });
      expect(await sendAs(alice, { id, dialogId, text: 'again' })).toEqual(sent);
      for (const given of [id, sent.id]) {
        const { message } = await execute(FIND, { id: given, senderId: alice.id }, bob);
        expect(message).toEqual({ id: sent.id, clientId: id });
      }
      expect(await errorOf(FIND, { id, senderId: bob.id }, bob)).toMatchObject({ code: 'NOT_FOUND' });
      expect(await errorOf(FIND, { id, senderId: -1 }, bob)).toMatchObject({ code: 'NOT_FOUND' });
      expect(await errorOf(FIND, { id, senderId: alice.id }, mallory)).toMatchObject({ code: 'FORBIDDEN' });
    }
    expect(await stored(dialogId)).toHaveLength(texts.length);
    expect(await sendAs(bob, { id: 'x7', dialogId, text: 'of Bob' })).toMatchObject({ senderId: bob.id });
  });

  test('ids that are empty or too long are refused', async () => {
    const { alice, dialogId } = await pair();
    for (const id of ['', 'k'.repeat(256)]) {
      const refusal = { message: 'id should have 1 to 255 characters', code: 'UNPROCESSABLE' };
      expect(await refused(alice, { id, dialogId, text: 'x' })).toEqual(refusal);
    }
    expect(await refused(alice, { id: 'a\0b', dialogId, text: 'x' })).toMatchObject({ code: 'BAD_USER_INPUT' });
    expect(await stored(dialogId)).toEqual([]);
  });

  test('lists by later ids include messages whose id is ahead of their time', async () => {
    const { alice, dialogId } = await pair();
    const ahead = chosenId();
    await sendAs(alice, { id: ahead, dialogId, text: 'ahead' });
    await sendAs(alice, { id: `00000001${'0'.repeat(15)}${chosen}`, dialogId, text: 'behind' });
    const assigned = await send(alice, dialogId, 'assigned');
    const list = async (query: string) => {
      const { body } = await rest('GET', `/chat/Message?chat_dialog_id=${dialogId}&${query}`, { as: alice });
      return (body as { items: { message: string }[] }).items.map(({ message }) => message);
    };
    expect(await list(`_id=${ahead}`)).toEqual(['ahead']);
    expect(await list(`_id[gte]=${assigned}&sort_asc=date_sent`)).toEqual(['ahead', 'assigned']);
    expect(await list(`_id[gt]=${assigned}`)).toEqual(['ahead']);
    expect(await list('sort_asc=date_sent')).toEqual(['ahead', 'behind', 'assigned']);
  });
});

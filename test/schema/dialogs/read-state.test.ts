import { describe, expect, test } from 'vitest';
import { clock, running, useApp } from '../../support/app/app.ts';
import { expectCounted } from '../../support/app/integrity.ts';
import { startAnother } from '../../support/app/other-apps.ts';
import { fc } from '../../support/app/properties.ts';
import { createDataDir, startService } from '../../support/app/service.ts';
import { sql } from '../../support/app/sql.ts';
import type { GraphQLAnswer } from '../../support/clients/graphql.ts';
import { createDialog, execute, type QuickUser, quickUsers, send } from '../../support/fixtures/chat.ts';
import { UNKNOWN_ID } from '../../support/fixtures/chat-cast.ts';

useApp();

const READ = `mutation ($dialogId: ID!, $skip: Int!, $limit: Int!) {
  readMessages(dialogId: $dialogId, skip: $skip, limit: $limit) { items { id readIds deliveredIds } } }`;

const read = (as: QuickUser, dialogId: string, skip = 0, limit = 100) => execute(READ, { dialogId, skip, limit }, as);

const unread = async (as: QuickUser, id: string): Promise<number> =>
  (await execute('query ($id: ID!) { dialog(id: $id) { unreadMessagesCount } }', { id }, as)).dialog
    .unreadMessagesCount;

/** Operations by name; other tests cover each alone, these combine them. */
const SEND = 'mutation ($dialogId: ID!) { sendMessage(input: { dialogId: $dialogId, text: "x" }) { id } }';
const mark = (mark: string) =>
  `mutation ($ids: [ID!]!) { updateMessages(ids: $ids, input: { ${mark} }) { id readIds } }`;
const markAll = (mark: string) => `mutation ($dialogId: ID!) { markDialogMessages(dialogId: $dialogId, ${mark}) }`;
const DEEDS: Record<string, string> = {
  send: SEND,
  sendToo: SEND,
  sendAgain: SEND,
  read: 'mutation ($dialogId: ID!) { readMessages(dialogId: $dialogId, limit: 20) { items { id readIds } } }',
  markRead: mark('read: true'),
  markUnread: mark('read: false, delivered: false'),
  markDelivered: mark('delivered: true'),
  markAll: markAll('read: true, delivered: true'),
  unmarkAll: markAll('read: false'),
  hide: 'mutation ($ids: [ID!]!) { deleteMessages(ids: $ids) { deletedIds } }',
  retract: 'mutation ($ids: [ID!]!) { deleteMessages(ids: $ids, force: true) { deletedIds } }',
  react: 'mutation ($id: ID!) { addReaction(messageId: $id, name: "like") { id } }',
  takeBack: 'mutation ($id: ID!) { removeReaction(messageId: $id, name: "like") { id } }',
  add: 'mutation ($dialogId: ID!, $added: Int!) { updateDialog(id: $dialogId, input: { addOccupantIds: [$added] }) { id } }',
  leaveOrHide: 'mutation ($dialogId: ID!) { deleteDialog(id: $dialogId) }',
};

describe('concurrent operations on read state', () => {
  test('32 concurrent senders in one dialog receive consecutive seqs in the order of time', async () => {
    const users = await quickUsers(32);
    const dialogId = await createDialog(users[0]!, users.slice(1));
    const second = await startAnother();
    const start = running.now().getTime();
    const ids = await Promise.all(
      users.map(async (user, nth) => {
        const own: string[] = [];
        for (let round = 0; round < 5; round++) {
          // Clocks of processes differ in both directions.
          clock.set(new Date(start + ((nth * 7 + round * 13) % 11) * 1000));
          own.push(await send(user, dialogId, `${nth} ${round}`));
        }
        return own;
      }),
    );
    const rows = await sql<{ id: string; seq: number; date_sent: number; created_at: Date }>(
      'SELECT id, seq, date_sent, created_at FROM messages WHERE dialog_id = $1 ORDER BY seq',
      [dialogId],
    );
    expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: 160 }, (_, nth) => nth + 1));
    const dates = rows.map((row) => row.date_sent);
    expect(dates).toEqual([...dates].sort((a, b) => a - b));
    const moments = rows.map((row) => row.created_at.getTime());
    expect(moments).toEqual([...moments].sort((a, b) => a - b));
    const place = new Map(rows.map(({ id, seq }) => [id, seq]));
    for (const own of ids) {
      const places = own.map((id) => place.get(id)!);
      expect(places).toEqual([...places].sort((a, b) => a - b));
    }
    await expectCounted(dialogId);
    for (const user of users.slice(0, 3)) expect(await unread(user, dialogId)).toBe(155);
    const [dialog] = await sql<{ last_seq: number; message_count: number }>(
      'SELECT last_seq, message_count FROM dialogs WHERE id = $1',
      [dialogId],
    );
    expect(dialog).toEqual({ last_seq: 160, message_count: 160 });
    clock.set(new Date(start));
    await second.stop();
  });

  test('concurrent readers and senders never leave a wrong count', async () => {
    const users = await quickUsers(6);
    const dialogId = await createDialog(users[0]!, users.slice(1));
    for (let round = 0; round < 6; round++) {
      await Promise.all(
        users.flatMap((user, nth) => [
          send(user, dialogId, 'x'),
          send(user, dialogId, 'y'),
          read(user, dialogId, nth * round, 5),
          read(user, dialogId, round, 3),
        ]),
      );
      await expectCounted(dialogId);
    }
    await Promise.all(users.map((user) => read(user, dialogId)));
    for (const user of users) expect(await unread(user, dialogId)).toBe(0);
  });

  test('several devices of one user that read the same messages concurrently count them once', async () => {
    const [alice, bob] = await quickUsers(2);
    const dialogId = await createDialog(alice!, [bob!]);
    for (let nth = 0; nth < 20; nth++) await send(alice!, dialogId, String(nth));
    for (const skip of [15, 10, 12, 5]) {
      await Promise.all(Array.from({ length: 8 }, () => read(bob!, dialogId, skip, 4)));
      await expectCounted(dialogId);
    }
    await Promise.all(Array.from({ length: 8 }, () => read(bob!, dialogId)));
    expect(await unread(bob!, dialogId)).toBe(0);
  });

  test('after concurrent operations of several users on two processes, every counter matches the messages', async () => {
    const { dataDir, remove } = await createDataDir();
    const other = await startService(dataDir, {
      DATABASE_URL: running.database.config.connectionString!,
      LOG_LEVEL: 'error',
    });
    const users = await quickUsers(4);
    const dialogs = [
      await createDialog(users[0]!, users.slice(1)),
      await createDialog(users[0]!, users.slice(2)),
      await createDialog(users[0]!, [users[1]!], 'PRIVATE'),
    ];
    const deeds = fc.array(
      fc.tuple(fc.constantFrom(...Object.keys(DEEDS)), fc.nat(3), fc.nat(2), fc.nat(), fc.boolean()),
      {
        minLength: 70,
        maxLength: 70,
      },
    );
    for (const round of fc.sample(deeds, { numRuns: 6, seed: 20_261_121 })) {
      const known = await sql<{ id: string; dialog_id: string }>('SELECT id, dialog_id FROM messages ORDER BY id DESC');
      const answers = await Promise.all(
        round.map(async ([drawn, user, dialog, pick, isOther]) => {
          // One occupant remains so that the group is not deleted.
          const name = user === 0 && drawn === 'leaveOrHide' ? 'add' : drawn;
          const dialogId = dialogs[dialog]!;
          const inDialog = known.filter((message) => message.dialog_id === dialogId).map(({ id }) => id);
          const ids = [0, 1, 2].map((nth) => inDialog[(pick + nth) % Math.min(inDialog.length, 9)] ?? UNKNOWN_ID);
          const added = users[pick % 4]!.id;
          const body = JSON.stringify({ query: DEEDS[name], variables: { dialogId, ids, id: ids[0], added } });
          const headers = { 'Content-Type': 'application/json', ...users[user]!.headers };
          const url = isOther ? other.url : running.url;
          const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body });
          const { errors } = (await response.json()) as GraphQLAnswer;
          return errors?.[0] ? `${errors[0].extensions?.code} ${errors[0].message}` : String(response.status);
        }),
      );
      // An operation may fail because another one deleted the message or removed the user.
      expect(answers.filter((answer) => !/^(200|NOT_FOUND|FORBIDDEN)/.test(answer))).toEqual([]);
      for (const dialogId of dialogs) await expectCounted(dialogId);
    }
    await other.stop();
    await remove();
  }, 180_000);

  test('concurrent reads and writes across many dialogs cause no deadlock', async () => {
    const users = await quickUsers(4);
    const dialogs = await Promise.all(Array.from({ length: 6 }, () => createDialog(users[0]!, users.slice(1))));
    await Promise.all(
      Array.from({ length: 96 }, (_, nth) => {
        const user = users[nth % 4]!;
        const dialogId = dialogs[(nth * 5) % 6]!;
        return nth % 3 === 0 ? read(user, dialogId) : send(user, dialogId, String(nth));
      }),
    );
    for (const dialogId of dialogs) await expectCounted(dialogId);
  });
});

describe('marks', () => {
  test('a member who has read all messages has no mark rows', async () => {
    const [alice, bob, carol] = await quickUsers(3);
    const dialogId = await createDialog(alice!, [bob!, carol!]);
    for (let nth = 0; nth < 12; nth++) await send(nth % 3 ? alice! : carol!, dialogId, String(nth));
    const marks = () => sql('SELECT user_id, seq FROM message_marks WHERE dialog_id = $1', [dialogId]);
    await read(bob!, dialogId, 6, 3);
    expect(await marks()).toHaveLength(3);
    await read(bob!, dialogId, 0, 3);
    expect(await marks()).toHaveLength(3);
    await read(bob!, dialogId, 3, 3);
    expect(await marks()).toEqual([]);
    await read(bob!, dialogId);
    await read(carol!, dialogId);
    await read(alice!, dialogId);
    expect(await marks()).toEqual([]);
    const members = await sql<{ read_seq: number; delivered_seq: number }>(
      'SELECT read_seq, delivered_seq FROM members WHERE dialog_id = $1',
      [dialogId],
    );
    for (const member of members) expect(member).toEqual({ read_seq: 12, delivered_seq: 12 });
  });

  test('messages remain read when new ones arrive', async () => {
    const [alice, bob] = await quickUsers(2);
    const dialogId = await createDialog(alice!, [bob!]);
    await send(alice!, dialogId, '1');
    await read(bob!, dialogId);
    await send(bob!, dialogId, '2');
    await send(alice!, dialogId, '3');
    const { readMessages } = await read(alice!, dialogId);
    expect(readMessages.items.map((item: { readIds: number[] }) => item.readIds)).toEqual([
      [alice!.id, bob!.id],
      [alice!.id, bob!.id],
      [alice!.id],
    ]);
  });
});

import { beforeAll, expect, test } from 'vitest';
import { MESSAGE_CHECKS } from '../../../src/operator/integrity/messages.ts';
import { APPLICATION, useApp } from '../../support/app/app.ts';
import { expectCounted, findDifferences } from '../../support/app/integrity.ts';
import { workOf } from '../../support/app/query-plans.ts';
import { sql } from '../../support/app/sql.ts';
import { createDialog, execute, type QuickUser, quickUsers } from '../../support/fixtures/chat.ts';

useApp();

const SMALL = 500;
const LARGE = 4_000;
/** 8 times the data may need 8 times the rows, plus sorting; quadratic work would need 64 times as many. */
const MOST_GROWTH = 14;
const FEW = 5_000;

const ABOUT_CHAT = /\b(messages|dialogs|members|hidden_messages|message_marks|reactions|muted_dialogs|users)\b/;
const TABLES = [
  'messages',
  'dialogs',
  'members',
  'hidden_messages',
  'message_marks',
  'reactions',
  'muted_dialogs',
  'users',
];

beforeAll(async () => {
  // As in a new database, which has no statistics yet.
  for (const table of TABLES) await sql(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
});

interface Group {
  owner: QuickUser;
  reader: QuickUser;
  others: QuickUser[];
  id: string;
  /** The first 100. */
  messageIds: string[];
}

let groups = 0;

/** A group whose members have each marked and hidden a message; its reader has marked all after the first 100. */
async function group(members: number, messages: number): Promise<Group> {
  const users = await quickUsers(members);
  const [owner, reader, ...others] = users as [QuickUser, QuickUser, ...QuickUser[]];
  const id = await createDialog(owner, [reader]);
  const inGroup = [APPLICATION.id, id];
  const memberIds = others.map((user) => user.id);
  const prefix = String(++groups).padStart(4, '0');
  await sql(
    `INSERT INTO members (application_id, dialog_id, user_id, joined_at, read_seq)
    SELECT $1, $2, user_id, now(), user_id % 120 FROM unnest($3::int[]) AS user_id`,
    [...inGroup, memberIds],
  );
  await sql(
    `INSERT INTO messages (application_id, id, dialog_id, seq, sender_id, recipient_id, text, send_to_chat, date_sent,
      created_at, updated_at)
    SELECT $1, $4 || lpad(to_hex(n), 20, '0'), $2, n, $3, 0, 'x', true, 0, now(), now() FROM generate_series(1, ${messages}) n`,
    [...inGroup, owner.id, prefix],
  );
  await sql(
    `WITH deviating AS (SELECT user_id, user_id % 100 + 1 AS seq FROM unnest($3::int[]) AS user_id
      UNION SELECT $4, n FROM generate_series(101, ${messages}) n), hidden AS (
      INSERT INTO hidden_messages (application_id, dialog_id, user_id, seq) SELECT $1, $2, user_id, seq FROM deviating
      WHERE seq % 3 = 0)
    INSERT INTO message_marks (application_id, dialog_id, user_id, seq, is_read)
    SELECT $1, $2, user_id, seq, seq % 2 = 0 FROM deviating`,
    [...inGroup, memberIds, reader.id],
  );
  await sql(
    `UPDATE dialogs SET last_seq = ${messages}, message_count = ${messages}, last_message_at = now()
    WHERE application_id = $1 AND id = $2`,
    inGroup,
  );
  await findDifferences({ repairs: true, checks: MESSAGE_CHECKS });
  const messageIds = Array.from({ length: 100 }, (_, nth) => prefix + (nth + 1).toString(16).padStart(20, '0'));
  return { owner, reader, others, id, messageIds };
}

async function member(size: number): Promise<QuickUser> {
  const [owner, user] = (await quickUsers(2)) as [QuickUser, QuickUser];
  const prefix = String(++groups).padStart(4, '0');
  await sql(
    `WITH made AS (
      INSERT INTO dialogs (application_id, id, type, user_id, name, created_at, updated_at)
      SELECT $1, $4 || lpad(to_hex(n), 20, '0'), 2, $2, 'Group', now(), now() FROM generate_series(1, ${size}) n
      RETURNING application_id, id
    ), said AS (
      INSERT INTO messages (application_id, id, dialog_id, seq, sender_id, recipient_id, text, send_to_chat, date_sent,
        created_at, updated_at)
      SELECT application_id, id, id, 1, $2, 0, 'x', true, 0, now(), now() FROM made
    ), reacted AS (
      INSERT INTO reactions (application_id, message_id, user_id, name) SELECT application_id, id, $3, 'like' FROM made
    )
    INSERT INTO members (application_id, dialog_id, user_id, joined_at)
    SELECT application_id, id, unnest(ARRAY[$2, $3]::int[]), now() FROM made`,
    [APPLICATION.id, owner.id, user.id, prefix],
  );
  return user;
}

async function expectLinear<Stage>(
  make: (size: number) => Promise<Stage>,
  act: (cast: Stage) => Promise<unknown>,
): Promise<Stage> {
  const small = await make(SMALL);
  const before = await workOf(ABOUT_CHAT, () => act(small));
  const large = await make(LARGE);
  const after = await workOf(ABOUT_CHAT, () => act(large));
  expect(after.size).toBeGreaterThan(0);
  for (const [text, rows] of after) {
    const most = Math.max(FEW, MOST_GROWTH * (before.get(text) ?? FEW));
    expect(rows, text).toBeLessThanOrEqual(Math.max(most, FEW * (LARGE / SMALL)));
  }
  return large;
}

const DELETE = 'mutation ($ids: [ID!]!, $force: Boolean!) { deleteMessages(ids: $ids, force: $force) { deletedIds } }';
const UPDATE = 'mutation ($id: ID!, $input: UpdateDialogInput!) { updateDialog(id: $id, input: $input) { id } }';
const MARK = 'mutation ($ids: [ID!]!, $read: Boolean) { updateMessages(ids: $ids, input: { read: $read }) { id } }';
const MARK_ALL = 'mutation ($id: ID!, $read: Boolean) { markDialogMessages(dialogId: $id, read: $read) }';
const READ = 'mutation ($id: ID!) { readMessages(dialogId: $id) { items { id readIds } } }';

test('the work of a deletion for all grows linearly with the group, and its counters are correct', async () => {
  const { id } = await expectLinear(
    (size) => group(size, 150),
    ({ owner, messageIds }) => execute(DELETE, { ids: messageIds, force: true }, owner),
  );
  await expectCounted(id);
});

test('the work of deleting, marking and reading for oneself grows linearly with the marks', () =>
  expectLinear(
    (size) => group(10, size),
    async ({ reader, id, messageIds }) => {
      await execute(DELETE, { ids: messageIds.slice(0, 50), force: false }, reader);
      await execute(MARK, { ids: messageIds.slice(50), read: true }, reader);
      await execute(READ, { id }, reader);
      await execute(MARK_ALL, { id, read: false }, reader);
      await execute(MARK_ALL, { id, read: true }, reader);
      await execute('query ($id: ID!) { unreadCounts(dialogIds: [$id]) { total } }', { id }, reader);
    },
  ));

test('the work of adding and removing occupants and admins grows linearly with their number', () =>
  expectLinear(
    (size) => group(size, 150),
    async ({ owner, id, others }) => {
      const ids = others.map((user) => user.id);
      await execute(UPDATE, { id, input: { addAdminIds: ids } }, owner);
      await execute(UPDATE, { id, input: { removeAdminIds: ids } }, owner);
      await execute(UPDATE, { id, input: { removeOccupantIds: ids } }, owner);
      await execute(UPDATE, { id, input: { addOccupantIds: ids } }, owner);
      await execute('mutation ($id: ID!) { deleteDialog(id: $id, force: true) }', { id }, owner);
    },
  ));

test('the work of deleting a user grows linearly with their dialogs', () =>
  expectLinear(member, (user) => execute('mutation ($id: Int!) { deleteUser(id: $id) }', { id: user.id }, user)));

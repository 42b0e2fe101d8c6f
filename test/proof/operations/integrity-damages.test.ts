import { mkdir, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { newStorageKey } from '../../../src/gateways/storage.ts';
import { CHECKS } from '../../../src/operator/integrity/run.ts';
import { Encrypter } from '../../../src/platform/encryption/encrypter.ts';
import { APPLICATION, running, useApp } from '../../support/app/app.ts';
import { findDifferences } from '../../support/app/integrity.ts';
import { sql } from '../../support/app/sql.ts';
import { createFullData } from '../../support/fixtures/full-data.ts';
import { messagePushesSettled } from '../../support/fixtures/pushes.ts';

useApp();

let tables: string[];
const names: Record<string, string | number> = { app: APPLICATION.id };

beforeAll(async () => {
  const { alice, group, message, car } = await createFullData();
  Object.assign(names, { alice: alice.id, group, message, car });
  // The full data contains one send that is half done.
  await sql("DELETE FROM push_deliveries WHERE send_id = repeat('b', 24)");
  await sql("DELETE FROM push_sends WHERE id = repeat('b', 24)");
  await messagePushesSettled();
  const rows = await sql<{ name: string }>("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'");
  tables = rows
    .map(({ name }) => name)
    .filter(
      (name) =>
        !['_prisma_migrations', 'push_cursor', 'audit_entries', 'audit_chains'].includes(name) &&
        !name.startsWith('request_log'),
    );
  await sql('CREATE SCHEMA kept');
  for (const name of tables) await sql(`CREATE TABLE kept.${name} AS TABLE public.${name}`);
});

/** Bypasses triggers and foreign keys, like a failed restore. */
function damage(statements: string): Promise<unknown> {
  const named = statements.replace(/:(\w+)\b(?!')/g, (text, name) => {
    const value = names[name];
    return value === undefined ? text : typeof value === 'number' ? String(value) : `'${value}'`;
  });
  return sql(`SET session_replication_role = replica; ${named}`);
}

beforeEach(async () => {
  const columns = await sql<{ name: string; columns: string }>(
    `SELECT table_name AS name, string_agg(quote_ident(column_name), ', ') AS columns FROM information_schema.columns
    WHERE table_schema = 'public' GROUP BY 1`,
  );
  const columnsOf = new Map(columns.map((row) => [row.name, row.columns]));
  const restored = tables.map(
    (name) =>
      `DELETE FROM ${name}; INSERT INTO ${name} (${columnsOf.get(name)}) SELECT ${columnsOf.get(name)} FROM kept.${name};`,
  );
  await damage(restored.join('\n'));
});

test('findDifferences reports nothing in an undamaged database', async () => {
  expect(await findDifferences()).toEqual([]);
});

interface Damage {
  check: string;
  name?: string;
  statements: string;
  count?: number;
  isRepaired?: true;
}

const MEMBER = 'dialog_id = :group AND user_id = :alice';
const GONE = 'application_id, user_id';
const NOW = 'created_at, updated_at';

const DAMAGES: Damage[] = [
  {
    check: 'message counts',
    statements:
      'UPDATE dialogs SET message_count = message_count + 1, last_seq = last_seq + 1 WHERE id = :group; UPDATE members SET settled_count = settled_count WHERE false',
    isRepaired: true,
  },
  {
    check: 'message numbers',
    statements:
      'UPDATE members SET read_seq = 0, settled_count = sent_count + (SELECT count(*) FROM hidden_messages h WHERE h.dialog_id = members.dialog_id AND h.user_id = members.user_id) WHERE false; UPDATE dialogs SET last_seq = (SELECT max(seq) - 1 FROM messages WHERE dialog_id = :group) WHERE id = :group',
    isRepaired: true,
  },
  {
    check: 'last messages',
    statements: "UPDATE dialogs SET last_message_at = last_message_at + interval '1 second' WHERE id = :group",
    isRepaired: true,
  },
  {
    check: 'last messages',
    name: 'no last message',
    statements: 'UPDATE dialogs SET last_message_at = NULL WHERE id = :group',
    isRepaired: true,
  },
  {
    check: 'message times',
    statements: 'UPDATE messages SET date_sent = date_sent + 60 WHERE dialog_id = :group AND seq = 1',
  },
  {
    check: 'unread counts',
    statements: `UPDATE members SET settled_count = settled_count - 1 WHERE ${MEMBER}`,
    isRepaired: true,
  },
  {
    check: 'sent counts',
    statements: `UPDATE members SET sent_count = sent_count + 1 WHERE ${MEMBER}`,
    isRepaired: true,
  },
  { check: 'watermarks', statements: `UPDATE members SET delivered_seq = 1000 WHERE ${MEMBER}` },
  {
    check: 'marks',
    statements: 'INSERT INTO message_marks VALUES (:app, :group, 900, :alice, true, null)',
    isRepaired: true,
  },
  {
    check: 'hidden messages',
    statements:
      'INSERT INTO hidden_messages (application_id, user_id, dialog_id, seq) VALUES (:app, :alice, :group, 901)',
    isRepaired: true,
  },
  {
    check: 'reactions',
    statements:
      "INSERT INTO reactions (application_id, message_id, user_id, name) VALUES (:app, repeat('0', 24), :alice, 'like')",
    isRepaired: true,
  },
  {
    check: 'messages of dialogs',
    statements:
      "INSERT INTO messages SELECT (json_populate_record(m, json_build_object('id', repeat('e', 24), 'dialog_id', repeat('f', 24)))).* FROM messages m WHERE id = :message",
  },
  {
    check: 'user counts',
    statements: 'UPDATE applications SET user_count = user_count + 1 WHERE id = :app',
    isRepaired: true,
  },
  { check: 'location counts', statements: 'UPDATE geodata_counts SET count = count + 1 WHERE application_id = :app' },
  { check: 'latest locations', statements: 'UPDATE geodata SET is_latest = false WHERE user_id = :alice' },
  {
    check: 'blob counts',
    statements: 'UPDATE blob_counts SET number = number + 1 WHERE user_id = 0 AND application_id = :app',
  },
  {
    check: 'blob bytes',
    statements: 'UPDATE blob_counts SET bytes = bytes + 1 WHERE user_id = 0 AND application_id = :app',
  },
  { check: 'occupants', statements: `UPDATE members SET left_at = now() WHERE ${MEMBER}` },
  { check: 'destroyed dialogs', statements: 'INSERT INTO destroyed_dialogs VALUES (:app, :group)' },
  {
    check: 'members of users',
    statements:
      'INSERT INTO members (application_id, dialog_id, user_id, joined_at, settled_count) SELECT :app, :group, 4000, now(), 0',
  },
  ...[
    ['sessions', `${GONE}, token_hash, nonce, timestamp, ${NOW}`, ":app, 4000, 'x', 1, 1, now(), now()"],
    ['password_resets', `${GONE}, token_hash, email, created_at`, ":app, 4000, 'x', 'a@b.c', now()"],
    ['contacts', `${GONE}, udid, phone, name`, ":app, 4000, '', '1', 'x'"],
    [
      'user_blocks',
      `${GONE}, blocked_id, source, in_private, in_groups, is_mutual, created_at`,
      ":app, 4000, 4001, 'user', true, true, true, now()",
    ],
    ['privacy_lists', `${GONE}, name, is_default, items`, ":app, 4000, 'x', false, '[]'"],
    ['chat_contacts', `${GONE}, contact_id, is_accepted, created_at`, ':app, 4000, 4001, true, now()'],
    [
      'push_tokens',
      `${GONE}, environment, platform, udid, sequence, ${NOW}`,
      ":app, 4000, 'production', 'ios', 'x', 'x', now(), now()",
    ],
    ['push_subscriptions', `${GONE}, channel, platform, udid, ${NOW}`, ":app, 4000, 'email', 'ios', 'x', now(), now()"],
    ['message_keys', `${GONE}, key, message_id`, ":app, 4000, 'x', :message"],
    ['message_marks', `${GONE}, dialog_id, seq`, ':app, 4000, :group, 6'],
    ['hidden_messages', `${GONE}, dialog_id, seq`, ':app, 4000, :group, 6'],
    ['muted_dialogs', `${GONE}, dialog_id`, ':app, 4000, :group'],
    ['reactions', `${GONE}, message_id, name`, ":app, 4000, :message, 'like'"],
  ].map(([table, columns, values]) => ({
    check: `${table} of users`,
    statements: `INSERT INTO ${table} (${columns}) VALUES (${values})`,
    isRepaired: true as const,
  })),
  {
    check: 'geodata of users',
    statements:
      'INSERT INTO geodata (application_id, user_id, latitude, longitude, is_latest, created_at, updated_at) VALUES (:app, 4000, 1, 1, true, now(), now()); UPDATE geodata_counts SET count = count + 1 WHERE application_id = :app AND part = 0; INSERT INTO geodata_counts VALUES (:app, 0, 1) ON CONFLICT DO NOTHING',
    isRepaired: true,
  },
  {
    check: 'records of classes',
    statements: "UPDATE records SET class_key = 1000001, parent_id = NULL, fields = '{}' WHERE id = repeat('c', 24)",
  },
  { check: 'parents', statements: "UPDATE records SET parent_id = repeat('0', 24) WHERE id = :car" },
  {
    check: 'record values',
    name: 'a value without a field',
    statements: `UPDATE records SET fields = fields || '{"wheels": 4}' WHERE id = :car`,
  },
  {
    check: 'record values',
    name: 'a value of another type',
    statements: `UPDATE records SET fields = fields || '{"year": "old"}' WHERE id = :car`,
  },
  {
    check: 'record values',
    name: 'an item of another type',
    statements: `UPDATE records SET fields = fields || '{"sizes": [1, "2"]}' WHERE id = :car`,
  },
  { check: 'record slots', name: 'another text', statements: "UPDATE records SET t1 = 'vanother' WHERE id = :car" },
  { check: 'record slots', name: 'another number', statements: 'UPDATE records SET n1 = 0 WHERE id = :car' },
  { check: 'record slots', name: 'a missing location', statements: 'UPDATE records SET p1 = NULL WHERE id = :car' },
  { check: 'record slots', name: 'a slot without a field', statements: 'UPDATE records SET n8 = 1 WHERE id = :car' },
  {
    check: 'unique values',
    name: 'a value without a claim',
    statements: "DELETE FROM record_keys WHERE record_id = :car AND field = 'plate'",
  },
  {
    check: 'unique values',
    name: 'a claim without a value',
    statements:
      "INSERT INTO record_keys SELECT application_id, class_key, field, 'XY 1', record_id FROM record_keys WHERE record_id = :car AND field = 'plate'",
  },
  {
    check: 'unique values',
    name: 'values of a compound index without a claim',
    statements: "DELETE FROM record_keys WHERE record_id = :car AND field = 'make,plate'",
  },
  {
    check: 'record slots',
    name: 'a compound slot with other values',
    statements: "UPDATE records SET c1 = 'w' WHERE id = :car",
  },
  { check: 'readers of records', statements: 'UPDATE records SET is_open = NOT is_open WHERE id = :car' },
  {
    check: 'data of dialogs',
    statements: "UPDATE dialogs SET data_class_key = 1000002, data = '{}' WHERE id = :group",
  },
  { check: 'catalogue versions', statements: 'UPDATE applications SET catalogue_version = 1 WHERE id = :app' },
  {
    check: 'published messages',
    statements: "DELETE FROM events_outbox WHERE kind = 'messageSent' AND subject_id = :message",
  },
  {
    check: 'published messages',
    name: 'a message published twice',
    statements:
      "INSERT INTO events_outbox (application_id, kind, dialog_id, subject_id, created_at) VALUES (:app, 'messageSent', :group, :message, now())",
  },
  {
    check: 'messages of events',
    statements:
      "INSERT INTO events_outbox (application_id, kind, dialog_id, subject_id, created_at) VALUES (:app, 'messageSent', :group, repeat('0', 24), now())",
  },
  {
    check: 'deliveries of sends',
    statements:
      "INSERT INTO push_deliveries (application_id, send_id, subscription_id, user_id, channel) VALUES (:app, repeat('9', 24), 1, 1, 'gcm')",
    isRepaired: true,
  },
  {
    check: 'jobs of sends',
    statements: "INSERT INTO push_sends (application_id, id, created_at) VALUES (:app, repeat('9', 24), now())",
  },
  {
    check: 'counts of sends',
    statements:
      "INSERT INTO push_sends (application_id, id, created_at, recipients) VALUES (:app, repeat('9', 24), now(), 2); INSERT INTO push_deliveries (application_id, send_id, subscription_id, user_id, channel, retry_at) VALUES (:app, repeat('9', 24), 1, 1, 'gcm', now() + interval '9 years')",
  },
  { check: 'active push events', statements: 'UPDATE events SET due_at = NULL, active = true' },
  { check: 'push cursor', statements: 'UPDATE push_cursor SET position = position + 100000' },
  {
    check: 'sequences',
    statements: 'UPDATE reactions SET position = position + 1000000 WHERE message_id = :message',
  },
];

test.for(DAMAGES.map((one) => ({ ...one, title: one.name ?? one.check })))(
  'findDifferences reports damaged data: $title',
  async (one) => {
    await damage(one.statements);
    const found = await findDifferences();
    expect(found.map(({ check }) => check)).toEqual(Array(one.count ?? 1).fill(one.check));

    const repaired = await findDifferences({ repairs: true });
    expect(repaired.map(({ isRepaired }) => isRepaired)).toEqual(found.map(() => one.isRepaired ?? false));
    expect(await findDifferences()).toEqual(one.isRepaired ? [] : found);
    if (one.check === 'push cursor') await sql('UPDATE push_cursor SET position = position - 100000');
  },
);

const pathOf = (key: string) => join(running.dataDir, 'files', key);
const LONG_AGO = new Date(Date.now() - 2 * 3_600_000);

async function aKey(): Promise<string> {
  const [row] = await sql<{ key: string }>('SELECT storage_key AS key FROM blobs WHERE size > 1000 LIMIT 1');
  return row!.key;
}

/** Stores a file without a row. Its random key sorts before, between or after the others. */
async function stray(modifiedAt: Date, ending = ''): Promise<string> {
  const key = newStorageKey(APPLICATION.id);
  await mkdir(dirname(pathOf(key)), { recursive: true });
  await writeFile(pathOf(key) + ending, 'stray');
  await utimes(pathOf(key) + ending, modifiedAt, modifiedAt);
  return key;
}

test('findDifferences reports a secret encrypted with another key', async () => {
  const [row] = await sql<{ sealed: string }>('SELECT sealed FROM push_settings WHERE application_id = $1 LIMIT 1', [
    APPLICATION.id,
  ]);
  const exchange = (from: string, to: string) =>
    sql('UPDATE push_settings SET sealed = $2 WHERE sealed = $1', [from, to]);
  const foreign = new Encrypter(Buffer.alloc(32, 9)).encrypt('{}', 'anywhere');
  await exchange(row!.sealed, foreign);
  expect(await findDifferences()).toEqual([
    {
      check: 'secrets',
      applicationId: APPLICATION.id,
      row: {},
      kept: '1 encrypted with another key',
      counted: null,
      isRepaired: false,
    },
  ]);
  await exchange(foreign, row!.sealed);
  expect(await findDifferences()).toEqual([]);
});

test('findDifferences reports old files without a row, including leftovers of a crash', async () => {
  const keys = [await stray(LONG_AGO), await stray(LONG_AGO), await stray(LONG_AGO, '.part')].sort();
  const young = await stray(new Date());
  const found = await findDifferences();
  expect(found).toEqual(
    keys.map((key) => ({
      check: 'rows of files',
      applicationId: APPLICATION.id,
      row: { key },
      kept: '5 bytes',
      counted: null,
      isRepaired: false,
    })),
  );
  // The sweep deletes files that a row lists as unclaimed.
  for (const key of keys) await sql('INSERT INTO unclaimed_files VALUES ($1, $2, now())', [APPLICATION.id, key]);
  expect(await findDifferences()).toEqual([]);
  for (const key of [...keys, young]) {
    await rm(pathOf(key), { force: true });
    await rm(`${pathOf(key)}.part`, { force: true });
  }
});

test('findDifferences reports a file that is listed for removal but belongs to a row', async () => {
  const key = await aKey();
  await sql("INSERT INTO unclaimed_files VALUES ($1, $2, now() + interval '9 years')", [APPLICATION.id, key]);
  expect(await findDifferences()).toMatchObject([{ check: 'staged files', row: { key } }]);
});

test('findDifferences reports a file that is missing or shorter than its row says', async () => {
  const key = await aKey();
  await truncate(pathOf(key), 7);
  expect(await findDifferences()).toMatchObject([{ check: 'bytes of files', row: { key }, kept: '7 bytes' }]);
  await rm(pathOf(key));
  expect(await findDifferences()).toMatchObject([{ check: 'bytes of files', row: { key }, kept: null }]);
  const [record] = await sql<{ key: string }>("SELECT fields -> 'motor' ->> 'key' AS key FROM records WHERE id = $1", [
    names.car,
  ]);
  await rm(pathOf(record!.key));
  expect((await findDifferences()).map(({ row }) => row.key)).toEqual([key, record!.key].sort());
});

test('every check has a damage in this test that it reports', () => {
  const damaged = new Set([
    ...DAMAGES.map(({ check }) => check),
    'bytes of files',
    'rows of files',
    'staged files',
    'secrets',
  ]);
  expect(CHECKS.map(({ name }) => name).filter((name) => !damaged.has(name))).toEqual([]);
});

import type { ServerResponse } from 'node:http';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { cli, cliHere, cliJson } from '../../support/app/cli.ts';
import { type OwnDatabase, startOwnDatabase } from '../../support/app/postgres-server.ts';
import { createDataDir } from '../../support/app/service.ts';
import { type Answer, answerJson, startProvider } from '../../support/fakes/provider.ts';

// Broken or malicious source servers: the command prints one line and stores nothing.

let database: OwnDatabase;
let folder: Awaited<ReturnType<typeof createDataDir>>;
let client: pg.Client;
let env: { DATABASE_URL: string; DATA_DIR: string; SOURCE_API_KEY: string };

beforeAll(async () => {
  [database, folder] = await Promise.all([startOwnDatabase(), createDataDir()]);
  env = { DATABASE_URL: database.url, DATA_DIR: folder.dataDir, SOURCE_API_KEY: 'a-key' };
  client = new pg.Client(database.config);
  await client.connect();
  await cliJson(env, 'app', 'create', '--name', 'Other', '--id', '91');
  await cliJson(env, 'app', 'create', '--name', 'Moved', '--id', '92');
  await client.query(
    `INSERT INTO users (application_id, id, login, login_key, created_at, updated_at)
     VALUES (91, 900, 'theirs', 'theirs', now(), now()), (92, 901, 'Taken', 'taken', now(), now())`,
  );
}, 600_000);

afterAll(async () => {
  await client.end();
  await database.drop();
  await folder.remove();
}, 600_000);

const AT = '2026-11-20T10:00:00Z';
const ID = (number: number) => number.toString(16).padStart(24, '0');

const user = (id: number, more: object = {}) => ({
  user: { id, login: `user${id}`, created_at: AT, updated_at: AT, ...more },
});
const dialog = (id: number, more: object = {}) => {
  const own = { _id: ID(id), type: 2, user_id: 1, name: 'G', occupants_ids: [1, 2], admins_ids: [] };
  return { ...own, is_join_required: 0, created_at: AT, updated_at: AT, ...more };
};
const message = (id: number, more: object = {}) => ({
  ...{ _id: ID(id), chat_dialog_id: ID(1), sender_id: 1, message: 'hi', attachments: [] },
  ...{ date_sent: 1795168800, created_at: AT, updated_at: AT, read_ids: [1], delivered_ids: [1], reactions: null },
  ...more,
});
const open = { access: 'open' };
const acl = { create: open, read: open, update: open, delete: open };
const cars = { _id: ID(7), name: 'Cars', acl, custom_fields: [{ name: 'value', type: 'Integer' }] };
const record = (id: number, more: object = {}) => ({
  ...{ _id: ID(id), _parent_id: null, created_at: 1795168800, updated_at: 1795168800, user_id: 1, value: 1 },
  ...{ permissions: { read: open, update: open, delete: open }, ...more },
});

type Replies = Record<string, (url: URL, response: ServerResponse) => unknown>;

/** A small consistent application; `replies` override the response of some paths. */
function answering(replies: Replies): Answer {
  const sound: Replies = {
    '/users.json': () => ({ total_entries: 2, items: [user(1), user(2)] }),
    '/class.json': () => ({ items: [cars] }),
    '/data/Cars.json': ({ searchParams }) =>
      searchParams.has('count') ? { items: { count: 1 } } : { items: [record(50)] },
    '/chat/Dialog.json': () => ({ total_entries: 1, items: [dialog(1)] }),
    '/chat/Message.json': ({ searchParams }) =>
      searchParams.has('count') ? { items: { count: 1 } } : { items: [message(20)] },
    '/blobs.json': () => ({ total_entries: 0, items: [] }),
  };
  return (_request, response, url) => {
    const reply = replies[url.pathname] ?? sound[url.pathname];
    const isNotification = url.pathname.endsWith('/notifications.json');
    const body = isNotification ? { notifications: { enabled: 1 } } : reply?.(url, response);
    if (!response.headersSent)
      answerJson(response, body ?? { errors: ["The resource wasn't found"] }, body ? 200 : 404);
  };
}

/** @param there environment with its own database, which requires a separate process */
async function migrate(replies: Replies, there?: typeof env) {
  const { url } = await startProvider(answering(replies));
  const args = ['migrate-from', url, '--application', '92', '--rate', '1000', '--restart', '--json'];
  const { code, stdout, stderr } = await (there ? cli(there, ...args) : cliHere(env, ...args));
  return { code, stdout, line: stderr.split('\n').find((text) => text.startsWith('atrium: ')) };
}

/** Row counts of the application, without the user that exists before the migration. */
async function stored(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of ['users', 'dialogs', 'members', 'messages', 'record_classes', 'records', 'reactions', 'blobs']) {
    const { rows } = await client.query(`SELECT count(*)::int AS count FROM ${table} WHERE application_id = 92`);
    if (rows[0].count > (table === 'users' ? 1 : 0)) counts[table] = rows[0].count;
  }
  return counts;
}

const html = (_url: URL, response: ServerResponse) =>
  void response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>Sign in</html>');
const numbers = (from: number) => Array.from({ length: 100 }, (_, index) => from + index);
const counted = (items: (from: URL) => object[]) => (url: URL) =>
  url.searchParams.has('count') ? { items: { count: 1 } } : { items: items(url) };

test.each<[line: string, what: string, replies: Replies]>([
  ['GET /users.json: expected JSON, received text/html', 'HTML', { '/users.json': html }],
  [
    'GET /users.json: the response is not valid JSON',
    'truncated JSON',
    {
      '/users.json': (_url, response) =>
        void response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"items": ['),
    },
  ],
  [
    'GET /users.json: redirects are not followed',
    'a redirect',
    { '/users.json': (_url, response) => void response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end() },
  ],
  [
    'GET /users.json: the response exceeds 67108864 bytes',
    'an endless response',
    {
      '/users.json': (_url, response) => {
        response.writeHead(200, { 'Content-Type': 'application/json' });
        const more = () => {
          while (!response.destroyed && response.write(' '.repeat(1024 * 1024)));
        };
        response.on('drain', more);
        more();
      },
    },
  ],
  ['GET /users.json: 401', 'a rejected key', { '/users.json': (_url, response) => answerJson(response, {}, 401) }],
  [
    'items.0.user.id: Invalid input',
    'invalid ids',
    { '/users.json': () => ({ total_entries: 1, items: [user('1; DROP TABLE users' as unknown as number)] }) },
  ],
  [
    'items.0.user.id: would leave few ids for other applications',
    'an id from the second half of the range',
    { '/users.json': () => ({ total_entries: 1, items: [user(2 ** 30)] }) },
  ],
  [
    'items.0.blob.id: would leave few ids for other applications',
    'an id of a file from the second half of the range',
    { '/blobs.json': () => ({ total_entries: 1, items: [{ blob: { id: 2 ** 30 } }] }) },
  ],
  [
    'items.0.user.created_at: should be a timestamp',
    'invalid timestamps',
    { '/users.json': () => ({ total_entries: 1, items: [user(1, { created_at: '+275000-01-01T00:00:00Z' })] }) },
  ],
  [
    'users: 1 follows 100, which is not the requested order',
    'the same page repeatedly',
    { '/users.json': () => ({ total_entries: 1000, items: numbers(1).map((id) => user(id)) }) },
  ],
  [
    'users: the other server reported 3, but returns many more',
    'endless pages',
    {
      '/users.json': ({ searchParams }) => {
        const after = Number(/\d+$/.exec(searchParams.get('filter[]')!)![0]);
        return { total_entries: 3, items: numbers(after + 1).map((id) => user(id)) };
      },
    },
  ],
  [
    'nothing was stored, because these are already in use here: user of another application 900',
    'a user id of another application',
    { '/users.json': () => ({ total_entries: 2, items: [user(1), user(900)] }) },
  ],
  [
    'nothing was stored, because these are already in use here: user 901',
    'a different user with the same id',
    { '/users.json': () => ({ total_entries: 2, items: [user(1), user(901)] }) },
  ],
  [
    'nothing was stored, because these are already in use here: login of user 2',
    'a login that another user has',
    { '/users.json': () => ({ total_entries: 2, items: [user(1), user(2, { login: 'TAKEN' })] }) },
  ],
  [
    'nothing was stored, because these are already in use here: login of user 2',
    'two users with one login',
    { '/users.json': () => ({ total_entries: 2, items: [user(1, { login: 'Same' }), user(2, { login: 'same' })] }) },
  ],
  [
    'class Cars: field value has an unknown type',
    'unknown field types',
    { '/class.json': () => ({ items: [{ ...cars, custom_fields: [{ name: 'value', type: 'Money' }] }] }) },
  ],
  [
    `record ${ID(50)} of Cars: Field value should be an integer`,
    'values of another type',
    { '/data/Cars.json': counted(() => [record(50, { value: 'many' })]) },
  ],
  [
    'items.0._id: should be 24 hex digits',
    'dialogs without an id',
    { '/chat/Dialog.json': () => ({ total_entries: 1, items: [dialog(1, { _id: '../../x' })] }) },
  ],
  [
    `GET /chat/Message.json: ${ID(20)} belongs to another dialog than ${ID(1)}`,
    'messages of another dialog',
    { '/chat/Message.json': counted(() => [message(20, { chat_dialog_id: ID(2) })]) },
  ],
  [
    `messages of ${ID(1)} are not in the requested order`,
    'messages out of order',
    { '/chat/Message.json': counted(() => [message(20), message(21, { date_sent: 5 })]) },
  ],
  [
    `messages of ${ID(1)}: the other server reported 2, but returns many more`,
    'an endless page of messages',
    { '/chat/Message.json': counted(() => numbers(1000).map((id) => message(id))) },
  ],
])(
  'migrate-from fails with "%s" for %s',
  async (line, _what, replies) => {
    const answer = await migrate(replies);
    expect(answer).toEqual({ code: 1, stdout: '', line: expect.stringContaining(line) });
    expect(await stored()).toEqual({});
  },
  600_000,
);

test('duplicates are stored once, and characters that PostgreSQL rejects are replaced', async () => {
  const { code, stdout } = await migrate({
    '/users.json': () => ({ total_entries: 2, items: [user(1, { full_name: 'a\0b\uD800' }), user(2)] }),
    '/chat/Message.json': counted(() => [message(20), message(20), message(21, { read_ids: [1, 2, 77] })]),
  });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ users: 3, dialogs: 1, messages: 2, records: 1 });
  expect(await stored()).toMatchObject({ messages: 2, dialogs: 1, members: 3 });
  const { rows } = await client.query(`SELECT full_name FROM users WHERE application_id = 92 AND id = 1`);
  expect(rows).toEqual([{ full_name: 'a\uFFFDb\uFFFD' }]);
}, 600_000);

test('paging continues past many messages of the same second, also for a user who has deleted one', async () => {
  const at = [...Array.from({ length: 230 }, () => 1795168800), ...Array.from({ length: 100 }, () => 1795168801)];
  const all = at.map((second, index) => message(1000 + index, { date_sent: second }));
  const empty = await startOwnDatabase();
  const watch = new pg.Client(empty.config);
  await watch.connect();
  onTestFinished(async () => {
    await watch.end();
    await empty.drop();
  });
  const there = { ...env, DATABASE_URL: empty.url };
  await cliJson(there, 'app', 'create', '--name', 'Moved', '--id', '92');
  const page: Replies[string] = ({ searchParams }, { req }) => {
    const seen = req.headers['on-behalf-of'] === '2' ? all.toSpliced(120, 1) : all;
    if (searchParams.has('count')) return { items: { count: seen.length } };
    const from = Number(searchParams.get('date_sent[gte]'));
    const skip = Number(searchParams.get('skip'));
    return { items: seen.filter(({ date_sent }) => date_sent >= from).slice(skip, skip + 100) };
  };
  const { code, stdout, line } = await migrate({ '/chat/Message.json': page }, there);
  expect(code, line).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ messages: 330, deletionsForOneself: 1 });
  const { rows } = await watch.query(
    `SELECT user_id, id FROM hidden_messages h JOIN messages m USING (application_id, dialog_id, seq)`,
  );
  expect(rows).toEqual([{ user_id: 2, id: ID(1120) }]);
}, 600_000);

test('a list of message ids that restarts repeatedly ends the command', async () => {
  const page = numbers(1000).map((id) => message(id));
  const { code, line } = await migrate({
    '/chat/Message.json': ({ searchParams }, { req }) => {
      if (searchParams.has('count')) return { items: { count: req.headers['on-behalf-of'] ? 99 : 100 } };
      // For a user who sees fewer messages, the command requests only ids.
      return { items: req.headers['on-behalf-of'] || searchParams.get('skip') === '0' ? page : [] };
    },
  });
  expect({ code, line }).toEqual({
    code: 1,
    line: expect.stringContaining(`messages of ${ID(1)} are not in the requested order`),
  });
}, 600_000);

test('a repeated migration keeps rows that the source no longer has and does not restore rows deleted here', async () => {
  const soon = new Date(Date.now() + 25_000).toISOString();
  const later = { date_sent: Math.floor(Date.parse(soon) / 1000), created_at: soon, updated_at: soon };
  const [group, pair] = [dialog(1), dialog(3, { type: 3, occupants_ids: [1, 2] })];
  const replies = (items: object[], dialogs: object[]): Replies => ({
    '/chat/Dialog.json': () => ({ total_entries: 2, items: dialogs }),
    '/chat/Message.json': ({ searchParams }) => {
      if (searchParams.has('count')) return { items: { count: items.length } };
      return { items: searchParams.get('chat_dialog_id') === ID(1) ? items : [] };
    },
  });
  expect(await migrate(replies([message(20), message(21)], [group, pair]))).toMatchObject({ code: 0 });
  await client.query(`DELETE FROM messages WHERE id = $1`, [ID(21)]);
  await client.query(`UPDATE dialogs SET message_count = message_count - 1 WHERE id = $1`, [ID(1)]);
  const came = [message(20), message(21), message(22, { ...later, read_ids: [1, 2] })];
  const left = { ...group, occupants_ids: [1], name: 'Renamed' };
  expect(await migrate(replies(came, [left, pair]))).toMatchObject({ code: 0, line: undefined });
  const { rows } = await client.query(`SELECT id, seq FROM messages WHERE dialog_id = $1 ORDER BY seq`, [ID(1)]);
  expect(rows).toEqual([
    { id: ID(20), seq: 1 },
    { id: ID(22), seq: 3 },
  ]);
  const members = await client.query(
    `SELECT user_id, left_at IS NULL AS "isOccupant" FROM members WHERE dialog_id = $1 ORDER BY 1`,
    [ID(1)],
  );
  expect(members.rows.slice(0, 2)).toEqual([
    { user_id: 1, isOccupant: true },
    { user_id: 2, isOccupant: false },
  ]);
}, 600_000);

test('late messages are ordered before newer messages here and are unread for members who have read those', async () => {
  const { rows: highest } = await client.query(`SELECT last_seq FROM dialogs WHERE id = $1`, [ID(1)]);
  const before = highest[0].last_seq;
  const young = new Date(Date.now() + 60_000);
  const at = new Date(Date.now() + 30_000).toISOString();
  await client.query(
    `INSERT INTO messages (application_id, dialog_id, id, seq, sender_id, recipient_id, text, send_to_chat, date_sent,
      created_at, updated_at)
     SELECT 92, $1, lpad(to_hex(100 + n), 24, '0'), $2::int + n, 901, 0, 'young', true,
      floor(extract(epoch FROM $3::timestamptz)), $3, $3 FROM generate_series(1, 2) n`,
    [ID(1), before, young],
  );
  await client.query(
    `UPDATE dialogs SET last_seq = last_seq + 2, message_count = message_count + 2, last_message_at = $2 WHERE id = $1`,
    [ID(1), young],
  );
  await client.query(`UPDATE members SET read_seq = $2 WHERE dialog_id = $1 AND user_id = 1`, [ID(1), before + 2]);
  const late = { date_sent: Math.floor(Date.parse(at) / 1000), created_at: at, updated_at: at, sender_id: 2 };
  const { code, line } = await migrate({
    '/chat/Message.json': counted(() => [
      message(30, { ...late, read_ids: [2] }),
      message(31, { ...late, read_ids: [1, 2] }),
    ]),
  });
  expect({ code, line }).toEqual({ code: 0, line: undefined });
  const { rows } = await client.query(`SELECT id, seq FROM messages WHERE dialog_id = $1 AND seq > $2 ORDER BY seq`, [
    ID(1),
    before,
  ]);
  expect(rows.map(({ id, seq }) => [id, seq - before])).toEqual([
    [ID(30), 1],
    [ID(31), 2],
    [ID(101), 3],
    [ID(102), 4],
  ]);
  const { rows: members } = await client.query(
    `SELECT m.read_seq AS "readSeq", d.last_seq AS "lastSeq", d.message_count - m.settled_count AS unread FROM members m
     JOIN dialogs d ON d.id = m.dialog_id WHERE m.dialog_id = $1 AND m.user_id = 1`,
    [ID(1)],
  );
  expect(members).toEqual([{ readSeq: before + 4, lastSeq: before + 4, unread: 1 }]);
  const { rows: marks } = await client.query(
    `SELECT seq, is_read AS "isRead" FROM message_marks WHERE dialog_id = $1 AND user_id = 1 AND is_read IS NOT NULL`,
    [ID(1)],
  );
  expect(marks).toEqual([{ seq: before + 1, isRead: false }]);
}, 600_000);

test.each([
  ['the URL should start with https; --insecure', ['http://example.org'], {}],
  ['the URL should be https://<host>', ['ftp://127.0.0.1'], {}],
  ['the URL should be https://<host>', ['https://user:secret@example.org'], {}],
  ['SOURCE_…: specify an API key', ['https://example.org'], { SOURCE_API_KEY: '' }],
  ['SOURCE_…: specify an API key', ['https://example.org'], { SOURCE_API_KEY: '', SOURCE_AUTH_KEY: 'x' }],
  ['SOURCE_APPLICATION_ID: must be a whole number', ['https://example.org'], { SOURCE_APPLICATION_ID: 'x' }],
  ['--credentials: ENOENT', ['https://example.org', '--credentials', '/nowhere.json'], {}],
  ['--credentials: the file is not valid JSON', ['https://example.org', '--credentials', import.meta.filename], {}],
  ['application 7 does not exist', ['http://127.0.0.1:1', '--application', '7'], {}],
])(
  'migrate-from exits with 1 before it starts, with the line "%s …": %j',
  async (line, args, more) => {
    const application = args.includes('--application') ? [] : ['--application', '92'];
    const { code, stderr } = await cliHere({ ...env, ...more }, 'migrate-from', ...args, ...application);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`atrium: ${line}`) });
  },
  600_000,
);

test('an unfinished migration from another server is not resumed', async () => {
  await migrate({ '/chat/Message.json': counted(() => [message(20, { chat_dialog_id: ID(2) })]) });
  const { url } = await startProvider(answering({}));
  const { code, stderr } = await cliHere(env, 'migrate-from', url, '--application', '92', '--rate', '1000');
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/is unfinished; --restart discards it/),
  });
}, 600_000);

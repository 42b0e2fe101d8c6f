import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from 'graphql-ws';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { hashSecret } from '../../../src/lib/tokens.ts';
import { cli, cliJson, endedEarly, launchCli } from '../../support/app/cli.ts';
import { startOwnDatabase } from '../../support/app/postgres-server.ts';
import { createDataDir, type Service, startService } from '../../support/app/service.ts';
import { LOCKED_HERE } from '../../support/app/sql.ts';
import { until } from '../../support/clients/websocket.ts';
import { type Fault, startFaultyProxy } from '../../support/faults/http-proxy.ts';
import { lockRows } from '../../support/faults/row-lock.ts';
import { expectMoved } from '../../support/fixtures/legacy-comparison.ts';
import {
  API_KEY,
  type Caller,
  createLegacyData,
  GROUP_MESSAGES,
  type LegacyData,
  rest,
} from '../../support/fixtures/legacy-data.ts';

const BOOTSTRAP = {
  BOOTSTRAP_APPLICATION_ID: '92',
  BOOTSTRAP_AUTH_KEY: 'AUTHKEY',
  BOOTSTRAP_AUTH_SECRET: 'the-secret',
  BOOTSTRAP_API_KEY: API_KEY,
};

interface Running {
  service: Service;
  env: { DATA_DIR: string };
  stop: () => Promise<void>;
}

async function start(): Promise<Running> {
  const { dataDir, remove } = await createDataDir();
  const service = await startService(dataDir, BOOTSTRAP);
  return {
    service,
    env: { DATA_DIR: dataDir },
    stop: async () => {
      expect(await service.stop()).toBe(0);
      await remove();
    },
  };
}

let source: Running;
let target: Running;
let populated: LegacyData;

beforeAll(async () => {
  [source, target] = await Promise.all([start(), start()]);
  // Servers of the documented interface have these settings.
  await cliJson(source.env, 'app', 'set', '92', '--groups', 'self', '--files-by-number', 'session');
  populated = await createLegacyData(source.service.url);
}, 600_000);

afterAll(async () => {
  await Promise.all([source.stop(), target.stop()]);
}, 600_000);

const migrate = (...more: string[]) =>
  cli(
    { ...target.env, SOURCE_API_KEY: API_KEY },
    ...['migrate-from', source.service.url, '--application', '92', '--rate', '1000', '--json', ...more],
  );

async function migrated(...more: string[]) {
  const { code, stdout, stderr } = await migrate(...more);
  expect(code, stderr).toBe(0);
  expect(stderr).toContain('set a new password by mail');
  return JSON.parse(stdout);
}

const count = (running: Running, text: string) =>
  rest(running.service.url, 'GET', text).then(({ body }) => body.items?.count ?? body.total_entries);

test('migrate-from --dry-run counts the data and writes nothing', async () => {
  const { code, stdout } = await migrate('--dry-run');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    users: 5,
    classes: 3,
    records: 127,
    dialogs: 5,
    messages: GROUP_MESSAGES + 5,
  });
  expect(await count(target, '/users.json')).toBe(0);
}, 600_000);

test('after a migration the new server shows every user the same data as the old one', async () => {
  expect(await migrated()).toMatchObject({
    isRepeated: false,
    users: 5,
    usersWithoutPassword: 5,
    classes: 3,
    records: 127,
    dialogs: 5,
    messages: GROUP_MESSAGES + 5,
    files: 3,
    filesStored: 2,
    recordFilesStored: 1,
    reactionsRead: 7,
    mutedDialogs: 2,
  });
  // Migrated clients rely on the documented behavior.
  expect(await cliJson(target.env, 'app', 'show', '92')).toMatchObject({ groups: 'self', filesByNumber: 'session' });
  await expectMoved(source.service, target.service, populated);
  for (const path of [
    ...populated.blobs.slice(0, 2).map((id) => `/blobs/${id}/download`),
    `/data/Cars/${await firstCar(target)}/file.json?field_name=manual`,
  ]) {
    const [there, here] = await Promise.all([source, target].map(({ service }) => rest(service.url, 'GET', path)));
    expect(here).toEqual(there);
    expect(here!.body).toMatch(/bytes of|read me/);
  }
}, 600_000);

/** Times are in whole seconds for legacy clients, so messages of one second have no order. */
async function nextSecond(): Promise<void> {
  const next = Math.floor(Date.now() / 1000) + 1;
  await until(() => Date.now() / 1000 >= next);
}

const firstCar = async ({ service }: Running) => (await rest(service.url, 'GET', '/data/Cars.json')).body.items[0]._id;

test('the migrated application works: live events, and ids after the migrated ones', async () => {
  const [alice, bob] = populated.users as [number, number];
  const { url } = target.service;
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { Authorization: `ApiKey ${API_KEY}`, 'On-Behalf-Of': String(bob) },
  });
  const received = client.iterate({ query: 'subscription { messageSent { dialogId message { text readIds } } }' });
  const first = received.next();
  let answer: unknown;
  void first.then(({ value }) => {
    answer = value;
  });
  const before = (await rest(url, 'GET', '/chat/Message/unread.json', undefined, bob)).body.total;
  let sent = 0;
  while (!answer) {
    // Messages sent before the subscription starts are not delivered.
    const body = { chat_dialog_id: populated.group, message: 'live', send_to_chat: 1 };
    expect((await rest(url, 'POST', '/chat/Message.json', body, alice)).status).toBe(201);
    sent++;
  }
  expect(answer).toEqual({
    data: { messageSent: { dialogId: populated.group, message: { text: 'live', readIds: [alice] } } },
  });
  await client.dispose();
  expect((await rest(url, 'GET', '/chat/Message/unread.json', undefined, bob)).body.total).toBe(before + sent);

  const { body } = await rest(url, 'POST', '/users.json', { user: { login: 'frida', password: 'password-1' } });
  expect(body.user.id).toBeGreaterThan(Math.max(...populated.users) + 1_000);
}, 600_000);

test('a repeated migration adds later changes of the source in order, and keeps changes of the target', async () => {
  const [alice, bob, carla, , emil] = populated.users as [number, number, number, number, number];
  const [there, here] = [source.service.url, target.service.url];
  const ask = async (url: string, method: string, path: string, body: object, caller: Caller) => {
    const answer = await rest(url, method, path, body, caller);
    expect([200, 201]).toContain(answer.status);
    return answer.body;
  };
  // Later changes in the source, in a later second than the messages of the previous test ...
  await nextSecond();
  const late = { chat_dialog_id: populated.group, message: 'late, over there' };
  const { _id: lateId } = await ask(there, 'POST', '/chat/Message.json', late, bob);
  const { user: gina } = await ask(
    there,
    'POST',
    '/users.json',
    { user: { login: 'gina', password: 'password-1' } },
    'key',
  );
  await ask(there, 'PUT', `/users/${emil}.json`, { user: { full_name: 'Emil renamed' } }, emil);
  await ask(there, 'PUT', `/chat/Message/${populated.messages[2]}.json`, { message: 'edited over there' }, alice);
  await ask(there, 'PUT', '/chat/Message.json', { chat_dialog_id: populated.private, read: 1 }, bob);
  const wheel = await ask(there, 'POST', '/data/Wheels.json', { size: 5000 }, emil);
  const trio = await ask(there, 'POST', '/chat/Dialog.json', { type: 3, occupants_ids: [carla] }, emil);
  await ask(there, 'POST', '/chat/Message.json', { chat_dialog_id: trio._id, message: 'over there' }, emil);
  // ... and changes in the target that are younger than those, because both servers share a clock.
  await nextSecond();
  const own = { recipient_id: carla, message: 'here' };
  const { chat_dialog_id: ownDialog } = await ask(here, 'POST', '/chat/Message.json', own, emil);
  const young = { chat_dialog_id: populated.group, message: 'young, here' };
  const { _id: youngId } = await ask(here, 'POST', '/chat/Message.json', young, carla);
  await ask(here, 'PUT', `/chat/Message/${youngId}.json`, { read: 1 }, alice);
  await ask(here, 'DELETE', `/chat/Message/${populated.messages[3]}.json`, { force: 1 }, 'key');

  expect(await migrated()).toMatchObject({ isRepeated: true, dialogsJoined: 1 });

  const list = await rest(
    here,
    'GET',
    `/chat/Message.json?chat_dialog_id=${populated.group}&sort_desc=date_sent&limit=2`,
  );
  expect(list.body.items.map(({ _id }: { _id: string }) => _id)).toEqual([youngId, lateId]);
  expect(list.body.items[0].read_ids).toEqual([alice, carla]);
  expect(list.body.items[1].read_ids).toEqual([bob]);
  const shown = async (path: string, caller: Caller = 'key') => (await rest(here, 'GET', path, undefined, caller)).body;
  expect(await shown(`/users/${gina.id}.json`)).toMatchObject({ user: { login: 'gina' } });
  expect(await shown(`/users/${emil}.json`)).toMatchObject({ user: { full_name: 'Emil renamed' } });
  expect(await shown(`/chat/Message/${populated.messages[2]}.json`)).toMatchObject({ message: 'edited over there' });
  expect(await shown(`/data/Wheels/${wheel._id}.json`)).toMatchObject({ size: 5000, user_id: emil });
  expect((await rest(here, 'GET', `/chat/Message/${populated.messages[3]}.json`)).status).toBe(404);
  expect((await rest(here, 'GET', `/chat/Dialog/${trio._id}.json`)).status).toBe(404);
  const joined = await shown(`/chat/Message.json?chat_dialog_id=${ownDialog}&mark_as_read=0`, carla);
  expect(joined.items.map(({ message }: { message: string }) => message)).toEqual(['over there', 'here']);
  expect(await shown(`/chat/Message/unread.json?chat_dialog_ids=${ownDialog}`, carla)).toMatchObject({ total: 2 });
  expect(await shown(`/chat/Message/unread.json?chat_dialog_ids=${populated.private}`, bob)).toMatchObject({
    total: 0,
  });

  const messagesNow = () => count(target, `/chat/Message.json?chat_dialog_id=${populated.group}&count=1`);
  const before = await messagesNow();
  await migrated();
  expect(await messagesNow()).toBe(before);
}, 600_000);

test('a migration that is killed repeatedly, from an unreliable source, yields the complete data', async () => {
  const database = await startOwnDatabase();
  const { dataDir, remove } = await createDataDir();
  const env = { DATABASE_URL: database.url, DATA_DIR: dataDir, SOURCE_API_KEY: API_KEY };
  const watch = new pg.Client(database.config);
  await watch.connect();
  onTestFinished(async () => {
    await watch.end();
    await database.drop();
    await remove();
  });
  await cliJson(env, 'app', 'create', '--name', 'Moved', '--id', '92');
  // A request that is retried meets another fault, so it succeeds eventually.
  const faults: Fault[] = ['tooMany', 'none', 'unavailable', 'none', 'cut', 'none', 'half', 'none', 'none', 'none'];
  /** Path that is never answered, so that a request for it is in flight when the process is killed. */
  let unanswered: string | undefined;
  const proxy = await startFaultyProxy(
    () => source.service.url,
    (nth, path) => (unanswered && path.includes(unanswered) ? 'silence' : faults[nth % faults.length]!),
  );
  const command = ['migrate-from', proxy.url, '--application', '92', '--rate', '1000', '--json'];
  for (const part of [
    '/users.json',
    '/data/Wheels.json',
    `chat_dialog_id=${populated.group}&mark_as_read=0&sort_asc`,
    '/notifications.json',
    '/reactions.json',
    '/blobs.json',
  ]) {
    const begun = proxy.faults.length;
    unanswered = part;
    const running = launchCli(env, ...command);
    await Promise.race([until(() => proxy.faults.slice(begun).includes('silence')), endedEarly(running)]);
    await running.kill();
  }
  unanswered = undefined;
  for (const table of ['users', 'records', 'messages', 'reactions', 'blobs']) {
    await watch.query('BEGIN');
    await watch.query(`LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`);
    const running = launchCli(env, ...command);
    const isWaiting = async () => {
      const { rows } = await watch.query(
        `SELECT FROM pg_locks WHERE ${LOCKED_HERE} AND relation = '${table}'::regclass AND NOT granted`,
      );
      return rows.length > 0;
    };
    await Promise.race([until(isWaiting), endedEarly(running)]);
    await running.kill();
    await watch.query('ROLLBACK');
  }
  expect((await watch.query('SELECT step FROM migrations')).rows).toEqual([{ step: 'files' }]);

  const { code, stdout, stderr } = await cli(env, ...command);
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ isRepeated: false, dialogs: 6, messages: GROUP_MESSAGES + 7, files: 3 });
  expect(new Set(proxy.faults)).toEqual(new Set([...faults, 'silence']));
  expect((await watch.query(`SELECT FROM migrated_messages`)).rowCount).toBe(0);

  await watch.query(`UPDATE api_keys SET key_hash = $1`, [hashSecret(API_KEY)]);
  const service = await startService(dataDir, { DATABASE_URL: database.url });
  await expectMoved(source.service, service, populated);
  expect(await service.stop()).toBe(0);
}, 600_000);

test('a migration interrupted while it stores data stops after the current step and can be resumed', async () => {
  const database = await startOwnDatabase();
  const { dataDir, remove } = await createDataDir();
  onTestFinished(async () => {
    await database.drop();
    await remove();
  });
  const env = { DATABASE_URL: database.url, DATA_DIR: dataDir, SOURCE_API_KEY: API_KEY };
  await cliJson(env, 'app', 'create', '--name', 'Moved', '--id', '92');
  const command = ['migrate-from', source.service.url, '--application', '92', '--rate', '1000', '--json'];
  const holder = await lockRows(database.config, 'LOCK TABLE users IN SHARE ROW EXCLUSIVE MODE');
  const running = launchCli({ ...env, ...holder.env }, ...command);
  await Promise.race([until(holder.isWaitedFor), endedEarly(running)]);
  running.interrupt();
  await holder.release();
  const { code, stdout, stderr } = await running.answer;
  expect({ code, stdout, lastLine: stderr.trimEnd().split('\n').at(-1) }).toEqual({
    code: 1,
    stdout: '',
    lastLine: 'atrium: stopped; repeat the command to resume',
  });
  await until(holder.isLeft);
  const { rows } = await holder.query('SELECT step, (SELECT count(*)::int FROM users) AS users FROM migrations');
  expect(rows).toEqual([{ step: 'store users', users: await count(source, '/users.json') }]);
  expect(await cli(env, ...command)).toMatchObject({ code: 0 });
}, 600_000);

test('a migration without an API key copies what the users with known passwords can see', async () => {
  const [, bob] = populated.users as [number, number];
  const database = await startOwnDatabase();
  const { dataDir, remove } = await createDataDir();
  const watch = new pg.Client(database.config);
  await watch.connect();
  onTestFinished(async () => {
    await watch.end();
    await database.drop();
    await remove();
  });
  const env = { DATABASE_URL: database.url, DATA_DIR: dataDir };
  const credentials = join(dataDir, 'credentials-there.json');
  const known = { applicationId: 92, authKey: 'AUTHKEY', authSecret: 'the-secret' };
  await writeFile(credentials, JSON.stringify({ ...known, users: [{ login: 'bob', password: 'password-1' }] }));
  await cliJson(env, 'app', 'create', '--name', 'Moved', '--id', '92');
  const command = ['migrate-from', source.service.url, '--application', '92', '--rate', '1000', '--json'];
  const { code, stdout, stderr } = await cli(env, ...command, '--credentials', credentials);
  expect(code, stderr).toBe(0);
  expect(stderr).toContain('classes and records are skipped');
  expect(JSON.parse(stdout)).toMatchObject({ classes: 0, records: 0, dialogs: 3, files: 1, filesStored: 1 });

  const unread = await watch.query(
    `SELECT sum(d.message_count - m.settled_count)::int AS total FROM members m
     JOIN dialogs d ON d.application_id = m.application_id AND d.id = m.dialog_id
     WHERE m.user_id = $1 AND d.type <> 1 AND m.left_at IS NULL`,
    [bob],
  );
  const there = await rest(source.service.url, 'GET', '/chat/Message/unread.json', undefined, bob);
  expect(unread.rows).toEqual([{ total: there.body.total }]);

  const wrong = await cli(
    { ...env, SOURCE_APPLICATION_ID: '92', SOURCE_AUTH_KEY: 'AUTHKEY', SOURCE_AUTH_SECRET: 'the-secret' },
    ...command,
  );
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('SOURCE_…: specify an API key') });
}, 600_000);

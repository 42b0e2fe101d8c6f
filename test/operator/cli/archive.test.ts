import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { sign } from '../../../src/lib/signature.ts';
import { ARCHIVED, EXCLUDED_TABLES } from '../../../src/operator/archive/tables.ts';
import { Encrypter } from '../../../src/platform/encryption/encrypter.ts';
import { additionalDataOfApiKey } from '../../../src/resolvers/ai/assistants.ts';
import { openSettings } from '../../../src/resolvers/pushes/settings.ts';
import { APPLICATION, ENCRYPTER, useApp } from '../../support/app/app.ts';
import { program } from '../../support/app/compiled-source.ts';
import { findDifferences } from '../../support/app/integrity.ts';
import { startService } from '../../support/app/service.ts';
import { sql } from '../../support/app/sql.ts';
import { rest } from '../../support/clients/rest.ts';
import {
  allRows,
  currentInstallation,
  emptyInstallation,
  entriesOf,
  envOf,
  type Installation,
  storeArchive,
  temporaryFolder,
  writeArchive,
} from '../../support/fixtures/archives.ts';
import { storeBlob } from '../../support/fixtures/blobs.ts';
import { created } from '../../support/fixtures/chat-cast.ts';
import { createFullData, type FullData, HOSTILE, SECRETS } from '../../support/fixtures/full-data.ts';

useApp();

const ROOT = resolve(import.meta.dirname, '../../..');
const CLI = 'npm run --silent cli --';

let made: FullData;
beforeAll(async () => {
  made = await createFullData();
}, 600_000);

test('every table is either archived or excluded', async () => {
  const tables = await sql<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
    WHERE table_schema = 'public' AND table_name <> '_prisma_migrations'`,
  );
  const decided = [...ARCHIVED.map(({ name }) => name), ...Object.keys(EXCLUDED_TABLES)];
  expect(decided.sort()).toEqual(tables.map(({ name }) => name).sort());
});

test('the fixture has rows in every archived table', async () => {
  // A sweep may already have deleted the rows of deleted_classes.
  const { deleted_classes: _, ...rows } = await allRows(currentInstallation());
  expect(Object.entries(rows).filter(([, { length }]) => length === 0)).toEqual([]);
});

test('export, import and export again yield identical rows and files', async () => {
  const [folder, place] = [await temporaryFolder(), await emptyInstallation()];
  const [first, second] = [join(folder, 'first.tar.gz'), join(folder, 'second.tar.gz')];
  expect(await writeArchive(first, currentInstallation())).toEqual([]);
  expect((await stat(first)).mode & 0o777).toBe(0o600);

  const imported = await storeArchive(first, place);
  expect(imported).toMatchObject({ isResumed: false, applications: [{ id: APPLICATION.id }, { id: made.other.id }] });
  expect(imported.applications[0]!.files.count).toBe(5);
  expect(await findDifferences(place)).toEqual([]);
  expect(await allRows(place)).toEqual(await allRows(currentInstallation()));
  expect(await secretsOf(place, ENCRYPTER)).toEqual(await secretsOf(currentInstallation(), ENCRYPTER));

  await writeArchive(second, place);
  const [before, after] = [await entriesOf(first), await entriesOf(second)];
  expect(contentOf(after)).toEqual(contentOf(before));
  const everything = Buffer.concat([...before.values()]).toString('latin1');
  for (const secret of SECRETS) expect(everything).not.toContain(secret);
}, 600_000);

test('a passphrase moves one application to a service with another encryption key', async () => {
  const [folder, place] = [await temporaryFolder(), await emptyInstallation()];
  const file = join(folder, 'one.tar.gz');
  await writeArchive(file, currentInstallation(), { applicationId: APPLICATION.id, passphrase: 'Größe 12' });
  const encrypter = new Encrypter(Buffer.alloc(32, 9));

  await expect(storeArchive(file, place, { encrypter })).rejects.toThrow('the archive is encrypted with a passphrase');
  await expect(storeArchive(file, place, { encrypter, passphrase: 'guess' })).rejects.toThrow('wrong passphrase');
  await expect(
    storeArchive(file, place, { encrypter, passphrase: 'Größe 12', applicationId: made.other.id }),
  ).rejects.toThrow(`the archive does not contain application ${made.other.id}`);
  expect((await allRows(place)).applications).toEqual([]);

  await storeArchive(file, place, { encrypter, passphrase: 'Größe 12'.normalize('NFD') });
  expect(await secretsOf(place, encrypter)).toEqual(await secretsOf(currentInstallation(), ENCRYPTER));
  const rows = await allRows(place);
  expect(rows.applications).toHaveLength(1);
  expect(rows.messages!.some((row) => row.includes('in the other application'))).toBe(false);
}, 600_000);

test('applications of one archive can be imported separately, each only once', async () => {
  const [folder, place] = [await temporaryFolder(), await emptyInstallation()];
  const file = join(folder, 'two.tar.gz');
  await writeArchive(file, currentInstallation());
  const [one, other] = [APPLICATION.id, made.other.id];
  await storeArchive(file, place, { applicationId: other });
  await expect(storeArchive(file, place)).rejects.toThrow(`application ${other} already exists`);
  await storeArchive(file, place, { applicationId: one });
  expect(await allRows(place)).toEqual(await allRows(currentInstallation()));

  const client = new pg.Client(place.database);
  await client.connect();
  const { rows } = await client.query(
    `SELECT application_id AS of, concat_ws(' ', actor_kind, action, subject, subject_id) AS change,
      after -> 'auth_secret' AS secret
    FROM audit_entries ORDER BY id`,
  );
  await client.end();
  expect(rows).toEqual(
    [other, one].flatMap((id) => [
      { of: id, change: `operator create Application ${id}`, secret: 'redacted' },
      { of: id, change: `operator update Application ${id}`, secret: null },
    ]),
  );
}, 600_000);

test('a service on imported data accepts old passwords, serves lists and files, and assigns free ids', async () => {
  const [folder, place] = [await temporaryFolder(), await emptyInstallation()];
  const file = join(folder, 'moved.tar.gz');
  await writeArchive(file, currentInstallation());
  await storeArchive(file, place);
  const service = await startService(place.dataDir, envOf(place));
  try {
    const call = caller(service.url);
    const { session } = await call('POST', '/session', signedIn(made.alice));
    const alice = { 'SVC-Token': session.token };
    expect(session.user_id).toBe(made.alice.id);

    const { items: messages } = await call(
      'GET',
      `/chat/Message?chat_dialog_id=${made.group}&sort_desc=date_sent`,
      undefined,
      alice,
    );
    expect(messages.find(({ _id }: { _id: string }) => _id === made.message).message).toBe('with more');
    const sent = await call('POST', '/chat/Message', { chat_dialog_id: made.group, message: 'next' }, alice);
    const after = await call('GET', `/chat/Message/${sent._id}`, undefined, alice);
    expect(after.message).toBe('next');

    const query = `make=${encodeURIComponent(HOSTILE)}`;
    const { items: cars } = await call('GET', `/data/cars?${query}`, undefined, alice);
    expect(cars.map(({ _id }: { _id: string }) => _id)).toEqual([made.car]);
    const { items: dearest } = await call('GET', '/data/cars?sort_desc=price&price[gt]=27', undefined, alice);
    expect(dearest.map(({ price }: { price: number }) => price)).toEqual([29, 28]);
    const created = await call('POST', '/data/cars', { make: 'new', price: 28.5 }, alice);
    expect((await call('GET', '/data/cars?price[gt]=28&price[lt]=29', undefined, alice)).items).toMatchObject([
      { _id: created._id },
    ]);
    const taken = await fetch(`${service.url}/data/cars.json`, {
      method: 'POST',
      headers: { ...alice, 'Content-Type': 'application/json' },
      body: JSON.stringify({ plate: 'AB 1' }),
    });
    expect(taken.status).toBe(422);

    for (const [uid, bytes] of made.blobs) {
      const answer = await fetch(`${service.url}/blobs/${uid}`, { headers: alice });
      expect(answer.status).toBe(200);
      expect(Buffer.compare(Buffer.from(await answer.arrayBuffer()), bytes)).toBe(0);
    }
    const motor = await fetch(`${service.url}/data/cars/${made.car}/file?field_name=motor`, { headers: alice });
    expect(Buffer.compare(Buffer.from(await motor.arrayBuffer()), made.motor)).toBe(0);

    const key = { Authorization: `ApiKey ${APPLICATION.apiKey}` };
    const { user } = await call('POST', '/users', { user: { login: 'new', password: 'password-1' } }, key);
    const [last] = await sql<{ id: number }>('SELECT max(id) AS id FROM users');
    expect(user.id).toBe(last!.id + 1);
    const asked = { query: '{ users(first: 1) { totalCount } application { name } }' };
    const { data } = await call('POST', '/graphql', asked, key);
    const [users] = await sql<{ count: number }>('SELECT count(*)::int FROM users WHERE application_id = $1', [
      APPLICATION.id,
    ]);
    expect(data.users.totalCount).toBe(users!.count + 1);
  } finally {
    expect(await service.stop()).toBe(0);
  }
}, 600_000);

test('an export during writes is a consistent snapshot', async () => {
  const [folder, place] = [await temporaryFolder(), await emptyInstallation()];
  const file = join(folder, 'busy.tar.gz');
  const removed = await createBlobs(3);
  let begin = () => {};
  const hasBegun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  let isWriting = true;
  const writing = (async () => {
    for (let number = 0; isWriting || number < 5; number++) {
      const { _id } = await created(
        '/chat/Dialog',
        { type: 2, name: 'busy', occupants_ids: [made.alice.id + 1] },
        made.alice,
      );
      for (const text of ['one', 'two']) {
        await created('/chat/Message', { chat_dialog_id: _id, message: text }, made.alice);
      }
      await created('/data/cars', { make: 'busy' }, made.alice);
      if (number === 1) await hasBegun;
    }
  })();
  // The snapshot has been taken and files are still to be read; their rows and bytes are deleted in the meantime.
  const missing = await writeArchive(file, currentInstallation(), {
    beforeFile: async () => {
      begin();
      for (const { id } of removed.splice(0)) await rest('DELETE', `/blobs/${id}`, { as: made.alice });
    },
  });
  isWriting = false;
  await writing;
  expect(missing).toHaveLength(3);

  await storeArchive(file, place);
  const client = new pg.Client(place.database);
  await client.connect();
  const { rows } = await client.query(`SELECT
    (SELECT count(*)::int FROM messages m LEFT JOIN dialogs d ON d.id = m.dialog_id
      LEFT JOIN destroyed_dialogs g ON g.dialog_id = m.dialog_id
      WHERE d.id IS NULL AND g.dialog_id IS NULL) AS "withoutDialog",
    (SELECT count(*)::int FROM dialogs d WHERE d.message_count
      <> (SELECT count(*) FROM messages m WHERE m.dialog_id = d.id)) AS miscounted,
    (SELECT count(*)::int FROM dialogs d WHERE NOT EXISTS (SELECT FROM members m WHERE m.dialog_id = d.id)
      AND d.type = 2) AS "withoutMembers"`);
  await client.end();
  expect(rows).toEqual([{ withoutDialog: 0, miscounted: 0, withoutMembers: 0 }]);
}, 600_000);

test('the commands of docs/backup.md print the documented output', async () => {
  const [folder, source] = [await temporaryFolder(), await emptyInstallation()];
  const text = await readFile(resolve(ROOT, 'docs/backup.md'), 'utf8');
  const blocks = [...text.matchAll(/```(sh|text)\n([\s\S]*?)\n```/g)].map(([, kind, block]) => ({
    kind,
    block: block!,
  }));
  const commands = blocks.filter(({ kind }) => kind === 'sh').map(({ block }) => block);
  const printed = blocks.filter(({ kind }) => kind === 'text').map(({ block }) => block);
  const [backup, handOver, restore, ...others] = commands as [string, string, string, ...string[]];
  // The tools of PostgreSQL may be missing where tests run.
  expect(others.map((command) => command.match(/\bpg_\w+/)?.[0])).toEqual(['pg_dump', 'pg_restore']);
  // Runs the program from source, because `npm run cli` requires a build.
  const started = (command: string) => command.replaceAll('npm run --silent cli --', `node ${program('cli')}`);
  const run = async (command: string, place: Installation) => {
    const env = { ...process.env, ...envOf(place), LC_ALL: 'C' };
    return (await promisify(execFile)('bash', ['-ec', started(command)], { cwd: folder, env })).stdout.trim();
  };
  await run(`${CLI} app create --name Shop`, source);
  expect(await run(backup, source)).toBe(printed[0]);
  await run(handOver, source);
  const target = await emptyInstallation();
  expect(await run(restore, target)).toBe(printed[1]);
  expect(JSON.parse(await run(`${CLI} app list --json`, target))).toMatchObject([{ id: 1, name: 'Shop' }]);
}, 600_000);

async function createBlobs(count: number): Promise<{ id: number }[]> {
  const blobs: { id: number }[] = [];
  for (let number = 0; number < count; number++) blobs.push(await storeBlob(made.alice, `bytes ${number}`));
  return blobs;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
function caller(url: string): (method: string, path: string, json?: object, headers?: object) => Promise<any> {
  return async (method, path, json, headers) => {
    const answer = await fetch(url + path, {
      method,
      headers: { ...headers, ...(json && { 'Content-Type': 'application/json' }) },
      body: json && JSON.stringify(json),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text);
  };
}

function signedIn({ login, password }: { login: string; password: string }) {
  const parameters = {
    application_id: String(APPLICATION.id),
    auth_key: APPLICATION.authKey,
    nonce: '7',
    timestamp: String(Math.floor(Date.now() / 1000)),
  };
  const pairs: [string, string][] = [
    ...Object.entries(parameters),
    ['user[login]', login],
    ['user[password]', password],
  ];
  return { ...parameters, user: { login, password }, signature: sign(pairs, APPLICATION.authSecret, 'sha1') };
}

/** Without the time of the archive, and without ciphertexts, which always differ. */
function contentOf(entries: Map<string, Buffer>): Record<string, string> {
  const { 'archive.json': _header, 'manifest.json': _manifest, ...others } = Object.fromEntries(entries);
  return Object.fromEntries(
    Object.entries(others).map(([name, content]) => [
      name,
      content.toString('latin1').replace(/"v1\.[\w-]+"/g, '"<sealed>"'),
    ]),
  );
}

async function secretsOf({ database }: Installation, encrypter: Encrypter): Promise<string[]> {
  const client = new pg.Client(database);
  await client.connect();
  const settings = await client.query(
    `SELECT application_id AS "applicationId", environment, provider, sealed AS "encryptedSettings" FROM push_settings`,
  );
  const assistants = await client.query(
    `SELECT application_id AS "applicationId", id, sealed_api_key AS sealed FROM assistants WHERE sealed_api_key <> ''`,
  );
  await client.end();
  expect(settings.rows.length * assistants.rows.length).toBeGreaterThan(0);
  return [
    ...settings.rows.map((row) => JSON.stringify(openSettings(row, encrypter))),
    ...assistants.rows.map((row) => encrypter.decrypt(row.sealed, additionalDataOfApiKey(row))),
  ];
}

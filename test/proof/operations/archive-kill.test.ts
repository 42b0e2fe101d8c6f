import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { APPLICATION, useApp } from '../../support/app/app.ts';
import { type CliAnswer, cli, cliJson, launchCli } from '../../support/app/cli.ts';
import { startService } from '../../support/app/service.ts';
import { LOCKED_HERE, sql } from '../../support/app/sql.ts';
import { until } from '../../support/clients/websocket.ts';
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
import { createFullData, type FullData } from '../../support/fixtures/full-data.ts';
import { signedParameters } from '../../support/fixtures/users.ts';

useApp();

let made: FullData;
beforeAll(async () => {
  made = await createFullData();
  // Enough for several parts.
  await sql(
    `INSERT INTO messages (application_id, id, dialog_id, seq, sender_id, recipient_id, text, send_to_chat, date_sent,
      created_at, updated_at)
    SELECT $1, lpad(to_hex(n), 24, '0'), $2, 1000 + n, 1, 0, md5(n::text) || repeat('x', 400), false, 1, now(), now()
    FROM generate_series(1, 6000) n`,
    [APPLICATION.id, made.group],
  );
}, 600_000);

test('an import that is killed repeatedly and resumed yields the complete data', async () => {
  const [folder, place] = [await temporaryFolder(), await emptyInstallation()];
  const file = join(folder, 'a.tar.gz');
  await writeArchive(file, currentInstallation());
  for (const table of ['users', 'messages', 'records', 'push_sends']) await killedAt(place, file, table);
  const { code, stdout } = await cli(envOf(place), 'import', file, '--trust', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ isResumed: true, applications: [{ id: APPLICATION.id }, {}] });
  const [there, source] = [await allRows(place), await allRows(currentInstallation())];
  for (const [table, rows] of Object.entries(source)) expect([table, there[table]]).toEqual([table, rows]);
  expect(await filesIn(place)).toEqual(await filesIn(currentInstallation()));
}, 600_000);

test('an incomplete import admits no callers, even with valid credentials', async () => {
  const [folder, place] = [await temporaryFolder(), await emptyInstallation()];
  const file = join(folder, 'a.tar.gz');
  await writeArchive(file, currentInstallation());
  // Credentials and blobs are imported by then.
  await killedAt(place, file, 'push_sends');
  const service = await startService(place.dataDir, envOf(place));
  const answers = async () => {
    const key = { headers: { Authorization: `ApiKey ${APPLICATION.apiKey}` } };
    const signed = signedParameters({ timestamp: String(Math.floor(Date.now() / 1000)) });
    const calls = [
      fetch(`${service.url}/users.json`, key),
      fetch(`${service.url}/session.json`, { method: 'POST', body: new URLSearchParams(signed) }),
      fetch(`${service.url}/blobs/${made.blobs[1]![0]}`),
    ];
    return (await Promise.all(calls)).map(({ status }) => status);
  };
  try {
    expect(await answers()).toEqual([401, 422, 404]);
    expect(await cli(envOf(place), 'import', file, '--trust')).toMatchObject({ code: 0 });
    expect(await answers()).toEqual([200, 201, 200]);
  } finally {
    expect(await service.stop()).toBe(0);
  }
}, 600_000);

test('an incomplete import blocks another archive until it is discarded', async () => {
  const [folder, place] = [await temporaryFolder(), await emptyInstallation()];
  const [file, another] = [join(folder, 'a.tar.gz'), join(folder, 'b.tar.gz')];
  await writeArchive(file, currentInstallation());
  await writeArchive(another, currentInstallation());
  await killedAt(place, file, 'messages');
  await expect(storeArchive(another, place)).rejects.toThrow('has an unfinished import of another archive');
  await sqlIn(place, 'UPDATE applications SET imported_entries = -1');
  // The removal has begun, so it is completed first.
  expect(await storeArchive(another, place)).toMatchObject({ isResumed: false });
  expect(await allRows(place)).toEqual(await allRows(currentInstallation()));
  expect(await discard(place)).toEqual({
    stdout: '',
    code: 1,
    stderr: `atrium: application ${APPLICATION.id} has no unfinished import\n`,
  });
}, 600_000);

test('files that were incomplete when the import was killed are stored again', async () => {
  const [folder, place] = [await temporaryFolder(), await emptyInstallation()];
  const file = join(folder, 'a.tar.gz');
  await writeArchive(file, currentInstallation(), { applicationId: APPLICATION.id });
  const { id } = await storeArchive(file, place);
  // The state after a process was killed while storing the last file but one.
  const [, key] = /files\/(\S+)/.exec([...(await entriesOf(file)).keys()].at(-3)!)!;
  await rm(join(place.dataDir, 'files', key!));
  await writeFile(join(place.dataDir, 'files', `${key}.part`), 'half of it');
  const entries = (await entriesOf(file)).size - 2;
  await sqlIn(place, `UPDATE applications SET import_id = '${id}', imported_entries = ${entries - 2}`);
  expect(await storeArchive(file, place)).toMatchObject({ isResumed: true });
  expect(await filesIn(place)).toEqual(await filesIn(currentInstallation()));
}, 600_000);

test('discard-import removes all rows and files', async () => {
  const [folder, place] = [await temporaryFolder(), await emptyInstallation()];
  const file = join(folder, 'a.tar.gz');
  await writeArchive(file, currentInstallation(), { applicationId: APPLICATION.id });
  await storeArchive(file, place);
  await sqlIn(place, "UPDATE applications SET import_id = 'unfinished'");
  const state = 'unfinished: repeat the import, or run discard-import';
  expect(await cliJson(envOf(place), 'app', 'list')).toContainEqual(
    expect.objectContaining({ id: APPLICATION.id, import: state }),
  );
  expect(await cliJson(envOf(place), 'app', 'show', String(APPLICATION.id))).toMatchObject({ import: state });
  expect((await cli(envOf(place), 'app', 'list')).stdout).toContain(state);
  expect(await discard(place)).toMatchObject({ code: 0 });
  expect(Object.values(await allRows(place)).flat()).toEqual([]);
  expect(await sqlIn(place, 'SELECT FROM blob_counts UNION ALL SELECT FROM geodata_counts')).toEqual([]);
  expect(await filesIn(place)).toEqual([]);
}, 600_000);

async function killedAt({ database, ...place }: Installation, file: string, table: string): Promise<void> {
  const client = new pg.Client(database);
  await client.connect();
  const count = async (what: string) => (await client.query(`SELECT FROM ${what}`)).rowCount!;
  try {
    await client.query(`BEGIN; LOCK TABLE ${table} IN SHARE MODE`);
    const command = launchCli(envOf({ database, ...place }), 'import', file, '--trust');
    await until(
      async () =>
        (await count(`pg_locks WHERE ${LOCKED_HERE} AND NOT granted AND relation = '${table}'::regclass`)) > 0,
    );
    await command.kill();
    await client.query('ROLLBACK');
    // The lock is released when the database notices the closed connection.
    await until(async () => (await count(`pg_locks WHERE ${LOCKED_HERE} AND locktype = 'advisory'`)) === 0);
  } finally {
    await client.end();
  }
}

function discard(place: Installation): Promise<CliAnswer> {
  return cli(envOf(place), 'discard-import', String(APPLICATION.id));
}

async function sqlIn({ database }: Installation, statement: string): Promise<object[]> {
  const client = new pg.Client(database);
  await client.connect();
  const { rows } = await client.query(statement);
  await client.end();
  return rows;
}

async function filesIn({ dataDir }: Installation): Promise<string[]> {
  const entries = await readdir(join(dataDir, 'files'), { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort();
}

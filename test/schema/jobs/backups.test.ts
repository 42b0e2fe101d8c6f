import { createHash } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { ArchiveParts } from '../../../src/jobs/archive-parts.ts';
import { sweep } from '../../../src/jobs/sweep.ts';
import { sweepFiles } from '../../../src/jobs/sweep-files.ts';
import { ServiceUnavailableError } from '../../../src/lib/errors.ts';
import { DAY } from '../../../src/lib/time.ts';
import { APPLICATION, clock, running, useApp } from '../../support/app/app.ts';
import { cli } from '../../support/app/cli.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { errorIn, signedInAdministrator, type TestAdministrator } from '../../support/fixtures/administrators.ts';
import {
  allRows,
  currentInstallation,
  emptyInstallation,
  envOf,
  temporaryFolder,
} from '../../support/fixtures/archives.ts';
import { execute } from '../../support/fixtures/chat.ts';
import { createFullData } from '../../support/fixtures/full-data.ts';
import { createDownload, download, exported, findJob, PASSPHRASE, startExport } from '../../support/fixtures/jobs.ts';
import { RETENTION } from '../../support/fixtures/retention.ts';

useApp();

const applicationId = APPLICATION.id;
const DELETE = 'mutation ($id: ID!) { deleteBackup(id: $id) { backup { isStored } } }';

let owner: TestAdministrator;
beforeAll(async () => {
  await createFullData();
  owner = await signedInAdministrator('owner');
}, 600_000);

async function storedParts(): Promise<string[]> {
  const at = join(running.dataDir, 'files', 'backups', '0000005c');
  return (await readdir(at).catch(() => [])).sort();
}

async function bytesOf(id: string): Promise<Buffer> {
  const { path } = (await createDownload(owner, id)).data.createBackupDownload;
  return Buffer.from(await (await download(path, owner)).arrayBuffer());
}

test('a downloaded archive is complete, and the CLI imports it into another service', async () => {
  const job = await exported(owner);
  expect(job).toMatchObject({ state: 'SUCCEEDED', error: null, check: null, backup: { isStored: true, files: 5 } });
  const { backup, progress } = job;
  expect(progress).toEqual({ done: backup.rows + backup.files, total: backup.rows + backup.files, step: null });

  const { path, expiresAt } = (await createDownload(owner, job.id)).data.createBackupDownload;
  expect(Date.parse(expiresAt)).toBe(clock.now() + 60_000);
  const response = await download(path, owner);
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'application/gzip',
    'content-disposition': `attachment; filename="application-92-2026-11-20.tar.gz"`,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'content-length': String(backup.bytes),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(backup.sha256);

  const [at, place] = [await temporaryFolder(), await emptyInstallation()];
  const [file, passphraseFile] = [join(at, 'a.tar.gz'), join(at, 'passphrase')];
  await writeFile(file, bytes);
  await writeFile(passphraseFile, `${PASSPHRASE}\n`);
  // Another key: only the passphrase opens the secrets.
  const env = { ...envOf(place), ENCRYPTION_KEY: '09'.repeat(32) };
  const imported = await cli(env, 'import', file, '--passphrase-file', passphraseFile, '--trust', '--json');
  expect(imported.stderr).toBe('');
  expect(JSON.parse(imported.stdout).applications).toEqual([
    { id: applicationId, rows: backup.rows, files: backup.files, bytes: expect.any(Number) },
  ]);
  const [there, here] = [await allRows(place), await allRows(currentInstallation())];
  const own = (rows: string[]) => rows.filter((row) => new RegExp(`"application_id": ${applicationId}[,}]`).test(row));
  for (const table of ['users', 'messages', 'records', 'blobs']) expect(there[table]).toEqual(own(here[table]!));
}, 600_000);

describe('an archive', () => {
  test('consists of parts whose bytes are joined again', async () => {
    const job = await exported(owner);
    const row = await db.job.findFirstOrThrow({ where: { id: job.id } });
    const whole = await bytesOf(job.id);
    const parts = new ArchiveParts({ ...row }, running.app.services.storage, 1_000);
    await db.job.update({
      where: { applicationId_id: { applicationId, id: job.id } },
      data: { state: 'running', partCount: 0, heartbeatAt: new Date(Date.now() + DAY) },
    });
    await rmParts(job.id);
    await parts.store(chunksOf(whole, 700));
    await db.job.update({ where: { applicationId_id: { applicationId, id: job.id } }, data: { state: 'succeeded' } });
    expect(parts.stored()).toEqual({ bytes: whole.length, sha256: job.backup.sha256 });
    const { partCount } = await db.job.findFirstOrThrow({ where: { id: job.id } });
    expect(partCount).toBe(Math.ceil(whole.length / 1_000));
    expect((await bytesOf(job.id)).equals(whole)).toBe(true);
  });

  test('is removed by its deletion at once, which the audit log names', async () => {
    const { id } = await exported(owner);
    expect((await storedParts()).filter((name) => name.startsWith(id))).toHaveLength(1);
    expect((await graphql(DELETE, { id }, owner)).data.deleteBackup).toEqual({ backup: { isStored: false } });
    expect((await storedParts()).filter((name) => name.startsWith(id))).toEqual([]);
    expect(errorIn(await graphql(DELETE, { id }, owner))).toMatchObject({ code: 'NOT_FOUND' });
    expect(errorIn(await createDownload(owner, id))).toMatchObject({ code: 'NOT_FOUND' });
    const list =
      'query ($id: String!) { auditEntries(filter: { subject: "Job", subjectId: $id }) { edges { node { action actorId after } } } }';
    const entries = (await execute(list, { id }, owner)).auditEntries.edges.map(({ node }: { node: object }) => node);
    expect(entries).toMatchObject([
      { action: 'UPDATE', actorId: owner.id, after: { deleted_at: expect.any(String) } },
      { action: 'CREATE', actorId: owner.id, after: { kind: 'export' } },
    ]);
    expect(JSON.stringify(entries)).not.toContain(PASSPHRASE);
  });

  test('expires, and the sweep removes its files', async () => {
    const { id, backup } = await exported(owner);
    expect(Date.parse(backup.expiresAt)).toBe(clock.now() + 7 * DAY);
    clock.advance(7 * DAY);
    await sweep(running.now(), RETENTION);
    await sweepFiles(running.now(), running.app.services.storage);
    expect(await storedParts()).toEqual([]);
    owner = await signedInAdministrator('owner');
    expect(await findJob(owner, id)).toMatchObject({ state: 'SUCCEEDED', backup: { isStored: false } });
  });

  test('an export requires a long passphrase, and an application stores at most ten archives', async () => {
    for (const passphrase of ['', ' short      ', 'x'.repeat(1_001)]) {
      expect(errorIn(await startExport(owner, passphrase))).toEqual({
        message: 'Passphrase should have 12 to 1000 characters',
        code: 'UNPROCESSABLE',
      });
    }
    const at = running.now();
    const common = { applicationId, kind: 'export', state: 'succeeded', administratorId: owner.id } as const;
    await db.job.createMany({
      data: Array.from({ length: 10 }, (_, nth) => ({
        ...common,
        id: String(nth).padStart(24, '0'),
        administratorName: 'x',
        processId: 'x',
        createdAt: at,
      })),
    });
    expect(errorIn(await startExport(owner))).toEqual({
      message: 'The service stores at most 10 archives of an application; delete one first',
      code: 'UNPROCESSABLE',
    });
    await db.job.deleteMany({ where: { id: { startsWith: '0000' } } });
  });
});

test('a failing storage fails the export with a sentence, and leaves no file', async () => {
  const { storage } = running.app.services;
  const put = storage.put.bind(storage);
  const before = await storedParts();
  storage.put = (key, stream, settings) => {
    if (!key.startsWith('backups/')) return put(key, stream, settings);
    stream.destroy();
    return Promise.reject(new ServiceUnavailableError());
  };
  const job = await exported(owner);
  storage.put = put;
  expect(job).toMatchObject({
    state: 'FAILED',
    backup: null,
    error:
      'The file storage is not available, or its disk is full. Check the log of the service, then start the job again.',
  });
  expect(await storedParts()).toEqual(before);
  expect(await exported(owner)).toMatchObject({ state: 'SUCCEEDED' });
});

test('files of archives are not files of the application', async () => {
  await exported(owner);
  const keys: string[] = [];
  for await (const { key } of running.app.services.storage.list(applicationId)) keys.push(key);
  expect(keys.length).toBeGreaterThan(0);
  expect(keys.filter((key) => key.startsWith('backups/'))).toEqual([]);
});

async function rmParts(id: string): Promise<void> {
  await running.app.services.storage.delete(`backups/0000005c/${id}-000001`);
}

async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { S3Storage } from '../../../src/gateways/s3-storage.ts';
import { sweep } from '../../../src/jobs/sweep.ts';
import { sweepFiles } from '../../../src/jobs/sweep-files.ts';
import { DAY } from '../../../src/lib/time.ts';
import { clock, running, useApp } from '../../support/app/app.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { type ObjectStore, STORE_CREDENTIALS, startObjectStore } from '../../support/fakes/s3.ts';
import { signedInAdministrator, type TestAdministrator } from '../../support/fixtures/administrators.ts';
import { emptyInstallation, entriesOf, storeArchive, temporaryFolder } from '../../support/fixtures/archives.ts';
import { storeBlob } from '../../support/fixtures/blobs.ts';
import { checked, createDownload, download, exported, findJob, PASSPHRASE } from '../../support/fixtures/jobs.ts';
import { RETENTION } from '../../support/fixtures/retention.ts';
import { createUser } from '../../support/fixtures/users.ts';

let store: ObjectStore;
let folder: string;
let owner: TestAdministrator;

useApp({
  storage: async () => {
    Object.assign(process.env, STORE_CREDENTIALS);
    store = await startObjectStore();
    folder = await mkdtemp(join(tmpdir(), 'atrium-files-'));
    return new S3Storage({ ...store, region: undefined }, folder, pino({ level: 'silent' }));
  },
});

beforeAll(async () => {
  owner = await signedInAdministrator('owner');
  const alice = await createUser();
  for (const bytes of ['a picture', 'a document']) await storeBlob(alice, bytes, { name: 'x.txt' });
});

afterAll(async () => {
  await store.stop().catch(() => {}); // stopped by the last test
  await rm(folder, { recursive: true });
});

const archives = async () => (await store.keys()).filter((key) => key.startsWith('backups/'));

test('an archive in a bucket contains the files of the bucket, and another service imports it', async () => {
  const { id, backup } = await exported(owner);
  expect(backup).toMatchObject({ files: 2, missingFiles: 0, isStored: true });
  expect(await archives()).toEqual([`backups/0000005c/${id}-000001`]);
  const { path } = (await createDownload(owner, id)).data.createBackupDownload;
  const bytes = Buffer.from(await (await download(path, owner)).arrayBuffer());
  expect([bytes.length, createHash('sha256').update(bytes).digest('hex')]).toEqual([backup.bytes, backup.sha256]);

  const file = join(await temporaryFolder(), 'a.tar.gz');
  await writeFile(file, bytes);
  const files = [...(await entriesOf(file))].filter(([name]) => name.includes('/files/'));
  expect(files.map(([, content]) => content.toString()).sort()).toEqual(['a document', 'a picture']);
  const { applications } = await storeArchive(file, await emptyInstallation(), { passphrase: PASSPHRASE });
  expect(applications).toMatchObject([{ files: { count: 2 } }]);
}, 600_000);

test('a check lists the bucket, and does not count archives as files of the application', async () => {
  await exported(owner);
  const { state, check } = await checked(owner);
  expect([state, check.differences]).toEqual(['SUCCEEDED', []]);
});

test('a deletion and the expiry of archives remove their objects, and no others', async () => {
  const others = (await store.keys()).filter((key) => !key.startsWith('backups/'));
  expect(others).toHaveLength(2);
  const { id } = await exported(owner);
  await graphql('mutation ($id: ID!) { deleteBackup(id: $id) { id } }', { id }, owner);
  expect((await archives()).filter((key) => key.includes(id))).toEqual([]);
  expect(await archives()).not.toEqual([]);
  clock.advance(7 * DAY);
  await sweep(running.now(), RETENTION);
  await sweepFiles(running.now(), running.app.services.storage);
  expect(await store.keys()).toEqual(others);
});

test('an export fails with advice while the bucket is not available', async () => {
  owner = await signedInAdministrator('owner');
  await store.stop();
  const { id, state, error, backup } = await exported(owner);
  expect({ state, error, backup }).toEqual({
    state: 'FAILED',
    error:
      'The file storage is not available, or its disk is full. Check the log of the service, then start the job again.',
    backup: null,
  });
  expect(await findJob(owner, id)).toMatchObject({ progress: { step: null } });
});

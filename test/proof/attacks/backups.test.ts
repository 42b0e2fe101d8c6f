import { beforeAll, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { applicationOfToken, sessionToken } from '../../../src/lib/tokens.ts';
import { APPLICATION, clock, running, useApp } from '../../support/app/app.ts';
import { createTenant } from '../../support/app/other-apps.ts';
import { graphql } from '../../support/clients/graphql.ts';
import {
  errorIn,
  inConsole,
  signedInAdministrator,
  type TestAdministrator,
} from '../../support/fixtures/administrators.ts';
import { createDownload, download, exported, PASSPHRASE, startExport } from '../../support/fixtures/jobs.ts';
import { apiKey, createUser } from '../../support/fixtures/users.ts';

useApp();

const GONE = 'The link has expired or was used. Start the download in the console again\n';

let owner: TestAdministrator;
let id: string;
beforeAll(async () => {
  owner = await signedInAdministrator('owner');
  await createUser();
  id = (await exported(owner)).id;
});

const ticket = async (as: TestAdministrator = owner): Promise<string> =>
  (await createDownload(as, id)).data.createBackupDownload.path;

async function expectRefused(path: string, as: Pick<TestAdministrator, 'cookie'>, headers = {}): Promise<void> {
  const response = await download(path, as, headers);
  expect([response.status, await response.text()]).toEqual([404, GONE]);
}

describe('#60 theft of archives', () => {
  test('a ticket works once, also if it is used twice at the same time', async () => {
    const path = await ticket();
    const responses = await Promise.all([1, 2, 3, 4].map(() => download(path, owner)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404]);
    for (const response of responses) await response.arrayBuffer();
    await expectRefused(path, owner);
  });

  test('a ticket expires after a minute', async () => {
    const path = await ticket();
    clock.advance(60_000);
    await expectRefused(path, owner);
  });

  test('a ticket works only with the session that created it', async () => {
    const path = await ticket();
    const another = await signedInAdministrator('owner');
    await expectRefused(path, another);
    await expectRefused(path, { cookie: '' });
    await expectRefused(path, { cookie: 'atrium-administrator=x' });
    await expectRefused(path, owner, { 'Sec-Fetch-Site': 'cross-site' });
    await expectRefused(path, owner, { 'Sec-Fetch-Site': 'same-site' });
    expect((await download(path, owner, { 'Sec-Fetch-Site': 'same-origin' })).status).toBe(200);
  });

  test('a ticket ends with the session and the role of its owner', async () => {
    const administrator = await signedInAdministrator('owner');
    const [first, second] = [await ticket(administrator), await ticket(administrator)];
    await db.administratorRole.updateMany({
      where: { administratorId: administrator.id },
      data: { role: 'developer' },
    });
    await expectRefused(first, administrator);
    await db.administratorRole.updateMany({ where: { administratorId: administrator.id }, data: { role: 'owner' } });
    await db.administratorSession.deleteMany({ where: { administratorId: administrator.id } });
    await expectRefused(second, administrator);
  });

  test('a ticket cannot be guessed, or changed to one of another application', async () => {
    const path = await ticket();
    const token = path.split('/').at(-1)!;
    const other = await createTenant(0);
    const moved = sessionToken(other.applicationId, Buffer.from(token.slice(8), 'hex'));
    expect(applicationOfToken(moved)).toBe(other.applicationId);
    const ofAll = await signedInAdministrator({ applicationId: null, role: 'owner' });
    for (const guess of [moved, token.slice(0, -1), `${token}0`, token.replace(/.$/, 'g'), '%00', id]) {
      await expectRefused(`/console/backups/${guess}`, ofAll);
    }
    const stored = await db.backupDownload.findMany();
    expect(JSON.stringify(stored)).not.toContain(token);
  });

  test('previews do not use a ticket up, and other methods are refused', async () => {
    const path = await ticket();
    for (const method of ['HEAD', 'POST', 'PUT', 'DELETE']) {
      const response = await fetch(`${running.url}${path}`, { method, headers: { Cookie: owner.cookie } });
      expect([method, response.status]).toEqual([method, 405]);
    }
    expect((await download(path, owner)).status).toBe(200);
  });

  test('only owners of the application start, see and download archives', async () => {
    const documents = [
      ['query ($id: ID!) { job(id: $id) { id } }', { id }],
      ['{ jobs { edges { node { id } } } }', {}],
      ['mutation ($id: ID!) { createBackupDownload(id: $id) { path } }', { id }],
      ['mutation ($id: ID!) { deleteBackup(id: $id) { id } }', { id }],
      ['mutation ($p: String!) { startExport(input: { passphrase: $p }) { id } }', { p: PASSPHRASE }],
      ['mutation { startCheck { id } }', {}],
    ] as const;
    const roles = ['developer', 'support', 'viewer'] as const;
    const people = await Promise.all(roles.map((role) => signedInAdministrator(role)));
    for (const as of [...people, apiKey, await createUser()]) {
      for (const [document, variables] of documents) {
        const answer = await graphql(document, variables, as);
        expect([document, answer.data ?? null]).toEqual([document, null]);
      }
    }
    const other = await createTenant(0);
    const stranger = await signedInAdministrator({ applicationId: other.applicationId, role: 'owner' });
    expect(errorIn(await createDownload(inConsole(stranger.cookie, other.applicationId), id))).toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(errorIn(await createDownload(inConsole(stranger.cookie, APPLICATION.id), id))).toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  test('the passphrase is nowhere in the database, and each download is recorded', async () => {
    const passphrase = 'a passphrase that only this test uses';
    const { data } = await startExport(owner, passphrase);
    const path = await ticket();
    await (await download(path, owner)).arrayBuffer();
    const tables = await Promise.all([db.job.findMany(), db.auditEntry.findMany(), db.backupDownload.findMany()]);
    const texts = JSON.stringify(tables, (_key, value) => (typeof value === 'bigint' ? String(value) : value));
    expect(texts).toContain(data.startExport.id);
    expect(texts).not.toContain(passphrase);
    const entries = await db.auditEntry.findMany({
      where: { subject: 'BackupDownload', subjectId: id },
      orderBy: { id: 'asc' },
    });
    expect(entries.at(-1)).toMatchObject({ actorKind: 'administrator', actorId: owner.id, action: 'update' });
    expect(entries.at(-1)!.network).not.toBeNull();
    expect(entries.at(-1)!.after).toMatchObject({ used_at: expect.any(String) });
  });
});

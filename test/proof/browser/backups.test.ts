import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { APPLICATION, running, useApp } from '../../support/app/app.ts';
import { sql } from '../../support/app/sql.ts';
import { expectAccessible, hasBrowser, openPage, PHONE, useBrowser } from '../../support/clients/browser.ts';
import { choose } from '../../support/clients/console.ts';
import { lockRows } from '../../support/faults/row-lock.ts';
import { signedInAdministrator, type TestAdministrator } from '../../support/fixtures/administrators.ts';
import { emptyInstallation, storeArchive, temporaryFolder } from '../../support/fixtures/archives.ts';
import { createDialog, send } from '../../support/fixtures/chat.ts';
import { checked, exported, PASSPHRASE } from '../../support/fixtures/jobs.ts';
import { createUsers } from '../../support/fixtures/users.ts';

const PAGE = `/console/apps/${APPLICATION.id}/backups`;

describe.skipIf(!hasBrowser)('the page Backups and checks', () => {
  useApp();
  useBrowser();

  let owner: TestAdministrator;
  beforeAll(async () => {
    owner = await signedInAdministrator('owner');
    const [alice, bob] = await createUsers(2);
    const dialogId = await createDialog(alice!, [alice!, bob!]);
    await send(alice!, dialogId, 'hello');
  });

  async function openAs({ cookie }: TestAdministrator, path = PAGE, options = {}) {
    const [name, value] = cookie.split('=') as [string, string];
    const one = { name, value, domain: '127.0.0.1', path: '/', expires: -1, httpOnly: true, secure: false };
    const storageState = { cookies: [{ ...one, sameSite: 'Strict' as const }], origins: [] };
    return openPage(`${running.url}${path}`, { storageState, acceptDownloads: true, ...options });
  }

  const holdMessages = () => lockRows(running.database.config, 'LOCK TABLE messages IN ACCESS EXCLUSIVE MODE');

  async function startExport(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await page.locator('input[type=password]').first().fill(PASSPHRASE);
    await page.locator('input[type=password]').last().fill(`${PASSPHRASE}x`);
    expect(await page.getByRole('button', { name: 'Start export' }).isDisabled()).toBe(true);
    await page.getByText('Differs from the passphrase').waitFor();
    await page.locator('input[type=password]').last().fill(PASSPHRASE);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Start export' }).click();
  }

  test('explains itself while there are no jobs', async () => {
    const { page, problems } = await openAs(owner);
    await page.getByText('No backups and no checks').waitFor();
    await expectAccessible(page);
    expect(problems).toEqual([]);
  });

  test('an export is started, followed, downloaded and deleted, and the file can be imported', async () => {
    const { page, problems } = await openAs(owner);
    const lock = await holdMessages();
    await startExport(page);
    const card = page.getByRole('region', { name: 'Export' });
    await card.getByText('Counting').waitFor();
    await expectAccessible(page);
    await lock.release();
    await page
      .getByRole('row', { name: /Export/ })
      .getByText('Done')
      .waitFor();

    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page
        .getByRole('row', { name: /Export/ })
        .getByRole('button', { name: 'Download' })
        .click(),
    ]);
    expect(saved.suggestedFilename()).toMatch(/^application-92-\d{4}-\d\d-\d\d\.tar\.gz$/);
    const [file, place] = [`${await temporaryFolder()}/a.tar.gz`, await emptyInstallation()];
    await saved.saveAs(file);
    const { applications } = await storeArchive(file, place, { passphrase: PASSPHRASE });
    expect(applications).toMatchObject([{ id: APPLICATION.id }]);

    await page.getByRole('link', { name: 'Export' }).click();
    await page.getByText('SHA-256').waitFor();
    await expectAccessible(page);
    await choose(page, 'Delete archive');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete archive' }).click();
    await page.getByText('No longer').waitFor();
    expect(await page.getByRole('button', { name: 'Download' }).count()).toBe(0);
    expect((await readFile(file)).length).toBeGreaterThan(1_000);
    expect(problems).toEqual([]);
  });

  test('a job that another browser started is shown live and can be canceled', async () => {
    const [first, second] = [await openAs(owner), await openAs(await signedInAdministrator('owner'))];
    for (const { page } of [first, second])
      await page
        .getByRole('row', { name: /Export/ })
        .first()
        .waitFor();
    const lock = await holdMessages();
    await startExport(first.page);
    await second.page.getByRole('button', { name: 'Cancel Export' }).click();
    for (const { page } of [first, second])
      await page
        .getByRole('row', { name: /Export/ })
        .getByText('Canceled')
        .waitFor();
    await lock.release();
  });

  test('a check shows what differs, and a repair corrects it', async () => {
    await sql('UPDATE members SET sent_count = 7 WHERE application_id = $1', [APPLICATION.id]);
    const { page, problems } = await openAs(owner, `${PAGE}?start=check`);
    await page.getByRole('dialog').getByRole('button', { name: 'Start check' }).click();
    await page.getByRole('link', { name: 'Check', exact: true }).click();
    await page.getByText(/\d+ checks, 2 differences/).waitFor();
    await page.getByText('A repair corrects it.').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Check and repair' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Check and repair' }).click();
    await page.getByText('2 repaired').waitFor();
    await page.getByRole('link', { name: 'Backups and checks' }).first().click();
    await page.getByRole('button', { name: 'Start check' }).click();
    await page.keyboard.press('Enter');
    await page.getByText(/\d+ checks, no differences/).waitFor();
    expect(problems).toEqual([]);
  });

  test('can be reached by owners with the keyboard, and by no one else', async () => {
    const { page } = await openAs(owner, `/console/apps/${APPLICATION.id}/overview`);
    await page.getByText('Messages per hour').waitFor();
    await page.keyboard.press('Control+K');
    await page.keyboard.type('backups');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Backups and checks' }).waitFor();
    const other = await openAs(await signedInAdministrator('developer'));
    await other.page.getByText('Your role does not allow this operation').waitFor();
    expect(await other.page.getByRole('link', { name: 'Backups and checks' }).count()).toBe(0);
  });

  test.each([
    ['a phone in the dark', PHONE],
    ['a desktop in the dark', { colorScheme: 'dark' as const }],
  ])('fits %s, with all its parts', async (_name, options) => {
    const [archive, check] = [await exported(owner), await checked(owner)];
    const paths: [path: string, text: RegExp][] = [
      ['', /, stored$/],
      ['?start=export', /^Start export$/],
      [`/${archive.id}`, /^SHA-256$/],
      [`/${check.id}`, /^\d+ checks, /],
    ];
    for (const [path, text] of paths) {
      const { page, problems } = await openAs(owner, `${PAGE}${path}`, options);
      await page.getByText(text).first().waitFor();
      await expectAccessible(page);
      const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
      expect([path, isWide, problems]).toEqual([path, false, []]);
      await page.context().close();
    }
  });
});

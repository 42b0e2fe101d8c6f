import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { db } from '../../../../src/db/client.ts';
import { clock, useApp } from '../../../support/app/app.ts';
import { hasBrowser, PHONE, useBrowser } from '../../../support/clients/browser.ts';
import { openAs, owner, stateReason } from '../../../support/clients/console.ts';
import type { TestAdministrator } from '../../../support/fixtures/administrators.ts';
import { createConsoleData } from '../../../support/fixtures/console-data.ts';
import { type ConsolePage, consolePages } from '../../../support/fixtures/console-pages.ts';

const MAX_BYTES = 150_000;
const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 800 } };

/** Name of the file, route of the page, and how it is shown. */
const IMAGES: [name: string, route: string, options: BrowserContextOptions][] = [
  ['console-home', '/', DESKTOP],
  ['console-overview', '/apps/$application/overview', DESKTOP],
  ['console-overview-dark', '/apps/$application/overview', { ...DESKTOP, colorScheme: 'dark' }],
  ['console-users', '/apps/$application/users', DESKTOP],
  ['console-user', '/apps/$application/users/$user', DESKTOP],
  ['console-class', '/apps/$application/data/$class', DESKTOP],
  ['console-dialog', '/apps/$application/dialogs/$dialog', DESKTOP],
  ['console-dialog-phone', '/apps/$application/dialogs/$dialog', PHONE],
];

/** The images of the guides. With the variable SCREENSHOTS, the folder in which they are stored. */
describe.skipIf(!hasBrowser)('images of the console', () => {
  useApp();
  useBrowser();
  let folder: string;
  let administrator: TestAdministrator;
  let pages: Record<string, ConsolePage>;
  beforeAll(async () => {
    folder = process.env.SCREENSHOTS ? resolve(process.env.SCREENSHOTS) : await mkdtemp(join(tmpdir(), 'images-'));
    await mkdir(folder, { recursive: true });
    pages = consolePages(await createConsoleData());
    administrator = await owner();
    await db.administrator.update({ where: { id: administrator.id }, data: { name: 'Ada' } });
  });
  afterAll(async () => {
    if (!process.env.SCREENSHOTS) await rm(folder, { recursive: true });
  });

  test.each(IMAGES)('%s can be made', async (name, route, options) => {
    const { address, text, needsReason } = pages[route]!;
    const { page, problems } = await openAs(administrator, '/favicon.svg', {
      locale: 'en-GB',
      timezoneId: 'UTC',
      reducedMotion: 'reduce',
      ...options,
    });
    await page.clock.setFixedTime(clock.date());
    await page.goto(new URL(address, page.url()).href);
    if (needsReason) await stateReason(page);
    await page.getByText(text).first().waitFor();
    await page.waitForLoadState('networkidle');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const path = join(folder, `${name}.png`);
    await page.screenshot({ path, animations: 'disabled', caret: 'hide' });
    expect((await stat(path)).size).toBeLessThan(MAX_BYTES);
    expect(problems).toEqual([]);
  });
});

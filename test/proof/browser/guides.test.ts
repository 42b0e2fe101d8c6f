import { describe, expect, test } from 'vitest';
import { running, useApp } from '../../support/app/app.ts';
import { expectAccessible, hasBrowser, openPage, PHONE, useBrowser } from '../../support/clients/browser.ts';

const WIDE = { width: 1280, height: 900 };
const TUTORIAL = '/guides/tutorials/first-ten-minutes';

describe.skipIf(!hasBrowser)('the guides in a browser', () => {
  useApp();
  useBrowser();

  const open = (path: string, options = {}) => openPage(running.url + path, options);

  test.each(['/guides', '/guides/records', TUTORIAL, '/guides/graphql', '/guides/graphql/User'])(
    '%s is accessible, and fits wide windows and phones, light and dark',
    async (path) => {
      for (const viewport of [WIDE, PHONE.viewport!]) {
        for (const colorScheme of ['light', 'dark'] as const) {
          const { page, problems } = await open(path, { viewport, colorScheme });
          await page.waitForLoadState('networkidle');
          await expectAccessible(page);
          expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
          expect(problems).toEqual([]);
          await page.context().close();
        }
      }
    },
  );

  test('a block of code is copied by keyboard, and a status says so', async () => {
    const { page, problems } = await open(TUTORIAL, { permissions: ['clipboard-read', 'clipboard-write'] });
    const copy = page.getByRole('button', { name: 'Copy', exact: true }).first();
    await copy.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('npm install && npm start');
    expect(problems).toEqual([]);
  });

  test('a chosen language is shown by the keyboard, on other pages and after a reload', async () => {
    const { page } = await open(TUTORIAL);
    await page.getByRole('radio', { name: 'curl' }).focus();
    await page.keyboard.press('ArrowRight');
    const graphql = page.getByText('query ($id: ID!) {', { exact: false }).locator('visible=true');
    await graphql.waitFor();
    await page.reload();
    await graphql.waitFor();
    await page.goto(`${running.url}/guides/records`);
    expect(await page.getByRole('radio', { name: 'GraphQL' }).isChecked()).toBe(true);
  });

  test('without scripts, tabs and the list of guides work, and no button is shown', async () => {
    const { page } = await open(TUTORIAL, { ...PHONE, javaScriptEnabled: false });
    expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0);
    await page.getByText('TypeScript', { exact: true }).click();
    await page.getByText("from '@atrium/client'").waitFor();
    await page.getByText('All guides').click();
    await page.getByRole('navigation', { name: 'Guides' }).getByRole('link', { name: 'Records', exact: true }).click();
    await page.waitForURL('**/guides/records');
    await page.setViewportSize(WIDE);
    expect(await page.getByRole('link', { name: 'Live events', exact: true }).first().isVisible()).toBe(true);
  });

  test('the table of contents leads to a heading and marks it, and the heading links to itself', async () => {
    const { page } = await open('/guides/records', { viewport: WIDE });
    const link = page.getByRole('navigation', { name: 'On this page' }).getByRole('link', { name: 'Indexes' });
    await link.click();
    await page.locator('.contents [aria-current="location"]').filter({ hasText: 'Indexes' }).waitFor();
    const anchor = page.getByRole('link', { name: 'Link to “Indexes”' });
    await page.getByRole('heading', { name: 'Indexes' }).hover();
    await expect.poll(() => anchor.evaluate((one) => getComputedStyle(one).opacity)).toBe('1');
  });
});

import type { BrowserContextOptions } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { running, useApp } from '../../../support/app/app.ts';
import { expectAccessible, hasBrowser, openPage, PHONE, useBrowser } from '../../../support/clients/browser.ts';
import { openAs, owner, routesOf, stateReason } from '../../../support/clients/console.ts';
import type { TestAdministrator } from '../../../support/fixtures/administrators.ts';
import { createConsoleData } from '../../../support/fixtures/console-data.ts';
import { type ConsolePage, consolePages } from '../../../support/fixtures/console-pages.ts';

describe.skipIf(!hasBrowser)('each page of the console', () => {
  useApp();
  useBrowser();
  let administrator: TestAdministrator;
  let pages: [route: string, page: ConsolePage][];
  beforeAll(async () => {
    pages = Object.entries(consolePages(await createConsoleData()));
    administrator = await owner();
  });

  test('has an entry in the list of pages that the tests open', async () => {
    const { page } = await openPage(`${running.url}/console/sign-in`);
    await page.getByRole('heading', { name: 'Sign in to the console' }).waitFor();
    expect(pages.map(([route]) => route).sort()).toEqual(await routesOf(page));
  });

  test.each<[string, BrowserContextOptions]>([
    ['on a desktop', {}],
    ['on a phone in the dark', PHONE],
  ])('is accessible, fits its window and requests nothing from elsewhere %s', async (_name, options) => {
    const signedIn = await openAs(administrator, '/favicon.svg', options);
    const visitor = await openPage(`${running.url}/favicon.svg`, options);
    for (const [route, { address, text, isPublic, needsReason }] of pages) {
      const { page, problems } = isPublic ? visitor : signedIn;
      // Each page as its first page, with what it alone loads.
      await page.goto('about:blank');
      await page.goto(running.url + address);
      const content = page.getByText(text).first();
      const question = page.getByLabel('Reason');
      if (needsReason) await content.or(question).first().waitFor();
      if (needsReason && (await question.isVisible())) await stateReason(page);
      await content.waitFor();
      await expectAccessible(page);
      const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
      const scheme = await page.evaluate('getComputedStyle(document.documentElement).colorScheme');
      expect([route, isWide, scheme, problems]).toEqual([route, false, options.colorScheme ?? 'light', []]);
    }
  });
});

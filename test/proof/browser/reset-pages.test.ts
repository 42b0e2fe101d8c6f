import { describe, expect, test } from 'vitest';
import { MINUTE } from '../../../src/lib/time.ts';
import { APPLICATION, clock, running, useApp } from '../../support/app/app.ts';
import { expectAccessible, hasBrowser, openPage, PHONE, useBrowser } from '../../support/clients/browser.ts';
import { execute } from '../../support/fixtures/chat.ts';
import { linkIn, mailsTo } from '../../support/fixtures/mails.ts';
import { apiKey, createUser } from '../../support/fixtures/users.ts';

const SCREENSHOTS = process.env.SCREENSHOTS;
const APP_URL = 'com.example.shop://sign-in';

describe.skipIf(!hasBrowser)('the pages of a password reset', () => {
  useApp();
  useBrowser();

  const requestPage = () => `${running.url}/reset-password?application=${APPLICATION.id}`;

  for (const javaScriptEnabled of [true, false]) {
    test(`a person requests a link, sets a password and returns to the app ${javaScriptEnabled ? 'with' : 'without'} scripts`, async () => {
      const set = 'mutation ($url: String) { updateApplication(input: { appUrl: $url }) { appUrl } }';
      await execute(set, { url: APP_URL }, apiKey);
      const email = `grace-${javaScriptEnabled}@example.org`;
      await createUser({ email, login: `grace-${javaScriptEnabled}` });
      const { page, problems } = await openPage(requestPage(), { javaScriptEnabled });
      await page.getByLabel('Email address').fill(email);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
      await expect.poll(async () => (await mailsTo(email)).length).toBe(1);

      const link = linkIn((await mailsTo(email))[0]!);
      await page.goto(link);
      expect(await page.locator('input[autocomplete=username]').inputValue()).toBe(`grace-${javaScriptEnabled}`);
      await page.getByLabel('New password').fill('correct-horse');
      await page.getByRole('button', { name: 'Set password' }).click();
      await page.getByRole('heading', { name: 'Your password is set' }).waitFor();
      const back = page.getByRole('link', { name: `Back to ${APPLICATION.name}` });
      expect(await back.getAttribute('href')).toBe(APP_URL);

      await page.goto(link);
      await page.getByRole('heading', { name: "This link can't be used" }).waitFor();
      await page.getByRole('link', { name: 'Request a new link' }).click();
      await page.getByRole('heading', { name: 'Reset your password' }).waitFor();
      expect(problems).toEqual([]);
      clock.advance(MINUTE);
    });
  }

  test('every page is accessible in light and dark mode, and fits a phone', async () => {
    const set =
      'mutation { updateApplication(input: { appUrl: "https://shop.example.com/a-long-address" }) { appUrl } }';
    await execute(set, {}, apiKey);
    for (const options of [{}, PHONE]) {
      const name = options === PHONE ? 'phone' : 'desktop';
      const { page } = await openPage(requestPage(), options);
      const check = async (state: string) => {
        await expectAccessible(page);
        expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
        if (SCREENSHOTS) await page.screenshot({ path: `${SCREENSHOTS}/reset-${name}-${state}.png` });
      };
      await check('request');
      await page.getByLabel('Email address').fill('nobody@example.org');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
      await check('requested');
      const token = `${APPLICATION.id.toString(16).padStart(8, '0')}${'0'.repeat(32)}`;
      await page.goto(`${running.url}/reset-password?reset_token=${token}`);
      await page.getByRole('link', { name: 'Request a new link' }).waitFor();
      await check('dead');
    }
  });
});

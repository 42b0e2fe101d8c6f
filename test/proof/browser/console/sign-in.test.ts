import { TOTP } from 'otpauth';
import { describe, expect, test } from 'vitest';
import { createSetupLink } from '../../../../src/administration/administrators/links.ts';
import { MINUTE } from '../../../../src/lib/time.ts';
import { clock, running, useApp } from '../../../support/app/app.ts';
import { expectAccessible, hasBrowser, openPage, useBrowser } from '../../../support/clients/browser.ts';
import { APP } from '../../../support/clients/console.ts';
import { PASSWORD } from '../../../support/fixtures/administrators.ts';

describe.skipIf(!hasBrowser)('signing in to the console', () => {
  useApp();
  useBrowser();

  const email = 'ada@example.com';

  test('a setup link creates the first administrator, and works once', async () => {
    const url = (await createSetupLink(running.app.services))!;
    const { page, problems } = await openPage(url);
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('Name').fill('Ada');
    await page.locator('input[type=password]').fill(PASSWORD);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Applications' }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/console\/?$/);
    expect(problems).toEqual([]);
    const again = await openPage(url);
    await again.page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
  });

  test('a deep link leads to its page after the sign-in, also with an authenticator app', async () => {
    const { page } = await openPage(`${running.url}${APP}/users?search=grace`);
    const signIn = async () => {
      await page.getByLabel('Email address').fill(email);
      await page.locator('input[type=password]').fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
    };
    await signIn();
    await page.getByRole('heading', { name: 'Users' }).waitFor();
    expect(await page.getByLabel('Search').inputValue()).toBe('grace');

    await page.goto(`${running.url}/console/profile`);
    await page.getByRole('button', { name: 'Set up' }).click();
    const secret = await page.locator('pre').first().textContent();
    const totp = new TOTP({ secret: secret! });
    await page.getByLabel('2. Enter the code').fill(totp.generate({ timestamp: clock.now() }));
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByText('Store these recovery codes now').waitFor();
    await page.getByRole('button', { name: 'Ada' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to the console' }).waitFor();

    clock.advance(MINUTE);
    await signIn();
    await page.getByLabel('Code').fill(totp.generate({ timestamp: clock.now() }));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Applications' }).waitFor();
  });

  test('a wrong password is reported', async () => {
    const { page } = await openPage(`${running.url}/console/sign-in`);
    await page.getByLabel('Email address').fill(email);
    await page.locator('input[type=password]').fill('wrong horse battery');
    await page.keyboard.press('Enter');
    await page.getByText('Wrong email address, password or code').waitFor();
  });
});

import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { db } from '../../../../src/db/client.ts';
import { APPLICATION, running, useApp } from '../../../support/app/app.ts';
import { until } from '../../../support/app/until.ts';
import { expectAccessible, hasBrowser, openPage, useBrowser } from '../../../support/clients/browser.ts';
import { APP, givePassword, openAs, owner } from '../../../support/clients/console.ts';
import { PASSWORD } from '../../../support/fixtures/administrators.ts';
import { execute } from '../../../support/fixtures/chat.ts';
import { apiKey, createUser } from '../../../support/fixtures/users.ts';

describe.skipIf(!hasBrowser)('the console with the keyboard alone', () => {
  useApp();
  useBrowser();

  /** Presses Tab until the element has the focus, and fails when the focus has gone round. */
  async function tabTo(page: Page, name: string): Promise<void> {
    const seen = new Set<string>();
    for (;;) {
      const { label, path } = await page.evaluate(() => {
        const focused = document.activeElement!;
        const labels = (focused as HTMLInputElement).labels ?? [];
        const label = focused.getAttribute('aria-label') ?? [...labels].map((one) => one.textContent).join() ?? '';
        const places: number[] = [];
        for (let node: Element | null = focused; node?.parentElement; node = node.parentElement) {
          places.push([...node.parentElement.children].indexOf(node));
        }
        return { label: label || focused.textContent!, path: places.join() };
      });
      if (label.startsWith(name)) return;
      expect(seen.has(path), `the focus has gone round without reaching ${name}`).toBe(false);
      seen.add(path);
      await page.keyboard.press('Tab');
    }
  }

  test('a person signs in, opens a user, blocks them and undoes it', async () => {
    const administrator = await owner();
    await givePassword(administrator);
    const { id } = await createUser({ full_name: 'Grace Hopper' });
    const isBlocked = async () => {
      const { blockedAt } = await db.user.findFirstOrThrow({ where: { applicationId: APPLICATION.id, id } });
      return blockedAt !== null;
    };
    const { page, problems } = await openPage(`${running.url}/console`);
    await page.getByRole('heading', { name: 'Sign in to the console' }).waitFor();
    await tabTo(page, 'Email address');
    await page.keyboard.type(administrator.email);
    await tabTo(page, 'Password');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Applications' }).waitFor();

    await page.keyboard.press('Control+K');
    await page.getByRole('combobox', { name: 'Search' }).waitFor();
    await expectAccessible(page);
    await page.keyboard.type('users');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByText('Grace Hopper').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('hopp');
    await page.waitForURL(({ searchParams }) => searchParams.get('search') === 'hopp');
    await page.getByText('1 found').waitFor();
    await tabTo(page, 'Grace Hopper');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Profile' }).waitFor();

    await tabTo(page, 'Block user');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Block user' }).waitFor();
    await tabTo(page, 'Block user');
    await page.keyboard.press('Enter');
    await page.getByText('User blocked').waitFor();
    expect(await isBlocked()).toBe(true);
    await page.keyboard.press('Control+Z');
    await until(async () => !(await isBlocked()));
    await page.getByRole('button', { name: 'Block user' }).waitFor();
    expect(problems).toEqual([]);
  });

  test('keys typed right after Ctrl+K reach the search', async () => {
    const { page } = await openAs(await owner(), `${APP}/overview`);
    await page.getByText('Messages per hour').waitFor();
    const focused = await page.evaluate(async () => {
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true, bubbles: true }));
      await Promise.resolve();
      return document.activeElement!.getAttribute('aria-label');
    });
    expect(focused).toBe('Search');
  });

  test('a page is opened that was chosen before the applications were loaded', async () => {
    const { page } = await openAs(await owner(), '/favicon.svg');
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('ConsoleApplications')) await released;
      await route.continue();
    });
    await page.goto(`${running.url}${APP}/overview`);
    await page.getByText('Messages per hour').waitFor();
    await page.keyboard.press('Control+K');
    await page.keyboard.type('api keys');
    await page.getByRole('dialog').getByText('Loading…').waitFor();
    await page.keyboard.press('Enter');
    release();
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
  });

  test('the search finds users, classes, settings, actions, documentation and recent places', async () => {
    const { id } = await createUser({ full_name: 'Mary Jackson', login: 'mary' });
    const define = 'mutation ($input: CreateClassInput!) { createClass(input: $input) { name } }';
    await execute(define, { input: { name: 'Rocket', fields: [] } }, apiKey);
    const { page } = await openAs(await owner(), `${APP}/overview`);
    await page.getByText('Messages per hour').waitFor();
    const find = async (text: string, group: string, name: string) => {
      await page.keyboard.press('Control+K');
      await page.keyboard.type(text);
      const found = page.getByRole('group', { name: group }).getByRole('option', { name });
      await found.waitFor();
      return found;
    };
    for (const text of ['jacks', 'mary', String(id)]) {
      await find(text, 'Users', 'Mary Jackson');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await (await find('rock', 'Classes', 'Rocket')).click();
    await page.getByRole('heading', { name: 'Rocket' }).waitFor();
    await (await find('summar', 'Settings', 'Summaries')).click();
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('summarize');
    await (await find('create cl', 'Actions', 'Create class')).click();
    await page.getByRole('dialog', { name: 'Create class' }).waitFor();
    expect(page.url()).toContain('define=1');
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Users' }).click();
    await page.getByRole('heading', { name: 'Users' }).waitFor();
    await (await find('rock', 'Recent', 'Rocket')).click();
    await page.getByRole('heading', { name: 'Rocket' }).waitFor();
    await (await find('create user', 'Documentation', 'POST /users')).click();
    await page.waitForURL('**/docs#/Users/createUser');
  });

  test('j and k move between rows, and Enter opens one', async () => {
    const { id } = await createUser({ full_name: 'Ida Rhodes' });
    const administrator = await owner();
    await givePassword(administrator);
    const { page } = await openPage(`${running.url}/console/sign-in?to=/console/apps/${APPLICATION.id}/users`);
    await page.getByLabel('Email address').fill(administrator.email);
    await page.locator('input[type=password]').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByText('Ida Rhodes').waitFor();
    for (const key of ['j', 'j', 'k', 'Enter']) await page.keyboard.press(key);
    await page.getByRole('heading', { name: 'Profile' }).waitFor();
    await page.getByRole('heading', { name: 'Ida Rhodes' }).waitFor();
    expect(page.url()).toContain(`/users/${id}`);
  });
});

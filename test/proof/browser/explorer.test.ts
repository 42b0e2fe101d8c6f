import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { running, useApp } from '../../support/app/app.ts';
import { expectAccessible, hasBrowser, openPage, PHONE, useBrowser } from '../../support/clients/browser.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { apiKey, createUser } from '../../support/fixtures/users.ts';

describe.skipIf(!hasBrowser)('pages in a browser', () => {
  useApp();
  useBrowser();

  beforeAll(async () => {
    const create =
      'mutation { createClass(input: { name: "Book", fields: [{ name: "title", type: STRING }] }) { name } }';
    await graphql(create, {}, apiKey);
  });
  const createBook = () => graphql('mutation { createBook(input: { title: "New" }) { id } }', {}, apiKey);

  const openExplorer = (options = {}) => openPage(`${running.url}/graphql`, options);

  const withKey = async (page: Page) => {
    await page.getByLabel('Send as').selectOption('API key');
    await page.getByRole('textbox', { name: 'API key' }).fill('KEY');
    await page.keyboard.press('Enter');
    await page.getByText('Schema loaded').waitFor();
  };
  const editor = (page: Page) => page.getByRole('textbox', { name: 'Operation', exact: true });
  const response = (page: Page) => page.getByRole('textbox', { name: 'Response' });
  const write = async (page: Page, document: string) => {
    await editor(page).click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(document);
  };

  test('the first run with an API key answers, also in a second tab', async () => {
    const { login } = await createUser({ login: 'firstinexplorer' });
    const { page, problems } = await openExplorer();
    await withKey(page);
    await page.getByRole('button', { name: 'Run' }).click();
    await response(page).filter({ hasText: login }).waitFor();

    await page.getByRole('button', { name: 'New tab' }).click();
    await write(page, 'query Mine { application { id } }');
    await page.keyboard.press('Control+Enter');
    await response(page).filter({ hasText: '"id": 92' }).waitFor();
    await page.getByRole('button', { name: 'FirstUsers', exact: true }).click();
    await response(page).filter({ hasText: login }).waitFor();
    expect(problems).toEqual([]);
  });

  test('an operation of the list runs with the variables of its form, and its curl request runs in a shell', async () => {
    const { page } = await openExplorer();
    await withKey(page);
    await page.getByRole('searchbox', { name: 'Search operations' }).fill('createuser');
    await page.getByRole('button', { name: 'createUser', exact: true }).click();
    await page.getByText('input is required.').waitFor();
    await page.getByLabel('login').fill('byform');
    await page.getByLabel('password', { exact: true }).fill('longenough1');
    await page.getByRole('button', { name: 'Run' }).click();
    await response(page).filter({ hasText: '"login": "byform"' }).waitFor();

    await page.getByLabel('login').fill('byshell');
    await page.getByText('Code', { exact: true }).click();
    const command = await page.locator('pre', { hasText: 'curl' }).textContent();
    const env = { ...process.env, ATRIUM_API_KEY: 'KEY' };
    const { stdout } = await promisify(execFile)('sh', ['-c', `${command} -s`], { env });
    expect(stdout).toContain('"login":"byshell"');
  });

  test('mistakes in variables are named before an operation runs', async () => {
    const { page } = await openExplorer();
    await withKey(page);
    await write(page, 'query Some($first: Int!) { users(first: $first) { totalCount } }');
    await page.getByText('first is required.').waitFor();
    await page.getByLabel('first').fill('many');
    await page.getByText('Int cannot represent').waitFor();
    await page.getByText('JSON', { exact: true }).click();
    await page.getByRole('textbox', { name: 'Variables' }).click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText('{ "first": 1, "last": 2 }');
    await page.getByText('The operation has no variable last.').waitFor();
  });

  test('a saved operation survives a reload, and a link opens it in another browser', async () => {
    const { page } = await openExplorer();
    await withKey(page);
    await write(page, 'query Shared($first: Int) { users(first: $first) { totalCount } }');
    await page.getByLabel('first').fill('1');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByLabel('Save as').fill('For Ben');
    await page.keyboard.press('Enter');
    await page.getByLabel('first').fill('2');
    await page.reload();
    await page.getByText('Saved', { exact: true }).click();
    await page.getByRole('button', { name: 'For Ben', exact: true }).click();
    expect(await page.getByLabel('first').inputValue()).toBe('1');

    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy link' }).click();
    const link = (await page.evaluate('navigator.clipboard.readText()')) as string;
    const other = (await openPage(link)).page;
    await editor(other).filter({ hasText: 'query Shared' }).waitFor();
    expect(new URL(other.url()).hash).toBe('');
    await other.getByText('JSON', { exact: true }).click();
    await other.getByRole('textbox', { name: 'Variables' }).filter({ hasText: '"first": 1' }).waitFor();
  });

  test('the documentation of an operation leads to its types', async () => {
    const { page } = await openExplorer();
    await withKey(page);
    await page.getByRole('button', { name: 'createClass', exact: true }).click();
    const list = page.getByRole('complementary', { name: 'Operations' });
    await list.getByRole('button', { name: 'CreateClassInput!' }).click();
    await list.getByRole('heading', { name: 'CreateClassInput' }).waitFor();
    await list.getByRole('button', { name: 'Back' }).click();
    await list.getByRole('button', { name: 'All operations' }).click();
    await list.getByRole('searchbox').waitFor();
  });

  test('the schema follows the credentials', async () => {
    await graphql(
      'mutation { createClass(input: { name: "Explored", fields: [{ name: "x", type: STRING }] }) { name } }',
      {},
      apiKey,
    );
    const { page } = await openExplorer();
    await page.getByLabel('Send as').selectOption('API key');
    const answered = page.waitForResponse((response) => response.request().headers().authorization === 'ApiKey KEY');
    await page.getByRole('textbox', { name: 'API key' }).fill('KEY');
    await page.keyboard.press('Enter');
    expect(await (await answered).text()).toContain('createExplored');
  });

  test('credentials survive a reload, and a new browser tab only on request', async () => {
    const { page } = await openExplorer();
    const fill = async () => {
      await page.getByLabel('Send as').selectOption('API key');
      await page.getByRole('textbox', { name: 'API key' }).fill('KEY');
      await page.keyboard.press('Enter');
    };
    await fill();
    await page.reload();
    expect(await page.getByRole('textbox', { name: 'API key' }).inputValue()).toBe('KEY');
    const valueInNewTab = async () => {
      const other = await page.context().newPage();
      await other.goto(page.url());
      return other.getByLabel('Send as').inputValue();
    };
    expect(await valueInNewTab()).toBe('none');
    await page.getByLabel('Remember in this browser').check();
    expect(await valueInNewTab()).toBe('key');
    await page.getByLabel('Remember in this browser').uncheck();
    expect(await valueInNewTab()).toBe('none');
  });

  test('a subscription shows events as they happen, keeps them while it is paused, and runs in the background', async () => {
    const { page } = await openExplorer();
    await withKey(page);
    await write(page, 'subscription Live { bookChanged { cursor change } }');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('Listening').waitFor();
    const events = page.getByRole('list', { name: 'Events' }).getByRole('listitem');
    await createBook();
    await expect.poll(() => events.count()).toBe(1);
    await page.getByRole('button', { name: 'Pause' }).click();
    await createBook();
    await page.getByText('1 more waits').waitFor();
    expect(await events.count()).toBe(1);
    await page.getByRole('button', { name: 'Resume' }).click();
    await expect.poll(() => events.count()).toBe(2);

    await page.getByRole('button', { name: 'New tab' }).click();
    await createBook();
    await page.getByRole('button', { name: 'Live', exact: true }).click();
    await expect.poll(() => events.count()).toBe(3);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByText('Ended').waitFor();
  });

  test('a refused subscription says why', async () => {
    const { page } = await openExplorer();
    await write(page, 'subscription Live { dialogEvents { __typename } }');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('region', { name: 'Response' }).getByText('does not accept these credentials').waitFor();
  });

  test.each(['/', '/docs', '/reset-password', '/graphql'])(
    '%s is accessible, and fits a phone in dark mode',
    async (path) => {
      for (const options of [{ colorScheme: 'light' } as const, PHONE]) {
        const { page, problems } = await openPage(running.url + path, options);
        await page.waitForLoadState('networkidle');
        await expectAccessible(page);
        expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
        expect(problems).toEqual([]);
      }
    },
  );

  test('the authorization dialog of the REST reference names its fields', async () => {
    const { page } = await openPage(`${running.url}/docs`);
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    await page.locator('.auth-container input').first().waitFor();
    await expectAccessible(page);
    const ids = await page.locator('.auth-container input').evaluateAll((fields) => fields.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
  });
});

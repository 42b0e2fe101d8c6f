import { describe, expect, test } from 'vitest';
import { running, useApp } from '../../support/app/app.ts';
import { expectAccessible, hasBrowser, openPage, PHONE, useBrowser } from '../../support/clients/browser.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { apiKey, createUser } from '../../support/fixtures/users.ts';

/** The tabs of GraphiQL contain buttons, and its editors scroll by keyboard only inside. */
const OF_GRAPHIQL = ['nested-interactive', 'scrollable-region-focusable'];

describe.skipIf(!hasBrowser)('pages in a browser', () => {
  useApp();
  useBrowser();

  const openExplorer = (options = {}) => openPage(`${running.url}/graphql`, options);

  test('the first run with an API key answers, also in a second tab', async () => {
    const { login } = await createUser({ login: 'firstinexplorer' });
    const { page, problems } = await openExplorer();
    await page.getByLabel('Send as').selectOption('API key');
    await page.getByRole('textbox', { name: 'API key' }).fill('KEY');
    await page.keyboard.press('Enter');
    await page.getByText('Schema loaded').waitFor();
    await page.getByRole('button', { name: /Execute query/ }).click();
    await page.locator('.graphiql-response', { hasText: login }).waitFor();

    await page.getByRole('button', { name: /New tab/ }).click();
    await page.locator('.graphiql-query-editor .CodeMirror').click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText('query Mine { application { id } }');
    await page.getByRole('button', { name: 'Mine', exact: true }).waitFor();
    await page.keyboard.press('Control+Enter');
    await page.locator('.graphiql-response', { hasText: '"id": 92' }).waitFor();
    expect(problems).toEqual([]);
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

  test('a subscription shows events as they happen', async () => {
    const { page } = await openExplorer();
    await page.getByLabel('Send as').selectOption('API key');
    await page.getByRole('textbox', { name: 'API key' }).fill('KEY');
    await page.keyboard.press('Enter');
    await page.getByText('Schema loaded').waitFor();
    await page.locator('.graphiql-query-editor .CodeMirror').click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText('subscription Live { dialogEvents { __typename } }');
    await page.locator('.graphiql-tab-button', { hasText: 'Live' }).waitFor();
    const socket = page.waitForEvent('websocket');
    await page.keyboard.press('Control+Enter');
    await (await socket).waitForEvent('framereceived', (frame) => String(frame.payload).includes('connection_ack'));
  });

  test.each([
    ['/', []],
    ['/docs', []],
    ['/reset-password', []],
    ['/graphql', OF_GRAPHIQL],
  ])('%s is accessible, and fits a phone in dark mode', async (path, allowed) => {
    for (const options of [{ colorScheme: 'light' } as const, PHONE]) {
      const { page, problems } = await openPage(running.url + path, options);
      await page.waitForLoadState('networkidle');
      await expectAccessible(page, allowed);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      expect(problems).toEqual([]);
    }
  });

  test('the authorization dialog of the REST reference names its fields', async () => {
    const { page } = await openPage(`${running.url}/docs`);
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    await page.locator('.auth-container input').first().waitFor();
    await expectAccessible(page);
    const ids = await page.locator('.auth-container input').evaluateAll((fields) => fields.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
  });
});

import { beforeAll, describe, expect, test } from 'vitest';
import { APPLICATION, running, useApp } from '../../support/app/app.ts';
import { expectAccessible, hasBrowser, openPage, PHONE, useBrowser } from '../../support/clients/browser.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { signedInAdministrator, storageOf, type TestAdministrator } from '../../support/fixtures/administrators.ts';
import { apiKey } from '../../support/fixtures/users.ts';

const WAIT = { timeout: 60_000 };
const SCREENSHOTS = process.env.SCREENSHOTS;

describe.skipIf(!hasBrowser)('the GraphQL explorer in the console', () => {
  useApp();
  useBrowser();

  let owner: TestAdministrator;
  beforeAll(async () => {
    owner = await signedInAdministrator('owner');
    const create =
      'mutation { createClass(input: { name: "Book", fields: [{ name: "title", type: STRING }] }) { name } }';
    await graphql(create, {}, apiKey);
  });

  const open = (options = {}) =>
    openPage(`${running.url}/console/apps/${APPLICATION.id}/explorer`, { storageState: storageOf(owner), ...options });

  test('operations run as the administrator, with the types of the classes of the application', async () => {
    const { page, problems } = await open();
    await page.getByText('Schema loaded').waitFor();
    const requested = page.waitForRequest((request) => (request.postData() ?? '').includes('createdBooks'));
    await page.getByRole('textbox', { name: 'Operation', exact: true }).click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText('query Created { application { name } createdBooks: books { id } }');
    await page.keyboard.press('Control+Enter');
    const headers = (await requested).headers();
    expect(headers.application).toBe(String(APPLICATION.id));
    expect(headers.authorization).toBeUndefined();
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Response' }).textContent(), WAIT)
      .toContain('"createdBooks": []');
    await expectAccessible(page);
    if (SCREENSHOTS) await page.screenshot({ path: `${SCREENSHOTS}/explorer.png` });
    expect(problems).toEqual([]);
  });

  test('operations that read messages ask for a reason, and then run', async () => {
    const { page } = await open();
    await page.getByText('Schema loaded').waitFor();
    await page.getByRole('textbox', { name: 'Operation', exact: true }).click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText('query Dialogs { dialogs(first: 1) { totalCount } }');
    await page.keyboard.press('Control+Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('ticket 7');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Response' }).textContent(), WAIT)
      .toContain('"totalCount": 0');
  });

  test('a link opens its operation, and puts nothing into code but what is quoted', async () => {
    const link = "?user=1$(id)#operation=query+Linked+{+application+{+name+}+}&variables={'$(id)'}";
    const { page } = await openPage(`${running.url}/console/apps/${APPLICATION.id}/explorer${link}`, {
      storageState: storageOf(owner),
    });
    await page.getByRole('textbox', { name: 'Operation', exact: true }).filter({ hasText: 'query Linked' }).waitFor();
    expect(page.url()).not.toContain('#');
    await page.getByText('Code', { exact: true }).click();
    const command = await page.locator('pre', { hasText: 'curl' }).textContent();
    expect(command).toContain('query Linked');
    expect(command).not.toContain('On-Behalf-Of');
    expect(command!.replaceAll(/'[^']*'/g, '')).not.toContain('$(');
  });

  test('the console loads the explorer only on its page', async () => {
    const scripts: string[] = [];
    const { page } = await openPage(`${running.url}/console/apps/${APPLICATION.id}/overview`, {
      storageState: storageOf(owner),
    });
    page.on('request', (request) => scripts.push(request.url()));
    await page.reload();
    await page.getByText('Messages per hour').waitFor();
    expect(scripts.filter((url) => /editor|graphiql|codemirror/i.test(url))).toEqual([]);
  });

  test('it fits a phone in dark mode', async () => {
    const { page } = await open(PHONE);
    await page.getByText('Schema loaded').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    if (SCREENSHOTS) await page.screenshot({ path: `${SCREENSHOTS}/explorer-phone.png` });
  });
});

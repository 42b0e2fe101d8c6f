import { describe, expect, test } from 'vitest';
import { db } from '../../../../src/db/client.ts';
import { APPLICATION, useApp } from '../../../support/app/app.ts';
import { expectAccessible, hasBrowser, useBrowser } from '../../../support/clients/browser.ts';
import { APP, openAs, owner } from '../../../support/clients/console.ts';
import { graphql } from '../../../support/clients/graphql.ts';
import { createConsoleData } from '../../../support/fixtures/console-data.ts';

const using = (key: string | null) => ({ headers: { Authorization: `ApiKey ${key}` } });

describe.skipIf(!hasBrowser)('API keys in the console', () => {
  useApp();
  useBrowser();

  test('an API key is created, shown once, used and revoked', async () => {
    const { page } = await openAs(await owner(), `${APP}/keys`);
    await page.getByRole('button', { name: 'Create API key' }).click();
    await page.getByLabel('Name').fill('backend');
    await page.getByLabel('Everything').check();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const key = using(await page.getByRole('dialog').locator('pre').textContent());
    expect((await graphql('{ application { id } }', {}, key)).data.application.id).toBe(APPLICATION.id);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    const row = page.getByRole('row', { name: /backend/ });
    await row.getByText('Everything').waitFor();
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await row.getByText('Revoked').waitFor();
    expect((await graphql('{ application { id } }', {}, key)).errors).toBeDefined();
  });

  test('a restricted key is created, edited and rotated, and a link opens its form', async () => {
    await createConsoleData();
    const administrator = await owner();
    const { page, problems } = await openAs(administrator, `${APP}/keys?create=1`);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('kitchen');
    await dialog.getByLabel('Users: Read').check();
    await dialog.getByLabel('Messages: Read').check();
    await dialog.getByLabel('Messages: Write').check();
    await dialog.getByLabel('only send').check();
    await dialog.getByRole('combobox', { name: 'Limit to a class' }).click();
    await page.getByRole('option', { name: 'Place' }).click();
    await dialog.getByLabel('Records of Place: Read').waitFor();
    await dialog.getByLabel('on behalf of chosen users only').check();
    await dialog.getByRole('combobox', { name: 'Users', exact: true }).fill('Amara');
    await page.getByRole('option', { name: 'Amara Okafor' }).click();
    await dialog.getByRole('combobox', { name: 'Users with a role' }).click();
    await page.getByRole('option', { name: 'editor' }).click();
    await dialog.getByLabel('Last day').focus();
    await dialog.getByRole('combobox', { name: 'Networks' }).fill('127.0.0.0/99');
    await dialog.getByLabel('Last day').fill('2090-12-31');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await dialog.getByRole('alert').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('combobox', { name: 'Networks' }).press('Backspace');
    await dialog.getByRole('combobox', { name: 'Networks' }).fill('127.0.0.0/8');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    const secret = await dialog.locator('pre').textContent();
    await dialog.getByRole('button', { name: 'I have stored it' }).click();
    const stored = await db.apiKey.findFirstOrThrow({ where: { name: 'kitchen' } });
    expect(stored).toMatchObject({ actsForAll: false, actsForRoles: ['editor'], networks: ['127.0.0.0/8'] });
    expect(stored.scopes.toSorted()).toEqual(['messages:*', 'pushes:send', 'records:Place:read', 'users:read']);
    expect((await graphql('{ users { totalCount } }', {}, using(secret))).errors).toBeUndefined();
    expect((await graphql('{ application { id } }', {}, using(secret))).errors).toBeDefined();

    const row = page.getByRole('row', { name: /kitchen/ });
    await row.getByText('For Amara Okafor, role editor').waitFor();
    await row.getByRole('button', { name: 'Rotate' }).click();
    await dialog.getByLabel('Overlap in hours').fill('0');
    await dialog.getByRole('button', { name: 'Rotate' }).click();
    const next = await dialog.locator('pre').textContent();
    await dialog.getByRole('button', { name: 'I have stored it' }).click();
    expect((await graphql('{ users { totalCount } }', {}, using(secret))).errors).toBeDefined();
    expect((await graphql('{ users { totalCount } }', {}, using(next))).errors).toBeUndefined();

    await row.getByRole('button', { name: 'Edit' }).click();
    await page.waitForURL(/key=\d+/);
    const shared = await openAs(administrator, `${APP}/keys${new URL(page.url()).search}`);
    const form = shared.page.getByRole('dialog');
    await form.getByLabel('Messages: Write').uncheck();
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    await shared.page
      .getByRole('row', { name: /kitchen/ })
      .getByText('messages:read')
      .waitFor();
    expect((await db.apiKey.findFirstOrThrow({ where: { name: 'kitchen' } })).expiresAt).toEqual(stored.expiresAt);
    expect(problems).toEqual([]);
  });
});

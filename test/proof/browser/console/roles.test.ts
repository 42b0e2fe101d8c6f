import { describe, expect, test } from 'vitest';
import { db } from '../../../../src/db/client.ts';
import { useApp } from '../../../support/app/app.ts';
import { expectAccessible, hasBrowser, useBrowser } from '../../../support/clients/browser.ts';
import { APP, openAs, owner } from '../../../support/clients/console.ts';
import { signedInAdministrator } from '../../../support/fixtures/administrators.ts';
import { createUser } from '../../../support/fixtures/users.ts';

describe.skipIf(!hasBrowser)('roles in the console', () => {
  useApp();
  useBrowser();

  test('a role is created, assigned, found in the list of users and deleted', async () => {
    const grace = await createUser({ full_name: 'Grace Hopper' });
    await createUser({ full_name: 'Ida Rhodes' });
    const { page, problems } = await openAs(await owner(), `${APP}/roles`);
    await page.getByText('No roles yet').waitFor();
    await page.getByRole('button', { name: 'Create role' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Editor');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByRole('alert').waitFor();
    await expectAccessible(page);
    await dialog.getByLabel('Name').fill('editor');
    await dialog.getByLabel('Description').fill('Writes');
    await dialog.getByRole('button', { name: 'Create' }).click();
    const row = page.getByRole('row', { name: /editor/ });
    await row.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByLabel('Description').fill('Writes menus');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row.getByText('Writes menus').waitFor();

    await page.goto(`${new URL(page.url()).origin}${APP}/users/${grace.id}`);
    await page.getByRole('button', { name: 'Assign role' }).click();
    await page.getByRole('menuitem', { name: 'editor' }).click();
    await page.getByRole('button', { name: 'Revoke editor' }).waitFor();
    await expectAccessible(page);
    expect(await db.user.findFirstOrThrow({ where: { id: grace.id } })).toMatchObject({ roles: ['editor'] });

    await page.getByRole('link', { name: 'Roles' }).click();
    await row.getByRole('cell', { name: '1', exact: true }).waitFor();
    await row.getByRole('link', { name: 'editor' }).click();
    await page.getByText('1 found').waitFor();
    await page.getByRole('link', { name: 'Grace Hopper' }).click();
    await page.getByRole('button', { name: 'Revoke editor' }).click();
    await page.getByRole('button', { name: 'Revoke editor' }).waitFor({ state: 'detached' });

    await page.getByRole('link', { name: 'Roles' }).click();
    await row.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No roles yet').waitFor();
    expect(problems).toEqual([]);
  });

  test('support assigns roles and does not define them', async () => {
    const { page } = await openAs(await signedInAdministrator('support'), `${APP}/roles`);
    await page.getByText('No roles yet').waitFor();
    expect(await page.getByRole('button', { name: 'Create role' }).count()).toBe(0);
  });
});

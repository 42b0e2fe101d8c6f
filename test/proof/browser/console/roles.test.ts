import { describe, expect, test } from 'vitest';
import { db } from '../../../../src/db/client.ts';
import { APPLICATION, useApp } from '../../../support/app/app.ts';
import { expectAccessible, hasBrowser, useBrowser } from '../../../support/clients/browser.ts';
import { APP, openAs, owner } from '../../../support/clients/console.ts';
import { signedInAdministrator } from '../../../support/fixtures/administrators.ts';
import { execute } from '../../../support/fixtures/chat.ts';
import { apiKey, createUser } from '../../../support/fixtures/users.ts';

const CREATE_CLASS = 'mutation ($input: CreateClassInput!) { createClass(input: $input) { name } }';

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

  test('settings of sign-in, sessions and creators of dialogs are stored', async () => {
    await db.role.create({
      data: { applicationId: APPLICATION.id, name: 'host', description: '', createdAt: new Date() },
    });
    const { page, problems } = await openAs(await owner(), `${APP}/settings`);
    await page.getByRole('combobox', { name: 'Sign-in by mailed codes' }).click();
    await page.getByRole('option', { name: 'Users with the address', exact: true }).click();
    await page.getByRole('switch', { name: 'Verified address required' }).check();
    await page.getByLabel('Guests').fill('30');
    await page.getByLabel('Longest session').fill('600');
    await page.getByRole('combobox', { name: 'Roles that create dialogs' }).click();
    await page.getByRole('option', { name: 'host' }).click();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Settings saved').waitFor();
    expect(await db.application.findUniqueOrThrow({ where: { id: APPLICATION.id } })).toMatchObject({
      ...{ emailSignIn: 'users', verifiedEmailRequired: true, guestDays: 30, maxSessionMinutes: 600 },
      dialogCreators: ['host'],
    });
    expect(problems).toEqual([]);
  });

  test('support assigns roles and does not define them', async () => {
    const { page } = await openAs(await signedInAdministrator('support'), `${APP}/roles`);
    await page.getByRole('link', { name: 'host' }).waitFor();
    expect(await page.getByRole('button', { name: 'Create role' }).count()).toBe(0);
  });

  test('changed permissions of a class say how many users gain and lose what, before they are saved', async () => {
    const user = await createUser();
    await execute(CREATE_CLASS, { input: { name: 'Menu', fields: [{ name: 'title', type: 'STRING' }] } }, apiKey);
    const total = await db.user.count({ where: { applicationId: APPLICATION.id } });
    const { page, problems } = await openAs(await owner(), `${APP}/data/Menu?tab=definition`);
    const effect = page.getByRole('status').filter({ hasText: 'What saving changes' });
    await page.getByLabel('Delete: All users').check();
    await effect.getByText(`Delete: ${total} users gain it`).waitFor();
    await page.getByLabel('Create: Selected users').check();
    const chosen = page.getByRole('combobox', { name: 'Create: users' });
    await chosen.fill(String(user.id));
    await page.getByRole('option').first().click();
    await effect.getByText(`Create: ${total - 1} users lose it`).waitFor();
    await expectAccessible(page);
    await page.getByLabel('Create: All users').check();
    await page.getByLabel('Delete: Owner').check();
    await effect.waitFor({ state: 'detached' });
    await page.getByLabel('Read: API keys only').check();
    await effect.getByText(`Read: ${total} users lose it`).waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await effect.waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
  });
});

import { describe, expect, test } from 'vitest';
import { db } from '../../../../src/db/client.ts';
import type { Role } from '../../../../src/lib/access.ts';
import { running, useApp } from '../../../support/app/app.ts';
import { until } from '../../../support/app/until.ts';
import { expectAccessible, hasBrowser, openPage, PHONE, useBrowser } from '../../../support/clients/browser.ts';
import { APP, givePassword, openAs, owner, stateReason } from '../../../support/clients/console.ts';
import { graphql } from '../../../support/clients/graphql.ts';
import { PASSWORD, signedInAdministrator } from '../../../support/fixtures/administrators.ts';
import { storeBlob } from '../../../support/fixtures/blobs.ts';
import { apiKey, createUser } from '../../../support/fixtures/users.ts';

describe.skipIf(!hasBrowser)('rights in the console', () => {
  useApp();
  useBrowser();

  test('the audit log shows who changed what, and a link keeps its filters', async () => {
    const administrator = await owner();
    const user = await createUser({ full_name: 'Before' });
    const rename = 'mutation ($id: Int!, $input: UpdateUserInput!) { updateUser(id: $id, input: $input) { id } }';
    await graphql(rename, { id: user.id, input: { fullName: 'After' } }, apiKey);
    const { page } = await openAs(administrator, `${APP}/audit`);
    await page.getByLabel('Type').fill('User');
    const filtered = page.waitForResponse((one) => !!one.request().postData()?.includes(`"subjectId":"${user.id}"`));
    await page.getByLabel('Id', { exact: true }).fill(String(user.id));
    await filtered;
    await page.getByRole('button', { name: `Changed user ${user.id}` }).click();
    const details = page.getByRole('dialog');
    await details.getByRole('row', { name: 'full_name Before After' }).waitFor();
    await expectAccessible(page);
    const shared = await openAs(administrator, new URL(page.url()).pathname + new URL(page.url()).search);
    await shared.page.getByRole('dialog').getByRole('row', { name: 'full_name Before After' }).waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL(({ searchParams }) => searchParams.has('subject') && searchParams.has('id'));
    const again = await openAs(administrator, new URL(page.url()).pathname + new URL(page.url()).search);
    await again.page.getByRole('button', { name: `Created user ${user.id}` }).waitFor();
    expect(await again.page.getByRole('button', { name: /^(Created|Changed) / }).count()).toBe(2);
  });

  test('the audit log shows names in descriptions of reads as code', async () => {
    const { id: subjectId } = await storeBlob(await createUser(), 'menu', { name: 'menu.txt' });
    const { page } = await openAs(await owner(), `${APP}/files`);
    await stateReason(page);
    await page.getByText('menu.txt').waitFor();
    const read = { action: 'read', subjectId: String(subjectId) } as const;
    await until(async () => (await db.auditEntry.count({ where: read })) > 0);
    await page.goto(`${running.url}${APP}/audit`);
    await page
      .getByRole('row')
      .filter({ hasText: `Read blob file ${subjectId}` })
      .locator('code', { hasText: 'uid' })
      .waitFor();
    await page.getByRole('button', { name: `Read blob file ${subjectId}` }).click();
    await page.getByRole('dialog').locator('code', { hasText: 'uid' }).waitFor();
    expect(await page.getByText('`').count()).toBe(0);
  });

  test('an invitation is listed and revoked, and an account accepts one with its password or session', async () => {
    const administrator = await owner();
    const invited = await signedInAdministrator('viewer');
    const { page } = await openAs(administrator, '/console/administrators');
    const invite = async (role: string) => {
      await page.getByRole('button', { name: 'Invite a person' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Email address').fill(invited.email);
      await dialog.getByLabel('Name').fill('Grace Hopper');
      await dialog.getByRole('combobox', { name: 'Roles' }).fill(role);
      await page.getByRole('option', { name: `${role} of all` }).click();
      await page.keyboard.press('Escape');
      await dialog.getByRole('button', { name: 'Invite' }).click();
      const link = await dialog.locator('pre').textContent();
      await dialog.getByRole('button', { name: 'Close' }).last().click();
      return link!;
    };
    await invite('Viewer');
    const row = page.getByRole('row', { name: /Grace Hopper/ });
    await row.getByText('Invited until').waitFor();
    await expectAccessible(page);
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await row.waitFor({ state: 'detached' });

    await givePassword(invited);
    const stranger = await openPage(await invite('Support'), PHONE);
    await stranger.page.getByText('You have an account already').waitFor();
    await expectAccessible(stranger.page);
    await stranger.page.locator('input[type=password]').fill(PASSWORD);
    await stranger.page.getByRole('button', { name: 'Continue' }).click();
    await stranger.page.getByRole('heading', { name: 'Applications' }).waitFor();

    const { pathname, hash } = new URL(await invite('Developer'));
    const { page: own } = await openAs(invited, pathname + hash);
    await own.getByRole('button', { name: 'Accept' }).click();
    await own.getByRole('heading', { name: 'Applications' }).waitFor();
    const roles = await db.administratorRole.findMany({ where: { administratorId: invited.id } });
    expect(roles.map(({ role }) => role).sort()).toEqual(['developer', 'support', 'viewer']);
  });

  test.each<[Role, pages: string[], forbidden: string]>([
    ['viewer', ['Overview', 'GraphQL', 'Settings'], 'users'],
    ['support', ['Overview', 'Users', 'Roles', 'Files', 'GraphQL', 'Dialogs', 'Pushes', 'Live'], 'keys'],
    [
      'developer',
      [
        ...['Overview', 'Data', 'Users', 'Roles', 'Files', 'GraphQL', 'Pushes', 'Logs', 'Integrations', 'API keys'],
        'Settings',
      ],
      'audit',
    ],
  ])('the role %s sees only the pages that it may use', async (role, pages, forbidden) => {
    const { page } = await openAs(await signedInAdministrator(role), `${APP}/overview`);
    await page.getByText('Messages per hour').waitFor();
    const names = await page.getByLabel('Console').getByRole('link').allInnerTexts();
    expect(names).toEqual([...pages, 'Applications']);
    const isDeveloper = role === 'developer';
    if (isDeveloper) await page.getByText('No request was slow').waitFor();
    expect(await page.getByRole('heading', { name: 'Slow requests' }).count()).toBe(isDeveloper ? 1 : 0);
    await page.goto(`${running.url}${APP}/data`);
    await page.getByText('No classes yet').waitFor();
    expect(await page.getByRole('button', { name: 'Create class' }).count()).toBe(isDeveloper ? 1 : 0);
    await page.goto(`${running.url}${APP}/${forbidden}`);
    await page.getByText('Your role does not allow this operation').first().waitFor();
  });

  test('a viewer reads settings, which only developers change', async () => {
    const { page } = await openAs(await signedInAdministrator('viewer'), `${APP}/settings`);
    await page.getByLabel('Name').waitFor();
    expect(await page.getByLabel('Name').isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Delete application' }).count()).toBe(0);
  });

  test('a developer looks up a user, whom only support changes', async () => {
    const user = await createUser({ full_name: 'Mary Jackson' });
    const address = `${APP}/users/${user.id}`;
    const buttons = ['Show devices', 'End sessions', 'Block user', 'Set password', 'More actions'];
    const developer = await openAs(await signedInAdministrator('developer'), address);
    await developer.page.getByLabel('Full name').waitFor();
    expect(await developer.page.getByLabel('Full name').isDisabled()).toBe(true);
    for (const name of buttons) expect(await developer.page.getByRole('button', { name }).count()).toBe(0);
    expect(await developer.page.getByRole('link', { name: 'Act as user' }).count()).toBe(0);
    const support = await openAs(await signedInAdministrator('support'), address);
    for (const name of buttons) await support.page.getByRole('button', { name }).waitFor();
    expect(await support.page.getByLabel('Full name').isDisabled()).toBe(false);
  });
});

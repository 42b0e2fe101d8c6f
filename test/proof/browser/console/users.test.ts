import { describe, expect, test } from 'vitest';
import { db } from '../../../../src/db/client.ts';
import { APPLICATION, useApp } from '../../../support/app/app.ts';
import { expectAccessible, hasBrowser, useBrowser } from '../../../support/clients/browser.ts';
import { APP, choose, openAs, owner, stateReason } from '../../../support/clients/console.ts';
import { graphql } from '../../../support/clients/graphql.ts';
import { signedInAdministrator } from '../../../support/fixtures/administrators.ts';
import { storeBlob } from '../../../support/fixtures/blobs.ts';
import { createConsoleData } from '../../../support/fixtures/console-data.ts';
import { subscribeDevice } from '../../../support/fixtures/pushes.ts';
import { addPasskey, allowFactors, enableTotp } from '../../../support/fixtures/second-factors.ts';
import { createUser } from '../../../support/fixtures/users.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe.skipIf(!hasBrowser)('users in the console', () => {
  useApp();
  useBrowser();

  test('a user is found, changed and deleted', async () => {
    const grace = await createUser({ full_name: 'Grace Hopper' });
    const { page } = await openAs(await owner(), `${APP}/users`);
    await page.getByLabel('Search').fill('hopp');
    await page.getByRole('link', { name: 'Grace Hopper' }).click();
    await page.getByLabel('Full name').fill('Rear Admiral Hopper');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('User saved').waitFor();
    expect(await db.user.findFirstOrThrow({ where: { id: grace.id } })).toMatchObject({
      fullName: 'Rear Admiral Hopper',
    });
    await choose(page, 'Delete user');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete user' }).click();
    await page.getByText('was deleted').waitFor();
    expect(await db.user.count({ where: { id: grace.id } })).toBe(0);
  });

  test('a public picture of a user is shown, and a private one only once a reason is stated', async () => {
    const { id } = await createUser({ full_name: 'Hedy Lamarr' });
    const [pixel, of] = [Buffer.from(PIXEL, 'base64'), await createUser()];
    const store = (isPublic: boolean) =>
      storeBlob(of, pixel, { name: 'face.png', content_type: 'image/png', public: isPublic });
    const [open, hidden] = [await store(true), await store(false)];
    await db.user.updateMany({ where: { id }, data: { blobId: open.id } });
    const { page, problems } = await openAs(await owner(), `${APP}/users/${id}`);
    const picture = page.locator('main .person img');
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
    await db.user.updateMany({ where: { id }, data: { blobId: hidden.id } });
    await page.reload();
    await page.getByText('Custom data').waitFor();
    await page.waitForLoadState('networkidle');
    expect(await picture.count()).toBe(0);
    await page.goto(new URL(`${APP}/dialogs`, page.url()).href);
    await stateReason(page);
    await page.goto(new URL(`${APP}/users/${id}`, page.url()).href);
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
    expect(problems).toEqual([]);
  });

  test('typed filters do not lead back from a page that was opened in the meantime', async () => {
    const ida = await createUser({ full_name: 'Ida Rhodes' });
    const { page } = await openAs(await owner(), `${APP}/overview`);
    await page.clock.install();
    let load = () => {};
    const loading = new Promise<void>((resolve) => {
      load = resolve;
    });
    await page.route(/\/user-[\w-]{8}\.js$/, async (route) => {
      await loading;
      await route.continue();
    });
    await page.getByRole('link', { name: 'Users' }).click();
    // The overview also has a link to the user.
    await page.getByLabel('Search').waitFor();
    const name = page.getByRole('link', { name: 'Ida Rhodes' });
    await name.waitFor();
    // On a slow machine the list would otherwise load again during the click.
    await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1_000));
    await page.getByLabel('Search').fill('ida');
    await name.click();
    await page.waitForURL(`**${APP}/users/${ida.id}`);
    await page.clock.fastForward(1_000);
    await page.clock.resume();
    load();
    await page.getByLabel('Full name').waitFor();
    expect(new URL(page.url()).pathname).toBe(`${APP}/users/${ida.id}`);
  });

  test('devices are shown and removed, and files and operations of the user are one click away', async () => {
    const user = await createUser({ full_name: 'Katherine Johnson' });
    await subscribeDevice(user, 'gcm', { client_identification_sequence: 'token' });
    await storeBlob(user, 'orbits', { name: 'orbits.txt' });
    await storeBlob(await createUser(), 'other', { name: 'of-another-user.txt' });
    const { page, problems } = await openAs(await signedInAdministrator('support'), `${APP}/users/${user.id}`);
    await page.getByRole('button', { name: 'Show devices' }).click();
    await page.getByText('Firebase (Android)', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No device receives pushes').waitFor();
    expect(await db.pushSubscription.count({ where: { userId: user.id } })).toBe(0);

    await page.getByRole('link', { name: 'Files' }).last().click();
    await stateReason(page);
    await page.getByText('orbits.txt').waitFor();
    expect(await page.getByText('of-another-user.txt').count()).toBe(0);
    await page.goBack();
    await page.getByRole('link', { name: 'Act as user' }).click();
    const actor = page.getByRole('combobox', { name: 'On behalf of user' });
    await expect.poll(() => actor.inputValue()).toBe('Katherine Johnson');
    expect(problems).toEqual([]);
  });

  test('a password is set, and ends the sessions of the user', async () => {
    const user = await createUser();
    const { page } = await openAs(await signedInAdministrator('support'), `${APP}/users/${user.id}`);
    await page.getByLabel('New password').fill('correct-horse-2');
    await page.getByRole('button', { name: 'Set password' }).click();
    await stateReason(page);
    await page.getByText('Password set').waitFor();
    await page.getByText('No open sessions').waitFor();
    expect((await graphql('{ me { id } }', {}, user)).errors).toBeDefined();
  });

  test('support sees how a user signs in, and removes the second factor', async () => {
    await allowFactors();
    const user = await createUser({ full_name: 'Annie Easley', email: 'annie@example.org' });
    await addPasskey(user);
    await enableTotp(user);
    const identity = { issuer: 'https://accounts.google.com', subject: '1077', createdAt: new Date() };
    await db.userIdentity.create({ data: { ...identity, applicationId: APPLICATION.id, userId: user.id } });
    const { page, problems } = await openAs(await signedInAdministrator('support'), `${APP}/users/${user.id}`);
    const section = page.getByRole('region', { name: 'Sign-in' });
    await section.getByText('annie@example.org, verified').waitFor();
    await section.getByText('10 recovery codes left').waitFor();
    await section.getByText('app.example.com, added').waitFor();
    await section.getByText('https://accounts.google.com').waitFor();
    await expectAccessible(page);
    await section.getByRole('button', { name: 'Remove second factor' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove second factor' }).click();
    await stateReason(page);
    await page.getByText('Second factor removed').waitFor();
    await section.getByRole('button', { name: 'Remove second factor' }).waitFor({ state: 'detached' });
    expect(await db.userPasskey.count({ where: { userId: user.id } })).toBe(0);
    expect(problems).toEqual([]);
  });

  test('support asks whether a user may do something, and why', async () => {
    const { users, className, dialogId } = await createConsoleData();
    const { page, problems } = await openAs(await signedInAdministrator('support'), `${APP}/users/${users[0]!.id}`);
    const form = page.getByRole('form', { name: 'May this user' });
    const ask = async (what: string) => {
      await form.getByRole('combobox', { name: 'What' }).click();
      await page.getByRole('option', { name: what, exact: true }).click();
    };
    const answer = form.getByRole('status');
    await ask('create a record');
    await form.getByRole('combobox', { name: 'Class' }).click();
    await page.getByRole('option', { name: className, exact: true }).click();
    await form.getByRole('button', { name: 'Check' }).click();
    await answer.getByText('The permission is open to all').waitFor();
    await ask('delete a record');
    await form.getByLabel('Id of the record').fill('0'.repeat(24));
    await form.getByRole('button', { name: 'Check' }).click();
    await answer.getByText('There is no such record').waitFor();
    await ask('read a dialog');
    await form.getByLabel('Id of the dialog').fill(dialogId);
    await form.getByRole('button', { name: 'Check' }).click();
    await answer.getByText('The user is an occupant of the dialog').waitFor();
    await answer.getByText('Yes').waitFor();
    await expectAccessible(page);
    expect(problems).toEqual([]);
  });

  test('a user is blocked and unblocked, and their sessions end', async () => {
    const user = await createUser();
    const { page } = await openAs(await signedInAdministrator('support'), `${APP}/users/${user.id}`);
    await page.getByRole('button', { name: 'Block user' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Block user' }).click();
    await page.getByText('The user cannot sign in').waitFor();
    await page.getByText('No open sessions').waitFor();
    expect((await graphql('{ me { id } }', {}, user)).errors).toBeDefined();
    await page.getByRole('button', { name: 'Unblock' }).click();
    await page.getByRole('button', { name: 'Block user' }).waitFor();
    expect(await db.user.findFirstOrThrow({ where: { id: user.id } })).toMatchObject({ blockedAt: null });
  });
});

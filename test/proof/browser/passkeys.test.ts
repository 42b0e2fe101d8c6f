import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { createSetupLink } from '../../../src/administration/administrators/links.ts';
import { db } from '../../../src/db/client.ts';
import { MINUTE } from '../../../src/lib/time.ts';
import { APPLICATION, clock, running, useApp } from '../../support/app/app.ts';
import { type Authenticator, addAuthenticator } from '../../support/clients/authenticator.ts';
import { expectAccessible, hasBrowser, openPage, PHONE, useBrowser } from '../../support/clients/browser.ts';
import { choose } from '../../support/clients/console.ts';
import { PASSWORD } from '../../support/fixtures/administrators.ts';
import { localhost } from '../../support/fixtures/passkeys.ts';
import { createUser } from '../../support/fixtures/users.ts';

const EMAIL = 'ada@example.com';

describe.skipIf(!hasBrowser)('passkeys in a browser', () => {
  useApp();
  useBrowser();

  let page: Page;
  let problems: string[];
  let authenticator: Authenticator;

  const atLocalhost = (path: string) => `${localhost()}${path}`;

  async function signOut(): Promise<void> {
    await page.getByRole('button', { name: 'Ada' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to the console' }).waitFor();
  }

  const unconfirm = () =>
    db.administratorSession.updateMany({ data: { confirmedAt: new Date(clock.now() - 15 * MINUTE) } });

  beforeAll(async () => {
    const url = (await createSetupLink(running.app.services))!;
    ({ page, problems } = await openPage(url.replace(running.url, localhost())));
    // The authenticator would also answer the request for suggestions, which has its own test.
    await page.addInitScript('delete PublicKeyCredential.isConditionalMediationAvailable');
    authenticator = await addAuthenticator(page);
    await page.getByLabel('Email address').fill(EMAIL);
    await page.getByLabel('Name').fill('Ada');
    await page.locator('input[type=password]').fill(PASSWORD);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Applications' }).waitFor();
  });

  test('a passkey is added, renamed and shown on the profile', async () => {
    await page.goto(atLocalhost('/console/profile'));
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Old phone');
    await expectAccessible(page);
    await authenticator.while(async () => {
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByText('Passkey added').waitFor();
    });
    const row = page.getByRole('listitem').filter({ hasText: 'Old phone' });
    await row.getByText('never used').waitFor();
    await row.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Laptop');
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await page.getByText('Laptop').waitFor();
    expect(await db.administratorPasskey.findMany({ select: { name: true, relyingPartyId: true } })).toEqual([
      { name: 'Laptop', relyingPartyId: 'localhost' },
    ]);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await authenticator.while(async () => {
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByText('This device already has a passkey for your account').waitFor();
    });
    await page.getByRole('button', { name: 'Cancel' }).click();
  });

  test('signs in alone, from a deep link', async () => {
    await signOut();
    await page.goto(atLocalhost(`/console/apps/${APPLICATION.id}/users?search=grace`));
    await expectAccessible(page);
    await authenticator.while(async () => {
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
      await page.getByRole('heading', { name: 'Users' }).waitFor();
    });
    expect(await page.getByLabel('Search').inputValue()).toBe('grace');
  });

  test('confirms a deletion', async () => {
    const user = await createUser({ full_name: 'Grace Hopper' });
    await page.goto(atLocalhost(`/console/apps/${APPLICATION.id}/users/${user.id}`));
    await unconfirm();
    await choose(page, 'Delete user');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete user' }).click();
    await page.getByRole('dialog', { name: 'Confirm that it is you' }).waitFor();
    await expectAccessible(page);
    await authenticator.while(async () => {
      await page.getByRole('button', { name: 'Confirm with a passkey' }).click();
      await page.getByText('was deleted').waitFor();
    });
    expect(await db.user.count({ where: { id: user.id } })).toBe(0);
  });

  test('continues an ended session, and nothing typed is lost', async () => {
    const user = await createUser({ full_name: 'Ida Rhodes' });
    await page.goto(atLocalhost(`/console/apps/${APPLICATION.id}/users/${user.id}`));
    await page.getByLabel('Full name').fill('Ida Rhodes-Hadassah');
    await db.administratorSession.deleteMany();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    await authenticator.while(async () => {
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
      await page.getByText('User saved').waitFor();
    });
    expect(await db.user.findFirstOrThrow({ where: { id: user.id } })).toMatchObject({
      fullName: 'Ida Rhodes-Hadassah',
    });
  });

  test('a person whom the device does not recognize is not signed in, and reads what to do', async () => {
    await signOut();
    await authenticator.verifiesUser(false);
    await authenticator.while(async () => {
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
      await page.getByRole('alert').getByText('The browser received no passkey').waitFor();
    });
    await authenticator.verifiesUser(true);
    expect(await db.administratorSession.count()).toBe(0);
  });

  test('signs in from the suggestions of the field for the email address', async () => {
    const { page: other } = await openPage(atLocalhost('/robots.txt'));
    const phone = await addAuthenticator(other);
    await authenticator.copyTo(phone);
    await phone.while(async () => {
      await other.goto(atLocalhost('/console/sign-in'));
      await other.getByRole('heading', { name: 'Applications' }).waitFor();
    });
    await other.context().close();
    // The counter of the first authenticator is behind now.
    await db.administratorPasskey.updateMany({ data: { counter: 0 } });
  });

  test('can be used with the keyboard alone', async () => {
    await page.goto(atLocalhost('/console/sign-in'));
    const button = page.getByRole('button', { name: 'Sign in with a passkey' });
    await page.getByLabel('Email address').focus();
    for (let nth = 0; nth < 6; nth++) {
      if (await button.evaluate((element) => element === document.activeElement)) break;
      await page.keyboard.press('Tab');
    }
    await authenticator.while(async () => {
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Applications' }).waitFor();
    });
  });

  test.each<[string, BrowserContextOptions]>([
    ['on a desktop', {}],
    ['on a phone in the dark', PHONE],
  ])('pages with passkeys are accessible and fit the window %s', async (_name, options) => {
    const storageState = await page.context().storageState();
    const { page: signedOut, ...signIn } = await openPage(atLocalhost('/console/sign-in'), options);
    await signedOut.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
    const { page: profile, ...rest } = await openPage(atLocalhost('/console/profile'), { ...options, storageState });
    await profile.getByText('Laptop').waitFor();
    await unconfirm();
    for (const [opened, found] of [
      [signedOut, signIn.problems],
      [profile, rest.problems],
    ] as const) {
      await expectAccessible(opened);
      expect(await opened.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
      expect(found).toEqual([]);
    }
    await profile.getByRole('button', { name: 'Add a passkey' }).click();
    await profile.getByRole('button', { name: 'Continue' }).click();
    await profile.getByRole('button', { name: 'Confirm with a passkey' }).waitFor();
    await expectAccessible(profile);
    await signedOut.context().close();
    await profile.context().close();
  });

  test('at an IP address the profile explains where passkeys work, and the sign-in has no button', async () => {
    const { page: signIn } = await openPage(`${running.url}/console/profile`);
    await signIn.getByLabel('Email address').fill(EMAIL);
    expect(await signIn.getByRole('button', { name: 'Sign in with a passkey' }).count()).toBe(0);
    await signIn.locator('input[type=password]').fill(PASSWORD);
    await signIn.getByRole('button', { name: 'Sign in' }).click();
    await signIn.getByText(`Sign in at ${localhost()}/console to add one`).waitFor();
    await signIn.getByText('Works only at localhost').waitFor();
    await signIn.context().close();
  });

  test('a deleted passkey no longer signs in', async () => {
    await page.goto(atLocalhost('/console/profile'));
    await page.getByRole('group', { name: 'Passkey Laptop' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await authenticator.while(async () => {
      await page.getByRole('button', { name: 'Confirm with a passkey' }).click();
      await page.getByText('was deleted').waitFor();
    });
    await signOut();
    await authenticator.while(async () => {
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
      await page.getByRole('alert').getByText('The passkey was not accepted').waitFor();
    });
    expect(problems).toEqual([]);
  });
});

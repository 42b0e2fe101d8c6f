import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { APPLICATION, clock, running, useApp } from '../../support/app/app.ts';
import { useChatExample } from '../../support/app/chat-example.ts';
import { expectAccessible, hasBrowser, openPage, PHONE, useBrowser } from '../../support/clients/browser.ts';
import { type Oidc, startOidc } from '../../support/fakes/oidc.ts';
import { execute } from '../../support/fixtures/chat.ts';
import { allowFactors, enableTotp } from '../../support/fixtures/second-factors.ts';
import { apiKey, createUser } from '../../support/fixtures/users.ts';

const SET = 'mutation ($input: TokenIssuerInput!) { updateTokenIssuer(input: $input) { name } }';

describe.skipIf(!hasBrowser)('the button of a provider', () => {
  useApp();
  let oidc: Oidc;
  beforeAll(() => {
    process.env.SIGN_IN = 'idp';
  });
  const example = useChatExample();
  beforeAll(async () => {
    // The provider uses the real clock.
    clock.advance(Date.now() - running.app.services.now().getTime());
    await allowFactors();
    const claims = (login: string) => ({ email: `${login}@idp.example`, email_verified: true, name: `Ms ${login}` });
    oidc = await startOidc(claims, [`${running.url}/sign-in/${APPLICATION.id}/idp/callback`]);
    const client = { id: 'web', secret: 'web-secret', returnAddresses: [example.url] };
    await execute(SET, { input: { name: 'idp', issuer: oidc.issuer, audiences: ['web'], client } }, apiKey);
  });
  afterAll(async () => {
    delete process.env.SIGN_IN;
    await oidc.stop();
  });
  useBrowser();

  /** Presses the button, and the buttons of the pages of the provider. */
  async function signInAs(page: Page, login: string): Promise<void> {
    await page.getByRole('button', { name: 'Continue with Idp' }).click();
    await page.getByPlaceholder('Enter any login').fill(login);
    await page.getByPlaceholder('and password').fill('x');
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.getByRole('button', { name: 'Continue', exact: true }).click();
  }

  test('a visitor signs in at the provider, and nothing of it remains in the address', async () => {
    const { page } = await openPage(`${example.url}?invited=1`, PHONE);
    await page.getByRole('button', { name: 'Continue with Idp' }).waitFor();
    await expectAccessible(page);
    await signInAs(page, 'ada');
    await page.getByRole('heading', { name: 'Chats' }).waitFor();
    expect(page.url()).toBe(example.url);
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    const { email } = await db.user.findFirstOrThrow({ where: { fullName: 'Ms ada' } });
    expect(email).toBe('ada@idp.example');
  });

  test('a user with a second factor is asked for it, also after a password', async () => {
    const user = await createUser({ full_name: 'Mary Jackson', email: 'mary@idp.example' });
    const { recoveryCodes } = await enableTotp(user);
    const { page } = await openPage(example.url);
    await signInAs(page, 'mary');
    const others = page.getByRole('region', { name: 'Other ways to sign in' });
    await others.getByLabel('Code', { exact: true }).fill(recoveryCodes[0]!);
    await expectAccessible(page);
    await others.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Chats' }).waitFor();
    expect(await db.userIdentity.count({ where: { userId: user.id } })).toBe(1);

    const again = await openPage(example.url);
    await again.page.getByLabel('Login').fill(user.login);
    await again.page.getByLabel('Password').fill(user.password);
    await again.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await again.page.getByLabel('Code', { exact: true }).fill(recoveryCodes[1]!);
    await again.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await again.page.getByRole('heading', { name: 'Chats' }).waitFor();
  });

  test('a cancelled sign-in says so once, and a code that this tab has not asked for is ignored', async () => {
    const { page } = await openPage(example.url);
    await page.getByRole('button', { name: 'Continue with Idp' }).click();
    await page.getByPlaceholder('Enter any login').waitFor();
    await page.getByText('Cancel').click();
    await page.getByRole('alert').getByText('The sign-in was not completed').waitFor();
    expect(page.url()).toBe(example.url);
    await page.reload();
    await page.getByRole('button', { name: 'Continue with Idp' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);

    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.postData() ?? ''));
    await page.goto(`${example.url}?provider_code=of-an-attacker&state=of-an-attacker`);
    await page.getByRole('button', { name: 'Continue with Idp' }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(sent.join()).not.toContain('of-an-attacker');
  });
});

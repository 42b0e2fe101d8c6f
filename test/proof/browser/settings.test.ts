import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { APPLICATION, running, useApp } from '../../support/app/app.ts';
import { expectAccessible, hasBrowser, openPage, PHONE, useBrowser } from '../../support/clients/browser.ts';
import { createAssistant, says, startModel } from '../../support/fakes/model.ts';
import { signedInAdministrator, storageOf, type TestAdministrator } from '../../support/fixtures/administrators.ts';
import { execute } from '../../support/fixtures/chat.ts';
import { mailsTo } from '../../support/fixtures/mails.ts';
import { apiKey } from '../../support/fixtures/users.ts';

const SCREENSHOTS = process.env.SCREENSHOTS;

async function shoot(page: Page, name: string): Promise<void> {
  if (SCREENSHOTS) await page.screenshot({ path: `${SCREENSHOTS}/${name}.png`, fullPage: true });
}

describe.skipIf(!hasBrowser)('sign-in, mail and models in the console', () => {
  useApp({ limits: {} });
  useBrowser();

  let developer: TestAdministrator;
  beforeAll(async () => {
    developer = await signedInAdministrator('developer');
  });

  const open = (tab: string, options = {}) =>
    openPage(`${running.url}/console/apps/${APPLICATION.id}/integrations?tab=${tab}`, {
      storageState: storageOf(developer),
      ...options,
    });

  test('an identity provider is set up, edited and deleted, and its secret is never shown', async () => {
    const { page, problems } = await open('sign-in');
    await page.getByRole('button', { name: 'Set up Facebook' }).click();
    await page.getByLabel('App id').fill('123456');
    await page.locator('input[type=password]').fill('top-secret');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('123456, changed').waitFor();
    expect(await page.content()).not.toContain('top-secret');
    await page.getByRole('button', { name: 'Edit Facebook' }).click();
    expect(await page.locator('input[type=password]').inputValue()).toBe('');
    await page.getByLabel('App id').fill('no digits');
    await page.locator('input[type=password]').fill('x');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').waitFor();
    await expectAccessible(page);
    await shoot(page, 'sign-in');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Set up Facebook' }).waitFor();
    expect(problems).toEqual([]);
  });

  test('a provider that redirects is added, edited with its stored secret, and deleted', async () => {
    const { page, problems } = await open('sign-in');
    const providers = page.getByRole('region', { name: 'Sign-in providers' });
    await providers.getByText('No providers yet').waitFor();
    await providers.getByRole('button', { name: 'Add provider' }).click();
    const form = page.getByRole('dialog');
    await form.getByRole('combobox', { name: 'Provider' }).click();
    await page.getByRole('option', { name: 'Google' }).click();
    expect(await form.getByLabel('Issuer').inputValue()).toBe('https://accounts.google.com');
    await form.getByLabel('Client id').fill('shop.apps.example');
    await form.locator('input[type=password]').fill('top-secret');
    const addresses = form.getByLabel('Return addresses');
    await addresses.fill('not an address');
    await form.getByLabel('Unknown people sign up').uncheck();
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByRole('alert').waitFor();
    await expectAccessible(page);
    await addresses.fill('https://app.example.com/signed-in');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    await providers.getByText('Redirects', { exact: true }).waitFor();
    await providers.getByText(`/sign-in/${APPLICATION.id}/google/callback`).waitFor();
    await expectAccessible(page);
    await shoot(page, 'sign-in-providers');
    const where = { applicationId: APPLICATION.id, name: 'google' };
    const stored = await db.tokenIssuer.findFirstOrThrow({ where });
    expect(stored).toMatchObject({ audiences: ['shop.apps.example'], signsUp: false, kind: 'openid' });
    expect(stored.encryptedSecret).not.toBeNull();

    const change = { keyIds: ['pinned'], isSingleUse: false, scopes: ['openid'] };
    await db.tokenIssuer.updateMany({ where, data: change });
    await page.reload();
    await providers.getByRole('button', { name: 'Edit google' }).click();
    await form.getByLabel('Client id').fill('renamed.apps.example');
    await form.getByLabel('Other audiences').fill('phone-app');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    const { encryptedSecret } = stored;
    const audiences = ['renamed.apps.example', 'phone-app'];
    const edited = { ...change, audiences, encryptedSecret, clientId: audiences[0], signsUp: false };
    expect(await db.tokenIssuer.findFirstOrThrow({ where })).toMatchObject(edited);
    await providers.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await providers.getByText('No providers yet').waitFor();
    expect(problems).toEqual([]);
  });

  test('an issuer of own tokens and GitHub are added', async () => {
    const { page } = await open('sign-in', PHONE);
    const add = page.getByRole('button', { name: 'Add provider' });
    const form = page.getByRole('dialog');
    const save = async () => {
      await form.getByRole('button', { name: 'Save' }).click();
      await form.waitFor({ state: 'detached' });
    };
    await add.click();
    await form.getByLabel('Name').fill('shop');
    await form.getByLabel('Issuer').fill('https://shop.example.com');
    await form.getByLabel('The service redirects browsers').uncheck();
    await form.getByLabel('Audiences').fill('shop-app');
    await form.getByLabel('Key set').fill('https://shop.example.com/keys');
    await save();
    await page.getByText('Tokens only').waitFor();
    await add.click();
    await form.getByRole('combobox', { name: 'Provider' }).click();
    await page.getByRole('option', { name: 'GitHub' }).click();
    await form.getByLabel('Client id').fill('Iv1.example');
    await form.locator('input[type=password]').fill('top-secret');
    await form.getByLabel('Return addresses').fill('com.example.app://signed-in');
    await save();
    await page.getByText('Redirects', { exact: true }).waitFor();
    expect(await db.tokenIssuer.findMany({ orderBy: { name: 'asc' } })).toMatchObject([
      { name: 'github', kind: 'github', clientId: 'Iv1.example', audiences: ['github'] },
      {
        name: 'shop',
        kind: 'openid',
        clientId: null,
        audiences: ['shop-app'],
        keysUrl: 'https://shop.example.com/keys',
      },
    ]);
  });

  test('a test mail is sent, and an own text is previewed, stored and reset', async () => {
    const { page, problems } = await open('mail');
    await page.getByText('No mail server').waitFor();
    await page.getByLabel('Recipient').fill('ops@example.org');
    await page.getByRole('button', { name: 'Send test mail' }).click();
    await page.getByText('Accepted', { exact: true }).waitFor();
    expect(await mailsTo('ops@example.org')).toHaveLength(1);

    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.getByText('the account grace of test').waitFor();
    await page.getByLabel('Subject').fill('Hello {{name}}');
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Set it: {{link');
    await preview.getByText('Text should contain {{link}}').waitFor();
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Set it: {{link}}');
    await page.getByRole('textbox', { name: 'HTML' }).fill('<img src="x" onerror="top.hacked = 1"><b>{{link}}</b>');
    await preview.getByText('Hello Grace Hopper').waitFor();
    await page.frameLocator('iframe').locator('b').waitFor();
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    await page
      .getByRole('textbox', { name: 'HTML' })
      .fill('<p>Hello {{name}},</p><p><a href="{{link}}">Set password</a></p>');
    await page.frameLocator('iframe').getByText('Set password').waitFor();
    await page.getByRole('button', { name: 'Save mail' }).click();
    await page.getByText('Your own text applies').waitFor();
    await expectAccessible(page);
    await shoot(page, 'mail');
    await page.getByRole('button', { name: 'Use the default text' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Use the default text' }).click();
    await page.getByText('The text of the service applies').waitFor();

    await page.getByRole('combobox', { name: 'Mail', exact: true }).click();
    await page.getByRole('option', { name: 'Mail with a code to sign in' }).click();
    await page.getByText('{{code}}', { exact: true }).first().waitFor();
    await page.getByLabel('Add a language').fill('de');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByText('The text for all other languages applies').waitFor();
    await page.getByLabel('Subject').fill('Ihr Code');
    await page.getByRole('button', { name: 'Save mail' }).click();
    await page.getByText('Your own text applies').waitFor();
    const where = { kind: 'signInCode', language: 'de' } as const;
    expect(await db.mailTemplate.findFirst({ where })).toMatchObject({ subject: 'Ihr Code' });
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Remove this language' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove this language' }).click();
    await page.getByText('The text of the service applies').waitFor();
    expect(await db.mailTemplate.findFirst({ where })).toBeNull();
    // The browser reports the blocked script.
    expect(problems.filter((text) => !/sandboxed|Content Security Policy/.test(text))).toEqual([]);
  });

  test('an assistant is created, tried and edited, and its tokens are shown', async () => {
    const model = await startModel((response) => says(response, 'In the settings.', { total_tokens: 42 }));
    const { page, problems } = await open('models');
    await page.getByRole('button', { name: 'Create assistant' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Help desk');
    await dialog.getByLabel('Base URL').fill('http://127.0.0.1/v1');
    await dialog.getByLabel('Model').fill('small');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('should be a public address').waitFor();
    await dialog.getByLabel('Base URL').fill('https://models.example.com/v1');
    await dialog.locator('input[type=password]').fill('model-secret');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('small at https://models.example.com/v1').waitFor();
    expect(await page.content()).not.toContain('model-secret');

    const id = await createAssistant(model);
    await execute('mutation ($id: ID!) { updateAssistant(id: $id, input: { name: "Local" }) { id } }', { id }, apiKey);
    await page.reload();
    await page.getByLabel('Message to Local').fill('Where do I change my address?');
    await page
      .locator('form', { has: page.getByLabel('Message to Local') })
      .getByRole('button', { name: 'Ask' })
      .click();
    await page.getByText('In the settings.').waitFor();
    await expectAccessible(page);
    await shoot(page, 'models');
    await page.getByRole('tab', { name: 'Token use' }).click();
    await page.getByText('Tokens per day (UTC)').waitFor();
    await page.getByRole('cell', { name: 'Local' }).waitFor();
    await expectAccessible(page);
    await shoot(page, 'tokens');
    expect(problems).toEqual([]);
  });

  test('a push provider is set up and deleted per environment', async () => {
    const { page, problems } = await open('push');
    await page.getByText('Development').click();
    await page.getByRole('button', { name: 'Set up Google (FCM)' }).click();
    await page.getByRole('textbox', { name: 'Service account' }).fill('no JSON');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The service account is not JSON').waitFor();
    await page.getByRole('button', { name: 'Set up Browsers (Web Push)' }).click();
    await page.getByLabel('Contact').fill('mailto:push@example.org');
    await page.getByRole('button', { name: 'Save' }).last().click();
    await page.getByRole('button', { name: 'Edit Browsers (Web Push)' }).waitFor();
    await expectAccessible(page);
    await page.getByText('Production').click();
    await page.getByRole('button', { name: 'Set up Browsers (Web Push)' }).waitFor();
    expect(problems).toEqual([]);
  });

  test('all tabs fit a phone in dark mode', async () => {
    for (const tab of ['sign-in', 'mail', 'models', 'tokens', 'push']) {
      const { page } = await open(tab, PHONE);
      await page.getByRole('heading', { name: 'Integrations' }).waitFor();
      await page.getByRole('tabpanel').locator('*').first().waitFor();
      await expectAccessible(page);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
      await shoot(page, `phone-${tab}`);
    }
  });
});

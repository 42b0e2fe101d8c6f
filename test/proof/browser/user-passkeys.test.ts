import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { useApp } from '../../support/app/app.ts';
import { useChatExample } from '../../support/app/chat-example.ts';
import { addAuthenticator } from '../../support/clients/authenticator.ts';
import { expectAccessible, hasBrowser, openPage, PHONE, useBrowser } from '../../support/clients/browser.ts';
import { setApplication } from '../../support/fixtures/second-factors.ts';
import { createUser, type TestUser } from '../../support/fixtures/users.ts';

/** Adds a passkey as the guide describes it. */
function addPasskey(page: Page, { token }: TestUser): Promise<string> {
  return page.evaluate(async (token) => {
    const send = async (query: string, variables = {}) => {
      const headers = { 'Content-Type': 'application/json', 'SVC-Token': token };
      const body = JSON.stringify({ query, variables });
      const { data, errors } = await (await fetch('/graphql', { method: 'POST', headers, body })).json();
      if (errors) throw new Error(errors[0].message);
      return data;
    };
    const { requestUserPasskey: begun } = await send('mutation { requestUserPasskey { token passkeyOptions } }');
    const created = (await navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(begun.passkeyOptions),
    })) as PublicKeyCredential;
    const { clientDataJSON, attestationObject, transports } = (created.toJSON() as RegistrationResponseJSON).response;
    const { createUserPasskey } = await send(
      `mutation ($token: String!, $passkey: PasskeyRegistrationInput!) {
        createUserPasskey(name: "laptop", token: $token, passkey: $passkey) { host } }`,
      { token: begun.token, passkey: { id: created.id, clientDataJSON, attestationObject, transports } },
    );
    await send('mutation { enablePasskeyFactor }');
    return createUserPasskey.host;
  }, token);
}

describe.skipIf(!hasBrowser)('passkeys of users in the chat kit', () => {
  useApp();
  beforeAll(() => {
    process.env.SIGN_IN = 'passkey';
  });
  const example = useChatExample();
  let home: string;
  beforeAll(async () => {
    const url = new URL(example.url);
    url.hostname = 'localhost';
    home = url.href;
    await setApplication({ secondFactors: true, passkeyOrigins: [url.origin], publicSignIn: true });
  });
  afterAll(() => {
    delete process.env.SIGN_IN;
  });
  useBrowser();

  test('a passkey signs in alone, and is asked for after the password', async () => {
    const user = await createUser({ full_name: 'Ada Lovelace' });
    const { page } = await openPage(home, PHONE);
    const authenticator = await addAuthenticator(page);
    await page.getByRole('button', { name: 'Use a passkey' }).waitFor();
    let host = '';
    await authenticator.while(async () => {
      host = await addPasskey(page, user);
    });
    expect(host).toBe('localhost');
    expect(await db.userPasskey.findFirstOrThrow({ where: { userId: user.id } })).toMatchObject({ lastUsedAt: null });

    await authenticator.while(async () => {
      await page.getByRole('button', { name: 'Use a passkey' }).click();
      await page.getByRole('heading', { name: 'Chats' }).waitFor();
    });
    expect((await db.userPasskey.findFirstOrThrow({ where: { userId: user.id } })).lastUsedAt).not.toBeNull();

    await page.evaluate(() => localStorage.clear());
    await page.reload();
    await page.getByLabel('Login').fill(user.login);
    await page.getByLabel('Password').fill(user.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'One more step' }).waitFor();
    await expectAccessible(page);
    await authenticator.while(async () => {
      await page.getByRole('button', { name: 'Use a passkey' }).click();
      await page.getByRole('heading', { name: 'Chats' }).waitFor();
    });
  });

  test('a user without a passkey is offered one, and signs in with it later', async () => {
    const user = await createUser();
    const { page } = await openPage(home, PHONE);
    const authenticator = await addAuthenticator(page);
    const add = page.getByRole('button', { name: 'Add a passkey' });
    await page.getByLabel('Login').fill(user.login);
    await page.getByLabel('Password').fill(user.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await add.waitFor();
    await expectAccessible(page);
    await authenticator.while(async () => {
      await add.click();
      await page.getByText('The passkey is ready').waitFor();
    });
    expect(await db.userPasskey.findFirstOrThrow({ where: { userId: user.id } })).toMatchObject({
      relyingPartyId: 'localhost',
      lastUsedAt: null,
    });
    await page.evaluate(() => localStorage.clear());
    await page.reload();
    const listed = page.waitForResponse((response) => response.request().postData()?.includes('Passkeys') ?? false);
    await authenticator.while(async () => {
      await page.getByRole('button', { name: 'Use a passkey' }).click();
      await page.getByRole('heading', { name: 'Chats' }).waitFor();
    });
    await (await listed).finished();
    await page.evaluate(() => new Promise(requestAnimationFrame));
    expect(await add.count()).toBe(0);
  });

  test('a passkey that the service does not know is refused', async () => {
    const user = await createUser();
    const { page } = await openPage(home);
    const authenticator = await addAuthenticator(page);
    await page.getByRole('button', { name: 'Use a passkey' }).waitFor();
    await authenticator.while(() => addPasskey(page, user));
    await db.userPasskey.deleteMany({ where: { userId: user.id } });
    await authenticator.while(async () => {
      await page.getByRole('button', { name: 'Use a passkey' }).click();
      await page.getByRole('alert').getByText('The passkey was not accepted').waitFor();
    });
    expect(await page.getByRole('button', { name: 'Use a passkey' }).isEnabled()).toBe(true);
  });
});

import { describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { MINUTE } from '../../../src/lib/time.ts';
import { clock, useApp } from '../../support/app/app.ts';
import type { Deviation } from '../../support/fakes/authenticator.ts';
import { errorIn } from '../../support/fixtures/administrators.ts';
import {
  CONFIRM,
  CONFIRMATION_OPTIONS,
  ConsoleBrowser,
  CREATE,
  CREATE_OPTIONS,
  personWithPasskey,
  REFUSED,
  SIGN_IN,
} from '../../support/fixtures/passkeys.ts';

useApp();

describe('#59 forged, stolen and copied passkeys', () => {
  test.each<[string, Deviation]>([
    ['on a page of another site', { origin: 'https://evil.example', rpId: 'evil.example' }],
    ['on a subdomain of the console', { origin: 'https://evil.localhost' }],
    ['without verification of the person, on a stolen device', { isVerified: false }],
    ['with another key', { hasOtherKey: true }],
    ['for another account', { userHandle: 'AAAA' }],
  ])('a signature made %s does not sign in', async (_name, deviation) => {
    const { authenticator } = await personWithPasskey();
    const browser = new ConsoleBrowser();
    expect(errorIn(await browser.signIn(authenticator, deviation))).toEqual(REFUSED);
    expect(browser.isSignedIn).toBe(false);
  });

  test('a passkey of another host, whose owner may be another person now, does not sign in', async () => {
    const { authenticator, passkeyId } = await personWithPasskey();
    const data = { relyingPartyId: 'former.example.com' };
    await db.administratorPasskey.update({ where: { id: passkeyId }, data });
    expect(errorIn(await new ConsoleBrowser().signIn(authenticator))).toEqual(REFUSED);
  });

  test('a new passkey without verification of the person is not stored', async () => {
    const { browser, authenticator } = await personWithPasskey();
    const { createPasskeyOptions } = (await browser.post(CREATE_OPTIONS)).data;
    const passkey = authenticator.create(createPasskeyOptions, { isVerified: false });
    expect(errorIn(await browser.post(CREATE, { name: 'x', passkey }))).toMatchObject({ code: 'UNPROCESSABLE' });
  });

  test('a recorded signature signs in once, also in many requests at the same time', async () => {
    const { authenticator } = await personWithPasskey({ isCounting: false });
    const browser = new ConsoleBrowser();
    const passkey = await browser.signInAssertion(authenticator);
    const answers = await Promise.all(Array.from({ length: 5 }, () => browser.post(SIGN_IN, { passkey })));
    expect(answers.filter(({ errors }) => !errors)).toHaveLength(1);
  });

  test('a recorded signature signs in neither later nor in another browser', async () => {
    const { authenticator } = await personWithPasskey();
    const [browser, thief] = [new ConsoleBrowser(), new ConsoleBrowser()];
    await thief.signInAssertion(authenticator);
    const passkey = await browser.signInAssertion(authenticator);
    expect(errorIn(await thief.post(SIGN_IN, { passkey }))).toEqual(REFUSED);
    clock.advance(5 * MINUTE);
    expect(errorIn(await browser.post(SIGN_IN, { passkey }))).toEqual(REFUSED);
  });

  test('the copy of an authenticator is refused once the original was used', async () => {
    const { authenticator } = await personWithPasskey();
    expect(errorIn(await new ConsoleBrowser().signIn(authenticator, { counter: 5 }))).toBeUndefined();
    for (const counter of [5, 4, 0]) {
      expect(errorIn(await new ConsoleBrowser().signIn(authenticator, { counter }))).toEqual(REFUSED);
    }
  });

  test('a session is confirmed neither by passkeys of other administrators nor by signatures of sign-ins', async () => {
    const [victim, attacker] = [await personWithPasskey(), await personWithPasskey()];
    const { passkeyConfirmationOptions } = (await victim.browser.post(CONFIRMATION_OPTIONS)).data;
    const { allowCredentials: _, ...any } = passkeyConfirmationOptions;
    const foreign = attacker.authenticator.get(any);
    expect(errorIn(await victim.browser.post(CONFIRM, { passkey: foreign }))).toEqual(REFUSED);
    const passkey = await victim.browser.signInAssertion(victim.authenticator);
    expect(errorIn(await victim.browser.post(CONFIRM, { passkey }))).toEqual(REFUSED);
  });
});

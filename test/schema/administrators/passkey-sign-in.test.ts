import { pino } from 'pino';
import { beforeAll, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { MINUTE } from '../../../src/lib/time.ts';
import { clock, running, useApp } from '../../support/app/app.ts';
import { type Deviation, SoftwareAuthenticator } from '../../support/fakes/authenticator.ts';
import { errorIn } from '../../support/fixtures/administrators.ts';
import {
  CONFIRM,
  CONFIRMATION_OPTIONS,
  ConsoleBrowser,
  CREATE_OPTIONS,
  DELETE,
  localhost,
  ME,
  type Person,
  personWithPasskey,
  REFUSED,
  SIGN_IN,
  SIGN_IN_OPTIONS,
  UNCONFIRMED,
} from '../../support/fixtures/passkeys.ts';

const warnings: string[] = [];
useApp({ log: pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) }) });

describe('signing in with a passkey', () => {
  let person: Person;
  beforeAll(async () => {
    person = await personWithPasskey();
  });

  test('needs neither email address nor password nor code, and counts as a confirmation', async () => {
    const { administrator, authenticator } = person;
    await db.administrator.update({ where: { id: administrator.id }, data: { hasTotp: true, encryptedTotp: 'x' } });
    const browser = new ConsoleBrowser();
    const { passkeySignInOptions: options } = (await browser.post(SIGN_IN_OPTIONS)).data;
    expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'required' });
    expect(options.allowCredentials).toBeUndefined();
    const { data } = await browser.post(SIGN_IN, { passkey: authenticator.get(options) });
    expect(data.signInAdministratorWithPasskey).toEqual({
      id: administrator.id,
      email: administrator.email,
      confirmedUntil: new Date(clock.now() + 15 * MINUTE).toISOString(),
    });
    expect((await browser.post(ME)).data.administrator.email).toBe(administrator.email);
    expect((await db.administratorPasskey.findUniqueOrThrow({ where: { id: person.passkeyId } })).lastUsedAt).toEqual(
      running.now(),
    );
  });

  test.each<[string, Deviation]>([
    ['another origin', { origin: 'https://evil.example' }],
    ['another scheme', { origin: 'https://localhost' }],
    ['another host of the passkey', { rpId: 'evil.example' }],
    ['no verification of the person', { isVerified: false }],
    ['nobody being present', { isPresent: false }],
    ['a new credential in place of a signature', { type: 'webauthn.create' }],
    ['the signature of another key', { hasOtherKey: true }],
    ['an invented challenge', { challenge: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }],
    ['no account', { userHandle: null }],
    ['another account', { userHandle: 'AAAA' }],
  ])('is refused with %s', async (_name, deviation) => {
    const browser = new ConsoleBrowser();
    expect(errorIn(await browser.signIn(person.authenticator, deviation))).toEqual(REFUSED);
    expect(browser.isSignedIn).toBe(false);
  });

  test('accepts each challenge once, within five minutes, from the browser that requested it', async () => {
    const [browser, other] = [new ConsoleBrowser(), new ConsoleBrowser()];
    await other.post(SIGN_IN_OPTIONS);
    const passkey = await browser.signInAssertion(person.authenticator);
    expect(errorIn(await other.post(SIGN_IN, { passkey }))).toEqual(REFUSED);
    expect(errorIn(await new ConsoleBrowser().post(SIGN_IN, { passkey }))).toEqual(REFUSED);
    const answers = await Promise.all([1, 2, 3].map(() => browser.post(SIGN_IN, { passkey })));
    expect(answers.filter((answer) => !answer.errors)).toHaveLength(1);
    expect(answers.map(errorIn).filter(Boolean)).toEqual([REFUSED, REFUSED]);
    const late = await browser.signInAssertion(person.authenticator);
    clock.advance(5 * MINUTE);
    expect(errorIn(await browser.post(SIGN_IN, { passkey: late }))).toEqual(REFUSED);
    expect(other.isSignedIn).toBe(false);
  });

  test('works in two tabs of a browser', async () => {
    const browser = new ConsoleBrowser();
    const first = await browser.signInAssertion(person.authenticator);
    const second = await browser.signInAssertion(person.authenticator);
    expect(errorIn(await browser.post(SIGN_IN, { passkey: first }))).toBeUndefined();
    expect(errorIn(await browser.post(SIGN_IN, { passkey: second }))).toBeUndefined();
  });

  test('refuses challenges of confirmations and of new passkeys', async () => {
    const { browser, authenticator } = await personWithPasskey();
    const { passkeyConfirmationOptions } = (await browser.post(CONFIRMATION_OPTIONS)).data;
    const { createPasskeyOptions } = (await browser.post(CREATE_OPTIONS)).data;
    for (const { challenge } of [passkeyConfirmationOptions, createPasskeyOptions]) {
      expect(errorIn(await browser.signIn(authenticator, { challenge }))).toEqual(REFUSED);
    }
  });

  test('refuses a counter that does not grow, and logs it', async () => {
    const { authenticator, passkeyId, administrator } = await personWithPasskey();
    expect(errorIn(await new ConsoleBrowser().signIn(authenticator, { counter: 7 }))).toBeUndefined();
    warnings.length = 0;
    for (const counter of [7, 3, 0]) {
      expect(errorIn(await new ConsoleBrowser().signIn(authenticator, { counter }))).toEqual(REFUSED);
    }
    expect(warnings.map((line) => JSON.parse(line))).toMatchObject(
      [7, 3, 0].map((counter) => ({ passkeyId, administratorId: administrator.id, counter, latestCounter: 7 })),
    );
    expect(errorIn(await new ConsoleBrowser().signIn(authenticator, { counter: 8 }))).toBeUndefined();
  });

  test('works with passkeys that do not count, as password managers synchronize them', async () => {
    const { authenticator } = await personWithPasskey({ isCounting: false });
    for (let nth = 0; nth < 2; nth++) {
      expect(errorIn(await new ConsoleBrowser().signIn(authenticator))).toBeUndefined();
    }
  });

  test('refuses unknown and deleted passkeys and those of deleted administrators alike', async () => {
    const [unknown, deleted, leaver] = [
      await personWithPasskey(),
      await personWithPasskey(),
      await personWithPasskey(),
    ];
    const stranger = new SoftwareAuthenticator(localhost());
    stranger.create((await unknown.browser.post(CREATE_OPTIONS)).data.createPasskeyOptions);
    await deleted.browser.post(DELETE, { id: deleted.passkeyId });
    await db.administrator.delete({ where: { id: leaver.administrator.id } });
    for (const authenticator of [stranger, deleted.authenticator, leaver.authenticator]) {
      expect(errorIn(await new ConsoleBrowser().signIn(authenticator))).toEqual(REFUSED);
    }
    for (const malformed of ['', 'bnVsbA', 'no base64 ÿ']) {
      const browser = new ConsoleBrowser();
      const assertion = await browser.signInAssertion(unknown.authenticator);
      for (const field of ['id', 'clientDataJSON', 'authenticatorData', 'signature', 'userHandle']) {
        const passkey = { ...assertion, [field]: malformed };
        expect([field, errorIn(await browser.post(SIGN_IN, { passkey }))]).toEqual([field, REFUSED]);
      }
    }
  });

  test('is refused from pages of other sites, and at IP addresses', async () => {
    const elsewhere = new ConsoleBrowser({ origin: 'https://evil.example' });
    const atAddress = new ConsoleBrowser({ url: running.url });
    for (const [browser, message] of [
      [elsewhere, 'Sign in by a POST request from the address of the console'],
      [atAddress, 'Passkeys need a host name instead of an IP address, for example localhost'],
    ] as const) {
      expect(errorIn(await browser.post(SIGN_IN_OPTIONS))).toEqual({ message, code: 'BAD_USER_INPUT' });
    }
  });

  test('is refused at another host than the one of the passkey', async () => {
    const { authenticator, passkeyId } = await personWithPasskey();
    const data = { relyingPartyId: 'console.example.com' };
    await db.administratorPasskey.update({ where: { id: passkeyId }, data });
    expect(errorIn(await new ConsoleBrowser().signIn(authenticator))).toEqual(REFUSED);
  });
});

describe('confirming with a passkey', () => {
  const expire = ({ administrator }: Person) =>
    db.administratorSession.updateMany({
      where: { administratorId: administrator.id },
      data: { confirmedAt: new Date(clock.now() - 15 * MINUTE) },
    });

  test('allows deletions and secrets again for 15 minutes', async () => {
    const person = await personWithPasskey();
    await expire(person);
    expect(errorIn(await person.browser.post(DELETE, { id: person.passkeyId }))).toEqual(UNCONFIRMED);
    expect((await person.browser.confirm(person.authenticator)).data.confirmAdministrator).toEqual({
      confirmedUntil: new Date(clock.now() + 15 * MINUTE).toISOString(),
    });
    expect(errorIn(await person.browser.post(DELETE, { id: person.passkeyId }))).toBeUndefined();
  });

  test.each<[string, Deviation]>([
    ['another origin', { origin: 'https://evil.example' }],
    ['another host of the passkey', { rpId: 'evil.example' }],
    ['no verification of the person', { isVerified: false }],
    ['the signature of another key', { hasOtherKey: true }],
    ['a counter that does not grow', { counter: 0 }],
    ['another account', { userHandle: 'AAAA' }],
  ])('is refused with %s', async (_name, deviation) => {
    const person = await personWithPasskey();
    await person.browser.confirm(person.authenticator);
    await expire(person);
    expect(errorIn(await person.browser.confirm(person.authenticator, deviation))).toEqual(REFUSED);
    expect(errorIn(await person.browser.post(DELETE, { id: person.passkeyId }))).toEqual(UNCONFIRMED);
  });

  test('works without the user handle, which security keys omit for listed credentials', async () => {
    const { browser, authenticator } = await personWithPasskey();
    expect(errorIn(await browser.confirm(authenticator, { userHandle: null }))).toBeUndefined();
  });

  test('refuses passkeys, sessions and challenges of others, and used challenges', async () => {
    const [ada, eve] = [await personWithPasskey(), await personWithPasskey()];
    const options = async ({ browser }: Person) =>
      (await browser.post(CONFIRMATION_OPTIONS)).data.passkeyConfirmationOptions;
    const { allowCredentials, ...any } = await options(eve);
    expect(allowCredentials).toHaveLength(1);
    const confirm = ({ browser }: Person, passkey: object) => browser.post(CONFIRM, { passkey });
    expect(errorIn(await confirm(eve, ada.authenticator.get(any)))).toEqual(REFUSED);
    expect(
      errorIn(await confirm(eve, eve.authenticator.get({ ...any, challenge: (await options(ada)).challenge }))),
    ).toEqual(REFUSED);
    const passkey = ada.authenticator.get(await options(ada));
    expect(errorIn(await confirm(ada, passkey))).toBeUndefined();
    expect(errorIn(await confirm(ada, passkey))).toEqual(REFUSED);
    const signIn = await ada.browser.signInAssertion(ada.authenticator);
    expect(errorIn(await confirm(ada, signIn))).toEqual(REFUSED);
    const { createPasskeyOptions } = (await ada.browser.post(CREATE_OPTIONS)).data;
    const request = { ...any, challenge: createPasskeyOptions.challenge };
    expect(errorIn(await confirm(ada, ada.authenticator.get(request)))).toEqual(REFUSED);
  });

  test('requires either a password or a passkey, and a passkey of the host', async () => {
    const { browser, authenticator, passkeyId } = await personWithPasskey();
    const { passkeyConfirmationOptions } = (await browser.post(CONFIRMATION_OPTIONS)).data;
    const passkey = authenticator.get(passkeyConfirmationOptions);
    for (const variables of [{}, { passkey, password: 'correct horse battery' }]) {
      expect(errorIn(await browser.post(CONFIRM, variables))).toEqual({
        message: 'Send either password or passkey',
        code: 'BAD_USER_INPUT',
      });
    }
    await browser.post(DELETE, { id: passkeyId });
    expect(errorIn(await browser.post(CONFIRMATION_OPTIONS))).toEqual({
      message: 'The account has no passkey for localhost',
      code: 'NOT_FOUND',
    });
  });
});

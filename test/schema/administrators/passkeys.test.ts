import { describe, expect, test } from 'vitest';
import { deleteExpired } from '../../../src/administration/administrators/expired.ts';
import { resetAdministrator } from '../../../src/administration/administrators/reset-links.ts';
import { db } from '../../../src/db/client.ts';
import { NotFoundError } from '../../../src/lib/errors.ts';
import { MINUTE } from '../../../src/lib/time.ts';
import { clock, running, useApp } from '../../support/app/app.ts';
import { type Deviation, SoftwareAuthenticator } from '../../support/fakes/authenticator.ts';
import { errorIn, signedInAdministrator } from '../../support/fixtures/administrators.ts';
import {
  CONFIRMATION_OPTIONS,
  ConsoleBrowser,
  CREATE,
  CREATE_OPTIONS,
  DELETE,
  localhost,
  ME,
  personWithPasskey,
  REFUSED,
  SIGN_IN,
  SIGN_IN_OPTIONS,
  UNCONFIRMED,
} from '../../support/fixtures/passkeys.ts';

useApp();

const NOT_ADDED = { message: 'Passkey was not accepted; try again', code: 'UNPROCESSABLE' };
const LIST = '{ passkeys { id name } }';
const RENAME = 'mutation ($id: Int!, $name: String!) { updatePasskey(id: $id, name: $name) { name } }';

describe('adding a passkey', () => {
  test('requests a discoverable credential with verification of the person, and no attestation', async () => {
    const administrator = await signedInAdministrator('viewer');
    const browser = new ConsoleBrowser({ as: administrator });
    const { createPasskeyOptions: options } = (await browser.post(CREATE_OPTIONS)).data;
    expect(options).toMatchObject({
      rp: { id: 'localhost', name: 'Atrium console' },
      user: { name: administrator.email },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: [],
      timeout: 5 * MINUTE,
    });
    const authenticator = new SoftwareAuthenticator(localhost());
    const passkey = authenticator.create(options);
    expect((await browser.post(CREATE, { name: ' Laptop ', passkey })).data.createPasskey).toEqual({
      id: expect.any(Number),
      name: 'Laptop',
      host: 'localhost',
      isBackedUp: true,
      lastUsedAt: null,
    });
    const next = (await browser.post(CREATE_OPTIONS)).data.createPasskeyOptions;
    expect(next.excludeCredentials).toEqual([{ id: passkey.id, type: 'public-key', transports: ['internal'] }]);
    expect(next.user.id).toBe(options.user.id);
    expect((await browser.post(ME)).data.administrator).toEqual({ email: administrator.email, passkeyCount: 1 });
  });

  test.each<[string, Deviation]>([
    ['another origin', { origin: 'https://evil.example' }],
    ['another port of the host', { origin: 'http://localhost:1' }],
    ['another host of the credential', { rpId: 'evil.example' }],
    ['no verification of the person', { isVerified: false }],
    ['nobody being present', { isPresent: false }],
    ['a signature in place of a new credential', { type: 'webauthn.get' }],
    ['an invented challenge', { challenge: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }],
  ])('is refused with %s', async (_name, deviation) => {
    const browser = new ConsoleBrowser({ as: await signedInAdministrator('viewer') });
    const { createPasskeyOptions } = (await browser.post(CREATE_OPTIONS)).data;
    const passkey = new SoftwareAuthenticator(localhost()).create(createPasskeyOptions, deviation);
    expect(errorIn(await browser.post(CREATE, { name: 'Laptop', passkey }))).toEqual(NOT_ADDED);
    expect((await browser.post(LIST)).data.passkeys).toEqual([]);
  });

  test('uses each challenge once, within five minutes, in the session that requested it', async () => {
    const [browser, other] = [
      new ConsoleBrowser({ as: await signedInAdministrator('viewer') }),
      new ConsoleBrowser({ as: await signedInAdministrator('viewer') }),
    ];
    const authenticator = new SoftwareAuthenticator(localhost());
    const options = (await browser.post(CREATE_OPTIONS)).data.createPasskeyOptions;
    const add = (as: ConsoleBrowser) => as.post(CREATE, { name: 'Laptop', passkey: authenticator.create(options) });
    expect(errorIn(await add(other))).toEqual(NOT_ADDED);
    expect(errorIn(await add(browser))).toBeUndefined();
    expect(errorIn(await add(browser))).toEqual(NOT_ADDED);
    const late = (await browser.post(CREATE_OPTIONS)).data.createPasskeyOptions;
    clock.advance(5 * MINUTE);
    const passkey = authenticator.create(late);
    expect(errorIn(await browser.post(CREATE, { name: 'Laptop', passkey }))).toEqual(NOT_ADDED);
  });

  test('refuses challenges of confirmations and sign-ins', async () => {
    const { browser, authenticator } = await personWithPasskey();
    const options = (await browser.post(CREATE_OPTIONS)).data.createPasskeyOptions;
    const { passkeyConfirmationOptions } = (await browser.post(CONFIRMATION_OPTIONS)).data;
    const { passkeySignInOptions } = (await browser.post(SIGN_IN_OPTIONS)).data;
    for (const { challenge } of [passkeyConfirmationOptions, passkeySignInOptions]) {
      const passkey = authenticator.create(options, { challenge });
      expect(errorIn(await browser.post(CREATE, { name: 'Laptop', passkey }))).toEqual(NOT_ADDED);
    }
  });

  test('refuses a credential that exists, also of another administrator, and malformed values', async () => {
    const { authenticator, browser: first } = await personWithPasskey();
    const { id } = await first.signInAssertion(authenticator);
    const browser = new ConsoleBrowser({ as: await signedInAdministrator('viewer') });
    const options = () => browser.post(CREATE_OPTIONS).then(({ data }) => data.createPasskeyOptions);
    const passkey = new SoftwareAuthenticator(localhost()).create(await options(), { id });
    expect(errorIn(await browser.post(CREATE, { name: 'Copy', passkey }))).toEqual({
      message: 'Passkey has already been added',
      code: 'UNPROCESSABLE',
    });
    for (const malformed of ['', 'bnVsbA', 'no base64 ÿ']) {
      const broken = { ...authenticator.create(await options()), attestationObject: malformed };
      expect(errorIn(await browser.post(CREATE, { name: 'x', passkey: broken }))).toEqual(NOT_ADDED);
      const passkey = { ...authenticator.create(await options()), clientDataJSON: malformed };
      expect(errorIn(await browser.post(CREATE, { name: 'x', passkey }))).toEqual(NOT_ADDED);
    }
  });

  test('allows 20 passkeys with names', async () => {
    const { browser, authenticator, administrator } = await personWithPasskey();
    const options = (await browser.post(CREATE_OPTIONS)).data.createPasskeyOptions;
    const passkey = authenticator.create(options);
    expect(errorIn(await browser.post(CREATE, { name: ' ', passkey }))).toMatchObject({
      message: "Name can't be blank",
    });
    const row = await db.administratorPasskey.findFirstOrThrow({ where: { administratorId: administrator.id } });
    const { id: _, ...values } = row;
    await db.administratorPasskey.createMany({
      data: Array.from({ length: 19 }, (_one, nth) => ({ ...values, credentialId: `${administrator.id}-${nth}` })),
    });
    const full = { message: 'Passkey is one too many (maximum is 20)', code: 'UNPROCESSABLE' };
    expect(errorIn(await browser.post(CREATE_OPTIONS))).toEqual(full);
    expect(errorIn(await browser.post(CREATE, { name: 'Laptop', passkey }))).toEqual(full);
  });

  test('requires a confirmation, and a host name', async () => {
    const administrator = await signedInAdministrator('owner');
    const atAddress = new ConsoleBrowser({ as: administrator, url: running.url });
    expect(errorIn(await atAddress.post(CREATE_OPTIONS))).toEqual({
      message: 'Passkeys need a host name instead of an IP address, for example localhost',
      code: 'BAD_USER_INPUT',
    });
    const browser = new ConsoleBrowser({ as: administrator });
    const options = (await browser.post(CREATE_OPTIONS)).data.createPasskeyOptions;
    await db.administratorSession.updateMany({
      where: { administratorId: administrator.id },
      data: { confirmedAt: new Date(clock.now() - 15 * MINUTE) },
    });
    const passkey = new SoftwareAuthenticator(localhost()).create(options);
    expect(errorIn(await browser.post(CREATE_OPTIONS))).toEqual(UNCONFIRMED);
    expect(errorIn(await browser.post(CREATE, { name: 'Laptop', passkey }))).toEqual(UNCONFIRMED);
  });
});

describe('managing passkeys', () => {
  test('shows, renames and deletes only passkeys of the caller', async () => {
    const [ada, eve] = [await personWithPasskey(), await personWithPasskey()];
    expect((await ada.browser.post(LIST)).data.passkeys).toEqual([{ id: ada.passkeyId, name: 'Laptop' }]);
    const rename = { id: ada.passkeyId, name: ' Phone ' };
    expect((await ada.browser.post(RENAME, rename)).data.updatePasskey).toEqual({ name: 'Phone' });
    expect(errorIn(await ada.browser.post(RENAME, { ...rename, name: ' ' }))).toMatchObject({ code: 'UNPROCESSABLE' });
    const missing = { message: 'The passkey was not found', code: 'NOT_FOUND' };
    expect(errorIn(await eve.browser.post(RENAME, rename))).toEqual(missing);
    expect(errorIn(await eve.browser.post(DELETE, { id: ada.passkeyId }))).toEqual(missing);
    expect((await ada.browser.post(LIST)).data.passkeys).toEqual([{ id: ada.passkeyId, name: 'Phone' }]);
  });

  test('ends the other sessions of the administrator with the deletion', async () => {
    const { browser, authenticator, passkeyId, administrator } = await personWithPasskey();
    const other = new ConsoleBrowser();
    await other.signIn(authenticator);
    expect((await other.post(ME)).data.administrator.email).toBe(administrator.email);
    expect((await browser.post(DELETE, { id: passkeyId })).data).toEqual({ deletePasskey: true });
    expect((await other.post(ME)).data.administrator).toBeNull();
    expect((await browser.post(ME)).data.administrator).toEqual({ email: administrator.email, passkeyCount: 0 });
  });

  test('is recorded in the audit log, without keys', async () => {
    const { browser, authenticator, passkeyId, administrator } = await personWithPasskey();
    await new ConsoleBrowser().signIn(authenticator);
    await browser.post(RENAME, { id: passkeyId, name: 'Phone' });
    await browser.post(DELETE, { id: passkeyId });
    const rows = await db.auditEntry.findMany({
      where: { applicationId: 0, subject: 'AdministratorPasskey', subjectId: String(passkeyId) },
      orderBy: { id: 'asc' },
    });
    expect(rows.map(({ action, actorId, before, after }) => ({ action, actorId, before, after }))).toEqual([
      { action: 'create', actorId: administrator.id, before: null, after: expect.objectContaining({ name: 'Laptop' }) },
      { action: 'update', actorId: administrator.id, before: { name: 'Laptop' }, after: { name: 'Phone' } },
      { action: 'delete', actorId: administrator.id, before: expect.objectContaining({ name: 'Phone' }), after: null },
    ]);
    expect(Object.keys(rows[0]!.after as object)).not.toContain('public_key');
  });

  test('ends with a reset by the operator, who removes passkeys, authenticator app and sessions', async () => {
    const { browser, authenticator, administrator } = await personWithPasskey();
    const { id, email } = administrator;
    await db.administrator.update({
      where: { id },
      data: { hasTotp: true, encryptedTotp: 'x', recoveryHashes: ['y'] },
    });
    const link = await resetAdministrator(email.toUpperCase(), running.app.services);
    expect((await browser.post(ME)).data.administrator).toBeNull();
    expect(errorIn(await new ConsoleBrowser().signIn(authenticator))).toEqual(REFUSED);
    expect(await db.administrator.findUniqueOrThrow({ where: { id } })).toMatchObject({
      hasTotp: false,
      encryptedTotp: null,
      recoveryHashes: [],
    });
    const accept = `mutation ($token: String!) {
      acceptAdministratorLink(token: $token, input: { password: "correct horse battery" }) { id passkeyCount }
    }`;
    const { data } = await browser.post(accept, { token: link.split('#')[1]! });
    expect(data.acceptAdministratorLink).toEqual({ id, passkeyCount: 0 });
    await expect(resetAdministrator('nobody@example.com', running.app.services)).rejects.toThrow(NotFoundError);
  });
});

describe('challenges', () => {
  test('are limited to five per browser and session; the oldest give way', async () => {
    const { browser, authenticator } = await personWithPasskey();
    const visitor = new ConsoleBrowser();
    const oldest = await visitor.signInAssertion(authenticator);
    let latest = oldest;
    for (let nth = 0; nth < 5; nth++) {
      clock.advance(1);
      latest = await visitor.signInAssertion(authenticator);
      await browser.post(CONFIRMATION_OPTIONS);
    }
    await browser.post(CREATE_OPTIONS);
    expect(errorIn(await visitor.post(SIGN_IN, { passkey: oldest }))).toEqual(REFUSED);
    expect(errorIn(await visitor.post(SIGN_IN, { passkey: latest }))).toBeUndefined();
    const { sessionId } = await db.passkeyChallenge.findFirstOrThrow({
      orderBy: { sessionId: 'desc' },
      where: { sessionId: { not: null } },
    });
    expect(await db.passkeyChallenge.count({ where: { sessionId } })).toBe(5);
  });

  test('at most 10,000 sign-in challenges are stored, and expired ones are deleted', async () => {
    await db.$executeRaw`
      INSERT INTO passkey_challenges (challenge_hash, purpose, browser_hash, created_at)
      SELECT 'inserted ' || n, 'signIn', 'inserted ' || n, ${running.now()}::timestamptz - interval '1 minute'
      FROM generate_series(1, 10000) AS n`;
    await new ConsoleBrowser().post(SIGN_IN_OPTIONS);
    expect(await db.passkeyChallenge.count({ where: { sessionId: null } })).toBe(10_000);
    clock.advance(4 * MINUTE);
    await deleteExpired(running.now());
    expect(
      await db.passkeyChallenge.count({
        where: { challengeHash: { startsWith: 'inserted' } },
      }),
    ).toBe(0);
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { APPLICATION, clock, useApp } from '../../support/app/app.ts';
import { useChatExample } from '../../support/app/chat-example.ts';
import { expectAccessible, hasBrowser, openPage, PHONE, useBrowser } from '../../support/clients/browser.ts';
import { mailsTo } from '../../support/fixtures/mails.ts';
import { enableTotp } from '../../support/fixtures/second-factors.ts';
import { createUser } from '../../support/fixtures/users.ts';

async function codeTo(address: string, count = 1): Promise<string> {
  await expect.poll(() => mailsTo(address)).toHaveLength(count);
  return /^\d{6}$/m.exec((await mailsTo(address)).at(-1)!.replaceAll('\r', ''))![0];
}

describe.skipIf(!hasBrowser)('the components of sign-in', () => {
  useApp();
  beforeAll(async () => {
    process.env.SIGN_IN = 'code,guest';
    const settings = { publicSignIn: true, emailSignIn: 'users', guestDays: 30 } as const;
    await db.application.update({ where: { id: APPLICATION.id }, data: settings });
  });
  const example = useChatExample();
  afterAll(() => {
    delete process.env.SIGN_IN;
  });
  useBrowser();

  test('a mailed code that is pasted signs in, and a wrong one is refused', async () => {
    const email = 'ada@example.org';
    await createUser({ full_name: 'Ada Lovelace', email });
    const { page } = await openPage(example.url, { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.getByLabel('Email address').fill(email);
    await page.getByRole('button', { name: 'Send a code' }).click();
    const input = page.getByLabel('Code of six digits');
    await input.waitFor();
    expect(await input.getAttribute('autocomplete')).toBe('one-time-code');
    const code = await codeTo(email);
    await input.fill(String((Number(code) + 1) % 1_000_000).padStart(6, '0'));
    await page.getByRole('alert').getByText('The code is wrong').waitFor();
    expect(await page.getByRole('button', { name: /^Send a new code in/ }).isDisabled()).toBe(true);
    await expectAccessible(page);
    await page.evaluate((text) => navigator.clipboard.writeText(text), `${code.slice(0, 3)} ${code.slice(3)}`);
    await input.focus();
    await page.keyboard.press('ControlOrMeta+V');
    await page.getByRole('heading', { name: 'Chats' }).waitFor();
  });

  test('a code is sent again after a minute, and the banner verifies an address', async () => {
    const email = 'grace@example.org';
    const user = await createUser({ full_name: 'Grace Hopper', email });
    const { page } = await openPage(example.url, PHONE);
    await page.clock.install();
    await page.getByLabel('Email address').fill(email);
    await page.getByRole('button', { name: 'Send a code' }).click();
    await page.getByLabel('Code of six digits').waitFor();
    await codeTo(email);
    await page.clock.runFor(61_000);
    clock.advance(61_000);
    await page.getByRole('button', { name: 'Send a new code', exact: true }).click();
    await page.getByLabel('Code of six digits').fill(await codeTo(email, 2));
    await page.getByRole('heading', { name: 'Chats' }).waitFor();

    await db.user.updateMany({ where: { id: user.id }, data: { verifiedEmail: null } });
    await page.reload();
    await page.getByText('Your email address is not verified').waitFor();
    await expectAccessible(page);
    clock.advance(61_000);
    await page.getByRole('button', { name: 'Verify it' }).click();
    await page.getByLabel('Code of six digits').fill(await codeTo(email, 3));
    await page.getByText('Your email address is verified').waitFor();
    expect((await db.user.findFirstOrThrow({ where: { id: user.id } })).verifiedEmail).toBe(email);
  });

  test('a user with a second factor is asked for it after the mailed code, and a recovery code signs in', async () => {
    await db.application.update({ where: { id: APPLICATION.id }, data: { secondFactors: true } });
    const email = 'mary@example.org';
    const user = await createUser({ full_name: 'Mary Jackson', email });
    const { recoveryCodes } = await enableTotp(user);
    const { page } = await openPage(example.url, PHONE);
    await page.getByLabel('Email address').fill(email);
    await page.getByRole('button', { name: 'Send a code' }).click();
    await page.getByLabel('Code of six digits').fill(await codeTo(email, 2));
    const others = page.getByRole('region', { name: 'Other ways to sign in' });
    await page.getByText('Enter a code of your authenticator app').waitFor();
    await expectAccessible(page);
    await page.getByLabel('Code', { exact: true }).fill('000000');
    await others.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('The code is wrong').waitFor();
    await page.getByLabel('Code', { exact: true }).fill(recoveryCodes[0]!);
    await others.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Chats' }).waitFor();
  });

  test('a visitor continues as a guest', async () => {
    const { page, problems } = await openPage(example.url);
    await page.getByRole('button', { name: 'Continue as a guest' }).click();
    await page.getByRole('heading', { name: 'Chats' }).waitFor();
    expect(await db.user.count({ where: { isGuest: true } })).toBe(1);
    expect(problems).toEqual([]);
  });
});

import { describe, expect, test } from 'vitest';
import { db } from '../../../../src/db/client.ts';
import { MINUTE } from '../../../../src/lib/time.ts';
import { clock, useApp } from '../../../support/app/app.ts';
import { until } from '../../../support/app/until.ts';
import { hasBrowser, useBrowser } from '../../../support/clients/browser.ts';
import { APP, choose, givePassword, openAs, owner } from '../../../support/clients/console.ts';
import { PASSWORD } from '../../../support/fixtures/administrators.ts';
import { createUser } from '../../../support/fixtures/users.ts';

describe.skipIf(!hasBrowser)('sessions of the console', () => {
  useApp();
  useBrowser();

  test('typed text survives the end of the session', async () => {
    const administrator = await owner();
    await givePassword(administrator);
    const user = await createUser({ full_name: 'Before' });
    const { page } = await openAs(administrator, `${APP}/users/${user.id}`);
    await page.getByLabel('Full name').fill('After');
    await db.administratorSession.deleteMany({ where: { administratorId: administrator.id } });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
    await page.getByRole('dialog').getByLabel('Email address').fill(administrator.email);
    await page.getByRole('dialog').locator('input[type=password]').fill(PASSWORD);
    await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('User saved').waitFor();
    expect(await db.user.findFirstOrThrow({ where: { id: user.id } })).toMatchObject({ fullName: 'After' });
  });

  test('a deletion asks for the password again after 15 minutes', async () => {
    const administrator = await owner();
    await givePassword(administrator);
    const user = await createUser();
    clock.advance(15 * MINUTE);
    const { page } = await openAs(administrator, `${APP}/users/${user.id}`);
    const remove = async () => {
      await choose(page, 'Delete user');
      await page.getByRole('dialog').getByRole('button', { name: 'Delete user' }).click();
      await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
    };
    await remove();
    await page.getByLabel('Confirm that it is you').getByRole('button', { name: 'Cancel' }).click();
    expect(await db.user.count({ where: { id: user.id } })).toBe(1);
    await remove();
    await page.locator('input[type=password]').last().fill(PASSWORD);
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('was deleted').waitFor();
    expect(await db.user.count({ where: { id: user.id } })).toBe(0);
  });

  test('figures are not requested while the page is idle, so that the session ends', async () => {
    const { page } = await openAs(await owner(), `${APP}/overview`);
    await page.clock.install();
    await page.getByText('Messages per hour').waitFor();
    await page.mouse.move(10, 10);
    let requests = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST') requests++;
    });
    await page.clock.runFor(60_000);
    await until(() => requests > 0);
    await page.clock.fastForward(6 * MINUTE);
    await until(async () => {
      requests = 0;
      await page.clock.runFor(MINUTE);
      return requests === 0;
    });
    await page.clock.runFor(10 * MINUTE);
    expect(requests).toBe(0);
    await page.mouse.move(20, 20);
    await page.clock.runFor(60_000);
    await until(() => requests > 0);
  });
});

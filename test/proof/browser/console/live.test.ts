import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useApp } from '../../../support/app/app.ts';
import { until } from '../../../support/app/until.ts';
import { hasBrowser, useBrowser } from '../../../support/clients/browser.ts';
import { APP, openAs, owner, stateReason } from '../../../support/clients/console.ts';
import { signedInAdministrator } from '../../../support/fixtures/administrators.ts';
import { createDialog, execute, send } from '../../../support/fixtures/chat.ts';
import { defineClass } from '../../../support/fixtures/typed-classes.ts';
import { apiKey, createUser, createUsers } from '../../../support/fixtures/users.ts';

/** What one person changes, another one sees without loading the page again. */
describe.skipIf(!hasBrowser)('two browsers with the console', () => {
  useApp();
  useBrowser();

  async function openTwice(path: string): Promise<[Page, Page]> {
    const [one, other] = await Promise.all([openAs(await owner(), path), openAs(await owner(), path)]);
    return [one.page, other.page];
  }

  test('show messages that are sent, edited and deleted', async () => {
    const [alice, bob] = await createUsers(2);
    const dialogId = await createDialog(alice!, [alice!, bob!]);
    await send(alice!, dialogId, 'before');
    const pages = await openTwice(`${APP}/dialogs/${dialogId}`);
    for (const page of pages) {
      await stateReason(page);
      await page.getByText('before').waitFor();
    }
    const [one, other] = pages;
    await send(bob!, dialogId, 'sent meanwhile');
    for (const page of pages) await page.getByText('sent meanwhile').waitFor();
    const moderate = async (action: string) => {
      const message = one.getByRole('listitem').filter({ hasText: 'sent meanwhile' });
      await message.getByRole('button', { name: /Moderate/ }).click();
      await one.getByRole('menuitem', { name: action }).click();
    };
    await moderate('Edit');
    await one.getByLabel('Text').fill('sent meanwhile, corrected');
    await one.getByRole('button', { name: 'Save' }).click();
    await other.getByText('sent meanwhile, corrected').waitFor();
    await moderate('Delete for all');
    await one.getByRole('dialog').getByRole('button', { name: 'Delete for all' }).click();
    await other.getByText('sent meanwhile, corrected').waitFor({ state: 'detached' });
    expect(await other.getByText('before').count()).toBe(1);
  });

  test('show records that are created, changed and deleted, and count those that a filter may contain', async () => {
    await defineClass('Cup', { color: 'String' });
    const create = async (color: string): Promise<string> => {
      const document = 'mutation ($f: JSON) { createRecord(input: { className: "Cup", fields: $f }) { id } }';
      return (await execute(document, { f: { color } }, apiKey)).createRecord.id;
    };
    const id = await create('red');
    const [one, other] = await openTwice(`${APP}/data/Cup`);
    for (const page of [one, other]) await page.getByRole('gridcell', { name: 'color: red' }).waitFor();
    await one.getByRole('gridcell', { name: 'color: red' }).dblclick();
    await one.getByRole('textbox', { name: 'color' }).fill('blue');
    await one.keyboard.press('Enter');
    await other.getByRole('gridcell', { name: 'color: blue' }).waitFor();
    await create('green');
    await other.getByRole('gridcell', { name: 'color: green' }).waitFor();
    await execute('mutation ($id: ID!) { deleteRecord(className: "Cup", id: $id) }', { id }, apiKey);
    for (const page of [one, other]) {
      await page.getByRole('gridcell', { name: 'color: blue' }).waitFor({ state: 'detached' });
    }
    await other.getByRole('button', { name: 'Filter', exact: true }).click();
    await other.getByLabel('Value').fill('green');
    await other.getByRole('button', { name: 'Add', exact: true }).click();
    await other.getByText('color is green').waitFor();
    await other.getByRole('gridcell', { name: 'color: green' }).waitFor();
    await create('green');
    await other.getByText('1 other record changed').waitFor();
    await other.getByRole('button', { name: 'Load again' }).click();
    await other.getByRole('gridcell', { name: 'color: green' }).nth(1).waitFor();
  });

  test('show that a user was blocked, without losing what is typed', async () => {
    const { id } = await createUser({ full_name: 'Before' });
    const [one, other] = await openTwice(`${APP}/users/${id}`);
    await other.getByLabel('Website').fill('https://example.org');
    await one.getByLabel('Full name').fill('After');
    await one.getByRole('button', { name: 'Save' }).click();
    await one.getByText('User saved').waitFor();
    await one.getByRole('button', { name: 'Block user' }).click();
    await one.getByRole('dialog').getByRole('button', { name: 'Block user' }).click();
    await other.getByText('The user cannot sign in').waitFor();
    await other.getByRole('heading', { name: 'After' }).waitFor();
    expect(await other.getByLabel('Website').inputValue()).toBe('https://example.org');
    await other.getByRole('button', { name: 'Save' }).click();
    await other.getByText('User saved').waitFor();
    const { user } = await execute(`{ user(id: ${id}) { fullName website } }`, {}, apiKey);
    expect(user).toEqual({ fullName: 'After', website: 'https://example.org' });
  });

  test('show changed settings, and neither overwrites those of the other', async () => {
    const [one, other] = await openTwice(`${APP}/settings`);
    await other.getByLabel('Model tokens per user and day').fill('1234');
    await one.getByLabel('Country of phone numbers').fill('GB');
    await one.getByRole('button', { name: 'Save' }).click();
    // Under the pointer, the notification stays.
    await one.getByRole('button', { name: 'Undo' }).hover();
    const region = (page: Page) => page.getByLabel('Country of phone numbers').inputValue();
    await until(async () => (await region(other)) === 'GB');
    await other.getByRole('button', { name: 'Save' }).click();
    await other.getByText('Settings saved').waitFor();
    const settings = async () =>
      (await execute('{ application { phoneRegion aiDailyTokens } }', {}, apiKey)).application;
    expect(await settings()).toEqual({ phoneRegion: 'GB', aiDailyTokens: 1234 });
    await one.getByRole('button', { name: 'Undo' }).click();
    await until(async () => (await region(one)) === '');
    expect(await settings()).toEqual({ phoneRegion: null, aiDailyTokens: 1234 });
  });

  test('show records live to developers, who may not read messages', async () => {
    await defineClass('Plate', { color: 'String' });
    const { page, problems } = await openAs(await signedInAdministrator('developer'), `${APP}/data/Plate`);
    await page.getByText('No records yet').waitFor();
    const document = 'mutation { createRecord(input: { className: "Plate", fields: { color: "white" } }) { id } }';
    await execute(document, {}, apiKey);
    await page.getByRole('gridcell', { name: 'color: white' }).waitFor();
    expect(problems).toEqual([]);
  });
});

import { TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { MINUTE } from '../../../src/lib/time.ts';
import { createSetupLink } from '../../../src/resolvers/administrators/links.ts';
import { hashPassword } from '../../../src/resolvers/users/passwords.ts';
import { APPLICATION, clock, running, useApp } from '../../support/app/app.ts';
import { until } from '../../support/app/until.ts';
import { expectAccessible, hasBrowser, openPage, PHONE, useBrowser } from '../../support/clients/browser.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { PASSWORD, signedInAdministrator, type TestAdministrator } from '../../support/fixtures/administrators.ts';
import { createDialog, send } from '../../support/fixtures/chat.ts';
import { storeBlob } from '../../support/fixtures/content.ts';
import { sendEvent, sentEvent, subscribeDevice } from '../../support/fixtures/pushes.ts';
import { apiKey, createUser, createUsers } from '../../support/fixtures/users.ts';

const OWNER_OF_ALL = { applicationId: null, role: 'owner' } as const;
const APP = `/console/apps/${APPLICATION.id}`;

describe.skipIf(!hasBrowser)('the console in a browser', () => {
  useApp();
  useBrowser();

  /** Opens a page as an administrator who is signed in. */
  async function openAs(administrator: TestAdministrator, path: string, options = {}) {
    const [name, value] = administrator.cookie.split('=') as [string, string];
    const cookies = [{ name, value, domain: '127.0.0.1', path: '/', expires: -1, httpOnly: true, secure: false }];
    const state = { cookies: cookies.map((cookie) => ({ ...cookie, sameSite: 'Strict' as const })), origins: [] };
    return openPage(`${running.url}${path}`, { storageState: state, ...options });
  }

  const owner = () => signedInAdministrator(OWNER_OF_ALL);

  async function stateReason(page: Page): Promise<void> {
    await page.getByLabel('Reason').fill('ticket 7');
    await page.getByRole('button', { name: 'Continue' }).click();
  }

  describe('signing in', () => {
    const email = 'ada@example.com';

    test('a setup link creates the first administrator, and works once', async () => {
      const url = (await createSetupLink(running.app.services))!;
      const { page, problems } = await openPage(url);
      await page.getByLabel('Email address').fill(email);
      await page.getByLabel('Name').fill('Ada');
      await page.locator('input[type=password]').fill(PASSWORD);
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('heading', { name: 'Applications' }).waitFor();
      expect(new URL(page.url()).pathname).toMatch(/^\/console\/?$/);
      expect(problems).toEqual([]);
      const again = await openPage(url);
      await again.page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
    });

    test('a deep link leads to its page after the sign-in, also with an authenticator app', async () => {
      const { page } = await openPage(`${running.url}${APP}/users?search=grace`);
      const signIn = async () => {
        await page.getByLabel('Email address').fill(email);
        await page.locator('input[type=password]').fill(PASSWORD);
        await page.getByRole('button', { name: 'Sign in' }).click();
      };
      await signIn();
      await page.getByRole('heading', { name: 'Users' }).waitFor();
      expect(await page.getByLabel('Search').inputValue()).toBe('grace');

      await page.goto(`${running.url}/console/profile`);
      await page.getByRole('button', { name: 'Set up' }).click();
      const secret = await page.locator('pre').first().textContent();
      const totp = new TOTP({ secret: secret! });
      await page.getByLabel('2. Enter the code').fill(totp.generate({ timestamp: clock.now() }));
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Turn on' }).click();
      await page.getByText('Store these recovery codes now').waitFor();
      await page.getByRole('button', { name: 'Ada' }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in to the console' }).waitFor();

      clock.advance(MINUTE);
      await signIn();
      await page.getByLabel('Code').fill(totp.generate({ timestamp: clock.now() }));
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Applications' }).waitFor();
    });

    test('a wrong password is reported', async () => {
      const { page } = await openPage(`${running.url}/console/sign-in`);
      await page.getByLabel('Email address').fill(email);
      await page.locator('input[type=password]').fill('wrong horse battery');
      await page.keyboard.press('Enter');
      await page.getByText('Wrong email address, password or code').waitFor();
    });
  });

  describe('each page', () => {
    let administrator: TestAdministrator;
    let dialogId: string;
    let userId: number;
    beforeAll(async () => {
      administrator = await owner();
      const [alice, bob] = await createUsers(2);
      userId = alice!.id;
      dialogId = await createDialog(alice!, [alice!, bob!]);
      await send(alice!, dialogId, 'hello');
      const fields = '[{ name: "title", type: STRING }, { name: "pages", type: INTEGER }]';
      await graphql(`mutation { createClass(input: { name: "Book", fields: ${fields} }) { name } }`, {}, apiKey);
      const create = 'mutation { createRecord(input: { className: "Book", fields: { title: "Emma" } }) { id } }';
      await graphql(create, {}, apiKey);
      await storeBlob(alice!, 'hello', { name: 'greeting.txt' });
      await sendEvent({ notification_type: 'push', push_type: 'gcm', name: 'Greeting', user: { ids: `${userId}` } });
    });

    const pages = (): [name: string, path: string, text: string][] => [
      ['Applications', '/console', 'PostgreSQL'],
      ['Overview', `${APP}/overview`, 'Messages per hour'],
      ['Users', `${APP}/users`, `Id ${userId}`],
      ['User', `${APP}/users/${userId}`, 'Custom data'],
      ['Data', `${APP}/data`, 'Book'],
      ['Class', `${APP}/data/Book`, 'Emma'],
      ['Dialogs', `${APP}/dialogs`, 'hello'],
      ['Dialog', `${APP}/dialogs/${dialogId}`, 'hello'],
      ['Files', `${APP}/files`, 'greeting.txt'],
      ['Pushes', `${APP}/pushes`, 'Greeting'],
      ['Dialogs live', `${APP}/live`, 'Waiting for events'],
      ['API keys', `${APP}/keys`, 'Revoke'],
      ['Audit log', `${APP}/audit`, 'Created RecordClass'],
      ['Settings', `${APP}/settings`, 'Secrets and deletion'],
      ['Administrators', '/console/administrators', administrator.email],
      ['Audit log of administrators', '/console/administrators/audit', 'Audit log of administrators'],
      ['Profile', '/console/profile', 'Authenticator app'],
    ];

    test.each([
      ['on a desktop', {}],
      ['on a phone in the dark', PHONE],
    ])('is accessible, fits its window and requests nothing from elsewhere %s', async (_name, options) => {
      for (const [name, path, text] of pages()) {
        const { page, problems } = await openAs(administrator, path, options);
        if (name.startsWith('Dialog')) await stateReason(page);
        await page.getByText(text).first().waitFor();
        await expectAccessible(page);
        const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
        expect([name, isWide, problems]).toEqual([name, false, []]);
        await page.context().close();
      }
    });

    test('can be reached with the keyboard alone', async () => {
      const { page } = await openAs(administrator, '/console');
      await page.getByRole('heading', { name: 'Applications' }).waitFor();
      await page.keyboard.press('Control+K');
      await page.getByLabel('Page', { exact: true }).waitFor();
      await expectAccessible(page);
      await page.keyboard.type('users');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.getByText(`Id ${userId}`).waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Profile' }).waitFor();
    });
  });

  test('the audit log shows who changed what, and a link keeps its filters', async () => {
    const administrator = await owner();
    const user = await createUser({ full_name: 'Before' });
    const rename = 'mutation ($id: Int!, $input: UpdateUserInput!) { updateUser(id: $id, input: $input) { id } }';
    await graphql(rename, { id: user.id, input: { fullName: 'After' } }, apiKey);
    const { page } = await openAs(administrator, `${APP}/audit`);
    await page.getByLabel('Type').fill('User');
    await page.getByLabel('Id', { exact: true }).fill(String(user.id));
    await page.getByRole('button', { name: `Changed User ${user.id}` }).click();
    const details = page.getByRole('dialog');
    await details.getByRole('row', { name: 'full_name Before After' }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.waitForURL(({ searchParams }) => searchParams.has('subject') && searchParams.has('id'));
    const again = await openAs(administrator, new URL(page.url()).pathname + new URL(page.url()).search);
    await again.page.getByRole('button', { name: `Created User ${user.id}` }).waitFor();
    expect(await again.page.getByRole('button', { name: /^(Created|Changed) / }).count()).toBe(2);
  });

  test('an API key is created, shown once, used and revoked', async () => {
    const { page } = await openAs(await owner(), `${APP}/keys`);
    await page.getByRole('button', { name: 'Create API key' }).click();
    await page.getByLabel('Name').fill('backend');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const key = await page.getByRole('dialog').locator('pre').textContent();
    const as = { headers: { Authorization: `ApiKey ${key}` } };
    expect((await graphql('{ application { id } }', {}, as)).data.application.id).toBe(APPLICATION.id);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page
      .getByRole('row', { name: /backend/ })
      .getByRole('button', { name: 'Revoke' })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page
      .getByRole('row', { name: /backend/ })
      .getByText('Revoked')
      .waitFor();
    expect((await graphql('{ application { id } }', {}, as)).errors).toBeDefined();
  });

  test('a user is found, changed and deleted', async () => {
    const grace = await createUser({ full_name: 'Grace Hopper' });
    const { page } = await openAs(await owner(), `${APP}/users`);
    await page.getByLabel('Search').fill('hopp');
    await page.getByRole('link', { name: 'Grace Hopper' }).click();
    await page.getByLabel('Full name').fill('Rear Admiral Hopper');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('User saved').waitFor();
    expect(await db.user.findFirstOrThrow({ where: { id: grace.id } })).toMatchObject({
      fullName: 'Rear Admiral Hopper',
    });
    await page.getByRole('button', { name: 'Delete user' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete user' }).click();
    await page.getByText('was deleted').waitFor();
    expect(await db.user.count({ where: { id: grace.id } })).toBe(0);
  });

  test('typed filters do not lead back from a page that was opened in the meantime', async () => {
    const ida = await createUser({ full_name: 'Ida Rhodes' });
    const { page } = await openAs(await owner(), `${APP}/overview`);
    await page.clock.install();
    let load = () => {};
    const loading = new Promise<void>((resolve) => {
      load = resolve;
    });
    await page.route(/\/user-[\w-]{8}\.js$/, async (route) => {
      await loading;
      await route.continue();
    });
    await page.getByRole('link', { name: 'Users' }).click();
    const name = page.getByRole('link', { name: 'Ida Rhodes' });
    await name.waitFor();
    await page.getByLabel('Search').fill('ida');
    await name.click();
    await page.clock.fastForward(1_000);
    load();
    await page.getByText(`Id ${ida.id}`).waitFor();
    await page.getByLabel('Full name').waitFor();
  });

  test('figures are not requested while the page is idle, so that the session ends', async () => {
    const { page } = await openAs(await owner(), `${APP}/overview`);
    await page.clock.install();
    await page.getByText('Online now').waitFor();
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

  test('a user is blocked and unblocked, and their sessions end', async () => {
    const user = await createUser();
    const { page } = await openAs(await signedInAdministrator('support'), `${APP}/users/${user.id}`);
    await page.getByRole('button', { name: 'Block user' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Block user' }).click();
    await page.getByText('The user cannot sign in').waitFor();
    await page.getByText('No open sessions').waitFor();
    expect((await graphql('{ me { id } }', {}, user)).errors).toBeDefined();
    await page.getByRole('button', { name: 'Unblock' }).click();
    await page.getByRole('button', { name: 'Block user' }).waitFor();
    expect(await db.user.findFirstOrThrow({ where: { id: user.id } })).toMatchObject({ blockedAt: null });
  });

  test('a class is designed, filled, edited in place, undone, filtered and deleted', async () => {
    const { page, problems } = await openAs(await owner(), `${APP}/data`);
    await page.getByRole('button', { name: 'Create class' }).click();
    const design = page.getByRole('dialog');
    await design.getByLabel(/^Name\W*$/).fill('Tool');
    await design.getByLabel('Name of new field').fill('label');
    await design.getByRole('button', { name: 'Create class' }).click();
    await page.getByRole('heading', { name: 'Tool' }).waitFor();
    for (const label of ['hammer', 'saw']) {
      await page.getByRole('button', { name: 'Create record' }).click();
      await page.getByRole('dialog').getByLabel('label').fill(label);
      await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
      await page.getByRole('button', { name: `label: ${label}` }).waitFor();
    }
    await page.getByRole('button', { name: 'label: saw' }).click();
    await page.getByRole('textbox', { name: 'label' }).fill('band saw');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'label: band saw' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'label: saw' }).waitFor();

    await page.getByRole('button', { name: 'Add condition' }).click();
    await page.getByLabel('Value').fill('hammer');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('label is hammer').waitFor();
    await page.getByRole('button', { name: 'label: saw' }).waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('button', { name: 'label: hammer' }).waitFor();
    expect(await page.getByRole('button', { name: 'label: saw' }).count()).toBe(0);

    await page.getByRole('button', { name: 'Delete class' }).click();
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete class' });
    expect(await confirm.isDisabled()).toBe(true);
    await page.getByLabel('Type “Tool” to confirm').fill('Tool');
    await confirm.click();
    await page.getByRole('heading', { name: 'Data' }).waitFor();
    expect(await db.recordClass.count({ where: { name: 'Tool' } })).toBe(0);
    expect(problems).toEqual([]);
  });

  test('records are imported from CSV and exported again', async () => {
    const fields = '[{ name: "name", type: STRING }, { name: "amount", type: INTEGER }]';
    await graphql(`mutation { createClass(input: { name: "Part", fields: ${fields} }) { name } }`, {}, apiKey);
    const { page } = await openAs(await owner(), `${APP}/data/Part`);
    const rows = Array.from({ length: 250 }, (_, index) => `"part, ${index}",${index}`);
    const open = async (item: string) => {
      await page.getByRole('button', { name: 'Import and export' }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await open('Import a JSON or CSV file');
    const buffer = Buffer.from(['name,amount', ...rows].join('\n'));
    await page.locator('input[type=file]').setInputFiles({ name: 'parts.csv', mimeType: 'text/csv', buffer });
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('250 records imported').waitFor();
    const downloading = page.waitForEvent('download');
    await open('Export as CSV');
    const stream = await (await downloading).createReadStream();
    const text = Buffer.concat(await stream.toArray()).toString();
    const lines = text.trim().split('\r\n');
    expect(lines[0]).toBe('id,userId,createdAt,updatedAt,name,amount');
    expect(lines.slice(1).map((line) => line.split(',').slice(4).join(','))).toEqual(rows);
  });

  test('a public image is shown, and a file is deleted', async () => {
    const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const [alice] = await createUsers(1);
    const image = { name: 'pixel.png', content_type: 'image/png', public: true };
    const { id } = await storeBlob(alice!, Buffer.from(pixel, 'base64'), image);
    const { page, problems } = await openAs(await owner(), `${APP}/files?user=${alice!.id}`);
    await page.getByRole('link', { name: 'pixel.png' }).click();
    await page.getByRole('img', { name: 'pixel.png' }).waitFor();
    await page.waitForFunction('document.querySelector(\'img[alt="pixel.png"]\').naturalWidth === 1');
    await page.getByLabel('Public').click();
    await page.getByText('Private files have no preview here').waitFor();
    expect(await db.blob.findFirstOrThrow({ where: { id } })).toMatchObject({ isPublic: false });
    await page.getByRole('button', { name: 'Delete file' }).click();
    await page.getByLabel('Delete file').getByRole('button', { name: 'Delete file' }).click();
    await page.getByText('File deleted').waitFor();
    expect(await db.blob.count({ where: { id } })).toBe(0);
    expect(problems).toEqual([]);
  });

  test('a push is created, and the answer of its provider is shown per device', async () => {
    const [alice] = await createUsers(1);
    const subscription = await subscribeDevice(alice!, 'gcm', { client_identification_sequence: 'token' });
    const { page } = await openAs(await owner(), `${APP}/pushes`);
    await page.getByRole('button', { name: 'Create push' }).click();
    const form = page.getByRole('dialog');
    await form.getByRole('textbox', { name: 'Message' }).fill('Grüße & more');
    await form.getByRole('combobox', { name: 'Users' }).fill(String(alice!.id));
    await form.getByRole('combobox', { name: 'Environment' }).click();
    await page.getByRole('option', { name: 'Development' }).click();
    await form.getByRole('combobox', { name: 'Channel' }).click();
    await page.getByRole('option', { name: 'Google' }).click();
    await form.getByRole('textbox', { name: 'Name' }).fill('News');
    await form.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('link', { name: 'News' }).click();
    await page.getByText('Grüße & more').waitFor();
    const { id } = await db.event.findFirstOrThrow({ where: { name: 'News' } });
    await sentEvent(id);
    await page.reload();
    await page.getByRole('table', { name: 'Sends' }).getByRole('link').click();
    await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
    await page.getByText(`Subscription ${subscription}`).waitFor();
    await expectAccessible(page);
  });

  test('events appear live, and those missed during a pause follow', async () => {
    const [alice, bob] = await createUsers(2);
    const dialogId = await createDialog(alice!, [alice!, bob!]);
    const { page, problems } = await openAs(await signedInAdministrator('support'), `${APP}/live`);
    await stateReason(page);
    await page.getByText('Waiting for events').waitFor();
    await send(alice!, dialogId, 'while live');
    await page.getByText('while live').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await send(bob!, dialogId, 'while paused');
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('while paused').waitFor();
    expect(await page.getByText('while live').count()).toBe(1);
    expect(problems).toEqual([]);
  });

  test('a message appears live, and a moderator edits and deletes it', async () => {
    const [alice, bob] = await createUsers(2);
    const dialogId = await createDialog(alice!, [alice!, bob!]);
    await send(alice!, dialogId, 'first');
    const support = await signedInAdministrator('support');
    const { page } = await openAs(support, `${APP}/dialogs/${dialogId}`);
    await stateReason(page);
    await page.getByText('first').waitFor();
    await page.getByText('New messages appear here live').waitFor();
    const id = await send(bob!, dialogId, 'second');
    await page.getByText('second').waitFor();
    const moderate = async (action: string) => {
      const message = page.getByRole('listitem').filter({ hasText: 'second' });
      await message.getByRole('button', { name: /Moderate/ }).click();
      await page.getByRole('menuitem', { name: action }).click();
    };
    await moderate('Edit');
    await page.getByLabel('Text').fill('second, corrected');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('second, corrected').waitFor();
    await moderate('Delete for all');
    await page.getByText('second, corrected').waitFor({ state: 'detached' });
    expect(await db.message.count({ where: { id } })).toBe(0);
  });

  test('typed text survives the end of the session', async () => {
    const administrator = await owner();
    await db.administrator.update({
      where: { id: administrator.id },
      data: { passwordHash: await hashPassword(PASSWORD) },
    });
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
    await db.administrator.update({
      where: { id: administrator.id },
      data: { passwordHash: await hashPassword(PASSWORD) },
    });
    const user = await createUser();
    clock.advance(15 * MINUTE);
    const { page } = await openAs(administrator, `${APP}/users/${user.id}`);
    const remove = async () => {
      await page.getByRole('button', { name: 'Delete user' }).click();
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

  test('a role sees only the pages that it may use', async () => {
    const viewer = await signedInAdministrator('viewer');
    const { page } = await openAs(viewer, `${APP}/overview`);
    await page.getByText('Messages per hour').waitFor();
    const names = await page.getByLabel('Console').getByRole('link').allInnerTexts();
    expect(names).toEqual(['Overview', 'Settings', 'REST reference', 'GraphQL explorer', 'Guides']);
    await page.goto(`${running.url}${APP}/users`);
    await page.getByText('Your role does not allow this operation').waitFor();
    await page.goto(`${running.url}${APP}/settings`);
    await page.getByLabel('Name').waitFor();
    expect(await page.getByLabel('Name').isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Delete application' }).count()).toBe(0);
  });

  test('texts of users are never executed', async () => {
    const attack = `"><img src=x onerror="window.hacked=1"><script>window.hacked=1</script>`;
    const [alice, bob] = await createUsers(2);
    await graphql(
      'mutation ($id: Int!, $name: String) { updateUser(id: $id, input: { fullName: $name }) { id } }',
      { id: alice!.id, name: attack },
      apiKey,
    );
    const dialogId = await createDialog(alice!, [alice!, bob!]);
    await send(alice!, dialogId, attack);
    await graphql(
      'mutation { createClass(input: { name: "Note", fields: [{ name: "text", type: STRING }] }) { name } }',
      {},
      apiKey,
    );
    const create = 'mutation ($f: JSON) { createRecord(input: { className: "Note", fields: $f }) { id } }';
    await graphql(create, { f: { text: attack } }, apiKey);
    const administrator = await owner();
    for (const path of ['users', `users/${alice!.id}`, 'dialogs', `dialogs/${dialogId}`, 'data/Note']) {
      const { page, problems } = await openAs(administrator, `${APP}/${path}`);
      if (path.startsWith('dialogs')) await stateReason(page);
      if (path === `users/${alice!.id}`) await page.getByRole('heading', { name: attack }).waitFor();
      else await page.getByText('onerror').first().waitFor();
      expect([path, await page.evaluate('window.hacked'), problems]).toEqual([path, undefined, []]);
      await page.context().close();
    }
  });

  test('the first load is at most 300 KB, and no other site may frame it', async () => {
    const { page } = await openPage('about:blank');
    let bytes = 0;
    page.on('response', (response) => {
      bytes += Number(response.headers()['content-length'] ?? 0);
    });
    const response = await page.goto(`${running.url}/console`);
    await page.getByRole('heading', { name: 'Sign in to the console' }).waitFor();
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThanOrEqual(300_000);
    const policy = response!.headers()['content-security-policy']!;
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
  });
});

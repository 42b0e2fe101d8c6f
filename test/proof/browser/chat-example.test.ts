import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { running, useApp } from '../../support/app/app.ts';
import { useChatExample } from '../../support/app/chat-example.ts';
import { sql } from '../../support/app/sql.ts';
import { expectAccessible, hasBrowser, openPage, PHONE, useBrowser } from '../../support/clients/browser.ts';
import { message, signUp as signUpIn, startDialog, write } from '../../support/clients/chat-example.ts';
import { execute } from '../../support/fixtures/chat.ts';
import { apiKey, onBehalfOf } from '../../support/fixtures/users.ts';

const PICTURE = resolve(import.meta.dirname, '../../../docs/images');
const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 800 } };

describe.skipIf(!hasBrowser)('the chat example in a browser', () => {
  useApp();
  useBrowser();
  const example = useChatExample();

  beforeAll(() => execute('mutation { updateApplication(input: { publicSignIn: true }) { id } }', {}, apiKey));

  const signUp = (name: string, options = DESKTOP): Promise<Page> => signUpIn(example, name, options);

  const picture = async (page: Page, name: string) => {
    if (process.env.UPDATE_SCREENSHOTS !== 'on') return;
    await mkdir(PICTURE, { recursive: true });
    await page.screenshot({ path: join(PICTURE, `chat-${name}.png`) });
  };

  test('two people chat: unread badges, typing, read marks, reactions, edits, deletions and a reload', async () => {
    const mara = await signUp('Mara Lindqvist');
    const theo = await signUp('Theo Okafor');
    await expectAccessible(mara);
    await startDialog(mara, 'Theo Okafor');
    await write(mara, 'Are we still on for lunch?');
    await message(mara, 'still on for lunch').getByText('Sent', { exact: true }).waitFor({ state: 'attached' });

    const item = theo.getByRole('button', { name: 'Mara Lindqvist' });
    await item.getByText('1 unread').waitFor({ state: 'attached' });
    await expect.poll(() => theo.title()).toBe('(1) Chat');
    await item.click();
    await message(theo, 'still on for lunch').waitFor();
    await message(mara, 'still on for lunch').getByText('Read', { exact: true }).waitFor({ state: 'attached' });
    await expect.poll(() => theo.title()).toBe('Chat');

    await theo.getByLabel('Message', { exact: true }).pressSequentially('Yes');
    await mara.getByText('Theo Okafor is typing').waitFor();
    await theo.keyboard.press('Enter');
    await message(mara, 'Yes').waitFor();

    await message(mara, 'Yes').hover();
    await message(mara, 'Yes').getByRole('button', { name: 'Add a reaction' }).click();
    await mara.getByRole('button', { name: 'Love' }).click();
    await message(theo, 'Yes').getByRole('button', { name: 'Love, 1' }).waitFor();

    await theo.getByLabel('Message', { exact: true }).press('ArrowUp');
    await theo.getByLabel('Message', { exact: true }).fill('Yes, at one');
    await theo.keyboard.press('Enter');
    await message(mara, 'Yes, at one').getByText('edited').waitFor();

    await write(theo, 'Wrong window');
    await message(mara, 'Wrong window').waitFor();
    await message(theo, 'Wrong window').hover();
    await message(theo, 'Wrong window').getByRole('button', { name: 'Delete' }).click();
    await theo.getByRole('group', { name: 'Delete for everyone?' }).getByRole('button', { name: 'Delete' }).click();
    await message(mara, 'Wrong window').waitFor({ state: 'detached' });

    await mara.reload();
    await message(mara, 'Yes, at one').waitFor();
    await expectAccessible(mara);
    await mara.context().close();
    await theo.context().close();
  });

  test('a message written while the service is away survives a reload and is sent once', async () => {
    const ines = await signUp('Ines Moreau');
    const kofi = await signUp('Kofi Adler');
    await startDialog(ines, 'Kofi Adler');
    await write(ines, 'before');
    await kofi.getByRole('button', { name: 'Ines Moreau' }).click();
    await message(kofi, 'before').waitFor();
    // The copy of the page for a start without network.
    await ines.waitForFunction(() => navigator.serviceWorker.controller !== null);
    await ines.reload();
    await message(ines, 'before').waitFor();

    example.network.target = 'http://127.0.0.1:1';
    example.network.cut();
    await ines.getByText('You are offline').waitFor();
    await write(ines, 'from the tunnel');
    await write(ines, 'and another');
    await message(ines, 'from the tunnel').getByText('Sending').waitFor({ state: 'attached' });
    await ines.getByText('2 messages will be sent when you are back.').waitFor();
    await expectAccessible(ines);

    await ines.reload();
    await message(ines, 'before').waitFor();
    await message(ines, 'from the tunnel').getByText('Sending').waitFor({ state: 'attached' });
    await picture(ines, 'offline');

    example.network.target = running.url;
    await message(kofi, 'and another').waitFor();
    await message(ines, 'and another')
      .getByText(/^(Sent|Read)$/)
      .waitFor({ state: 'attached' });
    expect(await kofi.getByRole('article').allInnerTexts()).toHaveLength(3);
    await ines.getByText('You are offline').waitFor({ state: 'detached' });
    const [row] = await sql<{ count: number }>(
      "SELECT count(*)::int AS count FROM messages WHERE text IN ('from the tunnel', 'and another')",
    );
    expect(row!.count).toBe(2);
    await ines.context().close();
    await kofi.context().close();
  });

  test('a picture is previewed, uploaded and shown to the others', async () => {
    const lena = await signUp('Lena Sato');
    const omar = await signUp('Omar Haddad');
    await startDialog(lena, 'Omar Haddad');
    const buffer = await lena.screenshot();
    await lena.locator('input[type=file]').setInputFiles({ name: 'view.png', mimeType: 'image/png', buffer });
    await lena.getByRole('button', { name: 'Remove view.png' }).waitFor();
    await lena.getByRole('button', { name: 'Send' }).click();
    await omar.getByRole('button', { name: 'Lena Sato' }).click();
    const image = omar.getByRole('img', { name: 'view.png' });
    await image.waitFor();
    await expect
      .poll(() => image.evaluate((element) => (element as unknown as { naturalWidth: number }).naturalWidth))
      .toBeGreaterThan(0);
    await lena.context().close();
    await omar.context().close();
  });

  test('hostile attachments break nothing, run nothing, and load nothing without a click', async () => {
    const mona = await signUp('Mona Rask');
    const ivan = await signUp('Ivan Petrov');
    await startDialog(mona, 'Ivan Petrov');
    for (const text of ['before', 'hostile', 'after']) await write(mona, text);
    await message(mona, 'after').getByText('Sent', { exact: true }).waitFor({ state: 'attached' });
    const tracker = 'https://tracker.example/p.svg';
    const attachments = [
      { type: 'file', id: '5', contentType: 5, name: { a: 1 } },
      { type: 'file', id: '5', contentType: null, size: { a: 1 } },
      ...['javascript:window.hacked=1', 'data:text/html,x', 'vbscript:x', '/relative', '//tracker.example/p.svg'].map(
        (url) => ({ type: 'file', url, name: `file ${url}` }),
      ),
      { type: 'image', url: tracker, name: 'cat' },
    ];
    // As an import from another server stores them.
    await sql("UPDATE messages SET attachments = $1::json WHERE text = 'hostile'", [JSON.stringify(attachments)]);
    await sql('UPDATE dialogs SET photo = $1, type = 2 WHERE id IN (SELECT dialog_id FROM messages WHERE text = $2)', [
      tracker,
      'hostile',
    ]);
    const [{ id, sender_id }] = (await sql<{ id: string; sender_id: number }>(
      "SELECT id, sender_id FROM messages WHERE text = 'hostile'",
    )) as [{ id: string; sender_id: number }];
    const react = 'mutation ($id: ID!) { changeReactions(messageId: $id, add: "__proto__") { id } }';
    await execute(react, { id }, onBehalfOf({ id: sender_id }));

    const foreign: string[] = [];
    await ivan.route('https://tracker.example/**', (route) => {
      foreign.push(route.request().url());
      return route.fulfill({ contentType: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg"/>' });
    });
    await ivan.reload();
    await ivan.getByRole('button', { name: /after/ }).click();
    for (const text of ['before', 'hostile', 'after']) await message(ivan, text).waitFor();
    const hostile = message(ivan, 'hostile');
    await hostile.getByRole('button', { name: '__proto__, 1' }).waitFor();
    expect(await hostile.getByText(/^file /).count()).toBe(5);
    const links = await hostile.getByRole('link').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    expect(links).toEqual([]); // the service gives no address for a blob that does not exist
    await expectAccessible(ivan);
    expect(foreign).toEqual([]);
    await hostile.getByRole('button', { name: 'Load the image from tracker.example' }).click();
    await hostile.getByRole('img', { name: 'cat' }).waitFor();
    await expect.poll(() => foreign).toEqual([tracker]);
    await mona.context().close();
    await ivan.context().close();
  });

  test('a history of 10,000 messages renders only what is visible, and scrolls to its start', async () => {
    const vera = await signUp('Vera Kowalski');
    await signUp('Yuki Tanaka').then((page) => page.context().close());
    await startDialog(vera, 'Yuki Tanaka');
    await write(vera, 'the last');
    await message(vera, 'the last').getByText('Sent', { exact: true }).waitFor({ state: 'attached' });
    await sql("UPDATE messages SET seq = 10000 WHERE text = 'the last'");
    await sql(`WITH last AS (SELECT * FROM messages WHERE text = 'the last'),
      counted AS (UPDATE dialogs SET last_seq = 10000 FROM last WHERE dialogs.id = last.dialog_id)
      INSERT INTO messages (application_id, id, dialog_id, seq, sender_id, recipient_id, text, send_to_chat, date_sent, created_at, updated_at)
      SELECT application_id, lpad(to_hex(1600000000 + n), 8, '0') || substr(id, 9), dialog_id, n, sender_id, recipient_id,
        'number ' || n, true, 1600000000 + n, to_timestamp(1600000000 + n), to_timestamp(1600000000 + n)
      FROM last, generate_series(1, 9999) n`);
    await vera.reload();
    await message(vera, 'number 9999').waitFor();
    expect(await vera.getByRole('article').count()).toBeLessThan(60);
    const scroller = vera.locator('.atrium-scroller');
    const start = vera.getByText('number 1', { exact: true });
    await scroller.evaluate(async (element) => {
      while (element.querySelector('.atrium-older')) {
        element.scrollTo({ top: -element.scrollHeight });
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    });
    await scroller.evaluate((element) => element.scrollTo({ top: -element.scrollHeight }));
    await start.waitFor();
    expect(await vera.getByRole('article').count()).toBeLessThan(60);
    await vera.getByRole('button', { name: 'Jump to the latest message' }).click();
    await message(vera, 'the last').waitFor();
    await vera.context().close();
  });

  test.each([
    ['light', DESKTOP],
    ['dark', { ...DESKTOP, colorScheme: 'dark' }],
    ['phone', { ...PHONE, colorScheme: 'light' }],
    ['phone-dark', PHONE],
  ] as [string, BrowserContextOptions][])('the page is accessible and complete: %s', async (name, options) => {
    const [first, second, third] = {
      light: ['Park', 'Weber', 'Bello'],
      dark: ['Rossi', 'Nowak', 'Silva'],
      phone: ['Berg', 'Costa', 'Duarte'],
      'phone-dark': ['Evans', 'Fischer', 'Gupta'],
    }[name] as [string, string, string];
    const people = [`Mina ${first}`, `Jonas ${second}`, `Aisha ${third}`];
    const { page: entrance } = await openPage(example.url, options);
    await entrance.getByRole('button', { name: 'Sign in' }).waitFor();
    await expectAccessible(entrance);
    await entrance.context().close();

    const mina = await signUp(people[0]!, options);
    const jonas = await signUp(people[1]!);
    const aisha = await signUp(people[2]!);
    await startDialog(aisha, people[0]!);
    await write(aisha, 'The photos from Saturday are online. The one at the lake is wonderful!');
    await startDialog(jonas, people[0]!, people[2]!);
    await write(jonas, 'Lunch on Thursday? The new place next to the library opens this week.');
    await write(jonas, 'They have a terrace.');
    const inGroup = aisha.getByRole('button', { name: /^.*Mina, Aisha/ });
    await inGroup.click();
    await write(aisha, 'Count me in! Is one o’clock good for everybody?');
    await mina.getByRole('button', { name: /Mina, Aisha/ }).click();
    await message(mina, 'Count me in').waitFor();
    await write(mina, 'One is perfect. I’ll book a table for three.');
    await message(jonas, 'book a table').waitFor();
    await message(jonas, 'book a table').hover();
    await message(jonas, 'book a table').getByRole('button', { name: 'Add a reaction' }).click();
    await jonas.getByRole('button', { name: 'Like', exact: true }).click();
    await message(mina, 'book a table').getByRole('button', { name: 'Like, 1' }).waitFor();
    await aisha.getByLabel('Message', { exact: true }).pressSequentially('Great');
    await mina.getByText('is typing').waitFor();
    await expectAccessible(mina);
    await picture(mina, name);
    if (name.startsWith('phone')) {
      await mina.getByRole('button', { name: 'Back to the conversations' }).click();
      await mina.getByRole('button', { name: new RegExp(`^${people[2]}`) }).waitFor();
      await expectAccessible(mina);
      await picture(mina, `${name}-list`);
    }
    await mina.getByRole('button', { name: 'New conversation' }).first().click();
    await mina.getByRole('checkbox').first().waitFor();
    await expectAccessible(mina);
    for (const page of [mina, jonas, aisha]) await page.context().close();
  });
});

import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { useChatExample } from '../../support/app/chat-example.ts';
import { expectAccessible, hasBrowser, PHONE, useBrowser } from '../../support/clients/browser.ts';
import { message, signUp as signUpIn, startDialog, write } from '../../support/clients/chat-example.ts';
import { execute } from '../../support/fixtures/chat.ts';
import { apiKey } from '../../support/fixtures/users.ts';

const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 800 } };

describe.skipIf(!hasBrowser)('the chat components in the chat example', () => {
  useApp();
  useBrowser();
  const example = useChatExample();

  beforeAll(() => execute('mutation { updateApplication(input: { publicSignIn: true }) { id } }', {}, apiKey));

  const signUp = (name: string, options = DESKTOP): Promise<Page> => signUpIn(example, name, options);
  const field = (page: Page): Locator => page.getByLabel('Message', { exact: true });
  /** With attachments, waits for their upload. */
  const submit = async (page: Page, text: string) => {
    await field(page).fill(text);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
  };
  const sent = (page: Page, text: string) =>
    message(page, text)
      .getByText(/^(Sent|Read)$/)
      .waitFor({ state: 'attached' });

  test.each([
    ['on a desktop, light', DESKTOP, 'Ada Lund'],
    ['on a phone, dark', PHONE, 'Eva Brandt'],
  ] as const)('pictures open in a viewer that the keyboard controls: %s', async (_name, options, person) => {
    const page = await signUp(person, options);
    const other = `Peer of ${person.split(' ')[0]}`;
    await signUp(other).then((peer) => peer.context().close());
    await startDialog(page, other);
    const buffer = await page.screenshot();
    const attach = (...names: string[]) =>
      page.locator('input[type=file]').setInputFiles(names.map((name) => ({ name, mimeType: 'image/png', buffer })));
    await attach('lake.png', 'hill.png');
    await page.getByRole('button', { name: 'Remove hill.png' }).waitFor();
    await submit(page, 'two');
    await sent(page, 'two');
    await attach('town.png');
    await page.getByRole('button', { name: 'Remove town.png' }).waitFor();
    await submit(page, 'one');
    await sent(page, 'one');

    const picture = page.getByRole('button', { name: 'hill.png' });
    await picture.press('Enter');
    const viewer = page.getByRole('dialog', { name: 'Pictures' });
    await viewer.getByText('2 of 3').waitFor();
    await viewer.getByRole('img', { name: 'hill.png' }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('ArrowRight');
    await viewer.getByText('3 of 3').waitFor();
    await page.keyboard.press('ArrowRight');
    await viewer.getByText('1 of 3').waitFor();
    await page.keyboard.press('ArrowLeft');
    await viewer.getByRole('img', { name: 'town.png' }).waitFor();
    await viewer.getByRole('button', { name: 'Previous picture' }).click();
    await viewer.getByRole('img', { name: 'hill.png' }).waitFor();
    const focused = new Set<string>();
    for (let count = 0; count < 8; count++) {
      await page.keyboard.press('Tab');
      focused.add(
        await page.evaluate(() =>
          document.activeElement?.closest('dialog') ? 'viewer' : document.activeElement!.tagName,
        ),
      );
    }
    // After the last button, the focus is in the window of the browser, which a test does not have.
    expect([...focused].filter((where) => where !== 'BODY')).toEqual(['viewer']);
    await page.keyboard.press('Escape');
    await viewer.waitFor({ state: 'detached' });
    await expect.poll(() => picture.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.context().close();
  });

  test('files that are dropped onto the thread or pasted are attached, with icon, name and size', async () => {
    const drew = await signUp('Drew Falk');
    const ravi = await signUp('Ravi Anand');
    await startDialog(drew, 'Ravi Anand');
    const scroller = drew.locator('.atrium-scroller');
    const zone = drew.getByText('Drop files to attach them');
    const files = await drew.evaluateHandle(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['x'.repeat(2_300)], 'report.pdf', { type: 'application/pdf' }));
      return transfer;
    });
    const text = await drew.evaluateHandle(() => {
      const transfer = new DataTransfer();
      transfer.setData('text/plain', 'a word');
      return transfer;
    });
    await scroller.dispatchEvent('dragover', { dataTransfer: text });
    expect(await zone.isVisible()).toBe(false);
    await scroller.dispatchEvent('dragover', { dataTransfer: files });
    await zone.waitFor();
    await expectAccessible(drew);
    await scroller.dispatchEvent('drop', { dataTransfer: files });
    await zone.waitFor({ state: 'hidden' });
    await drew.getByRole('button', { name: 'Remove report.pdf' }).waitFor();
    const png = (await drew.screenshot()).toString('base64');
    await field(drew).evaluate(async (element, data) => {
      const clipboardData = new DataTransfer();
      const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
      clipboardData.items.add(new File([bytes], 'pasted.png', { type: 'image/png' }));
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }, png);
    await drew.getByRole('button', { name: 'Remove pasted.png' }).waitFor();
    await submit(drew, 'for you');

    await ravi.getByRole('button', { name: 'Drew Falk' }).click();
    const link = message(ravi, 'for you').getByRole('link');
    await link.waitFor();
    expect(await link.textContent()).toBe('pdfreport.pdf2.3 kB');
    expect(await link.locator('.atrium-file-badge').getAttribute('data-kind')).toBe('pdf');
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
    await message(ravi, 'for you').getByRole('img', { name: 'pasted.png' }).waitFor();
    for (const page of [drew, ravi]) await page.context().close();
  });

  test('a name such as :smi offers emoji, which keys choose, insert and close', async () => {
    const page = await signUp('Nils Berg');
    await signUp('Mia Falk').then((peer) => peer.context().close());
    await startDialog(page, 'Mia Falk');
    const list = page.getByRole('listbox', { name: 'Emoji' });
    await field(page).pressSequentially('Hi :smi');
    await list.getByRole('option', { name: ':smile:' }).waitFor();
    await expectAccessible(page);
    expect(await list.getByRole('option', { selected: true }).textContent()).toContain(':smile:');
    await page.keyboard.press('ArrowDown');
    expect(await list.getByRole('option', { selected: true }).textContent()).toContain(':smiley:');
    const active = await field(page).getAttribute('aria-activedescendant');
    expect(await list.getByRole('option', { selected: true }).getAttribute('id')).toBe(active);
    await page.keyboard.press('Enter');
    await list.waitFor({ state: 'detached' });
    expect(await field(page).inputValue()).toBe('Hi 😃');
    await page.keyboard.type(' :hea');
    await list.waitFor();
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'detached' });
    expect(await field(page).inputValue()).toBe('Hi 😃 :hea');
    await page.keyboard.type('rt: at 10:30');
    await expect.poll(() => field(page).inputValue()).toBe('Hi 😃 ❤️ at 10:30');
    await page.keyboard.press('Enter');
    await message(page, 'Hi 😃 ❤️ at 10:30').waitFor();
    await field(page).pressSequentially(':fir');
    await list.getByRole('option', { name: ':fire:' }).click();
    await expect.poll(() => field(page).inputValue()).toBe('🔥');
    expect(await field(page).evaluate((element) => element === document.activeElement)).toBe(true);
    await page.context().close();
  });

  test('messages of one sender have one time, edited ones a mark, and only web addresses are links', async () => {
    const ulla = await signUp('Ulla Krog');
    await signUp('Per Dahl').then((peer) => peer.context().close());
    await startDialog(ulla, 'Per Dahl');
    await ulla.getByText('Enter sends, Shift and Enter starts a line.').waitFor();
    await write(ulla, 'first');
    await write(ulla, 'see (https://example.com/a_(b)), HTTP://example.org/?q=1&r=2.');
    await write(ulla, 'javascript:alert(1) data:text/html,<b>x</b> ftp://example.com //example.com vbscript:x');
    await sent(ulla, 'javascript');
    await expect.poll(() => ulla.locator('.atrium-meta time').count()).toBe(1);
    await message(ulla, 'first').hover();
    await expect
      .poll(() =>
        message(ulla, 'first')
          .locator('.atrium-aside')
          .evaluate((one) => getComputedStyle(one).opacity),
      )
      .toBe('1');

    const links = message(ulla, 'see').getByRole('link');
    expect(
      await links.evaluateAll((all) => all.map((one) => [one.getAttribute('href'), one.getAttribute('rel')])),
    ).toEqual([
      ['https://example.com/a_(b)', 'noopener noreferrer'],
      ['http://example.org/?q=1&r=2', 'noopener noreferrer'],
    ]);
    expect(await message(ulla, 'javascript').getByRole('link').count()).toBe(0);
    expect(await ulla.getByRole('article').locator('b').count()).toBe(0);

    await message(ulla, 'first').getByRole('button', { name: 'Edit' }).click();
    await field(ulla).fill('first, edited later');
    await ulla.keyboard.press('Enter');
    await message(ulla, 'first').getByText('edited', { exact: true }).waitFor();
    await expectAccessible(ulla);
    await ulla.context().close();
  });
});

import { resolve } from 'node:path';
import { build } from 'esbuild';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { bundle } from '../../support/app/bundle.ts';
import { hasBrowser, openPage, useBrowser } from '../../support/clients/browser.ts';

/** Components of `@atrium/chat-ui` with messages and dialogs that the client would not return. */
const PAGE = `
  import { DialogList, MessageItem, Thread } from '@atrium/chat-ui';
  import { AtriumProvider } from '@atrium/react';
  import { createRoot } from 'react-dom/client';
  import { flushSync } from 'react-dom';
  const live = (value) => ({ initial: value, get: () => value, subscribe: () => () => {} });
  const AT = '2026-11-20T17:46:59.000Z';
  const messageOf = (id, others) => ({
    id, key: id, dialogId: 'd', senderId: 1, text: 'text ' + id, attachments: [], customFields: {}, createdAt: AT,
    isEdited: false, readIds: [], deliveredIds: [], reactions: [], state: 'sent', ...others,
  });
  const link = { url: 'about:blank', isForeign: false };
  const bad = [
    { attachments: [{ type: 'file', contentType: 5 }] },
    { attachments: [{ type: 'file', contentType: null }] },
    { attachments: [{ type: 'file', name: { a: 1 } }] },
    { text: { a: 1 } },
    { reactions: [{ name: { a: 1 }, count: 1, own: false }] },
    { createdAt: 'never' },
  ].map((others, nth) => messageOf('bad ' + nth, others));
  const messages = bad.flatMap((message, nth) => [messageOf('good ' + nth), message]);
  const dialogOf = (id, others) => ({
    id, type: 'GROUP', name: 'dialog ' + id, photo: null, ownerId: 1, occupantIds: [1], adminIds: [], peerId: null,
    lastMessage: null, unreadCount: 0, ...others,
  });
  const dialogs = [dialogOf('1'), dialogOf('2', { name: { a: 1 } }), dialogOf('3')];
  const thread = (given) => live({
    status: 'ready', messages: given, hasOlder: false, hasNewer: false, isLoadingOlder: false, isLoadingNewer: false,
    typing: [], isStale: false,
  });
  const never = async () => {};
  const handle = (given) => ({ thread: thread(given), load: never, markRead: never, typing: never });
  const handles = { d: handle(messages.filter(({ createdAt }) => createdAt === AT)), broken: handle(bad.slice(-1)) };
  const atrium = {
    files: { link: () => link },
    users: { get: () => live(undefined) },
    session: { state: live({ status: 'signedIn', user: { id: 2, name: 'Me' } }) },
    connection: live('open'),
    chat: {
      list: live({ status: 'ready', dialogs, hasMore: false, isLoadingMore: false, isStale: false }),
      outbox: live([]),
      online: () => live(new Set()),
      dialog: (id) => handles[id] ?? { typingIds: live([]) },
    },
  };
  const actions = {};
  const App = () => (
    <AtriumProvider atrium={atrium}>
      <section id="items">
        {messages.map((message) => (
          <MessageItem key={message.key} message={message} isFirst isLast actions={actions} />
        ))}
      </section>
      <section id="list"><DialogList onSelect={({ id }) => { globalThis.selected = id; }} /></section>
      <section id="thread" style={{ height: 2000 }}><Thread dialogId="d" /></section>
      <section id="broken"><Thread dialogId="broken" /></section>
    </AtriumProvider>
  );
  flushSync(() => createRoot(document.getElementById('root')).render(<App />));`;

const STYLES = resolve(import.meta.dirname, '../../../packages/chat-ui/src/styles.css');

describe.skipIf(!hasBrowser)('components of @atrium/chat-ui', () => {
  useBrowser();

  /** @param language the preferred one of the user, which may differ from that of the menus of the browser */
  async function open(options: BrowserContextOptions = {}, language = 'en-US'): Promise<Page> {
    const { page } = await openPage('about:blank', options);
    await page.setContent('<div id="root"></div>');
    await page.evaluate((value) => Object.defineProperty(navigator, 'language', { value }), language);
    await page.addScriptTag({ content: await bundle(PAGE, 'browser') });
    return page;
  }

  test.each([
    ['de-DE', '17:46'],
    ['en-GB', '17:46'],
    ['en-US', '5:46 PM'],
  ])('times have the form of the region of the user: %s', async (language, expected) => {
    const page = await open({ locale: 'en-US', timezoneId: 'UTC' }, language);
    const times = page.locator('#items .atrium-meta time');
    const shown = (await times.allTextContents()).map((time) => time.replace(/\s/, ' '));
    expect(new Set(shown)).toEqual(new Set([expected]));
    await page.context().close();
  });

  test('an app gives the components its look by custom properties, light and dark', async () => {
    const styles = await build({ entryPoints: [STYLES], bundle: true, write: false });
    const page = await open();
    await page.addStyleTag({ content: styles.outputFiles[0]!.text });
    await page.addStyleTag({ content: '#thread { --hover: rgb(1, 2, 3); --radius: 5px; --font: monospace }' });
    const look = (section: string) =>
      page
        .locator(`#${section} .atrium-bubble`)
        .first()
        .evaluate((element) => {
          const { backgroundColor, borderTopLeftRadius, fontFamily } = getComputedStyle(element);
          return { backgroundColor, borderTopLeftRadius, fontFamily };
        });
    expect(await look('thread')).toEqual({
      backgroundColor: 'rgb(1, 2, 3)',
      borderTopLeftRadius: '10px',
      fontFamily: 'monospace',
    });
    expect(await look('items')).toMatchObject({ backgroundColor: 'rgb(241, 243, 246)', borderTopLeftRadius: '16px' });
    await page.addStyleTag({ content: ':root { color-scheme: dark }' });
    expect(await look('items')).toMatchObject({ backgroundColor: 'rgb(31, 36, 44)' });
    await page.context().close();
  });

  test('a message or dialog that cannot be rendered is replaced by a text, and the rest remains', async () => {
    const page = await open();
    const counts = async (section: string) => ({
      good: await page.locator(`#${section}`).getByText('text good').count(),
      bad: await page.locator(`#${section}`).getByText('This message cannot be shown').count(),
    });
    expect(await counts('items')).toEqual({ good: 6, bad: 6 });
    expect(await counts('thread')).toEqual({ good: 6, bad: 5 });

    const list = page.locator('#list');
    expect(await list.getByText(/dialog [13]/).count()).toBe(2);
    await list.getByRole('button', { name: 'This conversation cannot be shown' }).click();
    expect(await page.evaluate('selected')).toBe('2');

    const broken = page.locator('#broken');
    await broken.getByText('This conversation cannot be shown').waitFor();
    await broken.getByRole('button', { name: 'Retry' }).click();
    await broken.getByText('This conversation cannot be shown').waitFor();
    expect(await counts('thread')).toEqual({ good: 6, bad: 5 });
    await page.context().close();
  });
});

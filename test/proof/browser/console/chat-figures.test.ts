import { afterEach, describe, expect, test } from 'vitest';
import { running, useApp } from '../../../support/app/app.ts';
import { expectAccessible, hasBrowser, PHONE, useBrowser } from '../../../support/clients/browser.ts';
import { openAs, owner } from '../../../support/clients/console.ts';
import { CHAT, closeStreams, openChat, roomOf } from '../../../support/clients/xmpp.ts';
import { createDialog } from '../../../support/fixtures/chat.ts';
import { createUsers } from '../../../support/fixtures/users.ts';

describe.skipIf(!hasBrowser)('the live chat of legacy clients in the console', () => {
  useApp(CHAT);
  useBrowser();
  afterEach(closeStreams);

  test.each([
    ['on a desktop, light', 'light', { viewport: { width: 1280, height: 800 } }],
    ['on a desktop, dark', 'dark', { viewport: { width: 1280, height: 800 } }],
    ['on a phone, light', 'light', PHONE],
    ['on a phone, dark', 'dark', PHONE],
  ] as const)('operators see streams, rooms and failures: %s', async (name, colorScheme, options) => {
    const { failedStreams: failed, refusedSignIns: refused } = running.app.services.chat;
    const [alice, bob] = await createUsers(2);
    const dialogId = await createDialog(alice, [bob]);
    const chats = [await openChat(alice), await openChat(bob), await openChat(bob, 'web')];
    chats[0]!.send(
      `<presence id="j" to="${roomOf(dialogId, alice.id)}"><x xmlns="http://jabber.org/protocol/muc"/></presence>`,
    );
    await chats[0]!.find('code="110"');
    chats[2]!.send('<!DOCTYPE a>');
    await chats[2]!.closed;
    await expect(openChat(bob, 'x', { secret: 'wrong' })).rejects.toThrow('not-authorized');
    const { page, problems } = await openAs(await owner(), '/console/', { ...options, colorScheme });
    const figure = (text: string) => page.getByText(text, { exact: true }).locator('xpath=following-sibling::*');
    for (const [text, value] of [
      ['Joined rooms', 1],
      ['Refused chat sign-ins', refused + 1],
      ['Chat streams ended by errors', failed + 1],
    ] as const)
      await expect.poll(() => figure(text).textContent()).toBe(String(value));
    expect(Number(await figure('Legacy chat streams').textContent())).toBeGreaterThanOrEqual(2);
    await figure('Chat streams ended by errors').scrollIntoViewIfNeeded();
    await expectAccessible(page);
    const folder = process.env.SCREENSHOTS;
    if (folder) await page.screenshot({ path: `${folder}/${name.replaceAll(/\W+/g, '-')}.png`, fullPage: true });
    expect(problems).toEqual([]);
    await page.context().close();
  });
});

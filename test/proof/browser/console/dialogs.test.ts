import { describe, expect, test } from 'vitest';
import { db } from '../../../../src/db/client.ts';
import { useApp } from '../../../support/app/app.ts';
import { expectAccessible, hasBrowser, PHONE, useBrowser } from '../../../support/clients/browser.ts';
import { APP, openAs, stateReason } from '../../../support/clients/console.ts';
import { signedInAdministrator } from '../../../support/fixtures/administrators.ts';
import { storeBlob } from '../../../support/fixtures/blobs.ts';
import { createDialog, execute, send } from '../../../support/fixtures/chat.ts';
import { createUser, createUsers } from '../../../support/fixtures/users.ts';

describe.skipIf(!hasBrowser)('dialogs and live events in the console', () => {
  useApp();
  useBrowser();

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

  test('a private dialog has the names of both users', async () => {
    const [alice, bob] = [await createUser({ full_name: 'Alice' }), await createUser({ full_name: 'Bob' })];
    const dialogId = await createDialog(alice, [bob], 'PRIVATE');
    const { page } = await openAs(await signedInAdministrator('support'), `${APP}/dialogs`);
    await stateReason(page);
    await page.getByRole('link', { name: 'Alice and Bob' }).click();
    await page.getByRole('heading', { name: 'Alice and Bob' }).waitFor();
    expect(page.url()).toContain(dialogId);
  });

  test('messages show who has read them, reactions, links and files like in the chat', async () => {
    const [alice, bob] = await createUsers(2);
    const dialogId = await createDialog(alice!, [alice!, bob!]);
    await storeBlob(alice!, 'Soup', { name: 'menu.txt' });
    const file = await db.blob.findFirstOrThrow({ where: { name: 'menu.txt' } });
    const attachments = [{ type: 'file', id: String(file.id), name: 'menu.txt', size: 4, contentType: 'text/plain' }];
    const input = { dialogId, text: 'See https://example.com/menu.', attachments };
    const sent = await execute(
      'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { id } }',
      { input },
      alice!,
    );
    const id = sent.sendMessage.id;
    const { page, problems } = await openAs(await signedInAdministrator('support'), `${APP}/dialogs/${dialogId}`);
    await stateReason(page);
    const message = page.getByRole('listitem').filter({ hasText: 'See' });
    await message.getByText('Sent', { exact: true }).waitFor({ state: 'attached' });
    expect(await message.getByRole('link', { name: /example/ }).getAttribute('href')).toBe('https://example.com/menu');
    await page.getByText('New messages appear here live').waitFor();
    await execute('mutation ($id: ID!) { addReaction(messageId: $id, name: "like") { id } }', { id }, bob!);
    await message.getByRole('img', { name: 'Like, 1' }).waitFor();
    await execute('mutation ($id: ID!) { markDialogMessages(dialogId: $id, read: true) }', { id: dialogId }, bob!);
    await message.getByText('Read by 1 other').waitFor({ state: 'attached' });
    await expectAccessible(page);
    await message.getByRole('link', { name: 'menu.txt' }).click();
    await page.getByRole('dialog', { name: `File ${file.id}` }).waitFor();
    expect(problems).toEqual([]);
  });

  test('the actions of a message open by touch and leave the name of its sender in view on phones', async () => {
    const [alice, bob] = await createUsers(2);
    const dialogId = await createDialog(alice!, [alice!, bob!]);
    await send(bob!, dialogId, 'Hi');
    await send(alice!, dialogId, 'A text that is longer than one line of the narrow window of a phone');
    const { page } = await openAs(await signedInAdministrator('support'), `${APP}/dialogs/${dialogId}`, {
      ...PHONE,
      hasTouch: true,
    });
    await stateReason(page);
    for (const text of ['Hi', 'A text']) {
      const message = page.getByRole('listitem').filter({ hasText: text });
      const button = message.getByRole('button', { name: /Moderate/ });
      await message.getByText(text).tap();
      await button.tap();
      await page.getByRole('menuitem', { name: 'Edit' }).waitFor();
      const [name, actions] = [await message.locator('.atrium-sender').boundingBox(), await button.boundingBox()];
      expect(actions!.x).toBeGreaterThan(name!.x + name!.width);
      expect(actions!.x + actions!.width).toBeLessThan(390);
      await page.keyboard.press('Escape');
    }
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
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('second', { exact: true }).waitFor();
    await moderate('Delete for all');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete for all' }).click();
    await page.getByText('second', { exact: true }).waitFor({ state: 'detached' });
    expect(await db.message.count({ where: { id } })).toBe(0);
  });
});

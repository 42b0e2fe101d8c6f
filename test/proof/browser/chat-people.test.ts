import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { useChatExample } from '../../support/app/chat-example.ts';
import { sql } from '../../support/app/sql.ts';
import { expectAccessible, hasBrowser, PHONE, useBrowser } from '../../support/clients/browser.ts';
import { message, signUp as signUpIn, startDialog, write } from '../../support/clients/chat-example.ts';
import { createDialog, execute, send } from '../../support/fixtures/chat.ts';
import { apiKey, onBehalfOf } from '../../support/fixtures/users.ts';

const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 800 } };

describe.skipIf(!hasBrowser)('dialogs and people in the chat example', () => {
  useApp();
  useBrowser();
  const example = useChatExample();

  beforeAll(() => execute('mutation { updateApplication(input: { publicSignIn: true }) { id } }', {}, apiKey));

  const signUp = (name: string, options = DESKTOP): Promise<Page> => signUpIn(example, name, options);
  const userNamed = async (name: string): Promise<{ id: number }> =>
    (await sql<{ id: number }>('SELECT id FROM users WHERE full_name = $1', [name]))[0]!;

  test.each([
    ['on a desktop', DESKTOP, 'Lind'],
    ['on a phone, dark', PHONE, 'Moss'],
  ] as const)(
    'a group has a profile with members, roles, name, picture, mute and leave: %s',
    async (_name, options, family) => {
      const [owner, member] = [await signUp(`Olga ${family}`, options), await signUp(`Max ${family}`)];
      await startDialog(member, `Olga ${family}`);
      await signUp(`Tim ${family}`).then((page) => page.context().close());
      await startDialog(owner, `Max ${family}`, `Tim ${family}`);
      await write(owner, 'welcome');
      const openProfile = async (page: Page) => {
        await page.getByRole('button', { name: 'Details' }).click();
        const profile = page.getByRole('dialog', { name: 'Details' });
        await profile.getByRole('switch', { name: 'Mute notifications' }).waitFor();
        return profile;
      };
      const profile = await openProfile(owner);
      const members = profile.getByRole('region', { name: '3 members' });
      await expect.poll(() => members.getByRole('listitem').allInnerTexts()).toHaveLength(3);
      expect((await members.getByRole('listitem').allInnerTexts())[0]).toMatch(/Olga .* \(You\)[\s\S]*Owner/);
      await expectAccessible(owner);

      await profile.getByRole('button', { name: 'Rename the group' }).click();
      await profile.getByLabel('Name of the group').fill('Sailing club');
      await owner.keyboard.press('Enter');
      await profile.getByRole('heading', { name: 'Sailing club' }).waitFor();
      const picture = { name: 'boat.png', mimeType: 'image/png', buffer: await owner.screenshot() };
      await profile.getByLabel('Change the picture').setInputFiles(picture);
      await profile.locator('.atrium-profile-picture img').waitFor();
      await member.locator('.atrium-dialog img').waitFor();

      await profile.getByRole('button', { name: `Manage Max ${family}` }).click();
      await profile.getByRole('button', { name: 'Make admin' }).click();
      await members.getByRole('listitem').filter({ hasText: 'Max' }).getByText('Admin', { exact: true }).waitFor();
      await profile.getByRole('switch', { name: 'Mute notifications' }).check();
      await owner.keyboard.press('Escape');
      await profile.waitFor({ state: 'detached' });
      await openProfile(owner);
      await expect.poll(() => profile.getByRole('switch', { name: 'Mute notifications' }).isChecked()).toBe(true);

      await member.getByRole('button', { name: 'Sailing club' }).click();
      const theirs = await openProfile(member);
      await theirs.getByRole('button', { name: `Manage Tim ${family}` }).click();
      expect(await theirs.getByRole('button', { name: 'Make admin' }).isVisible()).toBe(false);
      await theirs.getByRole('button', { name: 'Remove from the group' }).click();
      await profile.getByRole('region', { name: '2 members' }).waitFor();
      await theirs.getByRole('button', { name: 'Leave the group' }).click();
      await expectAccessible(member);
      const confirm = theirs.getByRole('group', { name: 'Leave this group?' });
      await confirm.getByRole('button', { name: 'Leave the group' }).click();
      await member.getByRole('button', { name: 'Sailing club' }).waitFor({ state: 'detached' });
      await member.getByRole('heading', { name: 'Hello, Max' }).waitFor();
      await profile.getByRole('region', { name: '1 member' }).waitFor();
      for (const page of [owner, member]) await page.context().close();
    },
  );

  test('the list of dialogs shows who is typing', async () => {
    const [ana, ben] = [await signUp('Ana Ruiz'), await signUp('Ben Ito')];
    await startDialog(ben, 'Ana Ruiz');
    await write(ben, 'hello');
    const item = ana.getByRole('button', { name: 'Ben Ito' });
    await item.getByText('hello').waitFor();
    await ben.getByLabel('Message', { exact: true }).pressSequentially('How are');
    await item.getByText('typing …').waitFor();
    await expectAccessible(ana);
    await write(ben, 'How are you?');
    await item.getByText('How are you?').waitFor();
    for (const page of [ana, ben]) await page.context().close();
  });

  test('a reader jumps to the first unread message, and to the latest with the number of new ones', async () => {
    const reader = await signUp('Rita Holm', PHONE);
    await signUp('Sam Okoro').then((page) => page.context().close());
    const [{ id: readerId }, sam] = [await userNamed('Rita Holm'), onBehalfOf(await userNamed('Sam Okoro'))];
    const dialogId = await createDialog(sam, [{ id: readerId }], 'PRIVATE');
    for (let count = 1; count <= 5; count++) await send(sam, dialogId, `old ${count}`);
    const mark = 'mutation ($dialogId: ID!) { markDialogMessages(dialogId: $dialogId, read: true) }';
    await execute(mark, { dialogId }, onBehalfOf({ id: readerId }));
    for (let count = 1; count <= 70; count++) await send(sam, dialogId, `new ${count}, ${'word '.repeat(60)}`);

    await reader.getByRole('button', { name: 'Sam Okoro' }).getByText('70 unread').waitFor({ state: 'attached' });
    await reader.getByRole('button', { name: 'Sam Okoro' }).click();
    await reader
      .getByText(/^new 70,/)
      .last()
      .waitFor();
    const jump = reader.getByRole('button', { name: '70 new messages' });
    await jump.waitFor();
    await expectAccessible(reader);
    await jump.click();
    const first = message(reader, 'new 1,');
    await expect.poll(() => first.isVisible()).toBe(true);
    const divider = reader.locator('.atrium-new');
    expect(await reader.getByRole('article').filter({ has: divider }).textContent()).toContain('new 1,');
    await expect
      .poll(() =>
        first.evaluate(
          (element) => element.getBoundingClientRect().top > 60 && element.getBoundingClientRect().top < 700,
        ),
      )
      .toBe(true);
    await jump.waitFor({ state: 'detached' });

    await send(sam, dialogId, 'just now');
    const latest = reader.getByRole('button', { name: 'Jump to the latest message, 1 new message' });
    await latest.click();
    await message(reader, 'just now').waitFor();
    await reader.getByRole('button', { name: /Jump to the latest/ }).waitFor({ state: 'detached' });
    await reader.context().close();
  });

  test('a search finds dialogs, also those that are not loaded, and people; empty lists explain themselves', async () => {
    const page = await signUp('Zoe Marsh');
    await page.getByText('Find people by their name, and write the first message.').waitFor();
    await page.getByText('Press New conversation and choose one person').waitFor();
    await expectAccessible(page);
    await signUp('Quentin Vale').then((other) => other.context().close());
    const own = await userNamed('Zoe Marsh');
    for (let count = 1; count <= 32; count++) await createDialog(onBehalfOf(own), [own], 'GROUP', `Project ${count}`);
    await page.getByRole('button', { name: 'Project 32' }).waitFor();
    const search = page.getByLabel('Search conversations and people');
    await search.fill('project 1');
    await page.getByRole('button', { name: /^Project 1 / }).click();
    await page.getByRole('heading', { name: 'Project 1', exact: true }).waitFor();
    await search.fill('quen');
    await page.getByText('No conversation has this name').waitFor();
    await page.getByRole('region', { name: 'People' }).getByRole('button', { name: 'Quentin Vale' }).click();
    await page.getByRole('heading', { name: 'Quentin Vale' }).waitFor();
    await page.context().close();
  });
});

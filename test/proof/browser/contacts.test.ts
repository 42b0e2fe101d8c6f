import { resolve } from 'node:path';
import { build } from 'esbuild';
import type { BrowserContextOptions } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { APPLICATION, running, useApp } from '../../support/app/app.ts';
import { bundle } from '../../support/app/bundle.ts';
import { expectAccessible, hasBrowser, openPage, PHONE, useBrowser } from '../../support/clients/browser.ts';
import { createDialog, errorOf, execute } from '../../support/fixtures/chat.ts';
import { apiKey, createUser, type TestUser } from '../../support/fixtures/users.ts';

const STYLES = resolve(import.meta.dirname, '../../../packages/chat-ui/src/styles.css');
const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 800 } };

const pageOf = ({ login, password }: TestUser, dialogId: string) => `
  import { createAtrium } from '@atrium/client';
  import { Contacts, DialogProfile } from '@atrium/chat-ui';
  import { AtriumProvider, useDialogs } from '@atrium/react';
  import { createRoot } from 'react-dom/client';
  const atrium = createAtrium({ url: location.origin, applicationId: ${APPLICATION.id} });
  const Profile = () => {
    const { dialogs } = useDialogs();
    return dialogs.some(({ id }) => id === '${dialogId}') && <DialogProfile dialogId="${dialogId}" onClose={() => {}} />;
  };
  const App = () => (
    <AtriumProvider atrium={atrium}>
      <main><h1>People</h1><Contacts onSelect={(id) => { globalThis.selected = id; }} /></main>
      {location.hash === '#profile' && <Profile />}
    </AtriumProvider>
  );
  atrium.session.signIn({ login: '${login}', password: '${password}' }).then(() =>
    createRoot(document.getElementById('root')).render(<App />));`;

describe.skipIf(!hasBrowser)('contacts and blocks in the chat components', () => {
  useApp();
  useBrowser();
  beforeAll(() => execute('mutation { updateApplication(input: { publicSignIn: true }) { id } }', {}, apiKey));

  async function open(user: TestUser, dialogId: string, options: BrowserContextOptions, hash = '') {
    const { page } = await openPage(`${running.url}/healthz${hash}`, options);
    const styles = await build({ entryPoints: [STYLES], bundle: true, write: false });
    await page.setContent('<!doctype html><html lang="en"><title>People</title><div id="root"></div></html>');
    await page.addStyleTag({ content: `${styles.outputFiles[0]!.text} :root { color-scheme: light dark }` });
    await page.addScriptTag({ content: await bundle(pageOf(user, dialogId), 'browser') });
    return page;
  }

  test.each([
    ['on a desktop, light', DESKTOP],
    ['on a phone, dark', PHONE],
  ] as const)('requests are accepted and declined, and contacts removed: %s', async (name, options) => {
    const [alice, bob, carol] = [
      await createUser({ full_name: 'Alice Berg' }),
      await createUser({ full_name: 'Bob Falk' }),
      await createUser({ full_name: 'Carol Lund' }),
    ];
    const request = 'mutation ($id: Int!) { requestContact(userId: $id) { userId } }';
    for (const user of [bob, carol]) await execute(request, { id: alice.id }, user);
    const page = await open(alice, '', options);
    const requests = page.getByRole('list', { name: 'Contact requests' }).getByRole('listitem');
    const contacts = page.getByRole('list', { name: 'Contacts', exact: true }).getByRole('listitem');
    await requests.filter({ hasText: 'Carol Lund' }).waitFor();
    await expectAccessible(page);
    const folder = process.env.SCREENSHOTS;
    if (folder) await page.screenshot({ path: `${folder}/contacts-${name.replaceAll(/\W+/g, '-')}.png` });
    await requests.filter({ hasText: 'Bob Falk' }).getByRole('button', { name: 'Accept' }).click();
    await requests.filter({ hasText: 'Carol Lund' }).getByRole('button', { name: 'Decline' }).click();
    await contacts.filter({ hasText: 'Bob Falk' }).getByText('Asked, no answer yet').waitFor();
    await expect.poll(() => requests.count()).toBe(0);
    await execute('mutation ($id: Int!) { acceptContact(userId: $id) { userId } }', { id: alice.id }, bob);
    await contacts.getByText('Asked, no answer yet').waitFor({ state: 'detached' });
    await expectAccessible(page);
    await contacts.getByRole('button', { name: 'Bob Falk' }).click();
    expect(await page.evaluate('selected')).toBe(bob.id);
    await contacts.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No contacts yet').waitFor();
    const { chatContacts } = await execute('{ chatContacts { userId } }', {}, bob);
    expect(chatContacts).toEqual([]);
    await page.context().close();
  });

  test('the profile of a private dialog blocks the other user and ends that', async () => {
    const [alice, bob] = [await createUser({ full_name: 'Ann Dahl' }), await createUser({ full_name: 'Ben Krog' })];
    const dialogId = await createDialog(alice, [bob], 'PRIVATE');
    const page = await open(alice, dialogId, PHONE, '#profile');
    await page.getByRole('button', { name: /^Block/ }).click();
    await page.getByRole('button', { name: /^Unblock/ }).waitFor();
    const send = 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { id } }';
    const input = { recipientId: alice.id, text: 'hi' };
    expect((await errorOf(send, { input }, bob)).code).toBe('FORBIDDEN');
    await expectAccessible(page);
    await page.getByRole('button', { name: /^Unblock/ }).click();
    await page.getByRole('button', { name: /^Block/ }).waitFor();
    await execute(send, { input }, bob);
    await page.context().close();
  });
});

import { beforeAll, describe, expect, test } from 'vitest';
import { db } from '../../../../src/db/client.ts';
import { APPLICATION, running, useApp } from '../../../support/app/app.ts';
import { hasBrowser, openPage, useBrowser } from '../../../support/clients/browser.ts';
import { APP, openAs, owner, stateReason } from '../../../support/clients/console.ts';
import type { TestAdministrator } from '../../../support/fixtures/administrators.ts';
import { storeBlob } from '../../../support/fixtures/blobs.ts';
import { createDialog, execute, send } from '../../../support/fixtures/chat.ts';
import { created } from '../../../support/fixtures/chat-cast.ts';
import { sendEvent } from '../../../support/fixtures/pushes.ts';
import { defineClass } from '../../../support/fixtures/typed-classes.ts';
import { apiKey, createUser, type TestUser } from '../../../support/fixtures/users.ts';

/** Leaves a mark in the page, and in the storage of its origin. */
const SCRIPT = 'window.hacked=1;localStorage.setItem(`hacked`,1)';
const ATTACK = `"'><img src=x onerror="${SCRIPT}"><script>${SCRIPT}</script><a href="javascript:${SCRIPT}">x</a>`;
const LINK = `javascript:${SCRIPT}`;

describe.skipIf(!hasBrowser)('texts that users write', () => {
  useApp();
  useBrowser();
  let administrator: TestAdministrator;
  let mallory: TestUser;
  let pages: [path: string, text: string][];
  let dialogId: string;
  const files: { id: number; uid: string }[] = [];

  beforeAll(async () => {
    administrator = await owner();
    await db.administrator.update({ where: { id: administrator.id }, data: { name: ATTACK } });
    await db.application.update({ where: { id: APPLICATION.id }, data: { name: ATTACK } });
    mallory = await createUser();
    const input = { fullName: ATTACK, website: LINK, customData: ATTACK };
    const update = 'mutation ($id: Int!, $i: UpdateUserInput!) { updateUser(id: $id, input: $i) { id } }';
    await execute(update, { id: mallory.id, i: input }, mallory);
    dialogId = await createDialog(mallory, [await createUser()], 'GROUP', ATTACK.slice(0, 200));
    const message = await created('/chat/Message', { chat_dialog_id: dialogId, message: ATTACK }, mallory);
    const attachments = [{ type: 'image', url: LINK, name: ATTACK }];
    // The service refuses such an address, but an import from another server can store it.
    await db.message.updateMany({ where: { applicationId: APPLICATION.id, id: message._id }, data: { attachments } });
    await created(`/chat/Message/${message._id}/reactions`, { name: '<b>like</b>' }, mallory).catch(() => {});
    await defineClass('Note', { text: 'String', tags: '[String]' });
    const create = 'mutation ($f: JSON) { createRecord(input: { className: "Note", fields: $f }) { id } }';
    await execute(create, { f: { text: ATTACK, tags: [ATTACK, LINK] } }, mallory);
    const name = `${ATTACK.slice(0, 80)}.html`;
    for (const [content_type, content] of [
      ['text/html', `<!doctype html><script>${SCRIPT}</script>`],
      ['image/svg+xml', `<svg xmlns="http://www.w3.org/2000/svg"><script>${SCRIPT}</script></svg>`],
    ]) {
      files.push(await storeBlob(mallory, content, { name, content_type, public: true }));
    }
    const push = { notification_type: 'push', push_type: 'gcm', message: Buffer.from(ATTACK).toString('base64') };
    const eventId = await sendEvent({ ...push, name: ATTACK.slice(0, 60), user: { ids: `${mallory.id}` } });
    const key = 'mutation ($n: String!) { createApiKey(name: $n) { key } }';
    await execute(key, { n: ATTACK }, apiKey);
    pages = [
      ['/console', 'onerror'],
      ['/console/profile', 'Authenticator app'],
      ['/console/administrators', 'onerror'],
      [`${APP}/overview`, 'Messages per hour'],
      [`${APP}/users`, 'onerror'],
      [`${APP}/users/${mallory.id}`, 'onerror'],
      [`${APP}/data/Note`, 'onerror'],
      [`${APP}/dialogs`, 'onerror'],
      [`${APP}/dialogs/${dialogId}`, 'onerror'],
      [`${APP}/live`, 'onerror'],
      [`${APP}/files`, '.html'],
      ...files.map(({ id }): [string, string] => [`${APP}/files?file=${id}`, `File ${id}`]),
      [`${APP}/pushes`, 'img src'],
      [`${APP}/pushes/${eventId}`, 'onerror'],
      [`${APP}/keys`, 'onerror'],
      [`${APP}/audit`, 'Created'],
      [`${APP}/settings`, 'Secrets and deletion'],
    ];
  });

  test('are never executed on a page of the console', async () => {
    const { page, problems } = await openAs(administrator, `${APP}/live`);
    await stateReason(page);
    for (const [path, text] of pages) {
      await page.goto('about:blank');
      await page.goto(running.url + path);
      if (path.endsWith('/live')) {
        await page.getByText('Waiting for events').waitFor();
        await send(mallory, dialogId, ATTACK);
      }
      // The name of the application, in the navigation, is such a text too.
      await page.locator('main, [role=dialog]').getByText(text).first().waitFor();
      const links = await page.locator('a[href^="javascript:"]').count();
      const isHacked = await page.evaluate('window.hacked ?? localStorage.getItem("hacked")');
      expect([path, links, isHacked, problems]).toEqual([path, 0, null, []]);
    }
  });

  test('are never executed when an uploaded file is opened at the address of the service', async () => {
    const { page } = await openPage(`${running.url}/favicon.svg`);
    for (const { uid } of files) {
      // A download interrupts the navigation.
      await page.goto(`${running.url}/blobs/${uid}`).catch(() => {});
      await page.goto(`${running.url}/console/sign-in`);
      expect(await page.evaluate('localStorage.getItem("hacked")')).toBe(null);
    }
  });
});

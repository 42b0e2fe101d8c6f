import { describe, expect, test } from 'vitest';
import { db } from '../../../../src/db/client.ts';
import { running, useApp } from '../../../support/app/app.ts';
import { expectAccessible, hasBrowser, useBrowser } from '../../../support/clients/browser.ts';
import { APP, openAs, owner, stateReason } from '../../../support/clients/console.ts';
import { graphql } from '../../../support/clients/graphql.ts';
import { signedInAdministrator } from '../../../support/fixtures/administrators.ts';
import { storeBlob } from '../../../support/fixtures/blobs.ts';
import { sentEvent, subscribeDevice } from '../../../support/fixtures/pushes.ts';
import { picture, storeInRecord } from '../../../support/fixtures/record-images.ts';
import { apiKey, createUsers } from '../../../support/fixtures/users.ts';

describe.skipIf(!hasBrowser)('files and pushes in the console', () => {
  useApp();
  useBrowser();

  test('images of records are shown in the grid once they are visible, and other files are not', async () => {
    const fields = [{ name: 'photo', type: 'FILE' }];
    const define = 'mutation ($input: CreateClassInput!) { createClass(input: $input) { name } }';
    await graphql(define, { input: { name: 'Sight', fields } }, apiKey);
    const create = 'mutation ($r: [NewRecordInput!]!) { createRecords(className: "Sight", records: $r) { id } }';
    const { data } = await graphql(create, { r: Array.from({ length: 40 }, () => ({ fields: {} })) }, apiKey);
    const ids: string[] = data.createRecords.map(({ id }: { id: string }) => id);
    const store = (id: string, name: string, type?: string) =>
      storeInRecord({ className: 'Sight', id, fieldName: 'photo' }, picture([180, 90, 40]), name, type);
    await store(ids[0]!, 'tower.png');
    await store(ids[1]!, 'plan.svg', 'image/svg+xml');
    await store(ids.at(-1)!, 'bridge.png');
    const { page, problems } = await openAs(await signedInAdministrator('developer'), `${APP}/data/Sight`);
    const image = page.getByAltText('tower.png');
    await expect
      .poll(() => image.evaluate((one) => (one as unknown as { naturalWidth: number }).naturalWidth))
      .toBe(64);
    await page.getByRole('gridcell', { name: 'photo: plan.svg' }).waitFor();
    expect(await page.locator('.thumbnail').count()).toBe(1);
    await page.getByRole('gridcell', { name: 'photo: tower.png' }).click();
    await page.keyboard.press('Control+End');
    await page.getByAltText('bridge.png').waitFor();
    await expectAccessible(page);
    expect(problems).toEqual([]);
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
    await stateReason(page);
    const preview = page.getByRole('img', { name: 'pixel.png' });
    await expect.poll(() => preview.getAttribute('src')).toContain('ticket=');
    const width = () => preview.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth);
    await expect.poll(width).toBe(1);
    expect(await db.blob.findFirstOrThrow({ where: { id } })).toMatchObject({ isPublic: false });
    await page.getByRole('button', { name: 'Delete file' }).click();
    await page.getByLabel('Delete file').getByRole('button', { name: 'Delete file' }).click();
    await page.getByText('File deleted').waitFor();
    expect(await db.blob.count({ where: { id } })).toBe(0);
    expect(problems).toEqual([]);
  });

  test('the list of files shows small images as the role of the administrator allows', async () => {
    const [alice] = await createUsers(1);
    const type = { content_type: 'image/png' };
    await storeBlob(alice!, picture([180, 90, 40]), { ...type, name: 'open.png', public: true });
    await storeBlob(alice!, picture([40, 90, 180]), { ...type, name: 'private.png' });
    await storeBlob(alice!, '<svg xmlns="http://www.w3.org/2000/svg"/>', {
      name: 'a.svg',
      content_type: 'image/svg+xml',
    });
    const shown = async (role: 'developer' | 'support', count: number) => {
      const { page, problems } = await openAs(await signedInAdministrator(role), `${APP}/files?user=${alice!.id}`);
      if (role === 'support') await stateReason(page);
      const images = page.locator('img.thumbnail');
      await expect.poll(() => images.count()).toBe(count);
      const width = (one: Element) => (one as unknown as { naturalWidth: number }).naturalWidth;
      for (const image of await images.all()) await expect.poll(() => image.evaluate(width)).toBe(64);
      await expectAccessible(page);
      expect(problems).toEqual([]);
    };
    await shown('developer', 1);
    await shown('support', 2);
  });

  test('a list is filtered by a user who is found by name, until the list is opened from the navigation', async () => {
    const [alice, ben] = await createUsers(2);
    await db.user.updateMany({ where: { id: alice!.id }, data: { fullName: 'Alice Finder' } });
    await storeBlob(alice!, Buffer.from('a'), { name: 'of-alice.txt' });
    await storeBlob(ben!, Buffer.from('b'), { name: 'of-ben.txt' });
    const { page } = await openAs(await owner(), `${APP}/files`);
    await stateReason(page);
    const filter = page.getByRole('combobox', { name: 'Owner' });
    await filter.fill('alice find');
    await page.getByRole('option', { name: 'Alice Finder' }).click();
    await page.waitForURL(`**/files?user=${alice!.id}`);
    await page.getByRole('link', { name: 'of-ben.txt' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'of-alice.txt' }).waitFor();
    expect(await filter.inputValue()).toBe('Alice Finder');

    await page.getByRole('navigation').getByRole('link', { name: 'Files' }).click();
    await page.getByRole('link', { name: 'of-ben.txt' }).waitFor();
    await expect.poll(() => filter.inputValue()).toBe('');
  });

  test('a push is created, and the answer of its provider is shown per device', async () => {
    const [alice] = await createUsers(1);
    const subscription = await subscribeDevice(alice!, 'gcm', { client_identification_sequence: 'token' });
    const { page } = await openAs(await owner(), `${APP}/pushes`);
    await page.getByRole('button', { name: 'Create push' }).click();
    const form = page.getByRole('dialog');
    await form.getByRole('textbox', { name: 'Message' }).fill('Grüße & more');
    await form.getByRole('combobox', { name: 'Users' }).fill(alice!.login!);
    await page.getByRole('option', { name: alice!.login! }).click();
    await form.getByRole('button', { name: `Remove ${alice!.login}` }).waitFor();
    await form.getByRole('combobox', { name: 'Environment' }).click();
    await page.getByRole('option', { name: 'Development' }).click();
    await form.getByRole('combobox', { name: 'Channel' }).click();
    await page.getByRole('option', { name: 'Firebase' }).click();
    await form.getByRole('textbox', { name: 'Name' }).fill('News');
    await form.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('link', { name: 'News' }).waitFor();
    const { id } = await db.event.findFirstOrThrow({ where: { name: 'News' } });
    await page.getByRole('button', { name: `Open push ${id}` }).click();
    await page.getByText('Grüße & more').waitFor();
    await sentEvent(id);
    await page.reload();
    await page.getByRole('table', { name: 'Sends' }).getByRole('link').click();
    await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
    await page.getByText(`Subscription ${subscription}`).waitFor();
    await expectAccessible(page);

    const reason = 'fcm is not set up for development';
    await page.goto(`${running.url}${APP}/pushes?failed=1`);
    await page.getByRole('link', { name: `Push ${id}` }).waitFor();
    await page.getByRole('link', { name: alice!.login! }).click();
    await page.getByRole('table', { name: 'Push log' }).getByText(reason, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Show devices' }).click();
    await page.getByText(`: ${reason}`).waitFor();
    await page.getByRole('link', { name: 'Set up the provider' }).click();
    await page.getByRole('button', { name: 'Set up Google (FCM)' }).first().waitFor();
  });
});

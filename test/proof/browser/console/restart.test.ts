import { describe, expect, onTestFinished, test } from 'vitest';
import { createDataDir, type Service, startService } from '../../../support/app/service.ts';
import { hasBrowser, openPage, useBrowser } from '../../../support/clients/browser.ts';
import { stateReason } from '../../../support/clients/console.ts';
import { PASSWORD } from '../../../support/fixtures/administrators.ts';

const SECRETS = {
  BOOTSTRAP_APPLICATION_ID: '1',
  BOOTSTRAP_AUTH_KEY: 'auth-key',
  BOOTSTRAP_AUTH_SECRET: 'auth-secret',
  BOOTSTRAP_API_KEY: 'api-key',
};

/** Calls REST as a user, with the API key. */
async function post({ url }: Service, path: string, body: object, userId?: number) {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: {
      Authorization: 'ApiKey api-key',
      'Content-Type': 'application/json',
      ...(userId !== undefined && { 'On-Behalf-Of': String(userId) }),
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json() as Promise<Record<string, unknown>>;
}

describe.skipIf(!hasBrowser)('the console while the service restarts', () => {
  useBrowser();

  test('resumes a dialog and the live events without missing or repeating one', async () => {
    const { dataDir, remove } = await createDataDir();
    onTestFinished(remove);
    let service = await startService(dataDir, SECRETS);
    onTestFinished(async () => {
      await service.stop();
    });
    const { page } = await openPage(/http\S+\/welcome#\S+/.exec(service.output())![0]);
    await page.getByLabel('Email address').fill('ada@example.com');
    await page.getByLabel('Name').fill('Ada');
    await page.locator('input[type=password]').fill(PASSWORD);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Applications' }).waitFor();
    for (const login of ['alice', 'bob'])
      await post(service, '/users.json', { user: { login, password: PASSWORD.slice(0, 12).replaceAll(' ', '-') } });
    const send = (text: string) => post(service, '/chat/Message.json', { recipient_id: 2, message: text }, 1);
    const { chat_dialog_id: dialogId } = await send('first');

    await page.goto(`${service.url}/console/apps/1/dialogs/${dialogId}`);
    await stateReason(page);
    await page.getByText('first', { exact: true }).waitFor();
    const live = await page.context().newPage();
    await live.goto(`${service.url}/console/apps/1/live`);
    await stateReason(live);
    await live.getByText('Waiting for events').waitFor();
    await send('before the restart');
    for (const one of [page, live]) await one.getByText('before the restart').waitFor();

    const { port } = new URL(service.url);
    await service.stop();
    service = await startService(dataDir, { ...SECRETS, PORT: port });
    await send('after the restart');
    for (const one of [page, live]) {
      await one.getByText('after the restart').waitFor();
      for (const text of ['before the restart', 'after the restart'])
        expect(await one.getByRole('listitem').filter({ hasText: text }).count()).toBe(1);
    }
    await page.getByText('New messages appear here live').waitFor();
  });
});

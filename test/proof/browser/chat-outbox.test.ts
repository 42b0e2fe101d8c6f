import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { APPLICATION, running, useApp } from '../../support/app/app.ts';
import { useChatExample } from '../../support/app/chat-example.ts';
import { createDataDir, startService } from '../../support/app/service.ts';
import { sql } from '../../support/app/sql.ts';
import { hasBrowser, useBrowser } from '../../support/clients/browser.ts';
import { message, signUp, startDialog, write } from '../../support/clients/chat-example.ts';
import { execute } from '../../support/fixtures/chat.ts';
import { apiKey } from '../../support/fixtures/users.ts';

const PERMIT = 'mutation { updateApplication(input: { publicSignIn: true }) { id } }';
const SENT = /^(Sent|Read)$/;

describe.skipIf(!hasBrowser)('the outbox of the chat example', () => {
  useApp();
  useBrowser();
  const example = useChatExample();

  beforeAll(() => execute(PERMIT, {}, apiKey));

  function disconnect(): void {
    example.network.target = 'http://127.0.0.1:1';
    example.network.cut();
  }

  test('two tabs send what each wrote offline once, also after the tab that wrote it was closed', async () => {
    const rosa = await signUp(example, 'Rosa Lindgren');
    const emil = await signUp(example, 'Emil Novak');
    await startDialog(rosa, 'Emil Novak');
    await write(rosa, 'hello');
    await emil.getByRole('button', { name: 'Rosa Lindgren' }).click();
    await message(emil, 'hello').waitFor();
    const second = await rosa.context().newPage();
    const third = await rosa.context().newPage();
    for (const tab of [second, third]) {
      await tab.goto(rosa.url());
      await message(tab, 'hello').waitFor();
    }

    disconnect();
    for (const tab of [rosa, second, third]) await tab.getByText('You are offline').waitFor();
    const written = ['from the first tab', 'from the second tab', 'from the tab that is closed'];
    for (const [nth, tab] of [rosa, second, third].entries()) {
      await write(tab, written[nth]!);
      await message(tab, written[nth]!).getByText('Sending').waitFor({ state: 'attached' });
    }
    await third.close();

    example.network.target = running.url;
    for (const text of written) {
      await message(emil, text).waitFor();
      for (const tab of [rosa, second]) await message(tab, text).getByText(SENT).waitFor({ state: 'attached' });
    }
    const rows = await sql<{ text: string }>("SELECT text FROM messages WHERE text LIKE 'from the %' ORDER BY text");
    expect(rows.map(({ text }) => text)).toEqual(written.toSorted());
    await rosa.context().close();
    await emil.context().close();
  });

  test('messages written while the service is killed and restarted arrive in order, once', async () => {
    const { dataDir, remove } = await createDataDir();
    onTestFinished(remove);
    const settings = {
      BOOTSTRAP_APPLICATION_ID: String(APPLICATION.id),
      BOOTSTRAP_AUTH_KEY: 'auth-key',
      BOOTSTRAP_AUTH_SECRET: 'auth-secret',
      BOOTSTRAP_API_KEY: 'api-key',
    };
    let service = await startService(dataDir, settings);
    onTestFinished(async () => {
      example.network.target = running.url;
      await service.stop();
    });
    const graphql = (query: string) =>
      fetch(`${service.url}/graphql`, {
        method: 'POST',
        headers: { Authorization: 'ApiKey api-key', 'Content-Type': 'application/json' },
        body: JSON.stringify({ query }),
      }).then((response) => response.json() as Promise<{ data: Record<string, unknown> }>);
    expect((await graphql(PERMIT)).data.updateApplication).toBeTruthy();
    example.network.target = service.url;
    example.network.cut();

    const nadia = await signUp(example, 'Nadia Persson');
    const hugo = await signUp(example, 'Hugo Brandt');
    await startDialog(nadia, 'Hugo Brandt');
    await write(nadia, 'number 0');
    await hugo.getByRole('button', { name: 'Nadia Persson' }).click();
    await message(hugo, 'number 0').waitFor();

    for (const text of ['number 1', 'number 2']) await write(nadia, text);
    await service.kill();
    for (const text of ['number 3', 'number 4']) await write(nadia, text);
    service = await startService(dataDir, { ...settings, PORT: new URL(service.url).port });
    await write(nadia, 'number 5');

    await message(hugo, 'number 5').waitFor();
    const texts = ['number 0', 'number 1', 'number 2', 'number 3', 'number 4', 'number 5'];
    for (const text of texts) await message(nadia, text).getByText(SENT).waitFor({ state: 'attached' });
    for (const page of [nadia, hugo]) {
      const shown = await page.getByRole('article').allInnerTexts();
      expect(shown.map((text) => /number \d/.exec(text)?.[0])).toEqual(texts);
    }
    await nadia.context().close();
    await hugo.context().close();
  });
});

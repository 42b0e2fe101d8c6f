import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { APPLICATION, running, useApp } from '../../support/app/app.ts';
import { bundle } from '../../support/app/bundle.ts';
import { freePort } from '../../support/app/redis.ts';
import { createDataDir, type Service, startService } from '../../support/app/service.ts';
import { until } from '../../support/app/until.ts';
import { hasBrowser, openPage, useBrowser } from '../../support/clients/browser.ts';
import { CHAT_DOMAIN, jidOf, roomOf } from '../../support/clients/xmpp.ts';
import { createDialog } from '../../support/fixtures/chat.ts';
import { createUsers, type TestUser } from '../../support/fixtures/users.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

/** Name, attributes and content of an element. */
type Spec = [name: string, attributes: Record<string, string>, ...content: (Spec | string)[]];

/** Both clients use the library for the standards. */
const CLIENT = `
  import { client, xml } from '@xmpp/client';
  const element = ([name, attributes, ...content]) =>
    xml(name, attributes, ...content.map((one) => (typeof one === 'string' ? one : element(one))));
  export async function start(options, onStanza) {
    const chat = client(options);
    chat.on('error', (error) => onStanza('error ' + error));
    chat.on('stanza', (stanza) => onStanza(String(stanza)));
    await chat.start();
    return (spec) => chat.send(element(spec));
  }`;

type Start = (options: object, onStanza: (stanza: string) => void) => Promise<unknown>;

interface Chat {
  send: (spec: Spec) => Promise<unknown>;
  /** Waits for a stanza with all texts. */
  find: (...texts: string[]) => Promise<unknown>;
}

const MARKERS = 'urn:xmpp:chat-markers:0';
const STATES = 'http://jabber.org/protocol/chatstates';
const SAVED: Spec = ['extraParams', { xmlns: 'jabber:client' }, ['save_to_history', {}, '1']];
const join = (dialogId: string, { id }: TestUser): Spec => [
  'presence',
  { to: roomOf(dialogId, id), id: 'join' },
  ['x', { xmlns: 'http://jabber.org/protocol/muc' }],
];

describe.skipIf(!hasBrowser)('legacy chat of a page and a Node.js process', () => {
  useApp();
  useBrowser();
  const services: Service[] = [];
  let tcpPort: number;
  let folder: Awaited<ReturnType<typeof createDataDir>>;

  beforeAll(async () => {
    folder = await createDataDir();
    tcpPort = await freePort();
    const settings = { DATABASE_URL: String(running.database.config.connectionString), CHAT_DOMAIN };
    services.push(await startService(folder.dataDir, settings));
    services.push(await startService(folder.dataDir, { ...settings, XMPP_PORT: String(tcpPort) }));
  });
  afterAll(async () => {
    for (const service of services) await service.stop();
    await folder.remove();
  });

  const optionsOf = ({ id, password }: TestUser, service: string) => ({
    ...{ service, domain: CHAT_DOMAIN, resource: 'client' },
    ...{ username: `${id}-${APPLICATION.id}`, password },
  });

  async function startInPage(user: TestUser): Promise<Chat> {
    const { url } = services[0]!;
    const { page } = await openPage(`${url}/healthz`);
    onTestFinished(() => page.context().close());
    const script = `${CLIENT.replace('export ', '')}; Object.assign(window, { start, received: [] });`;
    await page.addScriptTag({ content: await bundle(script, 'browser') });
    await page.evaluate(
      async (options) => {
        const own = window as unknown as { start: Start; received: string[]; send: unknown };
        own.send = await own.start(options, (stanza: string) => own.received.push(stanza));
      },
      optionsOf(user, `${url.replace('http', 'ws')}/xmpp`),
    );
    return {
      send: (spec) =>
        page.evaluate(
          (sent) => (window as unknown as { send: (spec: unknown) => Promise<unknown> }).send(sent),
          spec as unknown[],
        ),
      find: (...texts) => foundIn(page, texts),
    };
  }

  async function startInProcess(user: TestUser): Promise<Chat & { child: ChildProcess }> {
    const code = `${CLIENT.replace('export ', '')}
      import { createInterface } from 'node:readline';
      const send = await start(JSON.parse(process.argv[1]), (stanza) => console.log(stanza));
      console.log('<started/>');
      createInterface({ input: process.stdin }).on('line', (line) => send(JSON.parse(line)));`;
    const options = JSON.stringify(optionsOf(user, `xmpp://127.0.0.1:${tcpPort}`));
    const child = spawn(process.execPath, ['--input-type=module', '--eval', code, options], {
      cwd: ROOT,
      // The certificate is self-signed.
      env: { ...process.env, NODE_TLS_REJECT_UNAUTHORIZED: '0' },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill());
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    const find = (...texts: string[]) =>
      until(() => output.split('\n').some((stanza) => texts.every((text) => stanza.includes(text))));
    await find('<started/>');
    return { child, find, send: async (spec) => child.stdin.write(`${JSON.stringify(spec)}\n`) };
  }

  test('they chat through two processes of the service', async () => {
    const [alice, bob] = await createUsers(2);
    const dialogId = await createDialog(alice, [bob]);
    const [page, node] = [await startInPage(alice), await startInProcess(bob)];
    for (const chat of [page, node]) await chat.send(['presence', {}]);

    await page.send(['presence', { to: jidOf(bob), type: 'subscribe' }]);
    await node.find('type="subscribe"', `from="${jidOf(alice)}"`);
    for (const type of ['subscribed', 'subscribe']) await node.send(['presence', { to: jidOf(alice), type }]);
    await page.find('type="subscribed"', `from="${jidOf(bob)}"`);
    await page.find('type="subscribe"', `from="${jidOf(bob)}"`);
    await page.send(['presence', { to: jidOf(bob), type: 'subscribed' }]);
    await page.find('<presence', `from="${jidOf(bob)}" to="${jidOf(alice)}"/>`);
    await node.find('<presence', `from="${jidOf(alice)}" to="${jidOf(bob)}"/>`);

    const id = '6560a1b2c3d4e5f601234567';
    await page.send(['message', { to: jidOf(bob), type: 'chat' }, ['composing', { xmlns: STATES }]]);
    await page.send(['message', { to: jidOf(bob), type: 'chat', id }, ['body', {}, 'from the page'], SAVED]);
    await node.find('<body>from the page</body>', `<message_id>${id}</message_id>`, '<markable');
    await node.send(['message', { to: jidOf(alice), type: 'chat', id: 'm' }, ['displayed', { xmlns: MARKERS, id }]]);
    await page.find('<displayed', `id="${id}"`, `from="${jidOf(bob)}/client"`);
    await node.send(['message', { to: jidOf(alice), type: 'chat' }, ['body', {}, 'from the process'], SAVED]);
    await page.find('<body>from the process</body>');
    await createDialog(alice, [bob], 'PRIVATE');
    for (const state of ['composing', 'paused']) {
      await node.send(['message', { to: jidOf(alice), type: 'chat' }, [state, { xmlns: STATES }]]);
      await page.find(`<${state}`, `from="${jidOf(bob)}/client"`);
    }

    await page.send(join(dialogId, alice));
    await page.find('code="110"');
    await node.send(join(dialogId, bob));
    await node.find(`from="${roomOf(dialogId, alice.id)}"`, 'role="participant"');
    await page.find(`from="${roomOf(dialogId, bob.id)}"`, 'role="participant"');
    await page.send(['message', { to: roomOf(dialogId), type: 'groupchat' }, ['body', {}, 'to the room'], SAVED]);
    for (const chat of [page, node])
      await chat.find('<body>to the room</body>', `from="${roomOf(dialogId, alice.id)}"`);

    node.child.kill('SIGKILL');
    await page.find('type="unavailable"', `from="${roomOf(dialogId, bob.id)}"`);
    await page.find('type="unavailable"', `from="${jidOf(bob)}"`);
    expect(services.map((service) => service.output()).join('')).not.toContain('"level":50');
  });
});

function foundIn(page: Page, texts: string[]): Promise<unknown> {
  return page.waitForFunction(
    (wanted) =>
      (window as unknown as { received: string[] }).received.some((stanza) =>
        wanted.every((text) => stanza.includes(text)),
      ),
    texts,
  );
}

import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { cli, cliJson } from '../../support/app/cli.ts';
import { createDataDir, type Service, startService } from '../../support/app/service.ts';
import { authOf, ChatSocket, closeStreams, FRAMING } from '../../support/clients/xmpp.ts';
import { API_KEY, rest } from '../../support/fixtures/legacy-data.ts';

const PASSWORD = 'password-1';
const LOGINS = ['alice', 'bob', 'carla', 'dora'] as const;

interface Running {
  service: Service;
  env: { DATA_DIR: string };
  domain: string;
  stop: () => Promise<void>;
}

async function start(domain: string): Promise<Running> {
  const { dataDir, remove } = await createDataDir();
  const service = await startService(dataDir, {
    BOOTSTRAP_APPLICATION_ID: '92',
    BOOTSTRAP_AUTH_KEY: 'AUTHKEY',
    BOOTSTRAP_AUTH_SECRET: 'the-secret',
    BOOTSTRAP_API_KEY: API_KEY,
    CHAT_DOMAIN: domain,
  });
  const stop = async () => {
    expect(await service.stop()).toBe(0);
    await remove();
  };
  return { service, env: { DATA_DIR: dataDir }, domain, stop };
}

let source: Running;
let target: Running;
let ids: Record<(typeof LOGINS)[number], number>;

beforeAll(async () => {
  [source, target] = await Promise.all([start('chat.old.example.org'), start('chat.new.example.org')]);
  const users = [];
  for (const login of LOGINS) {
    const { body } = await rest(source.service.url, 'POST', '/users.json', { user: { login, password: PASSWORD } });
    users.push([login, body.user.id]);
  }
  ids = Object.fromEntries(users);
  await change(source, 'alice', 'requestContact', 'bob');
  await change(source, 'bob', 'acceptContact', 'alice');
  await change(source, 'carla', 'requestContact', 'alice');
  await change(source, 'alice', 'requestContact', 'dora');
  await setList(source, 'alice', 'public', 'carla');
}, 600_000);

afterAll(async () => {
  await closeStreams();
  await Promise.all([source.stop(), target.stop()]);
}, 600_000);

type Login = keyof typeof ids;

async function ask({ service }: Running, as: Login, query: string, variables: object = {}) {
  const { body } = await rest(service.url, 'POST', '/graphql', { query, variables }, ids[as]);
  expect(body.errors).toBeUndefined();
  return body.data;
}

const change = (running: Running, as: Login, operation: string, user: Login) =>
  ask(running, as, `mutation ($id: Int!) { ${operation}(userId: $id) { userId } }`, { id: ids[user] });

const contactsOf = async (running: Running, as: Login) =>
  (await ask(running, as, '{ chatContacts { userId subscription requested pending } }')).chatContacts;

/** Signs in with the id and password, as legacy clients do. */
async function stream({ service, domain }: Running, as: Login): Promise<ChatSocket> {
  const socket = await ChatSocket.open(service);
  const open = `<open xmlns="${FRAMING}" to="${domain}" version="1.0"/>`;
  socket.send(open);
  await socket.find('<mechanism>PLAIN');
  socket.send(authOf(`${ids[as]}-92`, PASSWORD));
  await socket.find('<success');
  socket.send(open);
  await socket.find('<bind');
  socket.send(
    '<iq id="b" type="set"><bind xmlns="urn:ietf:params:xml:ns:xmpp-bind"><resource>test</resource></bind></iq>',
  );
  await socket.find('id="b"');
  return socket;
}

async function answerTo(socket: ChatSocket, type: 'get' | 'set', content: string): Promise<string> {
  socket.send(`<iq id="p" type="${type}"><query xmlns="jabber:iq:privacy">${content}</query></iq>`);
  const answer = await socket.find('id="p"');
  expect(answer).toContain('type="result"');
  return answer;
}

/** A default list that blocks one user. */
async function setList(running: Running, as: Login, name: string, blocked: Login): Promise<void> {
  const socket = await stream(running, as);
  const item = (order: number, value: string) =>
    `<item action="deny" order="${order}" type="jid" value="${value}"><message/></item>`;
  const items = addressesOf(running, blocked).map((value, index) => item(index + 1, value));
  await answerTo(socket, 'set', `<list name="${name}">${items.join('')}</list>`);
  await answerTo(socket, 'set', `<default name="${name}"/>`);
  socket.socket.terminate();
}

const addressesOf = ({ domain }: Running, user: Login) => [`${ids[user]}-92@${domain}`, `muc.${domain}/${ids[user]}`];

/** The names, default first, and the values of the items of one. */
async function listsOf(running: Running, as: Login, name: string) {
  const socket = await stream(running, as);
  const [all, list] = [await answerTo(socket, 'get', ''), await answerTo(socket, 'get', `<list name="${name}"/>`)];
  socket.socket.terminate();
  const valuesOf = (text: string, attribute: string) =>
    [...text.matchAll(new RegExp(` ${attribute}="([^"]+)"`, 'g'))].map(([, value]) => value);
  return { names: valuesOf(all.slice(all.indexOf('<query')), 'name'), values: valuesOf(list, 'value') };
}

async function migrate(chatEndpoint: string, { password = PASSWORD, more = [] as string[], env = target.env } = {}) {
  const { dataDir, remove } = await createDataDir();
  onTestFinished(remove);
  const credentials = join(dataDir, 'credentials.json');
  const users = (['alice', 'bob', 'carla'] as const).map((login) => ({ login, password }));
  await writeFile(credentials, JSON.stringify({ apiKey: API_KEY, users }));
  const command = ['migrate-from', source.service.url, '--application', '92', '--rate', '1000', '--json'];
  return cli(env, ...command, '--credentials', credentials, '--chat-endpoint', chatEndpoint, ...more);
}

const endpoint = () => `${source.service.url.replace('http', 'ws')}/xmpp`;

async function migrated(...more: string[]) {
  const { code, stdout, stderr } = await migrate(endpoint(), { more });
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

test('a dry run counts contacts and privacy lists', async () => {
  expect(await migrated('--dry-run')).toMatchObject({ users: 4, contacts: 4, privacyLists: 1 });
}, 600_000);

test('contacts, open requests and blocks of the users in the credentials are the same as before', async () => {
  expect(await migrated()).toMatchObject({ contactsRead: 4, privacyListsRead: 1 });
  for (const login of ['alice', 'bob', 'carla'] as const)
    expect(await contactsOf(target, login)).toEqual(await contactsOf(source, login));
  const { body } = await rest(
    target.service.url,
    'POST',
    '/chat/Message.json',
    { recipient_id: ids.alice, message: 'Hello' },
    ids.carla,
  );
  expect(body).toEqual({ errors: ["You don't have appropriate permissions to perform this operation"] });
}, 600_000);

test('the lists name addresses of the new server', async () => {
  await rest(target.service.url, 'PUT', `/users/${ids.alice}.json`, { user: { password: PASSWORD } });
  expect(await listsOf(target, 'alice', 'public')).toEqual({
    names: ['public', 'public'],
    values: addressesOf(target, 'carla'),
  });
}, 600_000);

test('a repeated migration adds what is new there, and leaves what was removed or changed here', async () => {
  await change(target, 'alice', 'removeContact', 'bob');
  await setList(target, 'alice', 'public', 'dora');
  await change(source, 'dora', 'acceptContact', 'alice');
  await setList(source, 'alice', 'public', 'bob');
  await setList(source, 'bob', 'second', 'dora');
  expect(await migrated()).toMatchObject({ isRepeated: true, contactsRead: 4, privacyListsRead: 2 });
  const contacts = await contactsOf(target, 'alice');
  expect(contacts).toContainEqual(expect.objectContaining({ userId: ids.dora, subscription: 'TO', requested: false }));
  expect(contacts.map(({ userId }: { userId: number }) => userId)).not.toContain(ids.bob);
  expect(await listsOf(target, 'alice', 'public')).toMatchObject({ values: addressesOf(target, 'dora') });
}, 600_000);

/** A chat of 1,000 contacts in groups, without privacy lists. */
function answerAsLargeChat(socket: WebSocket, domain: string): void {
  const features = '<stream:features xmlns:stream="http://etherx.jabber.org/streams"/>';
  const contact = (_: unknown, nth: number) =>
    `<item jid="${nth + 100}-92@${domain}" subscription="both"><group>friends</group></item>`;
  const roster = `<query xmlns="jabber:iq:roster">${Array.from({ length: 1_000 }, contact).join('')}</query>`;
  socket.on('message', (data) => {
    const frame = String(data);
    const id = / id="([^"]+)"/.exec(frame)?.[1];
    if (frame.startsWith('<open')) socket.send(features);
    else if (frame.startsWith('<auth')) socket.send('<success xmlns="urn:ietf:params:xml:ns:xmpp-sasl"/>');
    else if (frame.includes('jabber:iq:privacy'))
      socket.send(`<iq id="${id}" type="error"><error code="501"><feature-not-implemented/></error></iq>`);
    else if (id) socket.send(`<iq id="${id}" type="result">${frame.includes('jabber:iq:roster') ? roster : ''}</iq>`);
  });
}

test('a chat with many contacts and without privacy lists is read', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  server.on('connection', (socket) => answerAsLargeChat(socket, source.domain));
  const address = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const { code, stdout, stderr } = await migrate(address, { more: ['--dry-run'] });
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ contacts: 3_000, privacyLists: 0 });
}, 600_000);

describe('a chat that refuses or breaks', () => {
  let moved: Awaited<ReturnType<typeof createDataDir>>;
  beforeAll(async () => {
    moved = await createDataDir();
    await cliJson({ DATA_DIR: moved.dataDir }, 'app', 'create', '--name', 'Moved', '--id', '92');
  }, 600_000);
  afterAll(() => moved.remove());

  async function expectRefusal(chatEndpoint: string, reason: string, password?: string) {
    const env = { DATA_DIR: moved.dataDir };
    const answer = await migrate(chatEndpoint, { password, env, more: ['--restart'] });
    expect(answer).toMatchObject({ code: 1, stderr: expect.stringContaining(reason) });
    expect(answer.stderr.trim().split('\n').at(-1)).toContain(reason);
    expect(await cliJson(env, 'user', 'list', '--application', '92')).toEqual([]);
  }

  test('a wrong password ends the migration, which stores nothing', async () => {
    await expectRefusal(endpoint(), `chat of user ${ids.alice}: sign-in refused (not-authorized)`, 'password-2');
  }, 600_000);

  test.each<[string, string, (socket: WebSocket) => void]>([
    ['frames that are no XML', 'document must contain a root element', (socket) => socket.send('<open')],
    [
      'a document type',
      'a document type is not permitted',
      (socket) => socket.send('<!DOCTYPE a [<!ENTITY b "c">]><a/>'),
    ],
    ['10 MB', 'Max payload size exceeded', (socket) => socket.send('x'.repeat(10_000_000))],
    [
      'an endless list of elements',
      'bytes',
      (socket) => {
        for (let count = 0; count < 40; count++) socket.send(`<a>${'x'.repeat(1_000_000)}</a>`);
      },
    ],
    ['nothing but the end', 'the connection was closed', (socket) => socket.close()],
  ])(
    'a chat that sends %s is named in one line',
    async (_what, reason, misbehave) => {
      const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
      await once(server, 'listening');
      onTestFinished(() => void server.close());
      server.on('connection', (socket) => socket.once('message', () => misbehave(socket)));
      await expectRefusal(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/`, reason);
    },
    600_000,
  );

  test('a redirect is not followed', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    server.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 301 Moved\r\nLocation: /elsewhere\r\n\r\n'));
    const { port } = await new Promise<AddressInfo>((resolve) =>
      server.once('listening', () => resolve(server.address() as AddressInfo)),
    );
    await expectRefusal(`ws://127.0.0.1:${port}/`, '301 instead of a WebSocket');
  }, 600_000);

  test('an address without TLS on another machine needs --insecure', async () => {
    await expectRefusal('ws://chat.old.example.org', '--insecure permits ws');
  }, 600_000);
});

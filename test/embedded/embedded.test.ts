import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { createClient } from 'graphql-ws';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { type Atrium, type AtriumOptions, createAtrium } from '../../src/index.ts';
import { createDatabase, type TestDatabase } from '../support/app/database.ts';
import { createDataDir } from '../support/app/service.ts';

const BOOTSTRAP = { applicationId: 7, authKey: 'AUTHKEY', authSecret: 'secret', apiKey: 'KEY' };
const KEY = { Authorization: 'ApiKey KEY' };

let database: TestDatabase;
let dataDir: string;
let atriums: Atrium[];
let servers: Server[];

/** Not started, because its address must be known first. */
async function listen(listener: RequestListener): Promise<{ server: Server; origin: string }> {
  const server = createServer(listener);
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function create(options: AtriumOptions): Atrium {
  const databaseUrl = database.config.connectionString;
  const atrium = createAtrium({ dataDir, databaseUrl, bootstrap: BOOTSTRAP, logLevel: 'silent', ...options });
  atriums.push(atrium);
  return atrium;
}

async function signUp(backend: string, login: string): Promise<number> {
  const body = new URLSearchParams({ 'user[login]': login, 'user[password]': 'correct-horse' });
  const response = await fetch(`${backend}/users.json`, { method: 'POST', headers: KEY, body });
  expect(response.status).toBe(201);
  return (await response.json()).user.id;
}

/** @returns the texts that arrive over the WebSocket */
async function liveTexts(backend: string, texts: string[]): Promise<string[]> {
  const [alice, bob] = [await signUp(backend, 'alice'), await signUp(backend, 'bob')];
  const socket = createClient({
    url: `${backend.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { ...KEY, 'On-Behalf-Of': String(bob) },
  });
  const query = 'subscription { messageSent(since: "0") { message { text } } }';
  const received: string[] = [];
  for (const text of texts) {
    const body = new URLSearchParams({ recipient_id: String(bob), message: text, send_to_chat: '1' });
    const headers = { ...KEY, 'On-Behalf-Of': String(alice) };
    expect((await fetch(`${backend}/chat/Message.json`, { method: 'POST', headers, body })).status).toBe(201);
  }
  for await (const { data } of socket.iterate<{ messageSent: { message: { text: string } } }>({ query })) {
    received.push(data!.messageSent.message.text);
    if (received.length === texts.length) break;
  }
  await socket.dispose();
  return received;
}

describe('createAtrium()', () => {
  beforeEach(async () => {
    [atriums, servers] = [[], []];
    database = await createDatabase();
    const folder = await createDataDir();
    dataDir = folder.dataDir;
    onTestFinished(folder.remove);
  });

  afterEach(async () => {
    for (const atrium of atriums) await atrium.stop();
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
    await database.drop();
  });

  test('serves REST, GraphQL, WebSockets and pages below a path of an Express application', async () => {
    const app = express();
    const { server, origin } = await listen(app);
    const backend = `${origin}/back/end`;
    const atrium = create({ publicUrl: backend, console: true });
    app.use('/back/end', atrium.handler);
    app.use(express.json());
    app.post('/echo', (request, response) => void response.json(request.body));
    server.on('upgrade', (request, socket, head) => {
      if (!atrium.upgrade(request, socket, head)) socket.destroy();
    });
    expect(await atrium.start()).toEqual({ credentials: BOOTSTRAP, consoleUrl: `${backend}/console` });

    expect(await liveTexts(backend, ['Lunch?', 'At one?'])).toEqual(['Lunch?', 'At one?']);
    const echo = await fetch(`${origin}/echo`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"a":1}',
    });
    expect(await echo.json()).toEqual({ a: 1 });
    for (const path of ['/', '/console', '/docs', '/graphql', '/guides']) {
      const page = await fetch(backend + path, { headers: { Accept: 'text/html' } });
      expect([path, page.status, page.headers.get('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8']);
    }
    const query = '{ __typename }';
    const overGet = await fetch(`${backend}/graphql?query=${query}`, { headers: { Accept: 'application/json' } });
    expect(await overGet.json()).toEqual({ data: { __typename: 'Query' } });
    const overStream = await fetch(`${backend}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' },
      body: JSON.stringify({ query }),
    });
    expect(await overStream.text()).toContain('data: {"data":{"__typename":"Query"}}');
    const start = await fetch(`${backend}?x=1`, { headers: { Accept: 'text/html' }, redirect: 'manual' });
    expect([start.status, start.headers.get('location')]).toEqual([308, './end/']);
    const { servers: addresses } = await (await fetch(`${backend}/openapi.json`)).json();
    expect(addresses).toEqual([{ url: backend }]);
    expect((await fetch(`${origin}/users.json`, { headers: KEY })).status).toBe(404); // of Express
    expect((await fetch(`${backend}/nothing.json`, { headers: KEY })).status).toBe(404);
  });

  test('serves a plain server of Node.js, and passes other paths on', async () => {
    const { server, origin } = await listen((request, response) =>
      atrium.handler(request, response, () => response.end(`other ${request.url}`)),
    );
    const backend = `${origin}/backend`;
    const atrium = create({ publicUrl: backend });
    server.on('upgrade', atrium.upgrade);
    await atrium.start();
    expect(await liveTexts(backend, ['Hello'])).toEqual(['Hello']);
    expect(await (await fetch(`${origin}/backendish?a=1`)).text()).toBe('other /backendish?a=1');
    expect(await (await fetch(origin)).text()).toBe('other /');
  });

  test('with a base path, serves requests whose path a proxy has changed', async () => {
    const { origin } = await listen((request, response) => atrium.handler(request, response));
    const atrium = create({ publicUrl: 'https://example.org/chat', basePath: '/internal/' });
    await atrium.start();
    const { servers: addresses } = await (await fetch(`${origin}/internal/openapi.json`)).json();
    expect(addresses).toEqual([{ url: 'https://example.org/chat' }]);
    expect((await fetch(`${origin}/chat/openapi.json`)).status).toBe(404);
  });

  test('answers 503 before the start and after the stop, and starts again with the same data', async () => {
    const { server, origin } = await listen((request, response) => atrium.handler(request, response));
    const atrium = create({ publicUrl: origin });
    server.on('upgrade', atrium.upgrade);
    expect((await fetch(`${origin}/users.json`)).status).toBe(503);
    const refused = new WebSocket(`${origin.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    expect(await once(refused, 'error')).toMatchObject([{ message: 'Unexpected server response: 503' }]);
    await atrium.start();
    const id = await signUp(origin, 'alice');
    await atrium.stop();
    await atrium.stop();
    expect((await fetch(`${origin}/users.json`, { headers: KEY })).status).toBe(503);
    expect(await atrium.start()).toEqual({ credentials: undefined, consoleUrl: undefined });
    const { user } = await (await fetch(`${origin}/users/${id}.json`, { headers: KEY })).json();
    expect(user.login).toBe('alice');
  });

  test('stop() lets requests in flight finish', async () => {
    const { origin } = await listen((request, response) => atrium.handler(request, response));
    const atrium = create({ publicUrl: origin });
    await atrium.start();
    const answers = Array.from({ length: 20 }, () => fetch(`${origin}/users.json`, { headers: KEY }));
    await fetch(`${origin}/healthz`);
    await atrium.stop();
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.filter((status) => ![200, 503].includes(status))).toEqual([]);
  });

  test('adds no listeners to the process', async () => {
    const count = () => process.eventNames().map((name) => [name, process.listenerCount(name)]);
    const before = count();
    const atrium = create({ publicUrl: 'http://127.0.0.1:1' });
    await atrium.start();
    expect(count()).toEqual(before);
  });

  test('a second one starts after the first has stopped', async () => {
    const [first, second] = [create({ publicUrl: 'http://127.0.0.1:1' }), create({ publicUrl: 'http://127.0.0.1:2' })];
    await first.start();
    await expect(second.start()).rejects.toThrow('A process can run one Atrium at a time; stop the other one first');
    await first.stop();
    await second.start();
  });

  test('a failed start names the option, and can be repeated', async () => {
    const atrium = create({ publicUrl: 'http://127.0.0.1:1', databaseUrl: 'postgresql://127.0.0.1:1/none' });
    for (let nth = 0; nth < 2; nth++) await expect(atrium.start()).rejects.toThrow(/^databaseUrl: .*ECONNREFUSED/);
  });

  test('a port of the console in use is named as an option', async () => {
    const { server } = await listen(() => {});
    const { port } = server.address() as AddressInfo;
    const atrium = create({ publicUrl: 'http://127.0.0.1:1', consolePort: port });
    await expect(atrium.start()).rejects.toThrow(/^consoleHost, consolePort: .*EADDRINUSE/);
  });

  test('reports a body that another middleware has read', async () => {
    const app = express();
    const { origin } = await listen(app);
    const atrium = create({ publicUrl: origin });
    app.use(express.json());
    app.use(atrium.handler);
    let reported = '';
    const report: express.ErrorRequestHandler = (error, _request, response, _next) => {
      reported = error.message;
      response.status(500).end();
    };
    app.use(report);
    await atrium.start();
    const headers = { ...KEY, 'Content-Type': 'application/json' };
    const answer = await fetch(`${origin}/graphql`, { method: 'POST', headers, body: '{"query":"{ __typename }"}' });
    expect(answer.status).toBe(500);
    expect(reported).toBe('The body of a request was read before Atrium. Mount Atrium before parsers of bodies.');
  });
});

describe('options', () => {
  test.each([
    [{}, 'publicUrl: is required'],
    [{ publicUrl: 'example.org' }, 'publicUrl: must be an http:// or https:// URL'],
    [{ publicUrl: 'http://a', sessionMinutes: 0 }, /^sessionMinutes: must be between 1 and/],
    [{ publicUrl: 'http://a', sessionMinutes: 1.5 }, 'sessionMinutes: must be a whole number'],
    [{ publicUrl: 'http://a', console: 'on' }, "console: must be true, false or 'separate'"],
    [{ publicUrl: 'http://a', metrics: 'on' }, 'metrics: must be true or false'],
    [{ publicUrl: 'http://a', consolePort: 65_536 }, /^consolePort: must be between 0 and/],
    [{ publicUrl: 'http://a', tokenHeaders: ['Authorization'] }, /^tokenHeaders: must not name Authorization/],
    [{ publicUrl: 'http://a', databaseUrl: '' }, 'databaseUrl: must not be empty'],
    [{ publicUrl: 'http://a', bootstrap: { applicationId: 0 } }, /^applicationId: must be between/],
    [{ publicUrl: 'http://a', port: 1 }, 'port: is not an option'],
  ])('%j is refused: %s', (options, message) => {
    expect(() => createAtrium(options as unknown as AtriumOptions)).toThrow(message);
  });
});

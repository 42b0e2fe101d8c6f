import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { db } from '../../../src/db/client.ts';
import { type Atrium, type AtriumOptions, createAtrium } from '../../../src/index.ts';
import { hashSecret } from '../../../src/lib/tokens.ts';
import { hashPassword } from '../../../src/resolvers/users/passwords.ts';
import { createDatabase, type TestDatabase } from '../../support/app/database.ts';
import { createDataDir } from '../../support/app/service.ts';
import { PASSWORD } from '../../support/fixtures/administrators.ts';

const EMAIL = 'ada@example.org';
const METRIC = 'atrium_';
const CONSOLE_PAGES = ['/console', '/console/apps/1/overview'];
const SIGN_IN = `signInAdministrator(email: "${EMAIL}", password: "${PASSWORD}") { email }`;
const ADMINISTRATOR = '{ administrator { email } }';

let database: TestDatabase;
let dataDir: string;
let atrium: Atrium | undefined;

async function listen(listener: RequestListener, upgrade?: Atrium['upgrade']): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  if (upgrade) server.on('upgrade', upgrade);
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An Express application with Atrium below /backend, and an administrator who is signed in. */
async function embed(options: Partial<AtriumOptions>) {
  const app = express();
  const origin = await listen(app, (...request) => atrium!.upgrade(...request));
  const databaseUrl = database.config.connectionString;
  atrium = createAtrium({ dataDir, databaseUrl, publicUrl: `${origin}/backend`, logLevel: 'silent', ...options });
  app.use('/backend', atrium.handler);
  const { consoleUrl } = await atrium.start();
  const [at, token] = [new Date(), randomBytes(32).toString('base64url')];
  await db.administrator.create({
    data: {
      email: EMAIL,
      name: 'Ada',
      passwordHash: await hashPassword(PASSWORD),
      createdAt: at,
      updatedAt: at,
      roles: { create: [{ applicationId: null, role: 'owner' }] },
      sessions: { create: { tokenHash: hashSecret(token), createdAt: at, seenAt: at, confirmedAt: at } },
    },
  });
  return { origin, backend: `${origin}/backend`, consoleUrl, cookie: `atrium-administrator=${token}` };
}

async function status(url: string, method = 'GET'): Promise<number> {
  return (await fetch(url, { method, headers: { Accept: 'text/html' } })).status;
}

function post(url: string, query: string, headers: Record<string, string>): Promise<Response> {
  return fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Application: 'none', ...headers },
    body: JSON.stringify({ query }),
  });
}

/** @returns the administrator as whom a page of `origin` acts, over each transport */
async function actingAs(url: string, origin: string, cookie: string): Promise<Record<string, unknown>> {
  const headers = { Origin: origin, Cookie: cookie };
  const overPost = await (await post(url, ADMINISTRATOR, headers)).json();
  const overGet = await fetch(`${url}/graphql?query=${encodeURIComponent(ADMINISTRATOR)}`, {
    headers: { Accept: 'application/json', Application: 'none', ...headers },
  });
  const overStream = await post(url, ADMINISTRATOR, { Accept: 'text/event-stream', ...headers });
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', { headers });
  await once(socket, 'open');
  socket.send('{"type":"connection_init","payload":{"Application":"none"}}');
  const isAdmitted = await Promise.race([
    once(socket, 'message').then(() => true),
    once(socket, 'close').then(() => false),
  ]);
  socket.terminate();
  return {
    post: overPost.data?.administrator?.email,
    get: (await overGet.json()).data?.administrator?.email,
    stream: (await overStream.text()).includes(EMAIL),
    socket: isAdmitted,
  };
}

const UNKNOWN = { post: undefined, get: undefined, stream: false, socket: false };
const ADA = { post: EMAIL, get: undefined, stream: true, socket: true };

async function expectCookieOnlyAt(
  ownOrigin: string,
  { origin, backend, cookie }: { origin: string; backend: string; cookie: string },
): Promise<void> {
  expect(await actingAs(ownOrigin, ownOrigin, cookie)).toEqual(ADA);
  for (const [url, page] of [
    [backend, origin],
    [backend, ownOrigin],
    [ownOrigin, origin],
  ] as const)
    expect([url, page, await actingAs(url, page, cookie)]).toEqual([url, page, UNKNOWN]);
}

describe('#66 embedding is safe by default', () => {
  beforeEach(async () => {
    database = await createDatabase();
    const folder = await createDataDir();
    dataDir = folder.dataDir;
    onTestFinished(folder.remove);
  });

  afterEach(async () => {
    await atrium?.stop();
    await database.drop();
  });

  test('pages, sign-in and cookies of the console, and metrics, are off', async () => {
    const { backend, origin, consoleUrl, cookie } = await embed({});
    expect(consoleUrl).toBeUndefined();
    for (const path of [
      ...CONSOLE_PAGES,
      '/Console',
      '/console/',
      '/metrics',
      '/METRICS',
      '/metrics?a=1',
      '/%6detrics',
    ])
      for (const method of ['GET', 'HEAD', 'POST'])
        expect([path, await status(backend + path, method)]).toEqual([path, 404]);
    expect(await actingAs(backend, origin, cookie)).toEqual(UNKNOWN);
    for (const query of [`mutation { ${SIGN_IN} }`, `mutation { a: ${SIGN_IN} b: ${SIGN_IN} }`]) {
      const response = await post(backend, query, { Origin: origin });
      expect(response.headers.getSetCookie()).toEqual([]);
      expect(await response.json()).toMatchObject({ errors: [{}], data: null });
    }
    const { errors } = await (
      await post(backend, '{ administratorLink(token: "x") { purpose } }', { Origin: origin })
    ).json();
    expect(errors).toMatchObject([{ message: 'The console is turned off' }]);
    expect(() => atrium!.console).toThrow("console: 'separate'");
  });

  test('the limits of sockets hold for upgrades that the application passes on', async () => {
    const { backend } = await embed({});
    const socket = new WebSocket(`${backend.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    await once(socket, 'open');
    socket.send(JSON.stringify({ type: 'ping', payload: { x: 'x'.repeat(2048) } }));
    expect((await once(socket, 'close'))[0]).toBe(1009);
  });

  test('metrics answer only if asked for, and only at their path in its letter case', async () => {
    const { origin, backend, consoleUrl } = await embed({ metrics: true, consolePort: 0 });
    expect(await (await fetch(`${backend}/metrics`)).text()).toContain(METRIC);
    for (const url of [
      `${origin}/BACKEND/metrics`,
      `${origin}/Backend/metrics?a=1`,
      `${origin}/backend/Metrics`,
      `${origin}/backend//metrics`,
      `${origin}/backend/metrics/`,
      `${origin}//backend/metrics`,
      `${origin}/metrics`,
      `${new URL(consoleUrl!).origin}/metrics`,
    ]) {
      const response = await fetch(url);
      expect([url, response.status, (await response.text()).includes(METRIC)]).toEqual([url, 404, false]);
    }
  });

  test('with a port of its own, the console and its cookies work there only', async () => {
    const { origin, backend, consoleUrl, cookie } = await embed({ consolePort: 0 });
    const ownOrigin = new URL(consoleUrl!).origin;
    await expectConsoleAt(ownOrigin);
    await expectNoConsoleAt(backend);
    await expectCookieOnlyAt(ownOrigin, { origin, backend, cookie });
  });

  test('with a handler of its own, the console and its cookies work there only', async () => {
    const ownOrigin = await listen(
      (...request) => atrium!.console.handler(...request),
      (...request) => atrium!.console.upgrade(...request),
    );
    const { origin, backend, consoleUrl, cookie } = await embed({ console: 'separate', consoleOrigin: ownOrigin });
    expect(consoleUrl).toBe(`${ownOrigin}/console`);
    await expectConsoleAt(ownOrigin);
    await expectNoConsoleAt(backend);
    expect(await status(`${ownOrigin}/metrics`)).toBe(404);
    await expectCookieOnlyAt(ownOrigin, { origin, backend, cookie });
  });

  test.each<[options: Partial<AtriumOptions>, message: string]>([
    [{ console: 'separate' }, 'consoleOrigin: is required'],
    [
      { console: 'separate', consoleOrigin: 'http://a.example' },
      'consoleOrigin: must differ from the origin of publicUrl',
    ],
    [{ console: 'separate', consoleOrigin: 'http://A.example:80/' }, 'consoleOrigin: must differ from the origin'],
    [{ console: 'separate', consoleOrigin: 'http://b.example', consolePort: 1 }, 'consolePort: must not be set'],
  ])('a console that would share the origin is refused: %j', (options, message) => {
    expect(() => createAtrium({ publicUrl: 'http://a.example/backend', ...options })).toThrow(message);
  });

  test('below the path of the application, the cookie is limited to that path, and over TLS to the host', async () => {
    const { origin, backend } = await embed({ console: true });
    const cookieFor = async (page: string) => {
      const response = await post(backend, `mutation { ${SIGN_IN} }`, { Origin: page });
      return response.headers.getSetCookie();
    };
    expect(await cookieFor(origin)).toEqual([
      expect.stringMatching(/^atrium-administrator=[\w-]{43}; Path=\/backend\/; HttpOnly; SameSite=Strict$/),
    ]);
    expect(await cookieFor(origin.replace('http:', 'https:'))).toEqual([
      expect.stringMatching(/^__Host-atrium-administrator=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/),
    ]);
  });
});

async function expectConsoleAt(url: string): Promise<void> {
  for (const path of CONSOLE_PAGES) expect([path, await status(url + path)]).toEqual([path, 200]);
}

async function expectNoConsoleAt(url: string): Promise<void> {
  for (const path of CONSOLE_PAGES) expect([path, await status(url + path)]).toEqual([path, 404]);
}

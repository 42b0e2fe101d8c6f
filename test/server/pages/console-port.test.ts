import { createClient } from 'graphql-ws';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { APPLICATION, running, useApp } from '../../support/app/app.ts';
import { signedInAdministrator } from '../../support/fixtures/administrators.ts';

useApp({ consolePort: 0 });

const consolePort = () => new URL(running.app.services.consoleUrl()).origin;
const PAGE = { headers: { Accept: 'text/html' } };

async function administratorAt(url: string, origin: string): Promise<unknown> {
  const { cookie } = await signedInAdministrator('owner');
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: origin, Application: 'none', Cookie: cookie },
    body: JSON.stringify({ query: '{ applications { id } }' }),
  });
  return response.json();
}

test('pages of the console are served only on its port', async () => {
  expect(consolePort()).not.toBe(running.url);
  for (const path of ['/console', '/console/apps/1/overview']) {
    expect((await fetch(consolePort() + path, PAGE)).status).toBe(200);
    expect((await fetch(running.url + path, PAGE)).status).toBe(404);
  }
  expect(await (await fetch(running.url, PAGE)).text()).not.toContain('href="./console"');
});

test('metrics are served only on the main port', async () => {
  expect((await fetch(`${running.url}/metrics`)).status).toBe(200);
  expect((await fetch(`${consolePort()}/metrics`)).status).toBe(404);
});

test('the cookie of an administrator counts only on the port of the console', async () => {
  expect(await administratorAt(consolePort(), consolePort())).toEqual({
    data: { applications: [{ id: APPLICATION.id }] },
  });
  for (const origin of [running.url, consolePort()]) {
    expect(await administratorAt(running.url, origin)).toMatchObject({ errors: [{ message: expect.any(String) }] });
  }
  expect(await administratorAt(consolePort(), running.url)).toMatchObject({
    errors: [{ message: 'Sign in to the console' }],
  });
});

test('no administrator can sign in on the main port', async () => {
  const query = 'mutation { signInAdministrator(email: "a@example.org", password: "correct horse battery") { id } }';
  const response = await fetch(`${running.url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: running.url, Application: 'none' },
    body: JSON.stringify({ query }),
  });
  expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }], data: null });
  expect(response.headers.getSetCookie()).toEqual([]);
});

test.each([
  '{ administratorLink(token: "x") { purpose } }',
  'mutation { requestAdministratorLink(email: "a@example.org") }',
])('operations without sign-in work on the port of the console only: %s', async (query) => {
  const run = async (url: string) => {
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
    return response.json();
  };
  expect(await run(consolePort())).not.toHaveProperty('errors');
  expect(await run(running.url)).toMatchObject({ errors: [{ message: 'The console is turned off' }] });
});

test('sockets of the console work on its port only', async () => {
  const { cookie } = await signedInAdministrator('owner');
  const run = async (base: string) => {
    class BrowserSocket extends WebSocket {
      constructor(url: string, protocols: string[]) {
        super(url, protocols, { headers: { Cookie: cookie, Origin: base } });
      }
    }
    const client = createClient({
      url: `${base.replace('http', 'ws')}/graphql`,
      webSocketImpl: BrowserSocket,
      connectionParams: { Application: String(APPLICATION.id) },
      retryAttempts: 0,
    });
    try {
      for await (const { data } of client.iterate({ query: '{ application { id } }' })) return data;
      return undefined;
    } finally {
      await client.dispose();
    }
  };
  expect(await run(consolePort())).toEqual({ application: { id: APPLICATION.id } });
  await expect(run(running.url)).rejects.toBeDefined();
});

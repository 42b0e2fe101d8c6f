import { expect, test } from 'vitest';
import WebSocket from 'ws';
import { running, useApp } from '../support/app/app.ts';
import { rest } from '../support/clients/rest.ts';
import { openSession } from '../support/fixtures/users.ts';

useApp();

test('without the setting no stream is opened, and the rest of the service is unchanged', async () => {
  const socket = new WebSocket(`${running.url.replace('http', 'ws')}/xmpp`, 'xmpp');
  const status = await new Promise((resolve) => {
    socket.on('unexpected-response', (_request, { statusCode }) => resolve(statusCode));
    socket.on('open', () => resolve('open'));
    socket.on('error', () => {});
  });
  expect(status).toBe(404);
  expect((await rest('GET', '/session.json', { as: await openSession() })).status).toBe(200);
});

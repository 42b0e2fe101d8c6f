import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { describe, expect, test } from 'vitest';
import { running, useApp } from '../../support/app/app.ts';
import { sql } from '../../support/app/sql.ts';
import { JSON_TYPE, rawRequest } from '../../support/clients/raw-http.ts';
import { rest } from '../../support/clients/rest.ts';
import { GRAPHQL_TRANSPORTS } from '../../support/clients/transports.ts';
import { connect, openSocket } from '../../support/clients/websocket.ts';
import { createAssistant, startModel } from '../../support/fakes/model.ts';
import { errorOf, quickUsers } from '../../support/fixtures/chat.ts';
import { apiKey } from '../../support/fixtures/users.ts';

useApp();

const TELLTALE = /relation|_gone|exist|select |prisma|pg_|42P01|\.ts\b|node_modules|at .*:\d+:\d+/i;

describe('#33 details of internal errors', () => {
  test('callers receive a generic error without details, and over REST a request id', async () => {
    const [alice] = await quickUsers(1);
    await sql('ALTER TABLE dialogs RENAME TO dialogs_gone');
    try {
      const { status, text, headers } = await rest('GET', '/chat/Dialog', { as: alice });
      expect([status, text]).toEqual([500, '{"errors":["Internal server error"]}']);
      expect(headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
      const xml = await rawRequest('GET', '/chat/Dialog.xml', { as: alice });
      expect([xml.status, TELLTALE.test(xml.text)]).toEqual([500, false]);
      for (const [, transport] of GRAPHQL_TRANSPORTS) {
        const answer = await transport('{ dialogs { totalCount } }', {}, alice!);
        expect(answer.errors).toMatchObject([{ message: 'Internal server error' }]);
        expect(answer.errors![0]!.extensions).toEqual({ code: 'INTERNAL_SERVER_ERROR' });
        expect(JSON.stringify(answer)).not.toMatch(TELLTALE);
      }
    } finally {
      await sql('ALTER TABLE dialogs_gone RENAME TO dialogs');
    }
  });
});

describe('#44 inputs that could crash the process', () => {
  const BODIES = [
    'null',
    '[null]',
    '7',
    '""',
    '{',
    '{"query":null}',
    '{"variables":[]}',
    '\0',
    '{"user":null}',
    '{"contacts":[null]}',
  ];
  const FIELDS = [
    '{"event":null}',
    '{"attachments":[null]}',
    '{"record":[null]}',
    '{"permissions":{"read":null}}',
    '{"record":{"1":null}}',
  ];

  test('malformed bodies such as null never cause a 5xx, at any endpoint', async () => {
    const [alice] = await quickUsers(1);
    const { routes } = await import('../../support/operations/routes.ts');
    for (const { method, path, upload } of routes) {
      if (upload || /^\/(session|login)/.test(path)) continue;
      const filled = path.replaceAll(/:\w+/g, '1');
      const headers = { 'Content-Type': JSON_TYPE };
      const asked = [...BODIES, ...FIELDS].map(async (body) => {
        const { status } = await rawRequest(method.toUpperCase(), filled, { as: alice, headers, body });
        expect([method, filled, body, status < 500]).toEqual([method, filled, body, true]);
      });
      await Promise.all(asked);
    }
    for (const body of BODIES) {
      const { status } = await rawRequest('POST', '/graphql', {
        as: alice,
        headers: { 'Content-Type': JSON_TYPE },
        body,
      });
      expect([body, status < 500]).toEqual([body, true]);
    }
  }, 300_000);

  test('the service survives connections that break off during a request, an upgrade or a frame', async () => {
    const [alice] = await quickUsers(1);
    const { hostname, port } = new URL(running.url);
    const beginnings = [
      'GET /',
      'POST /users HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"user"',
      'GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n',
      'GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n\xff\xff\xff\xff\xff\xff',
      'GET /elsewhere HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      '\r\n\r\n\0\0\0',
    ];
    for (const beginning of [...beginnings, ...beginnings]) {
      const socket = connectTcp(Number(port), hostname);
      await once(socket, 'connect');
      socket.write(Buffer.from(beginning, 'latin1'));
      socket.on('error', () => {});
      socket.resetAndDestroy();
    }
    const socket = await openSocket();
    socket.send({ type: 'connection_init', payload: alice!.headers });
    await socket.find(({ type }) => type === 'connection_ack');
    // Invalid frame: `ws` emits an error event, which would crash the process if it had no listener.
    (socket.socket as unknown as { _socket: { write: (bytes: Buffer) => void } })._socket.write(
      Buffer.from([0xf7, 0xff, 0xff]),
    );
    await socket.closed;
    const again = await connect(alice!);
    expect(await again.run('{ me { id } }')).toEqual({ data: { me: { id: alice!.id } } });
    await again.close();
  });

  test('an invalid response of a model yields "Service unavailable", and the service remains ready', async () => {
    const replies = [
      '',
      'null',
      '[null]',
      '{"choices":null}',
      '{"choices":[null]}',
      '{"choices":[{"message":null}]}',
      '\0',
      '{',
    ];
    for (const reply of replies) {
      const model = await startModel((response) =>
        response.writeHead(200, { 'Content-Type': 'application/json' }).end(reply),
      );
      const input = { assistantId: await createAssistant(model), message: 'hi' };
      const refused = await errorOf(
        'mutation ($input: AnswerInput!) { assistAnswer(input: $input) }',
        { input },
        apiKey,
      );
      expect([reply, refused.message]).toEqual([reply, 'Service unavailable']);
    }
    expect((await fetch(`${running.url}/readyz`)).status).toBe(200);
  });
});

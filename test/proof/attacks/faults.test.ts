import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { describe, expect, test } from 'vitest';
import { running, useApp } from '../../support/app/app.ts';
import { sql } from '../../support/app/sql.ts';
import { GRAPHQL_TRANSPORTS } from '../../support/clients/graphql-transports.ts';
import { JSON_TYPE, rawRequest } from '../../support/clients/raw-http.ts';
import { rest } from '../../support/clients/rest.ts';
import { connect, openSocket } from '../../support/clients/websocket.ts';
import { createAssistant, startModel } from '../../support/fakes/model.ts';
import { errorOf, quickUsers } from '../../support/fixtures/chat.ts';
import { apiKey } from '../../support/fixtures/users.ts';

useApp();

const TELLTALE = /relation|_gone|exist|select |prisma|pg_|42P01|\.ts\b|node_modules|at .*:\d+:\d+/i;

describe('#33 details of faults', () => {
  test('stay in the log: callers are told that there is one, and over REST which request it was', async () => {
    const [alice] = await quickUsers(1);
    await sql('ALTER TABLE dialogs RENAME TO dialogs_gone');
    try {
      const { status, text, headers } = await rest('GET', '/chat/Dialog', { as: alice });
      expect([status, text]).toEqual([500, '{"errors":["Internal server error"]}']);
      expect(headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
      const xml = await rawRequest('GET', '/chat/Dialog.xml', { as: alice });
      expect([xml.status, TELLTALE.test(xml.text)]).toEqual([500, false]);
      for (const [, door] of GRAPHQL_TRANSPORTS) {
        const answer = await door('{ dialogs { totalCount } }', {}, alice!);
        expect(answer.errors).toMatchObject([{ message: 'Internal server error' }]);
        expect(answer.errors![0]!.extensions).toEqual({ code: 'INTERNAL_SERVER_ERROR' });
        expect(JSON.stringify(answer)).not.toMatch(TELLTALE);
      }
    } finally {
      await sql('ALTER TABLE dialogs_gone RENAME TO dialogs');
    }
  });
});

describe('#44 what would end the process', () => {
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

  test('null where an object is meant, at every endpoint, is refused', async () => {
    const [alice] = await quickUsers(1);
    const { routes } = await import('../../../src/rest/index.ts');
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

  test('connections that break off in the middle of a request, an upgrade or a frame leave the service as it was', async () => {
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
    // No frame of the protocol: `ws` tells of it by an error that somebody has to listen to.
    (socket.socket as unknown as { _socket: { write: (bytes: Buffer) => void } })._socket.write(
      Buffer.from([0xf7, 0xff, 0xff]),
    );
    await socket.closed;
    const again = await connect(alice!);
    expect(await again.run('{ me { id } }')).toEqual({ data: { me: { id: alice!.id } } });
    await again.close();
  });

  test('peers that answer nonsense are away, and nothing else', async () => {
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

import { describe, expect, test } from 'vitest';
import { running, useApp } from '../support/app/app.ts';
import { sql } from '../support/app/sql.ts';
import { until } from '../support/app/until.ts';
import { graphql } from '../support/clients/graphql.ts';
import { rest } from '../support/clients/rest.ts';
import { connect, listen, openSocket } from '../support/clients/websocket.ts';
import { createDialog, MESSAGE_SENT, quickUsers, send } from '../support/fixtures/chat.ts';
import { createUser } from '../support/fixtures/users.ts';

useApp();

const MASKED = { message: 'Internal server error', extensions: { code: 'INTERNAL_SERVER_ERROR' } };
const TELLTALE = /relation|_gone|exist|select |prisma|pg_|42P01|\.ts|node_modules/i;

async function without<Result>(table: string, action: () => Promise<Result>): Promise<Result> {
  await sql(`ALTER TABLE ${table} RENAME TO ${table}_gone`);
  try {
    return await action();
  } finally {
    await sql(`ALTER TABLE ${table}_gone RENAME TO ${table}`);
  }
}

describe('row 33: an internal error reveals nothing of its cause', () => {
  test('an error in a resolver of a root field is masked', async () => {
    const [alice] = await quickUsers(1);
    const answer = await without('dialogs', () => graphql('{ dialogs { totalCount } }', {}, alice));
    expect(answer.errors).toMatchObject([MASKED]);
    expect(answer.errors![0]!.extensions).toEqual({ code: 'INTERNAL_SERVER_ERROR' });
    expect(JSON.stringify(answer)).not.toMatch(TELLTALE);
  });

  test('an error in a mutation is masked, over REST too', async () => {
    const [alice] = await quickUsers(1);
    const dialogId = await createDialog(alice!, [alice!]);
    const document = 'mutation ($id: ID!) { sendMessage(input: { dialogId: $id, text: "x" }) { id } }';
    await without('events_outbox', async () => {
      const answer = await graphql(document, { id: dialogId }, alice);
      expect(answer.errors).toMatchObject([MASKED]);
      expect(JSON.stringify(answer)).not.toMatch(TELLTALE);
      const legacy = await rest('POST', '/chat/Message.json', {
        as: alice,
        json: { chat_dialog_id: dialogId, message: 'x' },
      });
      expect([legacy.status, legacy.body]).toEqual([500, { errors: ['Internal server error'] }]);
    });
  });

  test('an error in a nested field is masked', async () => {
    const [alice] = await quickUsers(1);
    const dialogId = await createDialog(alice!, [alice!]);
    await send(alice!, dialogId, 'hi');
    const answer = await without('reactions', () =>
      graphql(
        'query ($id: ID!) { messages(dialogId: $id) { edges { node { text reactions { name } } } } }',
        { id: dialogId },
        alice,
      ),
    );
    expect(answer.errors).toMatchObject([MASKED]);
    expect(JSON.stringify(answer)).not.toMatch(TELLTALE);
  });

  test('an error while authenticating is masked', async () => {
    const alice = await createUser();
    const answer = await without('sessions', () => graphql('{ me { id } }', {}, alice));
    expect(answer.errors).toMatchObject([MASKED]);
    expect(JSON.stringify(answer)).not.toMatch(TELLTALE);
  });

  test('errors on a socket are masked: in an operation, on connecting, and while authenticating', async () => {
    const alice = await createUser();
    const socket = await connect(alice);
    const payload = await without('dialogs', () => socket.run('{ dialogs { totalCount } }'));
    expect(payload.errors).toMatchObject([MASKED]);
    expect(JSON.stringify(payload)).not.toMatch(TELLTALE);

    await without('sessions', async () => {
      const refused = await openSocket();
      refused.send({ type: 'connection_init', payload: alice.headers });
      expect(await refused.closed).toEqual({ code: 4500, reason: 'Internal server error' });

      const last = await socket.run('{ me { id } }');
      expect(last.errors).toMatchObject([MASKED]);
      expect(JSON.stringify(last)).not.toMatch(TELLTALE);
    });
    expect(await socket.run('{ me { id } }')).toEqual({ data: { me: { id: alice.id } } });
    await socket.close();
  });

  test('an error in the payload of a subscription is masked, and the subscription continues', async () => {
    const [alice] = await quickUsers(1);
    const dialogId = await createDialog(alice!, [alice!]);
    const received = await listen(
      `subscription ($dialogId: ID) { messageSent(dialogId: $dialogId) { cursor message { text reactions { name } } } }`,
      { dialogId },
      alice!,
    );
    const sse = await fetch(`${running.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream', ...alice!.headers },
      body: JSON.stringify({
        query: `subscription ($id: ID) { messageSent(dialogId: $id) { message { text reactions { name } } } }`,
        variables: { id: dialogId },
      }),
    });
    const reader = sse.body!.getReader();
    let text = '';
    await until(() => running.app.services.hub.subscriptionCount >= 2);
    await without('reactions', async () => {
      await send(alice!, dialogId, 'first');
      expect(await received.atLeast(1)).toMatchObject([{ errors: [MASKED] }]);
      while (!text.includes('event: next')) text += Buffer.from((await reader.read()).value!).toString();
    });
    expect(JSON.stringify(received.payloads())).not.toMatch(TELLTALE);
    expect(text).toContain('Internal server error');
    expect(text).not.toMatch(TELLTALE);
    await send(alice!, dialogId, 'second');
    expect((await received.atLeast(2))[1]).toMatchObject({ messageSent: { message: { text: 'second' } } });
    await reader.cancel();
    await received.close();
  });

  test('an error while starting or resuming a subscription is masked', async () => {
    const [alice] = await quickUsers(1);
    const dialogId = await createDialog(alice!, [alice!]);
    const received = await listen(MESSAGE_SENT, { dialogId }, alice!);
    await send(alice!, dialogId, 'first');
    const [{ messageSent }] = await received.atLeast(1);
    await without('events_outbox', async () => {
      await expect(listen(MESSAGE_SENT, { dialogId, since: messageSent.cursor }, alice!)).rejects.toMatchObject([
        MASKED,
      ]);
    });
    await send(alice!, dialogId, 'second');
    expect((await received.atLeast(2))[1]).toMatchObject({ messageSent: { message: { text: 'second' } } });
    await received.close();
  });
});

describe('row 44: malformed requests are rejected without side effects', () => {
  const BODIES: [string, string][] = [
    ['invalid JSON', '{"query": '],
    ['null', 'null'],
    ['a list of nulls', '[null]'],
    ['a number', '7'],
    ['a missing query', '{}'],
    ['an invalid query', '{"query": 5}'],
    ['a null query', '{"query": null}'],
    ['invalid variables', '{"query": "{ __typename }", "variables": "x"}'],
    ['an invalid operation name', '{"query": "{ __typename }", "operationName": {}}'],
    ['an unknown operation', '{"query": "{ __typename }", "operationName": "nothing"}'],
    ['an empty document', '{"query": ""}'],
    ['a document with only fragments', '{"query": "fragment f on Query { __typename }"}'],
    [
      'a variable of the wrong type',
      '{"query": "query ($id: ID!) { dialog(id: $id) { id } }", "variables": {"id": {}}}',
    ],
    ['a NUL', '{"query": "query ($id: ID!) { dialog(id: $id) { id } }", "variables": {"id": "\\u0000"}}'],
  ];

  test.each(BODIES)('HTTP rejects %s', async (_name, body) => {
    const [alice] = await quickUsers(1);
    const response = await fetch(`${running.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...alice!.headers },
      body,
    });
    const { errors } = (await response.json()) as { errors: { message: string; extensions: { code: string } }[] };
    expect(errors[0]!.extensions.code).toBe('BAD_USER_INPUT');
    expect(JSON.stringify(errors)).not.toMatch(/\.ts|node_modules|stack/);
    expect(response.status).toBeLessThan(500);
  });

  test('each malformed message closes the socket or receives an error, and the service continues', async () => {
    const [alice] = await quickUsers(1);
    const frames = [
      ...BODIES.map(([, body]) => `{"id":"1","type":"subscribe","payload":${body}}`),
      'x',
      'null',
      '[]',
      '{"type":"subscribe"}',
      '{"type":"nonsense"}',
      '{"id":"__proto__","type":"subscribe","payload":{"query":"{ __typename }"}}',
      '{"id":"1","type":"complete"}',
      '{"type":"connection_init"}',
    ];
    for (const frame of frames) {
      const socket = await connect(alice!);
      socket.socket.send(frame);
      socket.send({ type: 'ping' });
      await Promise.race([socket.closed, socket.find((message) => message.type === 'pong')]);
      socket.socket.terminate();
    }
    const socket = await connect(alice!);
    expect(await socket.run('{ me { id } }')).toEqual({ data: { me: { id: alice!.id } } });
    await socket.close();
  });
});

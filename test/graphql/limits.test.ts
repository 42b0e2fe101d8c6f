import { request } from 'node:http';
import { getIntrospectionQuery, getNamedType, isObjectType, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { limitProblem } from '../../src/graphql/document-limits.ts';
import { schema } from '../../src/schema/index.ts';
import { running, useApp } from '../support/app/app.ts';
import { graphql } from '../support/clients/graphql.ts';
import { streamEvents } from '../support/clients/sse.ts';
import { connect, listen, openSocket, type RawSocket, until } from '../support/clients/websocket.ts';
import { createDialog, errorOf, execute, MESSAGE_SENT, quickUsers, send } from '../support/fixtures/chat.ts';
import { anonymous, apiKey } from '../support/fixtures/users.ts';

useApp();

const repeat = (count: number, part: (nth: number) => string): string =>
  Array.from({ length: count }, (_, nth) => part(nth)).join(' ');

const nested = (depth: number): string =>
  `{ __type(name: "User") { ${'ofType { '.repeat(depth - 2)} name ${'} '.repeat(depth - 2)} } }`;

const MESSAGE = 'message(id: "000000000000000000000000") { id }';
const ID = '"000000000000000000000000"';

const REFUSED: [string, string][] = [
  ['13 levels', nested(13)],
  ['13 levels through fragments', `{ ...a } fragment a on Query ${nested(13)}`],
  ['13 levels inside inline fragments', `{ ... on Query ${nested(13)} }`],
  ['51 aliases', `{ ${repeat(51, (nth) => `a${nth}: __typename b${nth}: ${MESSAGE}`)} }`],
  ['51 aliases below the root', `{ me { ${repeat(51, (nth) => `a${nth}: id`)} } }`],
  ['51 aliases in a fragment', `{ me { ...f } } fragment f on User { ${repeat(51, (nth) => `a${nth}: id`)} }`],
  ['51 root fields', `{ ${repeat(51, () => '__typename')} }`],
  ['51 root fields in a fragment', `{ ...f } fragment f on Query { ${repeat(51, () => '__typename')} }`],
  ['51 root fields in inline fragments', `{ ${repeat(51, () => '... { __typename }')} }`],
  [
    '51 root fields in fragments of fragments',
    `{ ...a ...a } fragment a on Query { ${repeat(13, () => '...b')} } fragment b on Query { __typename __typename }`,
  ],
  ['51 mutations in a fragment', `mutation { ...f } fragment f on Mutation { ${repeat(51, () => 'deleteSession')} }`],
  ['10,001 tokens', `{ ${repeat(5_000, () => 'a:me')} }`],
  [
    'a too expensive document',
    `{ ${repeat(3, (nth) => `m${nth}: messages(dialogId: ${ID}, first: 100) { edges { node { id text senderId recipientId dateSent attachments customFields readIds deliveredIds read ownReactions createdAt updatedAt dialogId sender { id login } } } }`)} }`,
  ],
  ['an unclosed list literal', `{ me(x: ${'['.repeat(9_900)}`],
  ['unclosed selections', `{ ${'a { '.repeat(4_900)}`],
  ['an unclosed object literal', `{ me(x: ${'{a:'.repeat(3_300)}`],
  ['unclosed list types', `query ($x: ${'['.repeat(9_900)}`],
  ['fragments in a cycle', '{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }'],
];

const ACCEPTED: [string, string][] = [
  ['12 levels', nested(12)],
  ['50 aliases', `{ me { ${repeat(50, (nth) => `a${nth}: id`)} } }`],
  ['50 root fields', `{ ${repeat(50, () => '__typename')} }`],
  [
    'nearly 10,000 tokens',
    `{ dialogs(filter: { id: { in: [${repeat(9_900, (nth) => `"${nth}"`)}] } }) { totalCount } }`,
  ],
  [
    'a page of 100 messages with all their fields',
    `{ messages(dialogId: ${ID}, first: 100) { totalCount edges { cursor node { id text senderId recipientId dateSent
      attachments customFields readIds deliveredIds read reactions { name count own } ownReactions createdAt updatedAt
      dialogId sender { id login fullName } } } pageInfo { hasNextPage endCursor } } }`,
  ],
];

describe('rows 2, 5, 6: a document beyond the limits is rejected before execution', () => {
  test.each(REFUSED)('HTTP POST rejects %s', async (_name, document) => {
    const refusal = await errorOf(document, {}, anonymous);
    expect(refusal.code).toBe('BAD_USER_INPUT');
  });

  test.each(REFUSED)('a WebSocket rejects %s', async (_name, document) => {
    const [alice] = await quickUsers(1);
    const socket = await connect(alice!);
    const { errors } = await socket.run(document);
    expect(errors[0].extensions.code).toBe('BAD_USER_INPUT');
    expect((await socket.run('{ me { id } }')).data.me.id).toBe(alice!.id);
    await socket.close();
  });

  test.each(REFUSED)('HTTP GET rejects %s', async (_name, document) => {
    const short = document.length < 4_000 ? document : document.slice(0, 4_000);
    const response = await fetch(`${running.url}/graphql?query=${encodeURIComponent(short)}`, {
      headers: { Accept: 'application/json' },
    });
    const { errors } = (await response.json()) as { errors: { extensions: { code: string } }[] };
    expect(errors[0]!.extensions.code).toBe('BAD_USER_INPUT');
  });

  test.each(ACCEPTED)('a document at the limit is executed: %s', async (_name, document) => {
    const [alice] = await quickUsers(1);
    const answer = await graphql(document, {}, alice!);
    expect(answer.errors?.map((error) => error.extensions?.code) ?? []).not.toContain('BAD_USER_INPUT');
    const socket = await connect(alice!);
    const payload = await socket.run(document);
    expect(payload.errors?.map((error: { extensions: { code: string } }) => error.extensions.code) ?? []).not.toContain(
      'BAD_USER_INPUT',
    );
    await socket.close();
  });

  test('a page size in a variable costs the same as a literal', async () => {
    const fields =
      'id text senderId recipientId dateSent attachments customFields readIds deliveredIds read sender { id login }';
    const document = `query ($first: Int) { ${repeat(40, (nth) => `m${nth}: messages(dialogId: ${ID}, first: $first) { edges { node { ${fields} } } }`)} }`;
    expect(await errorOf(document, { first: 100 }, apiKey)).toMatchObject({ code: 'BAD_USER_INPUT' });
  });

  test('a list without a page size costs as much as the page that it returns', () => {
    const lists = Object.values(schema.getTypeMap())
      .filter((type) => isObjectType(type))
      .flatMap((type) => Object.values(type.getFields()).map((field) => ({ type: type.name, field })))
      .filter(({ field }) => field.args.some(({ name }) => ['first', 'last', 'limit'].includes(name)));
    expect(lists.length).toBeGreaterThan(20);
    for (const { type, field } of lists) {
      // 21 or more items cost more than the limit, 19 or fewer do not.
      const fields = repeat(248, () => '__typename');
      const problem = (given: string, variables = {}) => {
        const document = parse(`query { ...f } fragment f on ${type} { ${field.name}${given} { ${fields} } }`);
        return limitProblem({ document, schema, variables })?.message;
      };
      const pages = field.args.filter(({ name }) => ['first', 'last', 'limit'].includes(name));
      const size = pages.find(({ defaultValue }) => defaultValue !== undefined)?.defaultValue ?? 50;
      const cost = `Query Cost limit of 5000 exceeded, found ${250 * (size as number)}.`;
      const path = `${type}.${field.name}`;
      expect([path, problem('')]).toEqual([path, cost]);
      for (const { name } of pages) {
        expect([path, problem(`(${name}: null)`)]).toEqual([path, cost]);
        expect([path, problem(`(${name}: $size)`, { size: null })]).toEqual([path, cost]);
        expect([path, problem(`(${name}: $size)`, {})]).toEqual([path, expect.stringContaining('found 25000.')]);
        expect([path, problem(`(${name}: 0)`)]).toEqual([path, undefined]);
        expect([path, problem(`(${name}: 20)`)]).toEqual([path, undefined]);
      }
    }
  });

  test('every connection has page sizes', () => {
    const fields = Object.values(schema.getTypeMap()).flatMap((type) =>
      isObjectType(type) ? Object.values(type.getFields()).map((field) => ({ type: type.name, field })) : [],
    );
    const connections = fields.filter(({ field }) => /Connection$/.test(getNamedType(field.type).name));
    expect(connections.length).toBeGreaterThan(15);
    for (const { type, field } of connections) {
      const names = field.args.map(({ name }) => name);
      expect([type, field.name, names]).toEqual([type, field.name, expect.arrayContaining(['first', 'last'])]);
    }
  });

  test('deeply nested variables are rejected over HTTP and WebSocket', async () => {
    const [alice] = await quickUsers(1);
    const payload = `{"query":"query ($f: DialogFilter) { dialogs(filter: $f) { totalCount } }","variables":{"f":${'{"or":['.repeat(30_000)}${']}'.repeat(30_000)}}}`;
    const response = await fetch(`${running.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...alice!.headers },
      body: payload,
    });
    const { errors } = (await response.json()) as { errors: { extensions: { code: string } }[] };
    expect(errors[0]!.extensions.code).toBe('BAD_USER_INPUT');
    const socket = await connect(alice!);
    socket.socket.send(`{"id":"deep","type":"subscribe","payload":${payload}}`);
    const answer = await socket.find((message) => message.id === 'deep');
    expect(answer).toMatchObject({ type: 'error', payload: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
    await socket.close();
  });
});

describe('limits of requests', () => {
  const padded = (bytes: number): string => {
    const head = '{"query":"{ __typename }","variables":{"x":"';
    return `${head}${'x'.repeat(bytes - head.length - 3)}"}}`;
  };

  test('row 35: a body of 1 MiB is accepted, and one more byte is rejected', async () => {
    const post = (body: string) =>
      fetch(`${running.url}/graphql`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
    const fitting = await post(padded(1024 * 1024));
    expect(await fitting.json()).toEqual({ data: { __typename: 'Query' } });
    const refused = await post(padded(1024 * 1024 + 1));
    expect(refused.status).toBe(413);
    expect(await refused.json()).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
  });

  test('a body without Content-Length is cut off at 1 MiB', async () => {
    const status = await new Promise<number | string>((resolve) => {
      const call = request(`${running.url}/graphql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' },
      });
      call.on('response', (response) => {
        resolve(response.statusCode!);
        response.resume();
        call.destroy();
      });
      call.on('error', (error) => resolve(String(error)));
      const chunk = Buffer.alloc(64 * 1024, ' ');
      let sent = 0;
      const write = () => {
        if (call.destroyed || sent >= 4 * 1024 * 1024) return;
        sent += chunk.length;
        call.write(chunk, () => setImmediate(write));
      };
      write();
    });
    expect(status).toBe(413);
  });

  test('a compressed body does not bypass the limit', async () => {
    const { gzipSync } = await import('node:zlib');
    const response = await fetch(`${running.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
      body: gzipSync(padded(8 * 1024 * 1024)),
    });
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.status).toBeLessThan(500);
  });

  test('row 2: a frame of 1 MiB is accepted, and one more byte closes the socket', async () => {
    const socket = await connect(apiKey);
    const head = '{"id":"1","type":"subscribe","payload":';
    socket.socket.send(`${head}${padded(1024 * 1024 - head.length - 1)}}`);
    expect(await socket.find((message) => message.id === '1')).toMatchObject({
      payload: { data: { __typename: 'Query' } },
    });
    const other = await connect(apiKey);
    other.socket.send(`${head}${padded(1024 * 1024 - head.length)}}`);
    expect((await other.closed).code).toBe(1009);
    expect((await socket.run('{ __typename }')).data).toEqual({ __typename: 'Query' });
    await socket.close();
  });

  test('row 5: a batch of requests is rejected', async () => {
    const response = await fetch(`${running.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify([{ query: '{ __typename }' }, { query: '{ __typename }' }]),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
  });

  test('row 36: GET runs queries but no mutations', async () => {
    const get = async (query: string) => {
      const response = await fetch(`${running.url}/graphql?query=${encodeURIComponent(query)}`, {
        headers: { Accept: 'application/json', ...apiKey.headers },
      });
      return (await response.json()) as { data?: unknown; errors?: { extensions: { code: string } }[] };
    };
    expect(await get('{ __typename }')).toEqual({ data: { __typename: 'Query' } });
    const refused = await get('mutation { createUser(input: { login: "by-get", password: "password-1" }) { id } }');
    expect(refused.errors![0]!.extensions.code).toBe('BAD_USER_INPUT');
    expect(refused.data).toBeUndefined();
  });
});

describe('limits of sockets', () => {
  test('row 35: a socket runs at most 100 operations at a time', async () => {
    const [alice] = await quickUsers(1);
    const dialogId = await createDialog(alice!, [alice!]);
    const socket = await connect(alice!);
    const subscribe = (id: string) =>
      socket.send({ id, type: 'subscribe', payload: { query: MESSAGE_SENT, variables: { dialogId } } });
    for (let nth = 1; nth <= 100; nth++) subscribe(`s${nth}`);
    await until(() => running.app.services.hub.subscriptionCount === 100);
    subscribe('s101');
    expect(await socket.find((message) => message.id === 's101')).toMatchObject({
      type: 'error',
      payload: [{ extensions: { code: 'BAD_USER_INPUT' } }],
    });
    socket.send({ id: 's1', type: 'complete' });
    await until(() => running.app.services.hub.subscriptionCount === 99);
    subscribe('s102');
    await until(() => running.app.services.hub.subscriptionCount === 100);
    await socket.close();
    await until(() => running.app.services.hub.subscriptionCount === 0);
  });

  test('row 35: a socket that never sends connection_init is closed', async () => {
    const socket = await openSocket();
    expect((await socket.closed).code).toBe(4408);
  });

  test('a socket without credentials receives no data', async () => {
    const early = await openSocket();
    early.send({ id: '1', type: 'subscribe', payload: { query: '{ __typename }' } });
    expect((await early.closed).code).toBe(4401);
  });

  test('row 35: a client that sends without reading is disconnected, and no responses accumulate', async () => {
    const [alice] = await quickUsers(1);
    const socket = await connect(alice!);
    const before = process.memoryUsage().rss;
    socket.socket.pause();
    const payload = { type: 'ping', payload: { x: 'x'.repeat(900_000) } };
    let isClosed = false;
    void socket.closed.then(() => {
      isClosed = true;
    });
    for (let sent = 0; sent < 80 && socket.socket.readyState === socket.socket.OPEN; sent++) {
      await new Promise<void>((resolve) => socket.socket.send(JSON.stringify(payload), () => resolve()));
    }
    socket.socket.resume();
    expect((await socket.closed).code).toBe(4429);
    expect(isClosed).toBe(true);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  });

  test('upgrades to other paths and other protocols are refused', async () => {
    const { WebSocket } = await import('ws');
    const base = running.url.replace('http', 'ws');
    const outcome = (url: string, protocol?: string) =>
      new Promise<string>((resolve) => {
        const socket = protocol ? new WebSocket(url, protocol) : new WebSocket(url);
        socket.on('close', (code) => resolve(`closed ${code}`));
        socket.on('error', (error) => resolve(error.message));
      });
    expect(await outcome(`${base}/other`, 'graphql-transport-ws')).toContain('404');
    expect(await outcome(`${base}/graphql`, 'graphql-ws')).toMatch(/closed 4406|subprotocol/i);
    expect(await outcome(`${base}/graphql`)).toMatch(/closed 4406/);
  });
});

describe('introspection', () => {
  test('introspection answers the queries of explorers and code generators', async () => {
    const { data } = await graphql(
      getIntrospectionQuery({ descriptions: true, inputValueDeprecation: true }),
      {},
      anonymous,
    );
    expect(data.__schema.mutationType.name).toBe('Mutation');
  });

  test('row 6: introspection does not bypass the depth limit', async () => {
    const deep = `{ __schema { types { ${'fields { type { '.repeat(6)} name ${'} } '.repeat(6)} } } }`;
    expect(await errorOf(deep, {}, anonymous)).toMatchObject({ code: 'BAD_USER_INPUT' });
  });
});

describe('subscriptions as server-sent events', () => {
  test('a stream delivers events', async () => {
    const [alice, bob] = await quickUsers(2);
    const dialogId = await createDialog(alice!, [bob!]);
    const stream = await streamEvents(MESSAGE_SENT, { dialogId }, bob!);
    expect([stream.status, stream.contentType]).toEqual([200, 'text/event-stream']);
    await until(() => running.app.services.hub.subscriptionCount === 1);
    const id = await send(alice!, dialogId, 'hi');
    await until(() => stream.results.length > 0);
    expect(stream.results[0].data.messageSent).toMatchObject({ dialogId, message: { id, text: 'hi' } });
    const missed = await send(alice!, dialogId, 'missed by nobody');
    const resumed = await streamEvents(MESSAGE_SENT, { since: stream.results[0].data.messageSent.cursor }, bob!);
    await until(() => resumed.results.length > 0);
    expect(resumed.results[0].data.messageSent.message.id).toBe(missed);
    stream.abort();
    resumed.abort();
    await until(() => running.app.services.hub.subscriptionCount === 0);
  });

  test('a stream refuses the callers that a socket refuses', async () => {
    const [alice, mallory] = await quickUsers(2);
    const dialogId = await createDialog(alice!, [alice!]);
    const stream = await streamEvents(MESSAGE_SENT, { dialogId }, mallory!);
    await stream.ended;
    expect(stream.results).toMatchObject([{ errors: [{ extensions: { code: 'FORBIDDEN' } }] }]);
  });
});

test('row 44: sockets that break off at any moment leave nothing open', async () => {
  const [alice] = await quickUsers(1);
  const dialogId = await createDialog(alice!, [alice!]);
  const { hub } = running.app.services;
  const breakOff: ((socket: RawSocket) => void)[] = [
    () => {},
    (socket) => socket.send({ type: 'connection_init', payload: alice!.headers }),
    (socket) => {
      socket.send({ type: 'connection_init', payload: alice!.headers });
      setTimeout(() => socket.send({ id: '1', type: 'subscribe', payload: { query: MESSAGE_SENT } }), 8);
    },
  ];
  await Promise.all(
    Array.from({ length: 45 }, async (_, nth) => {
      const socket = await openSocket();
      breakOff[nth % 3]!(socket);
      await new Promise((resolve) => setTimeout(resolve, nth % 20));
      socket.socket.terminate();
      await socket.closed;
    }),
  );
  const received = await listen(MESSAGE_SENT, { dialogId }, alice!);
  await send(alice!, dialogId, 'hi');
  await received.atLeast(1);
  await received.close();
  await until(() => hub.subscriptionCount === 0);
  expect(await execute('{ me { id } }', {}, alice!)).toEqual({ me: { id: alice!.id } });
});

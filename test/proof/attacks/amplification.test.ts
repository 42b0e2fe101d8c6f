import { request } from 'node:http';
import { connect } from 'node:net';
import { Dicer } from '@fastify/busboy';
import { parse } from 'graphql';
import { describe, expect, test, vi } from 'vitest';
import { limitProblem } from '../../../src/graphql/document-limits.ts';
import { keptDocumentBytes, preparedDocument } from '../../../src/graphql/documents.ts';
import { compiledBytes } from '../../../src/graphql/execute.ts';
import { schema } from '../../../src/schema/index.ts';
import { running, useApp } from '../../support/app/app.ts';
import { until } from '../../support/app/until.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { codeOf, GRAPHQL_TRANSPORTS } from '../../support/clients/transports.ts';
import { insertSession, insertUser } from '../../support/fixtures/callers.ts';
import { createDialog, type QuickUser, quickUsers, send } from '../../support/fixtures/chat.ts';
import { anonymous } from '../../support/fixtures/users.ts';
import type { GraphqlAnswer } from '../../support/operations/outcomes.ts';

const HOUR = 3600;

useApp({ limits: { default: { quota: 1_000, windowSeconds: HOUR } } });

const repeat = (count: number, part: (nth: number) => string): string =>
  Array.from({ length: count }, (_, nth) => part(nth)).join(' ');

const REFERENCES = '{ ...T ofType { ...T ofType { ...T ofType { ...T } } } }';
const NAMES = 'fragment U on __Type';

const AMPLIFYING: [name: string, document: string][] = [
  [
    'fragments of types',
    `{ __schema { types { fields { type ${REFERENCES} } } } }
     fragment T on __Type { fields { type { ...U ofType { ...U } } } } ${NAMES} { ${repeat(40, (nth) => `a${nth}: __typename`)} }`,
  ],
  ['aliases of __typename', `{ __schema { types { ${repeat(60, (nth) => `a${nth}: __typename`)} } } }`],
  ['aliases of lists', `{ __schema { types { ${repeat(8, (nth) => `a${nth}: fields { type { name } }`)} } } }`],
  ['aliases of __schema', `{ ${repeat(50, (nth) => `a${nth}: __schema { types { fields { name } } }`)} }`],
  [
    'aliases of __type',
    `{ ${repeat(50, (nth) => `a${nth}: __type(name: "Query") { fields { args { name type { name } } } }`)} }`,
  ],
  ['an inline fragment', `{ ... on Query { a: __schema { types { fields { args { type { name } } } } } } }`],
  ['a directive', `{ __schema @include(if: true) { types { fields { args { type { fields { name } } } } } } }`],
];

const fieldsOf = (value: unknown): number =>
  value === null || typeof value !== 'object'
    ? 0
    : Object.entries(value).reduce((sum, [, item]) => sum + fieldsOf(item) + (Array.isArray(value) ? 0 : 1), 0);

async function post(
  body: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; json: GraphqlAnswer }> {
  const response = await fetch(`${running.url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body,
  });
  return { status: response.status, json: (await response.json()) as GraphqlAnswer };
}

/** A user with 20 messages of 30 kB each; `longTexts(n)` requests 40 copies of n texts. */
async function userWithLongTexts() {
  const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
  const dialogId = await createDialog(alice, [bob]);
  for (let nth = 0; nth < 20; nth++) await send(alice, dialogId, 'x'.repeat(30_000));
  const texts = repeat(40, (nth) => `t${nth}: text`);
  return {
    session: await insertSession(alice.id),
    longTexts: (count: number) =>
      `{ messages(dialogId: "${dialogId}", first: ${count}) { edges { node { ${texts} } } } }`,
  };
}

describe('#48 introspection amplification', () => {
  test('limits apply to introspection on every transport', async () => {
    const alice = await insertSession(await insertUser());
    for (const [name, document] of AMPLIFYING) {
      for (const [transport, run] of GRAPHQL_TRANSPORTS) {
        expect([name, transport, codeOf(await run(document, {}, alice))]).toEqual([name, transport, 'BAD_USER_INPUT']);
      }
      const got = await fetch(`${running.url}/graphql?${new URLSearchParams({ query: document })}`);
      expect([name, codeOf((await got.json()) as GraphqlAnswer)]).toEqual([name, 'BAD_USER_INPUT']);
      const stream = await fetch(`${running.url}/graphql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' },
        body: JSON.stringify({ query: document }),
      });
      expect([name, (await stream.text()).includes('BAD_USER_INPUT')]).toEqual([name, true]);
    }
  });

  test('accepted introspection returns at most 200 fields per byte of the request', async () => {
    const accepted = [
      '{ __schema { types { name } } }',
      '{ __schema { types { name fields { name type { name } } } } }',
      `{ ${repeat(50, (nth) => `a${nth}: __type(name: "Mutation") { fields { name } }`)} }`,
      `{ __schema { types { ${repeat(45, (nth) => `a${nth}: __typename`)} } } }`,
    ];
    for (const document of accepted) {
      const { data, errors } = await graphql(document, {}, anonymous);
      const fields = errors ? 0 : fieldsOf(data);
      expect([document.slice(0, 50), fields <= 100_000, fields / document.length <= 200]) //
        .toEqual([document.slice(0, 50), true, true]);
    }
  });

  test('the service rejects a response above 16 MiB on every transport', async () => {
    const { session, longTexts } = await userWithLongTexts();
    const document = longTexts(20);
    for (const [transport, run] of GRAPHQL_TRANSPORTS) {
      const { data, errors } = await run(document, {}, session);
      expect([transport, data ?? null, errors]).toMatchObject([
        transport,
        null,
        [{ message: 'The response is larger than 16777216 bytes', extensions: { code: 'BAD_USER_INPUT' } }],
      ]);
    }
  });

  test.each([
    ['long aliases', `{ __schema { types { ${'x'.repeat(101)}: name } } }`, 'Alias length limit of 100 exceeded'],
    [
      'operations that share a chain of fragments',
      `${repeat(51, (nth) => `query o${nth} { ...f0 }`)} ${repeat(50, (nth) => `fragment f${nth} on Query { ...f${nth + 1} }`)} fragment f50 on Query { __typename }`,
      'Operations limit of 50 exceeded',
    ],
    [
      'pairs of fragments',
      `{ me { ${repeat(201, (nth) => `...f${nth}`)} } } ${repeat(201, (nth) => `fragment f${nth} on User { id }`)}`,
      'Fragments limit of 200 exceeded',
    ],
    ['long names', `{ ${'x'.repeat(256)} }`, 'Name length limit of 255 exceeded'],
    ['literals that an error repeats', `{ messages(dialogId: ${'9'.repeat(900_000)}0.5) { edges { cursor } } }`, ''],
  ])('%s are rejected with an error below 2,000 characters', async (_name, document, message) => {
    const { errors } = await graphql(document, {}, anonymous);
    expect(errors![0]!.message).toContain(message);
    expect(JSON.stringify(errors).length).toBeLessThan(2_000);
  });

  test('invalid variables yield one short error on every transport', async () => {
    const alice = await insertSession(await insertUser());
    const wrong = Object.fromEntries(Array.from({ length: 5_000 }, (_, nth) => [`k${nth}`, 1]));
    for (const [transport, run] of GRAPHQL_TRANSPORTS) {
      const { errors } = await run('query ($f: UserFilter) { users(filter: $f) { totalCount } }', { f: wrong }, alice);
      expect([transport, errors!.length, errors![0]!.extensions?.code]).toEqual([transport, 1, 'BAD_USER_INPUT']);
      expect(JSON.stringify(errors).length).toBeLessThan(2_000);
    }
  });

  test('the complexity limit counts the values of variables at every use, on every transport', async () => {
    const alice = await insertSession(await insertUser());
    const filter = { fullName: { contains: 'x' } };
    const uses = (count: number) =>
      `query ($f: UserFilter) { ${repeat(count, (nth) => `a${nth}: users(filter: $f) { totalCount }`)} }`;
    const ids = Array.from({ length: 50_000 }, (_, nth) => nth + 1);
    const items = `query ($a: String!) { users(filter: { login: { in: [${repeat(900, () => '$a')}] } }) { totalCount } }`;
    for (const [transport, run] of GRAPHQL_TRANSPORTS) {
      const outcome = async (document: string, variables: Record<string, unknown>) => {
        const { errors } = await run(document, variables, alice);
        return [transport, errors?.[0]?.message];
      };
      const refused = [transport, 'Request parameters are too complex'];
      expect(await outcome(uses(20), { f: filter })).toEqual([transport, undefined]);
      expect(await outcome(uses(20), { f: { id: { in: ids } } })).toEqual(refused);
      expect(await outcome(items, { a: 'x'.repeat(20_000) })).toEqual(refused);
      const byDefault = `query ($a: String! = "${'x'.repeat(20_000)}") { users(filter: { login: { in: [${repeat(900, () => '$a')}] } }) { totalCount } }`;
      expect(await outcome(byDefault, {})).toEqual(refused);
      const alternatives = Array.from({ length: 60 }, () => ({ login: { eq: null } }));
      const conditions = `query ($f: UserFilter!) { users(filter: { or: [${repeat(100, () => '$f')}] }) { totalCount } }`;
      expect(await outcome(conditions, { f: { or: alternatives } })).toEqual(refused);
      const fragments = `query ($f: UserFilter) { ...A ...B } fragment A on Query { ...B ...C } fragment B on Query { ...C }
        fragment C on Query { ${repeat(10, (nth) => `a${nth}: users(filter: $f) { totalCount }`)} }`;
      expect(await outcome(fragments, { f: { id: { in: ids } } })).toEqual(refused);
    }
  });

  test('invalid variables of a cached document count against the rate limit', async () => {
    const document = 'query ($id: Int!) { user(id: $id) { id } }';
    const alice = await insertSession(await insertUser());
    await graphql(document, { id: 1 }, alice);
    const outcomes = new Set<string>();
    for (let sent = 0; sent < 1_000 && !outcomes.has('RATE_LIMITED'); sent++) {
      outcomes.add(codeOf(await graphql(document, { id: 'x' }, alice)));
    }
    expect([...outcomes]).toEqual(['BAD_USER_INPUT', 'RATE_LIMITED']);
  });

  test('limitProblem visits a fragment once for all operations of a document', () => {
    const chain = `${repeat(150, (nth) => `fragment f${nth} on Query { ...f${nth + 1} }`)} fragment f150 on Query { __typename }`;
    const typesAsked = (operations: number) => {
      let asked = 0;
      const counting = Object.create(schema, {
        getType: {
          value: (name: string) => {
            asked++;
            return schema.getType(name);
          },
        },
      }) as typeof schema;
      const document = parse(`${repeat(operations, (nth) => `query o${nth} { ...f0 }`)} ${chain}`);
      expect(limitProblem({ document, schema: counting })).toBeUndefined();
      return asked;
    };
    expect(typesAsked(50)).toBe(typesAsked(1));
  });

  test('unread responses hold a bounded amount of memory, and other requests are served', async () => {
    const { session, longTexts } = await userWithLongTexts();
    const body = JSON.stringify({ query: longTexts(10) });
    const credentials = Object.entries(session.headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`);
    const sockets = Array.from({ length: 12 }, () => {
      const socket = connect(Number(new URL(running.url).port), '127.0.0.1');
      socket.on('error', () => {});
      socket.pause();
      socket.write(
        `POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${credentials.join('')}` +
          `Content-Length: ${body.length}\r\n\r\n${body}`,
      );
      return socket;
    });
    // 12 responses of 12 MB exceed the limit. A paused socket notices that the service closed it only when it writes.
    await until(() => {
      for (const socket of sockets) if (!socket.destroyed) socket.write('\n');
      return sockets.some(({ destroyed }) => destroyed);
    });
    expect(codeOf(await graphql('{ me { id } }', {}, await insertSession(await insertUser())))).toBe('served');
    for (const socket of sockets) socket.destroy();
  });
});

describe('#48 multipart amplification', () => {
  async function postParts(path: string, count: number, part: string, as = anonymous) {
    const emitted = vi.spyOn(Dicer.prototype, 'emit');
    const body = `${part.repeat(count)}--B--\r\n`;
    try {
      const headers = { 'Content-Type': 'multipart/form-data; boundary=B', ...as.headers };
      const response = await fetch(`${running.url}${path}`, { method: 'POST', headers, body });
      const parts = emitted.mock.calls.filter(([name]) => name === 'part').length;
      return { status: response.status, text: await response.text(), parts };
    } finally {
      emitted.mockRestore();
    }
  }
  const NAMED = '--B\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n';
  const BARE = '--B\r\n\r\n\r\n';
  const TOO_COMPLEX = { status: 400, text: '{"errors":["Request parameters are too complex"]}' };

  test('parts above the limit for callers without credentials are not parsed', async () => {
    const refused = await postParts('/session.json', 14_000, NAMED);
    expect(refused).toMatchObject(TOO_COMPLEX);
    expect(refused.parts).toBeGreaterThan(1_000);
    expect(refused.parts).toBeLessThan(2_000);
    const read = await postParts('/session.json', 1_000, NAMED);
    expect(read.text).not.toBe(TOO_COMPLEX.text);
    expect(read.parts).toBe(1_000);
  });

  test('parts above the limit of keys are not parsed, even without names', async () => {
    const alice = await insertSession(await insertUser());
    const refused = await postParts('/data/nothing.json', 100_000, BARE, alice);
    expect(refused).toMatchObject(TOO_COMPLEX);
    expect(refused.parts).toBeGreaterThan(20_000);
    expect(refused.parts).toBeLessThan(21_000);
  });
});

describe('#49 cache exhaustion', () => {
  const list = (nth: number) => `query q${nth} { presence(userIds: [${'1 '.repeat(9_700)}]) { online } }`;

  test('the caches of documents and of compiled operations have limits in bytes', async () => {
    const alice = await insertSession(await insertUser());
    for (let nth = 0; nth < 60; nth++) await graphql(list(nth), {}, alice);
    expect(keptDocumentBytes()).toBeLessThanOrEqual(64 * 1024 * 1024);
    expect(compiledBytes()).toBeLessThanOrEqual(32 * 1024 * 1024);
    expect(compiledBytes()).toBeGreaterThan(24 * 1024 * 1024);
    expect(preparedDocument(list(59), schema)).toBeDefined();
    expect(preparedDocument(list(0), schema)).toBeUndefined();
    const kept = preparedDocument(list(59), schema)!;
    expect(kept.errors ?? kept.document.definitions[0]).not.toHaveProperty('loc.startToken');
  });

  test('rejected documents of callers without valid credentials are not cached', async () => {
    const [wrong, alice] = [{ headers: { 'SVC-Token': 'x' } }, await insertSession(await insertUser())];
    for (const [nth, as] of [anonymous, wrong].entries()) {
      const document = `{ nothing${nth} }`;
      await graphql(document, {}, as);
      expect(preparedDocument(document, schema)).toBeUndefined();
    }
    await graphql('{ nothing9 }', {}, alice);
    expect(preparedDocument('{ nothing9 }', schema)).toBeDefined();
  });

  test('documents of a caller over the quota are not parsed, on any transport', async () => {
    const alice = await insertSession(await insertUser());
    const operations = repeat(50, (nth) => `a${nth}: me { id }`);
    for (let nth = 0; nth <= 20; nth++) await graphql(`{ ${operations} }`, {}, alice);
    for (const [transport, run] of GRAPHQL_TRANSPORTS) {
      const document = `{ me { login } } # ${transport}`;
      expect([transport, codeOf(await run(document, {}, alice))]).toEqual([transport, 'RATE_LIMITED']);
      expect(preparedDocument(document, schema)).toBeUndefined();
    }
  });

  test('slow large bodies without credentials hold a bounded amount of memory', async () => {
    const begun = Array.from({ length: 60 }, () => {
      const call = request(`${running.url}/graphql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Content-Length': '1000000' },
      });
      const ended = new Promise<number | undefined>((resolve) => {
        call.on('response', (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        call.on('error', () => resolve(undefined));
      });
      call.write(' '.repeat(900_000));
      return { call, ended };
    });
    // Above 32 MiB, further bodies are refused while the first ones are still incomplete.
    expect(await Promise.race(begun.map(({ ended }) => ended))).toBe(503);
    expect((await post('{"query":"{ __typename }"}')).json).toEqual({ data: { __typename: 'Query' } });
    for (const { call } of begun) call.destroy();
    await Promise.all(begun.map(({ ended }) => ended));
  });
});

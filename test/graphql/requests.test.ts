import { describe, expect, test } from 'vitest';
import { running, useApp } from '../support/app/app.ts';
import { codeOf, GRAPHQL_TRANSPORTS } from '../support/clients/transports.ts';
import { apiKey } from '../support/fixtures/users.ts';

useApp();

test.each([
  ['variables', '{'],
  ['variables', 'x'],
  ['extensions', "{'a':1}"],
  ['extensions', '\0'],
])('a GET whose %s are not valid JSON is rejected: %j', async (name, text) => {
  const parameters = new URLSearchParams({ query: '{ __typename }', [name]: text });
  const response = await fetch(`${running.url}/graphql?${parameters}`);
  const error = {
    message: `The parameter ${name} is no JSON`,
    extensions: { code: 'BAD_USER_INPUT', reason: 'PARAMETER_NOT_JSON', parameters: { name } },
  };
  expect([response.status, await response.json()]).toEqual([400, { errors: [error] }]);
});

test.each([
  'application/json',
  'application/graphql-response+json, application/json;q=0.9',
  'application/json, multipart/mixed',
  '*/*',
])('the error of an operation is answered to a client that accepts %s', async (accept) => {
  for (const [query, code] of [
    ['{ me { id } }', 'UNAUTHENTICATED'],
    ['{ user(id: 2147483647) { id } }', 'NOT_FOUND'],
  ]) {
    const headers = { ...(code === 'NOT_FOUND' && apiKey.headers), 'Content-Type': 'application/json', Accept: accept };
    const response = await fetch(`${running.url}/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query }),
    });
    expect((await response.json()).errors[0].extensions.code).toBe(code);
  }
});

test('the members of a response follow the first selection that counts', async () => {
  for (const [query, order] of [
    ['{ users(first: 1) { totalCount @skip(if: true) __typename totalCount } }', '__typename,totalCount'],
    [
      '{ users(first: 1) { totalCount @include(if: false) __typename totalCount @skip(if: false) } }',
      '__typename,totalCount',
    ],
    ['{ users(first: 1) { totalCount __typename totalCount @skip(if: true) } }', 'totalCount,__typename'],
    ['{ users(first: 1) { ... @skip(if: true) { totalCount } __typename totalCount } }', '__typename,totalCount'],
  ] as const) {
    for (const [name, run] of GRAPHQL_TRANSPORTS) {
      const { data } = (await run(query, {}, apiKey)) as { data: { users: object } };
      expect([name, query, Object.keys(data.users).join()]).toEqual([name, query, order]);
    }
  }
});

test.each([
  ['application/json;q=0.5, application/graphql-response+json', 'application/graphql-response+json'],
  ['application/graphql-response+json;q=0.1, application/json;q=0.2', 'application/json'],
  ['application/graphql-response+json;q=0, application/json', 'application/json'],
  ['text/html;q=0.9, */*;q=0.1, application/graphql-response+json;q=0.5', 'application/graphql-response+json'],
])('Accept: %s is answered with %s', async (accept, mediaType) => {
  for (const query of ['{ __typename }', '{ __schema { queryType { name } } }', '{ unknownField }']) {
    const headers = { 'Content-Type': 'application/json', Accept: accept };
    const response = await fetch(`${running.url}/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query }),
    });
    expect([query, response.headers.get('content-type')]).toEqual([query, `${mediaType}; charset=utf-8`]);
    await response.body?.cancel();
  }
});

test('an alias may be the name of a member of all objects', async () => {
  const query = '{ users(first: 1) { __proto__: totalCount constructor: totalCount toString: __typename } }';
  const headers = { ...apiKey.headers, 'Content-Type': 'application/json' };
  const response = await fetch(`${running.url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
  const expected = '{"data":{"users":{"__proto__":0,"constructor":0,"toString":"QueryUsersConnection"}}}';
  expect([response.status, (await response.text()).replaceAll(/:\d+/g, ':0')]).toEqual([200, expected]);
});

describe('a non-integer page size', () => {
  const document = 'query ($size: Int) { users(first: $size) { totalCount } }';

  test.each([[{ toString: 'x', valueOf: 1 }], [[2]], [['x']], [true], ['2'], [1e300], [1.5]])(
    'every transport rejects the page size %j',
    async (size) => {
      for (const [name, run] of GRAPHQL_TRANSPORTS) {
        expect([name, codeOf(await run(document, { size }, apiKey))]).toEqual([name, 'BAD_USER_INPUT']);
      }
      const parameters = new URLSearchParams({ query: document, variables: JSON.stringify({ size }) });
      const response = await fetch(`${running.url}/graphql?${parameters}`, { headers: apiKey.headers });
      const { errors } = (await response.json()) as { errors: { extensions: { code: string } }[] };
      expect([response.status, errors[0]!.extensions.code]).toEqual([400, 'BAD_USER_INPUT']);
    },
  );
});

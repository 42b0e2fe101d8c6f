import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { running, useApp } from '../support/app/app.ts';
import { apiKey } from '../support/fixtures/users.ts';

useApp();

interface Answer {
  status: number | undefined;
  headers: Record<string, unknown>;
  body: string;
}

function post(body: string, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(`${running.url}/graphql`, { method: 'POST', headers }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      const { date: _date, 'x-request-id': _id, ratelimit: _rest, ...fixed } = response.headers;
      resolve({ status: response.statusCode, headers: fixed, body: Buffer.concat(chunks).toString() });
    });
    sent.on('error', reject).end(body);
  });
}

const JSON_TYPE = 'application/json';
/** A parameter of the content type, which `plainRequest` leaves to Yoga. */
const YOGA_TYPE = 'application/json; charset="utf-8"';

const operations: [about: string, body: unknown][] = [
  ['a query', { query: '{ __typename users(first: 1) { totalCount } }' }],
  ['a named query', { query: 'query A { __typename } query B { b: __typename }', operationName: 'B' }],
  ['no operation name for two operations', { query: 'query A { __typename } query B { b: __typename }' }],
  ['an unknown operation name', { query: 'query A { __typename }', operationName: 'C' }],
  ['an operation name of a wrong type', { query: 'query A { __typename }', operationName: 1 }],
  ['variables', { query: 'query ($n: Int) { users(first: $n) { totalCount } }', variables: { n: 1 } }],
  ['null for optional members', { query: '{ __typename }', variables: null, operationName: null, extensions: null }],
  ['extensions', { query: '{ __typename }', extensions: { some: 1 } }],
  ['an invalid variable', { query: 'query ($n: Int) { users(first: $n) { totalCount } }', variables: { n: 'x' } }],
  ['variables of a wrong type', { query: '{ __typename }', variables: [1] }],
  ['extensions of a wrong type', { query: '{ __typename }', extensions: 'x' }],
  ['an unknown member', { query: '{ __typename }', other: 1 }],
  ['a mutation that fails', { query: 'mutation { deleteUser(input: { id: 1 }) { id } }' }],
  ['a field error beside data', { query: '{ __typename user(id: 999999) { id } }' }],
  ['a syntax error', { query: '{' }],
  ['an unknown field', { query: '{ unknownField }' }],
  ['a query of a wrong type', { query: 1 }],
  ['no query', {}],
  ['introspection', { query: '{ __schema { queryType { name } } }' }],
  ['a subscription', { query: 'subscription { unknown }' }],
  ['a list', [{ query: '{ __typename }' }]],
  ['a string', 'x'],
];

const accepted = [
  '*/*',
  'application/json',
  'application/graphql-response+json',
  'application/graphql-response+json, application/json',
  'application/json, application/graphql-response+json',
  'application/json, text/plain, */*',
  'application/*',
  'text/event-stream, application/json',
  'APPLICATION/JSON',
  'text/plain',
  'application/graphql-response+json; charset=utf-8, application/json; charset=utf-8',
  'application/json;q=0.5, application/graphql-response+json',
];

const credentials: [string, Record<string, string>][] = [
  ['without credentials', {}],
  ['with an API key', apiKey.headers as Record<string, string>],
  ['with an invalid token', { 'svc-token': 'ffffffffffffffffffffffffffffffffffffffff' }],
];

describe.each(credentials)('%s', (_who, headers) => {
  test.each(operations)('a POST with %s is answered as by Yoga', async (_about, body) => {
    for (const accept of accepted) {
      const sent = { ...headers, accept, origin: 'https://app.example' };
      const plain = await post(JSON.stringify(body), { ...sent, 'content-type': JSON_TYPE });
      const byYoga = await post(JSON.stringify(body), { ...sent, 'content-type': YOGA_TYPE });
      expect([accept, plain]).toEqual([accept, byYoga]);
    }
  });

  test('a POST without origin and Accept is answered as by Yoga', async () => {
    const body = JSON.stringify({ query: '{ __typename }' });
    const plain = await post(body, { ...headers, 'content-type': JSON_TYPE });
    expect(plain.status).toBe(200);
    expect(plain).toEqual(await post(body, { ...headers, 'content-type': YOGA_TYPE }));
  });
});

test.each(['', '{', 'null', '"x"', '\ufeff{"query":"{ __typename }"}', '{"__proto__":{"query":"{ __typename }"}}'])(
  'the body %j is answered as by Yoga',
  async (body) => {
    const plain = await post(body, { 'content-type': JSON_TYPE });
    expect(plain).toEqual(await post(body, { 'content-type': YOGA_TYPE }));
  },
);

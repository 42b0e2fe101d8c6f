import { request } from 'node:http';
import { expect, test } from 'vitest';
import { running, useApp } from '../../support/app/app.ts';
import { rest } from '../../support/clients/rest.ts';
import { anonymous, apiKey, type Caller, createUser } from '../../support/fixtures/users.ts';

useApp();

function statusOfHalf(method: string, path: string, { headers }: Caller): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const call = request(`${running.url}${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', 'Content-Length': '900000', ...headers },
    });
    call.on('response', (response) => {
      resolve(response.statusCode);
      call.destroy();
    });
    call.on('error', reject);
    call.write(`{"x":"${'x'.repeat(100_000)}`);
  });
}

test('row 35: a large body of an unauthorized caller is not read', async () => {
  const user = await createUser();
  const wrong = { headers: { 'SVC-Token': 'x' } };
  const refused: [status: number, method: string, path: string, as: Caller][] = [
    [401, 'POST', '/address_book', anonymous],
    [401, 'POST', '/chat/Message', anonymous],
    [401, 'PUT', '/data/Cars/by_criteria', wrong],
    [403, 'POST', '/class', user],
    [422, 'POST', '/chat/Message', apiKey],
    [404, 'POST', '/no/such/path', anonymous],
  ];
  for (const [status, method, path, as] of refused) {
    const got = await statusOfHalf(method, path, as);
    expect([method, path, got]).toEqual([method, path, status]);
  }
});

test('a malformed small body is reported before the credentials are checked', async () => {
  const headers = { 'Content-Type': 'application/json' };
  const sent = await fetch(`${running.url}/chat/Message`, { method: 'POST', headers, body: '{"x":' });
  expect(sent.status).toBe(400);
  expect((await rest('POST', '/chat/Message', { as: anonymous, json: {} })).status).toBe(401);
});

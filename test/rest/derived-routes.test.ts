import { expect, test } from 'vitest';
import { useApp } from '../support/app/app.ts';
import { JSON_TYPE, rawRequest } from '../support/clients/raw-http.ts';
import { apiKey } from '../support/fixtures/users.ts';

useApp();

const rename = async (json: object, target = '/keys/1') => {
  const headers = { 'Content-Type': JSON_TYPE };
  const { status, text } = await rawRequest('PUT', target, { as: apiKey, headers, body: JSON.stringify(json) });
  return [status, JSON.parse(text).errors];
};

test.each<[string, object, string, string]>([
  ['a time', { expires_at: 'tomorrow' }, 'expires_at', 'Expires at is invalid'],
  ['a list of texts', { scopes: [[]] }, 'scopes', 'Scopes is invalid'],
  ['an item of a list', { on_behalf_of: [1, 'two'] }, 'on_behalf_of', 'On behalf of is invalid'],
  ['an integer of 32 bits', { on_behalf_of: [2 ** 31] }, 'on_behalf_of', 'On behalf of is invalid'],
])('a derived endpoint names a parameter that is no %s', async (_kind, json, field, sentence) => {
  expect(await rename(json)).toEqual([422, expect.objectContaining({ [field]: ['is invalid'] })]);
  expect((await rename(json))[1].base).toEqual([sentence]);
});

test('a derived endpoint reads ids in the path like documented ones', async () => {
  expect(await rename({ name: 'x' }, '/keys/0')).toEqual([422, { id: ['should be a positive integer'] }]);
  expect(await rename({ name: 'x' }, '/keys/99999999999')).toEqual([404, ["The resource wasn't found"]]);
});

test('an enum is written in any case, and answered in lower case', async () => {
  const ask = (operation: string) => rawRequest('GET', `/users/1/access?operation=${operation}`, { as: apiKey });
  expect((await ask('fly')).status).toBe(422);
  for (const operation of ['create_dialog', 'CREATE_DIALOG']) expect((await ask(operation)).status).toBe(404);
});

import { expect, test } from 'vitest';
import { running, useApp } from '../support/app.ts';

useApp();

// What a request over HTTP may look like, beyond the audits of the specification.

test.each([
  ['variables', '{'],
  ['variables', 'x'],
  ['extensions', "{'a':1}"],
  ['extensions', '\0'],
])('a GET whose %s are no JSON is refused: %j', async (name, text) => {
  const parameters = new URLSearchParams({ query: '{ __typename }', [name]: text });
  const response = await fetch(`${running.url}/graphql?${parameters}`);
  const error = { message: `The parameter ${name} is no JSON`, extensions: { code: 'BAD_USER_INPUT' } };
  expect([response.status, await response.json()]).toEqual([400, { errors: [error] }]);
});

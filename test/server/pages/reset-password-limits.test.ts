import { expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { FORM, rawRequest } from '../../support/clients/raw-http.ts';
import { rest } from '../../support/clients/rest.ts';
import { linkIn, mailsTo, tokenIn } from '../../support/fixtures/mails.ts';
import { apiKey, createUser } from '../../support/fixtures/users.ts';

useApp({ limits: { signIn: { quota: 6, windowSeconds: 3600 } } });

const RESET = 'mutation ($token: String!) { resetPassword(token: $token, password: "x") }';

test('rows 22 and 31: reset mails, uses of links and form posts share the limit of the client', async () => {
  await createUser({ email: 'a@x.io' }); // signs in once
  await rest('GET', '/users/password/reset.json?email=a@x.io', { as: apiKey });
  const [mail] = await mailsTo('a@x.io');
  const token = tokenIn(mail!);
  expect((await rest('GET', '/users/password/reset.json?email=nobody@x.io', { as: apiKey })).status).toBe(404);
  await graphql(RESET, { token });
  const post = () =>
    rawRequest('POST', '/reset-password', {
      headers: { 'Content-Type': FORM },
      body: `reset_token=${token}&password=x`,
    });
  expect((await post()).headers.ratelimit).toMatch(/^"default";r=1;t=\d+$/);
  expect((await post()).status).toBe(422);

  const refused = await post();
  expect(refused.status).toBe(429);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect(refused.text).toContain('<p>Rate limit exceeded</p>');
  expect((await graphql(RESET, { token })).errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED' } }]);
  expect((await rest('GET', '/users/password/reset.json?email=a@x.io', { as: apiKey })).status).toBe(429);
  expect((await rawRequest('GET', new URL(linkIn(mail!)).pathname)).status).toBe(200);
});

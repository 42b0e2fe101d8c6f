import { availableParallelism } from 'node:os';
import { afterEach, describe, expect, test } from 'vitest';
import { ServiceUnavailableError } from '../../../src/lib/errors.ts';
import { isSignedBy, sign, signedText } from '../../../src/lib/signature.ts';
import { hashFirstPassword, hashPassword, isPassword } from '../../../src/resolvers/users/passwords.ts';
import { APPLICATION, clock, useApp } from '../../support/app/app.ts';
import { useProductionCost } from '../../support/app/password-cost.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { rest } from '../../support/clients/rest.ts';
import { codeOf, GRAPHQL_TRANSPORTS } from '../../support/clients/transports.ts';
import { connect } from '../../support/clients/websocket.ts';
import { execute } from '../../support/fixtures/chat.ts';
import { mailsTo, tokenIn } from '../../support/fixtures/mails.ts';
import { anonymous, apiKey, createUser, openSession, signedParameters } from '../../support/fixtures/users.ts';

useApp();

afterEach(() => clock.reset());

const formOf = (parameters: Record<string, string>) => new URLSearchParams(parameters).toString();
const RESET = 'mutation ($token: String!, $password: String!) { resetPassword(token: $token, password: $password) }';
const many = <Result>(make: (nth: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: 50 }, (_, nth) => make(nth)));

describe('#21 single-use race', () => {
  test('of 50 concurrent uses of a reset link, one sets a password', async () => {
    const { login } = await createUser({ email: 'race@example.org' });
    await execute('mutation { requestPasswordReset(email: "race@example.org") }', {}, apiKey);
    const token = tokenIn((await mailsTo('race@example.org'))[0]!);
    const answers = await many((nth) => graphql(RESET, { token, password: `password-${nth + 10}` }, anonymous));
    const winners = answers.flatMap((answer, nth) => (codeOf(answer) === 'served' ? [nth] : []));
    expect(winners).toHaveLength(1);
    expect((await openSession({ login, password: `password-${winners[0]! + 10}` })).token).toBeTruthy();
  });

  test('of 50 concurrent sign-ups with one login, one succeeds', async () => {
    const session = await openSession();
    const json = { user: { login: 'raced', password: 'password-1' } };
    const answers = await many(() => rest('POST', '/users', { as: session, json }));
    // Sign-ups above the hashing queue are rejected before a user is stored.
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const { status } of answers) expect([201, 422, 503]).toContain(status);
  });
});

describe('#22 enumeration', () => {
  test('a wrong password and an unknown login get the same response at the same cost', async () => {
    const user = await createUser();
    const session = await openSession();
    const answer = async (login: string) => {
      const { status, text } = await rest('POST', '/login', { as: session, json: { login, password: 'password-9' } });
      return [status, text];
    };
    expect(await answer(user.login)).toEqual(await answer('nobody-has-it'));
    // Checking a missing password also takes a hashing turn, and is rejected when the queue is full.
    const flood = Array.from({ length: availableParallelism() + 100 }, () => hashPassword('password-1'));
    await expect(isPassword('password-1', undefined)).rejects.toThrow(new ServiceUnavailableError());
    await Promise.all(flood);
  });
});

describe('#25 signatures', () => {
  test('a repeated parameter name is rejected, because one signed text must not stand for two sets of parameters', async () => {
    const { signature: _, ...once } = signedParameters({ 'user[login]': 'a', 'user[password]': 'password-1' });
    const pairs = [...Object.entries(once), ['user[login]', 'b'] as [string, string]];
    const signature = sign(pairs, APPLICATION.authSecret, 'sha1');
    const all = [...pairs, ['signature', signature] as [string, string]];
    expect((await rest('POST', '/session', { form: new URLSearchParams(all).toString() })).status).toBe(422);
    const parameters = all.map(([name, value]) => ({ name, value }));
    const document = 'mutation ($p: [SignedParameter!]) { createSession(input: { parameters: $p }) { token } }';
    for (const [, transport] of GRAPHQL_TRANSPORTS) {
      expect(await transport(document, { p: parameters }, apiKey)).toMatchObject({
        errors: [{ message: 'Unexpected signature' }],
      });
    }
    expect(
      signedText([
        ['b', '2'],
        ['a', '1'],
        ['signature', 'x'],
      ]),
    ).toBe('a=1&b=2');
  });

  test('the hash algorithm is that of the application, and a partial signature is rejected', async () => {
    const set = (hash: string) =>
      execute(`mutation { updateApplication(input: { signatureHash: ${hash} }) { id } }`, {}, apiKey);
    await set('SHA256');
    const parameters = signedParameters();
    expect((await rest('POST', '/session', { form: formOf(parameters) })).status).toBe(422);
    const { signature: _, ...unsigned } = parameters;
    const signature = sign(Object.entries(unsigned), APPLICATION.authSecret, 'sha256');
    for (const wrong of ['', signature.slice(1), signature.toUpperCase(), `${signature}0`, '0'.repeat(64)]) {
      const { status, body } = await rest('POST', '/session', { form: formOf({ ...unsigned, signature: wrong }) });
      expect([status, body]).toEqual([422, { errors: { base: ['Unexpected signature'] } }]);
    }
    expect((await rest('POST', '/session', { form: formOf({ ...unsigned, signature }) })).status).toBe(201);
    await set('SHA1');
    expect(isSignedBy(signature, Object.entries(unsigned), APPLICATION.authSecret, 'sha1')).toBe(false);
  });
});

describe('#26 replay', () => {
  test('of 50 concurrent replays of a signed request, one opens a session', async () => {
    const form = formOf(signedParameters());
    const answers = await many(() => rest('POST', '/session', { form }));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const { body } of answers.filter(({ status }) => status !== 201)) {
      expect(body).toEqual({ errors: { base: ['Bad nonce'] } });
    }
    clock.reset(3_601_000);
    expect((await rest('POST', '/session', { form })).body).toEqual({ errors: { base: ['Bad timestamp'] } });
  });
});

describe('#41 denial by expensive logins', () => {
  useProductionCost();

  test('a login is rejected immediately while the hashing queue is full, and succeeds afterwards', async () => {
    const user = await createUser();
    const session = await openSession();
    const login = (json: object) => rest('POST', '/login', { as: session, json });
    // Completed calls requeue immediately, so that the queue stays full.
    let isFlooded = true;
    const flood = Array.from({ length: availableParallelism() + 100 }, async () => {
      while (isFlooded) await hashPassword('password-1');
    });
    const refused = await login({ login: user.login, password: 'password-9' });
    isFlooded = false;
    expect([refused.status, refused.body]).toEqual([503, { errors: ['Service unavailable'] }]);
    await Promise.all(flood);
    expect((await login({ login: user.login, password: user.password })).status).toBe(200);
  }, 300_000);
});

describe('#41 denial by expensive sign-ups', () => {
  useProductionCost();

  test('neither a flood of sign-ups nor sign-ins from one network block other logins', async () => {
    const user = await createUser();
    const session = await openSession();
    const owner = (network: string) => [`application:${APPLICATION.id}`, `network:${network}`];
    let isFlooded = true;
    const repeat = async (hash: () => Promise<unknown>) => {
      while (isFlooded) await hash().catch(() => new Promise((resolve) => setImmediate(resolve)));
    };
    const flood = Array.from({ length: availableParallelism() + 120 }, (_, nth) => [
      repeat(() => hashFirstPassword('password-1', owner(`198.51.100.${nth}`))),
      repeat(() => hashPassword('password-1', owner('192.0.2.1'))),
    ]);
    const json = { login: user.login, password: user.password };
    const { status } = await rest('POST', '/login', { as: session, json });
    isFlooded = false;
    await Promise.all(flood.flat());
    expect(status).toBe(200);
  });
});

describe('#43 expiry is checked on every request', () => {
  test('a recently used session expires on time, on every transport', async () => {
    const user = await createUser();
    const socket = await connect(user);
    for (let nth = 0; nth < 3; nth++) expect((await rest('GET', '/session', { as: user })).status).toBe(200);
    clock.reset(119 * 60_000);
    expect(codeOf(await graphql('{ me { id } }', {}, user))).toBe('served');
    clock.reset((119 + 121) * 60_000);
    expect((await rest('GET', '/session', { as: user })).status).toBe(401);
    expect(codeOf(await graphql('{ me { id } }', {}, user))).toBe('UNAUTHENTICATED');
    expect((await socket.closed).code).toBe(4403);
  });
});

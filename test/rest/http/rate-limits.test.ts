import { afterEach, describe, expect, test, vi } from 'vitest';
import { running, useApp } from '../../support/app/app.ts';
import { rawRequest } from '../../support/clients/raw-http.ts';
import { type RestAnswer, type RestCall, rest } from '../../support/clients/rest.ts';
import { insertKey, insertSession, insertUser, newClient, together } from '../../support/fixtures/callers.ts';
import { TOKEN_REQUIRED } from '../../support/fixtures/error-bodies.ts';
import { type Caller, signedParameters } from '../../support/fixtures/users.ts';

const HOUR = 3600;

useApp({
  limits: { default: { quota: 5, windowSeconds: HOUR }, signIn: { quota: 3, windowSeconds: HOUR } },
  trustProxy: 1,
});

afterEach(() => {
  vi.useRealTimers();
});

const EXCEEDED = { errors: ['Rate limit exceeded'] };

const ask = (as: Caller, path = '/session', call: RestCall = {}) => rest('GET', path, { as, ...call });

async function askOften(count: number, as: Caller): Promise<number[]> {
  const statuses: number[] = [];
  for (let nth = 0; nth < count; nth++) statuses.push((await ask(as)).status);
  return statuses;
}

const remaining = ({ headers }: RestAnswer) => Number(/^"default";r=(\d+);t=\d+$/.exec(headers.get('ratelimit')!)![1]);

function signIn(as: Caller, extra: Record<string, string> = {}): Promise<RestAnswer> {
  return rest('POST', '/session', { as, form: new URLSearchParams(signedParameters(extra)).toString() });
}

describe('exceeded rate limits', () => {
  test('a request above the limit responds 429 with Retry-After, and every response states the remaining quota', async () => {
    const alice = await insertSession(await insertUser());
    const first = await ask(alice);
    expect(first.status).toBe(200);
    expect(first.headers.get('ratelimit-policy')).toBe('"default";q=5;w=3600');
    expect(remaining(first)).toBe(4);
    expect(first.headers.get('retry-after')).toBeNull();
    expect(await askOften(4, alice)).toEqual([200, 200, 200, 200]);

    const { status, body, headers } = await ask(alice);
    expect([status, body]).toEqual([429, EXCEEDED]);
    expect(headers.get('status')).toBe('429 Too Many Requests');
    expect(headers.get('ratelimit-policy')).toBe('"default";q=5;w=3600');
    expect(headers.get('ratelimit')).toMatch(/^"default";r=0;t=3[56]\d\d$/);
    expect(headers.get('retry-after')).toBe(/t=(\d+)/.exec(headers.get('ratelimit')!)![1]);
    expect(headers.get('svc-token-expirationdate')).toBe('2026-11-20 19:46:59 UTC');
  });

  test('a 429 response is available as XML', async () => {
    const alice = await insertSession(await insertUser());
    await askOften(5, alice);
    const { status, text } = await ask(alice, '/session.xml');
    expect(status).toBe(429);
    expect(text).toContain('<errors><error>Rate limit exceeded</error></errors>');
  });

  test('requests succeed again in the next window', async () => {
    const alice = await insertSession(await insertUser());
    await askOften(5, alice);
    expect((await ask(alice)).status).toBe(429);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + HOUR * 1000 });
    expect(remaining(await ask(alice))).toBe(4);
  });
});

describe('rate limit keys', () => {
  test('a user has one quota over all sessions, separate from other users', async () => {
    const userId = await insertUser();
    const [phone, laptop] = [await insertSession(userId), await insertSession(userId)];
    expect(await askOften(3, phone)).toEqual([200, 200, 200]);
    expect(await askOften(3, laptop)).toEqual([200, 200, 429]);
    expect(await askOften(1, phone)).toEqual([429]);
    expect(await askOften(1, await insertSession(await insertUser()))).toEqual([200]);
  });

  test('an API key has one quota, alone and on behalf of users', async () => {
    const key = await insertKey();
    const [alice, bob] = [await insertUser(), await insertUser()];
    const users = [key, ...[alice, bob].map((id) => together(key, { headers: { 'On-Behalf-Of': String(id) } }))];
    for (const user of [...users, users[0]!, users[1]!]) expect((await ask(user, '/chat/Dialog')).status).toBe(200);
    for (const user of users) expect((await ask(user, '/chat/Dialog')).status).toBe(429);
    expect((await ask(await insertKey(), '/chat/Dialog')).status).toBe(200);
  });

  test('application sessions count by client address', async () => {
    const client = newClient();
    const [one, other] = [together(client, await insertSession(null)), together(client, await insertSession(null))];
    expect(await askOften(3, one)).toEqual([200, 200, 200]);
    expect(await askOften(3, other)).toEqual([200, 200, 429]);
    expect(await askOften(1, together(newClient(), await insertSession(null)))).toEqual([200]);
  });

  test('requests without a valid credential count by client address, so invented tokens or keys do not help', async () => {
    const client = newClient();
    const invented: Caller[] = [
      { headers: {} },
      { headers: { 'SVC-Token': 'invented' } },
      { headers: { 'SVC-Token': 'another' } },
      { headers: { Authorization: 'ApiKey invented' } },
      { headers: { Authorization: 'Basic x' } },
    ];
    for (const credential of invented) expect((await ask(together(client, credential))).status).toBe(401);
    for (const credential of invented) expect((await ask(together(client, credential))).body).toEqual(EXCEEDED);
    const { status, body } = await ask(newClient());
    expect([status, body]).toEqual([401, TOKEN_REQUIRED]);
  });

  test('an IPv6 client counts by its /64 network', async () => {
    const from = (address: string): Caller => ({ headers: { 'X-Forwarded-For': address } });
    for (let nth = 0; nth < 5; nth++) expect((await ask(from(`2001:db8::${nth}`))).status).toBe(401);
    expect((await ask(from('2001:db8::ffff:1'))).status).toBe(429);
    expect((await ask(from('2001:db8:0:1::1'))).status).toBe(401);
  });

  test('behind a proxy, the address that the proxy reports counts, not the one that the client claims', async () => {
    const statuses: number[] = [];
    for (let nth = 0; nth < 6; nth++) {
      statuses.push((await ask({ headers: { 'X-Forwarded-For': `10.9.8.${nth}, 198.51.100.7` } })).status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  });
});

describe('the sign-in limit', () => {
  test('sign-ins have a separate quota per client, regardless of credentials', async () => {
    const client = newClient();
    const alice = await insertSession(await insertUser());
    const first = await signIn(client);
    expect(first.status).toBe(201);
    expect(first.headers.get('ratelimit-policy')).toBe('"default";q=3;w=3600');
    expect(remaining(first)).toBe(2);
    expect((await signIn(together(client, alice))).status).toBe(201);
    expect((await signIn(client, { 'user[login]': 'x', 'user[password]': 'y' })).status).toBe(401);
    for (const caller of [client, together(client, alice), together(client, await insertKey())]) {
      const { status, body } = await signIn(caller);
      expect([status, body]).toEqual([429, EXCEEDED]);
    }
    expect((await signIn(newClient())).status).toBe(201);
    expect((await ask(client)).status).toBe(401);
    expect(await askOften(5, together(client, alice))).toEqual([200, 200, 200, 200, 200]);
  });
});

describe('order of the rate limit check', () => {
  test('413 and 404 responses come before the check but count', async () => {
    const alice = await insertSession(await insertUser());
    expect(remaining(await ask(alice, '/nowhere'))).toBe(4);
    expect(await askOften(4, alice)).toEqual([200, 200, 200, 200]);
    const unknown = await ask(alice, '/nowhere');
    expect(unknown.status).toBe(404);
    expect(unknown.headers.get('ratelimit')).toMatch(/r=0/);
    const large = await rawRequest('POST', '/users', { as: alice, body: 'x'.repeat(1024 * 1024 + 1) });
    expect(large.status).toBe(413);
    expect(large.headers.ratelimit).toMatch(/r=0/);
  });

  test('the check comes before the body is parsed and before the caller is rejected', async () => {
    const application = together(newClient(), await insertSession(null));
    const malformed: RestCall = { as: application, form: '{', headers: { 'Content-Type': 'application/json' } };
    expect((await rest('POST', '/users', malformed)).status).toBe(400);
    expect((await rest('POST', '/chat/Dialog', { as: application })).status).toBe(422);
    expect(await askOften(3, application)).toEqual([200, 200, 200]);
    expect((await rest('POST', '/users', malformed)).body).toEqual(EXCEEDED);
    expect((await rest('POST', '/chat/Dialog', { as: application })).body).toEqual(EXCEEDED);
  });

  test('HEAD counts like GET, and a preflight does not count', async () => {
    const client = newClient();
    for (let nth = 0; nth < 6; nth++) {
      const { status, headers } = await rest('OPTIONS', '/session', { as: client });
      expect(status).toBe(200);
      expect(headers.get('ratelimit')).toMatch(/^"default";r=5;t=\d+$/);
      expect(headers.get('access-control-expose-headers')).toContain('Retry-After, RateLimit, RateLimit-Policy');
    }
    const { status, headers, text } = await rawRequest('HEAD', '/session', { as: client }).then((answer) => answer);
    expect([status, text, headers.ratelimit]).toEqual([401, '', expect.stringMatching(/r=4/)]);
  });
});

test('health checks do not count', async () => {
  for (let nth = 0; nth < 7; nth++) {
    const response = await fetch(`${running.url}/healthz`);
    expect([response.status, response.headers.get('ratelimit')]).toEqual([200, null]);
  }
});

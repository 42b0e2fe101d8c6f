import { describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { hashPassword } from '../../../src/resolvers/users/passwords.ts';
import { APPLICATION, running, useApp } from '../../support/app/app.ts';
import { sql } from '../../support/app/sql.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { rest } from '../../support/clients/rest.ts';
import { closeSockets, connect, openSocket, type RawSocket, until } from '../../support/clients/websocket.ts';
import { signedInAdministrator, withoutApplication } from '../../support/fixtures/administrators.ts';
import { insertSession, insertUser, newClient, together } from '../../support/fixtures/callers.ts';
import { MESSAGE_SENT } from '../../support/fixtures/chat.ts';
import { mailsTo } from '../../support/fixtures/mails.ts';
import { apiKey, type Caller } from '../../support/fixtures/users.ts';

const HOUR = 3600;

useApp({
  limits: {
    default: { quota: 8, windowSeconds: HOUR },
    signIn: { quota: 3, windowSeconds: HOUR },
    oldPassword: { quota: 3, windowSeconds: HOUR },
    testMail: { quota: 3, windowSeconds: HOUR },
    invitation: { quota: 1, windowSeconds: HOUR },
  },
  trustProxy: 1,
});

const EXCEEDED = { message: 'Rate limit exceeded', extensions: { code: 'RATE_LIMITED' } };
const from = (address: string): Caller => ({ headers: { 'X-Forwarded-For': address } });

describe('#31 rate-limit bypass', () => {
  test('aliases, transports, header case, path suffixes and method overrides all count for one caller', async () => {
    const session = await insertSession(await insertUser());
    const [token] = Object.values(session.headers);
    const shouted = { headers: { 'sVc-TOKEN': token! } };
    const socket = await connect(session);
    expect((await graphql('{ a: me { id } b: me { id } }', {}, session)).errors).toBeUndefined();
    expect((await socket.run('{ a: me { id } b: me { id } }')).errors).toBeUndefined();
    expect((await rest('GET', '/session', { as: shouted })).status).toBe(200);
    expect((await rest('GET', '/session.xml', { as: session })).status).toBe(200);
    const headers = { 'X-HTTP-Method-Override': 'OPTIONS' };
    expect((await rest('GET', '/session.json', { as: session, headers })).status).toBe(200);
    expect((await rest('GET', '/no/such/path', { as: session })).status).toBe(404);
    for (const as of [session, shouted]) {
      expect((await rest('GET', '/session', { as })).status).toBe(429);
      expect((await graphql('{ me { id } }', {}, as)).errors).toMatchObject([EXCEEDED]);
    }
    expect((await socket.run('{ me { id } }')).errors).toMatchObject([EXCEEDED]);
    await socket.close();
  });

  test('addresses of one IPv6 /64 network count as one client, and forged X-Forwarded-For entries are ignored', async () => {
    const ask = (as: Caller) => rest('GET', '/account_settings', { as });
    for (let nth = 0; nth < 8; nth++) expect((await ask(from(`2001:db8:1:2::${nth}`))).status).toBe(200);
    expect((await ask(from('2001:DB8:1:2:ffff:ffff:ffff:ffff'))).status).toBe(429);
    expect((await ask(from('198.51.100.9, 2001:db8:1:2::99'))).status).toBe(429);
    expect((await ask(from('2001:db8:1:3::1'))).status).toBe(200);
    for (let nth = 0; nth < 8; nth++)
      expect((await ask(from(nth % 2 ? '192.0.2.77' : '::ffff:192.0.2.77'))).status).toBe(200);
    expect((await ask(from('192.0.2.77'))).status).toBe(429);
  });

  test('application sessions count for their network, however many the client opens', async () => {
    const client = newClient();
    const opened = await Promise.all([1, 2, 3].map(() => insertSession(null)));
    const sessions = opened.map((session) => together(client, session));
    for (let nth = 0; nth < 8; nth++) {
      expect((await rest('GET', '/session', { as: sessions[nth % 3]! })).status).toBe(200);
    }
    for (const as of [...sessions, client]) {
      expect((await rest('GET', '/session', { as })).status).toBe(429);
      expect((await graphql('{ session { id } }', {}, as)).errors).toMatchObject([EXCEEDED]);
    }
  });

  test('wrong old passwords are limited for their user on every transport, and block no sign-in of the network', async () => {
    const id = await insertUser();
    await sql('UPDATE users SET password_hash = $2 WHERE id = $1', [id, await hashPassword('password-1')]);
    const as = await insertSession(id);
    const socket = await connect(as);
    const change = 'mutation ($id: Int!, $input: UpdateUserInput!) { updateUser(id: $id, input: $input) { id } }';
    const variables = { id, input: { password: 'password-3', oldPassword: 'password-2' } };
    const json = { user: { password: 'password-3', old_password: 'password-2' } };
    expect((await rest('PUT', `/users/${id}`, { as, json })).status).toBe(422);
    expect((await graphql(change, variables, as)).errors).toMatchObject([{ extensions: { code: 'UNPROCESSABLE' } }]);
    expect((await socket.run(change, variables)).errors).toMatchObject([{ extensions: { code: 'UNPROCESSABLE' } }]);
    const { status, headers } = await rest('PUT', `/users/${id}`, { as, json });
    expect([status, headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)]);
    expect((await graphql(change, variables, as)).errors).toMatchObject([EXCEEDED]);
    expect((await socket.run(change, variables)).errors).toMatchObject([EXCEEDED]);
    await socket.close();
    const session = await insertSession(null);
    const login = { login: 'nobody', password: 'password-9' };
    expect((await rest('POST', '/login', { as: session, json: login })).status).toBe(401);
  });

  test('neither sign-ins of users nor test mails block the console for their network', async () => {
    const client = newClient();
    const session = together(client, await insertSession(null));
    const json = { login: 'nobody', password: 'password-9' };
    for (let nth = 0; nth < 4; nth++) await rest('POST', '/login', { as: session, json });
    expect((await rest('POST', '/login', { as: session, json })).status).toBe(429);
    const query = '{ administratorLink(token: "x") { purpose } }';
    expect(await graphql(query, {}, client)).toMatchObject({ data: { administratorLink: null } });
  });

  test('sign-ins with different sessions count for the address of the client, on every transport', async () => {
    const client = newClient();
    const session = await insertSession(null);
    const json = { login: 'anonymous', password: 'password-9' };
    const login = 'mutation { loginUser(input: { login: "noUsers", password: "password-9" }) { id } }';
    expect((await rest('POST', '/login', { as: together(client, session), json })).status).toBe(401);
    expect(
      (await graphql(`mutation { a: ${login.slice(11, -2)} b: ${login.slice(11)}`, {}, together(client, session)))
        .errors,
    ).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
    const third = await rest('POST', '/login', { as: together(client, await insertSession(null)), json });
    expect([401, 429]).toContain(third.status);
    const fourth = await rest('POST', '/login', { as: together(client, await insertSession(null)), json });
    expect(fourth.status).toBe(429);
    expect((await graphql(login, {}, together(client, session))).errors).toMatchObject([EXCEEDED]);
  });
});

describe('#69 the name of the operator for rent', () => {
  test('test mails count for their application, for every sender, and only for those who may', async () => {
    const TEST = 'mutation { a: testMail(to: "a@example.org") { answer } b: testMail(to: "b@example.org") { answer } }';
    const stranger = together(newClient(), await insertSession(null));
    for (let nth = 0; nth < 4; nth++) {
      expect((await graphql(TEST, {}, stranger)).errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
    }
    const [one, other] = [await signedInAdministrator('developer'), await signedInAdministrator('owner')];
    expect((await graphql(TEST, {}, one)).errors).toBeUndefined();
    expect((await graphql(TEST, {}, other)).errors).toMatchObject([{ ...EXCEEDED, path: ['b'] }]);
    const socket = await connect(apiKey);
    expect((await socket.run(TEST)).errors).toMatchObject([EXCEEDED]);
    await socket.close();
    expect((await mailsTo('a@example.org')).length + (await mailsTo('b@example.org')).length).toBe(3);
  });
});

describe('#69 own texts of an application', () => {
  test('are mailed to 30 unproven addresses a day, and then replaced by those of the service', async () => {
    await db.mailTemplate.create({
      data: {
        applicationId: APPLICATION.id,
        kind: 'passwordReset',
        subject: 'You won',
        text: 'See evil.example {{link}}',
        createdAt: running.now(),
        updatedAt: running.now(),
      },
    });
    const ask = async (email: string, isProven: boolean) => {
      const id = await insertUser();
      await db.user.updateMany({ where: { id }, data: { email, verifiedEmail: isProven ? email : null } });
      const request = 'mutation ($id: Int!, $email: String!) { requestResetLink(applicationId: $id, email: $email) }';
      expect((await graphql(request, { id: APPLICATION.id, email }, newClient())).errors).toBeUndefined();
      await until(async () => (await mailsTo(email)).length === 1);
      await db.user.delete({ where: { applicationId_id: { applicationId: APPLICATION.id, id } } });
      return (await mailsTo(email))[0]!.includes('evil.example');
    };
    expect(await ask('first@example.org', false)).toBe(true);
    await db.dailyUsage.updateMany({ where: { kind: 'ownTexts' }, data: { used: 29 } });
    expect(await ask('thirtieth@example.org', false)).toBe(true);
    expect(await ask('next@example.org', false)).toBe(false);
    expect(await ask('proven@example.org', true)).toBe(true);
  });
});

describe('#71 administrators of other applications', () => {
  test('invitations count for the administrator who sends them', async () => {
    const owner = withoutApplication(await signedInAdministrator({ applicationId: null, role: 'owner' }));
    const invite = (email: string) => {
      const input = { email, name: 'Mallory', roles: [{ role: 'VIEWER' }] };
      const document = 'mutation ($input: InviteAdministratorInput!) { inviteAdministrator(input: $input) { url } }';
      return graphql(document, { input }, owner);
    };
    expect((await invite('c@example.org')).errors).toBeUndefined();
    expect((await invite('d@example.org')).errors).toMatchObject([EXCEEDED]);
    expect(await mailsTo('d@example.org')).toEqual([]);
  });
});

describe('#35 exhaustion by sockets', () => {
  test('a user may open 100 sockets; silent sockets and sockets with oversized frames are closed', async () => {
    const session = await insertSession(await insertUser());
    const silent = await openSocket();
    const sockets: RawSocket[] = [];
    for (let nth = 0; nth < 100; nth++) sockets.push(await connect(session));
    const surplus = await openSocket();
    surplus.send({ type: 'connection_init', payload: session.headers });
    expect((await surplus.closed).code).toBe(4429);
    const [first, ...others] = sockets as [RawSocket, ...RawSocket[]];
    await Promise.all(others.map(({ close }) => close()));
    expect((await silent.closed).code).toBe(4408);
    first.socket.send(JSON.stringify({ type: 'ping', payload: { x: 'x'.repeat(1024 * 1024) } }));
    expect((await first.closed).code).toBe(1009);
    await closeSockets();
  });

  test('a socket accepts at most 100 operations', async () => {
    const { hub } = running.app.services;
    const [user] = await sql<{ id: number }>('SELECT id FROM users ORDER BY id DESC LIMIT 1');
    const socket = await connect(await insertSession(user!.id));
    for (let nth = 0; nth <= 100; nth++)
      socket.send({ id: `s${nth}`, type: 'subscribe', payload: { query: MESSAGE_SENT } });
    const last = await socket.find(({ id }) => id === 's100');
    expect(last).toMatchObject({ type: 'error', payload: [{ message: expect.stringContaining('100 operations') }] });
    expect(hub.subscriptionCount).toBeLessThanOrEqual(100);
    await socket.close();
    await until(() => hub.subscriptionCount === 0);
  });

  test('the service closes a socket whose client does not read', async () => {
    const socket = await connect(await insertSession(await insertUser()));
    socket.socket.pause();
    const payload = JSON.stringify({ type: 'ping', payload: { x: 'x'.repeat(900_000) } });
    for (let sent = 0; sent < 80 && socket.socket.readyState === socket.socket.OPEN; sent++) {
      await new Promise<void>((resolve) => socket.socket.send(payload, () => resolve()));
    }
    socket.socket.resume();
    // On a busy machine the connection may be cut before the close frame arrives.
    expect([4429, 1006]).toContain((await socket.closed).code);
  });
});

describe('#39 phone scraping', () => {
  test('a user may look up 50,000 phones a day, and a compact list shows only ids and phones', async () => {
    const userId = await insertUser();
    const as = await insertSession(userId);
    const day = running.now().toISOString().slice(0, 10);
    await sql(
      `INSERT INTO daily_usage (application_id, user_id, kind, day, used) VALUES (92, $1, 'contacts', $2, 49999)`,
      [userId, day],
    );
    const upload = (contacts: object[]) => rest('POST', '/address_book', { as, json: { contacts, force: 1 } });
    const two = [
      { name: 'A', phone: '4420794600' },
      { name: 'B', phone: '4420794601' },
    ];
    expect((await upload(two)).status).toBe(429);
    expect((await rest('GET', '/address_book', { as })).status).toBe(404);
    await sql(
      "UPDATE users SET phone = '4420794600', email = 'hidden@example.org', full_name = 'Hidden' WHERE id = $1",
      [await insertUser()],
    );
    expect((await upload(two.slice(0, 1))).status).toBe(200);
    expect((await upload(two.slice(1))).status).toBe(429);
    const { body } = await rest('GET', '/address_book/registered_users?compact=1', { as });
    expect(body.items).toEqual([{ user: { id: expect.any(Number), phone: '4420794600' } }]);
  });
});

import { buildClientSchema, getIntrospectionQuery } from 'graphql';
import { TOTP } from 'otpauth';
import { describe, expect, test } from 'vitest';
import { createSetupLink } from '../../../src/administration/administrators/links.ts';
import { createLinkFor } from '../../../src/administration/administrators/reset-links.ts';
import { db } from '../../../src/db/client.ts';
import type { Role } from '../../../src/lib/access.ts';
import { MINUTE } from '../../../src/lib/time.ts';
import { operationAccess, rightOf } from '../../../src/schema/index.ts';
import { APPLICATION, clock, running, useApp } from '../../support/app/app.ts';
import { createTenant, startAnother } from '../../support/app/other-apps.ts';
import { ownConnection, sql } from '../../support/app/sql.ts';
import { until } from '../../support/app/until.ts';
import { type GraphQLAnswer, graphql } from '../../support/clients/graphql.ts';
import { connect, openSocket, overSocket } from '../../support/clients/websocket.ts';
import {
  cookieOf,
  errorIn,
  fromConsole,
  inConsole,
  PASSWORD,
  signedInAdministrator,
  withoutApplication,
  withReason,
} from '../../support/fixtures/administrators.ts';
import { mailsTo } from '../../support/fixtures/mails.ts';
import { picture, storeInRecord } from '../../support/fixtures/record-images.ts';
import { defineClass } from '../../support/fixtures/typed-classes.ts';
import { apiKey, type Caller, createUser } from '../../support/fixtures/users.ts';
import { rootFields } from '../../support/operations/root-fields.ts';

useApp();

const ME = '{ administrator { email } }';
const ROLES: Role[] = ['owner', 'developer', 'support', 'viewer'];

describe('#55 cookies of the console', () => {
  const FOREIGN = ['https://evil.example', 'http://127.0.0.1.evil.example', 'http://localhost:1', 'null', 'file://'];

  test.each(FOREIGN)('do not count in requests and sockets of pages from %s', async (origin) => {
    const administrator = await signedInAdministrator('owner');
    const as = { headers: { ...administrator.headers, Origin: origin } };
    expect((await fromConsole(ME, {}, as)).data).toEqual({ administrator: null });
    const socket = await openSocket(undefined, { Cookie: administrator.cookie, Origin: origin });
    socket.send({ type: 'connection_init', payload: { Application: 'none' } });
    expect(await socket.closed).toMatchObject({ code: 4403 });
  });

  test('do not count in GET requests, which links of other sites send', async () => {
    const administrator = await signedInAdministrator('owner');
    const response = await fetch(`${running.url}/graphql?query=${encodeURIComponent(ME)}`, {
      headers: { Accept: 'application/json', ...administrator.headers },
    });
    expect(await response.json()).toEqual({ data: { administrator: null } });
  });

  test('do not count in forms, which other sites can send', async () => {
    const administrator = await signedInAdministrator('owner');
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x']) {
      const response = await fetch(`${running.url}/graphql`, {
        method: 'POST',
        headers: { ...administrator.headers, 'Content-Type': type },
        body: JSON.stringify({ query: 'mutation { signOutAdministrator }' }),
      });
      expect([type, response.status]).toEqual([type, 415]);
    }
    expect(await db.administratorSession.count({ where: { administratorId: administrator.id } })).toBe(1);
  });

  test('do not count without the header Application, which other sites cannot send', async () => {
    const { Application: _, ...headers } = (await signedInAdministrator('owner')).headers as Record<string, string>;
    expect((await fromConsole(ME, {}, { headers })).data).toEqual({ administrator: null });
  });

  test('open the images of records only for pages of the console, with the role, and no other file', async () => {
    const define = 'mutation ($input: CreateClassInput!) { createClass(input: $input) { name } }';
    const fields = [
      { name: 'photo', type: 'FILE' },
      { name: 'page', type: 'FILE' },
    ];
    await graphql(define, { input: { name: 'Depicted', fields } }, apiKey);
    const create = 'mutation { createRecords(className: "Depicted", records: [{ fields: {} }]) { id } }';
    const { id } = (await graphql(create, {}, apiKey)).data.createRecords[0];
    const image = picture([200, 80, 40]);
    await storeInRecord({ className: 'Depicted', id, fieldName: 'photo' }, image);
    const page = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
    await storeInRecord({ className: 'Depicted', id, fieldName: 'page' }, page, 'x.svg', 'image/svg+xml');
    const address = (application: number, field: string) =>
      `${running.url}/console/record-images/${application}/Depicted/${id}/${field}`;
    const open = (url: string, cookie: string, site = 'same-origin') =>
      fetch(url, { headers: { Cookie: cookie, 'Sec-Fetch-Site': site } });
    const { cookie } = await signedInAdministrator('developer');
    const photo = address(APPLICATION.id, 'photo');

    const opened = await open(photo, cookie);
    expect(Buffer.from(await opened.arrayBuffer())).toEqual(image);
    expect(Object.fromEntries(opened.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-security-policy': 'sandbox',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, max-age=300',
      vary: 'Cookie',
    });
    const viewer = await signedInAdministrator('viewer');
    const elsewhere = await signedInAdministrator({
      applicationId: (await createTenant(0)).applicationId,
      role: 'owner',
    });
    const refused = [
      open(photo, cookie, 'cross-site'),
      open(photo, cookie, 'same-site'),
      open(photo, ''),
      open(photo, 'atrium-administrator=x'),
      open(photo, viewer.cookie),
      open(photo, elsewhere.cookie),
      open(address(APPLICATION.id, 'page'), cookie),
      open(address(APPLICATION.id, 'unknown'), cookie),
      open(address(0, 'photo'), cookie),
    ];
    for (const response of await Promise.all(refused)) {
      expect([response.status, await response.text()]).toEqual([404, '']);
    }
  });

  test('are never set by a sign-in without the header Application', async () => {
    const signIn = 'mutation { signInAdministrator(email: "x@example.com", password: "x") { id } }';
    expect(errorIn(await fromConsole(signIn, {}, { headers: { Origin: running.url } }))).toEqual({
      message: 'Sign in by a POST request from the address of the console',
      code: 'BAD_USER_INPUT',
    });
  });

  test('do not count on the main port if the console has its own', async () => {
    const app = await startAnother({ consolePort: 0 });
    try {
      const { cookie } = await signedInAdministrator('owner');
      const ownPort = new URL(app.services.consoleUrl()).origin;
      const ask = async (url: string, origin: string) => {
        const headers = { 'Content-Type': 'application/json', Origin: origin, Application: 'none', Cookie: cookie };
        const response = await fetch(`${url}/graphql`, {
          method: 'POST',
          headers,
          body: JSON.stringify({ query: ME }),
        });
        return (await response.json()).data?.administrator ?? null;
      };
      expect(await ask(ownPort, ownPort)).not.toBeNull();
      for (const origin of [app.url, ownPort]) expect(await ask(app.url, origin)).toBeNull();
      expect(await ask(ownPort, app.url)).toBeNull();
    } finally {
      await app.stop();
    }
  });

  test('are never shared with other origins', async () => {
    const administrator = await signedInAdministrator('owner');
    const response = await fetch(`${running.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...administrator.headers, Origin: 'https://evil.example' },
      body: JSON.stringify({ query: ME }),
    });
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  });
});

describe('#56 escape from a role', () => {
  const operations = rootFields().filter(({ path }) => {
    return !['anyone', 'token', 'userToken', 'user'].includes(operationAccess.get(path)!);
  });

  test.each(ROLES)('the role %s cannot run operations of other roles over HTTP and WebSocket', async (role) => {
    const administrator = await signedInAdministrator(role);
    const { Cookie, Origin, ...params } = withReason(administrator).headers as Record<string, string>;
    const socket = await connect({ headers: params }, undefined, { Cookie: Cookie!, Origin: Origin! });
    const others = operations.filter(({ name }) => !rightOf(name)!.roles.includes(role));
    for (const { kind, path, document } of others) {
      const expected = { message: 'Your role does not allow this operation', code: 'FORBIDDEN' };
      if (kind !== 'subscription') {
        const answer = await fromConsole(document, {}, withReason(administrator));
        expect([path, errorIn(answer)]).toEqual([path, expected]);
      }
      const { errors } = await socket.run(document);
      expect([path, errors[0].message]).toEqual([path, expected.message]);
    }
    expect(others.length + operations.filter(({ name }) => rightOf(name)!.roles.includes(role)).length).toBe(
      operations.length,
    );
    await socket.close();
  });

  test.each(ROLES)('the role %s cannot act as a user with more rights than its own', async (role) => {
    const user = await createUser();
    const administrator = await signedInAdministrator(role);
    const as = { headers: { ...withReason(administrator).headers, 'On-Behalf-Of': String(user.id) } };
    const others = rootFields().filter(({ kind, name, path }) => {
      const isOfUsers = ['user', 'userOrKey'].includes(operationAccess.get(path)!);
      return kind !== 'subscription' && isOfUsers && !rightOf(name)?.roles.includes(role);
    });
    for (const { path, document } of others) {
      expect([path, errorIn(await fromConsole(document, {}, as))?.code]).toEqual([path, 'FORBIDDEN']);
    }
  });

  test.each<Role>(['support', 'viewer'])('the role %s cannot run operations of classes', async (role) => {
    await defineClass(`Secret_${role}`, { text: 'String' });
    const introspection = await graphql(getIntrospectionQuery(), {}, apiKey);
    const known = new Set(rootFields().map(({ path }) => path));
    const ofClasses = rootFields(buildClientSchema(introspection.data)).filter(({ path }) => !known.has(path));
    const kinds = new Set(ofClasses.map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual(['mutation', 'query', 'subscription']);
    const { Cookie, Origin, ...params } = withReason(await signedInAdministrator(role)).headers as Record<
      string,
      string
    >;
    const socket = await connect({ headers: params }, undefined, { Cookie: Cookie!, Origin: Origin! });
    for (const { path, document } of ofClasses) {
      const { errors } = await socket.run(document);
      expect([path, errors?.[0].message]).toEqual([path, 'Your role does not allow this operation']);
    }
    await socket.close();
  });

  test('an alias, a fragment or a second operation does not hide an operation', async () => {
    const viewer = await signedInAdministrator('viewer');
    for (const document of [
      '{ application { id } classes: users { totalCount } }',
      'query { ...F } fragment F on Query { application: users { totalCount } }',
      '{ application { id } ... on Query { users { totalCount } } }',
    ]) {
      expect([document, errorIn(await fromConsole(document, {}, viewer))]).toMatchObject([
        document,
        { message: 'Your role does not allow this operation' },
      ]);
    }
  });

  test('messages without a reason, and secrets without a confirmation, are refused', async () => {
    const owner = await signedInAdministrator('owner');
    const messages = '{ messages(dialogId: "000000000000000000000000") { totalCount } }';
    expect(errorIn(await fromConsole(messages, {}, owner))).toMatchObject({ code: 'REASON_REQUIRED' });
    clock.advance(15 * MINUTE);
    const create = 'mutation { createApiKey(name: "x") { key } }';
    expect(errorIn(await fromConsole(create, {}, owner))).toMatchObject({ code: 'CONFIRMATION_REQUIRED' });
  });
});

describe('clickjacking', () => {
  test.each([
    '/',
    '/console',
    `/console/apps/${APPLICATION.id}/users`,
    '/console/welcome',
    '/graphql',
    '/docs',
    '/guides',
    '/guides?q=console',
    '/guides/console',
    '/reset-password',
    '/no-such-page',
  ])('no other page may frame %s', async (path) => {
    const { headers } = await fetch(running.url + path, { headers: { Accept: 'text/html' } });
    expect(headers.get('content-type')).toMatch(/^text\/html/);
    expect([headers.get('x-frame-options'), headers.get('content-security-policy')]).toEqual([
      'DENY',
      expect.stringMatching(/frame-ancestors 'none'/),
    ]);
    expect(headers.get('content-security-policy')).not.toMatch(/script-src[^;]*'unsafe-(inline|eval)'/);
  });
});

describe('#57 reuse of one-time links and codes', () => {
  const ACCEPT = `mutation ($token: String!, $email: String) {
    acceptAdministratorLink(token: $token, input: { email: $email, password: "${PASSWORD}" }) { id }
  }`;

  test('a link works once, also for many requests at the same time', async () => {
    await db.administrator.deleteMany();
    const token = (await createSetupLink(running.app.services))!.split('#')[1]!;
    const emails = Array.from({ length: 5 }, (_, nth) => `first${nth}@example.com`);
    const answers = await Promise.all(emails.map((email) => fromConsole(ACCEPT, { token, email })));
    expect(answers.filter(({ data }) => data).length).toBe(1);
    expect(await db.administrator.count()).toBe(1);
  });

  test('a code of the authenticator app works once, also for many requests at the same time', async () => {
    const { email } = await db.administrator.findFirstOrThrow();
    const signIn = (code?: string) =>
      fromConsole(
        'mutation ($e: String!, $p: String!, $c: String) { signInAdministrator(email: $e, password: $p, code: $c) { id } }',
        { e: email, p: PASSWORD, c: code },
      );
    const as = inConsole(cookieOf(await signIn()), 'none');
    const { data } = await fromConsole('mutation { createTotpSecret { secret } }', {}, as);
    const totp = new TOTP({ secret: data.createTotpSecret.secret });
    const codeNow = () => totp.generate({ timestamp: clock.now() });
    await fromConsole('mutation ($c: String!) { enableTotp(code: $c) }', { c: codeNow() }, as);
    clock.advance(MINUTE);
    const code = codeNow();
    const answers = await Promise.all(Array.from({ length: 5 }, () => signIn(code)));
    expect(answers.filter((answer) => answer.data).length).toBe(1);
  });
});

describe('#71 administrators of other applications', () => {
  const LIST = '{ administrators { id email name hasTotp roles { applicationId role } } }';
  const INVITE = `mutation ($input: InviteAdministratorInput!) {
    inviteAdministrator(input: $input) { url isMailed invitation { email name roles { applicationId role } } }
  }`;
  const INVITE_ID = `mutation ($input: InviteAdministratorInput!) {
    inviteAdministrator(input: $input) { invitation { id } }
  }`;
  const INVITED = '{ administratorInvitations { email name roles { applicationId role } } }';
  const REVOKE = 'mutation ($id: Int!) { deleteAdministratorInvitation(id: $id) }';
  const UPDATE = `mutation ($id: Int!, $input: UpdateAdministratorInput!) {
    ...on Mutation { again: updateAdministrator(id: $id, input: $input) { email roles { applicationId } } }
  }`;

  async function twoApplications() {
    await signedInAdministrator({ applicationId: null, role: 'owner' }); // one must remain
    const other = (await createTenant(0)).applicationId;
    const owner = withoutApplication(await signedInAdministrator({ applicationId: other, role: 'owner' }));
    return { other, owner };
  }

  test('an owner of one application finds and adds none of them by number', async () => {
    const { other, owner } = await twoApplications();
    const stranger = await signedInAdministrator('support', 'developer');
    const roles = [
      { applicationId: APPLICATION.id, role: 'SUPPORT' },
      { applicationId: APPLICATION.id, role: 'DEVELOPER' },
    ];
    const mine = { applicationId: other, role: 'VIEWER' };
    const unknown = await graphql(UPDATE, { id: 2_147_483_647, input: { roles: [mine] } }, owner);
    expect(errorIn(unknown)?.code).toBe('NOT_FOUND');
    for (const input of [{ roles: [...roles, mine] }, { roles: [mine] }, { roles }, { roles: [] }, { name: 'x' }, {}]) {
      for (const run of [graphql, overSocket]) {
        const answer = await run(UPDATE, { id: stranger.id, input }, owner);
        expect([input, errorIn(answer as GraphQLAnswer)]).toEqual([input, errorIn(unknown)]);
      }
    }
    const { data } = await graphql(LIST, {}, owner);
    expect(JSON.stringify(data)).not.toContain(stranger.email);
    expect(await db.administratorRole.count({ where: { administratorId: stranger.id } })).toBe(2);
  });

  test('an owner of one application sees no roles in others, and cannot remove them', async () => {
    const { other, owner } = await twoApplications();
    const shared = await signedInAdministrator('support', { applicationId: other, role: 'viewer' });
    const { data } = await graphql(LIST, {}, owner);
    const seen = data.administrators.find(({ id }: { id: number }) => id === shared.id);
    expect(seen.roles).toEqual([{ applicationId: other, role: 'VIEWER' }]);
    const change = (role: string[]) =>
      graphql(
        UPDATE,
        { id: shared.id, input: { roles: role.map((one) => ({ applicationId: other, role: one })) } },
        owner,
      );
    expect((await change(['DEVELOPER'])).data.again).toEqual({
      email: shared.email,
      roles: [{ applicationId: other }],
    });
    expect((await change([])).data.again).toEqual({ email: shared.email, roles: [] });
    const left = await db.administratorRole.findMany({ where: { administratorId: shared.id } });
    expect(left).toMatchObject([{ applicationId: APPLICATION.id, role: 'support' }]);
    expect(errorIn(await change(['VIEWER']))?.code).toBe('NOT_FOUND');
  });

  test('an owner of one application invites a person without learning whether the person has an account', async () => {
    const { other, owner } = await twoApplications();
    const stranger = await signedInAdministrator('support');
    const invite = async (email: string) => {
      const input = { email, name: 'Grace', roles: [{ applicationId: other, role: 'VIEWER' }] };
      const answer = await graphql(INVITE, { input }, owner);
      const { data } = await graphql(INVITED, {}, owner);
      const listed = data.administratorInvitations.filter((one: { email: string }) => one.email === email);
      return { answer: answer.data?.inviteAdministrator, errors: answer.errors, listed };
    };
    const seen = { email: expect.any(String), name: 'Grace', roles: [{ applicationId: other, role: 'VIEWER' }] };
    for (const email of [stranger.email, stranger.email.toUpperCase(), 'unknown@example.com']) {
      const { answer, errors, listed } = await invite(email);
      expect([email, errors]).toEqual([email, undefined]);
      expect(answer).toEqual({ url: null, isMailed: true, invitation: seen });
      if (email === email.toLowerCase()) expect(listed).toEqual([seen]);
    }
    const { data } = await graphql(LIST, {}, owner);
    expect(JSON.stringify(data)).not.toContain(stranger.email);
    expect(await db.administratorRole.findMany({ where: { administratorId: stranger.id } })).toMatchObject([
      { applicationId: APPLICATION.id, role: 'support' },
    ]);
    expect((await mailsTo(stranger.email)).at(-1)).toContain('Invitation');
  });

  test('changes of a person show no roles elsewhere, neither by their success nor by their error', async () => {
    const { other, owner } = await twoApplications();
    const here = { applicationId: other, role: 'viewer' } as const;
    for (const input of [{ name: 'x' }, { roles: [] }]) {
      const people = [await signedInAdministrator(here), await signedInAdministrator(here, 'support')];
      const [one, shared] = await Promise.all(people.map(({ id }) => graphql(UPDATE, { id, input }, owner)));
      expect(errorIn(one!)).toEqual(errorIn(shared!));
    }
  });

  test('the mail of an invitation contains no text of the person who invites', async () => {
    const { other, owner } = await twoApplications();
    await db.administrator.updateMany({ data: { name: 'Your account is blocked, open https://evil.example' } });
    const input = {
      email: 'reader@example.org',
      name: 'evil.example',
      roles: [{ applicationId: other, role: 'VIEWER' }],
    };
    await graphql(INVITE, { input }, owner);
    const [mail] = await mailsTo(input.email);
    expect(mail).toContain('invites you');
    expect(mail).not.toContain('evil.example');
  });

  test('an owner of one application neither replaces, sees nor revokes invitations to others', async () => {
    const { other, owner } = await twoApplications();
    const ofAll = withoutApplication(await signedInAdministrator({ applicationId: null, role: 'owner' }));
    const invite = async (as: Caller, email: string, ...applicationIds: number[]) => {
      const roles = applicationIds.map((applicationId) => ({ applicationId, role: 'DEVELOPER' }));
      return graphql(INVITE_ID, { input: { email, name: 'Ida', roles } }, as);
    };
    const idOf = ({ data }: GraphQLAnswer) => data.inviteAdministrator.invitation.id as number;
    const [ida, jean] = ['ida@example.com', 'jean@example.com'];
    const foreign = idOf(await invite(ofAll, ida, APPLICATION.id));
    const both = idOf(await invite(ofAll, jean, APPLICATION.id, other));
    const own = [idOf(await invite(owner, ida, other)), idOf(await invite(owner, jean, other))];
    expect(errorIn(await invite(owner, ida, APPLICATION.id))?.code).toBe('FORBIDDEN');
    expect(await db.administratorLink.count({ where: { id: { in: [foreign, both, ...own] } } })).toBe(4);
    const { data } = await graphql(INVITED, {}, owner);
    expect(data.administratorInvitations.map(({ roles }: { roles: object[] }) => roles)).toEqual(
      [1, 2, 3].map(() => [{ applicationId: other, role: 'DEVELOPER' }]),
    );
    expect(errorIn(await graphql(REVOKE, { id: foreign }, owner))?.code).toBe('NOT_FOUND');
    expect(errorIn(await graphql(REVOKE, { id: both }, owner))?.code).toBe('FORBIDDEN');
    expect(errorIn(await graphql(REVOKE, { id: own[0] }, owner))).toBeUndefined();
  });
});

describe('#73 access that outlives the recovery of an account', () => {
  const ACCEPT = `mutation ($token: String!, $keep: Boolean) {
    acceptAdministratorLink(token: $token, input: { password: "${PASSWORD}", keepPasskeys: $keep }) { passkeyCount }
  }`;
  const subjects = async (email: string) => (await mailsTo(email)).filter((mail) => mail.includes('was changed'));

  async function personWithPasskey() {
    const person = await signedInAdministrator('owner');
    const passkey = { credentialId: `of ${person.id}`, publicKey: Buffer.of(), relyingPartyId: 'x', name: 'x' };
    await db.administratorPasskey.create({
      data: { ...passkey, administratorId: person.id, isBackedUp: false, createdAt: running.now() },
    });
    const token = (await createLinkFor(person.email, running.app.services)).split('#')[1];
    return { ...person, token };
  }

  test('a new password by mail deletes passkeys, unless the person keeps them, and ends sessions', async () => {
    for (const [keep, passkeyCount] of [
      [undefined, 0],
      [null, 0],
      [false, 0],
      [true, 1],
    ] as const) {
      const { token, cookie, email } = await personWithPasskey();
      const shown = await fromConsole('query ($token: String!) { administratorLink(token: $token) { passkeyNames } }', {
        token,
      });
      expect(shown.data.administratorLink).toEqual({ passkeyNames: ['x'] });
      const { data } = await fromConsole(ACCEPT, { token, keep });
      expect([keep, data.acceptAdministratorLink.passkeyCount]).toEqual([keep, passkeyCount]);
      expect((await fromConsole(ME, {}, inConsole(cookie, 'none'))).data).toEqual({ administrator: null });
      await until(async () => (await subjects(email)).length === 1);
    }
  });

  test.each([
    ['a new password', `mutation { changeAdministratorPassword(password: "${PASSWORD}") }`],
    ['a deleted passkey', 'mutation ($id: Int!) { deletePasskey(id: $id) }'],
    ['a disabled authenticator app', 'mutation { disableTotp }'],
  ])('%s is mailed to the administrator', async (_name, document) => {
    const person = await personWithPasskey();
    const { id } = await db.administratorPasskey.findFirstOrThrow({ where: { administratorId: person.id } });
    expect(errorIn(await graphql(document, { id }, withoutApplication(person)))).toBeUndefined();
    await until(async () => (await subjects(person.email)).length === 1);
  });

  test('a request that is in flight when the session ends changes nothing any more', async () => {
    const person = await signedInAdministrator({ applicationId: null, role: 'owner' });
    await db.administrator.update({ where: { id: person.id }, data: { passwordHash: 'before' } });
    const holder = await ownConnection();
    await holder.query('BEGIN');
    await holder.query('SELECT pg_advisory_xact_lock(7270102)'); // like the recovery of the account
    const document = `mutation { a: updateAdministrator(id: ${person.id}, input: { name: "x" }) { id }
      b: changeAdministratorPassword(password: "${PASSWORD}") }`;
    const attack = graphql(document, {}, withoutApplication(person));
    await until(async () => (await sql("SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")).length > 0);
    await holder.query('DELETE FROM administrator_sessions WHERE administrator_id = $1', [person.id]);
    await holder.query('COMMIT');
    await holder.end();
    expect(errorIn(await attack)).toEqual({ message: 'Sign in to the console', code: 'UNAUTHENTICATED' });
    const { name, passwordHash } = await db.administrator.findUniqueOrThrow({ where: { id: person.id } });
    expect([name, passwordHash]).toEqual([expect.stringContaining('Administrator'), 'before']);
  });

  test('later mutations of a document are refused once one of them has ended the session', async () => {
    const person = await signedInAdministrator({ applicationId: null, role: 'owner' });
    const document = 'mutation { signOutAdministrator createApplication(name: "of a thief") { applicationId } }';
    expect(errorIn(await fromConsole(document, {}, withoutApplication(person)))).toEqual({
      message: 'Sign in to the console',
      code: 'UNAUTHENTICATED',
    });
    expect(await db.application.count({ where: { name: 'of a thief' } })).toBe(0);
  });

  test('a new password by mail ends the invitations that the account has sent', async () => {
    const { token, ...person } = await personWithPasskey();
    const { data } = await graphql(
      'mutation ($input: InviteAdministratorInput!) { inviteAdministrator(input: $input) { invitation { id } } }',
      { input: { email: 'thief@example.org', name: 'x', roles: [{ applicationId: APPLICATION.id, role: 'OWNER' }] } },
      withoutApplication(person),
    );
    const where = { id: data.inviteAdministrator.invitation.id };
    expect(await db.administratorLink.count({ where })).toBe(1);
    await fromConsole(ACCEPT, { token, keep: true });
    expect(await db.administratorLink.count({ where })).toBe(0);
  });
});

import { createHash } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { sign } from '../../../src/lib/signature.ts';
import { APPLICATION, clock, SAMPLE_TIME, useApp } from '../../support/app/app.ts';
import { FORM, multipart, rawRequest } from '../../support/clients/raw-http.ts';
import { type RestAnswer, rest } from '../../support/clients/rest.ts';
import { type Scenario, testScenarios } from '../../support/clients/rest-table.ts';
import { createOtherApplication } from '../../support/fixtures/applications.ts';
import { type ChatCast, createChatCast } from '../../support/fixtures/chat-cast.ts';
import { NO_SESSION, NOT_FOUND, TOKEN_REQUIRED } from '../../support/fixtures/error-bodies.ts';
import { createUser, openSession, signedParameters } from '../../support/fixtures/users.ts';

useApp();

let cast: ChatCast;
beforeAll(async () => {
  cast = await createChatCast();
});

const AT = '2026-11-20T17:46:59Z';
const SIGNED_AT = 1_795_196_819;
const MINUTE = 60_000;
const NO_APPLICATION = { errors: { base: ['No application found'] } };
const BAD_SIGNATURE = { errors: { base: ['Unexpected signature'] } };
const BAD_TIMESTAMP = { errors: { base: ['Bad timestamp'] } };
const BAD_NONCE = { errors: { base: ['Bad nonce'] } };
const BAD_SOCIAL = { errors: ['Bad Authentication data'] };

type Fields = Record<string, string>;

let nonce = 50_000;

/** Parameters of a correctly signed application session; changes apply before signing, and undefined omits a parameter. */
function signed(changes: Record<string, string | undefined> = {}, secret = APPLICATION.authSecret): Fields {
  const fields = {
    application_id: String(APPLICATION.id),
    auth_key: APPLICATION.authKey,
    nonce: String(nonce++),
    timestamp: String(SIGNED_AT),
    ...changes,
  };
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
  return { ...given, signature: sign(Object.entries(given), secret, 'sha1') };
}

function post(fields: Fields, headers?: Record<string, string>): Promise<RestAnswer> {
  return rest('POST', '/session.json', { form: new URLSearchParams(fields).toString(), headers });
}

describe('POST /session', () => {
  test('a signed request opens an application session', async () => {
    const fields = signed({ nonce: '-577359397' });
    const { status, body, headers } = await post(fields);
    expect(body).toEqual({
      session: {
        _id: expect.stringMatching(/^[1-9]\d*$/),
        application_id: 92,
        created_at: AT,
        id: expect.any(Number),
        nonce: -577359397,
        token: expect.stringMatching(/^[0-9a-f]{40}$/),
        ts: SIGNED_AT,
        updated_at: AT,
        user_id: 0,
      },
    });
    expect(body.session._id).toBe(String(body.session.id));
    expect(status).toBe(201);
    expect(headers.get('svc-token-expirationdate')).toBe('2026-11-20 19:46:59 UTC');
  });

  test('a signed request opens a user session by login or e-mail, ignoring letter case', async () => {
    const user = await createUser({ login: 'Mixed.Case', email: 'Mixed@X.io' });
    for (const name of [{ 'user[login]': 'mIXED.cASE' }, { 'user[email]': 'MIXED@x.IO' }]) {
      const { status, body } = await post(signed({ ...name, 'user[password]': user.password }));
      expect([status, body.session.user_id]).toEqual([201, user.id]);
    }
  });

  test('the parameters may be JSON, a form, multipart fields or the query, and the signature covers all of them', async () => {
    const fields = signed({ 'user[login]': cast.alice.login, 'user[password]': cast.alice.password });
    const { 'user[login]': login, 'user[password]': password, ...others } = fields;
    const asJson = await rest('POST', '/session', {
      json: { ...others, application_id: 92, timestamp: SIGNED_AT, user: { login, password } },
    });
    expect(asJson.status).toBe(201);

    const split = signed();
    const { signature, ...rest_ } = split;
    const half = await rawRequest('POST', `/session?signature=${signature}`, {
      headers: { 'Content-Type': FORM },
      body: new URLSearchParams(rest_).toString(),
    });
    expect(half.status).toBe(201);

    const parts = await rawRequest('POST', '/session', {
      headers: { 'Content-Type': 'multipart/form-data; boundary=B' },
      body: multipart(signed()),
    });
    expect(parts.status).toBe(201);
  });

  test('unknown parameters are signed and ignored', async () => {
    const extra = { 'device[platform]': 'ios', 'device[udid]': 'u', 'user[owner_id]': '1', scope: 'a b+c&=%é' };
    expect((await post(signed({ 'device[platform]': 'ios', scope: 'a b+c&=%é' }))).status).toBe(201);
    const asUser = signed({ ...extra, 'user[login]': cast.bob.login, 'user[password]': cast.bob.password });
    expect((await post(asUser)).body.session.user_id).toBe(cast.bob.id);
    // An unsigned additional parameter is rejected.
    expect((await post({ ...signed(), scope: 'x' })).body).toEqual(BAD_SIGNATURE);
  });

  test('the response contains no secrets, and the database stores only a hash of the token', async () => {
    const { token } = await openSession();
    const rows = await db.session.findMany();
    expect(JSON.stringify(rows.map((row) => row.tokenHash))).not.toContain(token);
    expect(rows.map((row) => row.tokenHash)).toContain(createHash('sha256').update(token).digest('hex'));
  });

  test.each<[name: string, headers: Record<string, string>]>([
    ['an unknown token', { 'SVC-Token': 'unknown' }],
    ['an unknown API key', { Authorization: 'ApiKey unknown' }],
    ['another scheme', { Authorization: 'Bearer x' }],
    ['two credentials', { 'SVC-Token': 'x', Authorization: 'ApiKey KEY' }],
    ['On-Behalf-Of alone', { 'On-Behalf-Of': '7' }],
  ])('POST /session ignores %s', async (_name, headers) => {
    const { status, body } = await post(signed(), headers);
    expect([status, body.session.user_id]).toEqual([201, 0]);
  });

  test.each<[name: string, fields: () => Fields, status: number, answer: unknown]>([
    ['no parameters', () => ({}), 422, NO_APPLICATION],
    ['no application', () => signed({ application_id: undefined }), 422, NO_APPLICATION],
    ['an unknown application', () => signed({ application_id: '93' }), 422, NO_APPLICATION],
    ['a non-numeric application', () => signed({ application_id: '92x' }), 422, NO_APPLICATION],
    ['an application id out of range', () => signed({ application_id: '99999999999' }), 422, NO_APPLICATION],
    ['no auth key', () => signed({ auth_key: undefined }), 422, NO_APPLICATION],
    ['a wrong auth key', () => signed({ auth_key: 'AUTHKEYS' }), 422, NO_APPLICATION],
    ['no signature', () => ({ ...signed(), signature: '' }), 422, BAD_SIGNATURE],
    ['a signature with another secret', () => signed({}, 'Secret'), 422, BAD_SIGNATURE],
    ['an upper-case signature', () => upperCased(signed()), 422, BAD_SIGNATURE],
    ['a SHA-256 signature', () => signedAs('sha256'), 422, BAD_SIGNATURE],
    ['no timestamp', () => signed({ timestamp: undefined }), 422, BAD_TIMESTAMP],
    ['a non-integer timestamp', () => signed({ timestamp: `${SIGNED_AT}.5` }), 422, BAD_TIMESTAMP],
    ['a timestamp 3601 s behind', () => signed({ timestamp: String(SIGNED_AT - 3601) }), 422, BAD_TIMESTAMP],
    ['a timestamp 3601 s ahead', () => signed({ timestamp: String(SIGNED_AT + 3601) }), 422, BAD_TIMESTAMP],
    ['no nonce', () => signed({ nonce: undefined }), 422, BAD_NONCE],
    ['a non-integer nonce', () => signed({ nonce: 'abc' }), 422, BAD_NONCE],
    ['a nonce with a fraction', () => signed({ nonce: '1.5' }), 422, BAD_NONCE],
    ['an unknown login', () => signed({ 'user[login]': 'no.such', 'user[password]': 'password-1' }), 401, undefined],
    ['an unknown e-mail', () => signed({ 'user[email]': 'no@x.io', 'user[password]': 'password-1' }), 401, undefined],
    ['no password', () => signed({ 'user[login]': cast.alice.login }), 401, undefined],
    ['a password alone', () => signed({ 'user[password]': 'password-1' }), 401, undefined],
    ['a wrong password', () => signed({ 'user[login]': cast.alice.login, 'user[password]': 'no' }), 401, undefined],
    ['an empty login', () => signed({ 'user[login]': '', 'user[password]': 'password-1' }), 401, undefined],
    ['a social provider', () => signed({ provider: 'facebook', 'keys[token]': 'T' }), 422, BAD_SOCIAL],
    ['a provider without keys', () => signed({ provider: 'twitter' }), 422, BAD_SOCIAL],
    ['an unknown provider', () => signed({ provider: 'myspace', 'keys[token]': 'T' }), 422, BAD_SOCIAL],
    [
      'a phone provider',
      () =>
        signed({ provider: 'firebase_phone', 'firebase_phone[project_id]': 'p', 'firebase_phone[access_token]': 't' }),
      422,
      BAD_SOCIAL,
    ],
  ])('POST /session rejects %s', async (_name, fields, status, answer) => {
    const given = await post(fields());
    expect(given.body).toEqual(answer);
    expect(given.status).toBe(status);
    expect(given.headers.has('svc-token-expirationdate')).toBe(false);
  });

  test('application, signature, timestamp, nonce and password are checked in this order', async () => {
    const used = signed();
    expect((await post(used)).status).toBe(201);
    const wrong = { nonce: used.nonce, timestamp: '1', 'user[login]': 'no.such' };
    const answers = [
      await post({ ...signed({ ...wrong, auth_key: 'x' }), signature: 'x' }),
      await post({ ...signed(wrong), signature: 'x' }),
      await post(signed(wrong)),
      await post(signed({ ...wrong, timestamp: used.timestamp })),
      await post(signed({ 'user[login]': 'no.such' })),
    ];
    expect(answers.map((answer) => answer.body)).toEqual([
      NO_APPLICATION,
      BAD_SIGNATURE,
      BAD_TIMESTAMP,
      BAD_NONCE,
      undefined,
    ]);
  });

  test('timestamps may differ by up to an hour', async () => {
    expect((await post(signed({ timestamp: String(SIGNED_AT - 3600) }))).status).toBe(201);
    expect((await post(signed({ timestamp: String(SIGNED_AT + 3600) }))).body.session.ts).toBe(SIGNED_AT + 3600);
  });

  test('a nonce and timestamp are used up once the signature is correct', async () => {
    const first = signed();
    expect((await post({ ...first, signature: 'wrong' })).body).toEqual(BAD_SIGNATURE);
    expect((await post(first)).status).toBe(201);
    expect((await post(first)).body).toEqual(BAD_NONCE);
    expect((await post(signed({ nonce: first.nonce, timestamp: String(SIGNED_AT - 1) }))).status).toBe(201);

    const failed = signed({ 'user[login]': 'no.such', 'user[password]': 'password-1' });
    expect((await post(failed)).status).toBe(401);
    expect((await post(failed)).body).toEqual(BAD_NONCE);
  });

  test('50 concurrent replays of one request open one session', async () => {
    const replayed = signed({ 'user[login]': cast.carol.login, 'user[password]': cast.carol.password });
    const sessions = () => db.session.count({ where: { userId: cast.carol.id } });
    const before = await sessions();
    const answers = await Promise.all(Array.from({ length: 50 }, () => post(replayed)));
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 422).map((answer) => answer.body)).toEqual(
      Array(49).fill(BAD_NONCE),
    );
    expect(await sessions()).toBe(before + 1);
  });

  test('an application can require SHA-256, and nonces are counted per application', async () => {
    const other = await db.application.create({
      data: {
        name: 'sha',
        authKey: 'SHA',
        authSecret: 'sha-secret',
        signatureHash: 'sha256',
        createdAt: SAMPLE_TIME,
        updatedAt: SAMPLE_TIME,
      },
    });
    const used = signed();
    expect((await post(used)).status).toBe(201);
    const fields = {
      application_id: String(other.id),
      auth_key: 'SHA',
      nonce: used.nonce!,
      timestamp: used.timestamp!,
    };
    const signature = (hash: 'sha1' | 'sha256') => sign(Object.entries(fields), 'sha-secret', hash);
    expect((await post({ ...fields, signature: signature('sha1') })).body).toEqual(BAD_SIGNATURE);
    const { status, body } = await post({ ...fields, signature: signature('sha256') });
    expect([status, body.session.application_id]).toEqual([201, other.id]);
  });

  test('users of another application cannot sign in', async () => {
    const { id, authKey, authSecret } = await createOtherApplication('third');
    const { login, password } = cast.alice;
    const fields = signed(
      { application_id: String(id), auth_key: authKey, 'user[login]': login, 'user[password]': password },
      authSecret,
    );
    const { status, text } = await post(fields);
    expect([status, text]).toEqual([401, '']);
  });

  test('a NUL in any parameter is rejected', async () => {
    const { status, body } = await post(signed({ scope: 'a\0b' }));
    expect([status, body]).toEqual([400, { errors: ['Malformed request body'] }]);
  });
});

describe('GET and DELETE /session', () => {
  const REFUSALS: Scenario[] = [
    ['an anonymous caller has no session', 'anonymous', 'GET', '/session.json', undefined, 401, TOKEN_REQUIRED],
    ['an API key has no session', 'key', 'GET', '/session.json', undefined, 401, TOKEN_REQUIRED],
    ['nor has it for a user', 'key for alice', 'DELETE', '/session', undefined, 401, TOKEN_REQUIRED],
    ['a session is not found by its id', 'alice', 'GET', '/session/1.json', undefined, 404, NOT_FOUND],
    ['a session is not changed', 'alice', 'PUT', '/session.json', {}, 404, NOT_FOUND],
  ];
  testScenarios(() => cast, REFUSALS);

  test('GET /session shows the session, and DELETE /session ends it', async () => {
    const opened = await post(signed({ 'user[login]': cast.alice.login, 'user[password]': cast.alice.password }));
    const as = { headers: { 'SVC-Token': opened.body.session.token } };
    const shown = await rest('GET', '/session.json', { as });
    expect([shown.status, shown.text]).toEqual([200, opened.text]);

    const ended = await rawRequest('DELETE', '/session.json', { as });
    expect([ended.status, ended.text]).toEqual([200, '']);
    expect(ended.headers['content-length']).toBe('0');
    expect(ended.headers['content-type']).toBeUndefined();
    expect(ended.headers['svc-token-expirationdate']).toBeUndefined();
    for (const method of ['GET', 'DELETE']) {
      const again = await rest(method, '/session.json', { as });
      expect([again.status, again.body]).toEqual([401, NO_SESSION]);
    }
    expect((await rest('GET', '/session.json', { as: cast.alice })).status).toBe(200);
  });
});

describe('session lifetime', () => {
  afterEach(() => clock.reset());

  test('a session ends 120 minutes after its latest request', async () => {
    const [kept, ended] = [await openSession(), await openSession()];
    clock.reset(119 * MINUTE);
    const first = await rest('GET', '/session.json', { as: kept });
    expect(first.body.session).toMatchObject({ created_at: AT, updated_at: '2026-11-20T19:45:59Z' });
    expect(first.headers.get('svc-token-expirationdate')).toBe('2026-11-20 21:45:59 UTC');

    clock.reset(120 * MINUTE);
    const gone = await rest('GET', '/session.json', { as: ended });
    expect([gone.status, gone.body]).toEqual([401, NO_SESSION]);
    expect(gone.headers.has('svc-token-expirationdate')).toBe(false);

    clock.reset(238 * MINUTE);
    expect((await rest('GET', '/session.json', { as: kept })).status).toBe(200);
    clock.reset((238 + 120) * MINUTE);
    expect((await rest('GET', '/session.json', { as: kept })).body).toEqual(NO_SESSION);
  });

  test('failed requests extend a session too', async () => {
    const as = await openSession();
    const failing: [method: string, path: string, form?: string][] = [
      ['GET', '/users/abc'],
      ['GET', '/no/such/path'],
      ['POST', '/chat/Dialog', 'a=%zz'],
    ];
    for (const [place, [method, path, form]] of failing.entries()) {
      clock.reset(100 * (place + 1) * MINUTE);
      const { status, headers } = await rest(method, path, { as, form });
      expect([status, headers.has('svc-token-expirationdate')]).toEqual([expect.any(Number), true]);
    }
    clock.reset(100 * (failing.length + 1) * MINUTE);
    expect((await rest('GET', '/session.json', { as })).status).toBe(200);
  });

  test('a used nonce is remembered as long as its timestamp is accepted', async () => {
    const fields = signedParameters();
    expect((await post(fields)).status).toBe(201);
    clock.reset(60 * MINUTE);
    expect((await post(fields)).body).toEqual(BAD_NONCE);
    clock.reset(3_601_000);
    expect((await post(fields)).body).toEqual(BAD_TIMESTAMP);
  });
});

function upperCased(fields: Fields): Fields {
  return { ...fields, signature: fields.signature!.toUpperCase() };
}

function signedAs(hash: 'sha1' | 'sha256'): Fields {
  const { signature: _other, ...fields } = signed();
  return { ...fields, signature: sign(Object.entries(fields), APPLICATION.authSecret, hash) };
}

import { beforeEach, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { clock, SAMPLE_TIME, useApp } from '../../support/app/app.ts';
import { rest } from '../../support/clients/rest.ts';
import { BAD_ID, NEED_USER, TOKEN_REQUIRED } from '../../support/fixtures/error-bodies.ts';
import {
  apiKey,
  type Caller,
  createUser,
  onBehalfOf,
  openSession,
  type TestUser,
} from '../../support/fixtures/users.ts';

useApp();

const OTHER = { errors: { base: ['You are not allowed to modify this user'] } };
const NO_DATA = { errors: { base: ['No data for update was provided'] } };

let alice: TestUser;
let bob: TestUser;
let number = 0;
beforeEach(async () => {
  number++;
  [alice, bob] = [await createUser({ external_user_id: 1000 + number, email: `a${number}@x.io` }), await createUser()];
});

const put = (id: number | string, user: unknown, as: Caller = alice) =>
  rest('PUT', `/users/${id}.json`, { as, json: { user } });

async function outcome(answer: ReturnType<typeof rest>): Promise<[status: number, body: unknown]> {
  const { status, text, body } = await answer;
  return [status, text === '' ? '' : body];
}

function atFault(fields: Record<string, string[]>) {
  const base = Object.entries(fields).flatMap(([field, texts]) => {
    const words = field.replaceAll('_', ' ');
    return texts.map((text) => `${words[0]!.toUpperCase()}${words.slice(1)} ${text}`);
  });
  return { errors: { ...fields, base } };
}

describe('PUT /users/{id}', () => {
  test('an update changes only the given fields', async () => {
    clock.reset(60_000);
    const before = (await rest('GET', `/users/${alice.id}`, { as: apiKey })).body.user;
    const given = {
      login: `New.${number}`,
      full_name: 'N & M ',
      phone: '12345',
      website: 'w',
      facebook_id: 100 + number,
      twitter_id: `${200 + number}`,
      blob_id: 5,
      custom_data: { x: 1 },
      parents_contacts: 'mum',
      age_over16: 1,
      tag_list: 'x, y,x',
    };
    const { status, body } = await put(alice.id, given);
    expect([status, body.user]).toEqual([
      200,
      {
        ...before,
        ...given,
        full_name: 'N & M',
        facebook_id: String(100 + number),
        blob_id: '5',
        custom_data: '{"x":1}',
        age_over16: true,
        user_tags: 'x,y',
        tag_list: undefined,
        updated_at: '2026-11-20T17:47:59Z',
        last_request_at: '2026-11-20T17:47:59Z',
      },
    ]);
    clock.reset();
    expect((await openSession({ login: `NEW.${number}`, password: alice.password })).token).toMatch(/^[0-9a-f]{40}$/);
  });

  test('null clears a field, and in forms the empty text does', async () => {
    await put(alice.id, { full_name: 'A', website: 'w', tag_list: ['a'], parents_contacts: 'p', age_over16: true });
    const { body } = await put(alice.id, { full_name: null, parents_contacts: null, age_over16: false });
    expect(body.user).toMatchObject({
      full_name: null,
      website: 'w',
      parents_contacts: '',
      age_over16: false,
      user_tags: 'a',
    });
    const form = 'user[website]=&user[tag_list]=&user[email]=';
    const cleared = await rest('PUT', `/users/${alice.id}`, { as: alice, form });
    expect(cleared.body.user).toMatchObject({ website: null, user_tags: null, email: null, login: alice.login });
  });

  test('only the user and an API key alone may update a user', async () => {
    const named = { full_name: 'X' };
    expect(await outcome(put(bob.id, named))).toEqual([401, OTHER]);
    expect(await outcome(put(bob.id, named, onBehalfOf(alice)))).toEqual([401, OTHER]);
    expect((await put(bob.id, named, onBehalfOf(bob))).status).toBe(200);
    expect((await put(bob.id, named, apiKey)).status).toBe(200);
    expect(await outcome(put(bob.id, named, await openSession()))).toEqual([422, NEED_USER]);
    expect(await outcome(put(bob.id, named, { headers: {} }))).toEqual([401, TOKEN_REQUIRED]);
    expect((await put(bob.id, named)).headers.get('www-authenticate')).toBe('ApiKey realm="service"');
  });

  test('an update checks id, existence, permission, missing data and invalid fields in this order', async () => {
    for (const id of ['abc', '0', '-1']) expect(await outcome(put(id, {}))).toEqual([422, BAD_ID]);
    for (const id of [2_147_483_647, '99999999999']) expect(await outcome(put(id, {}))).toEqual([404, '']);
    expect(await outcome(put(bob.id, {}))).toEqual([401, OTHER]);
    for (const user of [{}, undefined, 'x', { nothing: 1 }, { old_password: alice.password }]) {
      expect(await outcome(put(alice.id, user))).toEqual([400, NO_DATA]);
    }
    const outside = rest('PUT', `/users/${alice.id}`, { as: alice, json: { full_name: 'outside' } });
    expect(await outcome(outside)).toEqual([400, NO_DATA]);
    expect(await outcome(put(alice.id, { login: 'x', blob_id: 0 }))).toEqual([
      422,
      atFault({ login: ['is too short (minimum is 3 characters)'], blob_id: ['should be a positive integer'] }),
    ]);
  });

  test('an e-mail address that cannot receive mail is rejected unless it is unchanged', async () => {
    const email = `<a${number}@ex.com>`;
    const malformed = atFault({ email: ['should look like an email address.'] });
    expect(await outcome(put(alice.id, { email }))).toEqual([422, malformed]);
    await db.user.updateMany({ where: { id: alice.id }, data: { email } });
    const { status, body } = await put(alice.id, { email: email.toUpperCase(), full_name: 'Kept' });
    expect([status, body.user.email, body.user.full_name]).toEqual([200, email, 'Kept']);
    expect(await outcome(put(alice.id, { email: `<b${number}@ex.com>` }))).toEqual([422, malformed]);
  });

  test('login, e-mail and external ids stay unique, but users may send their own values', async () => {
    const taken = ['has already been taken'];
    expect(await outcome(put(alice.id, { login: bob.login.toUpperCase(), email: 'x' }))).toEqual([
      422,
      atFault({ login: taken, email: ['should look like an email address.'] }),
    ]);
    const { status, body } = await put(alice.id, { login: alice.login.toUpperCase(), email: `A${number}@X.io` });
    expect([status, body.user.login, body.user.email]).toEqual([200, alice.login.toUpperCase(), `a${number}@x.io`]);
    expect(await outcome(put(bob.id, { external_user_id: 1000 + number }, bob))).toEqual([
      422,
      atFault({ external_user_id: taken }),
    ]);
  });

  test('of concurrent updates to one login, one succeeds', async () => {
    const users = [alice, bob, ...(await Promise.all([1, 2, 3, 4].map(() => createUser())))];
    const answers = await Promise.all(users.map((user) => put(user.id, { login: `wanted${number}` }, user)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, body } of answers) {
      if (status !== 200) expect([status, body]).toEqual([422, atFault({ login: ['has already been taken'] })]);
    }
  });

  test('concurrent updates cannot clear all of login, e-mail and phone', async () => {
    const blank = atFault({ login: ["can't be blank"], email: ["can't be blank"] });
    expect(await outcome(put(alice.id, { login: null, email: '' }))).toEqual([422, blank]);
    const answers = await Promise.all([put(alice.id, { login: null }), put(alice.id, { email: null })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
    expect(answers.find(({ status }) => status === 422)!.body).toEqual(blank);
    expect((await put(alice.id, { phone: '12345', login: null, email: null })).status).toBe(200);
  });

  test('a user who has only a provider account can be updated', async () => {
    const { id } = await db.user.create({
      data: { applicationId: 92, facebookId: `9${number}`, createdAt: SAMPLE_TIME, updatedAt: SAMPLE_TIME },
    });
    expect((await put(id, { full_name: 'F', login: null }, onBehalfOf({ id }))).status).toBe(200);
    expect((await put(id, { password: 'password-2' }, onBehalfOf({ id }))).status).toBe(200);
    expect((await put(id, { password: 'password-3' }, onBehalfOf({ id }))).status).toBe(422);
  });
});

describe('changing a password', () => {
  const isLiving = async (caller: Caller) => (await rest('GET', '/session', { as: caller })).status === 200;

  test('a new password requires the old one, except for an API key alone', async () => {
    const invalid = atFault({ old_password: ['is invalid'] });
    for (const old of [{}, { old_password: 'wrong' }, { old_password: null }]) {
      expect(await outcome(put(alice.id, { password: 'password-2', ...old }))).toEqual([422, invalid]);
    }
    expect(await outcome(put(alice.id, { password: 'password-2' }, onBehalfOf(alice)))).toEqual([422, invalid]);
    expect((await put(alice.id, { password: 'password-2', old_password: alice.password })).status).toBe(200);
    expect((await put(alice.id, { password: 'password-3' }, apiKey)).status).toBe(200);
    expect((await openSession({ login: alice.login, password: 'password-3' })).token).toBeTruthy();
    await expect(openSession(alice)).rejects.toThrow('401');
  });

  test('a new password must follow the password rules', async () => {
    for (const password of ['', null]) {
      expect(await outcome(put(alice.id, { password, old_password: alice.password }))).toEqual([
        422,
        atFault({
          password: [
            'should contain alphanumeric and punctuation characters only',
            'is too short (minimum is 8 characters)',
          ],
        }),
      ]);
    }
    expect(await outcome(put(alice.id, { password: 'short', full_name: 'x' }))).toEqual([
      422,
      atFault({ password: ['is too short (minimum is 8 characters)'], old_password: ['is invalid'] }),
    ]);
  });

  test('a new password ends the other sessions of the user', async () => {
    const others = [await openSession(alice), await openSession(alice)];
    const changed = { password: 'password-2', old_password: alice.password };
    expect((await put(alice.id, { full_name: 'x' })).status).toBe(200);
    expect(await isLiving(others[0]!)).toBe(true);
    const { headers } = await put(alice.id, changed);
    expect(headers.get('svc-token-expirationdate')).toBe('2026-11-20 19:46:59 UTC');
    expect([await isLiving(alice), await isLiving(others[0]!), await isLiving(others[1]!)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(await isLiving(bob)).toBe(true);
    await put(alice.id, { password: 'password-3' }, apiKey);
    expect(await isLiving(alice)).toBe(false);
    const ended = await db.outboxEvent.findMany({ where: { kind: 'sessionEnded' } });
    expect(ended.length).toBeGreaterThanOrEqual(3);
  });

  test('of two updates with the same old password, one succeeds', async () => {
    const answers = await Promise.all(
      ['password-2', 'password-3'].map((password) =>
        put(alice.id, { password, old_password: alice.password }, onBehalfOf(alice)),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
  });
});

describe('DELETE /users', () => {
  const remove = (path: string, as: Caller) => rest('DELETE', `/users/${path}.json`, { as });

  test('only the user and an API key alone may delete a user', async () => {
    expect(await outcome(remove(`${bob.id}`, alice))).toEqual([401, OTHER]);
    expect(await outcome(remove(`external/${1000 + number}`, bob))).toEqual([401, OTHER]);
    expect(await outcome(remove(`${bob.id}`, await openSession()))).toEqual([422, NEED_USER]);
    expect(await outcome(remove(`${bob.id}`, { headers: {} }))).toEqual([401, TOKEN_REQUIRED]);
    const { status, text, headers } = await remove(`${bob.id}`, bob);
    expect([status, text, headers.get('content-length'), headers.get('content-type')]).toEqual([200, '', '0', null]);
    expect(headers.get('svc-token-expirationdate')).toBeNull();
    expect(await outcome(remove(`external/${1000 + number}`, apiKey))).toEqual([200, '']);
    for (const id of [alice.id, bob.id]) expect(await outcome(remove(`${id}`, apiKey))).toEqual([404, '']);
    expect(await outcome(remove(`external/${1000 + number}`, apiKey))).toEqual([404, '']);
  });

  test('a deletion rejects invalid ids', async () => {
    for (const id of ['abc', '0', '-1', 'external/abc', 'external/0', 'external/1.5']) {
      expect(await outcome(remove(id, alice))).toEqual([422, BAD_ID]);
    }
    for (const id of ['2147483648', 'external/9007199254740992']) {
      expect(await outcome(remove(id, alice))).toEqual([404, '']);
    }
  });

  test('a deletion ends every session of the user', async () => {
    const other = await openSession(alice);
    await remove(`${alice.id}`, alice);
    for (const caller of [alice, other]) {
      expect((await rest('GET', '/session', { as: caller })).status).toBe(401);
    }
    expect(await db.session.count({ where: { userId: alice.id } })).toBe(0);
    await expect(openSession(alice)).rejects.toThrow('401');
  });

  test('of concurrent deletions of one user, one succeeds', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => remove(`${alice.id}`, apiKey)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404, 404]);
  });
});

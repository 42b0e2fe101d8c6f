import { beforeAll, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { clock, running, SAMPLE_TIME, useApp } from '../../support/app/app.ts';
import { rest } from '../../support/clients/rest.ts';
import { type Scenario, testScenarios } from '../../support/clients/rest-table.ts';
import { type ChatCast, createChatCast, created } from '../../support/fixtures/chat-cast.ts';
import { BAD_ID, MALFORMED, NO_SESSION, TOKEN_REQUIRED } from '../../support/fixtures/error-bodies.ts';
import { apiKey, onBehalfOf, openSession } from '../../support/fixtures/users.ts';

useApp();

let cast: ChatCast;
beforeAll(async () => {
  cast = await createChatCast();
});

const AT = '2026-11-20T17:46:59Z';
const PASSWORD = 'password-1';

const PLAIN = {
  id: expect.any(Number),
  full_name: null,
  email: null,
  login: null,
  phone: null,
  website: null,
  created_at: AT,
  updated_at: AT,
  last_request_at: null,
  external_user_id: null,
  facebook_id: null,
  twitter_id: null,
  blob_id: null,
  custom_data: null,
  parents_contacts: '',
  age_over16: false,
  allow_statistics_analysis: false,
  allow_sales_activities: false,
  user_tags: null,
};

let number = 0;

/** Signs up with a free login and a valid password; `fields` override them. */
function signUp(fields: object, as = apiKey) {
  return rest('POST', '/users.json', {
    as,
    json: { user: { login: `sign-up${++number}`, password: PASSWORD, ...fields } },
  });
}

describe('POST /users', () => {
  test('a sign-up returns every field of the record except the password', async () => {
    const given = {
      login: 'Full.Name@x+y-z_1',
      email: 'Full@Example.ORG',
      full_name: 'Full Näme 😀  ',
      phone: '+44 (0)20-1.2',
      website: 'https://x.io',
      external_user_id: 9_007_199_254_740_991,
      facebook_id: '12345678901234567890',
      twitter_id: 42,
      blob_id: '5',
      custom_data: { x: [1, null] },
      parents_contacts: 'mum',
      age_over16: 1,
      allow_statistics_analysis: 'true',
      allow_sales_activities: true,
      tag_list: ' b,a , b,,',
    };
    const { status, body } = await rest('POST', '/users.json', {
      as: apiKey,
      json: { user: { ...given, password: PASSWORD, id: 1, created_at: 'x', role: 'admin' }, login: 'outside' },
    });
    expect(body).toEqual({
      user: {
        ...PLAIN,
        login: 'Full.Name@x+y-z_1',
        email: 'full@example.org',
        full_name: 'Full Näme 😀',
        phone: '+44 (0)20-1.2',
        website: 'https://x.io',
        external_user_id: 9_007_199_254_740_991,
        facebook_id: '12345678901234567890',
        twitter_id: '42',
        blob_id: '5',
        custom_data: '{"x":[1,null]}',
        parents_contacts: 'mum',
        age_over16: true,
        allow_statistics_analysis: true,
        allow_sales_activities: true,
        user_tags: 'b,a',
      },
    });
    expect(status).toBe(201);
    const found = await rest('GET', `/users/${body.user.id}.json`, { as: cast.mallory });
    expect([found.status, found.body]).toEqual([200, body]);
    const row = await db.user.findFirstOrThrow({ where: { id: body.user.id } });
    expect(row.passwordHash).toMatch(/^\$argon2id\$/);
  });

  test("a sign-up accepts a form and any session or API key, and the caller's session is unchanged", async () => {
    const as = await openSession();
    for (const caller of [as, cast.alice, apiKey, onBehalfOf(cast.alice)]) {
      const login = `form${++number}`;
      const form = `user[login]=${login}&user%5Bpassword%5D=12345678&user[tag_list][]=x&user[tag_list][]=y+z&user[age_over16]=`;
      const { status, body } = await rest('POST', '/users.json', { as: caller, form });
      expect([status, body]).toEqual([201, { user: { ...PLAIN, login, user_tags: 'x,y z' } }]);
    }
    expect((await rest('GET', '/session.json', { as })).body.session.user_id).toBe(0);
  });

  test.each<[name: string, fields: object, answer: object]>([
    ['a phone instead of a login', { login: undefined, phone: '1234' }, { login: null, phone: '1234' }],
    ['an e-mail', { login: '', email: 'only@x.io' }, { login: null, email: 'only@x.io' }],
    ['the shortest login', { login: 'a-_' }, { login: 'a-_' }],
    ['the longest login', { login: 'L'.repeat(40) }, { login: 'L'.repeat(40) }],
    ['a login with trailing spaces', { login: 'trimmed \t' }, { login: 'trimmed' }],
    ['the longest e-mail', { email: `${'e'.repeat(250)}@x.io` }, { email: `${'e'.repeat(250)}@x.io` }],
    ['the shortest and the longest password', { password: '!~'.repeat(20) }, {}],
    ['a numeric password', { password: 12_345_678 }, {}],
    ['the longest full name', { full_name: '😀'.repeat(255) }, { full_name: '😀'.repeat(255) }],
    ['the longest phone', { phone: '12345678901234567890' }, { phone: '12345678901234567890' }],
    ['the longest custom data', { custom_data: 'x'.repeat(5000) }, { custom_data: 'x'.repeat(5000) }],
    ['numeric custom data', { custom_data: 5 }, { custom_data: '5' }],
    ['the smallest ids', { external_user_id: '1', blob_id: 1 }, { external_user_id: 1, blob_id: '1' }],
    ['five tags of 50', { tag_list: list5('t'.repeat(49)) }, { user_tags: list5('t'.repeat(49)).join(',') }],
    ['six tags with a duplicate', { tag_list: ['a', 'b', 'c', 'd', 'e', 'e'] }, { user_tags: 'a,b,c,d,e' }],
    ['no tags', { tag_list: '' }, {}],
    ['nulls', { email: null, full_name: null, tag_list: null, age_over16: null, custom_data: null }, {}],
    ['empty texts', { email: '', full_name: '', phone: '', facebook_id: '', external_user_id: '' }, {}],
    ['false flags', { age_over16: 0, allow_sales_activities: 'false', allow_statistics_analysis: '0' }, {}],
    ['a lone surrogate', { full_name: 'a\ud800b' }, { full_name: 'a\ufffdb' }],
    [
      'names of Object.prototype members',
      JSON.parse('{"__proto__":{"email":"no"},"constructor":1,"toString":"x"}'),
      {},
    ],
  ])('a sign-up accepts %s', async (_name, fields, answer) => {
    const { status, body } = await signUp(fields);
    const login = 'login' in answer ? {} : { login: `sign-up${number}` };
    expect(body).toEqual({ user: { ...PLAIN, ...login, ...answer } });
    expect(status).toBe(201);
  });

  const CHARACTERS = 'should contain alphanumeric and punctuation characters only';
  const EMAIL = 'should look like an email address.';
  const POSITIVE = 'should be a positive integer';
  const TOO_LONG = 'is too long (maximum is 255 characters)';

  test.each<[fields: object, errors: Record<string, string[]>]>([
    [{ login: 'ab' }, { login: ['is too short (minimum is 3 characters)'] }],
    [{ login: 'L'.repeat(41) }, { login: ['is too long (maximum is 40 characters)'] }],
    [{ login: 'bo b' }, { login: [CHARACTERS] }],
    [{ login: ' bob' }, { login: [CHARACTERS] }],
    [{ login: 'böb' }, { login: [CHARACTERS] }],
    [{ login: 'é!' }, { login: ['is too short (minimum is 3 characters)', CHARACTERS] }],
    [{ email: 'x' }, { email: [EMAIL] }],
    [{ email: 'x@y' }, { email: [EMAIL] }],
    [{ email: '@y.io' }, { email: [EMAIL] }],
    [{ email: 'x@.io' }, { email: [EMAIL] }],
    [{ email: 'x@y.' }, { email: [EMAIL] }],
    [{ email: 'a b@y.io' }, { email: [EMAIL] }],
    [{ email: 'a@b@y.io' }, { email: [EMAIL] }],
    [{ email: '<a@ex.com>' }, { email: [EMAIL] }],
    [{ email: 'a,b@ex.com' }, { email: [EMAIL] }],
    [{ email: 'a@ex.com;b' }, { email: [EMAIL] }],
    [{ email: `${'e'.repeat(251)}@x.io` }, { email: [EMAIL] }],
    [{ password: undefined }, { password: [CHARACTERS, 'is too short (minimum is 8 characters)'] }],
    [{ password: null }, { password: [CHARACTERS, 'is too short (minimum is 8 characters)'] }],
    [{ password: '' }, { password: [CHARACTERS, 'is too short (minimum is 8 characters)'] }],
    [{ password: '1234567' }, { password: ['is too short (minimum is 8 characters)'] }],
    [{ password: 'p'.repeat(41) }, { password: ['is too long (maximum is 40 characters)'] }],
    [{ password: '1234 5678' }, { password: [CHARACTERS] }],
    [{ password: '12345678 ' }, { password: [CHARACTERS] }],
    [{ password: 'pässword' }, { password: [CHARACTERS] }],
    [{ full_name: 'n'.repeat(256) }, { full_name: [TOO_LONG] }],
    [{ website: 'n'.repeat(256) }, { website: [TOO_LONG] }],
    [{ parents_contacts: 'n'.repeat(256) }, { parents_contacts: [TOO_LONG] }],
    [{ phone: '123' }, { phone: ['is invalid'] }],
    [{ phone: '1'.repeat(21) }, { phone: ['is invalid'] }],
    [{ phone: '12345x' }, { phone: ['is invalid'] }],
    [{ facebook_id: 'fb1' }, { facebook_id: ['is invalid'] }],
    [{ facebook_id: '1'.repeat(21) }, { facebook_id: ['is invalid'] }],
    [{ twitter_id: -1 }, { twitter_id: ['is invalid'] }],
    [{ external_user_id: 0 }, { external_user_id: [POSITIVE] }],
    [{ external_user_id: '9007199254740992' }, { external_user_id: [POSITIVE] }],
    [{ external_user_id: 'abc' }, { external_user_id: [POSITIVE] }],
    [{ external_user_id: 1.5 }, { external_user_id: [POSITIVE] }],
    [{ blob_id: -3 }, { blob_id: [POSITIVE] }],
    [{ blob_id: {} }, { blob_id: [POSITIVE] }],
    [{ custom_data: 'x'.repeat(5001) }, { custom_data: ['is too long (maximum is 5000 characters)'] }],
    [{ tag_list: 'a,b,c,d,e,f' }, { tag_list: ['is too long (maximum is 5 tags)'] }],
    [{ tag_list: ['a'.repeat(51), 'b'] }, { tag_list: ['contains a tag that is too long (maximum is 50 characters)'] }],
    [
      { tag_list: ['a', 'b', 'c', 'd', 'e', 'f'.repeat(51)] },
      {
        tag_list: ['is too long (maximum is 5 tags)', 'contains a tag that is too long (maximum is 50 characters)'],
      },
    ],
    [{ age_over16: 'yes' }, { age_over16: ['is invalid'] }],
    [{ allow_statistics_analysis: 2 }, { allow_statistics_analysis: ['is invalid'] }],
    [{ allow_sales_activities: [] }, { allow_sales_activities: ['is invalid'] }],
    [{ login: undefined }, { login: ["can't be blank"], email: ["can't be blank"] }],
    [
      { login: ' ', email: '', phone: null },
      { login: ["can't be blank"], email: ["can't be blank"] },
    ],
    [{ login: undefined, password: 'short' }, { password: ['is too short (minimum is 8 characters)'] }],
    [
      { login: 'é!', email: 'x', password: '1', full_name: 'n'.repeat(256), phone: 'x', age_over16: 'x' },
      {
        login: ['is too short (minimum is 3 characters)', CHARACTERS],
        email: [EMAIL],
        password: ['is too short (minimum is 8 characters)'],
        full_name: [TOO_LONG],
        phone: ['is invalid'],
        age_over16: ['is invalid'],
      },
    ],
  ])('a sign-up rejects %j', async (fields, errors) => {
    const { status, text } = await signUp(fields);
    expect(text).toBe(JSON.stringify({ errors: { ...errors, base: sentences(errors) } }));
    expect(status).toBe(422);
  });

  test('unique fields can be used by one user of the application only', async () => {
    const taken = {
      login: 'Taken.Login',
      email: 'taken@x.io',
      facebook_id: '111',
      twitter_id: '222',
      external_user_id: 333,
    };
    expect((await signUp({ ...taken, phone: '123456' })).status).toBe(201);
    const changed = { ...taken, login: 'tAKEN.lOGIN', email: 'TAKEN@X.IO' };
    for (const [field, value] of Object.entries(changed)) {
      const { status, body } = await signUp({ [field]: value, phone: '123456' });
      const errors = { [field]: ['has already been taken'] };
      expect([status, body]).toEqual([422, { errors: { ...errors, base: sentences(errors) } }]);
    }
    const { text } = await signUp(changed);
    expect(text).toBe(
      '{"errors":{"login":["has already been taken"],"email":["has already been taken"],' +
        '"facebook_id":["has already been taken"],"twitter_id":["has already been taken"],' +
        '"external_user_id":["has already been taken"],"base":["Login has already been taken",' +
        '"Email has already been taken","Facebook id has already been taken","Twitter id has already been taken",' +
        '"External user id has already been taken"]}}',
    );
    const elsewhere = await rest('POST', '/users.json', {
      as: cast.otherKey,
      json: { user: { ...taken, password: PASSWORD } },
    });
    expect(elsewhere.status).toBe(201);
  });

  test('taken and malformed fields are reported together', async () => {
    const { status, text } = await signUp({ login: cast.alice.login, email: 'x', password: '1' });
    expect(text).toBe(
      '{"errors":{"login":["has already been taken"],"email":["should look like an email address."],' +
        '"password":["is too short (minimum is 8 characters)"],"base":["Login has already been taken",' +
        '"Email should look like an email address.","Password is too short (minimum is 8 characters)"]}}',
    );
    expect(status).toBe(422);
  });

  test('20 concurrent sign-ups with one login create one user', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, place) => signUp({ login: place % 2 ? 'twin' : 'TWIN' })),
    );
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 422).map((answer) => answer.text)).toEqual(
      Array(19).fill('{"errors":{"login":["has already been taken"],"base":["Login has already been taken"]}}'),
    );
    expect(await db.user.count({ where: { loginKey: 'twin' } })).toBe(1);
  });

  const WITHOUT_WRAPPER = {
    errors: {
      password: [CHARACTERS, 'is too short (minimum is 8 characters)'],
      base: [`Password ${CHARACTERS}`, 'Password is too short (minimum is 8 characters)'],
    },
  };
  const REFUSALS: Scenario[] = [
    ['no body', 'application', 'POST', '/users.json', undefined, 422, WITHOUT_WRAPPER],
    ['no wrapper', 'key', 'POST', '/users', { login: 'bob', password: PASSWORD }, 422, WITHOUT_WRAPPER],
    ['a wrapper that is no object', 'key', 'POST', '/users', { user: 'bob' }, 422, WITHOUT_WRAPPER],
    ['a list of users', 'key', 'POST', '/users', { user: [{ login: 'bob' }] }, 422, WITHOUT_WRAPPER],
    ['a NUL', 'key', 'POST', '/users', { user: { login: 'nul', password: PASSWORD, website: 'a\0' } }, 400, MALFORMED],
    ['anonymous', 'anonymous', 'POST', '/users.json', { user: {} }, 401, TOKEN_REQUIRED],
  ];
  testScenarios(() => cast, REFUSALS);
});

describe('GET /users/{id}', () => {
  const ROWS: Scenario[] = [
    ['an application session reads it', 'application', 'GET', '/users/{carol}.json', undefined, 200, '{carolText}'],
    ['a user reads another', 'mallory', 'GET', '/users/{carol}', undefined, 200, '{carolText}'],
    ['an API key reads it', 'key', 'GET', '/users/{carol}.json?', undefined, 200, '{carolText}'],
    ['zeros before the id', 'alice', 'GET', '/users/000{carol}', undefined, 200, '{carolText}'],
    ['parameters do not matter', 'alice', 'GET', '/users/{carol}?id=1&user[id]=2', undefined, 200, '{carolText}'],
    ['an unknown id', 'alice', 'GET', '/users/2147483647.json', undefined, 404, undefined],
    ['an id beyond all ids', 'alice', 'GET', '/users/2147483648.json', undefined, 404, undefined],
    ['a huge id', 'alice', 'GET', `/users/${'9'.repeat(400)}.json`, undefined, 404, undefined],
    ['a user of another application', 'alice', 'GET', '/users/{stranger}.json', undefined, 404, undefined],
    ['and the other way round', 'stranger', 'GET', '/users/{alice}.json', undefined, 404, undefined],
    ...['abc', '0', '000', '-3', '+3', '1.5', '1e3', '%D9%A3', '%201'].map(
      (id): Scenario => [`no positive integer: ${id}`, 'alice', 'GET', `/users/${id}.json`, undefined, 422, BAD_ID],
    ),
    ['anonymous', 'anonymous', 'GET', '/users/abc.json', undefined, 401, TOKEN_REQUIRED],
    ['an unknown token', 'anonymous', 'GET', '/users/1', undefined, 401, NO_SESSION, { 'SVC-Token': 'f'.repeat(40) }],
  ];

  beforeAll(async () => {
    const { text } = await rest('GET', `/users/${cast.carol.id}`, { as: apiKey });
    cast.values.carolText = text;
  });
  testScenarios(() => cast, ROWS);
});

describe('last_request_at', () => {
  const lastRequest = async (id: number) =>
    (await rest('GET', `/users/${id}`, { as: apiKey })).body.user.last_request_at;

  test('last_request_at is null at first, then the time of the latest request by session or API key', async () => {
    const { user } = await created('/users', { user: { login: 'quiet', password: PASSWORD } }, apiKey);
    expect(await lastRequest(user.id)).toBeNull();
    const session = await openSession({ login: 'quiet', password: PASSWORD });
    expect(await lastRequest(user.id)).toBe(AT);

    clock.reset(60_000);
    await rest('GET', '/session', { as: session });
    expect(await lastRequest(user.id)).toBe('2026-11-20T17:47:59Z');
    clock.reset(120_000);
    await rest('GET', '/users/1', { as: onBehalfOf(user) });
    expect(await lastRequest(user.id)).toBe('2026-11-20T17:48:59Z');
    clock.reset();
  });

  test('last_request_at is stored in the database', async () => {
    await running.app.services.sessionClock.flush();
    const row = await db.user.findFirstOrThrow({ where: { login: 'quiet' } });
    expect(row.lastRequestAt).toEqual(new Date(SAMPLE_TIME.getTime() + 120_000));
    expect(await lastRequest(row.id)).toBe('2026-11-20T17:48:59Z');
  });
});

function list5(text: string): string[] {
  return ['1', '2', '3', '4', '5'].map((digit) => text + digit);
}

/** `{ full_name: ['is too long'] }` → `['Full name is too long']` */
function sentences(errors: Record<string, string[]>): string[] {
  return Object.entries(errors).flatMap(([field, texts]) => {
    const words = field.replaceAll('_', ' ');
    return texts.map((text) => `${words[0]!.toUpperCase()}${words.slice(1)} ${text}`);
  });
}

import { describe, expect, test } from 'vitest';
import { SAMPLE_TIME, useApp } from '../../support/app/app.ts';
import { createTenant } from '../../support/app/other-apps.ts';
import { sql } from '../../support/app/sql.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { errorOf, execute, quickUsers } from '../../support/fixtures/chat.ts';
import { apiKey, createUser, openSession } from '../../support/fixtures/users.ts';

useApp();

const ALL = `id login email fullName phone website facebookId twitterId externalUserId blobId customData parentsContacts
  ageOver16 allowStatisticsAnalysis allowSalesActivities tags createdAt updatedAt lastRequestAt`;
const CREATE = `mutation ($input: CreateUserInput!) { createUser(input: $input) { ${ALL} } }`;

describe('createUser', () => {
  test('createUser stores all fields of a user', async () => {
    const input = {
      login: 'Bob.Builder_1',
      email: 'Bob@Example.com',
      password: 'password-1',
      fullName: 'Bob & Co',
      phone: '+49 (30) 123-456.7',
      website: 'https://example.com',
      facebookId: '12345678901234567890',
      twitterId: '42',
      externalUserId: '9007199254740991',
      blobId: '7',
      customData: '{"x":1}',
      parentsContacts: 'mum',
      ageOver16: true,
      allowStatisticsAnalysis: '1',
      allowSalesActivities: 0,
      tags: ['a', ' b ', 'a'],
    };
    const { createUser } = await execute(CREATE, { input }, apiKey);
    const { password: _password, ...shown } = input;
    expect(createUser).toEqual({
      ...shown,
      id: expect.any(Number),
      email: 'bob@example.com',
      externalUserId: Number.MAX_SAFE_INTEGER,
      blobId: 7,
      allowStatisticsAnalysis: true,
      allowSalesActivities: false,
      tags: ['a', 'b'],
      createdAt: SAMPLE_TIME.toISOString(),
      updatedAt: SAMPLE_TIME.toISOString(),
      lastRequestAt: null,
    });
  });

  test('createUser leaves missing fields unset', async () => {
    const { createUser } = await execute(CREATE, { input: { login: 'minimal', password: 'password-1' } }, apiKey);
    expect(createUser).toMatchObject({
      email: null,
      fullName: null,
      phone: null,
      externalUserId: null,
      blobId: null,
      parentsContacts: '',
      ageOver16: false,
      tags: [],
    });
  });

  test('createUser accepts the mutation of the sample documents, also in an application session', async () => {
    const answer = await graphql(
      `mutation { createUser(input: { login: "sample", password: "password-1", fullName: "Bob", tags: ["a"] }) { id login } }`,
      {},
      await openSession(),
    );
    expect(answer.data).toEqual({ createUser: { id: expect.any(Number), login: 'sample' } });
  });

  test('createUser names every invalid field with all its errors', async () => {
    const input = {
      login: 'ü',
      email: 'nonsense',
      password: 'pass wd',
      fullName: 'x'.repeat(256),
      phone: 'call me',
      facebookId: 'me',
      externalUserId: '0',
      ageOver16: 'perhaps',
    };
    const refusal = await errorOf(CREATE, { input }, apiKey);
    expect(refusal.code).toBe('UNPROCESSABLE');
    expect(refusal.fields).toEqual({
      login: ['is too short (minimum is 3 characters)', 'should contain alphanumeric and punctuation characters only'],
      email: ['should look like an email address'],
      password: [
        'should contain alphanumeric and punctuation characters only',
        'is too short (minimum is 8 characters)',
      ],
      fullName: ['is too long (maximum is 255 characters)'],
      phone: ['is invalid'],
      facebookId: ['is invalid'],
      externalUserId: ['should be a positive integer'],
      ageOver16: ['is invalid'],
    });
    expect(refusal.message).toContain('Full name is too long (maximum is 255 characters)');
    expect(refusal.message).toContain('External user id should be a positive integer');
  });

  test('createUser requires a password and one identifying field', async () => {
    expect((await errorOf(CREATE, { input: {} }, apiKey)).fields).toEqual({
      password: [
        'should contain alphanumeric and punctuation characters only',
        'is too short (minimum is 8 characters)',
      ],
    });
    expect((await errorOf(CREATE, { input: { password: 'password-1' } }, apiKey)).fields).toEqual({
      login: ["can't be blank"],
      email: ["can't be blank"],
    });
  });

  test('createUser keeps login, e-mail and external ids unique in the application, ignoring letter case', async () => {
    const input = {
      login: 'Unique',
      email: 'unique@example.com',
      facebookId: '1',
      twitterId: '2',
      externalUserId: '3',
      password: 'password-1',
    };
    await execute(CREATE, { input }, apiKey);
    const taken = ['has already been taken'];
    expect(
      await errorOf(CREATE, { input: { ...input, login: 'uNIQUE', email: 'UNIQUE@example.com' } }, apiKey),
    ).toEqual({
      code: 'UNPROCESSABLE',
      message:
        'Login has already been taken, Email has already been taken, Facebook id has already been taken, ' +
        'Twitter id has already been taken, External user id has already been taken',
      fields: { login: taken, email: taken, facebookId: taken, twitterId: taken, externalUserId: taken },
    });
    const other = await createTenant(0);
    expect((await execute(CREATE, { input }, other.key)).createUser.login).toBe('Unique');
  });

  test('row 21: of concurrent sign-ups with one login, one succeeds', async () => {
    const input = { login: 'wanted', password: 'password-1' };
    const answers = await Promise.all(Array.from({ length: 10 }, () => graphql(CREATE, { input }, apiKey)));
    expect(answers.filter(({ errors }) => !errors)).toHaveLength(1);
    for (const { errors } of answers) {
      if (errors) expect(errors[0]!.extensions).toMatchObject({ fields: { login: ['has already been taken'] } });
    }
  });

  test('row 40: a NUL is rejected, and a lone surrogate is replaced', async () => {
    const input = { login: 'strange', password: 'password-1', fullName: 'half \ud83d a pair' };
    expect((await execute(CREATE, { input }, apiKey)).createUser.fullName).toBe('half \ufffd a pair');
    expect(await errorOf(CREATE, { input: { ...input, login: 'nul', customData: 'a\0b' } }, apiKey)).toMatchObject({
      code: 'BAD_USER_INPUT',
    });
  });

  test('createUser stores the password as an Argon2id hash', async () => {
    await execute(CREATE, { input: { login: 'hashed', password: 'my-password' } }, apiKey);
    const [row] = await sql<{ password_hash: string }>("SELECT password_hash FROM users WHERE login = 'hashed'");
    expect(row!.password_hash).toMatch(/^\$argon2id\$/);
  });
});

describe('user', () => {
  const USER = 'query ($id: Int!) { user(id: $id) { id login lastRequestAt } }';

  test('user is available to any session and API key of the application', async () => {
    const alice = await createUser();
    const [bob] = await quickUsers(1);
    for (const reader of [alice, bob!, apiKey, await openSession()]) {
      expect((await execute(USER, { id: alice.id }, reader)).user).toMatchObject({ id: alice.id, login: alice.login });
    }
    expect((await execute(USER, { id: alice.id }, alice)).user.lastRequestAt).toBe(SAMPLE_TIME.toISOString());
  });

  test('user rejects ids that are not positive and responds NOT_FOUND to unknown ones', async () => {
    for (const id of [2_147_483_647, 999_999]) {
      expect(await errorOf(USER, { id }, apiKey)).toEqual({ message: 'The user was not found', code: 'NOT_FOUND' });
    }
    for (const id of [0, -3]) {
      expect(await errorOf(USER, { id }, apiKey)).toEqual({
        message: 'Id should be a positive integer',
        code: 'UNPROCESSABLE',
        fields: { id: ['should be a positive integer'] },
      });
    }
    for (const id of ['1', 1.5, 2 ** 40, null]) {
      expect((await errorOf(USER, { id }, apiKey)).code).toBe('BAD_USER_INPUT');
    }
  });
});

describe('me', () => {
  test('me returns the user of the caller', async () => {
    const alice = await createUser({ full_name: 'Alice' });
    expect(await execute('{ me { id login fullName } }', {}, alice)).toEqual({
      me: { id: alice.id, login: alice.login, fullName: 'Alice' },
    });
  });
});

import { beforeAll, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { hashPassword } from '../../../src/resolvers/users/passwords.ts';
import { APPLICATION, SAMPLE_TIME, useApp } from '../../support/app/app.ts';
import { expectCommonHeaders, FORM, JSON_TYPE, rawRequest } from '../../support/clients/raw-http.ts';
import { openSession } from '../../support/fixtures/users.ts';

useApp();

// The contract's samples of /users, byte by byte; each depends on the previous ones.

const NO_USER = { code: null, message: "Couldn't find user" };

let token: string;
beforeAll(async () => {
  const passwordHash = await hashPassword('OLD-password');
  const at = { applicationId: APPLICATION.id, createdAt: SAMPLE_TIME, updatedAt: SAMPLE_TIME };
  await db.user.createMany({
    data: [
      {
        ...at,
        id: 7,
        login: 'seven',
        loginKey: 'seven',
        email: 'a+b@x.io',
        fullName: 'Bob Xavier',
        facebookId: '1',
        twitterId: '2',
        phone: '1234567890',
        passwordHash,
        lastRequestAt: SAMPLE_TIME,
      },
    ],
  });
  await db.$executeRaw`SELECT setval(pg_get_serial_sequence('users', 'id'), 100)`;
  ({ token } = await openSession({ login: 'seven', password: 'OLD-password' }));
});

async function replay(method: string, path: string, type?: 'F' | 'J', body?: string) {
  const types = { F: FORM, J: JSON_TYPE };
  const answer = await rawRequest(method, path, {
    headers: { 'SVC-Token': token, ...(type ? { 'Content-Type': types[type] } : {}) },
    body,
  });
  expectCommonHeaders(answer);
  return { status: answer.status, body: answer.text === '' ? '' : JSON.parse(answer.text) };
}

test('the samples sign up by form', async () => {
  const body =
    'user[custom_data]=%7B%22x%22%3A1%7D&user[external_user_id]=77&user[full_name]=Bob%20%26%20Co&user[login]=bob&user[password]=12345678&user[tag_list]=a%2Cb';
  expect(await replay('POST', '/users.json', 'F', body)).toMatchObject({
    status: 201,
    body: { user: { custom_data: '{"x":1}', user_tags: 'a,b', full_name: 'Bob & Co', external_user_id: 77 } },
  });
});

test.each([
  ['/users.json?', 1, 10, [7, 101]],
  ['/users.json?filter[]=string%20login%20eq%20bob&order=desc%20string%20id&page=2&per_page=25', 2, 25, []],
  [
    '/users.json?filter[]=number%20id%20in%201%2C2%2C3%2Cstring%20created_at%20between%202019-01-01%2C2020-01-01&order=asc%20string%20created_at',
    1,
    10,
    [],
  ],
  [
    '/users.json?filter[]=number%20id%20in%207%2C2%2C3%2Cstring%20created_at%20between%202019-01-01%2C2027-01-01&order=asc%20string%20created_at',
    1,
    10,
    [7],
  ],
  ['/users.json?filter[]=number+id+gt+3', 1, 10, [7, 101]],
  ['/users.json?filter[]=date%20last_request_at%20gt%202012-03-20T08:47:34Z', 1, 10, [7]],
  ['/users/by_full_name.json?full_name=Bob%20X&page=1&per_page=5', 1, 5, [7]],
  ['/users/by_tags.json?page=1&tags[]=a%2Cb', 1, 10, [101]],
  ['/users/by_tags.json?tags=a%2Cb', 1, 10, [101]],
])('the sample GET %s has the documented response', async (path, page, perPage, ids) => {
  const { status, body } = await replay('GET', path);
  expect(status).toBe(200);
  expect(body).toMatchObject({ current_page: page, per_page: perPage });
  expect(body.items.map((item: { user: { id: number } }) => item.user.id)).toEqual(ids);
});

test('the samples request a page with a JSON body', async () => {
  expect(await replay('GET', '/users.json', 'J', '{"page":2,"per_page":5}')).toEqual({
    status: 200,
    body: { current_page: 2, per_page: 5, total_entries: 2, items: [] },
  });
});

test.each([
  ['/users/7.json?', 7],
  ['/users/by_login.json?login=bob', 101],
  ['/users/by_email.json?email=a%2Bb%40x.io', 7],
  ['/users/by_facebook_id.json?facebook_id=1', 7],
  ['/users/by_twitter_id.json?twitter_id=2', 7],
  ['/users/phone.json?phone=1234567890', 7],
  ['/users/external/77.json?', 101],
])('the sample GET %s has the documented response', async (path, id) => {
  expect(await replay('GET', path)).toMatchObject({ status: 200, body: { user: { id } } });
});

test.each([
  ['/users/by_login.json?login=rob', NO_USER],
  ['/users/by_facebook_id.json?facebook_id=9', NO_USER],
  ['/users/by_tags.json?tags=x', NO_USER],
  ['/users/external/78.json?', ''],
])('the sample GET %s finds no user', async (path, body) => {
  expect(await replay('GET', path)).toEqual({ status: 404, body });
});

test('the samples update a user by form', async () => {
  const body = 'user[full_name]=N&user[old_password]=OLD-password&user[password]=NEW-password&user[tag_list]=x%2Cy';
  expect(await replay('PUT', '/users/7.json', 'F', body)).toMatchObject({
    status: 200,
    body: { user: { full_name: 'N', user_tags: 'x,y' } },
  });
});

test('the samples delete both users', async () => {
  expect(await replay('DELETE', '/users/7.json')).toEqual({ status: 200, body: '' });
  ({ token } = await openSession({ login: 'bob', password: '12345678' }));
  expect(await replay('DELETE', '/users/external/77.json')).toEqual({ status: 200, body: '' });
});

import { beforeAll, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { APPLICATION, SAMPLE_TIME, useApp } from '../../support/app/app.ts';
import { rawRequest } from '../../support/clients/raw-http.ts';
import { rest } from '../../support/clients/rest.ts';
import { type Cast, type Scenario, testScenarios } from '../../support/clients/rest-table.ts';
import { createOtherApplication } from '../../support/fixtures/applications.ts';
import { BAD_ID, NO_SESSION, NOT_FOUND, TOKEN_REQUIRED } from '../../support/fixtures/error-bodies.ts';
import { apiKey, openSession } from '../../support/fixtures/users.ts';

useApp();

const NO_USER = { code: null, message: "Couldn't find user" };

let cast: Cast;
beforeAll(async () => {
  const { id: other, key: otherKey } = await createOtherApplication();
  const at = { applicationId: APPLICATION.id, createdAt: SAMPLE_TIME, updatedAt: SAMPLE_TIME };
  await db.user.createMany({
    data: [
      {
        ...at,
        id: 7,
        login: 'Bob.X',
        loginKey: 'bob.x',
        email: 'a+b@x.io',
        phone: '1234567890',
        facebookId: '1',
        twitterId: '2',
        externalUserId: 77,
        fullName: 'Bob Xavier 100%',
        tags: ['a', 'b c'],
      },
      {
        ...at,
        id: 8,
        phone: '1234567890',
        fullName: 'Bobby Xylophone',
        externalUserId: 9_007_199_254_740_991n,
        tags: ['b'],
      },
      { ...at, id: 6, phone: '+49 1', fullName: 'Ann', tags: ['A'] },
      {
        ...at,
        applicationId: other,
        id: 9,
        login: 'far',
        loginKey: 'far',
        fullName: 'Bob Far',
        phone: '99',
        tags: ['far'],
      },
    ],
  });
  const values: Record<string, unknown> = {};
  for (const id of [6, 7, 8]) {
    values[`text${id}`] = (await rest('GET', `/users/${id}`, { as: apiKey })).text;
    values[`user${id}`] = (await rest('GET', `/users/${id}`, { as: apiKey })).body;
  }
  cast = { callers: { application: await openSession(), key: apiKey, 'other key': otherKey }, values };
});

const get = (path: string, status: number, answer: unknown, as = 'application'): Scenario => [
  `${status}`,
  as,
  'GET',
  path,
  undefined,
  status,
  answer,
];

describe('single users', () => {
  testScenarios(
    () => cast,
    [
      get('/users/external/77.json?', 200, '{text7}'),
      get('/users/external/77', 200, '{text7}', 'key'),
      get('/users/external/0077', 200, '{text7}'),
      get('/users/external/9007199254740991.json', 200, '{text8}'),
      get('/users/external/78.json', 404, undefined),
      get('/users/external/9007199254740992.json', 404, undefined),
      get(`/users/external/${'9'.repeat(400)}.json`, 404, undefined),
      get('/users/external/77', 404, undefined, 'other key'),
      ...['abc', '0', '-3', '1.5', '%2077'].map((id) => get(`/users/external/${id}.json`, 422, BAD_ID)),
      get('/users/by_login.json?login=Bob.X', 200, '{text7}'),
      get('/users/by_login.json?login=BOB.x', 200, '{text7}', 'key'),
      get('/users/by_login?login=bob', 404, NO_USER),
      get('/users/by_login?login=far', 404, NO_USER),
      get('/users/by_login?login=', 404, NO_USER),
      get('/users/by_login', 404, NO_USER),
      get('/users/by_login?login[x]=1', 404, NO_USER),
      get('/users/by_email.json?email=a%2Bb%40x.io', 200, '{text7}'),
      get('/users/by_email.json?email=A%2BB%40X.IO', 200, '{text7}'),
      get('/users/by_email.json?email=a+b@x.io', 404, NO_USER),
      get('/users/by_email', 404, NO_USER),
      get('/users/by_facebook_id.json?facebook_id=1', 200, '{text7}'),
      get('/users/by_facebook_id.json?facebook_id=2', 404, NO_USER),
      get('/users/by_facebook_id', 404, NO_USER),
      get('/users/by_twitter_id.json?twitter_id=2', 200, '{text7}'),
      get('/users/by_twitter_id.json?twitter_id=1', 404, NO_USER),
      get('/users/by_twitter_id', 404, NO_USER),
      get('/users/phone.json?phone=1234567890', 200, '{text7}'),
      get('/users/phone.json?phone=%2B49+1', 200, '{text6}'),
      get('/users/phone.json?phone=491', 404, NO_USER),
      get('/users/phone.json?phone=99', 404, NO_USER),
      get('/users/phone', 404, NO_USER),
      get('/users/by_login?login=bob.x', 401, TOKEN_REQUIRED, 'anonymous'),
      get('/users/external/x', 401, TOKEN_REQUIRED, 'anonymous'),
      get('/users/by_nothing?login=bob.x', 422, BAD_ID),
      [
        'an unknown token',
        'anonymous',
        'GET',
        '/users/phone',
        undefined,
        401,
        NO_SESSION,
        { 'SVC-Token': 'f'.repeat(40) },
      ],
      ['a key for an unknown user', 'key', 'GET', '/users/7', undefined, 404, NOT_FOUND, { 'On-Behalf-Of': '4711' }],
      ['a body counts', 'key', 'GET', '/users/by_login', { login: 'bob.x' }, 200, '{text7}'],
    ],
  );

  test('a missing user yields an XML error', async () => {
    const { text } = await rawRequest('GET', '/users/by_login.xml?login=x', { as: apiKey });
    expect(text).toBe('<?xml version="1.0" encoding="UTF-8"?><errors><error>Couldn\'t find user</error></errors>');
  });
});

const page = (total: number, items: string[], current = 1, per = 10) => ({
  current_page: current,
  per_page: per,
  total_entries: total,
  items,
});

describe('users by full name', () => {
  const byName = (query: string, status: number, answer: unknown, as?: string) =>
    get(`/users/by_full_name.json?${query}`, status, answer, as);
  testScenarios(
    () => cast,
    [
      byName('full_name=bob', 200, page(2, ['{user7}', '{user8}'])),
      byName('full_name=X%20bOB', 200, page(2, ['{user7}', '{user8}'])),
      byName('full_name=+xavier++bob+', 200, page(1, ['{user7}'])),
      byName('full_name=Bob%20X&page=2&per_page=1', 200, page(2, ['{user8}'], 2, 1)),
      byName('full_name=Bob&page=3&per_page=5', 200, page(2, [], 3, 5)),
      byName('full_name=100%25', 200, page(1, ['{user7}'])),
      byName('full_name=bob&filter[]=nonsense&order=nonsense', 200, page(2, ['{user7}', '{user8}'])),
      byName('full_name=%25', 200, page(1, ['{user7}'])),
      byName('full_name=_', 404, NO_USER),
      byName('full_name=far', 404, NO_USER),
      byName('full_name=bob+ann', 404, NO_USER),
      byName('full_name=++', 404, NO_USER),
      byName('', 404, NO_USER),
      byName('full_name=bob&per_page=101', 422, { errors: { base: ['per_page should be between 1 and 100'] } }),
      byName('full_name=bob&page=0', 422, { errors: { base: ['page should be greater than 0'] } }),
      byName('full_name=bob', 401, TOKEN_REQUIRED, 'anonymous'),
    ],
  );
});

describe('users by tags', () => {
  const byTags = (query: string, status: number, answer: unknown, as?: string) =>
    get(`/users/by_tags.json?${query}`, status, answer, as);
  testScenarios(
    () => cast,
    [
      byTags('tags=a%2Cb', 200, page(2, ['{user7}', '{user8}'])),
      byTags('page=1&tags[]=a%2Cb', 200, page(2, ['{user7}', '{user8}'])),
      byTags('tags[]=a&tags[]=b', 200, page(2, ['{user7}', '{user8}'])),
      byTags('tags=A', 200, page(1, ['{user6}'])),
      byTags('tags=b%20c', 200, page(1, ['{user7}'])),
      byTags('tags=a,b&page=2&per_page=1', 200, page(2, ['{user8}'], 2, 1)),
      byTags('tags=c', 404, NO_USER),
      byTags('tags=far', 404, NO_USER),
      byTags('tags=', 404, NO_USER),
      byTags('', 404, NO_USER),
      byTags('tags=a&per_page=0', 422, { errors: { base: ['per_page should be between 1 and 100'] } }),
      byTags('tags=a', 401, TOKEN_REQUIRED, 'anonymous'),
    ],
  );
});

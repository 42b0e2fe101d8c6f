import { beforeAll, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { APPLICATION, SAMPLE_TIME, useApp } from '../../support/app/app.ts';
import { createTenant } from '../../support/app/other-apps.ts';
import { type Page, walk } from '../../support/clients/pages.ts';
import { errorOf, execute } from '../../support/fixtures/chat.ts';
import { apiKey, type Caller, openSession } from '../../support/fixtures/users.ts';

useApp();

const LIST = `query ($filter: UserFilter, $orderBy: UserOrder, $first: Int, $after: String, $last: Int, $before: String, $skip: Int) {
  users(filter: $filter, orderBy: $orderBy, first: $first, after: $after, last: $last, before: $before, skip: $skip) {
    totalCount
    edges { cursor node { id } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;
const SORT_FIELDS = {
  ID: 'id',
  FULL_NAME: 'fullName',
  EMAIL: 'email',
  LOGIN: 'login',
  PHONE: 'phone',
  WEBSITE: 'website',
  CREATED_AT: 'createdAt',
  UPDATED_AT: 'updatedAt',
  LAST_REQUEST_AT: 'lastRequestAt',
  EXTERNAL_USER_ID: 'externalUserId',
} as const;

let session: Caller;
beforeAll(async () => {
  // Many equal and unset values, so that each order needs its tie-breaker.
  const rows = Array.from({ length: 23 }, (_, place) => {
    const moment = new Date(SAMPLE_TIME.getTime() + (place % 3) * 1_001);
    return {
      applicationId: APPLICATION.id,
      id: place + 1,
      login: place % 4 ? `login${place}` : null,
      loginKey: place % 4 ? `login${place}` : null,
      email: place % 5 ? `e${place}@x.io` : null,
      fullName: place % 3 ? `Name ${place % 4}` : null,
      phone: place % 2 ? `555${place % 4}` : null,
      website: place % 6 ? `w${place % 5}` : null,
      externalUserId: place % 3 ? 9_007_199_254_740_000 + place : null,
      facebookId: place % 2 ? `${place}` : null,
      tags: [`t${place % 2}`, `t${place % 3}`],
      createdAt: moment,
      updatedAt: moment,
      lastRequestAt: place % 4 ? moment : null,
    };
  });
  await db.user.createMany({ data: rows });
  await db.user.create({
    data: {
      applicationId: APPLICATION.id,
      id: 77,
      login: 'bob',
      loginKey: 'bob',
      createdAt: SAMPLE_TIME,
      updatedAt: SAMPLE_TIME,
    },
  });
  await createTenant(3);
  session = await openSession();
});

describe('users', () => {
  test('users answers the query of the sample documents', async () => {
    const sample =
      'query { users(filter: { login: { eq: "bob" } }, orderBy: { field: ID, direction: DESC }, first: 10) { totalCount edges { node { id login } } } }';
    expect(await execute(sample, {}, session)).toEqual({
      users: { totalCount: 1, edges: [{ node: { id: 77, login: 'bob' } }] },
    });
  });

  test.each(Object.keys(SORT_FIELDS))(
    'users sorted by %s yield the same list for any page size and direction',
    async (field) => {
      for (const direction of ['ASC', 'DESC']) {
        const orderBy = { field, direction };
        const page = async (variables: object): Promise<Page> =>
          (await execute(LIST, { orderBy, ...variables }, session)).users;
        const whole = (await page({ first: 100 })).edges.map(({ node }) => node.id);
        expect(whole).toHaveLength(24);
        for (const size of [5, 24]) {
          expect(await walk(page, size, 'forward')).toEqual(whole);
          expect(await walk(page, size, 'backward')).toEqual(whole);
        }
      }
    },
  );

  test('users are sorted with unset values last and ties by id', async () => {
    const rows = await db.user.findMany({ where: { applicationId: APPLICATION.id } });
    for (const direction of ['ASC', 'DESC']) {
      const { users } = await execute(LIST, { orderBy: { field: 'LAST_REQUEST_AT', direction }, first: 100 }, session);
      const sign = direction === 'ASC' ? 1 : -1;
      const at = (moment: Date | null) => (moment === null ? sign * Number.MAX_SAFE_INTEGER : moment.getTime());
      const expected = rows.toSorted(
        (a, b) => sign * (at(a.lastRequestAt) - at(b.lastRequestAt)) || sign * (a.id - b.id),
      );
      expect(users.edges.map(({ node }: { node: { id: number } }) => node.id)).toEqual(expected.map(({ id }) => id));
    }
  });

  test('users supports totals, filters and offsets', async () => {
    const count = async (variables: Record<string, unknown>) =>
      (await execute(LIST, variables, session)).users.totalCount;
    expect(await count({})).toBe(24);
    expect(await count({ filter: {}, skip: 20 })).toBe(24);
    expect(await count({ filter: { tags: { in: ['t2'] } } })).toBe(7);
    expect(await count({ filter: { tags: { all: ['t1', 't2'] } } })).toBe(3);
    expect(await count({ filter: { fullName: { contains: 'NAME' } } })).toBe(15);
    expect(await count({ filter: { or: [{ id: { eq: 1 } }, { and: [{ id: { gt: 1 } }, { id: { lt: 4 } }] }] } })).toBe(
      3,
    );
    expect(await count({ filter: { externalUserId: { gte: 9_007_199_254_740_020 } } })).toBe(2);
    expect(await count({ filter: { facebookId: { gt: '9' } } })).toBe(6);
    expect(await count({ filter: { facebookId: { in: ['007', 9] } } })).toBe(2);
    expect(await count({ filter: { email: { eq: null } } })).toBe(6);
    const { users } = await execute(LIST, { skip: 20, first: 2 }, session);
    expect(users.edges.map(({ node }: { node: { id: number } }) => node.id)).toEqual([21, 22]);
  });

  test('users rejects invalid pages, cursors and numbers', async () => {
    const cursor = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');
    for (const variables of [
      { first: 0 },
      { first: 101 },
      { first: 1, last: 1 },
      { after: 'nonsense' },
      { after: cursor(1, 'x') },
      { after: cursor(1, '99999999999') },
      { after: cursor('1; DROP', '1') },
      { before: cursor('x', '1'), orderBy: { field: 'CREATED_AT', direction: 'ASC' } },
      { filter: { facebookId: { eq: 'x' } } },
      { filter: { id: { eq: 1.5 } } },
      { filter: { passwordHash: { eq: 'x' } } },
      { filter: { or: Array.from({ length: 2_000 }, () => ({ id: { eq: 1 } })) } },
    ]) {
      expect((await errorOf(LIST, variables, session)).code).toBe('BAD_USER_INPUT');
    }
  });
});

describe('user lookups', () => {
  const by = (field: string, argument: string, value: unknown, fields = '{ id }') =>
    `{ ${field}(${argument}: ${JSON.stringify(value)}) ${fields} }`;

  test('single users are found by each identifier', async () => {
    for (const [field, argument, value, id] of [
      ['userByLogin', 'login', 'LOGIN2', 3],
      ['userByEmail', 'email', 'E1@x.io', 2],
      ['userByExternalId', 'externalUserId', 9_007_199_254_740_001, 2],
      ['userByFacebookId', 'facebookId', '3', 4],
      ['userByPhone', 'phone', '5551', 2],
    ] as const) {
      expect(await execute(by(field, argument, value), {}, session)).toEqual({ [field]: { id } });
    }
    await db.user.update({ where: { applicationId_id: { applicationId: 92, id: 5 } }, data: { twitterId: '5' } });
    expect(await execute(by('userByTwitterId', 'twitterId', '5'), {}, apiKey)).toEqual({ userByTwitterId: { id: 5 } });
  });

  test('lists of users are found by tags and full name', async () => {
    const fields = '{ totalCount edges { node { id } } }';
    const named = await execute(by('usersByFullName', 'fullName', 'name 3', fields), {}, session);
    expect(named.usersByFullName.totalCount).toBe(named.usersByFullName.edges.length);
    const tagged = await execute(by('usersByTags', 'tags', ['t2'], fields), {}, session);
    expect(tagged.usersByTags.totalCount).toBe(7);
  });

  test('unknown users are reported as not found', async () => {
    const missing = { code: 'NOT_FOUND', message: "Couldn't find user" };
    for (const query of [
      by('userByLogin', 'login', 'anonymous'),
      by('userByPhone', 'phone', ''),
      by('usersByFullName', 'fullName', ' ', '{ totalCount }'),
      by('usersByTags', 'tags', [], '{ totalCount }'),
    ]) {
      expect(await errorOf(query, {}, session)).toEqual(missing);
    }
    expect((await errorOf(by('userByExternalId', 'externalUserId', 5), {}, session)).code).toBe('NOT_FOUND');
    expect((await errorOf(by('userByExternalId', 'externalUserId', 0), {}, session)).code).toBe('UNPROCESSABLE');
  });
});

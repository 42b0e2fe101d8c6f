import { beforeAll, describe, expect, test } from 'vitest';
import { APPLICATION, useApp } from '../support/app/app.ts';
import { type Statement, statementsAbout } from '../support/app/query-plans.ts';
import { ownConnection, sql } from '../support/app/sql.ts';
import { graphql } from '../support/clients/graphql.ts';
import { rest } from '../support/clients/rest.ts';
import { apiKey } from '../support/fixtures/users.ts';

useApp();

const USERS = 8_000;

beforeAll(async () => {
  await sql(
    `INSERT INTO users (application_id, id, login, login_key, email, phone, full_name, facebook_id, twitter_id,
      external_user_id, tags, created_at, updated_at)
    SELECT $1, n, 'user' || n, 'user' || n, 'user' || n || '@x.io', '555' || n,
      'First' || md5(n::text) || ' Last' || md5((-n)::text), n, n, n, ARRAY['tag' || n, 'many'],
      '2026-01-01'::timestamptz + n * interval '1 minute', '2026-01-01'
    FROM generate_series(1, ${USERS}) n`,
    [APPLICATION.id],
  );
  await sql('ANALYZE users');
  await sql('VACUUM users');
});

const ABOUT_USERS = /^(?!.*touched).*"?users"?( u)?\b/s;

async function planOf({ text, values }: Statement): Promise<string> {
  const client = await ownConnection();
  try {
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values as unknown[]);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  } finally {
    await client.end();
  }
}

/** What selects the page. Its few rows may be sorted again. */
function belowLimit(plan: string): string {
  expect(plan).toContain('Limit');
  return plan.slice(plan.indexOf('Limit'));
}

describe('index use of user lookups', () => {
  const CALLS: [what: string, path: string][] = [
    ['a user by id', '/users/77'],
    ['a user by login', '/users/by_login?login=USER77'],
    ['a user by e-mail', '/users/by_email?email=user77@x.io'],
    ['a user by phone', '/users/phone?phone=55577'],
    ['a user by external id', '/users/external/77'],
    ['a user by Facebook id', '/users/by_facebook_id?facebook_id=77'],
    ['a user by Twitter id', '/users/by_twitter_id?twitter_id=77'],
    ['users by tags', '/users/by_tags?tags=tag77,tag78'],
    ['users by full name', '/users/by_full_name?full_name=28dd2c7955ce926456240b2ff0100bde'],
    ['the first users', '/users'],
    ['the latest users', '/users?order=desc+number+id'],
    ['users by creation', '/users?order=asc+date+created_at'],
    ['the users created last', '/users?order=desc+date+created_at'],
    ['users by a filter of the id', '/users?filter[]=number+id+in+7,8,9'],
    ['users by a filter of the login', '/users?filter[]=string+login+eq+USER77'],
    ['users by a filter of the phone', '/users?filter[]=string+phone+eq+55577'],
    ['users created on one day', '/users?filter[]=date+created_at+between+2026-01-02,2026-01-02'],
  ];
  test.each(CALLS)('%s: the query uses an index and no sequential scan', async (_what, path) => {
    const statements = await statementsAbout(ABOUT_USERS, async () => {
      const { status, body } = await rest('GET', path, { as: apiKey });
      expect(status).toBe(200);
      expect(body.items ?? [body]).not.toEqual([]);
    });
    expect(statements.length).toBeGreaterThan(0);
    for (const statement of statements) {
      const plan = await planOf(statement);
      expect(plan).toContain('Index');
      expect(plan).not.toContain('Seq Scan on users');
      if (/the first|the latest|by creation|created last/.test(_what)) expect(belowLimit(plan)).not.toContain('Sort');
    }
  });

  test('a page after a cursor starts at its position in the index', async () => {
    const USERS_PAGE = `query ($after: String, $orderBy: UserOrder) {
      users(first: 10, after: $after, orderBy: $orderBy) { pageInfo { endCursor } edges { node { id } } }
    }`;
    for (const field of ['ID', 'CREATED_AT']) {
      for (const direction of ['ASC', 'DESC']) {
        const orderBy = { field, direction };
        const first = await graphql(USERS_PAGE, { orderBy }, apiKey);
        const after = first.data.users.pageInfo.endCursor;
        const [statement] = await statementsAbout(ABOUT_USERS, async () => {
          const { data } = await graphql(USERS_PAGE, { orderBy, after }, apiKey);
          expect(data.users.edges[0].node.id).toBe(direction === 'ASC' ? 11 : USERS - 10);
        });
        const plan = await planOf(statement!);
        expect(plan).not.toContain('Seq Scan');
        expect(belowLimit(plan)).not.toContain('Sort');
        expect(plan).toMatch(/Index Cond: .*ROW/);
      }
    }
  });
});

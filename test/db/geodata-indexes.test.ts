import { beforeAll, expect, test } from 'vitest';
import { APPLICATION, useApp } from '../support/app/app.ts';
import { rowsReadBy, statementsAbout } from '../support/app/query-plans.ts';
import { sql } from '../support/app/sql.ts';
import { rest } from '../support/clients/rest.ts';
import { insertUser } from '../support/fixtures/callers.ts';
import { apiKey } from '../support/fixtures/users.ts';

useApp();

const PLACES = 30_000;
const USERS = 30;

beforeAll(async () => {
  const users: number[] = [];
  for (let nth = 0; nth < USERS; nth++) users.push(await insertUser());
  await sql(
    `INSERT INTO geodata (application_id, user_id, latitude, longitude, is_latest, created_at, updated_at)
    SELECT $1, ($2::int[])[1 + n % ${USERS}], degrees(asin(2.0 * n / ${PLACES} - 1)),
      (n * 137.50776405) - floor(n * 137.50776405 / 360) * 360 - 180, n > ${PLACES - USERS},
      '2026-01-01'::timestamptz + n * interval '1 second', '2026-01-01'
    FROM generate_series(1, ${PLACES}) n`,
    [APPLICATION.id, users],
  );
  await sql('VACUUM ANALYZE geodata');
});

test.each<[query: string, most: number]>([
  ['', 16],
  ['sort_asc=1', 16],
  ['sort_by=latitude', 16],
  ['sort_by=longitude&sort_asc=1', 16],
  ['current_position=10;10&sort_by=distance&sort_asc=1', 16],
  ['current_position=10;10&sort_by=distance', 16],
  ['current_position=10;179.99&radius=200000', 60],
  ['current_position=10;10&radius=200000&sort_by=distance&sort_asc=1', 60],
  ['current_position=90;0&radius=200000&sort_by=latitude', 60],
  ['geo_rect=10;10;12;12', 60],
  ['geo_rect=10;179;12;-179', 60],
  ['geo_rect=-90;-180;-87;180', 120],
  ['last_only=1', USERS],
  ['last_only=1&current_position=10;10&sort_by=distance&sort_asc=1', USERS],
  ['last_only=1&geo_rect=80;-180;90;180', 3 * USERS],
  ['min_created_at=2026-01-01&max_created_at=2026-01-01 00:00:30', 40],
])('/geodata/find?%s reads no more rows than necessary', async (query, most) => {
  const statements = await statementsAbout(/geodata/, async () => {
    const { status, body } = await rest('GET', `/geodata/find?${query}`, { as: apiKey });
    expect([status, body.items.length > 0]).toEqual([200, true]);
  });
  expect(statements).toHaveLength(2);
  for (const statement of statements) {
    for (const mode of ['custom', 'generic'] as const) {
      const read = await rowsReadBy(statement, mode);
      expect([mode, statement.text, read <= most || read]).toEqual([mode, statement.text, true]);
    }
  }
});

import { expect, test } from 'vitest';
import { applicationsOf, listedApplications } from '../../src/db/application-keys.ts';

test.each([
  ['a comparison', 'SELECT 1 FROM users u WHERE u.id = $1 AND u.application_id = $2', [7, 92], [92]],
  ['a comparison of Prisma', 'SELECT 1 FROM "public"."users" AS "t0" WHERE "t0"."application_id" = $1', [92], [92]],
  ['a pair', 'SELECT 1 FROM users WHERE (application_id, id) = ($1, $2)', [92, 7], [92]],
  ['a join', 'SELECT 1 FROM unnest($1::int[]) w JOIN users u ON u.application_id = $2', [[7], 92], [92]],
  ['an insertion', 'INSERT INTO "public"."t" ("id","application_id") VALUES ($1,$2),($3,$4)', [7, 92, 8, 92], [92]],
  ['casts before it', 'INSERT INTO t (kind, application_id) VALUES (CAST($1::text AS k), $2)', ['a', 92], [92]],
  ['an insertion of a selection', 'INSERT INTO t (application_id, id)\n SELECT $1::int, s.id FROM s', [92], [92]],
  [
    'an application',
    'UPDATE "public"."applications" SET "name" = $1 WHERE "public"."applications"."id" = $2',
    ['a', 92],
    [92],
  ],
  ['several', 'SELECT 1 FROM t WHERE application_id = $1 OR application_id = $2', [92, 93], [92, 93]],
  ['none', 'SELECT 1 FROM t WHERE user_id = $1', [92], []],
])('the application is read from %s', (_name, text, values, ids) => {
  expect(applicationsOf(text, values)).toEqual(ids);
});

test('applications that are looked up at once are read from the list', () => {
  const text = 'SELECT 1 FROM "public"."applications" AS "t0" WHERE "t0"."id" IN ($1,$2)';
  expect(listedApplications(text, [92, 93])).toEqual([92, 93]);
});

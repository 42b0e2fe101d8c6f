import { beforeAll, describe, expect, test } from 'vitest';
import { APPLICATION, useApp } from '../support/app/app.ts';
import { rowsReadBy, statementsAbout } from '../support/app/query-plans.ts';
import { sql } from '../support/app/sql.ts';
import { rest } from '../support/clients/rest.ts';
import { execute, type QuickUser, quickUsers } from '../support/fixtures/chat.ts';
import { apiKey, type Caller } from '../support/fixtures/users.ts';

useApp();

const RECORDS = 8_000;
const PAGE = 20;
const ALIKE = 10;

let callers: Record<'key' | 'owner' | 'guest' | 'member' | 'stranger', Caller>;

const CREATE_CLASS = `mutation ($name: String!) { createClass(input: { name: $name, fields: [
  { name: "make", type: STRING, index: true }, { name: "model", type: STRING },
  { name: "value", type: INTEGER, index: true }, { name: "tags", type: STRING, array: true },
  { name: "place", type: LOCATION, index: true }, { name: "color", type: STRING },
  { name: "kind", type: STRING, index: true }
], indexes: [{ fields: ["color", "value"] }] }) { id } }`;

beforeAll(async () => {
  const [owner, guest, member, stranger] = (await quickUsers(4)) as [QuickUser, QuickUser, QuickUser, QuickUser];
  callers = { key: apiKey, owner, guest, member, stranger };
  for (const name of ['Cars', 'Notes']) await execute(CREATE_CLASS, { name }, apiKey);
  await sql("UPDATE users SET tags = '{friends}', granted_tags = '{friends}' WHERE id = $1", [guest.id]);
  await sql("UPDATE users SET tags = '{many}', granted_tags = '{many}' WHERE id = $1", [member.id]);
  await sql(`UPDATE record_classes SET version = version + 1, has_open = name = 'Cars', has_private = name = 'Notes',
    has_shared = name = 'Notes'`);
  await sql('UPDATE applications SET catalogue_version = catalogue_version + 1');
  await sql(
    `INSERT INTO records (application_id, id, class_key, user_id, is_open, readers, updaters, deleters, fields, t1, t2, n1, p1, c1,
      created_at, updated_at)
    SELECT c.application_id, lpad(to_hex(n), 12, '0') || lpad(to_hex(key), 12, '0'), key,
      CASE WHEN n % (${RECORDS} / ${ALIKE}) = 7 THEN $2::int ELSE 1000000 + n % 500 END, name = 'Cars',
      CASE WHEN name = 'Cars' THEN ARRAY['*'] WHEN n % (${RECORDS} / ${ALIKE}) = 8 THEN ARRAY['g:friends']
        WHEN n % 2 = 0 THEN ARRAY['g:many']
        ELSE ARRAY['g:team-' || n % 500] END, '{}', '{}',
      fields, 'v' || make, 'v' || kind, value, place_of(lat, lon), compound_key(fields, '{color,value}'), to_timestamp(1700000000 + n), to_timestamp(1700000000 + n)
    FROM record_classes c, generate_series(1, ${RECORDS}) n,
      LATERAL (SELECT n % (${RECORDS} / ${ALIKE}) AS model, n * 7919 % ${RECORDS} AS value,
        'make-' || lpad((n * 4729 % ${RECORDS})::text, 5, '0') AS make) numbered,
      LATERAL (SELECT CASE WHEN n % 800 = 5 THEN 'rare' WHEN value >= 6000 THEN 'large' ELSE 'common' END AS kind) kinds,
      LATERAL (SELECT model / 40 * 2.0 - 40 AS lat, model % 40 * 4.0 - 80 AS lon) placed,
      LATERAL jsonb_build_object('make', make, 'model', 'model-' || model, 'value', value, 'tags',
        jsonb_build_array('tag-' || model), 'place', jsonb_build_object('lat', lat, 'lon', lon),
        'color', 'color-' || n % 8, 'kind', kind) fields
    WHERE c.application_id = $1 ORDER BY n, key`,
    [APPLICATION.id, owner.id],
  );
  await sql('VACUUM ANALYZE records');
});

const ABOUT_RECORDS = /FROM records r/;

type Call = [what: string, as: keyof typeof callers, query: string, found: number];

const CALLS: Call[] = [
  ['the first records', 'owner', 'Cars?limit=20', PAGE],
  ['the latest records', 'key', 'Cars?limit=20&sort_desc=created_at', PAGE],
  ['records that were changed last', 'owner', 'Cars?limit=20&sort_desc=updated_at', PAGE],
  ['records equal to a value, without an index of the field', 'owner', 'Cars?limit=20&model=model-77', ALIKE],
  ['records equal to an indexed number', 'key', 'Cars?limit=20&value=77', 1],
  ['records equal to an indexed text', 'owner', 'Cars?limit=20&make=make-00077', 1],
  ['a range by an indexed number', 'owner', 'Cars?limit=20&value[gte]=4000&sort_asc=value', PAGE],
  ['a range by an indexed number, largest first', 'key', 'Cars?limit=20&value[lt]=4000&sort_desc=value', PAGE],
  ['the first by an indexed text', 'owner', 'Cars?limit=20&sort_asc=make', PAGE],
  ['the last by an indexed text', 'owner', 'Cars?limit=20&sort_desc=make', PAGE],
  [
    'an exact and a range value of a compound index',
    'owner',
    'Cars?limit=20&color=color-3&value[gte]=4000&sort_asc=value',
    PAGE,
  ],
  ['a compound index, largest first', 'owner', 'Cars?limit=20&color=color-3&value[lt]=4000&sort_desc=value', PAGE],
  ['the first of a compound index', 'key', 'Cars?limit=20&color=color-3&sort_asc=value', PAGE],
  ['exact values of a compound index', 'owner', 'Cars?limit=20&color=color-5&value=7', 0],
  ['records whose array contains a value', 'key', 'Cars?limit=20&tags=tag-77', ALIKE],
  ['records near an indexed location', 'owner', 'Cars?limit=20&place[near]=-38,68;1000', ALIKE],
  ['private records with an API key', 'key', 'Notes?limit=20&sort_asc=value', PAGE],
  ["the caller's own private records", 'owner', 'Notes?limit=20', ALIKE],
  ["the caller's own private records, sorted", 'owner', 'Notes?limit=20&sort_asc=value', ALIKE],
  ["records shared with the caller's group", 'guest', 'Notes?limit=20', ALIKE],
  ["records shared with the caller's group, the latest first", 'guest', 'Notes?limit=20&sort_desc=created_at', ALIKE],
  ["records shared with the caller's group, sorted", 'guest', 'Notes?limit=20&sort_desc=value', ALIKE],
  ['records shared with the group of every second record', 'member', 'Notes?limit=20', PAGE],
  ['records shared with the group of every second record, sorted', 'member', 'Notes?limit=20&sort_asc=value', PAGE],
  ['no record of other users', 'stranger', 'Notes?limit=20&sort_asc=make', 0],
];

describe('index use of record lists', () => {
  test.each(CALLS)('a list of %s reads at most three pages of rows', async (_what, as, query, found) => {
    const statements = await statementsAbout(ABOUT_RECORDS, async () => {
      const { status, text, body } = await rest('GET', `/data/${query}`, { as: callers[as] });
      expect([status, status === 200 ? body.items.length : text]).toEqual([200, found]);
    });
    expect(statements).toHaveLength(1);
    // One page for each branch of the permission check; the rows of skipped branches are never read.
    expect(await rowsReadBy(statements[0]!, 'custom')).toBeLessThanOrEqual(3 * PAGE);
  });

  // PostgreSQL soon uses generic plans for the statements that are not planned for each call.
  test.each(CALLS)('a list of %s reads at most three pages of rows with its later plans', async (_what, as, query) => {
    const [statement] = await statementsAbout(ABOUT_RECORDS, async () => {
      expect((await rest('GET', `/data/${query}`, { as: callers[as] })).status).toBe(200);
    });
    const mode = statement!.text.includes('planned for its values') ? 'custom' : 'generic';
    expect(await rowsReadBy(statement!, mode)).toBeLessThanOrEqual(3 * PAGE);
  });
});

describe('lists filtered by one index and sorted by another', () => {
  const LISTS: [what: string, query: string, ranks: (value: number) => boolean, most: number][] = [
    ['a rare value', 'kind=rare&sort_desc=value', () => true, 1_100],
    ['a rare value, by creation', 'kind=rare&sort_asc=created_at', () => true, 1_100],
    ['a frequent value', 'kind=common&sort_asc=value', (value) => value < 6_000, 1_100],
    ['a frequent value and a range without matches', 'kind=common&value[gte]=7990&sort_asc=value', () => false, 1_600],
    ['a value that only the end of the order has', 'kind=large&sort_asc=value', (value) => value >= 6_000, 9_000],
  ];
  test.each(LISTS)('%s: the page is right, and the cost is bounded', async (_what, query, isMatch, most) => {
    const statements = await statementsAbout(ABOUT_RECORDS, async () => {
      const { body } = await rest('GET', `/data/Cars?limit=20&${query}`, { as: callers.owner });
      const [kind] = /(?<=kind=)[a-z]+/.exec(query)!;
      const order = query.includes('created_at') ? 'r.id' : `n1 ${query.includes('desc') ? 'DESC' : 'ASC'}`;
      const least = Number(/(?<=gte]=)\d+/.exec(query)?.[0] ?? 0);
      const expected = await sql<{ id: string }>(
        `SELECT r.id FROM records r JOIN record_classes c ON c.key = r.class_key
         WHERE c.name = 'Cars' AND fields ->> 'kind' = $1 AND n1 >= $2 ORDER BY ${order} LIMIT 20`,
        [kind, least],
      );
      expect(body.items.map(({ _id }: { _id: string }) => _id)).toEqual(expected.map(({ id }) => id));
      expect(body.items.every(({ value }: { value: number }) => isMatch(value))).toBe(true);
    });
    const listing = statements.filter(({ text }) => !text.includes('record_classes c ON'));
    for (const mode of ['custom', 'generic'] as const) {
      const read = await Promise.all(listing.map((statement) => rowsReadBy(statement, mode)));
      expect(read.reduce((sum, rows) => sum + rows, 0)).toBeLessThanOrEqual(most);
    }
  });

  // All places are within 20,000 km, and PostgreSQL assumes that a thousandth of all records is in any box.
  test.each([
    ['few', '-38,68;1000', 100],
    ['all', '0,0;20000000', 1_100],
  ])('near a place with %s records: the page is right, and the cost is bounded', async (_what, near, most) => {
    const statements = await statementsAbout(ABOUT_RECORDS, async () => {
      const { body } = await rest('GET', `/data/Cars?limit=20&place[near]=${near}`, { as: callers.owner });
      const [, lat, lon, radius] = /(.+),(.+);(.+)/.exec(near)!;
      const expected = await sql<{ id: string }>(
        `SELECT r.id FROM records r JOIN record_classes c ON c.key = r.class_key
         WHERE c.name = 'Cars' AND cube_distance(p1, place_of($1, $2)) <= 2 * sin(least($3 / 6371000.0 / 2, pi() / 2))
         ORDER BY r.id LIMIT 20`,
        [Number(lat), Number(lon), Number(radius)],
      );
      expect(body.items.map(({ _id }: { _id: string }) => _id)).toEqual(expected.map(({ id }) => id));
    });
    const listing = statements.filter(({ text }) => !text.includes('record_classes c ON'));
    for (const mode of ['custom', 'generic'] as const) {
      const read = await Promise.all(listing.map((statement) => rowsReadBy(statement, mode)));
      expect(read.reduce((sum, rows) => sum + rows, 0)).toBeLessThanOrEqual(most);
    }
  });
});

import { describe, expect, test } from 'vitest';
import { db } from '../../src/db/client.ts';
import { APPLICATION, clock, running, useApp } from '../support/app/app.ts';
import { createTenant } from '../support/app/other-apps.ts';
import { sql } from '../support/app/sql.ts';
import { errorOf, execute, type QuickUser, quickUsers } from '../support/fixtures/chat.ts';
import { apiKey, type Caller } from '../support/fixtures/users.ts';

useApp();

const CREATE = 'mutation ($input: GeodatumInput!) { createGeodatum(input: $input) { id latitude longitude status } }';
const FIELDS = 'totalCount edges { cursor node { id user { id } } } pageInfo { hasNextPage endCursor hasPreviousPage }';
const FIND = `query (
    $filter: GeodatumFilter, $within: RectangleInput, $position: PositionInput, $radius: Float, $latestOnly: Boolean,
    $orderBy: GeodatumOrder, $first: Int, $after: String, $last: Int, $before: String
  ) {
    geodata(
      filter: $filter, within: $within, position: $position, radius: $radius, latestOnly: $latestOnly,
      orderBy: $orderBy, first: $first, after: $after, last: $last, before: $before
    ) { ${FIELDS} }
  }`;
const DELETE = 'mutation ($id: Int!) { deleteGeodatum(id: $id) }';
const PURGE = 'mutation ($days: Int) { deleteOldGeodata(days: $days) }';

const place = async (as: Caller, latitude: number, longitude: number): Promise<number> =>
  (await execute(CREATE, { input: { latitude, longitude } }, as)).createGeodatum.id;

interface Found {
  totalCount: number;
  edges: { cursor: string; node: { id: number } }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; endCursor: string };
}

const find = async (variables: object, as: Caller = apiKey): Promise<Found> =>
  (await execute(FIND, { ...variables }, as)).geodata;
const idsOf = ({ edges }: Found) => edges.map(({ node }) => node.id);
const of = (user: { id: number }) => ({ filter: { userId: { eq: user.id } } });

async function expectKept(): Promise<void> {
  const [kept] = await sql('SELECT coalesce(sum(count), 0)::int AS count FROM geodata_counts');
  expect(kept).toEqual((await sql('SELECT count(*)::int AS count FROM geodata'))[0]);
  const wrong = await sql(`
    SELECT g.user_id FROM geodata g GROUP BY g.user_id
    HAVING (array_agg(g.id ORDER BY g.created_at DESC, g.id DESC))[1] IS DISTINCT FROM max(g.id) FILTER (WHERE g.is_latest)`);
  expect(wrong).toEqual([]);
}

describe('geodata', () => {
  const ORDERS = ['CREATED_AT', 'LATITUDE', 'LONGITUDE', 'DISTANCE'].flatMap((field) =>
    ['ASC', 'DESC'].map((direction) => ({ field, direction })),
  );

  test.each(ORDERS)('geodata are paged by $field $direction, forward and backward', async (orderBy) => {
    const [alice] = (await quickUsers(1)) as [QuickUser];
    for (const [nth, longitude] of [3, 1, 2, 1, 5].entries()) {
      clock.reset((nth % 3) * 1000);
      await place(alice, longitude * 2, longitude);
    }
    const asked = { ...of(alice), orderBy, position: { latitude: 0, longitude: 0 } };
    const all = await find(asked);
    expect([all.totalCount, all.pageInfo.hasNextPage]).toEqual([5, false]);
    const forward: number[] = [];
    for (let after: string | undefined; ; ) {
      const page = await find({ ...asked, first: 2, after });
      forward.push(...idsOf(page));
      if (!page.pageInfo.hasNextPage) break;
      after = page.pageInfo.endCursor;
    }
    expect(forward).toEqual(idsOf(all));
    const backward = idsOf(await find({ ...asked, last: 4, before: all.edges[4]!.cursor }));
    expect(backward).toEqual(idsOf(all).slice(0, 4));
  });

  test('geodata have no distance without a position, and reject locations beyond the earth', async () => {
    const position = { latitude: 1, longitude: 1 };
    const within = { south: 0, west: 0, north: 1, east: 1 };
    const NOWHERE = { message: 'position is required', code: 'UNPROCESSABLE' };
    expect(await errorOf(FIND, { radius: 1 }, apiKey)).toEqual(NOWHERE);
    const byDistance = { field: 'DISTANCE', direction: 'ASC' };
    expect(await errorOf(FIND, { orderBy: byDistance }, apiKey)).toEqual(NOWHERE);
    for (const asked of [
      { position, radius: -1 },
      { position: { latitude: 91, longitude: 0 } },
      { within: { ...within, east: 181 } },
      { within: { ...within, south: 2 } },
      { after: 'x' },
      { after: Buffer.from('["x","1"]').toString('base64url') },
      { after: Buffer.from('["2026-01-01T00:00:00.000Z","x"]').toString('base64url') },
      { orderBy: byDistance, position, after: Buffer.from('["x","1"]').toString('base64url') },
    ]) {
      expect(await errorOf(FIND, asked, apiKey)).toMatchObject({ code: 'BAD_USER_INPUT' });
    }
  });

  test('geodata within a radius are found by great-circle distance', async () => {
    const [alice] = (await quickUsers(1)) as [QuickUser];
    const at = running.now();
    // A fixed random sequence of locations, including the poles and both sides of the date line.
    const places = Array.from({ length: 400 }, (_, nth) => ({
      latitude: Math.asin(((nth * 73) % 199) / 99.5 - 1 || 0) * (180 / Math.PI),
      longitude: ((nth * 137.50776) % 360) - 180,
    })).concat([
      { latitude: 90, longitude: 0 },
      { latitude: -90, longitude: 50 },
      { latitude: 0, longitude: 180 },
      { latitude: 0, longitude: -180 },
    ]);
    await db.geodatum.createMany({
      data: places.map((one) => ({
        ...one,
        applicationId: APPLICATION.id,
        userId: alice.id,
        isLatest: false,
        createdAt: at,
        updatedAt: at,
      })),
    });
    const rad = (degrees: number) => (degrees * Math.PI) / 180;
    const metres = (a: (typeof places)[0], b: (typeof places)[0]) => {
      const half = (degrees: number) => Math.sin(rad(degrees) / 2) ** 2;
      const across = Math.cos(rad(a.latitude)) * Math.cos(rad(b.latitude)) * half(b.longitude - a.longitude);
      return 2 * 6_371_008.8 * Math.asin(Math.min(1, Math.sqrt(half(b.latitude - a.latitude) + across)));
    };
    for (const position of [
      places[7]!,
      places[200]!,
      { latitude: 89, longitude: 20 },
      { latitude: 5, longitude: 179.9 },
    ]) {
      for (const radius of [1, 10_000, 1_000_000, 5_000_000, 15_000_000]) {
        const { totalCount } = await find({ ...of(alice), position, radius });
        expect([position, radius, totalCount]).toEqual([
          position,
          radius,
          places.filter((one) => metres(one, position) <= radius).length,
        ]);
      }
    }
    for (const [south, west, north, east] of [
      [-10, -10, 10, 10],
      [-90, -180, 90, 180],
      [60, 100, 90, -100],
      [-50, 170, 50, -170],
      [-90, 0, -60, 180],
      [0, 180, 0, 180],
    ] as [number, number, number, number][]) {
      const isIn = ({ latitude, longitude }: (typeof places)[0]) =>
        latitude >= south &&
        latitude <= north &&
        (west <= east ? longitude >= west && longitude <= east : longitude >= west || longitude <= east);
      const { totalCount } = await find({ ...of(alice), within: { south, west, north, east } });
      expect([south, west, totalCount]).toEqual([south, west, places.filter(isIn).length]);
    }
    await sql('DELETE FROM geodata');
  });

  test('geodata are visible only within their application', async () => {
    const other = await createTenant(1);
    const [stranger] = other.users;
    const id = await place(stranger!, 1, 1);
    expect(idsOf(await find({ filter: { userId: { eq: stranger!.id } } }))).toEqual([]);
    expect(idsOf(await find({}, other.key))).toEqual([id]);
    expect(await errorOf(DELETE, { id }, apiKey)).toMatchObject({ code: 'NOT_FOUND' });
    await execute(PURGE, { days: 1 }, apiKey);
    expect((await find({}, stranger!)).totalCount).toBe(1);
  });
});

describe('the newest location of a user', () => {
  test('deleting the newest location makes the previous one the newest', async () => {
    const [alice] = (await quickUsers(1)) as [QuickUser];
    const ids: number[] = [];
    for (let nth = 0; nth < 3; nth++) ids.push(await place(alice, nth, nth));
    const latest = async () => idsOf(await find({ ...of(alice), latestOnly: true }));
    expect(await latest()).toEqual([ids[2]]);
    await execute(DELETE, { id: ids[1] }, alice);
    expect(await latest()).toEqual([ids[2]]);
    await execute(DELETE, { id: ids[2] }, alice);
    expect(await latest()).toEqual([ids[0]]);
    await execute(DELETE, { id: ids[0] }, apiKey);
    expect(await latest()).toEqual([]);
    await expectKept();
  });

  test('a user has exactly one newest location after concurrent creations, deletions and sweeps', async () => {
    clock.reset();
    const users = (await quickUsers(3)) as QuickUser[];
    for (const user of users) for (let nth = 0; nth < 5; nth++) await place(user, nth, nth);
    clock.reset(2 * 86_400_000);
    const old = idsOf(await find({ first: 100 }));
    const acts = [
      ...users.flatMap((user) => Array.from({ length: 6 }, (_, nth) => () => place(user, nth, -nth))),
      ...old.flatMap((id) => [() => execute(DELETE, { id }, apiKey), () => execute(DELETE, { id }, apiKey)]),
      ...users.map((user) => () => execute(PURGE, { days: 1 }, user)),
      () => execute(PURGE, { days: 1 }, apiKey),
      () => execute(PURGE, { days: 1 }, apiKey),
      () => execute('mutation ($id: Int!) { deleteUser(id: $id) }', { id: users[2]!.id }, apiKey),
    ];
    // A fixed sequence, in which each operation uses only rows of its own kind.
    const mixed = acts.map((act, nth) => ({ act, place: (nth * 7919) % 101 })).sort((a, b) => a.place - b.place);
    const outcomes = await Promise.allSettled(mixed.map(({ act }) => act()));
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(String(outcome.reason)).toMatch(/NOT_FOUND|UNAUTHENTICATED/);
    }
    expect((await find({ ...of(users[0]!) })).totalCount).toBe(6);
    expect((await find({ ...of(users[2]!) })).totalCount).toBe(0);
    await expectKept();
  });
});

import { beforeAll, describe, expect, test } from 'vitest';
import { APPLICATION, clock, useApp } from '../support/app/app.ts';
import { sql } from '../support/app/sql.ts';
import { rest } from '../support/clients/rest.ts';
import { type Scenario, testScenarios } from '../support/clients/rest-table.ts';
import { type ChatCast, createChatCast, created } from '../support/fixtures/chat-cast.ts';
import {
  BAD_ID,
  MAY_NOT_PERFORM,
  NEED_USER,
  NO_SESSION,
  NOT_FOUND,
  TOKEN_REQUIRED,
} from '../support/fixtures/error-bodies.ts';
import { type Caller, onBehalfOf } from '../support/fixtures/users.ts';

useApp();

let cast: ChatCast;
beforeAll(async () => {
  cast = await createChatCast();
});

/** Sessions expire while the clock advances; API keys do not. */
const as = onBehalfOf;

const AT = '2026-11-20T17:46:59Z';
const NUMBER = 'is not a number';
const FIRST = { latitude: 48.5, longitude: -0.25, status: 'here' };

const record = (fields: object) => ({
  geo_datum: {
    id: expect.any(Number),
    application_id: APPLICATION.id,
    user_id: '{alice}',
    latitude: 0,
    longitude: 0,
    status: null,
    created_at: AT,
    created_at_timestamp: 1_795_196_819,
    updated_at: AT,
    ...fields,
  },
});
const fieldErrors = (fields: Record<string, string[]>, ...base: string[]) => ({ errors: { ...fields, base } });
const base = (text: string) => ({ errors: { base: [text] } });

describe('POST /geodata', () => {
  const path = '/geodata.json';
  const post = (name: string, geo_data: unknown, status: number, answer: unknown): Scenario => [
    name,
    'alice',
    'POST',
    path,
    { geo_data },
    status,
    answer,
  ];
  const right = (name: string, geo_data: object, fields: object = geo_data) =>
    post(name, geo_data, 201, record(fields));
  const wrong = (name: string, geo_data: unknown, fields: Record<string, string[]>, ...sentences: string[]) =>
    post(name, geo_data, 422, fieldErrors(fields, ...sentences));
  testScenarios(
    () => cast,
    [
      right('a place', FIRST),
      right('without status', { latitude: 1, longitude: 2 }),
      right(
        'less than any atom away from zero',
        { latitude: -7e-323, longitude: 5e-324 },
        { latitude: 0, longitude: 0 },
      ),
      right('so little away from it at a pole', { latitude: 90, longitude: 1e-292 }, { latitude: 90, longitude: 0 }),
      right(
        'as texts',
        { latitude: '1.5', longitude: '-2e1', status: 7 },
        { latitude: 1.5, longitude: -20, status: '7' },
      ),
      right('the ends of the earth', { latitude: 90, longitude: 180 }),
      right('the other ends', { latitude: -90, longitude: -180 }),
      right('a status is trimmed at its end', { ...FIRST, status: ' x  ' }, { ...FIRST, status: ' x' }),
      right('a blank one is none', { ...FIRST, status: '  ' }, { ...FIRST, status: null }),
      right('the longest status', { ...FIRST, status: '😀'.repeat(1000) }),
      right(
        'push parameters are ignored',
        { ...FIRST, push_message: 'x', radius: 'y', push_environment: 1, id: 5, user_id: 9 },
        FIRST,
      ),
      [
        'a form',
        'alice',
        'POST',
        path,
        'geo_data[latitude]=48.5&geo_data%5Blongitude%5D=-0.25&geo_data[status]=he+re',
        201,
        record({ ...FIRST, status: 'he re' }),
      ],
      ['on behalf of a user', 'key for alice', 'POST', '/geodata', { geo_data: FIRST }, 201, record(FIRST)],

      wrong(
        'too far north',
        { ...FIRST, latitude: 90.1 },
        { latitude: ['must be less than or equal to 90'] },
        'Latitude must be less than or equal to 90',
      ),
      wrong(
        'too far south',
        { ...FIRST, latitude: -91 },
        { latitude: ['must be greater than or equal to -90'] },
        'Latitude must be greater than or equal to -90',
      ),
      wrong(
        'too far east',
        { ...FIRST, longitude: '180.01' },
        { longitude: ['must be less than or equal to 180'] },
        'Longitude must be less than or equal to 180',
      ),
      wrong(
        'too far west',
        { ...FIRST, longitude: -181 },
        { longitude: ['must be greater than or equal to -180'] },
        'Longitude must be greater than or equal to -180',
      ),
      wrong(
        'no numbers',
        { latitude: 'x', longitude: 'y' },
        { latitude: [NUMBER], longitude: [NUMBER] },
        'Latitude is not a number',
        'Longitude is not a number',
      ),
      wrong(
        'not a number',
        { latitude: 'NaN', longitude: 'Infinity' },
        { latitude: [NUMBER], longitude: [NUMBER] },
        'Latitude is not a number',
        'Longitude is not a number',
      ),
      wrong(
        'nulls',
        { latitude: null, longitude: null },
        { latitude: [NUMBER], longitude: [NUMBER] },
        'Latitude is not a number',
        'Longitude is not a number',
      ),
      wrong(
        'nothing',
        {},
        { latitude: [NUMBER], longitude: [NUMBER] },
        'Latitude is not a number',
        'Longitude is not a number',
      ),
      wrong(
        'a text',
        'x',
        { latitude: [NUMBER], longitude: [NUMBER] },
        'Latitude is not a number',
        'Longitude is not a number',
      ),
      wrong(
        'all at once',
        { latitude: 91, longitude: 181, status: 's'.repeat(1001) },
        {
          latitude: ['must be less than or equal to 90'],
          longitude: ['must be less than or equal to 180'],
          status: ['is too long (maximum is 1000 characters)'],
        },
        'Latitude must be less than or equal to 90',
        'Longitude must be less than or equal to 180',
        'Status is too long (maximum is 1000 characters)',
      ),

      ['an application session', 'application', 'POST', path, { geo_data: FIRST }, 422, NEED_USER],
      ['an API key alone', 'key', 'POST', path, { geo_data: FIRST }, 422, NEED_USER],
      ['anonymous', 'anonymous', 'POST', path, { geo_data: FIRST }, 401, TOKEN_REQUIRED],
    ],
  );
});

describe('a single place', () => {
  beforeAll(async () => {
    const { geo_datum } = await created('/geodata', { geo_data: FIRST }, cast.alice);
    const gone = await created('/geodata', { geo_data: FIRST }, cast.alice);
    Object.assign(cast.values, { id: geo_datum.id, gone: gone.geo_datum.id });
  });
  const path = '/geodata/{id}.json';
  const NOTHING = base('No data for update was provided');
  const rows: Scenario[] = [
    ['is shown', 'alice', 'GET', path, undefined, 200, record(FIRST)],
    ['to every session', 'mallory', 'GET', path, undefined, 200, record(FIRST)],
    ['of the application too', 'application', 'GET', path, undefined, 200, record(FIRST)],
    ['and to keys', 'key', 'GET', path, undefined, 200, record(FIRST)],
    ['not elsewhere', 'stranger', 'GET', path, undefined, 404, NOT_FOUND],
    ['nor with the key of another application', 'other key', 'GET', path, undefined, 404, NOT_FOUND],
    ['nor without credentials', 'anonymous', 'GET', path, undefined, 401, TOKEN_REQUIRED],
    ['an unknown one', 'alice', 'GET', '/geodata/2147483647', undefined, 404, NOT_FOUND],
    ['an id out of range', 'alice', 'GET', '/geodata/2147483648', undefined, 404, NOT_FOUND],
    ['no number', 'alice', 'GET', '/geodata/x', undefined, 422, BAD_ID],
    ['zero', 'alice', 'PUT', '/geodata/0', { geo_data: FIRST }, 422, BAD_ID],
    ['a fraction', 'alice', 'DELETE', '/geodata/1.5', undefined, 422, BAD_ID],
    ['other methods', 'alice', 'POST', path, { geo_data: FIRST }, 404, NOT_FOUND],

    [
      'is changed',
      'alice',
      'PUT',
      path,
      { geo_data: { latitude: '1', status: 'there' } },
      200,
      record({ ...FIRST, latitude: 1, status: 'there' }),
    ],
    [
      'by a key',
      'key',
      'PUT',
      path,
      { geo_data: { longitude: 3 } },
      200,
      record({ latitude: 1, longitude: 3, status: 'there' }),
    ],
    [
      'its status goes by null',
      'key for alice',
      'PUT',
      path,
      { geo_data: { status: null } },
      200,
      record({ latitude: 1, longitude: 3 }),
    ],
    ['not by another', 'mallory', 'PUT', path, { geo_data: { latitude: 1 } }, 403, MAY_NOT_PERFORM],
    ['not by an application session', 'application', 'PUT', path, { geo_data: { latitude: 1 } }, 422, NEED_USER],
    ['not elsewhere', 'stranger', 'PUT', path, { geo_data: { latitude: 1 } }, 404, NOT_FOUND],
    ['not without data', 'alice', 'PUT', path, {}, 400, NOTHING],
    ['nor with other data', 'mallory', 'PUT', '/geodata/2147483647', { geo_data: { x: 1 }, latitude: 1 }, 400, NOTHING],
    [
      'not beyond the earth',
      'alice',
      'PUT',
      path,
      { geo_data: { longitude: 200 } },
      422,
      fieldErrors({ longitude: ['must be less than or equal to 180'] }, 'Longitude must be less than or equal to 180'),
    ],
    [
      'not to no number',
      'mallory',
      'PUT',
      path,
      { geo_data: { latitude: '' } },
      422,
      fieldErrors({ latitude: [NUMBER] }, 'Latitude is not a number'),
    ],
    ['an unknown one', 'alice', 'PUT', '/geodata/2147483647', { geo_data: { latitude: 1 } }, 404, NOT_FOUND],

    ['is not deleted by another', 'mallory', 'DELETE', path, undefined, 403, MAY_NOT_PERFORM],
    ['nor by an application session', 'application', 'DELETE', path, undefined, 422, NEED_USER],
    ['nor elsewhere', 'other key', 'DELETE', path, undefined, 404, NOT_FOUND],
    ['but by its user', 'alice', 'DELETE', path, undefined, 200, undefined],
    ['once', 'alice', 'DELETE', path, undefined, 404, NOT_FOUND],
    ['and by a key', 'key', 'DELETE', '/geodata/{gone}.xml', undefined, 200, undefined],
  ];
  testScenarios(() => cast, rows);
});

describe('GET /geodata/find', () => {
  const ids: Record<string, number> = {};
  const T0 = 1_795_300_000;
  const PLACES: [
    name: string,
    user: 'bob' | 'carol' | 'mallory',
    latitude: number,
    longitude: number,
    status: string | null,
  ][] = [
    ['london', 'bob', 51.5, -0.1, 'rain'],
    ['paris', 'bob', 48.9, 2.4, null],
    ['oslo', 'carol', 59.9, 10.7, null],
    ['fiji', 'carol', -17.8, 178, 'sun'],
    ['samoa', 'mallory', -13.8, -172, null],
    ['pole', 'mallory', 90, 0, null],
  ];
  let asker: Caller;

  beforeAll(async () => {
    await sql('DELETE FROM geodata');
    asker = cast.callers.key!;
    for (const [nth, [name, user, latitude, longitude, status]] of PLACES.entries()) {
      clock.set(new Date((T0 + nth * 100) * 1000 + 500));
      const { geo_datum } = await created('/geodata', { geo_data: { latitude, longitude, status } }, as(cast[user]));
      ids[name] = geo_datum.id;
    }
    await rest('PUT', `/users/${cast.bob.id}`, {
      as: asker,
      json: { user: { full_name: 'Bob O%Neill', external_user_id: 77 } },
    });
  });

  const find = async (query: string) => {
    const { status, body } = await rest('GET', `/geodata/find.json?${query}`, { as: asker });
    if (status !== 200) return [status, body];
    const names = body.items.map(({ geo_datum }: { geo_datum: { id: number } }) =>
      Object.keys(ids).find((name) => ids[name] === geo_datum.id),
    );
    expect(body.total_entries).toBeGreaterThanOrEqual(names.length);
    return names.filter((name: string | undefined) => name !== undefined).join(' ');
  };

  test('GET /geodata/find returns a page of places with their users', async () => {
    const { status, body } = await rest('GET', '/geodata/find.json?per_page=1&status=1&min_created_at=1795300000', {
      as: asker,
    });
    const { user } = (await rest('GET', `/users/${cast.carol.id}`, { as: asker })).body;
    expect([status, body]).toEqual([
      200,
      {
        current_page: 1,
        per_page: 1,
        total_entries: 2,
        items: [
          {
            geo_datum: {
              id: ids.fiji,
              application_id: APPLICATION.id,
              user_id: cast.carol.id,
              latitude: -17.8,
              longitude: 178,
              status: 'sun',
              created_at: '2026-11-21T22:31:40Z',
              created_at_timestamp: T0 + 300,
              updated_at: '2026-11-21T22:31:40Z',
              user,
            },
          },
        ],
      },
    ]);
  });

  test.each<[query: string, found: string]>([
    ['', 'pole samoa fiji oslo paris london'],
    ['sort_asc=1&per_page=100', 'london paris oslo fiji samoa pole'],
    ['page=2&per_page=2', 'fiji oslo'],
    [`created_at=${T0 + 100}`, 'paris'],
    [`min_created_at=${T0 + 400}`, 'pole samoa'],
    [`max_created_at=${T0 + 100}`, 'paris london'],
    [`min_created_at=${T0 + 100}&max_created_at=${T0 + 200}`, 'oslo paris'],
    ['user.id=BOB', 'paris london'],
    ['user.ids=BOB,CAROL', 'fiji oslo paris london'],
    ['user.ids[]=CAROL&user.id=BOB', ''],
    ['user.id=2147483648', ''],
    ['user.name=NEILL', 'paris london'],
    ['user.name=o%25n', 'paris london'],
    ['user.name=o_n', ''],
    ['user.external_ids=77', 'paris london'],
    ['user.external_ids=76,78', ''],
    ['status=1', 'fiji london'],
    ['status=0', 'pole samoa fiji oslo paris london'],
    ['last_only=1', 'pole fiji paris'],
    ['last_only=1&user.ids=BOB,CAROL&sort_asc=1', 'paris fiji'],
    ['last_only=1&geo_rect=50;-5;60;15', ''],
    ['geo_rect=45;-5;60;15', 'oslo paris london'],
    ['geo_rect=60;15;45;-5', 'oslo paris london'],
    ['geo_rect=60;-5;45;15', 'oslo paris london'],
    ['geo_rect=51.5;-0.1;51.5;-0.1', 'london'],
    ['geo_rect=-20;170;-10;-170', 'samoa fiji'],
    ['geo_rect=-20;-180;-10;180', 'samoa fiji'],
    ['geo_rect=-90;-180;90;180', 'pole samoa fiji oslo paris london'],
    ['geo_rect=89;-180;90;-170', ''],
    ['geo_rect=89;-10;90;10', 'pole'],
    ['geo_rect=45;-5;60;15&sort_by=latitude', 'oslo london paris'],
    ['sort_by=latitude&sort_asc=1', 'fiji samoa paris london oslo pole'],
    ['sort_by=longitude', 'fiji oslo paris pole london samoa'],
    ['current_position=48;2', 'pole samoa fiji oslo paris london'],
    ['current_position=48.9;2.4&radius=350000', 'paris london'],
    ['current_position=48.9,2.4&radius=330000', 'paris'],
    ['current_position=48.9;2.4&radius=0', 'paris'],
    ['current_position=-15;-179&radius=1000000', 'samoa fiji'],
    ['current_position=90;180&radius=1000', 'pole'],
    ['current_position=5e-324;-7e-323&radius=30000000&sort_by=latitude', 'pole oslo london paris samoa fiji'],
    ['current_position=0;0&radius=30000000', 'pole samoa fiji oslo paris london'],
    ['current_position=48.9;2.4&sort_by=distance&sort_asc=1', 'paris london oslo pole samoa fiji'],
    ['current_position=48.9;2.4&sort_by=distance', 'fiji samoa pole oslo london paris'],
    ['current_position=48.9;2.4&sort_by=distance&sort_asc=1&per_page=2&page=2', 'oslo pole'],
    ['current_position=48.9;2.4&sort_by=distance&radius=2000000', 'oslo london paris'],
    ['current_position=48.9;2.4&sort_by=distance&sort_asc=1&geo_rect=50;-90;90;90&last_only=1', 'pole'],
    ['user.id=&radius=&geo_rect=&created_at=&sort_by=&user.ids=', 'pole samoa fiji oslo paris london'],
    ['page=3&per_page=100', ''],
  ])('GET /geodata/find?%s lists the matching places', async (query, found) => {
    const text = query.replaceAll('BOB', String(cast.bob.id)).replaceAll('CAROL', String(cast.carol.id));
    expect(await find(text)).toBe(found);
  });

  test.each<[query: string, text: string]>([
    ['user.id=x', 'Incorrect filter: user.id'],
    ['user.ids=1,x', 'Incorrect filter: user.ids'],
    ['user.external_ids=1.5', 'Incorrect filter: user.external_ids'],
    ['created_at=x', 'Incorrect filter: created_at'],
    ['min_created_at=2026-13-01', 'Incorrect filter: min_created_at'],
    ['max_created_at=x', 'Incorrect filter: max_created_at'],
    ['geo_rect=1;2;3', 'Incorrect filter: geo_rect'],
    ['geo_rect=1;2;3;x', 'Incorrect filter: geo_rect'],
    ['geo_rect=1;2;91;4', 'Incorrect filter: geo_rect'],
    ['geo_rect=1;2;3;181', 'Incorrect filter: geo_rect'],
    ['current_position=1', 'Incorrect filter: current_position'],
    ['current_position=1;2;3', 'Incorrect filter: current_position'],
    ['current_position=91;0', 'Incorrect filter: current_position'],
    ['radius=-1&current_position=1;1', 'Incorrect filter: radius'],
    ['radius=x&current_position=1;1', 'Incorrect filter: radius'],
    ['radius=1', 'current_position is required'],
    ['sort_by=distance', 'current_position is required'],
    ['sort_by=id', 'Incorrect filter: sort_by'],
    ['sort_by=constructor', 'Incorrect filter: sort_by'],
    ['per_page=101', 'per_page should be between 1 and 100'],
    ['page=0', 'page should be greater than 0'],
  ])('the parameter error is returned: %s', async (query, text) => {
    expect(await find(query)).toEqual([422, base(text)]);
  });

  test('GET /geodata/find accepts every session of the application', async () => {
    clock.reset();
    for (const [as, count] of [
      [cast.mallory, 6],
      [cast.callers.application!, 6],
      [cast.stranger, 0],
    ] as const) {
      const { status, body } = await rest('GET', '/geodata/find', { as });
      expect([status, body.total_entries]).toEqual([200, count]);
    }
    expect((await rest('GET', '/geodata/find')).body).toEqual(TOKEN_REQUIRED);
    expect((await rest('GET', '/geodata/find', { as: { headers: { 'SVC-Token': 'x' } } })).body).toEqual(NO_SESSION);
  });

  test('GET /geodata/find returns the same values as XML', async () => {
    const place = `<application-id type="integer">92</application-id><user-id type="integer">${cast.bob.id}</user-id><latitude type="float">51.5</latitude>`;
    const one = await rest('GET', `/geodata/${ids.london}.xml`, { as: asker });
    expect(one.text).toContain(`?><geo-datum><id type="integer">${ids.london}</id>${place}`);
    const page = await rest('GET', `/geodata/find.xml?created_at=${T0}`, { as: asker });
    expect(page.text).toMatch(
      /\?><geo-data><current-page type="integer">1<\/current-page>.*<items type="array"><geo-datum><id/,
    );
    expect(page.text).toContain(`<user><id type="integer">${cast.bob.id}</id><full-name>Bob O%Neill</full-name>`);
    const wrong = await rest('POST', '/geodata.xml', {
      as: cast.alice,
      json: { geo_data: { latitude: 91, longitude: 1 } },
    });
    expect([wrong.status, wrong.text]).toEqual([
      422,
      '<?xml version="1.0" encoding="UTF-8"?><errors><error>Latitude must be less than or equal to 90</error></errors>',
    ]);
  });
});

describe('DELETE /geodata', () => {
  const DAYS = fieldErrors(
    { days: ['should be an integer greater then 0'] },
    'Days should be an integer greater then 0',
  );
  testScenarios(
    () => cast,
    ['', '?days=', '?days=0', '?days=-1', '?days=1.5', '?days=x', '?days=99999999999999999999'].map(
      (query): Scenario => [`needs days: ${query}`, 'alice', 'DELETE', `/geodata.json${query}`, undefined, 422, DAYS],
    ),
  );
  testScenarios(
    () => cast,
    [
      ['an application session', 'application', 'DELETE', '/geodata?days=1', undefined, 422, NEED_USER],
      ['a form', 'alice', 'DELETE', '/geodata.json', 'days=2147483648', 200, undefined],
      ['JSON', 'alice', 'DELETE', '/geodata.json', { days: '3' }, 200, undefined],
    ],
  );

  test("DELETE /geodata deletes the caller's old places, and for an API key alone those of all users", async () => {
    const { alice, bob, stranger } = cast;
    const key = cast.callers.key!;
    const day = 86_400_000;
    const start = new Date('2027-01-01T00:00:00Z');
    const at = (days: number) => clock.set(new Date(start.getTime() + days * day));
    at(-1);
    await rest('DELETE', '/geodata?days=1', { as: key });
    for (const days of [0, 1, 2]) {
      at(days);
      for (const user of [as(alice), as(bob), stranger]) await created('/geodata', { geo_data: FIRST }, user);
    }
    const left = async () => {
      const counts: number[] = [];
      for (const [who, caller] of [
        [alice, key],
        [bob, key],
        [stranger, stranger],
      ] as const) {
        const { body } = await rest('GET', `/geodata/find?user.id=${who.id}&min_created_at=2027-01-01`, { as: caller });
        counts.push(body.total_entries);
      }
      return counts;
    };
    expect(await left()).toEqual([3, 3, 3]);
    await rest('DELETE', '/geodata?days=2', { as: as(alice) });
    expect(await left()).toEqual([3, 3, 3]);
    await rest('DELETE', '/geodata?days=1', { as: as(alice) });
    expect(await left()).toEqual([2, 3, 3]);
    at(3);
    await rest('DELETE', '/geodata.json?days=1', { as: key });
    expect(await left()).toEqual([1, 1, 3]);
  });
});

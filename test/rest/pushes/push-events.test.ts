import { beforeAll, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { APPLICATION, clock, running, useApp } from '../../support/app/app.ts';
import { statementsAbout } from '../../support/app/query-plans.ts';
import { rest } from '../../support/clients/rest.ts';
import { type Scenario, testScenarios } from '../../support/clients/rest-table.ts';
import { until } from '../../support/clients/websocket.ts';
import { type ChatCast, createChatCast, created } from '../../support/fixtures/chat-cast.ts';
import { BAD_ID, NEED_USER, NOT_FOUND, TOKEN_REQUIRED } from '../../support/fixtures/error-bodies.ts';
import { type Caller, createUser } from '../../support/fixtures/users.ts';

useApp();

const NOW = 1_795_196_819;
const LATER = NOW + 1_000;
const AT = '2026-11-20T17:46:59Z';
const HELLO = 'aGVsbG8gd29ybGQh';
const FOR_APPLE = 'payload=eyJhcHMiOnsiYWxlcnQiOiJoZWxsbyB3b3JsZCEifX0=';
const FOR_GOOGLE = 'data.message=aGVsbG8rd29ybGQlMjE=';

let cast: ChatCast;
beforeAll(async () => {
  cast = await createChatCast();
});

const given = (changes: object = {}) => ({
  event: {
    notification_type: 'push',
    environment: 'development',
    push_type: 'gcm',
    date: LATER,
    message: HELLO,
    user: { ids: '7,8' },
    ...changes,
  },
});

const event = (changes: object = {}) => ({
  id: expect.any(Number),
  event_type: 'one_shot',
  message: FOR_GOOGLE,
  date: LATER,
  period: null,
  name: null,
  occured_count: 0,
  created_at: AT,
  updated_at: AT,
  end_date: null,
  active: true,
  application_id: 92,
  user_id: '{alice}',
  kind: 'API',
  environment: 'development',
  tag_query: null,
  notification_channel: { name: 'gcm' },
  ...changes,
});

const makes = (name: string, body: object | string, changes: object, as = 'alice'): Scenario => [
  name,
  as,
  'POST',
  '/events.json',
  body,
  201,
  { event: event(changes) },
];
const refused = (name: string, changes: object, ...errors: string[]): Scenario => [
  name,
  'alice',
  'POST',
  '/events.json',
  given(changes),
  422,
  { errors },
];

const numbers = (count: number) => Array.from({ length: count }, (_, nth) => nth + 1);
const tags = (count: number) => numbers(count).map((number) => `${number}`.padStart(50, 't'));
const TOO_MANY = 'Recipients are too many (maximum is 1000)';
const manyRecipients = (count: number) =>
  given({ user: { ids: numbers(count - 1) }, external_user: { ids: '7' }, date: LATER });

const PERIODIC = { event_type: 'period_date', period: 86_400 };

describe('POST /events', () => {
  testScenarios(
    () => cast,
    [
      makes('a push for later', given(), {}),
      makes(
        'by a form',
        `event[environment]=production&event[push_type]=apns&event[date]=${LATER}&event[message]=${HELLO}&event[user][ids]=7,8`,
        {
          environment: 'production',
          message: FOR_APPLE,
          notification_channel: { name: 'apns' },
        },
      ),
      makes('by a key alone', given(), { user_id: 0 }, 'key'),
      makes('by a key for a user', given(), {}, 'key for alice'),
      makes('a call', given({ push_type: 'apns_voip' }), {
        message: FOR_APPLE,
        notification_channel: { name: 'apns_voip' },
      }),
      makes('a name', given({ name: 'Lunch' }), { name: 'Lunch' }),
      makes('a message that is packed already', given({ message: 'payload=e30=' }), { message: 'payload=e30=' }),
      makes('at a fixed date', given({ event_type: 'fixed_date', date: String(LATER) }), { event_type: 'fixed_date' }),
      makes('at a moment in another form', given({ date: '2026-11-20T18:03:39Z' }), {}),
      makes('again and again', given({ ...PERIODIC, end_date: LATER + 86_400 * 3 }), {
        event_type: 'period_date',
        period: 86_400,
        end_date: LATER + 86_400 * 3,
      }),
      makes('again and again, as the period says', given({ period: '60' }), { event_type: 'period_date', period: 60 }),
      makes('again and again from an earlier date', given({ ...PERIODIC, date: NOW - 1 }), {
        event_type: 'period_date',
        period: 86_400,
        date: NOW - 1,
      }),
      makes('never, since it would have ended', given({ ...PERIODIC, date: NOW - 2, end_date: NOW - 1 }), {
        event_type: 'period_date',
        period: 86_400,
        date: NOW - 2,
        end_date: NOW - 1,
        active: false,
      }),
      makes('to tags, which are kept as they were sent', given({ user: { tags: { any: 'a, b', exclude: ['c'] } } }), {
        tag_query: '{"any":"a, b","exclude":["c"]}',
      }),
      makes('to ids of another system', given({ user: undefined, external_user: { ids: [5] } }), {}),
      [
        'without a push type one for each channel',
        'alice',
        'POST',
        '/events.json',
        given({ push_type: undefined }),
        201,
        [{ event: event({ message: FOR_APPLE, notification_channel: { name: 'apns' } }) }, { event: event() }],
      ],
      refused(
        'nothing it needs',
        { environment: undefined, message: undefined, user: undefined },
        'environment should be production or development',
        'message is required',
        'Recipients are required',
      ),
      refused('another type of notification', { notification_type: 'email' }, 'notification_type should be push'),
      refused('another environment', { environment: 'test' }, 'environment should be production or development'),
      refused('another channel', { push_type: 'mpns' }, 'Unknown push_type: mpns'),
      refused('a mail by a user', { push_type: 'email' }, 'Unknown push_type: email'),
      refused('another type', { event_type: 'weekly' }, 'Unknown event_type: weekly'),
      refused('a fixed date that has come', { event_type: 'fixed_date', date: NOW }, 'date should be in the future'),
      refused('no fixed date', { event_type: 'fixed_date', date: undefined }, 'date should be in the future'),
      refused('no period', { event_type: 'period_date' }, 'period is required for period_date'),
      refused('a short period', { period: 59 }, 'period should be between 60 and 2147483647'),
      refused('a period that is none', { period: 'x' }, 'period should be between 60 and 2147483647'),
      refused('a date that is none', { date: 'tomorrow' }, 'date is not valid'),
      refused('an end that is none', { end_date: {} }, 'end_date is not valid'),
      refused('an end before the date', { end_date: LATER - 1 }, 'end_date should not be before date'),
      refused('an empty message', { message: '' }, 'message is required'),
      refused('a long message', { message: 'x'.repeat(8193) }, 'message is too long (maximum is 8192 bytes)'),
      refused('nobody but excluded tags', { user: { tags: { exclude: 'a' } } }, 'Recipients are required'),
      refused(
        'empty lists',
        { user: { ids: '', tags: { any: [] } }, external_user: { ids: [] } },
        'Recipients are required',
      ),
      makes('1,000 recipients', manyRecipients(1_000), {}),
      makes('10,000 recipients by a key alone', manyRecipients(10_000), { user_id: 0 }, 'key'),
      refused('1,001 recipients', manyRecipients(1_001).event, TOO_MANY),
      [
        '1,001 recipients by a key for a user',
        'key for alice',
        'POST',
        '/events.json',
        manyRecipients(1_001),
        422,
        { errors: [TOO_MANY] },
      ],
      [
        '10,001 recipients by a key alone',
        'key',
        'POST',
        '/events.json',
        manyRecipients(10_001),
        422,
        { errors: ['Recipients are too many (maximum is 10000)'] },
      ],
      makes('100 tags of 50 characters', given({ user: { tags: { any: tags(60), exclude: tags(40) } } }), {
        tag_query: JSON.stringify({ any: tags(60), exclude: tags(40) }),
      }),
      refused(
        '101 tags',
        { user: { tags: { any: tags(50), all: tags(50), exclude: 'a' } } },
        'Tags are too many (maximum is 100)',
      ),
      refused('a long tag', { user: { tags: { all: [`${'😀'.repeat(51)}`] } } }, 'Tags are invalid'),
      makes('a tag of 50 emoji', given({ user: { tags: { all: '😀'.repeat(50) } } }), {
        tag_query: JSON.stringify({ all: '😀'.repeat(50) }),
      }),
      refused(
        'long tags in addition to known ones',
        { user: { tags: { any: 'a', none: 'x'.repeat(32_768) } } },
        'tag_query is too long (maximum is 32768 bytes)',
      ),
      refused('a long name', { name: 'x'.repeat(256) }, 'name is too long (maximum is 255 characters)'),
      [
        'without a wrapper',
        'alice',
        'POST',
        '/events',
        {},
        422,
        {
          errors: ['environment should be production or development', 'message is required', 'Recipients are required'],
        },
      ],
      ['without credentials', 'anonymous', 'POST', '/events', given(), 401, TOKEN_REQUIRED],
      ['by an application session', 'application', 'POST', '/events', given(), 422, NEED_USER],
    ],
  );
});

describe('a single event', () => {
  let ofKey: number;
  beforeAll(async () => {
    cast.values.event = (await created('/events', given(PERIODIC), cast.alice)).event.id;
    ofKey = (await created('/events', given(), cast.callers.key!)).event.id;
    cast.values.ofKey = ofKey;
  });
  const PATH = '/events/{event}.json';
  const REPEATED = { event_type: 'period_date', period: 86_400 };
  const changes = (name: string, change: object, answer: object): Scenario => [
    name,
    'alice',
    'PUT',
    PATH,
    { event: change },
    200,
    { event: event({ ...REPEATED, ...answer }) },
  ];
  const wrong = (name: string, change: object, ...errors: string[]): Scenario => [
    name,
    'alice',
    'PUT',
    PATH,
    { event: change },
    422,
    { errors },
  ];

  testScenarios(
    () => cast,
    [
      ['is shown', 'alice', 'GET', PATH, undefined, 200, { event: event(REPEATED) }],
      ['not to others', 'bob', 'GET', PATH, undefined, 404, NOT_FOUND],
      ['not to a key alone', 'key', 'GET', PATH, undefined, 404, NOT_FOUND],
      ['but to a key for its user', 'key for alice', 'GET', PATH, undefined, 200, { event: event(REPEATED) }],
      ['not to another application', 'other key', 'GET', '/events/{ofKey}', undefined, 404, NOT_FOUND],
      ["a key's is not its user's", 'alice', 'GET', '/events/{ofKey}', undefined, 404, NOT_FOUND],
      ['an id is a positive integer', 'alice', 'GET', '/events/x.json', undefined, 422, BAD_ID],
      ['beyond all ids', 'alice', 'GET', '/events/2147483648', undefined, 404, NOT_FOUND],
      ['not to an application session', 'application', 'GET', PATH, undefined, 422, NEED_USER],
      ['nothing changes', 'alice', 'PUT', PATH, {}, 200, { event: event(REPEATED) }],
      changes('the message', { message: 'aGVsbG8=' }, { message: 'data.message=aGVsbG8=' }),
      changes('the name', { name: 'N', message: HELLO }, { name: 'N' }),
      changes('no name', { name: '' }, {}),
      changes('the period', { period: 60 }, { period: 60 }),
      changes(
        'the dates',
        { date: LATER + 5, end_date: LATER + 10, period: 86_400 },
        { date: LATER + 5, end_date: LATER + 10 },
      ),
      wrong('an end before the date', { end_date: LATER }, 'end_date should not be before date'),
      wrong('no period', { period: '' }, 'period is required for period_date'),
      wrong('no message', { message: '' }, 'message is required'),
      wrong('a short period', { period: 1 }, 'period should be between 60 and 2147483647'),
      changes('no end', { end_date: null, date: LATER }, {}),
      changes('cancelled', { active: 0 }, { active: false }),
      changes('and on again', { active: 'true' }, {}),
      ['others change nothing', 'bob', 'PUT', PATH, { event: { active: 0 } }, 404, NOT_FOUND],
      [
        'how far it is',
        'alice',
        'GET',
        '/events/{event}/status.json',
        undefined,
        200,
        {
          event: {
            id: '{event}',
            active: true,
            occured_count: 0,
            last_sent_at: null,
            recipients: 0,
            delivered: 0,
            failed: 0,
          },
        },
      ],
      ['not for others', 'bob', 'GET', '/events/{event}/status', undefined, 404, NOT_FOUND],
      ['others delete nothing', 'bob', 'DELETE', PATH, undefined, 404, NOT_FOUND],
      ['it goes', 'alice', 'DELETE', PATH, undefined, 200, undefined],
      ['but once', 'alice', 'DELETE', PATH, undefined, 404, NOT_FOUND],
    ],
  );
});

test('an event is available as XML', async () => {
  const { status, text } = await rest('GET', `/events/${cast.values.ofKey}.xml`, { as: cast.callers.key! });
  expect(status).toBe(200);
  expect(text).toMatch(
    /^<\?xml version="1\.0" encoding="UTF-8"\?><event><id type="integer">\d+<\/id><event-type>one_shot</,
  );
  expect(text).toContain('<notification-channel><name>gcm</name></notification-channel>');
});

describe('GET /events', () => {
  let lister: Caller;
  const ids: number[] = [];
  beforeAll(async () => {
    lister = await createUser();
    cast.callers.lister = lister;
    for (let made = 0; made < 12; made++) ids.push((await created('/events', given(), lister)).event.id);
  });

  test('GET /events lists the newest events first', async () => {
    const list = async (query: string) => (await rest('GET', `/events.json${query}`, { as: lister })).body;
    const idsOf = (page: { items: { event: { id: number } }[] }) => page.items.map(({ event: { id } }) => id);
    const newest = ids.toReversed();
    const first = await list('');
    expect({ ...first, items: idsOf(first) }).toEqual({
      current_page: 1,
      per_page: 10,
      total_entries: 12,
      items: newest.slice(0, 10),
    });
    expect(idsOf(await list('?page=2'))).toEqual(newest.slice(10));
    expect(idsOf(await list('?page=3&per_page=5'))).toEqual(newest.slice(10));
    expect(await list('?page=9&per_page=100')).toEqual({
      current_page: 9,
      per_page: 100,
      total_entries: 12,
      items: [],
    });
  });

  testScenarios(
    () => cast,
    [
      ...['per_page=0', 'per_page=101', 'per_page=x', 'page=0', 'page=-1', 'page=x'].map(
        (query): Scenario => [query, 'lister', 'GET', `/events.json?${query}`, undefined, 400, {}],
      ),
      ['without credentials', 'anonymous', 'GET', '/events', undefined, 401, TOKEN_REQUIRED],
      ['by an application session', 'application', 'GET', '/events', undefined, 422, NEED_USER],
    ],
  );
});

describe('events without devices', () => {
  const status = async (id: number) => (await rest('GET', `/events/${id}/status`, { as: cast.bob })).body.event;

  test('a one-shot event is sent immediately and once', async () => {
    const { event: made } = await created('/events', given({ date: undefined }), cast.bob);
    expect(made).toMatchObject({ date: null, active: true, occured_count: 0 });
    await until(async () => !(await status(made.id)).active);
    expect(await status(made.id)).toEqual({
      id: made.id,
      active: false,
      occured_count: 1,
      last_sent_at: NOW,
      recipients: 0,
      delivered: 0,
      failed: 0,
    });
    const again = await rest('PUT', `/events/${made.id}`, { as: cast.bob, json: { event: { active: true } } });
    expect(again.body.event).toMatchObject({ active: true, occured_count: 1 });
    await until(async () => (await status(made.id)).occured_count === 2);
    expect(await status(made.id)).toMatchObject({ active: false });
  });

  test('an event for many users is spread page by page without listing the ids of earlier pages', async () => {
    const at = running.now();
    const own = { applicationId: APPLICATION.id, createdAt: at, updatedAt: at };
    const users = await db.user.createManyAndReturn({ data: numbers(600).map(() => own), select: { id: true } });
    const device = { ...own, channel: 'gcm', environment: 'development', platform: 'android' } as const;
    await db.pushSubscription.createMany({
      data: users.map(({ id }) => ({ ...device, userId: id, udid: `many-${id}`, sequence: `many-${id}` })),
    });
    const as = cast.callers.key!;
    const spread = await statementsAbout(/ORDER BY u\.id LIMIT/, async () => {
      const event = { ...given().event, date: undefined, user: { ids: users.map(({ id }) => id).toReversed() } };
      const { id } = (await created('/events', { event }, as)).event;
      const sent = async () => (await rest('GET', `/events/${id}/status`, { as })).body.event;
      await until(async () => (await sent()).occured_count === 1);
      expect(await sent()).toMatchObject({ recipients: 600 });
    });
    const passed = spread.map(({ values }) => values.find((value) => Array.isArray(value) || /^\{/.test(`${value}`)));
    expect(passed.map((ids) => (Array.isArray(ids) ? ids : `${ids}`.split(',')).length)).toEqual([600, 100]);
  });

  test('a scheduled event is sent at its time', async () => {
    const { event: made } = await created('/events', given(), cast.bob);
    clock.set(new Date((LATER - 1) * 1000));
    running.app.services.pushNotifier.wake();
    expect(await status(made.id)).toMatchObject({ active: true, occured_count: 0 });
    clock.set(new Date(LATER * 1000));
    running.app.services.pushNotifier.wake();
    await until(async () => !(await status(made.id)).active);
    expect(await status(made.id)).toMatchObject({ occured_count: 1, last_sent_at: LATER });
    clock.reset();
  });
});

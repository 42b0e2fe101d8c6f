import { beforeAll, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { APPLICATION, clock, useApp } from '../../support/app/app.ts';
import { JSON_TYPE, rawRequest } from '../../support/clients/raw-http.ts';
import { rest } from '../../support/clients/rest.ts';
import { type Scenario, testScenarios } from '../../support/clients/rest-table.ts';
import { type ChatCast, createChatCast, created } from '../../support/fixtures/chat-cast.ts';
import {
  MALFORMED,
  MAY_NOT_PERFORM,
  NEED_USER,
  NOT_FOUND,
  UNDEFINED_CLASS,
} from '../../support/fixtures/error-bodies.ts';
import { apiKey, createUser, type TestUser } from '../../support/fixtures/users.ts';

useApp();

let cast: ChatCast;
beforeAll(async () => {
  cast = await createChatCast();
});

const AT = '2026-11-20T17:46:59Z';
const NO_OCCUPANTS = { errors: ['Occupants with these IDs do not exist.'] };
const BAD_OCCUPANT = { errors: ['Incorrect occupant_id'] };

function record(given: object) {
  return {
    _id: expect.stringMatching(/^[0-9a-f]{24}$/),
    user_id: '{alice}',
    type: 2,
    name: null,
    photo: null,
    occupants_ids: [],
    admins_ids: [],
    xmpp_room_jid: expect.stringMatching(/^92_[0-9a-f]{24}@muc\.127\.0\.0\.1$/),
    last_message: null,
    last_message_id: null,
    last_message_date_sent: null,
    last_message_user_id: null,
    unread_messages_count: 0,
    is_join_required: 0,
    created_at: AT,
    updated_at: AT,
    ...given,
  };
}

const group = (given: object = {}) => record({ name: 'G', occupants_ids: ['{alice}', '{bob}'], ...given });
const pair = (given: object = {}) =>
  record({ _id: '{pair}', type: 3, occupants_ids: ['{alice}', '{bob}'], xmpp_room_jid: null, ...given });

const LUNCH = record({
  _id: '{group}',
  name: 'Lunch',
  occupants_ids: ['{alice}', '{bob}', '{carol}'],
  xmpp_room_jid: '92_{group}@muc.127.0.0.1',
  last_message: 'Hello',
  last_message_id: '{hello}',
  last_message_date_sent: 1_795_196_819,
  last_message_user_id: '{alice}',
});
const LOBBY = record({ _id: '{lobby}', type: 1, name: 'Lobby', xmpp_room_jid: '92_{lobby}@muc.127.0.0.1' });

describe('POST /chat/Dialog', () => {
  const post = (name: string, body: object | string, status: number, answer: unknown, as = 'alice'): Scenario => [
    name,
    as,
    'POST',
    '/chat/Dialog.json',
    body,
    status,
    answer,
  ];
  const two = { type: 2, name: 'G', occupants_ids: ['{bob}'] };
  const LONG = '😀'.repeat(200);

  testScenarios(
    () => cast,
    [
      post('a group holds the caller too', two, 201, group()),
      post('the caller may be named', { ...two, occupants_ids: ['{bob}', '{alice}', '{bob}'] }, 201, group()),
      post('occupants are ascending', { ...two, occupants_ids: ['{carol}', '{bob}'] }, 201, {
        ...group(),
        occupants_ids: ['{alice}', '{bob}', '{carol}'],
      }),
      post('unknown occupants are dropped', { ...two, occupants_ids: [2147483647, '{bob}', 0, -1, 'x'] }, 201, group()),
      post('users of another application, too', { ...two, occupants_ids: ['{bob}', '{stranger}'] }, 201, group()),
      post('a group of oneself', { ...two, occupants_ids: '{alice}' }, 201, group({ occupants_ids: ['{alice}'] })),
      post(
        'a form with everything',
        'type=2&name=G%20%26%20H+&photo=77&is_join_required=1&occupants_ids={bob}%2C%20{carol}',
        201,
        group({ name: 'G & H', photo: '77', is_join_required: 1, occupants_ids: ['{alice}', '{bob}', '{carol}'] }),
      ),
      post('lists in brackets', 'type=2&name=G&occupants_ids[]={bob}', 201, group()),
      post('a numbered list', 'type=2&name=G&occupants_ids[0]={bob}', 201, group()),
      post('a type as text, a flag as text', { ...two, type: '2', is_join_required: 'false' }, 201, group()),
      post('a name of 200 characters', { ...two, name: LONG }, 201, group({ name: LONG })),
      post('a name that is a number', { ...two, name: 5 }, 201, group({ name: '5' })),
      post('a name with a lone surrogate', { ...two, name: 'a\udfff' }, 201, group({ name: 'a\ufffd' })),
      post('data without a class', { ...two, data: { x: 1 } }, 201, group()),
      post('unknown parameters', { ...two, admins_ids: ['{bob}'], user_id: '{bob}', _id: '{group}' }, 201, group()),
      post('a public group', { type: 1, name: 'P' }, 201, record({ type: 1, name: 'P' })),
      post('has no occupants', { type: 1, name: 'P', occupants_ids: ['{bob}'] }, 201, record({ type: 1, name: 'P' })),
      post('a key for a user', two, 201, group(), 'key for alice'),
      post('a private dialog that exists', 'occupants_ids={bob}&type=3', 201, pair({ name: 'user2' })),
      post('seen by the other', { type: 3, occupants_ids: ['{alice}'] }, 201, pair({ name: 'user1' }), 'bob'),
      post('with oneself named', { type: 3, occupants_ids: ['{alice}', '{bob}'] }, 201, pair({ name: 'user2' })),
      post('without the unknown', { type: 3, occupants_ids: [2147483647, '{bob}'] }, 201, pair({ name: 'user2' })),

      post('no parameters', {}, 422, { errors: ['Type should be 1, 2 or 3'] }),
      post('a type of another number', { ...two, type: 4 }, 422, { errors: ['Type should be 1, 2 or 3'] }),
      post('a type of another text', { ...two, type: 'toString' }, 422, { errors: ['Type should be 1, 2 or 3'] }),
      post('no name', { ...two, name: undefined }, 422, { errors: ["Name can't be blank"] }),
      post('a blank name', { ...two, name: ' \n' }, 422, { errors: ["Name can't be blank"] }),
      post('no name of a public group', { type: 1 }, 422, { errors: ["Name can't be blank"] }),
      post('a long name', { ...two, name: `${LONG}x` }, 422, {
        errors: ['Name is too long (maximum is 200 characters)'],
      }),
      post('no occupants', { type: 2, name: 'G' }, 422, NO_OCCUPANTS),
      post('an empty list', { ...two, occupants_ids: [] }, 422, NO_OCCUPANTS),
      post('unknown occupants', { ...two, occupants_ids: [2147483647, 99999999999, 'x'] }, 422, NO_OCCUPANTS),
      post('strangers alone', { ...two, occupants_ids: ['{stranger}'] }, 422, NO_OCCUPANTS),
      post('nobody to talk to', { type: 3 }, 422, NO_OCCUPANTS),
      post('an unknown partner', { type: 3, occupants_ids: 2147483647 }, 422, NO_OCCUPANTS),
      post('oneself', { type: 3, occupants_ids: '{alice}' }, 422, BAD_OCCUPANT),
      post('two others', { type: 3, occupants_ids: ['{bob}', '{carol}'] }, 422, BAD_OCCUPANT),
      post('all that is wrong', { type: 2 }, 422, {
        errors: ["Name can't be blank", 'Occupants with these IDs do not exist.'],
      }),
      post('an unknown class', { ...two, data: { class_name: 'Cool', friends: true } }, 403, UNDEFINED_CLASS),
      post('it after the rest', { type: 2, name: 'G', data: { class_name: 'Cool' } }, 422, NO_OCCUPANTS),
      post('a NUL', { ...two, name: 'a\0' }, 400, MALFORMED),
      post('an application session', two, 422, NEED_USER, 'application'),
      post('a key alone', two, 422, NEED_USER, 'key'),
    ],
  );

  test("a private dialog is named after the other user's full name, else login, else e-mail", async () => {
    const named = await createUser({ full_name: 'Full Name', email: 'named@x.io' });
    const other = (user: object) => created('/users', { user: { password: 'password-1', ...user } }, apiKey);
    const withEmail = await other({ email: 'only@x.io' });
    const withPhone = await other({ phone: '12345' });
    const nameOf = async (id: number) =>
      (await created('/chat/Dialog', { type: 3, occupants_ids: id }, cast.mallory)).name;
    expect(await nameOf(named.id)).toBe('Full Name');
    expect(await nameOf(cast.carol.id)).toBe('user3');
    expect(await nameOf(withEmail.user.id)).toBe('only@x.io');
    expect(await nameOf(withPhone.user.id)).toBeNull();
  });

  test('concurrent requests of both users create one private dialog', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, place) =>
        place % 2
          ? created('/chat/Dialog', { type: 3, occupants_ids: cast.mallory.id }, cast.bob)
          : created('/chat/Dialog', { type: 3, occupants_ids: cast.bob.id }, cast.mallory),
      ),
    );
    expect(new Set(answers.map((answer) => answer._id)).size).toBe(1);
  });

  test('a group accepts 10,000 occupants, and a public group any number', async () => {
    const rows = await db.$queryRaw<{ id: number }[]>`
      INSERT INTO users (application_id, login, created_at, updated_at)
      SELECT ${APPLICATION.id}::int, 'crowd' || n, now(), now() FROM generate_series(1, 10000) AS n RETURNING id`;
    const everyone = rows.map((row) => row.id);
    const post_ = (type: number, ids: number[]) =>
      rest('POST', '/chat/Dialog', { as: cast.alice, json: { type, name: 'Crowd', occupants_ids: ids } });
    const full = await post_(2, everyone.slice(1));
    expect([full.status, full.body.occupants_ids.length]).toEqual([201, 10_000]);
    const over = await post_(2, everyone);
    expect([over.status, over.body]).toEqual([422, { errors: ['Too many occupants (maximum is 10000)'] }]);
    expect((await post_(1, everyone)).status).toBe(201);
    await db.dialog.deleteMany({ where: { name: 'Crowd' } });
  });
});

describe('GET /chat/Dialog/{id}', () => {
  const get = (name: string, as: string, id: string, status: number, answer: unknown): Scenario => [
    name,
    as,
    'GET',
    `/chat/Dialog/${id}.json`,
    undefined,
    status,
    answer,
  ];
  testScenarios(
    () => cast,
    [
      get('an occupant', 'alice', '{group}', 200, LUNCH),
      get('who has not read it', 'bob', '{group}', 200, { ...LUNCH, unread_messages_count: 1 }),
      get('a key alone', 'key', '{group}', 200, LUNCH),
      get('a key for an occupant', 'key for alice', '{group}', 200, LUNCH),
      get('a private dialog', 'bob', '{pair}', 200, pair({ name: 'user1' })),
      get('by a key alone, as its owner sees it', 'key', '{pair}', 200, pair({ name: 'user2' })),
      get('a public group is open to all', 'mallory', '{lobby}', 200, LOBBY),
      get('no occupant', 'mallory', '{group}', 403, MAY_NOT_PERFORM),
      get('a key for no occupant', 'key for mallory', '{pair}', 403, MAY_NOT_PERFORM),
      get('an unknown id', 'alice', '{unknown}', 404, NOT_FOUND),
      get('no id at all', 'alice', 'abc', 404, NOT_FOUND),
      get('two ids', 'alice', '{group}%2C{pair}', 404, NOT_FOUND),
      get('an id in upper case', 'alice', 'ABCDEFABCDEFABCDEFABCDEF', 404, NOT_FOUND),
      get('an id with a NUL', 'alice', '{group}%00', 404, NOT_FOUND),
      get('a user of another application', 'stranger', '{lobby}', 404, NOT_FOUND),
      get('a key of another application', 'other key', '{lobby}', 404, NOT_FOUND),
      get('an application session', 'application', '{lobby}', 422, NEED_USER),
    ],
  );
});

describe('GET /chat/Dialog', () => {
  let dora: TestUser;
  const words = new Map<string, string>();

  beforeAll(async () => {
    dora = await createUser();
    const eve = await createUser({ full_name: 'Under Cover' });
    const { bob, carol } = cast;
    Object.assign(cast.values, { dora: dora.id, eve: eve.id });
    cast.callers.dora = dora;
    const make = async (word: string, second: number, body: object) => {
      clock.reset(second * 1000);
      const { _id } = await created('/chat/Dialog', body, dora);
      words.set(_id, word);
      cast.values[word] = _id;
    };
    words.set(cast.lobby, 'lobby');
    await make('sure', 10, { type: 2, name: '100% sure', occupants_ids: [bob.id] });
    await make('under', 20, { type: 2, name: 'under_score', occupants_ids: [bob.id, carol.id] });
    await make('back', 30, { type: 2, name: 'back\\slash', occupants_ids: [carol.id] });
    await make('private', 40, { type: 3, occupants_ids: [eve.id] });
    clock.reset(50_000);
    await created('/chat/Message', { chat_dialog_id: cast.values.sure, message: 'x' }, dora);
    clock.reset();
    await db.dialog.deleteMany({ where: { applicationId: APPLICATION.id, type: 1, id: { not: cast.lobby } } });
  });

  const list = (name: string, as: string, query: string, status: number, answer: unknown): Scenario => [
    name,
    as,
    'GET',
    `/chat/Dialog.json${query}`,
    undefined,
    status,
    answer,
  ];
  const page = (total: number, items: unknown[]) => ({ total_entries: total, skip: 0, limit: 100, items });

  testScenarios(
    () => cast,
    [
      list('those not in any group see the public ones', 'application', '', 422, NEED_USER),
      list('of which strangers have none', 'stranger', '?', 200, page(0, [])),
      list('nor has their key', 'other key', '', 200, page(0, [])),
      list('nothing but a count', 'dora', '?count=1', 200, '{"items":{"count":5}}'),
      list('whatever the window', 'dora', '?count=1&limit=1&skip=4&type[in]=2,3', 200, '{"items":{"count":4}}'),
      list('no count', 'stranger', '?count=0', 200, '{"total_entries":0,"skip":0,"limit":100,"items":[]}'),
      list('the page of a window', 'alice', '?_id={group}&limit=1', 200, {
        total_entries: 1,
        skip: 0,
        limit: 1,
        items: [LUNCH],
      }),
      list('the whole dialog', 'bob', '?_id={pair}', 200, page(1, [pair({ name: 'user1' })])),
      list('an unknown class', 'dora', '?data[class_name]=Cool&data[friends]=true', 403, UNDEFINED_CLASS),
    ],
  );

  test.each<[query: string, dialogs: string]>([
    ['', 'sure private back under lobby'],
    ['?name=null', ''],
    ['?type=2', 'sure back under'],
    ['?type[ne]=2', 'private lobby'],
    ['?type[in]=1%2C3', 'private lobby'],
    ['?type[in][]=1&type[in][]=3', 'private lobby'],
    ['?type[in]=', ''],
    ['?type[nin]=1,%202', 'private'],
    ['?type[nin]=', 'sure private back under lobby'],
    ['?type[lt]=2', 'lobby'],
    ['?type[lte]=2', 'sure back under lobby'],
    ['?type[gt]=2', 'private'],
    ['?type[gte]=2', 'sure private back under'],
    ['?type[gte]=2&type[lt]=3', 'sure back under'],
    ['?type[or]=1,3', 'private lobby'],
    ['?type[or]=1&name[or]=under_score', 'under lobby'],
    ['?type[or]=1&name[or]=under_score&created_at[gt]=1795196819', 'under'],
    ['?name=under_score', 'under'],
    ['?name=Under_score', ''],
    ['?name=Under%20Cover', 'private'],
    ['?name[ne]=under_score', 'sure private back lobby'],
    ['?name[in]=under_score,Lobby', 'under lobby'],
    ['?name[nin]=under_score,Lobby', 'sure private back'],
    ['?name[ctn]=UNDER', 'private under'],
    ['?name[ctn]=%25', 'sure'],
    ['?name[ctn]=0%25%20S', 'sure'],
    ['?name[ctn]=_', 'under'],
    ['?name[ctn]=r_s', 'under'],
    ['?name[ctn]=%5C', 'back'],
    ['?name[ctn]=K%5Cs', 'back'],
    ["?name[ctn]='", ''],
    ['?name[ctn]=', 'sure private back under lobby'],
    ['?occupants_ids={eve}', 'private'],
    ['?occupants_ids[ne]={bob}', 'private back lobby'],
    ['?occupants_ids[in]={bob},{eve}', 'sure private under'],
    ['?occupants_ids[nin]={bob},{carol}', 'private lobby'],
    ['?occupants_ids[all]={dora},{carol}', 'back under'],
    ['?occupants_ids[all][]={bob}&occupants_ids[all][]={carol}', 'under'],
    ['?occupants_ids[or]={eve}&type[or]=1', 'private lobby'],
    ['?last_message_date_sent=null', 'private back under lobby'],
    ['?last_message_date_sent=1795196869', 'sure'],
    ['?last_message_date_sent[ne]=1795196869', 'private back under lobby'],
    ['?last_message_date_sent[ne]=null', 'sure'],
    ['?last_message_date_sent[nin]=1795196869,5', 'private back under lobby'],
    ['?last_message_date_sent[gt]=1795196868.5', 'sure'],
    ['?last_message_date_sent[lt]=1795196869', ''],
    ['?created_at=2026-11-20T17:47:09Z', 'sure'],
    ['?created_at[gt]=2026-11-20%2017:47:19', 'private back'],
    ['?created_at[gte]=1795196839&created_at[lte]=1795196849', 'back under'],
    ['?created_at[lt]=2026-11-20T18:47:09%2B01:00', 'lobby'],
    ['?created_at[gt]=2026-11-21', ''],
    ['?updated_at[gte]=1795196859', 'sure private'],
    ['?updated_at=1795196869', 'sure'],
    ['?_id={back}', 'back'],
    ['?_id[in]={back},{under},abc', 'back under'],
    ['?_id[ne]={back}', 'sure private under lobby'],
    ['?_id[gt]={under}', 'private back'],
    ['?_id[gte]={under}&type=2', 'back under'],
    ['?_id[lt]={under}', 'sure lobby'],
    ['?_id=abc', ''],
    ['?unknown=1&photo[gt]=2', 'sure private back under lobby'],
    ['?sort_asc=_id', 'lobby sure under back private'],
    ['?sort_desc=_id', 'private back under sure lobby'],
    ['?sort_asc=type', 'lobby sure under back private'],
    ['?sort_desc=type', 'private back under sure lobby'],
    ['?sort_asc=name&name[in]=Lobby,under_score,Under%20Cover', 'lobby private under'],
    ['?sort_desc=name&name[in]=Lobby,under_score,Under%20Cover', 'under private lobby'],
    ['?sort_asc=created_at', 'lobby sure under back private'],
    ['?sort_desc=created_at', 'private back under sure lobby'],
    ['?sort_asc=updated_at', 'lobby under back private sure'],
    ['?sort_desc=updated_at', 'sure private back under lobby'],
    ['?sort_asc=last_message_date_sent', 'sure lobby under back private'],
    ['?sort_desc=date_sent', 'sure private back under lobby'],
    ['?sort_asc=_id&sort_desc=type', 'private back under sure lobby'],
    ['?sort_asc=&sort_desc=', 'sure private back under lobby'],
    ['?limit=2', 'sure private'],
    ['?limit=2&skip=1', 'private back'],
    ['?limit=2&skip=4&sort_asc=_id', 'private'],
    ['?skip=5', ''],
  ])('GET /chat/Dialog?%s lists: %s', async (query, dialogs) => {
    const { status, body } = await listAsDora(query);
    expect(body.items.map((dialog: { _id: string }) => words.get(dialog._id)).join(' ')).toBe(dialogs);
    expect(status).toBe(200);
    const isWindow = /limit|skip/.test(query);
    expect(body.total_entries).toBe(isWindow ? 5 : body.items.length);
  });

  test.each<[query: string, skip: number, limit: number]>([
    ['?limit=100&skip=0', 0, 100],
    ['?limit=1&skip=7', 7, 1],
    ['?limit=101', 0, 100],
    ['?limit=9999999999', 0, 100],
    ['?limit=0', 0, 100],
    ['?limit=-1&skip=-1', 0, 100],
    ['?limit=abc&skip=abc', 0, 100],
    ['?limit=1.5&skip=1.5', 0, 100],
    ['?limit=&skip=', 0, 100],
  ])('GET /chat/Dialog?%s returns the window skip %d, limit %d', async (query, skip, limit) => {
    expect((await listAsDora(query)).body).toMatchObject({ total_entries: 5, skip, limit });
  });

  test.each<[query: string, key: string]>([
    ['type=abc', 'type'],
    ['type=1.5', 'type'],
    ['type=99999999999', 'type'],
    ['type[in]=1,x', 'type[in]'],
    ['type[or]=x', 'type[or]'],
    ['type[all]=1', 'type[all]'],
    ['type[ctn]=1', 'type[ctn]'],
    ['type[foo]=1', 'type[foo]'],
    ['type[toString]=1', 'type[toString]'],
    ['name[gt]=a', 'name[gt]'],
    ['name[near]=1,2;3', 'name[near]'],
    ['name[all]=a', 'name[all]'],
    ['name[ctn][]=a', 'name[ctn]'],
    ['created_at=soon', 'created_at'],
    ['created_at[gt]=2026-02-30', 'created_at[gt]'],
    ['last_message_date_sent[lte]=', 'last_message_date_sent[lte]'],
    ['occupants_ids[gt]=1', 'occupants_ids[gt]'],
    ['occupants_ids[in]=x', 'occupants_ids[in]'],
    ['occupants_ids[ctn]=1', 'occupants_ids[ctn]'],
  ])('GET /chat/Dialog?%s is rejected as an incorrect filter', async (query, key) => {
    const { status, body } = await listAsDora(`?${query}`);
    expect([status, body]).toEqual([422, { errors: [`Incorrect filter: ${key}`] }]);
  });

  test.each(['photo', 'constructor', 'ID'])('GET /chat/Dialog rejects the sort field %s', async (field) => {
    for (const sort of ['sort_asc', 'sort_desc']) {
      const { status, body } = await listAsDora(`?${sort}=${field}`);
      expect([status, body]).toEqual([422, { errors: [`Incorrect sort field: ${field}`] }]);
    }
  });

  test('GET /chat/Dialog reads parameters from a JSON body and from a query that is a JSON object', async () => {
    const filter = { type: { in: [1, 2] }, last_message_date_sent: null, limit: 1, skip: '1' };
    const answer = { total_entries: 3, skip: 1, limit: 1, items: [{ _id: cast.values.under }] };
    const asBody = await rawRequest('GET', '/chat/Dialog.json', {
      as: dora,
      headers: { 'Content-Type': JSON_TYPE },
      body: JSON.stringify(filter),
    });
    expect(JSON.parse(asBody.text)).toMatchObject(answer);
    const asQuery = await rawRequest('GET', `/chat/Dialog.json?${encodeURIComponent(JSON.stringify(filter))}`, {
      as: dora,
    });
    expect(JSON.parse(asQuery.text)).toMatchObject(answer);
  });

  test("GET /chat/Dialog lists a user's own and public dialogs, and for an API key all of the application", async () => {
    const idsFor = async (as: object) =>
      (await rest('GET', '/chat/Dialog', { as: as as TestUser })).body.items.map(
        (dialog: { _id: string }) => dialog._id,
      );
    expect((await idsFor(cast.mallory)).filter((id: string) => words.has(id))).toEqual([cast.lobby]);
    expect(await idsFor(apiKey)).toEqual(expect.arrayContaining([...words.keys(), cast.group, cast.pair]));
    expect(await idsFor(cast.stranger)).toEqual([]);
  });

  function listAsDora(query: string) {
    return rest('GET', `/chat/Dialog.json${withIds(query)}`, { as: dora });
  }

  function withIds(query: string): string {
    return query.replace(/\{(\w+)\}/g, (_match, word: string) => String(cast.values[word]));
  }
});

import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { rest } from '../../support/clients/rest.ts';
import { type Scenario, testScenarios } from '../../support/clients/rest-table.ts';
import { type ChatCast, createChatCast, created } from '../../support/fixtures/chat-cast.ts';
import { NEED_USER, NOT_FOUND, TOKEN_REQUIRED } from '../../support/fixtures/error-bodies.ts';
import type { Caller } from '../../support/fixtures/users.ts';

useApp();

/** In addition to the cast: Carol is an admin of the group and Bob of the lobby. */
let cast: ChatCast;
beforeAll(async () => {
  cast = await createChatCast();
  Object.assign(cast.values, { many: MANY.join(','), fewer: [...MANY.slice(1), ...MANY.slice(2)].join(',') });
  const { alice, bob, carol, group, lobby } = cast;
  for (const [dialog, admin] of [
    [group, carol],
    [lobby, bob],
  ] as const) {
    await rest('PUT', `/chat/Dialog/${dialog}`, { as: alice, json: { push_all: { admins_ids: [admin.id] } } });
  }
});

const TOO_MANY = { errors: ['A request may name at most 100 ids'] };
const MANY = Array.from({ length: 101 }, (_, nth) => nth.toString(16).padStart(24, '0'));
const FORCE = { force: 1 };
const OLD = { 'SVC-REST-API-Version': '2.51.9' };

async function say(dialog: string, as: Caller, ...words: string[]): Promise<void> {
  for (const message of words) {
    cast.values[message] = (await created('/chat/Message', { chat_dialog_id: dialog, message }, as))._id;
  }
}

function lists(deleted: string[], notFound: string[] = [], wrongPermissions: string[] = []) {
  const ids = (words: string[]) => ({ ids: words.map((word) => `{${word}}`) });
  return {
    SuccessfullyDeleted: ids(deleted),
    NotFound: ids(notFound),
    ...(wrongPermissions.length > 0 ? { WrongPermissions: ids(wrongPermissions) } : {}),
  };
}

const remove = (
  name: string,
  as: string,
  ids: string,
  body: object | string | undefined,
  status: number,
  answer: unknown,
  headers?: Record<string, string>,
): Scenario => [name, as, 'DELETE', `/chat/Message/${ids}.json`, body, status, answer, headers];

const seen = (as: string, id: string, status: 200 | 404): Scenario => [
  `then ${as} ${status === 200 ? 'still finds it' : 'does not find it'}`,
  as,
  'GET',
  `/chat/Message/${id}`,
  undefined,
  status,
  status === 404 ? NOT_FOUND : expect.anything(),
];

describe('DELETE /chat/Message/{ids} without force', () => {
  beforeAll(async () => {
    const { alice, bob, mallory, group, pair, lobby } = cast;
    await say(group, bob, 'a', 'b', 'c', 'd');
    await say(pair, alice, 'whisper');
    await say(lobby, mallory, 'shout');
  });

  testScenarios(
    () => cast,
    [
      remove('any occupant', 'alice', '{a}', undefined, 200, lists(['a'])),
      seen('alice', '{a}', 404),
      seen('bob', '{a}', 200),
      remove('again', 'alice', '{a}', undefined, 404, NOT_FOUND),
      remove('again beside another', 'alice', '{a},{b}', 'force=0', 200, lists(['b'], ['a'])),
      remove('the sender', 'bob', '{a}', { force: false }, 200, lists(['a'])),
      seen('carol', '{a}', 200),
      remove('a key for an occupant', 'key for alice', '{c}', '', 200, lists(['c'])),
      remove('in a private dialog', 'bob', '{whisper}', undefined, 200, lists(['whisper'])),
      seen('alice', '{whisper}', 200),
      remove('anyone in a public group', 'carol', '{shout}', undefined, 200, lists(['shout'])),
      seen('carol', '{shout}', 404),
      seen('mallory', '{shout}', 200),
      remove('no occupant', 'mallory', '{d}', undefined, 200, lists([], [], ['d'])),
      remove('a key for no occupant', 'key for mallory', '{d}', undefined, 200, lists([], [], ['d'])),
      remove(
        'all three lists, in the order asked for, each id once',
        'mallory',
        '{d},abc,{shout}%2C%20{hello},{unknown},{d},{shout},',
        undefined,
        200,
        {
          SuccessfullyDeleted: { ids: ['{shout}'] },
          NotFound: { ids: ['abc', '{unknown}'] },
          WrongPermissions: { ids: ['{d}', '{hello}'] },
        },
      ),
      remove('an unknown id', 'alice', '{unknown}', undefined, 404, NOT_FOUND),
      remove('no id', 'alice', 'abc', undefined, 404, NOT_FOUND),
      remove('nothing but commas', 'alice', ',%20,', undefined, 404, NOT_FOUND),
      remove('the id of a dialog', 'alice', '{group}', undefined, 404, NOT_FOUND),
      remove('101 ids', 'alice', '{many}', undefined, 422, TOO_MANY),
      remove('100 ids, repeated', 'alice', '{fewer}', undefined, 404, NOT_FOUND),
      remove('a key alone', 'key', '{d}', undefined, 422, NEED_USER),
      remove('a key alone, before ids are looked at', 'key', '{many}', 'force=no', 422, NEED_USER),
      remove('another application', 'stranger', '{d}', undefined, 404, NOT_FOUND),
      remove('an application session', 'application', '{d}', undefined, 422, NEED_USER),
      remove('anonymous', 'anonymous', '{d}', undefined, 401, TOKEN_REQUIRED),
      seen('bob', '{d}', 200),
    ],
  );
});

describe('DELETE /chat/Message/{ids} with force', () => {
  const WRONG = (word: string) => lists([], [], [word]);
  beforeAll(async () => {
    const { alice, bob, carol, mallory, group, pair, lobby } = cast;
    await say(group, alice, 'e', 'f', 'g');
    await say(group, bob, 'h', 'i', 'j', 'k', 'l');
    await say(group, carol, 'm', 'n');
    await say(pair, alice, 'o', 'p');
    await say(lobby, mallory, 'q', 'r', 's', 't');
  });

  testScenarios(
    () => cast,
    [
      remove('its sender', 'alice', '{e}', FORCE, 200, lists(['e'])),
      ...['alice', 'bob', 'key'].map((as) => seen(as, '{e}', 404)),
      remove('again', 'alice', '{e}', 'force=1', 404, NOT_FOUND),
      remove('again beside others', 'key for alice', '{f},{e}', 'force=true', 200, lists(['f'], ['e'])),
      remove('the owner of the group', 'alice', '{h}', FORCE, 200, lists(['h'])),
      remove('its admin', 'carol', '{i},{g}', FORCE, 200, lists(['i', 'g'])),
      seen('alice', '{g}', 404),
      remove('an occupant', 'bob', '{m}', FORCE, 200, WRONG('m')),
      remove('what one has hidden for oneself', 'bob', '{j}', undefined, 200, lists(['j'])),
      remove('for all after that', 'bob', '{j}', FORCE, 200, lists(['j'])),
      seen('carol', '{j}', 404),
      remove('no occupant', 'mallory', '{m}', FORCE, 200, WRONG('m')),
      remove('the sender in private', 'alice', '{o}', FORCE, 200, lists(['o'])),
      remove('the other in private', 'bob', '{p}', FORCE, 200, WRONG('p')),
      remove('the owner of a public group', 'alice', '{q}', FORCE, 200, lists(['q'])),
      remove('its admin', 'bob', '{r}', FORCE, 200, lists(['r'])),
      remove('anyone there', 'carol', '{s}', FORCE, 200, WRONG('s')),
      remove('the sender there', 'mallory', '{s}', FORCE, 200, lists(['s'])),
      remove('all three lists', 'bob', '{m},{unknown},{k},{p},xyz', FORCE, 200, {
        SuccessfullyDeleted: { ids: ['{k}'] },
        NotFound: { ids: ['{unknown}', 'xyz'] },
        WrongPermissions: { ids: ['{m}', '{p}'] },
      }),
      ['by a query', 'bob', 'DELETE', '/chat/Message/{l}?force=1', undefined, 200, lists(['l'])],
      seen('carol', '{l}', 404),
      remove('a key of another application', 'other key', '{n}', FORCE, 404, NOT_FOUND),
      remove('101 ids', 'key', '{many}', FORCE, 422, TOO_MANY),
      remove('an application session', 'application', '{n}', FORCE, 422, NEED_USER),
      remove('an admin with an old client', 'alice', '{n}', FORCE, 200, WRONG('n'), OLD),
      remove('an admin by a key with an old client', 'key for alice', '{n}', FORCE, 200, WRONG('n'), OLD),
      remove('the owner of a public group, too', 'alice', '{t}', FORCE, 200, WRONG('t'), OLD),
      remove('the sender with an old client', 'carol', '{m}', FORCE, 200, lists(['m']), OLD),
      remove('a key alone with an old client', 'key', '{n}', FORCE, 200, lists(['n']), OLD),
      remove('an admin with a newer one', 'bob', '{t}', FORCE, 200, lists(['t']), { 'SVC-REST-API-Version': '2.52' }),
      remove('a key alone in private', 'key', '{p}', FORCE, 200, lists(['p'])),
      seen('alice', '{p}', 404),
    ],
  );

  test('one request deletes 100 messages', async () => {
    const { alice, bob, group } = cast;
    const path = `/chat/Message?chat_dialog_id=${group}&count=1`;
    const before = (await rest('GET', path, { as: alice })).body.items.count;
    const made = await Promise.all(
      Array.from({ length: 100 }, () => created('/chat/Message', { chat_dialog_id: group, message: 'x' }, bob)),
    );
    const ids = made.map(({ _id }) => _id);
    const { body } = await rest('DELETE', `/chat/Message/${ids}`, { as: alice, json: FORCE });
    expect(body).toEqual({ SuccessfullyDeleted: { ids }, NotFound: { ids: [] } });
    expect((await rest('GET', path, { as: alice })).body.items.count).toBe(before);
  });
});

describe('GET /chat/Message/unread', () => {
  const unread = (name: string, as: string, query: string, status: number, answer: unknown): Scenario => [
    name,
    as,
    'GET',
    `/chat/Message/unread.json${query}`,
    undefined,
    status,
    answer,
  ];
  const G = '{room}';
  const P = '{duo}';
  beforeAll(async () => {
    const { alice, bob, carol, mallory, lobby } = cast;
    const room = await created('/chat/Dialog', { type: 2, name: 'R', occupants_ids: [bob.id, mallory.id] }, carol);
    const duo = await created('/chat/Dialog', { type: 3, occupants_ids: mallory.id }, carol);
    Object.assign(cast.values, { room: room._id, duo: duo._id });
    await say(room._id, carol, 'u', 'v', 'w');
    await say(room._id, mallory, 'own');
    await say(duo._id, carol, 'x', 'y');
    await say(lobby, alice, 'z');
    const { group } = cast;
    await say(group, alice, 'outside');
  });

  testScenarios(
    () => cast,
    [
      unread('over all dialogs', 'mallory', '', 200, '{"total":5}'),
      unread('a bare question mark', 'mallory', '?', 200, '{"total":5}'),
      unread('an empty list', 'mallory', '?chat_dialog_ids=', 200, { total: 5 }),
      unread('an empty list in brackets', 'mallory', '?chat_dialog_ids[]=', 200, { total: 5 }),
      unread('one dialog', 'mallory', `?chat_dialog_ids=${G}`, 200, { total: 3, [G]: 3 }),
      unread('two', 'key for mallory', `?chat_dialog_ids=${G}%2C${P}`, 200, { total: 5, [G]: 3, [P]: 2 }),
      unread('with blanks', 'mallory', `?chat_dialog_ids=${P}%2C%20${G},`, 200, { total: 5, [G]: 3, [P]: 2 }),
      unread('in brackets', 'mallory', `?chat_dialog_ids[]=${P}&chat_dialog_ids[]=${G}`, 200, {
        total: 5,
        [G]: 3,
        [P]: 2,
      }),
      unread('one twice', 'mallory', `?chat_dialog_ids=${P},${P}`, 200, { total: 2, [P]: 2 }),
      unread('the sender', 'carol', `?chat_dialog_ids=${G},${P}`, 200, { total: 1, [G]: 1, [P]: 0 }),
      unread('inaccessible ones beside', 'mallory', `?chat_dialog_ids={group},{unknown},abc,${P}`, 200, {
        total: 2,
        '{group}': 0,
        '{unknown}': 0,
        abc: 0,
        [P]: 2,
      }),
      unread('a public group', 'mallory', '?chat_dialog_ids={lobby}', 200, { total: 0, '{lobby}': 0 }),
      unread('an id that is called as the total', 'mallory', `?chat_dialog_ids=total,${P}`, 200, { total: 2, [P]: 2 }),
      unread('none accessible', 'mallory', '?chat_dialog_ids={group},{unknown}', 404, NOT_FOUND),
      unread('none known', 'mallory', '?chat_dialog_ids=abc', 404, NOT_FOUND),
      unread('another application', 'stranger', `?chat_dialog_ids=${G},{lobby}`, 404, NOT_FOUND),
      unread('nothing at all', 'stranger', '', 200, { total: 0 }),
      unread('a key alone', 'key', '', 422, NEED_USER),
      unread('an application session', 'application', '', 422, NEED_USER),
      unread('anonymous', 'anonymous', '', 401, TOKEN_REQUIRED),
      [
        'as JSON',
        'mallory',
        'GET',
        '/chat/Message/unread',
        { chat_dialog_ids: [P, G] },
        200,
        { total: 5, [G]: 3, [P]: 2 },
      ],
      ['as a form', 'mallory', 'GET', '/chat/Message/unread', `chat_dialog_ids=${P}`, 200, { total: 2, [P]: 2 }],
      remove('hiding one', 'mallory', '{u}', undefined, 200, lists(['u'])),
      remove('deleting one for all', 'carol', '{v}', FORCE, 200, lists(['v'])),
      ['reading one', 'mallory', 'PUT', '/chat/Message/{x}', { read: 1 }, 200, undefined],
      ['delivering one', 'mallory', 'PUT', '/chat/Message/{y}', { delivered: 1 }, 200, undefined],
      unread('counts those no more', 'mallory', `?chat_dialog_ids=${G},${P}`, 200, { total: 2, [G]: 1, [P]: 1 }),
      ['hiding the private dialog', 'mallory', 'DELETE', `/chat/Dialog/${P}`, undefined, 200, undefined],
      unread('nor that', 'mallory', '', 200, { total: 1 }),
    ],
  );
});

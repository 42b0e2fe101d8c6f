import { beforeAll, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { useApp } from '../../support/app/app.ts';
import { rest } from '../../support/clients/rest.ts';
import { type Scenario, testScenarios } from '../../support/clients/rest-table.ts';
import { type ChatCast, createChatCast } from '../../support/fixtures/chat-cast.ts';
import {
  BAD_MESSAGE_ID,
  BAD_NAME,
  MAY_NOT_PERFORM,
  NEED_USER,
  NOT_FOUND,
  TOKEN_REQUIRED,
} from '../../support/fixtures/error-bodies.ts';
import { apiKey, type Caller } from '../../support/fixtures/users.ts';

useApp();

let cast: ChatCast;
beforeAll(async () => {
  cast = await createChatCast();
});

const NO_MESSAGE = { errors: ['Message not found for the specified user and message ID.'] };
const NO_REACTION = { errors: ['Reaction not found for the specified user and message ID.'] };
const HERE = '/chat/Message/{hello}/reactions';

describe('reactions in sequence', () => {
  const LONGEST = '😀'.repeat(64);
  const ROWS: Scenario[] = [
    ['none at first', 'bob', 'GET', HERE, undefined, 200, '{}'],
    ['Bob likes it', 'bob', 'POST', HERE, { name: 'like' }, 200, undefined],
    ['the same again changes nothing', 'bob', 'POST', `${HERE}.json`, 'name=like', 200, undefined],
    ['he laughs, too', 'bob', 'POST', HERE, { name: ' haha\n' }, 200, undefined],
    ['Alice likes her own', 'alice', 'POST', `${HERE}?name=like`, undefined, 200, undefined],
    ['a key for Alice', 'key for alice', 'POST', HERE, { name: 5 }, 200, undefined],
    [
      'who left which',
      'carol',
      'GET',
      `${HERE}.json`,
      undefined,
      200,
      {
        like: ['{alice}', '{bob}'],
        haha: ['{bob}'],
        5: ['{alice}'],
      },
    ],
    [
      'also to a key alone',
      'key',
      'GET',
      HERE,
      undefined,
      200,
      {
        5: ['{alice}'],
        like: ['{alice}', '{bob}'],
        haha: ['{bob}'],
      },
    ],
    ["Carol cannot remove another user's reaction", 'carol', 'DELETE', HERE, { name: 'like' }, 404, NO_REACTION],
    ['nor anyone another letter case', 'bob', 'DELETE', HERE, { name: 'LIKE' }, 404, NO_REACTION],
    ['Alice removes hers', 'key for alice', 'DELETE', HERE, 'name=5', 200, undefined],
    ['once', 'alice', 'DELETE', HERE, { name: '5' }, 404, NO_REACTION],
    ['Bob removes his', 'bob', 'DELETE', `${HERE}.json?name=%20like+`, undefined, 200, undefined],
    ['the remaining reactions', 'bob', 'GET', HERE, undefined, 200, { haha: ['{bob}'], like: ['{alice}'] }],
    ['the longest name', 'carol', 'POST', HERE, { name: LONGEST }, 200, undefined],
    ['names of prototypes', 'carol', 'POST', HERE, { name: '__proto__' }, 200, undefined],
    ['are names', 'carol', 'POST', HERE, { name: 'toString' }, 200, undefined],
    [
      'like all others',
      'bob',
      'GET',
      HERE,
      undefined,
      200,
      JSON.parse(
        `{"haha":["{bob}"],"like":["{alice}"],"${LONGEST}":["{carol}"],"__proto__":["{carol}"],"toString":["{carol}"]}`,
      ),
    ],
  ];
  testScenarios(() => cast, ROWS);

  test('messages show reactions relative to each caller', async () => {
    const total = { haha: 1, like: 1, [LONGEST]: 1, toString: 1, ['__proto__']: 1 };
    const reactions = async (as: Caller) => (await rest('GET', `/chat/Message/${cast.hello}`, { as })).body.reactions;
    expect(await reactions(cast.alice)).toEqual({ own: ['like'], total });
    expect(await reactions(cast.bob)).toEqual({ own: ['haha'], total });
    expect(await reactions(cast.carol)).toEqual({ own: [LONGEST, '__proto__', 'toString'], total });
    expect(await reactions(apiKey)).toEqual({ own: [], total });

    for (const name of [LONGEST, '__proto__', 'toString']) {
      await rest('DELETE', `/chat/Message/${cast.hello}/reactions`, { as: cast.carol, json: { name } });
    }
    await rest('DELETE', `/chat/Message/${cast.hello}/reactions`, { as: cast.alice, json: { name: 'like' } });
    await rest('DELETE', `/chat/Message/${cast.hello}/reactions`, { as: cast.bob, json: { name: 'haha' } });
    expect(await reactions(cast.bob)).toBeNull();
  });

  test('own reactions are in the order of adding, and a reaction added again moves to the end', async () => {
    const path = `/chat/Message/${cast.hello}/reactions`;
    for (const name of ['a', 'b', 'c']) await rest('POST', path, { as: cast.bob, json: { name } });
    await rest('DELETE', path, { as: cast.bob, json: { name: 'a' } });
    await rest('POST', path, { as: cast.bob, json: { name: 'a' } });
    const list = await rest('GET', `/chat/Message?chat_dialog_id=${cast.group}`, { as: cast.bob });
    expect(list.body.items[0].reactions).toEqual({ own: ['b', 'c', 'a'], total: { b: 1, c: 1, a: 1 } });
  });

  test('20 concurrent identical requests leave one reaction', async () => {
    const path = `/chat/Message/${cast.hello}/reactions`;
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => rest('POST', path, { as: cast.carol, json: { name: 'angry' } })),
    );
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
    expect(await db.reaction.count({ where: { name: 'angry' } })).toBe(1);
    expect(await db.outboxEvent.count({ where: { name: 'angry' } })).toBe(1);
  });
});

describe('rejected reactions', () => {
  const like = { name: 'like' };
  const forEachChange = (rows: (method: 'POST' | 'DELETE') => Scenario[]) => [...rows('POST'), ...rows('DELETE')];

  testScenarios(
    () => cast,
    forEachChange((method) => [
      ['no id of a message', 'bob', method, '/chat/Message/abc/reactions', like, 400, BAD_MESSAGE_ID],
      ['an id in upper case', 'bob', method, `/chat/Message/${'A'.repeat(24)}/reactions`, like, 400, BAD_MESSAGE_ID],
      ['two ids', 'bob', method, '/chat/Message/{hello},{hello}/reactions', like, 400, BAD_MESSAGE_ID],
      ['an id with a NUL', 'bob', method, '/chat/Message/{hello}%00/reactions', like, 400, BAD_MESSAGE_ID],
      ['no name', 'bob', method, HERE, undefined, 400, BAD_NAME],
      ['a null', 'bob', method, HERE, { name: null }, 400, BAD_NAME],
      ['a name that is no text', 'bob', method, HERE, { name: ['like'] }, 400, BAD_NAME],
      ['a blank name', 'bob', method, HERE, { name: ' \t\n' }, 400, BAD_NAME],
      ['a name too long', 'bob', method, HERE, { name: 'x'.repeat(65) }, 400, BAD_NAME],
      ['a control character', 'bob', method, HERE, { name: 'li\u0001ke' }, 400, BAD_NAME],
      ['a line break', 'bob', method, HERE, { name: 'li\nke' }, 400, BAD_NAME],
      ['an unknown message', 'bob', method, '/chat/Message/{unknown}/reactions', like, 404, NO_MESSAGE],
      ['the id of a dialog', 'bob', method, '/chat/Message/{group}/reactions', like, 404, NO_MESSAGE],
      ['a message of another application', 'stranger', method, HERE, like, 404, NO_MESSAGE],
      ['parameters before existence', 'bob', method, '/chat/Message/{unknown}/reactions', {}, 400, BAD_NAME],
      ['parameters before permission', 'mallory', method, HERE, { name: '' }, 400, BAD_NAME],
      ['no occupant', 'mallory', method, HERE, like, 403, MAY_NOT_PERFORM],
      ['a key for no occupant', 'key for mallory', method, HERE, like, 403, MAY_NOT_PERFORM],
      ['an application session', 'application', method, '/chat/Message/abc/reactions', {}, 422, NEED_USER],
      ['a key alone', 'key', method, HERE, like, 422, NEED_USER],
      ['anonymous', 'anonymous', method, HERE, like, 401, TOKEN_REQUIRED],
    ]),
  );

  testScenarios(
    () => cast,
    [
      ['no id of a message', 'bob', 'GET', '/chat/Message/abc/reactions', undefined, 400, BAD_MESSAGE_ID],
      ['an unknown message', 'key', 'GET', '/chat/Message/{unknown}/reactions', undefined, 404, NO_MESSAGE],
      ['a message of another application', 'other key', 'GET', HERE, undefined, 404, NO_MESSAGE],
      ['no occupant', 'mallory', 'GET', HERE, undefined, 403, MAY_NOT_PERFORM],
      ['an application session', 'application', 'GET', HERE, undefined, 422, NEED_USER],
      ['anonymous', 'anonymous', 'GET', HERE, undefined, 401, TOKEN_REQUIRED],
      ['a path below', 'bob', 'DELETE', `${HERE}/like`, undefined, 404, NOT_FOUND],
    ],
  );
});

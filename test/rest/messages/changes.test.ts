import { beforeAll, describe, expect, test } from 'vitest';
import { clock, useApp } from '../../support/app/app.ts';
import { rest } from '../../support/clients/rest.ts';
import { type Scenario, testScenarios } from '../../support/clients/rest-table.ts';
import { type ChatCast, createChatCast, created, UNKNOWN_ID } from '../../support/fixtures/chat-cast.ts';
import { MAY_NOT_PERFORM, NEED_USER, NOT_FOUND, TOKEN_REQUIRED } from '../../support/fixtures/error-bodies.ts';
import type { Caller } from '../../support/fixtures/users.ts';

useApp();

/** In addition to the cast: messages of Alice (`{hers}`) and Bob (`{his}`) in the group, and one in each other dialog. */
let cast: ChatCast;
beforeAll(async () => {
  cast = await createChatCast();
  Object.assign(cast.values, { many: MANY.join(','), fewer: [...MANY.slice(1), ...MANY.slice(2)].join(',') });
  const { alice, bob, carol, group, lobby, pair } = cast;
  const say = async (name: string, chat_dialog_id: string, as: Caller, content: object = { message: name }) => {
    cast.values[name] = (await created('/chat/Message', { chat_dialog_id, ...content }, as))._id;
  };
  await say('hers', group, alice);
  await say('his', group, bob);
  await say('whisper', pair, alice);
  await say('shout', lobby, alice);
  await say('picture', group, alice, { attachments: [{ type: 'image', id: '5' }] });
  const { _id: second } = await created('/chat/Dialog', { type: 2, name: 'Second', occupants_ids: [bob.id] }, carol);
  cast.values.second = second;
  await say('elsewhere', second, bob);
});

const NO_DATA = { errors: ['No data for update was provided'] };
const BLANK = { errors: ["Message can't be blank"] };
const TOO_LONG = { errors: ['Message is too long (maximum is 32768 bytes)'] };
const TOO_MANY = { errors: ['A request may name at most 100 ids'] };
const MANY = Array.from({ length: 101 }, (_, nth) => nth.toString(16).padStart(24, '0'));

const SOME = expect.anything();
const ANY = {
  message: SOME,
  attachments: SOME,
  created_at: SOME,
  updated_at: SOME,
  chat_dialog_id: SOME,
  date_sent: SOME,
  sender_id: SOME,
  recipient_id: SOME,
  read_ids: SOME,
  delivered_ids: SOME,
  read: SOME,
  reactions: null,
};

type Change = (
  name: string,
  as: string,
  ids: string,
  body: object | string,
  status: number,
  answer?: unknown,
) => Scenario;
const put: Change = (name, as, ids, body, status, answer) => [
  name,
  as,
  'PUT',
  `/chat/Message/${ids}.json`,
  body,
  status,
  answer,
];
const shown = (as: string, id: string, fields: object): Scenario => [
  `then ${as} sees it`,
  as,
  'GET',
  `/chat/Message/${id}`,
  undefined,
  200,
  { ...ANY, _id: id, ...fields },
];

describe('PUT /chat/Message/{id} edits', () => {
  testScenarios(
    () => cast,
    [
      put('its sender', 'alice', '{hers}', { message: 'new \n' }, 200),
      shown('bob', '{hers}', { message: 'new', read_ids: ['{alice}'], sender_id: '{alice}' }),
      put('by a form', 'alice', '{hers}', 'chat_dialog_id={group}&message=new%20text', 200),
      shown('alice', '{hers}', { message: 'new text' }),
      put('a number', 'alice', '{hers}', { message: 7 }, 200),
      shown('alice', '{hers}', { message: '7' }),
      put('nothing known', 'alice', '{hers}', 'x=1', 400, NO_DATA),
      put('a key for its sender', 'key for alice', '{hers}', { message: 'by key' }, 200),
      put('a key alone', 'key', '{his}', { message: 'by the owner of the account' }, 200),
      shown('bob', '{his}', { message: 'by the owner of the account', sender_id: '{bob}' }),
      put('several', 'alice', '{hers},%20{hello},{hers},{unknown},abc', { message: 'all' }, 200),
      shown('alice', '{hers}', { message: 'all' }),
      shown('alice', '{hello}', { message: 'all' }),
      put('a public group', 'alice', '{shout}', { message: 'louder' }, 200),
      put('a private dialog', 'alice', '{whisper}', { message: 'softer' }, 200),
      put('no text where there is an attachment', 'alice', '{picture}', { message: '' }, 200),
      put('the largest text', 'alice', '{picture}', { message: 'é'.repeat(16_384) }, 200),
      put('text and marks together', 'alice', '{hers}', { message: 'both', read: 0 }, 200),
      shown('alice', '{hers}', { message: 'both', read_ids: [], delivered_ids: ['{alice}'] }),
      put('text and marks, one of them not allowed', 'bob', '{hers}', { message: 'x', read: 1 }, 403, MAY_NOT_PERFORM),
      shown('alice', '{hers}', { message: 'both', read_ids: [] }),
      put('the owner of the group', 'alice', '{his}', { message: 'x' }, 403, MAY_NOT_PERFORM),
      put('another occupant', 'carol', '{hers}', { message: 'x' }, 403, MAY_NOT_PERFORM),
      put('the other of a private dialog', 'bob', '{whisper}', { message: 'x' }, 403, MAY_NOT_PERFORM),
      put('anyone in a public group', 'mallory', '{shout}', { message: 'x' }, 403, MAY_NOT_PERFORM),
      put('one of several that is not theirs', 'alice', '{hers},{his}', { message: 'x' }, 403, MAY_NOT_PERFORM),
      shown('alice', '{hers}', { message: 'both' }),
      put('no occupant', 'mallory', '{hers}', { message: 'x' }, 403, MAY_NOT_PERFORM),
      put('a key for no occupant', 'key for mallory', '{hers}', { message: 'x' }, 403, MAY_NOT_PERFORM),
      put('blanks', 'alice', '{hers}', { message: ' \n' }, 422, BLANK),
      put('blanks in one of two', 'alice', '{picture},{hers}', { message: '' }, 422, BLANK),
      put('too many bytes', 'alice', '{hers}', { message: `${'é'.repeat(16_384)}x` }, 422, TOO_LONG),
      put('an unknown id', 'alice', '{unknown}', { message: 'x' }, 404, NOT_FOUND),
      put('no id', 'alice', 'abc', { message: 'x' }, 404, NOT_FOUND),
      put('nothing but a comma', 'alice', ',', { message: 'x' }, 404, NOT_FOUND),
      put('the id of a dialog', 'alice', '{group}', { message: 'x' }, 404, NOT_FOUND),
      put('another dialog', 'alice', '{hers}', { message: 'x', chat_dialog_id: '{pair}' }, 404, NOT_FOUND),
      put('an unknown dialog', 'alice', '{hers}', { message: 'x', chat_dialog_id: '{unknown}' }, 404, NOT_FOUND),
      put('no dialog', 'alice', '{hers}', { message: 'x', chat_dialog_id: 'abc' }, 404, NOT_FOUND),
      put('one of the dialog', 'alice', '{hers},{whisper}', { message: 'one', chat_dialog_id: '{pair}' }, 200),
      shown('alice', '{whisper}', { message: 'one' }),
      shown('alice', '{hers}', { message: 'both' }),
      put('a key of another application', 'other key', '{hers}', { message: 'x' }, 404, NOT_FOUND),
      put('a user of another application', 'stranger', '{hers}', { message: 'x' }, 404, NOT_FOUND),
      put('an application session', 'application', '{hers}', { message: 'x' }, 422, NEED_USER),
      put('anonymous', 'anonymous', '{hers}', { message: 'x' }, 401, TOKEN_REQUIRED),
    ],
  );

  test('editing a message changes its updated_at and the last message of the dialog', async () => {
    const { alice, pair, values } = cast;
    const path = `/chat/Message/${values.whisper}`;
    const before = (await rest('GET', path, { as: alice })).body;
    clock.reset(60_000);
    await rest('PUT', path, { as: alice, json: { message: 'later' } });
    clock.reset();
    const after = (await rest('GET', path, { as: alice })).body;
    expect(after).toEqual({ ...before, message: 'later', updated_at: '2026-11-20T17:47:59Z' });
    const dialog = (await rest('GET', `/chat/Dialog/${pair}`, { as: alice })).body;
    expect(dialog).toMatchObject({
      last_message: 'later',
      last_message_id: values.whisper,
      updated_at: before.updated_at,
    });

    await rest('PUT', path, { as: alice, json: { message: 'by a slow clock' } });
    expect((await rest('GET', path, { as: alice })).body.updated_at).toBe(after.updated_at);
  });
});

describe('PUT /chat/Message/{id} marks', () => {
  const BOTH = ['{alice}', '{bob}'];
  testScenarios(
    () => cast,
    [
      put('read alone', 'bob', '{hello}', 'chat_dialog_id={group}&read=1', 200),
      shown('alice', '{hello}', { read_ids: BOTH, delivered_ids: ['{alice}'], read: 0 }),
      put('again', 'bob', '{hello}', { read: true }, 200),
      put('delivered, read no more', 'bob', '{hello}', { delivered: '1', read: '0' }, 200),
      shown('alice', '{hello}', { read_ids: ['{alice}'], delivered_ids: BOTH }),
      put('neither', 'key for alice', '{hello}', { delivered: false, read: false }, 200),
      shown('bob', '{hello}', { read_ids: [], delivered_ids: ['{bob}'] }),
      put('both in the empty form', 'bob', '{hello}', 'delivered=&read=1', 200),
      shown('bob', '{hello}', { read_ids: ['{bob}'], delivered_ids: [] }),
      put('several dialogs', 'bob', '{elsewhere},{whisper},{hello},{unknown},xyz', { read: 1, delivered: 1 }, 200),
      shown('alice', '{whisper}', { read_ids: BOTH, delivered_ids: BOTH, read: 1 }),
      shown('alice', '{hello}', { read_ids: ['{bob}'], delivered_ids: ['{bob}'] }),
      put('a public group, without effect', 'bob', '{shout}', { read: 1, delivered: 1 }, 200),
      put('anyone there', 'mallory', '{shout}', { read: 0 }, 200),
      shown('alice', '{shout}', { read_ids: [], delivered_ids: [], read: 0 }),
      put('nothing', 'bob', '{hello}', {}, 400, NO_DATA),
      put('nothing but the dialog', 'bob', '{hello}', { chat_dialog_id: '{group}' }, 400, NO_DATA),
      put('nulls', 'bob', '{hello}', { read: null, delivered: null, message: null }, 400, NO_DATA),
      put('no flags', 'bob', '{hello}', { read: 2, delivered: 'yes' }, 400, NO_DATA),
      put('an object as the text', 'bob', '{hello}', { message: {} }, 422, { errors: ['Message is invalid'] }),
      put('nothing of an unknown message', 'bob', '{unknown}', {}, 400, NO_DATA),
      put('101 ids', 'bob', '{many}', { read: 1 }, 422, TOO_MANY),
      put('100 ids, repeated', 'bob', '{fewer}', { read: 1 }, 404, NOT_FOUND),
      put('a key alone', 'key', '{hello}', { read: 1 }, 422, NEED_USER),
      put('a key alone, before ids are looked at', 'key', '{many}', { read: 1, message: 'x' }, 422, NEED_USER),
      put('no occupant', 'mallory', '{hello}', { read: 1 }, 403, MAY_NOT_PERFORM),
      put('one dialog of two that is not theirs', 'alice', '{hello},{elsewhere}', { read: 1 }, 403, MAY_NOT_PERFORM),
      shown('alice', '{hello}', { read_ids: ['{bob}'] }),
    ],
  );
});

describe('PUT /chat/Message marks a whole dialog', () => {
  const all = (name: string, as: string, body: object | string, status: number, answer?: unknown): Scenario => [
    name,
    as,
    'PUT',
    '/chat/Message.json',
    body,
    status,
    answer,
  ];
  const unread = (as: string, count: number): Scenario => [
    `then ${as} has ${count} unread`,
    as,
    'GET',
    '/chat/Message/unread?chat_dialog_ids={group}',
    undefined,
    200,
    { total: count, '{group}': count },
  ];
  testScenarios(
    () => cast,
    [
      unread('carol', 4),
      all('by a form', 'carol', 'chat_dialog_id={group}&read=1', 200),
      unread('carol', 0),
      shown('carol', '{his}', { read_ids: ['{bob}', '{carol}'], delivered_ids: ['{bob}'] }),
      all('delivered', 'carol', { chat_dialog_id: '{group}', delivered: 1 }, 200),
      shown('carol', '{his}', { read_ids: ['{bob}', '{carol}'], delivered_ids: ['{bob}', '{carol}'] }),
      all('not read', 'key for alice', 'chat_dialog_id={group}&read=0', 200),
      unread('alice', 1),
      shown('carol', '{hello}', { read_ids: ['{bob}', '{carol}'], delivered_ids: ['{bob}', '{carol}'] }),
      all('a public group, without effect', 'mallory', { chat_dialog_id: '{lobby}', read: 1 }, 200),
      all('no dialog', 'bob', { read: 1 }, 404, NOT_FOUND),
      all('an unknown dialog', 'bob', { read: 1, chat_dialog_id: '{unknown}' }, 404, NOT_FOUND),
      all('no id', 'bob', { read: 1, chat_dialog_id: 'abc' }, 404, NOT_FOUND),
      all('another application', 'stranger', { read: 1, chat_dialog_id: '{group}' }, 404, NOT_FOUND),
      all('a text', 'bob', { message: 'x', chat_dialog_id: '{group}', read: 1 }, 404, NOT_FOUND),
      all('neither', 'bob', { chat_dialog_id: '{group}' }, 400, NO_DATA),
      all('no occupant', 'mallory', { chat_dialog_id: '{group}', read: 1 }, 403, MAY_NOT_PERFORM),
      all('a key alone', 'key', { chat_dialog_id: '{group}', read: 1 }, 422, NEED_USER),
      all('an application session', 'application', { chat_dialog_id: '{group}', read: 1 }, 422, NEED_USER),
      all('anonymous', 'anonymous', { chat_dialog_id: '{group}', read: 1 }, 401, TOKEN_REQUIRED),
    ],
  );

  test('the id in the path is not a parameter, and an id parameter does not override it', async () => {
    const { alice, values } = cast;
    const json = { message: 'x', id: values.hello, ids: values.hello, _id: values.hello };
    const { status } = await rest('PUT', `/chat/Message/${UNKNOWN_ID}`, { as: alice, json });
    expect(status).toBe(404);
  });
});

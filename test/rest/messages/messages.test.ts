import { beforeAll, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { clock, useApp } from '../../support/app/app.ts';
import { rest } from '../../support/clients/rest.ts';
import { type Scenario, testScenarios } from '../../support/clients/rest-table.ts';
import { type ChatCast, createChatCast, created } from '../../support/fixtures/chat-cast.ts';
import {
  MALFORMED,
  MAY_NOT_PERFORM,
  NEED_USER,
  NOT_FOUND,
  TOKEN_REQUIRED,
} from '../../support/fixtures/error-bodies.ts';
import { apiKey, type Caller, createUsers, type TestUser } from '../../support/fixtures/users.ts';

useApp();

let cast: ChatCast;
beforeAll(async () => {
  cast = await createChatCast();
});

const AT = '2026-11-20T17:46:59Z';
const SENT_AT = 1_795_196_819;
const BAD_ATTACHMENT = { errors: ['Attachment should have type and id'] };
const BLANK = { errors: ["Message can't be blank"] };

function record(given: object = {}) {
  return {
    _id: expect.stringMatching(/^[0-9a-f]{24}$/),
    message: 'hi',
    attachments: [],
    created_at: AT,
    updated_at: AT,
    chat_dialog_id: '{group}',
    date_sent: SENT_AT,
    sender_id: '{alice}',
    recipient_id: 0,
    read_ids: ['{alice}'],
    delivered_ids: ['{alice}'],
    read: 0,
    reactions: null,
    ...given,
  };
}

async function withClockAt<Result>(seconds: number, action: () => Promise<Result>): Promise<Result> {
  clock.reset(seconds * 1000);
  try {
    return await action();
  } finally {
    clock.reset();
  }
}

describe('POST /chat/Message', () => {
  const send = (name: string, body: object | string, status: number, answer: unknown, as = 'alice'): Scenario => [
    name,
    as,
    'POST',
    '/chat/Message.json',
    body,
    status,
    answer,
  ];
  const hi = { chat_dialog_id: '{group}', message: 'hi' };
  const RESERVED = {
    _id: '{unknown}',
    sender_id: 999,
    created_at: 'x',
    updated_at: 'x',
    date_sent: 1,
    read: 1,
    read_ids: [999],
    delivered: 1,
    delivered_ids: [999],
    reactions: { own: ['like'] },
    send_to_chat: 1,
    save_to_history: 1,
  };
  const custom = { flag: true, off: false, none: null, number: 1.5, list: [1, '2', null], nested: { a: { b: [] } } };
  const image = { type: 'image', id: '5' };

  describe('accepted messages', () => {
    testScenarios(
      () => cast,
      [
        send('a text to a group', hi, 201, record()),
        send('a text to a private dialog', { ...hi, chat_dialog_id: '{pair}' }, 201, {
          ...record({ chat_dialog_id: '{pair}', recipient_id: '{bob}' }),
        }),
        send('a text to a user', { recipient_id: '{bob}', message: 'hi' }, 201, {
          ...record({ chat_dialog_id: '{pair}', recipient_id: '{bob}' }),
        }),
        send('to a user by a form', 'recipient_id={bob}&message=hi&chat_dialog_id=', 201, {
          ...record({ chat_dialog_id: '{pair}', recipient_id: '{bob}' }),
        }),
        send('to the dialog rather than to the user', { ...hi, recipient_id: '{mallory}' }, 201, record()),
        send('to a public group of anyone, who keeps no marks', { ...hi, chat_dialog_id: '{lobby}' }, 201, {
          ...record({ chat_dialog_id: '{lobby}', read_ids: [], delivered_ids: [] }),
        }),
        send(
          'by a user who is in no group',
          { ...hi, chat_dialog_id: '{lobby}' },
          201,
          record({ chat_dialog_id: '{lobby}', sender_id: '{mallory}', read_ids: [], delivered_ids: [] }),
          'mallory',
        ),
        send('by a key for a user', hi, 201, record(), 'key for alice'),
        send('a text with blanks behind it', { ...hi, message: ' a b \n\t' }, 201, record({ message: ' a b' })),
        send('a text that is a number', { ...hi, message: 0 }, 201, record({ message: '0' })),
        send('the largest text', { ...hi, message: 'é'.repeat(16_384) }, 201, record({ message: 'é'.repeat(16_384) })),
        send('a lone surrogate', { ...hi, message: 'a\ud800' }, 201, record({ message: 'a\ufffd' })),
        send('custom keys as sent', { ...hi, ...custom }, 201, record(custom)),
        send('custom keys alone', { chat_dialog_id: '{group}', flag: 0 }, 201, record({ message: '', flag: 0 })),
        send(
          'custom keys of a form as texts',
          'chat_dialog_id={group}&message=hi&flag=true&list[]=1&list[]=2&a[b]=c+d',
          201,
          record({ flag: 'true', list: ['1', '2'], a: { b: 'c d' } }),
        ),
        send('custom keys beside the reserved', { ...hi, ...RESERVED, mine: 1 }, 201, record({ mine: 1 })),
        send(
          'custom keys of other layers',
          { ...hi, id: 1, text: 2, toString: 3, seq: 4 },
          201,
          record({ id: 1, text: 2, toString: 3, seq: 4 }),
        ),
        send('the largest custom keys', { ...hi, k: 'x'.repeat(32_760) }, 201, record({ k: 'x'.repeat(32_760) })),
        send('markable, and echoes it', { ...hi, markable: 1 }, 201, record({ markable: 1 })),
        send('markable off', { ...hi, markable: 0 }, 201, record({ markable: 0 })),
        send('markable of a form', 'chat_dialog_id={group}&message=hi&markable=1', 201, record({ markable: 1 })),
        send('an attachment alone', { chat_dialog_id: '{group}', attachments: [image] }, 201, {
          ...record({ message: '', attachments: [image] }),
        }),
        send(
          'attachments by number, in numeric order',
          { ...hi, attachments: { 10: { type: 'c', id: 'z' }, 0: image, 2: { type: 'b', id: 'y' } } },
          201,
          record({
            attachments: [image, { type: 'b', id: 'y' }, { type: 'c', id: 'z' }],
          }),
        ),
        send(
          'attachments of a form',
          'chat_dialog_id={group}&message=hi&attachments[0][type]=image&attachments%5B0%5D%5Bid%5D=5',
          201,
          record({ attachments: [image] }),
        ),
        send(
          'other keys of attachments, their ids as text',
          { ...hi, attachments: [{ name: 'n', id: 7, size: 12, type: 'image', url: 'https://x', data: { w: [1] } }] },
          201,
          record({
            attachments: [{ name: 'n', id: '7', size: 12, type: 'image', url: 'https://x', data: { w: [1] } }],
          }),
        ),
        send('attachments by address', { ...hi, attachments: [{ type: 'image', url: 'https://x' }] }, 201, {
          ...record({ attachments: [{ type: 'image', url: 'https://x' }] }),
        }),
        send('20 attachments', { ...hi, attachments: Array(20).fill(image) }, 201, {
          ...record({ attachments: Array(20).fill(image) }),
        }),
        send('no attachments', { ...hi, attachments: {} }, 201, record()),
        send('nothing but nulls beside the text', { ...hi, attachments: null, recipient_id: null }, 201, record()),
        send(
          'no keys of prototypes',
          JSON.parse(
            '{"chat_dialog_id":"{group}","message":"hi","__proto__":{"x":1},"constructor":2,"prototype":3,"a":{"__proto__":4}}',
          ),
          201,
          record({ a: {} }),
        ),
      ],
    );
  });

  describe('rejected messages', () => {
    testScenarios(
      () => cast,
      [
        send('nothing at all', {}, 422, {
          errors: ['chat_dialog_id or recipient_id is required', "Message can't be blank"],
        }),
        send('nobody to send to', { message: 'hi' }, 422, { errors: ['chat_dialog_id or recipient_id is required'] }),
        send('oneself', { message: 'hi', recipient_id: '{alice}' }, 422, { errors: ['Incorrect recipient_id'] }),
        send('no content', { chat_dialog_id: '{group}' }, 422, BLANK),
        send('blanks', { ...hi, message: ' \n ' }, 422, BLANK),
        send('reserved keys alone', { chat_dialog_id: '{group}', ...RESERVED, markable: 1 }, 422, BLANK),
        send('an attachment that is a text', { ...hi, attachments: 'image' }, 422, BAD_ATTACHMENT),
        send('one that is a list', { ...hi, attachments: [[image]] }, 422, BAD_ATTACHMENT),
        send('one that is null', { ...hi, attachments: [null] }, 422, BAD_ATTACHMENT),
        send('one without keys', { ...hi, attachments: [image, {}] }, 422, BAD_ATTACHMENT),
        send('one without a type', { ...hi, attachments: [{ id: '5', url: 'https://x' }] }, 422, BAD_ATTACHMENT),
        send('one with an empty type', { ...hi, attachments: [{ ...image, type: '' }] }, 422, BAD_ATTACHMENT),
        send('one without id and address', { ...hi, attachments: [{ type: 'image' }] }, 422, BAD_ATTACHMENT),
        send('21 attachments', { ...hi, attachments: Array(21).fill(image) }, 422, {
          errors: ['Too many attachments (maximum is 20)'],
        }),
        send('a text of too many bytes', { ...hi, message: `${'é'.repeat(16_384)}x` }, 422, {
          errors: ['Message is too long (maximum is 32768 bytes)'],
        }),
        send('custom keys of too many bytes', { ...hi, k: `${'é'.repeat(16_380)}x` }, 422, {
          errors: ['Custom parameters are too large (maximum is 32768 bytes)'],
        }),
        send('an unknown dialog', { ...hi, chat_dialog_id: '{unknown}' }, 404, NOT_FOUND),
        send('no id of a dialog', { ...hi, chat_dialog_id: 'abc' }, 404, NOT_FOUND),
        send(
          'an unknown dialog together with a user',
          { ...hi, chat_dialog_id: 'abc', recipient_id: '{bob}' },
          404,
          NOT_FOUND,
        ),
        send('an unknown user', { message: 'hi', recipient_id: 2147483647 }, 404, NOT_FOUND),
        send('no id of a user', { message: 'hi', recipient_id: 'abc' }, 404, NOT_FOUND),
        send('an id beyond all ids', { message: 'hi', recipient_id: '99999999999' }, 404, NOT_FOUND),
        send('a user of another application', { message: 'hi', recipient_id: '{stranger}' }, 404, NOT_FOUND),
        send('a dialog of another application', { ...hi, chat_dialog_id: '{lobby}' }, 404, NOT_FOUND, 'stranger'),
        send('parameters before existence', { chat_dialog_id: '{unknown}' }, 422, BLANK),
        send('parameters before permission', { chat_dialog_id: '{group}' }, 422, BLANK, 'mallory'),
        send('no occupant', hi, 403, MAY_NOT_PERFORM, 'mallory'),
        send('a key for no occupant', { ...hi, chat_dialog_id: '{pair}' }, 403, MAY_NOT_PERFORM, 'key for mallory'),
        send('an application session', hi, 422, NEED_USER, 'application'),
        send('a key alone', hi, 422, NEED_USER, 'key'),
        send('anonymous', hi, 401, TOKEN_REQUIRED, 'anonymous'),
        send('a NUL in the text', { ...hi, message: 'a\0b' }, 400, MALFORMED),
        send('a NUL in an attachment', { ...hi, attachments: [{ ...image, name: '\0' }] }, 400, MALFORMED),
        send('a NUL in a custom value', { ...hi, a: { b: ['\0'] } }, 400, MALFORMED),
        send('a NUL in a custom key', { ...hi, 'a\0': 1 }, 400, MALFORMED),
      ],
    );
  });

  test('sending a message updates the last message, the timestamp and the unread counts of its dialog', async () => {
    const [ann, ben] = await createUsers(2);
    const dialog = await created('/chat/Dialog', { type: 3, occupants_ids: ben.id }, ann);
    const sent = await withClockAt(60, () => created('/chat/Message', { recipient_id: ben.id, message: 'new' }, ann));
    expect(sent.chat_dialog_id).toBe(dialog._id);
    const changed = {
      ...dialog,
      last_message: 'new',
      last_message_id: sent._id,
      last_message_date_sent: SENT_AT + 60,
      last_message_user_id: ann.id,
      updated_at: '2026-11-20T17:47:59Z',
    };
    const dialogAs = async (as: Caller) => (await rest('GET', `/chat/Dialog/${dialog._id}`, { as })).body;
    expect(await dialogAs(ann)).toEqual(changed);
    expect(await dialogAs(ben)).toEqual({ ...changed, name: ann.login, unread_messages_count: 1 });
    expect(await dialogAs(apiKey)).toEqual(changed);
  });

  test('a message is never dated before its predecessor', async () => {
    const post = () => created('/chat/Message', { chat_dialog_id: cast.lobby, message: 'x' }, cast.mallory);
    await withClockAt(30, post);
    expect((await withClockAt(20, post)).date_sent).toBe(SENT_AT + 30);
  });

  test('the send_to_chat flag is stored', async () => {
    for (const [given, kept] of [
      [1, true],
      ['0', false],
      [undefined, false],
    ] as const) {
      const { _id } = await created(
        '/chat/Message',
        { chat_dialog_id: cast.pair, message: 'x', send_to_chat: given },
        cast.bob,
      );
      expect((await db.message.findFirstOrThrow({ where: { id: _id } })).sendToChat).toBe(kept);
    }
  });

  test('20 concurrent first messages from both sides create one private dialog', async () => {
    const [ann, ben] = await createUsers(2);
    const messages = await Promise.all(
      Array.from({ length: 20 }, (_, place) => {
        const [from, to] = place % 2 ? [ann, ben] : [ben, ann];
        return created('/chat/Message', { recipient_id: to.id, message: String(place) }, from);
      }),
    );
    const [dialogId, ...others] = new Set(messages.map((message) => message.chat_dialog_id));
    expect(others).toEqual([]);
    const { body } = await rest('GET', `/chat/Message?chat_dialog_id=${dialogId}&count=1`, { as: ben });
    expect(body).toEqual({ items: { count: 20 } });
    const unread = async (as: Caller) =>
      (await rest('GET', `/chat/Dialog/${dialogId}`, { as })).body.unread_messages_count;
    expect([await unread(ann), await unread(ben)]).toEqual([10, 10]);
  });
});

describe('GET /chat/Message/{id}', () => {
  const get = (name: string, as: string, id: string, status: number, answer: unknown): Scenario => [
    name,
    as,
    'GET',
    `/chat/Message/${id}.json`,
    undefined,
    status,
    answer,
  ];
  const HELLO = record({ _id: '{hello}', message: 'Hello' });
  testScenarios(
    () => cast,
    [
      get('its sender', 'alice', '{hello}', 200, HELLO),
      get('another occupant, whom it marks nothing for', 'bob', '{hello}', 200, HELLO),
      get('nor did it', 'bob', '{hello}', 200, HELLO),
      get('a key alone', 'key', '{hello}', 200, HELLO),
      get('no occupant', 'mallory', '{hello}', 403, MAY_NOT_PERFORM),
      get('a key for no occupant', 'key for mallory', '{hello}', 403, MAY_NOT_PERFORM),
      get('an unknown id', 'alice', '{unknown}', 404, NOT_FOUND),
      get('no id at all', 'alice', 'abc', 404, NOT_FOUND),
      get('two ids', 'alice', '{hello},{hello}', 404, NOT_FOUND),
      get('the id of a dialog', 'alice', '{group}', 404, NOT_FOUND),
      get('a key of another application', 'other key', '{hello}', 404, NOT_FOUND),
      get('an application session', 'application', '{hello}', 422, NEED_USER),
    ],
  );
});

describe('GET /chat/Message', () => {
  /** A group of Alice, Bob and Carol with messages by the names that the rows use. */
  let room: string;
  const words = new Map<string, string>();

  beforeAll(async () => {
    const { alice, bob, carol } = cast;
    room = (await created('/chat/Dialog', { type: 2, name: 'Room', occupants_ids: [bob.id, carol.id] }, alice))._id;
    cast.values.room = room;
    const say = async (word: string, seconds: number, from: TestUser, body: object) => {
      const { _id } = await withClockAt(seconds, () =>
        created('/chat/Message', { chat_dialog_id: room, ...body }, from),
      );
      words.set(_id, word);
      cast.values[word] = _id;
    };
    await say('one', 10, alice, { message: 'One' });
    await say('two', 20, bob, { message: 'two_2', attachments: [{ type: 'image', id: 1 }] });
    await say('percent', 30, alice, {
      message: '100%',
      attachments: [
        { type: 'file', id: 2 },
        { type: 'image', id: 3 },
      ],
    });
    await say('slash', 40, carol, { message: 'back\\slash' });
    await say('bare', 40, bob, { attachments: [{ type: 'location', url: 'https://x' }] });
  });

  const list = (name: string, as: string, query: string, status: number, answer: unknown): Scenario => [
    name,
    as,
    'GET',
    `/chat/Message.json${query}`,
    undefined,
    status,
    answer,
  ];
  const MINE = '?chat_dialog_id={room}&mark_as_read=0';
  const none = { skip: 0, limit: 100, items: [] };

  testScenarios(
    () => cast,
    [
      list('no dialog', 'alice', '', 404, NOT_FOUND),
      list('no dialog with an id', 'alice', '?_id={hello}', 404, NOT_FOUND),
      list('an empty id', 'alice', '?chat_dialog_id=', 404, NOT_FOUND),
      list('an unknown dialog', 'alice', '?chat_dialog_id={unknown}', 404, NOT_FOUND),
      list('no id at all', 'alice', '?chat_dialog_id=abc', 404, NOT_FOUND),
      list('a list of dialogs', 'alice', '?chat_dialog_id[]={room}', 422, { errors: ['Chat dialog id is invalid'] }),
      list('no occupant', 'mallory', '?chat_dialog_id={room}', 403, MAY_NOT_PERFORM),
      list('no occupant who counts', 'mallory', '?chat_dialog_id={room}&count=1', 403, MAY_NOT_PERFORM),
      list('a user of another application', 'stranger', '?chat_dialog_id={room}', 404, NOT_FOUND),
      list('an application session', 'application', '?chat_dialog_id={room}', 422, NEED_USER),
      list('a filter before the dialog', 'alice', '?date_sent=x', 422, { errors: ['Incorrect filter: date_sent'] }),
      list('a sort field before the dialog', 'alice', '?sort_asc=x', 422, { errors: ['Incorrect sort field: x'] }),
      list('an empty dialog', 'mallory', '?chat_dialog_id={lobby}&_id=abc', 200, '{"skip":0,"limit":100,"items":[]}'),
      list('the whole message', 'carol', `${MINE}&_id={two}`, 200, {
        ...none,
        items: [
          record({
            _id: '{two}',
            chat_dialog_id: '{room}',
            message: 'two_2',
            attachments: [{ type: 'image', id: '1' }],
            created_at: '2026-11-20T17:47:19Z',
            updated_at: '2026-11-20T17:47:19Z',
            date_sent: SENT_AT + 20,
            sender_id: '{bob}',
            read_ids: ['{bob}'],
            delivered_ids: ['{bob}'],
          }),
        ],
      }),
      list('a count', 'alice', '?chat_dialog_id={room}&count=1', 200, '{"items":{"count":5}}'),
      list('of a filter', 'key', '?chat_dialog_id={room}&count=1&sender_id={bob}&limit=1', 200, {
        items: { count: 2 },
      }),
    ],
  );

  test.each<[query: string, messages: string]>([
    ['', 'one two percent slash bare'],
    ['sender_id={bob}', 'two bare'],
    ['sender_id[ne]={bob}', 'one percent slash'],
    ['sender_id[in]={bob}%2C{carol}', 'two slash bare'],
    ['sender_id[nin]={bob},{carol}', 'one percent'],
    ['sender_id[gt]={alice}', 'two slash bare'],
    ['sender_id[or]={carol}&message[or]=One', 'one slash'],
    ['sender_id[or]={carol}&message[or]=One&date_sent[gt]=1795196830', 'slash'],
    ['recipient_id=0', 'one two percent slash bare'],
    ['recipient_id[gt]=0', ''],
    ['message=One', 'one'],
    ['message=one', ''],
    ['message[ctn]=O', 'one two'],
    ['message[ctn]=%25', 'percent'],
    ['message[ctn]=_', 'two'],
    ['message[ctn]=O_2', 'two'],
    ['message[ctn]=%5C', 'slash'],
    ['message[ctn]=k%5CS', 'slash'],
    ['message[ctn]=%5C_', ''],
    ['message[ne]=One', 'two percent slash bare'],
    ['message[in]=One,100%25', 'one percent'],
    ['message[nin]=One,100%25', 'two slash bare'],
    ['date_sent=1795196829', 'one'],
    ['date_sent[ne]=1795196829', 'two percent slash bare'],
    ['date_sent[gt]=1795196839', 'percent slash bare'],
    ['date_sent[gt]=1795196838.999', 'two percent slash bare'],
    ['date_sent[gte]=1795196839.001', 'percent slash bare'],
    ['date_sent[lt]=1795196839&date_sent[gte]=1', 'one'],
    ['date_sent[lte]=2026-11-20%2017:47:19', 'one two'],
    ['date_sent[in]=1795196829,1795196849', 'one percent'],
    ['date_sent[or]=1795196829,1795196849', 'one percent'],
    ['attachments.type=image', 'two percent'],
    ['attachments.type[ne]=image', 'one slash bare'],
    ['attachments.type[in]=file,location', 'percent bare'],
    ['attachments.type[nin]=file,location', 'one two slash'],
    ['attachments.type[all]=image,file', 'percent'],
    ['attachments.type=null', 'one slash'],
    ['attachments.type[ne]=null', 'two percent bare'],
    ['created_at=2026-11-20T17:47:29Z', 'percent'],
    ['created_at[gt]=2026-11-20T18:47:29%2B01:00', 'slash bare'],
    ['updated_at[lte]=1795196839', 'one two'],
    ['_id={slash}', 'slash'],
    ['_id[in]={slash},{one},abc', 'one slash'],
    ['_id[nin]={slash},{one}', 'two percent bare'],
    ['_id[gt]={percent}', 'slash bare'],
    ['_id[lte]={two}', 'one two'],
    ['_id=', ''],
    ['unknown=1&read[gt]=0', 'one two percent slash bare'],
    ['sort_asc=date_sent', 'one two percent slash bare'],
    ['sort_desc=date_sent', 'bare slash percent two one'],
    ['sort_desc=created_at', 'bare slash percent two one'],
    ['sort_asc=updated_at', 'one two percent slash bare'],
    ['sort_desc=_id', 'bare slash percent two one'],
    ['sort_asc=_id&sort_desc=date_sent', 'bare slash percent two one'],
    ['limit=2', 'one two'],
    ['limit=2&skip=1', 'two percent'],
    ['sort_desc=date_sent&limit=1&skip=4', 'one'],
    ['skip=5', ''],
  ])('GET /chat/Message?%s lists: %s', async (query, messages) => {
    const { status, body } = await listRoom(query);
    expect(body.items.map(({ _id }: { _id: string }) => words.get(_id)).join(' ')).toBe(messages);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['skip', 'limit', 'items']);
  });

  test.each<[query: string, key: string]>([
    ['sender_id=abc', 'sender_id'],
    ['sender_id[in]=1,x', 'sender_id[in]'],
    ['recipient_id[ctn]=1', 'recipient_id[ctn]'],
    ['message[gt]=a', 'message[gt]'],
    ['message[all]=a', 'message[all]'],
    ['message[near]=1,2;3', 'message[near]'],
    ['date_sent[gt]=soon', 'date_sent[gt]'],
    ['date_sent[$gt]=1', 'date_sent[$gt]'],
    ['attachments.type[gt]=a', 'attachments.type[gt]'],
    ['attachments.type[ctn]=a', 'attachments.type[ctn]'],
    ['created_at[lt]=', 'created_at[lt]'],
  ])('GET /chat/Message?%s is rejected as an incorrect filter', async (query, key) => {
    const { status, body } = await listRoom(query);
    expect([status, body]).toEqual([422, { errors: [`Incorrect filter: ${key}`] }]);
  });

  test.each<[query: string, skip: number, limit: number]>([
    ['limit=100&skip=2147483648', 2_147_483_647, 100],
    ['limit=9007199254740993&skip=9007199254740993', 2_147_483_647, 100],
    [`skip=${'9'.repeat(60)}`, 2_147_483_647, 100],
    [`skip=${'9'.repeat(400)}`, 0, 100],
    [`skip=-${'9'.repeat(400)}`, 0, 100],
    ['limit=1&skip=7', 7, 1],
    ['limit=101&skip=-1', 0, 100],
    ['limit=0&skip=', 0, 100],
    ['limit=-1&skip=1.5', 0, 100],
  ])('GET /chat/Message?%s returns the window skip %d, limit %d', async (query, skip, limit) => {
    expect((await listRoom(query)).body).toMatchObject({ skip, limit });
  });

  function listRoom(query: string) {
    const filled = query.replace(/\{(\w+)\}/g, (_match, word: string) => String(cast.values[word]));
    return rest('GET', `/chat/Message.json?chat_dialog_id=${room}&mark_as_read=0&${filled}`, { as: cast.carol });
  }
});

describe('marking by reading', () => {
  let ann: TestUser;
  let ben: TestUser;
  let cleo: TestUser;
  beforeAll(async () => {
    [ann, ben, cleo] = await createUsers(3);
  });

  const read = async (dialogId: string, as: Caller, query = '') =>
    (await rest('GET', `/chat/Message.json?chat_dialog_id=${dialogId}${query}`, { as })).body.items;
  const unread = async (dialogId: string, as: Caller) =>
    (await rest('GET', `/chat/Dialog/${dialogId}.json`, { as })).body.unread_messages_count;
  const marks = (items: { read_ids: number[]; delivered_ids: number[]; read: number }[]) =>
    items.map(({ read_ids, delivered_ids, read }) => [read_ids, delivered_ids, read]);

  test('GET /chat/Message marks the returned messages and shows the marks, unless mark_as_read is 0', async () => {
    const { _id } = await created('/chat/Dialog', { type: 2, name: 'G', occupants_ids: [ben.id, cleo.id] }, ann);
    for (const message of ['1', '2', '3']) await created('/chat/Message', { chat_dialog_id: _id, message }, ann);
    const sent = [[ann.id], [ann.id], 0];
    const seen = [[ann.id, ben.id], [ann.id, ben.id], 0];

    for (const query of ['&mark_as_read=0', '&mark_as_read=false']) {
      expect(marks(await read(_id, ben, query))).toEqual([sent, sent, sent]);
    }
    await read(_id, ben, '&count=1');
    expect(marks(await read(_id, apiKey))).toEqual([sent, sent, sent]);
    expect(marks(await read(_id, ann))).toEqual([sent, sent, sent]);
    expect(await unread(_id, ben)).toBe(3);

    expect(marks(await read(_id, ben, '&limit=1&skip=1'))).toEqual([seen]);
    expect(await unread(_id, ben)).toBe(2);
    expect(marks(await read(_id, ann))).toEqual([sent, seen, sent]);
    expect(marks(await read(_id, ben, '&mark_as_read=1'))).toEqual([seen, seen, seen]);
    expect([await unread(_id, ben), await unread(_id, cleo), await unread(_id, ann)]).toEqual([0, 3, 0]);

    const everyone = [ann.id, ben.id, cleo.id];
    expect(marks(await read(_id, cleo, '&sort_desc=date_sent&limit=1'))).toEqual([[everyone, everyone, 0]]);
    expect(marks(await read(_id, ann))).toEqual([seen, seen, [everyone, everyone, 0]]);
  });

  test('a private message is read when the other occupant has read it', async () => {
    const { _id, chat_dialog_id: dialogId } = await created(
      '/chat/Message',
      { recipient_id: ben.id, message: 'x' },
      ann,
    );
    expect(await unread(dialogId, ben)).toBe(1);
    expect(marks(await read(dialogId, ben))).toEqual([[[ann.id, ben.id], [ann.id, ben.id], 1]]);
    expect((await rest('GET', `/chat/Message/${_id}`, { as: ann })).body.read).toBe(1);
    expect(await unread(dialogId, ben)).toBe(0);
  });

  test('messages of public groups are neither marked nor unread', async () => {
    const { _id } = await created('/chat/Dialog', { type: 1, name: 'P' }, ann);
    await created('/chat/Message', { chat_dialog_id: _id, message: 'x' }, ann);
    expect(marks(await read(_id, ben))).toEqual([[[], [], 0]]);
    expect(await unread(_id, ben)).toBe(0);
  });
});

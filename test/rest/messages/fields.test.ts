import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { sql } from '../../support/app/sql.ts';
import { FORM, JSON_TYPE, MULTIPART, multipart, rawRequest } from '../../support/clients/raw-http.ts';
import { rest } from '../../support/clients/rest.ts';
import { execute } from '../../support/fixtures/chat.ts';
import { type ChatCast, createChatCast } from '../../support/fixtures/chat-cast.ts';

useApp();

let cast: ChatCast;
beforeAll(async () => {
  cast = await createChatCast();
});

const RESERVED =
  '_id chat_dialog_id recipient_id sender_id created_at updated_at date_sent message attachments read read_ids delivered delivered_ids reactions send_to_chat save_to_history markable'.split(
    ' ',
  );
/** The standard fields of a message, except `_id`. */
const FIELDS = {
  message: 'hi',
  attachments: [],
  created_at: '2026-11-20T17:46:59Z',
  updated_at: '2026-11-20T17:46:59Z',
  date_sent: 1_795_196_819,
  recipient_id: 0,
  read: 0,
  reactions: null,
};

/** The latest message of the group, read in every way; asserts that all results agree. */
async function shown() {
  const { alice, group } = cast;
  const list = await rest('GET', `/chat/Message?chat_dialog_id=${group}&sort_desc=date_sent&limit=1`, { as: alice });
  const [message] = list.body.items;
  const one = await rest('GET', `/chat/Message/${message._id}`, { as: alice });
  expect(one.body).toEqual(message);
  const { _id, sender_id, chat_dialog_id, read_ids, delivered_ids, ...others } = message;
  expect({ sender_id, chat_dialog_id, read_ids, delivered_ids }).toEqual({
    sender_id: alice.id,
    chat_dialog_id: group,
    read_ids: [alice.id],
    delivered_ids: [alice.id],
  });
  return others;
}

async function post(type: string, body: string) {
  const answer = await rawRequest('POST', '/chat/Message.json', {
    as: cast.alice,
    headers: { 'Content-Type': type },
    body: body.replaceAll('{group}', cast.group),
  });
  return { status: answer.status, ...JSON.parse(answer.text) };
}

const SEND = 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { id customFields attachments } }';

describe('custom fields never replace a standard field', () => {
  const own = { chat_dialog_id: '{group}', message: 'hi' };
  // Parameters of the call, for which objects are rejected.
  const parameters = ['chat_dialog_id', 'message', 'attachments', 'recipient_id', 'send_to_chat', 'markable'];
  const given = RESERVED.filter((name) => !parameters.includes(name));
  const HARMFUL = ['__proto__', 'constructor', 'prototype'];

  /** The members as JSON text, because an object literal cannot have the key `__proto__`. */
  const members = (names: string[]) => names.map((name) => `"${name}":{"x":1}`).join(',');

  test('custom fields in JSON do not replace standard fields', async () => {
    const body = `{${members([...given, ...HARMFUL])},${JSON.stringify({ ...own, mine: 1 }).slice(1)}`;
    expect(await post(JSON_TYPE, body)).toMatchObject({ status: 201, ...FIELDS, mine: 1 });
    expect(await shown()).toEqual({ ...FIELDS, mine: 1 });
  });

  test('custom fields in a form do not replace standard fields', async () => {
    const pairs = [...given, ...HARMFUL].flatMap((name) => [`${name}[x]=1`, `${name}=1`, `a[${name}]=1`]);
    const body = [...pairs, 'chat_dialog_id={group}', 'message=hi', 'mine=1'].join('&');
    expect(await post(FORM, body)).toMatchObject({ status: 201, ...FIELDS, mine: '1' });
    const nested = Object.fromEntries(given.map((name) => [name, '1']));
    expect(await shown()).toEqual({ ...FIELDS, mine: '1', a: nested });
  });

  test('custom fields in multipart do not replace standard fields', async () => {
    const parts = Object.fromEntries([...given, ...HARMFUL].map((name) => [`${name}[x]`, '1']));
    const body = multipart({ ...parts, ...own, mine: '1', 'constructor[prototype][x]': '1' });
    expect(await post(MULTIPART, body)).toMatchObject({ status: 201, ...FIELDS, mine: '1' });
    expect(await shown()).toEqual({ ...FIELDS, mine: '1' });
  });

  test('over GraphQL, all names are allowed as custom fields', async () => {
    const customFields = JSON.parse(`{${members([...RESERVED, ...HARMFUL])},"mine":1}`);
    const { sendMessage } = await execute(
      SEND,
      { input: { dialogId: cast.group, text: 'hi', customFields } },
      cast.alice,
    );
    expect(RESERVED.filter((name) => Object.hasOwn(sendMessage.customFields, name))).toEqual([]);
    const custom = Object.fromEntries(Object.entries(await shown()).filter(([name]) => !Object.hasOwn(FIELDS, name)));
    expect(JSON.stringify(custom)).toBe(`{${members(HARMFUL)},"mine":1}`);
    expect(await shown()).toMatchObject(FIELDS);
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  test('stored custom fields with the name of a standard field do not replace it', async () => {
    await post(JSON_TYPE, JSON.stringify(own));
    await sql(
      'UPDATE messages SET custom_fields = $1 WHERE seq = (SELECT max(seq) FROM messages WHERE dialog_id = $2)',
      [
        `{${members(RESERVED.filter((name) => !/^(delivered|send_to_chat|save_to_history|markable)$/.test(name)))},"mine":1}`,
        cast.group,
      ],
    );
    expect(await shown()).toEqual({ ...FIELDS, mine: 1 });
  });

  test('a custom field that resembles an attachment key remains a custom field', async () => {
    const attachment = { type: 'image', id: '5', _id: 'x', message: 'y', sender_id: 1, reactions: {} };
    await post(JSON_TYPE, JSON.stringify({ ...own, attachments: [attachment] }));
    expect(await shown()).toEqual({ ...FIELDS, attachments: [attachment] });
  });
});

describe('attachments', () => {
  const image = { type: 'image', id: '5' };
  const file = { type: 'file', url: 'https://x.io/1?a=b&c=d', name: 'n' };
  const escaped = encodeURIComponent(file.url);
  const json = (attachments: unknown) => JSON.stringify({ chat_dialog_id: '{group}', message: 'hi', attachments });
  const form = (pairs: string) => `chat_dialog_id={group}&message=hi&${pairs}`;

  test.each<[name: string, type: string, body: string]>([
    ['an array', JSON_TYPE, json([image, file])],
    ['an object numbered from 0', JSON_TYPE, json({ 0: image, 1: file })],
    ['an object numbered from 1', JSON_TYPE, json({ 1: image, 2: file })],
    ['an object with gaps, in another order', JSON_TYPE, json({ 30: file, 4: image })],
    ['an object whose numbers begin with zeros', JSON_TYPE, json({ '010': file, '09': image })],
    ['numeric ids', JSON_TYPE, json([{ ...image, id: 5 }, file])],
    [
      'brackets numbered from 0',
      FORM,
      form(
        `attachments[0][type]=image&attachments[0][id]=5&attachments[1][type]=file&attachments[1][url]=${escaped}&attachments[1][name]=n`,
      ),
    ],
    [
      'escaped brackets numbered from 1, the second first',
      FORM,
      form(
        `attachments%5B2%5D%5Btype%5D=file&attachments%5B2%5D%5Burl%5D=${escaped}&attachments%5B2%5D%5Bname%5D=n&attachments%5B1%5D%5Btype%5D=image&attachments%5B1%5D%5Bid%5D=5`,
      ),
    ],
    [
      'empty brackets',
      FORM,
      form(
        `attachments[][type]=image&attachments[][id]=5&attachments[][type]=file&attachments[][url]=${escaped}&attachments[][name]=n`,
      ),
    ],
    [
      'multipart',
      MULTIPART,
      multipart({
        chat_dialog_id: '{group}',
        message: 'hi',
        'attachments[0][type]': 'image',
        'attachments[0][id]': '5',
        'attachments[1][type]': 'file',
        'attachments[1][url]': file.url,
        'attachments[1][name]': 'n',
      }),
    ],
  ])('attachments are accepted as %s', async (_name, type, body) => {
    expect(await post(type, body)).toMatchObject({ status: 201, attachments: [image, file] });
    expect(await shown()).toEqual({ ...FIELDS, attachments: [image, file] });
  });

  test('attachments sent over GraphQL keep the order of their keys', async () => {
    const attachments = [
      { name: 'n', url: 'https://x', 'content-type': 'a/b', type: 'file', id: 7, size: 1.5, data: [null] },
    ];
    const { sendMessage } = await execute(
      SEND,
      { input: { dialogId: cast.group, text: 'hi', attachments } },
      cast.alice,
    );
    const kept = JSON.stringify([{ ...attachments[0], id: '7' }]);
    expect(JSON.stringify(sendMessage.attachments)).toBe(kept);
    expect(JSON.stringify((await shown()).attachments)).toBe(kept);
  });

  test.each<[name: string, attachments: unknown]>([
    ['an object with a non-numeric key', { 0: image, x: image }],
    ['an id that is not a text', [{ type: 'image', id: {} }]],
    ['a type that is not a text', [{ type: ['image'], id: '5' }]],
    ['an empty id', [{ type: 'image', id: '' }]],
    ['a list that contains null', [image, null]],
    ['a number', 5],
  ])('attachments are rejected as %s', async (_name, attachments) => {
    const answer = await post(JSON_TYPE, json(attachments));
    expect(answer).toEqual({ status: 422, errors: ['Attachment should have type and id'] });
  });

  test.each<[string, string]>([
    ['null', json(null)],
    ['an empty array', json([])],
    ['an empty object', json({})],
  ])('%s counts as no attachments', async (_name, body) => {
    expect(await post(JSON_TYPE, body)).toMatchObject({ status: 201, attachments: [] });
  });
});

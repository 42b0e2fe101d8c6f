import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { rest } from '../../support/clients/rest.ts';
import { type ChatCast, createChatCast, created, UNKNOWN_ID } from '../../support/fixtures/chat-cast.ts';
import { apiKey, type Caller } from '../../support/fixtures/users.ts';

useApp();

const PROLOG = '<?xml version="1.0" encoding="UTF-8"?>';
const MAY_NOT = "<errors><error>You don't have appropriate permissions to perform this operation</error></errors>";
const MISSING = "<errors><error>The resource wasn't found</error></errors>";
const NEEDS_USER = '<errors><error>Forbidden. Need user.</error></errors>';

let cast: ChatCast;
beforeAll(async () => {
  cast = await createChatCast();
});

/** Status, and the body after the XML prolog; an empty body has no Content-Type either. */
async function xml(method: string, path: string, as: Caller, form?: string): Promise<[number, string]> {
  const { status, text, headers } = await rest(method, path, { as, form });
  expect(headers.get('content-type')).toBe(text === '' ? null : 'application/xml; charset=utf-8');
  expect(text === '' || text.startsWith(PROLOG)).toBe(true);
  return [status, text.slice(PROLOG.length)];
}

const idList = (name: string, ...ids: string[]) => {
  const values = ids.map((id) => `<value>${id}</value>`).join('');
  return `<${name}>${values ? `<ids type="array">${values}</ids>` : '<ids type="array"/>'}</${name}>`;
};
const group = async (as: Caller = cast.alice) =>
  (
    await created(
      '/chat/Dialog',
      { type: 2, name: 'G', occupants_ids: [cast.alice.id, cast.bob.id, cast.carol.id] },
      as,
    )
  )._id;
const message = async (dialogId: string, as: Caller) =>
  (await created('/chat/Message', { chat_dialog_id: dialogId, message: 'hi' }, as))._id;

describe('dialogs in XML', () => {
  test('a changed dialog has the root element of a single dialog', async () => {
    const id = await group();
    const [status, changed] = await xml('PUT', `/chat/Dialog/${id}.xml`, cast.alice, 'name=N&is_join_required=1');
    expect(status).toBe(200);
    expect(changed).toMatch(/^<dialog>.*<name>N<\/name>.*<is-join-required type="integer">1<.*<\/dialog>$/);
    expect(await xml('GET', `/chat/Dialog/${id}.xml`, cast.alice)).toEqual([200, changed]);
    const [, list] = await xml('GET', `/chat/Dialog.xml?_id=${id}`, cast.alice);
    expect(list).toContain(changed.replace(/^<dialog>(.*)<\/dialog>$/, '<item>$1</item>'));
  });

  test('the outcome of deleting several dialogs has the root element result', async () => {
    const [own, other] = [await group(), await group(cast.bob)];
    expect(await xml('DELETE', `/chat/Dialog/${own},${other},${UNKNOWN_ID}.xml`, cast.alice, 'force=1')).toEqual([
      200,
      `<result>${idList('SuccessfullyDeleted', own)}${idList('NotFound', UNKNOWN_ID)}${idList('WrongPermissions', other)}</result>`,
    ]);
    expect(await xml('DELETE', `/chat/Dialog/${other},${UNKNOWN_ID}.xml`, cast.alice)).toEqual([
      200,
      `<result>${idList('SuccessfullyDeleted', other)}${idList('NotFound', UNKNOWN_ID)}</result>`,
    ]);
    expect(await xml('DELETE', `/chat/Dialog/${UNKNOWN_ID},abc.xml`, cast.alice)).toEqual([404, MISSING]);
  });

  test('deleting one dialog responds with an empty body', async () => {
    const id = await group();
    expect(await xml('DELETE', `/chat/Dialog/${id}.xml`, cast.bob)).toEqual([200, '']);
    expect(await xml('DELETE', `/chat/Dialog/${id}.xml`, cast.bob)).toEqual([403, MAY_NOT]);
    expect(await xml('DELETE', `/chat/Dialog/${id}.xml?force=1`, apiKey)).toEqual([200, '']);
    expect(await xml('DELETE', `/chat/Dialog/${id}.xml`, cast.alice)).toEqual([404, MISSING]);
  });

  test('notification settings have the root element result', async () => {
    const path = `/chat/Dialog/${cast.group}/notifications.xml`;
    const enabled = (flag: number) =>
      `<result><notifications><enabled type="integer">${flag}</enabled></notifications></result>`;
    expect(await xml('GET', path, cast.carol)).toEqual([200, enabled(1)]);
    expect(await xml('PUT', path, cast.carol, 'enabled=0')).toEqual([200, enabled(0)]);
    expect(await xml('GET', path, apiKey)).toEqual([422, NEEDS_USER]);
  });

  test('a list without dialogs is an empty list element', async () => {
    expect(await xml('GET', '/chat/Dialog.xml?_id=abc', cast.alice)).toEqual([
      200,
      '<dialogs><total-entries type="integer">0</total-entries><skip type="integer">0</skip><limit type="integer">100</limit><items type="array"/></dialogs>',
    ]);
  });

  test('each error text is an error element', async () => {
    expect(await xml('POST', '/chat/Dialog.xml', cast.alice, 'type=2')).toEqual([
      422,
      "<errors><error>Name can't be blank</error><error>Occupants with these IDs do not exist.</error></errors>",
    ]);
    expect(await xml('GET', '/chat/Dialog.xml?name[%3Cb%3E]=1', cast.alice)).toEqual([
      422,
      '<errors><error>Incorrect filter: name[&lt;b&gt;]</error></errors>',
    ]);
  });
});

describe('messages in XML', () => {
  test('a message that is sent, read or listed has the root element of a message', async () => {
    const form = `chat_dialog_id=${cast.pair}&message=hi&markable=1`;
    const [status, sent] = await xml('POST', '/chat/Message.xml', cast.alice, form);
    expect(status).toBe(201);
    const markable = '<markable type="integer">1</markable>';
    expect(sent).toContain(markable);
    const [, id] = /<_id>(\w+)<\/_id>/.exec(sent)!;
    const found = await xml('GET', `/chat/Message/${id}.xml`, cast.bob);
    expect(found).toEqual([200, sent.replace(markable, '')]);
    const list = await xml('GET', `/chat/Message.xml?chat_dialog_id=${cast.pair}&_id=${id}&mark_as_read=0`, cast.bob);
    const item = found[1].replace(/^<chat-message>(.*)<\/chat-message>$/, '<item>$1</item>');
    const page = '<skip type="integer">0</skip><limit type="integer">100</limit>';
    expect(list).toEqual([200, `<chat-messages>${page}<items type="array">${item}</items></chat-messages>`]);
    expect(await xml('GET', `/chat/Message.xml?chat_dialog_id=${cast.pair}&_id=${id}&count=1`, cast.bob)).toEqual([
      200,
      '<chat-messages><items><count type="integer">1</count></items></chat-messages>',
    ]);
  });

  test('changing a message responds with an empty body', async () => {
    const id = await message(cast.group, cast.alice);
    for (const [path, form] of [
      [`/chat/Message/${id}.xml`, 'message=new'],
      [`/chat/Message/${id}.xml`, `read=1&chat_dialog_id=${cast.group}`],
      ['/chat/Message.xml', `delivered=1&chat_dialog_id=${cast.group}`],
    ] as const) {
      expect(await xml('PUT', path, cast.alice, form)).toEqual([200, '']);
    }
    expect(await xml('PUT', `/chat/Message/${id}.xml`, cast.bob, 'message=mine')).toEqual([403, MAY_NOT]);
    expect(await xml('PUT', '/chat/Message.xml', cast.bob, 'read=1')).toEqual([404, MISSING]);
    expect(await xml('PUT', `/chat/Message/${id}.xml`, cast.bob, '')).toEqual([
      400,
      '<errors><error>No data for update was provided</error></errors>',
    ]);
  });

  test('the outcome of deleting one or several messages has the root element result', async () => {
    const dialogId = await group();
    const [own, other] = [await message(dialogId, cast.bob), await message(dialogId, cast.alice)];
    expect(await xml('DELETE', `/chat/Message/${own},${other},x.xml`, cast.bob, 'force=1')).toEqual([
      200,
      `<result>${idList('SuccessfullyDeleted', own)}${idList('NotFound', 'x')}${idList('WrongPermissions', other)}</result>`,
    ]);
    expect(await xml('DELETE', `/chat/Message/${other}.xml`, cast.bob)).toEqual([
      200,
      `<result>${idList('SuccessfullyDeleted', other)}${idList('NotFound')}</result>`,
    ]);
    expect(await xml('DELETE', `/chat/Message/${other}.xml`, cast.bob)).toEqual([404, MISSING]);
  });

  test('unread counts have an element per id, and ids that are not XML names are escaped', async () => {
    const dialogId = await group();
    await message(dialogId, cast.alice);
    const [ofUnknown, ofNamed] = [`<entry key="${UNKNOWN_ID}" type="integer">0</entry>`, 'abcdef'.repeat(4)];
    const query = `chat_dialog_ids=${dialogId},${UNKNOWN_ID},${ofNamed}`;
    expect(await xml('GET', `/chat/Message/unread.xml?${query}`, cast.carol)).toEqual([
      200,
      `<result><total type="integer">1</total><entry key="${dialogId}" type="integer">1</entry>${ofUnknown}<${ofNamed} type="integer">0</${ofNamed}></result>`,
    ]);
    const [, total] = await xml('GET', '/chat/Message/unread.xml', cast.carol);
    expect(total).toMatch(/^<result><total type="integer">\d+<\/total><\/result>$/);
    expect(await xml('GET', `/chat/Message/unread.xml?chat_dialog_ids=${UNKNOWN_ID}`, cast.carol)).toEqual([
      404,
      MISSING,
    ]);
  });

  test('a token parameter is a credential and not a filter', async () => {
    const nobody = { headers: {} };
    const path = `/chat/Message.xml?chat_dialog_id=${cast.group}&token=${cast.bob.token}`;
    const [status, list] = await xml('GET', path, nobody);
    expect([status, list.match(/<item>/g)?.length]).toEqual([200, expect.any(Number)]);
    expect(await xml('DELETE', `/chat/Message/${cast.hello}.xml?token=${cast.bob.token}`, nobody)).toEqual([
      200,
      `<result>${idList('SuccessfullyDeleted', cast.hello)}${idList('NotFound')}</result>`,
    ]);
  });
});

import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { BAD_MESSAGE_ID } from '../../support/fixtures/error-bodies.ts';
import { AT, filled, json, outcome, real, replay, useSampleUsers } from '../../support/fixtures/wire-samples.ts';

useApp();
useSampleUsers();

beforeAll(async () => {
  real.DIALOG = json(await replay('POST', '/chat/Dialog.json', 'F', 'occupants_ids=8&type=3'))._id;
});

describe('wire samples of messages', () => {
  test('the samples send messages', async () => {
    const answer = await replay(
      'POST',
      '/chat/Message.json',
      'J',
      '{"chat_dialog_id":"DIALOG","message":"hi","send_to_chat":1,"markable":1,"save_to_history":1,"attachments":[{"type":"image","id":"5"}],"custom":true}',
    );
    expect(outcome(answer)).toEqual([
      201,
      {
        _id: expect.stringMatching(/^[0-9a-f]{24}$/),
        message: 'hi',
        attachments: [{ type: 'image', id: '5' }],
        created_at: AT,
        updated_at: AT,
        chat_dialog_id: real.DIALOG,
        date_sent: 1_795_196_819,
        sender_id: 7,
        recipient_id: 8,
        read_ids: [7],
        delivered_ids: [7],
        read: 0,
        reactions: null,
        custom: true,
        markable: 1,
      },
    ]);
    real.MSG = json(answer)._id;
  });

  test.each<[path: string, skip: number, limit: number, ids: string[]]>([
    [
      '/chat/Message.json?chat_dialog_id=DIALOG&date_sent[gt]=1&limit=10&mark_as_read=0&sender_id[in]=1%2C2&skip=0&sort_desc=date_sent',
      0,
      10,
      [],
    ],
    [
      '/chat/Message.json?chat_dialog_id=DIALOG&date_sent[gt]=1&limit=10&mark_as_read=0&sender_id[in]=1%2C7&skip=0&sort_desc=date_sent',
      0,
      10,
      ['MSG'],
    ],
    ['/chat/Message.json?chat_dialog_id=DIALOG&date_sent[gte]=1480327065.456978', 0, 100, ['MSG']],
  ])('the sample %s has the documented response', async (path, skip, limit, names) => {
    const answer = await replay('GET', path);
    expect(outcome(answer)).toEqual([
      200,
      { skip, limit, items: names.map((name) => expect.objectContaining({ _id: real[name] })) },
    ]);
  });

  test('the samples find messages', async () => {
    expect(json(await replay('GET', '/chat/Message/MSG.json'))._id).toBe(real.MSG);
  });

  test('the samples mark and edit messages', async () => {
    const samples: [path: string, body: string][] = [
      ['/chat/Message/MSG.json', 'chat_dialog_id=DIALOG&read=1'],
      ['/chat/Message/MSG.json', 'chat_dialog_id=DIALOG&message=new%20text'],
      ['/chat/Message.json', 'chat_dialog_id=DIALOG&read=1'],
    ];
    for (const [path, body] of samples) expect(outcome(await replay('PUT', path, 'F', body))).toEqual([200, '']);
    expect(json(await replay('GET', '/chat/Message/MSG.json'))).toMatchObject({ message: 'new text', read_ids: [7] });
  });

  test.each([
    ['/chat/Message/unread.json?chat_dialog_ids=DIALOG%2CDIALOG', '{"total":0,"DIALOG":0}'],
    ['/chat/Message/unread.json?chat_dialog_ids=DIALOG%2C%20DIALOG', '{"total":0,"DIALOG":0}'],
    ['/chat/Message/unread.json?', '{"total":0}'],
  ])('the sample %s has the documented response', async (path, counts) => {
    const { status, text } = await replay('GET', path);
    expect([status, text]).toEqual([200, filled(counts)]);
  });
});

describe('wire samples of reactions', () => {
  const path = '/chat/Message/MSG/reactions';

  test('the samples add and remove reactions', async () => {
    expect(outcome(await replay('POST', `${path}.json`, 'J', '{"name":"like"}'))).toEqual([200, '']);
    const listed = await replay('GET', path);
    expect([listed.status, listed.text]).toEqual([200, '{"like":[7]}']);
    expect(outcome(await replay('DELETE', path, 'J', '{"name":"like"}'))).toEqual([200, '']);
    expect(outcome(await replay('GET', path))).toEqual([200, {}]);
    expect(outcome(await replay('PUT', `${path}.json`, 'J', '{"add":"like"}'))).toEqual([200, '']);
    expect(outcome(await replay('DELETE', path, 'J', '{"name":"like"}'))).toEqual([200, '']);
  });

  test('the samples react to a message that does not exist', async () => {
    expect(outcome(await replay('DELETE', '/chat/Message/notExistentId/reactions', 'J', '{"name":"like"}'))).toEqual([
      400,
      BAD_MESSAGE_ID,
    ]);
  });
});

describe('wire samples of deletions', () => {
  const LISTS = (deleted: string, notFound: string) =>
    filled(`{"SuccessfullyDeleted":{"ids":[${deleted}]},"NotFound":{"ids":[${notFound}]}}`);

  test('the samples delete messages', async () => {
    const forAll = await replay('DELETE', '/chat/Message/MSG,notExistentId.json', 'F', 'force=1');
    expect([forAll.status, forAll.text]).toEqual([200, LISTS('"MSG"', '"notExistentId"')]);
    const sent = await replay('POST', '/chat/Message.json', 'J', '{"chat_dialog_id":"DIALOG","message":"hi"}');
    real.MSG = json(sent)._id;
    const forOneself = await replay('DELETE', '/chat/Message/MSG.json');
    expect([forOneself.status, forOneself.text]).toEqual([200, LISTS('"MSG"', '')]);
  });
});

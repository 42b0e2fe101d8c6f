import { describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { APPLICATION, useApp } from '../../support/app/app.ts';
import { createAssistant, says, startModel } from '../../support/fakes/model.ts';
import { json, outcome, real, replay, useSampleUsers } from '../../support/fixtures/wire-samples.ts';

useApp();
useSampleUsers();

describe('wire samples of the address book', () => {
  const BOOK = '/address_book.json';

  test('the samples show an empty address book', async () => {
    for (const path of [BOOK, `${BOOK}?%7B%22udid%22:%22U-1%22%7D`, '/address_book/registered_users.json?compact=1']) {
      expect(outcome(await replay('GET', path))).toEqual([404, { errors: ['Empty address book'] }]);
    }
  });

  const UPLOAD =
    '{"contacts":[{"name":"A","phone":"1234567890"},{"phone":"1234567891","destroy":1}],"force":1,"udid":"U"}';

  test('the samples upload contacts', async () => {
    for (const udid of ['U', 'U-1', '']) {
      const answer = await replay('POST', BOOK, 'J', UPLOAD.replace('"U"', JSON.stringify(udid)));
      expect([answer.status, answer.text]).toEqual([200, '{"created":1,"updated":0,"deleted":0}']);
    }
  });

  test('the samples show the contacts', async () => {
    for (const path of [BOOK, `${BOOK}?%7B%22udid%22:%22U-1%22%7D`]) {
      expect(outcome(await replay('GET', path))).toEqual([200, [{ name: 'A', phone: '1234567890' }]]);
    }
  });

  test('the samples list registered users', async () => {
    const path = '/address_book/registered_users.json?compact=1';
    expect(outcome(await replay('GET', path))).toEqual([200, { items: [] }]);
    await db.user.updateMany({ where: { id: 8 }, data: { phone: '1234567890' } });
    expect((await replay('GET', path)).text).toBe('{"items":[{"user":{"id":8,"phone":"1234567890"}}]}');
  });
});

describe('wire samples of AI helpers', () => {
  const AI = '/ai/ai_extensions';

  test('the samples receive answers', async () => {
    const model = await startModel((response) => says(response, 'said'));
    const sid = await createAssistant(model);
    real.DIALOG = json(await replay('POST', '/chat/Dialog.json', 'F', 'occupants_ids=9&type=3'))._id;
    await replay('POST', '/chat/Message.json', 'J', '{"chat_dialog_id":"DIALOG","message":"hi"}');
    const samples: [path: string, type: 'J' | 'F', body: string, answer: object][] = [
      [
        'ai_answer_assist',
        'J',
        '{"smart_chat_assistant_id":"sid","message":"hi","history":[{"role":"user","message":"hello"}]}',
        { answer: 'said' },
      ],
      ['ai_translate', 'F', 'smart_chat_assistant_id=sid&text=hi%20there&to_language=fr', { answer: 'said' }],
      ['ai_summarize', 'J', '{"smart_chat_assistant_id":"sid","dialog_id":"DIALOG"}', { summary: 'said' }],
    ];
    for (const [path, type, body, answer] of samples) {
      expect(outcome(await replay('POST', `${AI}/${path}`, type, body.replace('sid', sid)))).toEqual([200, answer]);
      expect((await replay('POST', `${AI}/${path}`, type, body)).status).toBe(404);
    }
    const body = `{"smart_chat_assistant_id":"${sid}","messages":[{"role":"user","content":"hi"}]}`;
    const both = { 'SVC-Token': real.TOKEN!, Authorization: `ApiKey ${APPLICATION.apiKey}` };
    expect(outcome(await replay('POST', `${AI}/ai_gateway`, 'J', body, both))).toEqual([200, { answer: 'said' }]);
  });
});

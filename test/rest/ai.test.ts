import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { db } from '../../src/db/client.ts';
import { useApp } from '../support/app/app.ts';
import { rest } from '../support/clients/rest.ts';
import { type Scenario, testScenarios } from '../support/clients/rest-table.ts';
import { createAssistant, says, startModel, type TestModel } from '../support/fakes/model.ts';
import { deadAddress } from '../support/fakes/provider.ts';
import { execute } from '../support/fixtures/chat.ts';
import { type ChatCast, createChatCast, UNKNOWN_ID } from '../support/fixtures/chat-cast.ts';
import {
  MAY_NOT_PERFORM,
  NEED_USER,
  NO_SESSION,
  NOT_FOUND,
  TOKEN_REQUIRED,
  UNAUTHORIZED,
} from '../support/fixtures/error-bodies.ts';
import { apiKey } from '../support/fixtures/users.ts';

useApp();

let cast: ChatCast;
let model: TestModel;
let assistant: string;

beforeAll(async () => {
  cast = await createChatCast();
  assistant = await createAssistant({ url: 'http://127.0.0.1:1' }, { instructions: 'Be kind.' });
  Object.assign(cast.values, { assistant });
});

beforeEach(async () => {
  model = await startModel((response) => says(response, 'The model says.'));
  await db.assistant.updateMany({ where: { id: assistant }, data: { baseUrl: model.url } });
});

const ANSWER = '/ai/ai_extensions/ai_answer_assist';
const SUMMARY = '/ai/ai_extensions/ai_summarize';
const TRANSLATION = '/ai/ai_extensions/ai_translate';
const GATEWAY = '/ai/ai_extensions/ai_gateway';

const wrong = (...sentences: string[]) => ({ errors: sentences.map((sentence) => `Validation Error: ${sentence}`) });
const NO_ID = "smart_chat_assistant_id: Smart chat assistant id can't be empty, must be a string";
const NO_DIALOG = "dialog_id: Dialog id can't be empty, must be a string";
const NO_MESSAGE = "message: Message can't be empty, must be a string";
const NO_TEXT = "text: Text can't be empty, must be a string";
const NO_LANGUAGE = "to_language: To language can't be empty, must be a string";
const BAD_HISTORY = 'history: History must be an array of objects with role user or assistant and string message';
const BAD_MESSAGES = 'messages: Messages must be an array of objects with role and content';

const id = { smart_chat_assistant_id: '{assistant}' };
const SAID = { answer: 'The model says.' };
const row = (name: string, path: string, body: object | string, status: number, answer: unknown): Scenario => [
  name,
  'alice',
  'POST',
  path,
  body,
  status,
  answer,
];

describe('ai_answer_assist', () => {
  const given = { ...id, message: 'hi' };
  const turns = [
    { role: 'user', message: 'hello' },
    { role: 'assistant', message: '' },
  ];
  const history = (name: string, value: unknown, isRight: boolean) =>
    row(name, ANSWER, { ...given, history: value }, isRight ? 200 : 400, isRight ? SAID : wrong(BAD_HISTORY));
  testScenarios(
    () => cast,
    [
      row('an answer', ANSWER, given, 200, SAID),
      row('with suffix', `${ANSWER}.json`, given, 200, SAID),
      row('from a form', ANSWER, 'smart_chat_assistant_id={assistant}&message=hi+there&history=', 200, SAID),
      row(
        'from a form with history',
        ANSWER,
        'smart_chat_assistant_id={assistant}&message=hi&history[0][role]=user&history[0][message]=yo',
        200,
        SAID,
      ),
      row('the longest message', ANSWER, { ...id, message: '😀'.repeat(2000) }, 200, SAID),
      history('an empty history', [], true),
      history('null', null, true),
      history('a history', turns, true),
      history('a history with more in it', [{ ...turns[0], id: 1 }], true),
      history('a history that is a text', 'x', false),
      history('an object', { role: 'user', message: 'x' }, false),
      history('a number', 0, false),
      history('false', false, false),
      history('a list of texts', ['x'], false),
      history('nulls', [null], false),
      history('lists', [[]], false),
      history('another role', [{ role: 'system', message: 'x' }], false),
      history('no role', [{ message: 'x' }], false),
      history('no message', [{ role: 'user' }], false),
      history('a message that is a number', [{ role: 'user', message: 1 }], false),
      row(
        'one too many',
        ANSWER,
        { ...id, message: 'm'.repeat(2001) },
        400,
        wrong('message: Message is too long (maximum is 2000 characters)'),
      ),
      row('no message', ANSWER, id, 400, wrong(NO_MESSAGE)),
      row('an empty message', ANSWER, { ...id, message: ' ' }, 400, wrong(NO_MESSAGE)),
      row('a message that is a number', ANSWER, { ...id, message: 5 }, 400, wrong(NO_MESSAGE)),
      row('an id that is a number', ANSWER, { smart_chat_assistant_id: 5, message: 'x' }, 400, wrong(NO_ID)),
      row('nothing at all', ANSWER, {}, 400, wrong(NO_ID, NO_MESSAGE)),
      row('all wrong at once', ANSWER, { message: null, history: 1 }, 400, wrong(NO_ID, NO_MESSAGE, BAD_HISTORY)),
      row('an unknown assistant', ANSWER, { ...given, smart_chat_assistant_id: UNKNOWN_ID }, 404, NOT_FOUND),
      row('a malformed id', ANSWER, { ...given, smart_chat_assistant_id: 'sid' }, 404, NOT_FOUND),
      ['of another application', 'stranger', 'POST', ANSWER, given, 404, NOT_FOUND],
      ['for a key alone', 'key', 'POST', ANSWER, given, 200, SAID],
      ['for a key on behalf of a user', 'key for alice', 'POST', ANSWER, given, 200, SAID],
      ['another method', 'alice', 'GET', ANSWER, undefined, 404, NOT_FOUND],
    ],
  );
});

describe('ai_summarize', () => {
  const given = { ...id, dialog_id: '{group}' };
  testScenarios(
    () => cast,
    [
      row('a summary', SUMMARY, given, 200, { summary: 'The model says.' }),
      row('from a form', SUMMARY, 'smart_chat_assistant_id={assistant}&dialog_id={group}', 200, {
        summary: 'The model says.',
      }),
      row('of an empty dialog', SUMMARY, { ...id, dialog_id: '{pair}' }, 200, { summary: 'Chat is empty.' }),
      row('of an empty public one', SUMMARY, { ...id, dialog_id: '{lobby}' }, 200, { summary: 'Chat is empty.' }),
      row('no dialog', SUMMARY, id, 400, wrong(NO_DIALOG)),
      row('an empty one', SUMMARY, { ...id, dialog_id: '' }, 400, wrong(NO_DIALOG)),
      row('a number', SUMMARY, { ...id, dialog_id: 7 }, 400, wrong(NO_DIALOG)),
      row('nothing', SUMMARY, {}, 400, wrong(NO_ID, NO_DIALOG)),
      row('an unknown dialog', SUMMARY, { ...id, dialog_id: UNKNOWN_ID }, 404, NOT_FOUND),
      row('a malformed id', SUMMARY, { ...id, dialog_id: 'x' }, 404, NOT_FOUND),
      row(
        'an unknown assistant',
        SUMMARY,
        { smart_chat_assistant_id: UNKNOWN_ID, dialog_id: '{group}' },
        404,
        NOT_FOUND,
      ),
      ['by an outsider', 'mallory', 'POST', SUMMARY, given, 403, MAY_NOT_PERFORM],
      [
        'by an outsider, of no assistant',
        'mallory',
        'POST',
        SUMMARY,
        { ...given, smart_chat_assistant_id: UNKNOWN_ID },
        404,
        NOT_FOUND,
      ],
      ['by a key for an outsider', 'key for mallory', 'POST', SUMMARY, given, 403, MAY_NOT_PERFORM],
      ['by a key', 'key', 'POST', SUMMARY, given, 200, { summary: 'The model says.' }],
    ],
  );

  test('ai_summarize does not call the model for an empty dialog', async () => {
    const json = { smart_chat_assistant_id: assistant, dialog_id: cast.pair };
    expect((await rest('POST', SUMMARY, { as: cast.alice, json })).body).toEqual({ summary: 'Chat is empty.' });
    expect(model.asked).toEqual([]);
  });
});

describe('ai_translate', () => {
  const given = { ...id, text: 'hi', to_language: 'fr' };
  testScenarios(
    () => cast,
    [
      row('a translation', TRANSLATION, given, 200, SAID),
      row(
        'from a form',
        TRANSLATION,
        'smart_chat_assistant_id={assistant}&text=hi%20there&to_language=French',
        200,
        SAID,
      ),
      row('the longest text', TRANSLATION, { ...given, text: '😀'.repeat(5000) }, 200, SAID),
      row(
        'one too many',
        TRANSLATION,
        { ...given, text: 't'.repeat(5001) },
        400,
        wrong('text: Text is too long (maximum is 5000 characters)'),
      ),
      row(
        'no language at all',
        TRANSLATION,
        { ...given, to_language: 'l'.repeat(101) },
        400,
        wrong('to_language: To language is too long (maximum is 100 characters)'),
      ),
      row('nothing', TRANSLATION, {}, 400, wrong(NO_ID, NO_TEXT, NO_LANGUAGE)),
      row('no texts', TRANSLATION, { ...id, text: ['x'], to_language: {} }, 400, wrong(NO_TEXT, NO_LANGUAGE)),
      row('an unknown assistant', TRANSLATION, { ...given, smart_chat_assistant_id: UNKNOWN_ID }, 404, NOT_FOUND),
    ],
  );
});

describe('ai_gateway', () => {
  const url = 'https://example.com/a.png';
  const messages = (name: string, value: unknown, isRight: boolean) =>
    row(name, GATEWAY, { ...id, messages: value }, isRight ? 200 : 400, isRight ? SAID : wrong(BAD_MESSAGES));
  const content = (name: string, value: unknown, isRight: boolean) =>
    messages(name, [{ role: 'user', content: value }], isRight);
  testScenarios(
    () => cast,
    [
      content('a text', 'hi', true),
      content('an empty text', '', true),
      content(
        'parts',
        [
          { type: 'text', text: 'What is it?' },
          { type: 'image_url', image_url: { url } },
        ],
        true,
      ),
      content('an image of its own', [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }], true),
      messages(
        'all roles',
        ['user', 'assistant', 'developer'].map((role) => ({ role, content: 'x' })),
        true,
      ),
      row(
        'a form',
        GATEWAY,
        'smart_chat_assistant_id={assistant}&messages[0][role]=user&messages[0][content][0][type]=text&messages[0][content][0][text]=hi',
        200,
        SAID,
      ),
      content('a number', 5, false),
      content('null', null, false),
      content('nothing', undefined, false),
      content('an unknown part', [{ type: 'audio', text: 'x' }], false),
      content('a text part without text', [{ type: 'text' }], false),
      content('an image without address', [{ type: 'image_url', image_url: url }], false),
      row(
        'a file',
        GATEWAY,
        {
          ...id,
          messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }] }],
        },
        422,
        { errors: ['Image URL is not allowed'] },
      ),
      messages('the role of the system', [{ role: 'system', content: 'x' }], false),
      messages('no messages', [], false),
      messages('a text', 'hi', false),
      messages('an object', { role: 'user', content: 'hi' }, false),
      messages('a list of texts', ['hi'], false),
      row('nothing', GATEWAY, {}, 400, wrong(NO_ID, BAD_MESSAGES)),
      row(
        'too much',
        GATEWAY,
        { ...id, messages: [{ role: 'user', content: 'x'.repeat(100_001) }] },
        400,
        wrong('messages: Messages are too long (maximum is 100000 characters)'),
      ),
      row(
        'too many images',
        GATEWAY,
        { ...id, messages: [{ role: 'user', content: Array(21).fill({ type: 'image_url', image_url: { url } }) }] },
        400,
        wrong('messages: Messages have too many images (maximum is 20)'),
      ),
    ],
  );

  test('an API key takes precedence over a session token', async () => {
    const json = { smart_chat_assistant_id: assistant, messages: [{ role: 'user', content: 'hi' }] };
    for (const token of [cast.alice.token, 'nonsense']) {
      for (const path of [ANSWER, SUMMARY, TRANSLATION, GATEWAY]) {
        const as = { headers: { ...apiKey.headers, 'SVC-Token': token } };
        const all = { ...json, message: 'hi', dialog_id: cast.group, text: 'hi', to_language: 'fr' };
        const { status, headers } = await rest('POST', path, { as, json: all });
        expect([path, status, headers.get('SVC-Token-ExpirationDate')]).toEqual([path, 200, null]);
      }
    }
    const wrongKey = { headers: { Authorization: 'ApiKey x', 'SVC-Token': cast.alice.token } };
    const { status, body } = await rest('POST', GATEWAY, { as: wrongKey, json });
    expect([status, body]).toEqual([401, UNAUTHORIZED]);
  });
});

describe.each([
  ['answerAssist', ANSWER, 'AI Answer Assistant is disabled'],
  ['summarize', SUMMARY, 'AI Summarize is disabled'],
  ['translate', TRANSLATION, 'AI Translate is disabled'],
  ['gateway', GATEWAY, 'AI Gateway is disabled'],
])('%s', (feature, path, sentence) => {
  const set = (isOn: boolean) =>
    execute(
      `mutation ($on: Boolean) { updateApplication(input: { ${feature}: $on }) { ${feature} } }`,
      { on: isOn },
      apiKey,
    );
  const everything = () => ({
    smart_chat_assistant_id: assistant,
    message: 'hi',
    dialog_id: cast.group,
    text: 'hi',
    to_language: 'fr',
    messages: [{ role: 'user', content: 'hi' }],
  });

  test('the feature is on by default and can be turned off', async () => {
    expect((await rest('POST', path, { as: cast.alice, json: everything() })).status).toBe(200);
    expect((await set(false)).updateApplication).toEqual({ [feature]: false });
    for (const json of [everything(), {}, { smart_chat_assistant_id: UNKNOWN_ID }]) {
      const { status, body } = await rest('POST', path, { as: cast.alice, json });
      expect([status, body]).toEqual([405, { errors: [sentence] }]);
    }
    const others = [ANSWER, SUMMARY, TRANSLATION, GATEWAY].filter((other) => other !== path);
    for (const other of others) {
      expect((await rest('POST', other, { as: cast.alice, json: everything() })).status).toBe(200);
    }
    const xml = await rest('POST', `${path}.xml`, { as: cast.alice, json: {} });
    expect(xml.text).toBe(`<?xml version="1.0" encoding="UTF-8"?><errors><error>${sentence}</error></errors>`);
    await set(true);
    expect((await rest('POST', path, { as: cast.alice, json: everything() })).status).toBe(200);
  });

  test('the feature is available to users and API keys', async () => {
    const outcome = async (headers: Record<string, string>) => {
      const { status, body } = await rest('POST', path, { headers, json: everything() });
      return [status, body];
    };
    expect(await outcome(cast.callers.application!.headers)).toEqual([422, NEED_USER]);
    expect(await outcome({})).toEqual([401, TOKEN_REQUIRED]);
    expect(await outcome({ 'SVC-Token': 'x' })).toEqual([401, NO_SESSION]);
    expect(await outcome({ Authorization: 'ApiKey x' })).toEqual([401, UNAUTHORIZED]);
  });

  test('the feature responds 503 while the model is unavailable', async () => {
    await db.assistant.updateMany({ where: { id: assistant }, data: { baseUrl: await deadAddress() } });
    const { status, body } = await rest('POST', path, { as: cast.alice, json: everything() });
    expect([status, body]).toEqual([503, { errors: ['Service unavailable'] }]);
    const garbage = await startModel((response) => response.end('garbage with sk-secret'));
    await db.assistant.updateMany({ where: { id: assistant }, data: { baseUrl: garbage.url } });
    const again = await rest('POST', path, { as: cast.alice, json: everything() });
    expect([again.status, again.text]).toEqual([503, '{"errors":["Service unavailable"]}']);
  });

  test('the feature responds in XML on request', async () => {
    const { text } = await rest('POST', `${path}.xml`, { as: cast.alice, json: everything() });
    expect(text).toMatch(/\?><result><(answer|summary)>The model says\.<\/\1><\/result>$/);
  });
});

import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { rest } from '../../support/clients/rest.ts';
import { type ChatCast, createChatCast, created } from '../../support/fixtures/chat-cast.ts';
import { NOT_FOUND, TOKEN_REQUIRED } from '../../support/fixtures/error-bodies.ts';

useApp();

let cast: ChatCast;
beforeAll(async () => {
  cast = await createChatCast();
});

const version = (text: string) => ({ 'SVC-REST-API-Version': text });

describe('endpoints newer than the client version', () => {
  test.each<[method: string, path: string, before: string, since: string]>([
    ['GET', '/chat/Message/{hello}', '2.38.9', '2.39.0'],
    ['GET', '/chat/Message/{hello}/reactions', '2.57.99', '2.58'],
    ['POST', '/chat/Message/{hello}/reactions', '2.39.0', '2.58.0'],
    ['DELETE', '/chat/Message/{hello}/reactions', '2', '3'],
  ])('%s %s responds 404 to older clients', async (method, path, before, since) => {
    const target = path.replace('{hello}', cast.hello);
    const call = { as: cast.alice, json: method === 'GET' ? undefined : { name: 'like' } };
    for (const suffix of ['', '.json']) {
      const early = await rest(method, target + suffix, { ...call, headers: version(before) });
      expect([early.status, early.body]).toEqual([404, NOT_FOUND]);
      expect(early.headers.get('svc-rest-api-version')).toBe('2.58.0');
    }
    const { status } = await rest(method, target, { ...call, headers: version(since) });
    expect(status).toBe(200);
  });

  test.each(['0.9.9', '0.1.1', 'latest', '2.x', ''])('the version %o counts as the newest', async (text) => {
    const { status } = await rest('GET', `/chat/Message/${cast.hello}/reactions`, {
      as: cast.alice,
      headers: version(text),
    });
    expect(status).toBe(200);
  });

  test('unauthorized callers are rejected before the version check, and parameters are not checked', async () => {
    const target = `/chat/Message/${cast.hello}/reactions`;
    const headers = version('2.0.0');
    const nobody = await rest('POST', target, { headers });
    expect([nobody.status, nobody.body]).toEqual([401, TOKEN_REQUIRED]);
    const nameless = await rest('POST', target, { as: cast.alice, headers, json: {} });
    expect([nameless.status, nameless.body]).toEqual([404, NOT_FOUND]);
  });

  test('messages for old clients contain reactions', async () => {
    const { _id } = await created('/chat/Message', { chat_dialog_id: cast.group, message: 'x' }, cast.alice);
    await rest('POST', `/chat/Message/${_id}/reactions`, { as: cast.bob, json: { name: 'like' } });
    const { body } = await rest('GET', `/chat/Message?chat_dialog_id=${cast.group}`, {
      as: cast.alice,
      headers: version('2.30.0'),
    });
    const message = body.items.find((item: { _id: string }) => item._id === _id);
    expect(message.reactions).toMatchObject({ total: { like: 1 } });
  });
});

import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { FORM, JSON_TYPE, MULTIPART, multipart, rawRequest } from '../../support/clients/raw-http.ts';
import { rest } from '../../support/clients/rest.ts';
import { type Scenario, testScenarios } from '../../support/clients/rest-table.ts';
import { type ChatCast, createChatCast, created } from '../../support/fixtures/chat-cast.ts';
import { MAY_NOT_PERFORM, NEED_USER, NOT_FOUND } from '../../support/fixtures/error-bodies.ts';
import { apiKey, onBehalfOf } from '../../support/fixtures/users.ts';

useApp();

let cast: ChatCast;
beforeAll(async () => {
  cast = await createChatCast();
  cast.callers['key for carol'] = onBehalfOf(cast.carol);
});

type Deletion = [who: string, type: number, force: 'by force' | 'for oneself', status: number, answer: unknown];

const exists = async (id: string) => (await rest('GET', `/chat/Dialog/${id}`, { as: apiKey })).status === 200;

/** A dialog of Alice with Bob and Carol, or with Bob alone; in groups, Bob is an admin. */
async function aDialog(type: number): Promise<string> {
  const { alice, bob, carol } = cast;
  const others = type === 3 ? [bob.id] : [bob.id, carol.id];
  const { _id } = await created('/chat/Dialog', { type, name: 'Short', occupants_ids: others }, alice);
  const json = { push_all: { admins_ids: [bob.id] } };
  if (type !== 3) await rest('PUT', `/chat/Dialog/${_id}`, { as: alice, json });
  return _id;
}

describe('DELETE /chat/Dialog/{id}', () => {
  test.each<Deletion>([
    ['alice', 1, 'for oneself', 403, MAY_NOT_PERFORM],
    ['bob', 1, 'for oneself', 403, MAY_NOT_PERFORM],
    ['mallory', 1, 'for oneself', 403, MAY_NOT_PERFORM],
    ['key', 1, 'for oneself', 422, NEED_USER],
    ['alice', 1, 'by force', 200, 'gone'],
    ['bob', 1, 'by force', 403, MAY_NOT_PERFORM],
    ['mallory', 1, 'by force', 403, MAY_NOT_PERFORM],
    ['key', 1, 'by force', 200, 'gone'],
    ['alice', 2, 'for oneself', 200, 'left'],
    ['bob', 2, 'for oneself', 200, 'left'],
    ['carol', 2, 'for oneself', 200, 'left'],
    ['key for carol', 2, 'for oneself', 200, 'left'],
    ['mallory', 2, 'for oneself', 403, MAY_NOT_PERFORM],
    ['key', 2, 'for oneself', 422, NEED_USER],
    ['application', 2, 'for oneself', 422, NEED_USER],
    ['stranger', 2, 'for oneself', 404, NOT_FOUND],
    ['alice', 2, 'by force', 200, 'gone'],
    ['key for alice', 2, 'by force', 200, 'gone'],
    ['key', 2, 'by force', 200, 'gone'],
    ['bob', 2, 'by force', 403, MAY_NOT_PERFORM],
    ['carol', 2, 'by force', 403, MAY_NOT_PERFORM],
    ['mallory', 2, 'by force', 403, MAY_NOT_PERFORM],
    ['application', 2, 'by force', 422, NEED_USER],
    ['stranger', 2, 'by force', 404, NOT_FOUND],
    ['other key', 2, 'by force', 404, NOT_FOUND],
    ['alice', 3, 'for oneself', 200, 'hidden'],
    ['bob', 3, 'for oneself', 200, 'hidden'],
    ['mallory', 3, 'for oneself', 403, MAY_NOT_PERFORM],
    ['key', 3, 'for oneself', 422, NEED_USER],
    ['bob', 3, 'by force', 403, MAY_NOT_PERFORM],
    ['mallory', 3, 'by force', 403, MAY_NOT_PERFORM],
    ['alice', 3, 'by force', 200, 'gone'],
    ['key', 3, 'by force', 200, 'gone'],
  ])('%s deletes a dialog of type %d %s: %d', async (who, type, force, status, answer) => {
    const id = await aDialog(type);
    const before = await rest('GET', `/chat/Dialog/${id}`, { as: apiKey });
    const as = cast.callers[who]!;
    const path = `/chat/Dialog/${id}.json${force === 'by force' ? '?force=1' : ''}`;
    const deleted = await rawRequest('DELETE', path, { as });
    expect([deleted.status, deleted.text]).toEqual([status, typeof answer === 'string' ? '' : JSON.stringify(answer)]);
    if (status !== 200) {
      expect((await rest('GET', `/chat/Dialog/${id}`, { as: apiKey })).body).toEqual(before.body);
      return;
    }
    expect(deleted.headers['content-length']).toBe('0');
    expect(await exists(id)).toBe(answer !== 'gone');
    const seen = answer === 'gone' ? 404 : answer === 'left' ? 403 : 200;
    expect((await rest('GET', `/chat/Dialog/${id}`, { as })).status).toBe(seen);
    const listed = await rest('GET', `/chat/Dialog?_id=${id}&count=1`, { as });
    expect(listed.body).toEqual({ items: { count: 0 } });
    expect((await rawRequest('DELETE', path, { as })).status).toBe(seen);
  });

  test.each<[form: string, query: string, type: string | undefined, body: string, isForce: boolean]>([
    ['a query', '?force=1', undefined, '', true],
    ['a query of true', '?force=true', undefined, '', true],
    ['a form', '', FORM, 'force=1', true],
    ['JSON', '', JSON_TYPE, '{"force":1}', true],
    ['JSON of true', '', JSON_TYPE, '{"force":true}', true],
    ['multipart', '', MULTIPART, multipart({ force: '1' }), true],
    ['none', '', FORM, '', false],
    ['one of 0', '?force=0', undefined, '', false],
    ['an empty value', '?force=', undefined, '', false],
    ['a value that is not a flag', '?force=yes', undefined, '', false],
    ['null', '', JSON_TYPE, '{"force":null}', false],
  ])('the force parameter is read from %s', async (_form, query, type, body, isForce) => {
    const id = await aDialog(2);
    const headers: Record<string, string> = type ? { 'Content-Type': type } : {};
    const { status, text } = await rawRequest('DELETE', `/chat/Dialog/${id}${query}`, {
      as: cast.alice,
      headers,
      body,
    });
    expect([status, text, await exists(id)]).toEqual([200, '', !isForce]);
  });

  const none = (name: string, as: string, path: string, status: number, answer: unknown): Scenario => [
    name,
    as,
    'DELETE',
    `/chat/Dialog/${path}`,
    undefined,
    status,
    answer,
  ];
  testScenarios(
    () => cast,
    [
      none('an unknown one', 'alice', '{unknown}.json', 404, NOT_FOUND),
      none('no id', 'alice', 'abc', 404, NOT_FOUND),
      none('an unknown one by force', 'key', '{unknown}?force=1', 404, NOT_FOUND),
      none('an unknown one by a key alone', 'key', '{unknown}', 422, NEED_USER),
      none('nothing', 'alice', '', 404, NOT_FOUND),
    ],
  );
});

describe('DELETE /chat/Dialog/{id},{id}', () => {
  const deleteAll = (ids: string, as: string, force = false) =>
    rest('DELETE', `/chat/Dialog/${ids}.json${force ? '?force=1' : ''}`, { as: cast.callers[as]! });
  const lists = (deleted: string[], notFound: string[] = []) => ({
    SuccessfullyDeleted: { ids: deleted },
    NotFound: { ids: notFound },
  });

  test('deleting several dialogs reports each once, in the given order', async () => {
    const [a, b, c] = [await aDialog(2), await aDialog(2), await aDialog(2)];
    const { lobby, callers } = cast;
    await rest('DELETE', `/chat/Dialog/${b}`, { as: callers.carol! });
    const ids = [c, 'x', lobby, a, '0'.repeat(24), b, c, 'x'].join('%2C ').replaceAll(' ', '%20');
    const { status, body } = await deleteAll(ids, 'carol');
    expect(body).toEqual({ ...lists([c, a], ['x', '0'.repeat(24)]), WrongPermissions: { ids: [lobby, b] } });
    expect(status).toBe(200);
  });

  test('with force, deleting several dialogs affects only those of the owner, and all for an API key', async () => {
    const own = [await aDialog(2), await aDialog(1)];
    const { _id: foreign } = await created('/chat/Dialog', { type: 1, name: "Bob's" }, cast.bob);
    const all = [own[0], foreign, own[1]].join(',');
    expect((await deleteAll(all, 'carol', true)).body).toEqual({
      ...lists([]),
      WrongPermissions: { ids: all.split(',') },
    });
    expect((await deleteAll(all, 'alice', true)).body).toEqual({
      ...lists(own as string[]),
      WrongPermissions: { ids: [foreign] },
    });
    expect((await deleteAll(all, 'other key', true)).body).toEqual(NOT_FOUND);
    expect((await deleteAll(all, 'key', true)).body).toEqual(lists([foreign], own as string[]));
  });

  test('one request hides private dialogs and leaves groups', async () => {
    const [group, pair] = [await aDialog(2), await aDialog(3)];
    expect((await deleteAll(`${pair},${group}`, 'bob')).body).toEqual(lists([pair, group]));
    expect((await deleteAll(`${group},${pair}`, 'bob')).body).toEqual({
      ...lists([pair]),
      WrongPermissions: { ids: [group] },
    });
  });

  test('a repeated id or a trailing comma counts as a list', async () => {
    const [a, b] = [await aDialog(2), await aDialog(2)];
    expect((await deleteAll(`${a},${a}`, 'bob')).body).toEqual(lists([a]));
    expect((await deleteAll(`${b},`, 'bob')).body).toEqual(lists([b]));
  });

  test('a list without known dialogs responds 404, and 100 ids are the limit', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, nth) => nth.toString(16).padStart(24, '0'));
    const group = await aDialog(2);
    const over = await deleteAll([...many(100), group].join(','), 'bob');
    expect([over.status, over.body]).toEqual([422, { errors: ['A request may name at most 100 ids'] }]);
    const none = await deleteAll(many(100).join(','), 'bob');
    expect([none.status, none.body]).toEqual([404, NOT_FOUND]);
    expect((await deleteAll([...many(99), group, group].join(','), 'bob')).body).toEqual(lists([group], many(99)));
    expect((await deleteAll(',', 'bob')).body).toEqual(NOT_FOUND);
    for (const ids of [[group, 'x'], many(101)]) {
      const withoutUser = await deleteAll(ids.join(','), 'key');
      expect([withoutUser.status, withoutUser.body]).toEqual([422, NEED_USER]);
    }
  });
});

describe('/chat/Dialog/{id}/notifications', () => {
  const ON = '{"notifications":{"enabled":1}}';
  const OFF = '{"notifications":{"enabled":0}}';
  beforeAll(async () => {
    cast.values.pair = await aDialog(3);
  });
  const NO_DATA = { errors: ['No data for update was provided'] };
  const get = (name: string, as: string, id: string, status: number, answer: unknown): Scenario => [
    name,
    as,
    'GET',
    `/chat/Dialog/${id}/notifications.json`,
    undefined,
    status,
    answer,
  ];
  const put = (
    name: string,
    as: string,
    id: string,
    body: object | string,
    status: number,
    answer: unknown,
  ): Scenario => [name, as, 'PUT', `/chat/Dialog/${id}/notifications.json`, body, status, answer];
  testScenarios(
    () => cast,
    [
      get('they are on at first', 'bob', '{group}', 200, ON),
      put('switched off', 'bob', '{group}', { enabled: 0 }, 200, OFF),
      get('they are off', 'bob', '{group}', 200, OFF),
      put('again', 'bob', '{group}', 'enabled=false', 200, OFF),
      get('of another occupant they are on', 'alice', '{group}', 200, ON),
      get('of the same in another dialog, too', 'bob', '{pair}', 200, ON),
      put('switched on', 'bob', '{group}', 'enabled=1', 200, ON),
      get('they are on again', 'bob', '{group}', 200, ON),
      put('switched on again', 'bob', '{group}', { enabled: true }, 200, ON),
      put('by an empty value', 'bob', '{group}', 'enabled=', 200, OFF),
      put('in a private dialog', 'key for alice', '{pair}', { enabled: '0' }, 200, OFF),
      get('it is the same for the user', 'alice', '{pair}', 200, OFF),
      put('in a public group', 'mallory', '{lobby}', { enabled: 0 }, 200, OFF),
      get('for one of them', 'mallory', '{lobby}', 200, OFF),
      get('for the others not', 'carol', '{lobby}', 200, ON),

      put('nothing', 'bob', '{group}', {}, 400, NO_DATA),
      put('no flag', 'bob', '{group}', { enabled: 'maybe' }, 400, NO_DATA),
      put('nothing of what is not there', 'bob', '{unknown}', {}, 400, NO_DATA),
      ...[
        get,
        (...[name, as, id, status, answer]: Parameters<typeof get>) =>
          put(name, as, id, { enabled: 0 }, status, answer),
      ].flatMap((of) => [
        of('an outsider', 'mallory', '{group}', 403, MAY_NOT_PERFORM),
        of('a key for an outsider', 'key for mallory', '{pair}', 403, MAY_NOT_PERFORM),
        of('an unknown dialog', 'bob', '{unknown}', 404, NOT_FOUND),
        of('no id', 'bob', 'abc', 404, NOT_FOUND),
        of('a user of another application', 'stranger', '{lobby}', 404, NOT_FOUND),
        of('a key alone', 'key', '{group}', 422, NEED_USER),
        of('an application session', 'application', '{group}', 422, NEED_USER),
      ]),
    ],
  );
});

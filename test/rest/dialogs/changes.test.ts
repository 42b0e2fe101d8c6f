import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { FORM, JSON_TYPE, MULTIPART, multipart, rawRequest } from '../../support/clients/raw-http.ts';
import { rest } from '../../support/clients/rest.ts';
import { type Scenario, testScenarios } from '../../support/clients/rest-table.ts';
import { type ChatCast, createChatCast, created } from '../../support/fixtures/chat-cast.ts';
import {
  MALFORMED,
  MAY_NOT_PERFORM,
  NEED_USER,
  NO_SESSION,
  NOT_FOUND,
  TOKEN_REQUIRED,
  UNDEFINED_CLASS,
} from '../../support/fixtures/error-bodies.ts';
import { apiKey, onBehalfOf } from '../../support/fixtures/users.ts';

useApp();

let cast: ChatCast;
beforeAll(async () => {
  cast = await createChatCast();
  Object.assign(cast.callers, {
    'key for bob': onBehalfOf(cast.bob),
    'key for carol': onBehalfOf(cast.carol),
    expired: { headers: { 'SVC-Token': '0'.repeat(40) } },
  });
});

const NO_OCCUPANTS = { errors: ['Occupants with these IDs do not exist.'] };

/** A dialog of Alice. In a group, Bob is an admin and Carol an occupant; in a public group, Bob is an admin. */
async function aDialog(type: number): Promise<string> {
  if (type === 3) return cast.pair;
  const { alice, bob, carol } = cast;
  const { _id } = await created('/chat/Dialog', { type, name: 'Old', occupants_ids: [bob.id, carol.id] }, alice);
  await rest('PUT', `/chat/Dialog/${_id}`, { as: alice, json: { push_all: { admins_ids: [bob.id] } } });
  return _id;
}

const shown = async (id: string) => (await rest('GET', `/chat/Dialog/${id}`, { as: apiKey })).body;

describe('PUT /chat/Dialog/{id}: rights', () => {
  type Standing = 'owner' | 'admin' | 'occupant' | 'anonymous';
  const RANK = { outsider: 0, occupant: 1, admin: 2, owner: 3, anonymous: 4 };

  /** Callers by their role in the dialog; an API key alone has the rights of the owner. */
  const CALLERS: Record<number, [name: string, standing: keyof typeof RANK][]> = {
    1: [
      ['alice', 'owner'],
      ['key', 'owner'],
      ['bob', 'admin'],
      ['mallory', 'occupant'],
      ['key for mallory', 'occupant'],
    ],
    2: [
      ['alice', 'owner'],
      ['key for alice', 'owner'],
      ['key', 'owner'],
      ['bob', 'admin'],
      ['key for bob', 'admin'],
      ['carol', 'occupant'],
      ['key for carol', 'occupant'],
      ['mallory', 'outsider'],
    ],
    3: [
      ['alice', 'owner'],
      ['key', 'owner'],
      ['bob', 'occupant'],
      ['mallory', 'outsider'],
    ],
  };
  const occupants = (ids: string[]) => ({ occupants_ids: ids });
  const admins = (ids: string[]) => ({ admins_ids: ids });
  const kept = { name: 'Old', admins_ids: ['{bob}'] };

  /** The change, the lowest role that may make it in types 1, 2 and 3, and the result in types 1 and 2. */
  test.each<[string, object, [Standing, Standing, Standing], object, object]>([
    ['nothing', {}, ['occupant', 'occupant', 'occupant'], kept, kept],
    ['unknown fields only', { user_id: 1, type: 3 }, ['occupant', 'occupant', 'occupant'], kept, kept],
    ['a name', { name: 'New ' }, ['owner', 'occupant', 'anonymous'], { name: 'New' }, { name: 'New' }],
    ['a photo', { photo: 5 }, ['owner', 'occupant', 'anonymous'], { photo: '5' }, { photo: '5' }],
    [
      'the join requirement',
      { is_join_required: 1 },
      ['owner', 'occupant', 'anonymous'],
      { is_join_required: 1 },
      { is_join_required: 1 },
    ],
    [
      'an added occupant',
      { push_all: occupants(['{mallory}']) },
      ['owner', 'occupant', 'anonymous'],
      { occupants_ids: [] },
      { occupants_ids: ['{alice}', '{bob}', '{carol}', '{mallory}'] },
    ],
    [
      'a removed occupant',
      { pull_all: occupants(['{dave}']) },
      ['owner', 'admin', 'anonymous'],
      { occupants_ids: [] },
      { occupants_ids: ['{alice}', '{bob}', '{carol}'] },
    ],
    [
      'a removed owner',
      { pull_all: occupants(['{alice}', '{carol}']) },
      ['owner', 'admin', 'anonymous'],
      { user_id: '{alice}', occupants_ids: [] },
      { user_id: '{bob}', occupants_ids: ['{bob}'] },
    ],
    [
      'an added admin',
      { push_all: admins(['{carol}', '{mallory}', '{dave}']) },
      ['owner', 'owner', 'anonymous'],
      { admins_ids: ['{bob}', '{carol}', '{mallory}'] },
      { admins_ids: ['{bob}', '{carol}'] },
    ],
    [
      'a removed admin',
      { pull_all: admins(['{bob}']) },
      ['owner', 'owner', 'anonymous'],
      { admins_ids: [] },
      { admins_ids: [], occupants_ids: ['{alice}', '{bob}', '{carol}'] },
    ],
    [
      'several changes',
      { name: 'New', push_all: admins(['{carol}']) },
      ['owner', 'owner', 'anonymous'],
      { name: 'New', admins_ids: ['{bob}', '{carol}'] },
      { name: 'New', admins_ids: ['{bob}', '{carol}'] },
    ],
    [
      'an unknown user id',
      { pull_all: occupants(['x']) },
      ['owner', 'admin', 'anonymous'],
      kept,
      { ...kept, occupants_ids: ['{alice}', '{bob}', '{carol}'] },
    ],
    ['an unknown user as admin', { push_all: admins(['99999999999']) }, ['owner', 'owner', 'anonymous'], kept, kept],
  ])('each role may or may not change %s', async (_what, body, atLeast, open, closed) => {
    for (const type of [1, 2, 3]) {
      for (const [name, standing] of CALLERS[type]!) {
        const id = await aDialog(type);
        const before = await shown(id);
        const answer = await put(name, id, body);
        if (RANK[standing] >= RANK[atLeast[type - 1]!]) {
          const after = type === 1 ? open : type === 2 ? closed : {};
          expect([type, name, answer]).toMatchObject([type, name, { status: 200, body: filled(after) }]);
        } else {
          expect([type, name, answer]).toMatchObject([type, name, { status: 403, body: MAY_NOT_PERFORM }]);
          expect(await shown(id)).toEqual(before);
        }
      }
    }
  });

  test.each([
    [1, ['alice', 'key'], ['bob', 'mallory']],
    [2, ['alice', 'bob', 'carol', 'key'], ['mallory']],
    [3, ['alice', 'bob', 'key'], ['mallory']],
  ])('each role may or may not change the data of a dialog of type %d', async (type, allowed, refused) => {
    const id = await aDialog(type);
    const body = { data: { class_name: 'Nope', friends: true } };
    for (const name of allowed) expect(await put(name, id, body)).toEqual({ status: 403, body: UNDEFINED_CLASS });
    for (const name of refused) expect(await put(name, id, body)).toEqual({ status: 403, body: MAY_NOT_PERFORM });
  });

  test.each([
    [1, 'owner', 200, { user_id: '{alice}', occupants_ids: [] }],
    [1, 'occupant', 403, MAY_NOT_PERFORM],
    [2, 'owner', 200, { user_id: '{bob}', occupants_ids: ['{bob}', '{carol}'] }],
    [2, 'admin', 200, { user_id: '{alice}', occupants_ids: ['{alice}', '{carol}'], admins_ids: [] }],
    [2, 'occupant', 200, { user_id: '{alice}', occupants_ids: ['{alice}', '{bob}'], admins_ids: ['{bob}'] }],
    [2, 'outsider', 403, MAY_NOT_PERFORM],
    [3, 'owner', 403, MAY_NOT_PERFORM],
    [3, 'occupant', 403, MAY_NOT_PERFORM],
  ])('removing oneself from a dialog of type %d as %s responds %d', async (type, standing, status, body) => {
    const [name] = CALLERS[type]!.find(([, one]) => one === standing)!;
    const answer = await put(name, await aDialog(type), { pull_all: occupants([`{${name}}`]) });
    expect(answer).toMatchObject({ status, body: filled(body) });
  });

  async function put(name: string, id: string, body: object) {
    const answer = await rest('PUT', `/chat/Dialog/${id}.json`, { as: cast.callers[name]!, json: filled(body) });
    return { status: answer.status, body: answer.body };
  }

  /** `{bob}` becomes the id of Bob; Dave is a user of another application. */
  function filled(value: object): object {
    const ids = { ...cast.values, dave: cast.stranger.id } as Record<string, unknown>;
    return JSON.parse(JSON.stringify(value).replace(/"\{(\w+)\}"/g, (_match, name: string) => String(ids[name])));
  }
});

describe('PUT /chat/Dialog/{id}: parameter forms', () => {
  const list = { alice: '{alice}', bob: '{bob}', carol: '{carol}', mallory: '{mallory}' };
  const PUSH = 'push_all[occupants_ids]';
  const both = `${list.mallory},${list.bob}`;

  test.each<[form: string, query: string, type: string | undefined, body: string]>([
    ['a JSON list', '', JSON_TYPE, `{"push_all":{"occupants_ids":[${list.mallory},${list.bob}]}}`],
    ['a JSON list of texts', '', JSON_TYPE, `{"push_all":{"occupants_ids":["${list.mallory}","${list.bob}"]}}`],
    ['a JSON number', '', JSON_TYPE, `{"push_all":{"occupants_ids":${list.mallory}}}`],
    ['a JSON text', '', JSON_TYPE, `{"push_all":{"occupants_ids":"${list.mallory}, ${list.bob}"}}`],
    ['JSON without a type', '', undefined, `{"push_all":{"occupants_ids":[${list.mallory}]}}`],
    ['a form list', '', FORM, `${PUSH}[]=${list.mallory}&${PUSH}[]=${list.bob}`],
    ['a form list in one text', '', FORM, `${PUSH}[]=${both}`],
    ['a form text', '', FORM, `${PUSH}=${both}`],
    ['a form text with spaces', '', FORM, `${PUSH}=${list.mallory}%2C+${list.bob}`],
    ['a numbered form', '', FORM, `${PUSH}[0]=${list.mallory}&${PUSH}[1]=${list.bob}`],
    ['escaped brackets', '', FORM, `push_all%5Boccupants_ids%5D%5B%5D=${list.mallory}`],
    ['multipart', '', MULTIPART, multipart({ [`${PUSH}[]`]: list.mallory })],
    ['a query', `?${PUSH}[]=${list.mallory}`, undefined, ''],
    ['a query text', `?${PUSH}=${both}`, undefined, ''],
    ['a query together with a form', `?${PUSH}=${list.mallory}`, FORM, 'name=New'],
    ['a query that is JSON', `?%7B%22push_all%22:%7B%22occupants_ids%22:%5B${list.mallory}%5D%7D%7D`, undefined, ''],
  ])('PUT /chat/Dialog/{id} accepts %s', async (_form, query, type, body) => {
    const id = await aDialog(2);
    const fill = (text: string) => text.replace(/\{(\w+)\}/g, (match, name) => String(cast.values[name] ?? match));
    const { status, text } = await rawRequest('PUT', `/chat/Dialog/${id}.json${fill(query)}`, {
      as: cast.carol,
      headers: type ? { 'Content-Type': type } : {},
      body: fill(body),
    });
    const { alice, bob, carol, mallory } = cast;
    expect(JSON.parse(text)).toMatchObject({
      _id: id,
      occupants_ids: [alice, bob, carol, mallory].map((one) => one.id),
    });
    expect(status).toBe(200);
  });

  test('PUT /chat/Dialog/{id} applies additions before removals, and removes admins who are no longer occupants', async () => {
    const id = await aDialog(2);
    const { alice, bob, carol, mallory } = cast;
    const json = {
      push_all: { occupants_ids: [mallory.id, carol.id], admins_ids: [bob.id, mallory.id, carol.id] },
      pull_all: { occupants_ids: [carol.id], admins_ids: [bob.id] },
      photo: null,
    };
    const { body } = await rest('PUT', `/chat/Dialog/${id}`, { as: alice, json });
    expect(body).toMatchObject({ occupants_ids: [alice.id, bob.id, mallory.id], admins_ids: [mallory.id] });
  });

  test('PUT /chat/Dialog/{id} clears a photo and leaves missing fields unchanged', async () => {
    const id = await aDialog(2);
    const put = async (json: object) => (await rest('PUT', `/chat/Dialog/${id}`, { as: cast.carol, json })).body;
    expect(await put({ photo: 'p', is_join_required: 'true' })).toMatchObject({ photo: 'p', is_join_required: 1 });
    expect(await put({ name: 'N' })).toMatchObject({ name: 'N', photo: 'p', is_join_required: 1 });
    expect(await put({ photo: null, is_join_required: 0 })).toMatchObject({
      name: 'N',
      photo: null,
      is_join_required: 0,
    });
  });
});

describe('PUT /chat/Dialog/{id}: refusals', () => {
  const put = (
    name: string,
    as: string,
    id: string,
    body: object | string,
    status: number,
    answer: unknown,
  ): Scenario => [name, as, 'PUT', `/chat/Dialog/${id}.json`, body, status, answer];
  const LONG = '😀'.repeat(201);
  const TOO_LONG = { errors: ['Name is too long (maximum is 200 characters)'] };
  const BLANK = { errors: ["Name can't be blank"] };
  const push = (ids: unknown) => ({ push_all: { occupants_ids: ids } });

  testScenarios(
    () => cast,
    [
      put('a blank name', 'alice', '{group}', { name: ' ' }, 422, BLANK),
      put('an empty name in a form', 'alice', '{group}', 'name=', 422, BLANK),
      put('a name of null', 'alice', '{group}', { name: null }, 422, BLANK),
      put('a long name', 'alice', '{group}', { name: LONG }, 422, TOO_LONG),
      put('unknown occupants', 'alice', '{group}', push([2147483647]), 422, NO_OCCUPANTS),
      put('ids that no user can have', 'alice', '{group}', push([0, -1, 'x', 99999999999]), 422, NO_OCCUPANTS),
      put('strangers', 'alice', '{group}', push(['{stranger}']), 422, NO_OCCUPANTS),
      put('all that is wrong', 'alice', '{group}', { name: '', ...push(['x']) }, 422, {
        errors: [...BLANK.errors, ...NO_OCCUPANTS.errors],
      }),
      put('what is wrong of what is not there', 'alice', '{unknown}', { name: '' }, 422, BLANK),
      put('what is wrong of what is not theirs', 'mallory', '{group}', { name: '' }, 422, BLANK),
      put('no JSON', 'alice', '{group}', 'name=%ff', 400, MALFORMED),
      put('an unknown dialog', 'alice', '{unknown}', { name: 'x' }, 404, NOT_FOUND),
      put('no dialog', 'alice', 'abc', { name: 'x' }, 404, NOT_FOUND),
      put('several dialogs', 'alice', '{group},{pair}', { name: 'x' }, 404, NOT_FOUND),
      put('an unknown dialog and nothing', 'key', '{unknown}', {}, 404, NOT_FOUND),
      put('an outsider who changes nothing', 'mallory', '{group}', {}, 403, MAY_NOT_PERFORM),
      put("another application's user", 'stranger', '{lobby}', { name: 'x' }, 404, NOT_FOUND),
      put("another application's key", 'other key', '{group}', { name: 'x' }, 404, NOT_FOUND),
      put('an application session', 'application', '{group}', { name: 'x' }, 422, NEED_USER),
      put('an expired session', 'expired', '{group}', { name: 'x' }, 401, NO_SESSION),
      put('who says nothing', 'anonymous', '{group}', { name: 'x' }, 401, TOKEN_REQUIRED),
      [
        'a key for an unknown user',
        'key',
        'PUT',
        '/chat/Dialog/{group}',
        {},
        404,
        NOT_FOUND,
        { 'On-Behalf-Of': '2147483647' },
      ],
      ['a POST', 'alice', 'POST', '/chat/Dialog/{group}', { name: 'x' }, 404, NOT_FOUND],
    ],
  );
});

import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { rest } from '../../support/clients/rest.ts';
import { type Scenario, testScenarios } from '../../support/clients/rest-table.ts';
import { type ChatCast, createChatCast, created } from '../../support/fixtures/chat-cast.ts';
import { MAY_NOT_PERFORM, NOT_FOUND, UNDEFINED_CLASS } from '../../support/fixtures/error-bodies.ts';
import { apiKey } from '../../support/fixtures/users.ts';

useApp();

const COOL = {
  friends: 'Boolean',
  level: 'Integer',
  weight: 'Float',
  motto: 'String',
  since: 'Date',
  home: 'Location',
  badge: 'File',
  tags: 'String_a',
};
const UNSET = Object.fromEntries(Object.keys(COOL).map((name) => [name, null]));
const cool = (given: object = {}) => ({ class_name: 'Cool', ...UNSET, ...given });

let cast: ChatCast;
beforeAll(async () => {
  cast = await createChatCast();
  await created('/class', { name: 'Cool', fields: COOL }, apiKey);
  await created('/class', { name: 'Other', fields: { level: 'String', colour: 'String' } }, apiKey);
  await created('/class', { name: 'Strangers', fields: { level: 'String' } }, cast.otherKey);
});

async function withData(data: object | undefined, about: object = {}) {
  const given = { type: 2, name: 'G', occupants_ids: [cast.bob.id, cast.carol.id], ...about, data };
  return created('/chat/Dialog', given, cast.alice);
}

describe('dialogs created with data', () => {
  test('data stands between the join requirement and the timestamps', async () => {
    const dialog = await withData({ class_name: 'Cool', friends: true });
    expect(Object.keys(dialog).slice(-4)).toEqual(['is_join_required', 'data', 'created_at', 'updated_at']);
    expect(dialog.data).toEqual(cool({ friends: true }));
  });

  test('a dialog without data has no data key', async () => {
    for (const data of [undefined, {}, { level: 1 }]) expect(await withData(data)).not.toHaveProperty('data');
    expect(await withData({ class_name: 'Cool' })).toMatchObject({ data: cool() });
  });

  test.each<[what: string, given: object, shown: object]>([
    ['texts', { level: '7', weight: '1.5', friends: '0' }, { level: 7, weight: 1.5, friends: false }],
    ['a timestamp', { since: '2026-11-20' }, { since: '2026-11-20T00:00:00Z' }],
    ['a location', { home: '50.1, 8.7' }, { home: [50.1, 8.7] }],
    ['a list', { tags: 'a, b' }, { tags: ['a', 'b'] }],
    ['numbers as text', { motto: 7 }, { motto: '7' }],
    ['null', { level: null, tags: null }, {}],
    ['a file', { badge: 'x' }, {}],
    ['unknown names', { nope: 1, _id: 'x', user_id: 5, created_at: 1 }, {}],
  ])('data values are cast like those of records: %s', async (_what, given, shown) => {
    const { _id, data } = await withData({ class_name: 'Cool', ...given });
    expect(data).toEqual(cool(shown));
    expect((await rest('GET', `/chat/Dialog/${_id}`, { as: cast.bob })).body.data).toEqual(cool(shown));
  });

  test('data can be sent as a form, in which the text null means null', async () => {
    const form = `type=2&name=G&occupants_ids=${cast.bob.id}&data[class_name]=Cool&data[motto]=null&data[tags][]=a&data[tags][]=b`;
    for (const sent of [form, form.replaceAll('[', '%5B').replaceAll(']', '%5D')]) {
      const { status, body } = await rest('POST', '/chat/Dialog', { as: cast.alice, form: sent });
      expect([status, body.data]).toEqual([201, cool({ tags: ['a', 'b'] })]);
    }
  });

  test('dialogs of every type accept data, but an existing private dialog remains unchanged', async () => {
    expect((await withData({ class_name: 'Cool', level: 1 }, { type: 1, occupants_ids: [] })).data.level).toBe(1);
    const data = { class_name: 'Cool', level: 1 };
    const pair = (level: number) => withData({ ...data, level }, { type: 3, occupants_ids: cast.mallory.id });
    expect((await pair(1)).data).toEqual(cool({ level: 1 }));
    expect((await pair(2)).data).toEqual(cool({ level: 1 }));
    const plain = await withData(data, { type: 3, occupants_ids: cast.bob.id });
    expect(plain._id).toBe(cast.pair);
    expect(plain).not.toHaveProperty('data');
  });

  test('data is included in XML responses', async () => {
    const { _id } = await withData({ class_name: 'Cool', level: 1, since: 0, tags: 'a' });
    const { text } = await rest('GET', `/chat/Dialog/${_id}.xml`, { as: cast.alice });
    expect(text).toContain(
      '<data><class-name>Cool</class-name><friends nil="true"/><level type="integer">1</level><weight nil="true"/>' +
        '<motto nil="true"/><since type="datetime">1970-01-01T00:00:00Z</since><home nil="true"/><badge nil="true"/>' +
        '<tags type="array"><value>a</value></tags></data>',
    );
  });
});

describe('rejected data', () => {
  const GROUP = { type: 2, name: 'G', occupants_ids: ['{bob}'] };
  const refused = (name: string, data: unknown, status: number, answer: unknown, about: object = {}): Scenario => [
    name,
    'alice',
    'POST',
    '/chat/Dialog',
    { ...GROUP, ...about, data },
    status,
    answer,
  ];
  const errors = (...sentences: string[]) => ({ errors: sentences });
  testScenarios(
    () => cast,
    [
      refused('with an unknown class', { class_name: 'Nope', level: 1 }, 403, UNDEFINED_CLASS),
      refused('with a class of another application', { class_name: 'Strangers' }, 403, UNDEFINED_CLASS),
      refused('with an empty name of a class', { class_name: '' }, 403, UNDEFINED_CLASS),
      ...['constructor', '__proto__', 'toString', "'; DROP TABLE dialogs; --", '\ud800'].map((name) =>
        refused(`with the class ${JSON.stringify(name)}`, { class_name: name }, 403, UNDEFINED_CLASS),
      ),
      refused(
        'with values that do not fit',
        { class_name: 'Cool', friends: 'maybe', level: 1.5, weight: 'x', since: 'x', home: 'x', tags: { a: 1 } },
        422,
        errors(
          'Field friends should be a boolean',
          'Field level should be an integer',
          'Field weight should be a number',
          'Field since should be a date',
          'Field home should be a location',
          'Field tags should be an array',
        ),
      ),
      refused(
        'with a place out of range',
        { class_name: 'Cool', home: '91,0' },
        422,
        errors('Latitude must be less than or equal to 90'),
      ),
      refused(
        'with data that is too large',
        { class_name: 'Cool', motto: 'x'.repeat(262_200) },
        422,
        errors('Record is too large (maximum is 262144 bytes)'),
      ),
      refused(
        'with all that is wrong',
        { class_name: 'Cool', level: 'x' },
        422,
        errors("Name can't be blank", 'Field level should be an integer'),
        { name: '' },
      ),
      refused('for its name before its class', { class_name: 'Nope' }, 422, errors("Name can't be blank"), {
        name: '',
      }),
    ],
  );
});

describe('changes of dialog data', () => {
  const put = (id: string, data: object, as = cast.alice) => rest('PUT', `/chat/Dialog/${id}`, { as, json: { data } });
  const GIVEN = { class_name: 'Cool', level: 1, motto: 'M', tags: ['a', 'b'] };

  test.each<[what: string, data: object, shown: object]>([
    [
      'given fields, while the rest stays unchanged',
      { class_name: 'Cool', level: 2 },
      { level: 2, motto: 'M', tags: ['a', 'b'] },
    ],
    ['fields without naming the class again', { level: 2 }, { level: 2, motto: 'M', tags: ['a', 'b'] }],
    ['null, which unsets a field', { motto: null, tags: null }, { level: 1 }],
    ['an item by its index', { tags: { 1: 'c' } }, { level: 1, motto: 'M', tags: ['a', 'c'] }],
    ['the class alone, which changes nothing', { class_name: 'Cool' }, { level: 1, motto: 'M', tags: ['a', 'b'] }],
    ['unknown names, which change nothing', { nope: 1 }, { level: 1, motto: 'M', tags: ['a', 'b'] }],
  ])('a change with %s is applied', async (_what, data, shown) => {
    const { _id } = await withData(GIVEN);
    const { status, body } = await put(_id, data);
    expect([status, body.data]).toEqual([200, cool(shown)]);
    expect((await rest('GET', `/chat/Dialog/${_id}`, { as: cast.bob })).body.data).toEqual(cool(shown));
  });

  test('data of another class replaces the old data', async () => {
    const { _id } = await withData(GIVEN);
    const { body } = await put(_id, { class_name: 'Other', colour: 'red' });
    expect(body.data).toEqual({ class_name: 'Other', level: null, colour: 'red' });
  });

  test('a dialog without data can receive data', async () => {
    const { _id } = await withData(undefined);
    expect((await put(_id, { level: 1 })).body).toEqual(UNDEFINED_CLASS);
    expect((await put(_id, { class_name: 'Cool', level: 1 })).body.data).toEqual(cool({ level: 1 }));
  });

  test('data can be changed by a form in the query or the body', async () => {
    const { _id } = await withData(GIVEN);
    const query = await rest('PUT', `/chat/Dialog/${_id}?data%5Blevel%5D=5`, { as: cast.alice });
    expect(query.body.data.level).toBe(5);
    const form = 'data[class_name]=Cool&data[level]=6&data[motto]=null';
    const { body } = await rest('PUT', `/chat/Dialog/${_id}`, { as: cast.alice, form });
    expect(body.data).toEqual(cool({ level: 6, tags: ['a', 'b'] }));
  });

  test('data and other fields of the dialog change together or not at all', async () => {
    const { _id } = await withData(GIVEN);
    const change = (given: object, as = cast.alice) => rest('PUT', `/chat/Dialog/${_id}`, { as, json: given });
    const bad = await change({ name: 'New', data: { level: 'x' } });
    expect([bad.status, bad.body]).toEqual([422, { errors: ['Field level should be an integer'] }]);
    const unknown = await change({ name: 'New', data: { class_name: 'Nope' } });
    expect([unknown.status, unknown.body]).toEqual([403, UNDEFINED_CLASS]);
    const forbidden = await change({ data: { level: 9 }, push_all: { admins_ids: [cast.bob.id] } }, cast.bob);
    expect([forbidden.status, forbidden.body]).toEqual([403, MAY_NOT_PERFORM]);
    const { body } = await rest('GET', `/chat/Dialog/${_id}`, { as: cast.alice });
    expect([body.name, body.data.level]).toEqual(['G', 1]);
    const changed = await change({ name: 'New', data: { level: 2 } });
    expect(changed.body).toMatchObject({ name: 'New', data: { level: 2, motto: 'M' } });
  });

  test('data that is not an object is rejected', async () => {
    const { _id, updated_at } = await withData(GIVEN);
    for (const data of ['x', 5, null, [], ['a']]) {
      const { status, body } = await rest('PUT', `/chat/Dialog/${_id}`, { as: cast.alice, json: { data } });
      expect([status, body.data.level, body.updated_at]).toEqual([200, 1, updated_at]);
    }
  });
});

describe('rights to change data', () => {
  // Type, callers who may, callers who may not, and callers who cannot find the dialog.
  test.each<[kind: string, about: object, may: string[], mayNot: string[]]>([
    ['a public group', { type: 1, occupants_ids: [] }, ['alice', 'key for alice', 'key'], ['bob', 'mallory']],
    ['a group', { type: 2 }, ['alice', 'bob', 'carol', 'key'], ['mallory', 'key for mallory']],
    ['a private dialog', { type: 3, occupants_ids: '{bob}' }, ['alice', 'bob', 'key'], ['carol', 'mallory']],
  ])('data of %s can be changed only by the permitted callers', async (_kind, about, may, mayNot) => {
    const filled = JSON.parse(JSON.stringify(about).replace('"{bob}"', String(cast.bob.id)));
    const { _id } = await withData({ class_name: 'Cool' }, filled);
    let level = 0;
    const change = (name: string) =>
      rest('PUT', `/chat/Dialog/${_id}`, {
        as: cast.callers[name]!,
        json: { data: { class_name: 'Cool', level: ++level } },
      });
    for (const name of may) expect([name, (await change(name)).body.data]).toEqual([name, cool({ level })]);
    const last = level;
    for (const name of mayNot) expect([name, (await change(name)).body]).toEqual([name, MAY_NOT_PERFORM]);
    for (const name of ['stranger', 'other key']) expect([name, (await change(name)).body]).toEqual([name, NOT_FOUND]);
    expect((await rest('GET', `/chat/Dialog/${_id}`, { as: apiKey })).body.data.level).toBe(last);
  });

  test('parameters are checked before the dialog, the dialog before rights, and rights before the class', async () => {
    const { _id } = await withData({ class_name: 'Cool' });
    const change = (id: string, data: object) =>
      rest('PUT', `/chat/Dialog/${id}`, { as: cast.mallory, json: { data } });
    expect((await change('0123456789abcdef01234567', { class_name: 'Cool', level: 'x' })).status).toBe(422);
    expect((await change('0123456789abcdef01234567', { class_name: 'Nope' })).body).toEqual(NOT_FOUND);
    expect((await change(_id, { class_name: 'Nope' })).body).toEqual(MAY_NOT_PERFORM);
  });
});

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { FORM, JSON_TYPE, MULTIPART, multipart } from '../../support/clients/raw-http.ts';
import { type RestAnswer, rest } from '../../support/clients/rest.ts';
import { car, createRecordCast, newCar, outcomeOf, type RecordCast } from '../../support/fixtures/cars.ts';
import { created, UNKNOWN_ID } from '../../support/fixtures/chat-cast.ts';
import { MALFORMED, MAY_NOT_DO, NOT_FOUND, UNDEFINED_CLASS } from '../../support/fixtures/error-bodies.ts';
import { apiKey, type Caller } from '../../support/fixtures/users.ts';

useApp();

let cast: RecordCast;
beforeAll(async () => {
  cast = await createRecordCast();
  await created('/class', { name: 'guarded', permissions: { create: { access: 'owner' } } }, apiKey);
});

const refused = (...sentences: string[]) => ({ errors: sentences });
const MISSING = refused('Record data is missing');
const MANY = refused('A request may hold at most 100 records');
const PATH = '/data/cars/multi.json';

const call = (method: string, body: object | string, as: Caller = cast.olga, path = PATH): Promise<RestAnswer> =>
  rest(method, path, { as, ...(typeof body === 'string' ? { form: body } : { json: body }) });
const count = async (): Promise<number> => (await rest('GET', '/data/cars?count=1', { as: apiKey })).body.items.count;

describe('POST /data/{class}/multi', () => {
  const cars = (...makes: string[]) => ({
    class_name: 'cars',
    items: makes.map((make) => car({ make }, { user_id: cast.olga.id })),
  });
  const grants = 'record[1][permissions][read][access]=open_for_users_ids&record[1][permissions.read.ids]=1,2';

  test.each<[name: string, body: object | string]>([
    ['numbered from 0', { record: { 0: { make: 'a' }, 1: { make: 'b' } } }],
    ['numbered from 1', { record: { 1: { make: 'a' }, 2: { make: 'b' } } }],
    ['in numeric order', { record: { 10: { make: 'b' }, 9: { make: 'a' } } }],
    ['as an array', { record: [{ make: 'a' }, { make: 'b' }] }],
    ['by a form from 0', 'record[0][make]=a&record[1][make]=b'],
    ['by a form from 1, escaped, out of order', 'record%5B2%5D%5Bmake%5D=b&record%5B1%5D%5Bmake%5D=a'],
    ['by a form as an array', 'record[][make]=a&record[][make]=b'],
  ])('several records are created %s', async (_name, body) => {
    expect(outcomeOf(await call('POST', body))).toEqual([201, cars('a', 'b')]);
  });

  test('several records are created by a multipart body', async () => {
    const form = multipart({ 'record[1][make]': 'a', 'record[2][make]': 'b' });
    const answer = await rest('POST', PATH, { as: cast.olga, form, headers: { 'Content-Type': MULTIPART } });
    expect(outcomeOf(answer)).toEqual([201, cars('a', 'b')]);
  });

  test('the response has class_name before the items', async () => {
    const { text } = await call('POST', { record: [{ make: 'a' }] });
    expect(text).toMatch(/^\{"class_name":"cars","items":\[\{"_id":"[0-9a-f]{24}","_parent_id":null,/);
  });

  test('each record may have its own permissions and parent, and the text null in a form unsets a field', async () => {
    const parent = await newCar({}, cast.olga);
    const { status, body } = await call(
      'POST',
      `record[0][make]=null&record[0][_parent_id]=${parent}&record[0][tags][]=x&${grants}`,
    );
    expect([status, body.items]).toMatchObject([
      201,
      [
        { make: null, tags: ['x'], _parent_id: parent, permissions: { read: { access: 'open' } } },
        { permissions: { read: { access: 'open_for_users_ids', users_ids: ['1', '2'] } } },
      ],
    ]);
  });

  test('one request creates 100 records', async () => {
    const record = Object.fromEntries(Array.from({ length: 100 }, (_, nth) => [nth + 1, { year: nth }]));
    const { status, body } = await call('POST', { record });
    expect([status, body.items.map(({ year }: { year: number }) => year)]).toEqual([
      201,
      Array.from({ length: 100 }, (_, nth) => nth),
    ]);
  });

  test.each<[body: object | string, status: number, answer: object]>([
    [{}, 400, MISSING],
    [{ record: {} }, 400, MISSING],
    [{ record: [] }, 400, MISSING],
    [{ record: 'x' }, 400, MISSING],
    [{ record: null }, 400, MISSING],
    [{ record: { a: { make: 'x' } } }, 400, MISSING],
    [{ record: { 1: 'x' } }, 400, MISSING],
    [{ record: [null] }, 400, MISSING],
    ['record=x', 400, MISSING],
    [{ record: Array.from({ length: 101 }, () => ({})) }, 400, MANY],
    [{ record: { 1: { make: 'x' }, 2: { year: 'x' } } }, 422, refused('Record 2: Field year should be an integer')],
    [
      'record[0][year]=x&record[7][price]=y',
      422,
      refused('Record 0: Field year should be an integer', 'Record 7: Field price should be a number'),
    ],
    [{ record: [{ year: 'x' }] }, 422, refused('Record 1: Field year should be an integer')],
    [{ record: { 3: { _parent_id: UNKNOWN_ID } } }, 422, refused('Record 3: Parent record was not found')],
    [
      { record: { 3: { make: 'x'.repeat(262_145) } } },
      422,
      refused('Record 3: Record is too large (maximum is 262144 bytes)'),
    ],
    [
      { record: { 3: { permissions: { read: { access: 'open_for_groups' } } } } },
      422,
      refused('Record 3: Field groups should be an array'),
    ],
    [{ record: { 3: { permissions: { read: { access: 'all' } } } } }, 422, refused('Record 3: Unknown access: all')],
    ['record[99999999999][make]=x', 400, MALFORMED],
  ])('%j is rejected and nothing is stored', async (body, status, answer) => {
    const before = await count();
    expect(outcomeOf(await call('POST', body))).toEqual([status, answer]);
    expect(await count()).toBe(before);
  });

  test('unauthorized callers, unknown classes and other methods are rejected', async () => {
    const record = { 1: { make: 'x' } };
    expect(outcomeOf(await call('POST', { record }, cast.olga, '/data/guarded/multi'))).toEqual([403, MAY_NOT_DO]);
    expect((await call('POST', { record }, apiKey, '/data/guarded/multi')).status).toBe(201);
    expect(outcomeOf(await call('POST', { record }, cast.olga, '/data/Cars/multi'))).toEqual([403, UNDEFINED_CLASS]);
    const broken = { as: cast.olga, form: '{', headers: { 'Content-Type': JSON_TYPE } };
    expect(outcomeOf(await rest('POST', PATH, broken))).toEqual([400, MALFORMED]);
    expect(outcomeOf(await rest('GET', PATH, { as: cast.olga }))).toEqual([404, NOT_FOUND]);
  });
});

describe('PUT /data/{class}/multi', () => {
  let own: string;
  let other: string;
  beforeEach(async () => {
    own = await newCar({ make: 'AB', year: 1, tags: ['a'] }, cast.olga);
    other = await newCar({ make: 'AB', year: 1 }, cast.mallory);
  });
  const shown = async (id: string) => (await rest('GET', `/data/cars/${id}`, { as: apiKey })).body;
  const second = () => newCar({ make: 'CD', year: 5 }, cast.olga);

  test('a batch update applies changes in numeric order and reports records that the caller may not update as not found', async () => {
    const more = await second();
    const { status, text, body } = await call('PUT', {
      record: {
        10: { id: own, make: 'x', inc: { year: 1 }, push: { tags: 'b' } },
        2: { id: more, make: 'y', permissions: { read: { access: 'owner' } } },
        3: { id: other, make: 'z' },
        4: { id: UNKNOWN_ID },
        5: { id: 'abc' },
        6: { id: 7 },
      },
    });
    expect(status).toBe(200);
    expect(text).toMatch(/^\{"class_name":"cars","not_found":\{"ids":\[/);
    expect(body.not_found).toEqual({ ids: [other, UNKNOWN_ID, 'abc', '7'] });
    expect(body.items).toEqual([await shown(more), await shown(own)]);
    expect(body.items).toMatchObject([
      { make: 'y', year: 5, permissions: { read: { access: 'owner' } } },
      { make: 'x', year: 2, tags: ['a', 'b'] },
    ]);
    expect(await shown(other)).toMatchObject({ make: 'AB' });
  });

  test('a batch update accepts forms, numbering from 0, arrays and API keys', async () => {
    const more = await second();
    const form = `record[0][id]=${own}&record[0][make]=null&record[0][tags][0]=z&record[1][id]=${more}&record[1][inc][year]=2`;
    expect((await call('PUT', form)).body.items).toMatchObject([{ make: null, tags: ['z'] }, { year: 7 }]);
    const list = {
      record: [
        { id: other, make: 'k' },
        { id: more, make: 'l' },
      ],
    };
    expect((await call('PUT', list, apiKey)).body.items).toMatchObject([{ make: 'k' }, { make: 'l' }]);
  });

  test('a record that is named twice is updated twice and returned once', async () => {
    const record = [
      { id: own, inc: { year: 1 } },
      { id: own, inc: { year: 10 } },
    ];
    const { body } = await call('PUT', { record });
    expect([body.items.length, body.items[0].year]).toEqual([1, 12]);
  });

  test('a batch update without known records succeeds with not_found ids', async () => {
    expect(outcomeOf(await call('PUT', { record: [{ id: UNKNOWN_ID, make: 'x' }] }))).toEqual([
      200,
      { class_name: 'cars', not_found: { ids: [UNKNOWN_ID] }, items: [] },
    ]);
  });

  test.each<[name: string, type: string, body: string]>([
    ['no records', JSON_TYPE, '{}'],
    ['an empty record', JSON_TYPE, '{"record":{}}'],
    ['an empty list', JSON_TYPE, '{"record":[]}'],
    ['a text instead of records', JSON_TYPE, '{"record":"x"}'],
    ['a non-numeric key', JSON_TYPE, '{"record":{"1":{"id":"OWN","make":"x"},"a":{"id":"OWN"}}}'],
    ['a record that is not an object', JSON_TYPE, '{"record":{"1":{"id":"OWN","make":"x"},"2":"x"}}'],
    ['a missing id', JSON_TYPE, '{"record":{"1":{"id":"OWN","make":"x"},"2":{"make":"x"}}}'],
    ['an empty id', FORM, 'record[1][id]=OWN&record[1][make]=x&record[2][id]='],
    ['an id that is not a text', JSON_TYPE, '{"record":{"1":{"id":["OWN"],"make":"x"}}}'],
    ['a field that cannot be cast', JSON_TYPE, '{"record":{"1":{"id":"OWN","make":"x"},"2":{"id":"OWN","year":"x"}}}'],
    [
      'such a field of a record that is not found',
      JSON_TYPE,
      `{"record":{"1":{"id":"OWN","make":"x"},"2":{"id":"${UNKNOWN_ID}","year":"x"}}}`,
    ],
    ['an operator that does not fit', FORM, 'record[1][id]=OWN&record[1][make]=x&record[1][inc][make]=1'],
    ['a location out of range', FORM, 'record[1][id]=OWN&record[1][make]=x&record[1][place]=91,1'],
    ['an unknown access', FORM, 'record[1][id]=OWN&record[1][make]=x&record[1][permissions][read][access]=all'],
    [
      'invalid users',
      FORM,
      'record[1][id]=OWN&record[1][make]=x&record[1][permissions][read][access]=open_for_users_ids',
    ],
    [
      'too many records',
      JSON_TYPE,
      `{"record":[${Array.from({ length: 101 }, () => '{"id":"OWN","make":"x"}').join()}]}`,
    ],
    ['too large records', JSON_TYPE, `{"record":[{"id":"OWN","make":"${'x'.repeat(262_145)}"}]}`],
    ['invalid JSON', JSON_TYPE, '{"record":'],
    ['an invalid form', FORM, 'record[1][id]=OWN&record[1][make]=%ff'],
    ['too deep', FORM, 'record[1][id]=OWN&record[1][a][b][c][d][e][f][g][h][i]=1'],
    ['NUL', JSON_TYPE, '{"record":[{"id":"OWN","make":"\\u0000"}]}'],
  ])('%s responds 400 and changes nothing', async (_name, type, body) => {
    const answer = await rest('PUT', PATH, {
      as: cast.olga,
      form: body.replaceAll('OWN', own),
      headers: { 'Content-Type': type },
    });
    expect(outcomeOf(answer)).toEqual([400, {}]);
    expect(await shown(own)).toMatchObject({ make: 'AB', year: 1 });
  });

  test('a record that becomes too large together with its stored fields is rejected', async () => {
    await call('PUT', { record: [{ id: own, tags: ['x'.repeat(200_000)] }] });
    const answer = await call('PUT', { record: [{ id: own, make: 'x', push: { tags: 'y'.repeat(70_000) } }] });
    expect(outcomeOf(answer)).toEqual([400, {}]);
    expect(await shown(own)).toMatchObject({ make: 'AB' });
  });

  test('an unknown class is rejected', async () => {
    const record = [{ id: own, make: 'x' }];
    expect(outcomeOf(await call('PUT', { record }, cast.olga, '/data/Cars/multi'))).toEqual([403, UNDEFINED_CLASS]);
  });
});

import { beforeAll, describe, expect, test } from 'vitest';
import { clock, useApp } from '../../support/app/app.ts';
import { rest } from '../../support/clients/rest.ts';
import { createOtherApplication } from '../../support/fixtures/applications.ts';
import { created } from '../../support/fixtures/chat-cast.ts';
import { MAY_NOT_PERFORM, NOT_FOUND } from '../../support/fixtures/error-bodies.ts';
import {
  ALL_OPERATORS,
  fitsKind,
  listed,
  queriesOf,
  type Shown,
  type ShownField,
  sorted,
} from '../../support/fixtures/shown-lists.ts';
import { apiKey, type Caller, createUsers, onBehalfOf, type TestUser } from '../../support/fixtures/users.ts';

useApp();

const SENT_AT = 1_795_196_819;

let ann: TestUser;
let ben: TestUser;
let cleo: TestUser;
let room: string;
let pair: string;
const callers: Record<string, Caller> = {};
const ids: string[] = [];
let path: string;

beforeAll(async () => {
  [ann, ben, cleo] = await createUsers(3);
  Object.assign(callers, { ann, ben, key: apiKey, 'key for ann': onBehalfOf(ann) });
  const others = [ben.id, cleo.id];
  room = (await created('/chat/Dialog', { type: 2, name: 'Room', occupants_ids: others }, ann))._id;
  path = `/chat/Message.json?chat_dialog_id=${room}&mark_as_read=0&`;
  const image = { type: 'image', id: '1' };
  const bodies = [
    { message: 'One' },
    { message: 'one' },
    { message: '100%', attachments: [image] },
    { message: 'hidden from Ann' },
    { attachments: [image, { type: 'a,b', id: 2 }, image] },
    { message: 'gone for all' },
    { message: 'under_score', attachments: [{ type: 'file', url: 'https://x' }] },
    { message: 'One' },
    { message: 'hidden from Ben' },
    { message: 'last' },
  ];
  for (const [nth, body] of bodies.entries()) {
    clock.reset(Math.floor(nth / 2) * 1000);
    const from = [ann, ben, cleo][nth % 3]!;
    ids.push((await created('/chat/Message', { chat_dialog_id: room, ...body }, from))._id);
  }
  clock.reset(60_000);
  for (const [nth, method, as, json] of [
    [3, 'DELETE', ann, {}],
    [8, 'DELETE', ben, {}],
    [5, 'DELETE', cleo, { force: 1 }],
    [1, 'PUT', ben, { message: 'edited' }],
  ] as const) {
    const { status, text } = await rest(method, `/chat/Message/${ids[nth]}`, { as, json });
    if (status !== 200) throw new Error(text);
  }
  pair = (await created('/chat/Message', { recipient_id: ben.id, message: 'x' }, ann)).chat_dialog_id;
  await created('/chat/Message', { recipient_id: ann.id, message: 'y' }, ben);
});

const shownTo = async (as: Caller, from = path): Promise<Shown[]> => (await rest('GET', from, { as })).body.items;
const places = (found: string[]) => found.map((id) => ids.indexOf(id));

describe('visibility of messages', () => {
  test.each([
    ['ann', [0, 1, 2, 4, 6, 7, 8, 9]],
    ['ben', [0, 1, 2, 3, 4, 6, 7, 9]],
    ['key', [0, 1, 2, 3, 4, 6, 7, 8, 9]],
    ['key for ann', [0, 1, 2, 4, 6, 7, 8, 9]],
  ])('%s sees %j, and deleted messages are absent from every view', async (caller, expected) => {
    const as = callers[caller]!;
    const whole = await listed(path, '', as);
    expect([places(whole.ids), whole.count]).toEqual([expected, expected.length]);
    for (const [place, id] of ids.entries()) {
      const found = { ids: expected.includes(place) ? [id] : [], count: expected.includes(place) ? 1 : 0 };
      expect([place, await listed(path, `_id=${id}`, as)]).toEqual([place, found]);
      expect([place, await listed(path, `_id[in]=${id},${room}`, as)]).toEqual([place, found]);
    }
    expect(places((await listed(path, 'message[ctn]=hidden', as)).ids)).toEqual(
      [3, 8].filter((place) => expected.includes(place)),
    );
    expect(places((await listed(path, 'skip=3&limit=3', as)).ids)).toEqual(expected.slice(3, 6));
  });

  test('users of other applications and former members see no messages', async () => {
    const { key } = await createOtherApplication();
    const { user } = await created('/users', { user: { login: 'far', password: 'password-1' } }, key);
    const [dora] = await createUsers(1);
    const outcome = async (as: Caller, query = '') => {
      const { status, body } = await rest('GET', path + query, { as });
      return [status, body];
    };
    for (const query of ['', '&count=1', `&_id=${ids[0]}`]) {
      expect(await outcome(key, query)).toEqual([404, NOT_FOUND]);
      const stranger = { headers: { ...key.headers, 'On-Behalf-Of': String(user.id) } };
      expect(await outcome(stranger, query)).toEqual([404, NOT_FOUND]);
      expect(await outcome(dora, query)).toEqual([403, MAY_NOT_PERFORM]);
    }
    const change = (list: string, as: Caller) =>
      rest('PUT', `/chat/Dialog/${room}`, { as, json: { [list]: { occupants_ids: [dora.id] } } });
    for (let round = 0; round < 2; round++) {
      expect((await change('push_all', ann)).status).toBe(200);
      expect(places((await listed(path, '', dora)).ids)).toEqual([0, 1, 2, 3, 4, 6, 7, 8, 9]);
      expect((await change('pull_all', dora)).status).toBe(200);
      expect(await outcome(dora)).toEqual([403, MAY_NOT_PERFORM]);
      expect(await outcome(onBehalfOf(dora))).toEqual([403, MAY_NOT_PERFORM]);
    }
  });
});

const FIELDS: Record<string, ShownField> = {
  _id: { kind: 'id', of: (item) => item._id, others: ['abc', '0'.repeat(24), 'f'.repeat(24)] },
  message: { kind: 'text', of: (item) => item.message, others: ['ONE', '%', '_', '\\', "'", ' '] },
  date_sent: {
    kind: 'number',
    of: (item) => item.date_sent,
    others: ['1', '-1', String(SENT_AT + 0.5), `${SENT_AT + 1}.0000001`, `${SENT_AT}.999999`, '253402300799'],
  },
  sender_id: { kind: 'number', of: (item) => item.sender_id, others: ['0', '2147483647', '-1'] },
  recipient_id: { kind: 'number', of: (item) => item.recipient_id, others: ['2147483647', '-1'] },
  'attachments.type': {
    kind: 'texts',
    of: (item) => item.attachments.map(({ type }: { type: string }) => type),
    others: ['video', '%'],
  },
  created_at: { kind: 'moment', of: (item) => item.created_at, others: ['1999-12-31T00:00:00Z'] },
  updated_at: { kind: 'moment', of: (item) => item.updated_at, others: ['2999-12-31T00:00:00Z'] },
};

describe.each(Object.entries(FIELDS))('filters of %s', (name, field) => {
  test.each(ALL_OPERATORS.filter((one) => one !== 'unknown' && fitsKind(one, field.kind)))(
    'the filter %j finds the messages that show a matching value',
    async (operator) => {
      const ofPair = path.replace(room, pair);
      for (const [viewer, from] of [
        ['ann', path],
        ['ben', ofPair],
        ['key', path],
      ] as const) {
        const as = callers[viewer]!;
        const items = await shownTo(as, from);
        for (const [query, expected] of queriesOf(items, name, field, operator)) {
          // In a list within one text, a comma separates the items.
          if (query.includes(encodeURIComponent('a,b')) && operator !== '' && operator !== 'ne') continue;
          const { ids: found, count } = await listed(from, query, as);
          expect([viewer, query, found, count]).toEqual([viewer, query, expected, expected.length]);
        }
      }
    },
  );

  test.each(ALL_OPERATORS.filter((one) => one === 'unknown' || !fitsKind(one, field.kind)))(
    'the filter does not support %s',
    async (operator) => {
      const { status, body } = await rest('GET', `${path}${name}[${operator}]=1`, { as: ann });
      expect([status, body]).toEqual([422, { errors: [`Incorrect filter: ${name}[${operator}]`] }]);
    },
  );
});

test('lists in brackets keep commas within their texts', async () => {
  const found = async (query: string) => places((await listed(path, query, apiKey)).ids);
  expect(await found('attachments.type[all][]=a,b&attachments.type[all][]=image')).toEqual([4]);
  expect(await found('attachments.type[in][]=a,b&attachments.type[in][]=file')).toEqual([4, 6]);
  expect(await found('attachments.type=a,b')).toEqual([4]);
  expect(await found('attachments.type[in]=a,b')).toEqual([]);
});

describe('sorting of messages', () => {
  test.each(['_id', 'date_sent', 'created_at', 'updated_at'])(
    'messages sorted by %s have ties in the order of _id',
    async (sort) => {
      for (const viewer of ['ann', 'ben', 'key']) {
        const as = callers[viewer]!;
        const items = await shownTo(as);
        for (const direction of ['asc', 'desc']) {
          const expected = places(sorted(items, FIELDS[sort]!.of, direction === 'desc'));
          const order = `sort_${direction}=${sort}`;
          expect([order, places((await listed(path, order, as)).ids)]).toEqual([order, expected]);
          const windows = [];
          for (let skip = 0; skip < items.length; skip += 3) {
            windows.push(...(await listed(path, `${order}&limit=3&skip=${skip}`, as)).ids);
          }
          expect([order, places(windows)]).toEqual([order, expected]);
          const filtered = places((await listed(path, `${order}&date_sent[gte]=${SENT_AT + 1}`, as)).ids);
          expect(filtered).toEqual(expected.filter((place) => place > 1));
        }
      }
    },
  );
});

describe('mark_as_read', () => {
  let dialogId: string;
  let eve: TestUser;
  let sent: string[];

  beforeAll(async () => {
    [eve] = await createUsers(1);
    dialogId = (await created('/chat/Dialog', { type: 2, name: 'G', occupants_ids: [ben.id, eve.id] }, ann))._id;
    sent = [];
    for (let nth = 0; nth < 6; nth++) {
      sent.push((await created('/chat/Message', { chat_dialog_id: dialogId, message: `m${nth % 2}` }, ann))._id);
    }
  });

  const read = (query: string, as: Caller) =>
    rest('GET', `/chat/Message.json?chat_dialog_id=${dialogId}${query}`, { as });
  const unread = async (as: Caller) =>
    (await rest('GET', `/chat/Message/unread.json?chat_dialog_ids=${dialogId}`, { as })).body.total;
  /** Positions of the messages that a user has read, and of those delivered to them. */
  const seenBy = async ({ id }: TestUser) => {
    const items: Shown[] = (await read('&mark_as_read=0', apiKey)).body.items;
    const of = (field: string) => items.flatMap((item, place) => (item[field].includes(id) ? [place] : []));
    expect(of('delivered_ids')).toEqual(of('read_ids'));
    return of('read_ids');
  };

  // Each row continues from the state that the previous rows left.
  test.each<[query: string, seen: number[]]>([
    ['&mark_as_read=0', []],
    ['&mark_as_read=false', []],
    ['&mark_as_read=', []],
    ['&count=1', []],
    ['&count=1&mark_as_read=1', []],
    ['&skip=6', []],
    ['&_id=abc', []],
    ['&message=m1&limit=1', [1]],
    ['&sort_desc=date_sent&limit=1', [1, 5]],
    ['&skip=2&limit=1&mark_as_read=1', [1, 2, 5]],
    ['&message=m0&mark_as_read=abc', [0, 1, 2, 4, 5]],
    ['&mark_as_read=true', [0, 1, 2, 3, 4, 5]],
  ])('after %s the marked messages are %j', async (query, seen) => {
    expect((await read(query, ben)).status).toBe(200);
    expect(await seenBy(ben)).toEqual(seen);
    expect(await unread(ben)).toBe(6 - seen.length);
  });

  test('mark_as_read skips messages hidden from the caller and changes no marks of other users', async () => {
    await rest('DELETE', `/chat/Message/${sent[2]}`, { as: eve });
    expect(await unread(eve)).toBe(5);
    const { body } = await read('', eve);
    expect(body.items.map(({ _id }: Shown) => _id)).toEqual(sent.filter((_, nth) => nth !== 2));
    expect(await unread(eve)).toBe(0);
    expect(await unread(ann)).toBe(0);
  });

  test.each(['read', 'delivered'])('the response contains the new marks as %s', async (mark) => {
    const { _id } = await created('/chat/Message', { chat_dialog_id: dialogId, message: 'new' }, ann);
    const shown = async (query: string) => (await read(`&_id=${_id}${query}`, ben)).body.items[0][`${mark}_ids`];
    expect(await shown('&mark_as_read=0')).toEqual([ann.id]);
    expect(await shown('')).toEqual([ann.id, ben.id]);
    expect(await shown('&mark_as_read=0')).toEqual([ann.id, ben.id]);
  });

  test('an API key on behalf of a user marks for that user, and an API key alone marks nothing', async () => {
    const { _id } = await created('/chat/Message', { chat_dialog_id: dialogId, message: 'new' }, ann);
    const readers = async (as: Caller) => (await read(`&_id=${_id}`, as)).body.items[0].read_ids;
    expect(await readers(apiKey)).toEqual([ann.id]);
    expect(await readers(onBehalfOf(eve))).toEqual([ann.id, eve.id]);
    expect(await readers(apiKey)).toEqual([ann.id, eve.id]);
  });
});

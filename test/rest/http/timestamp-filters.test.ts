import { beforeAll, describe, expect, test } from 'vitest';
import { clock, useApp } from '../../support/app/app.ts';
import { JSON_TYPE, rawRequest } from '../../support/clients/raw-http.ts';
import { rest } from '../../support/clients/rest.ts';
import { execute } from '../../support/fixtures/chat.ts';
import { created } from '../../support/fixtures/chat-cast.ts';
import { apiKey, createUser, createUsers, type TestUser } from '../../support/fixtures/users.ts';

useApp();

/** Milliseconds after 17:46:59 at which a dialog, a message and a user of that name exist. */
const MOMENTS = { before: -1, first: 0, middle: 250, last: 999, after: 1_000 };
const names = new Map<string | number, string>();

let ann: TestUser;
let ben: TestUser;
let room: string;

beforeAll(async () => {
  clock.reset(-60_000);
  [ann, ben] = await createUsers(2);
  room = (await created('/chat/Dialog', { type: 2, name: 'Room', occupants_ids: ben.id }, ben))._id;
  for (const [name, milliseconds] of Object.entries(MOMENTS)) {
    clock.reset(milliseconds);
    names.set((await created('/chat/Dialog', { type: 2, name, occupants_ids: ann.id }, ann))._id, name);
    names.set((await created('/chat/Message', { chat_dialog_id: room, message: name }, ben))._id, name);
    names.set((await createUser()).id, name);
  }
});

const dialogs = (query: string) => rest('GET', `/chat/Dialog.json?sort_asc=created_at&${query}`, { as: ann });
const messages = (query: string) => rest('GET', `/chat/Message.json?chat_dialog_id=${room}&${query}`, { as: ben });
const LISTS = { dialogs, messages };

async function listed(list: (query: string) => ReturnType<typeof rest>, query: string): Promise<string> {
  const { status, text, body } = await list(query);
  if (status !== 200) throw new Error(`${status} ${text}`);
  const counted = await list(`${query}&count=1`);
  expect(counted.body).toEqual({ items: { count: body.items.length } });
  return body.items.map(({ _id }: { _id: string }) => names.get(_id)).join(' ');
}

const SECOND = ['2026-11-20T17:46:59Z', '2026-11-20%2017:46:59', '2026-11-20T18:46:59%2B01:00', '1795196819'];
const ALL = 'before first middle last after';

// `@` is the second that contains three of them, `#` the first millisecond of the middle one.
const ROWS: [filter: string, found: string][] = [
  ['=@', 'first middle last'],
  ['[ne]=@', 'before after'],
  ['[gt]=@', 'after'],
  ['[gte]=@', 'first middle last after'],
  ['[lt]=@', 'before'],
  ['[lte]=@', 'before first middle last'],
  ['[in]=@', 'first middle last'],
  ['[in]=@,2026-11-20T17:47:00Z', 'first middle last after'],
  ['[in][]=1&F[in][]=@', 'first middle last'],
  ['[in]=1', ''],
  ['[in]=', ''],
  ['[nin]=@', 'before after'],
  ['[nin]=@,1795196818', 'after'],
  ['[nin]=1', ALL],
  ['[nin]=', ALL],
  ['[or]=@', 'first middle last'],
  ['[or]=1795196818,1795196820', 'before after'],
  ['[or]=', ''],
  ['[gte]=@&F[lte]=@', 'first middle last'],
  ['[gt]=1795196818&F[gte]=@&F[lt]=1795196820', 'first middle last'],
  ['[gt]=@&F[lt]=@', ''],
  ['[ne]=@&F[gte]=@', 'after'],
  ['=@&F[in]=@,1', 'first middle last'],
  ['=@&F=1', ''],
  ['=#', 'middle'],
  ['[ne]=#', 'before first last after'],
  ['[gt]=#', 'last after'],
  ['[gte]=#', 'middle last after'],
  ['[lt]=#', 'before first'],
  ['[lte]=#', 'before first middle'],
  ['[in]=#,1795196820', 'middle after'],
  ['[nin]=#,1795196820', 'before first last'],
  ['[or]=#', 'middle'],
  ['[gt]=1795196818.999', 'first middle last after'],
  ['=1795196819.000', 'first'],
  ['=2026-11-20', ''],
  ['[gte]=2026.11.20', ALL],
  ['[lt]=2026.11.21', ALL],
  ['=null', ''],
  ['[ne]=null', ALL],
];

describe.each(Object.keys(LISTS) as (keyof typeof LISTS)[])('timestamp filters of %s', (list) => {
  describe.each(['created_at', 'updated_at'])('%s filters', (field) => {
    test.each(ROWS)('%s finds the records whose displayed time matches: %s', async (filter, found) => {
      for (const second of SECOND) {
        const query = `${field}${filter}`
          .replaceAll('F', field)
          .replaceAll('@', second)
          .replaceAll('#', '1795196819.25');
        expect([query, await listed(LISTS[list], query)]).toEqual([query, found]);
        if (!filter.includes('@')) break;
      }
    });

    test('a displayed timestamp used as a filter finds its record', async () => {
      for (const item of (await LISTS[list]('')).body.items) {
        const found = await listed(LISTS[list], `${field}=${item[field]}`);
        expect(found.split(' ')).toContain(names.get(item._id));
      }
    });

    test('the earliest and latest representable timestamps are accepted', async () => {
      for (const [filter, found] of [
        ['[gte]=0001-01-01', ALL],
        ['[lt]=0001-01-01', ''],
        ['[gt]=9999-12-31T23:59:59Z', ''],
        ['[lte]=9999-12-31T23:59:59Z', ALL],
        ['[ne]=9999-12-31T23:59:59Z', ALL],
        ['=9999-12-31T23:59:59.999Z', ''],
        ['[in]=0001-01-01,9999-12-31T23:59:59Z', ''],
        ['[nin]=0001-01-01,9999-12-31T23:59:59Z', ALL],
        ['[lte]=-62135596800', ''],
        ['[gt]=1969-12-31', ALL],
      ] as const) {
        expect([filter, await listed(LISTS[list], field + filter)]).toEqual([filter, found]);
      }
    });
  });

  test('several fields with alternatives are combined with OR, all others with AND', async () => {
    const text = list === 'dialogs' ? 'name' : 'message';
    const found = (query: string) => listed(LISTS[list], query);
    expect(await found(`created_at[or]=1795196818&${text}[or]=middle,after`)).toBe('before middle after');
    expect(await found(`created_at[or]=1795196819&updated_at[or]=1795196820&${text}[ne]=middle`)).toBe(
      'first last after',
    );
    expect(await found(`created_at[or]=1795196819&updated_at[ne]=1795196819`)).toBe('');
    expect(await found(`created_at[nin]=1795196818&updated_at[gt]=1795196818&${text}[or]=before,last`)).toBe('last');
  });

  test('an invalid timestamp is rejected with the name of the filter, for every operator', async () => {
    for (const value of ['soon', '2026-02-30', '10000-01-01', '0000-01-01', '1e3', '99999999999999', '']) {
      for (const operator of ['', '[ne]', '[gt]', '[gte]', '[lt]', '[lte]']) {
        const { status, body } = await LISTS[list](`created_at${operator}=${value}`);
        expect([status, body]).toEqual([422, { errors: [`Incorrect filter: created_at${operator}`] }]);
      }
    }
    for (const operator of ['in', 'nin', 'or']) {
      const { status, body } = await LISTS[list](`updated_at[${operator}]=1,soon`);
      expect([status, body]).toEqual([422, { errors: [`Incorrect filter: updated_at[${operator}]`] }]);
    }
    for (const operator of ['all', 'ctn', 'near', 'eq', '$gt']) {
      const { status, body } = await LISTS[list](`updated_at[${operator}]=1`);
      expect([status, body]).toEqual([422, { errors: [`Incorrect filter: updated_at[${operator}]`] }]);
    }
  });

  test('timestamp filters accept JSON numbers', async () => {
    const target = list === 'dialogs' ? '/chat/Dialog.json' : `/chat/Message.json?chat_dialog_id=${room}`;
    for (const [filter, count] of [
      [{ created_at: 1_795_196_819 }, 3],
      [{ created_at: 1_795_196_819.25 }, 1],
      [{ created_at: { gt: 1_795_196_819, lt: 1_795_196_820 } }, 0],
      [{ created_at: { in: [1_795_196_819, 1_795_196_820] } }, 4],
      [{ created_at: { ne: null } }, 5],
    ] as const) {
      const answer = await rawRequest('GET', target, {
        as: list === 'dialogs' ? ann : ben,
        headers: { 'Content-Type': JSON_TYPE },
        body: JSON.stringify({ ...filter, count: 1 }),
      });
      expect([filter, answer.text]).toEqual([filter, `{"items":{"count":${count}}}`]);
    }
  });

  test('timestamp filters reject more values than a statement can hold', async () => {
    const target = list === 'dialogs' ? '/chat/Dialog.json' : `/chat/Message.json?chat_dialog_id=${room}`;
    const answer = await rawRequest('GET', target, {
      as: list === 'dialogs' ? ann : ben,
      headers: { 'Content-Type': JSON_TYPE },
      body: JSON.stringify({ created_at: { nin: Array.from({ length: 20_000 - 3 }, (_, nth) => nth) } }),
    });
    expect([answer.status, answer.text]).toEqual([400, '{"errors":["Request parameters are too complex"]}']);
  });
});

test('filters of users also compare complete seconds', async () => {
  const found = async (filter: string) => {
    const { body } = await rest('GET', `/users.json?filter[]=date%20created_at%20${filter}`, { as: apiKey });
    return body.items.map(({ user }: { user: { id: number } }) => names.get(user.id) ?? '-').join(' ');
  };
  expect(await found('gt%201795196819')).toBe('after');
  expect(await found('le%202026-11-20T17:46:59Z')).toBe('- - before first middle last');
  expect(await found('lt%201795196819')).toBe('- - before');
  expect(await found('ge%201795196819')).toBe('first middle last after');
  expect(await found('gt%201795196819.25')).toBe('last after');
  expect(await found('eq%209999-12-31T23:59:59Z')).toBe('');
});

test('GraphQL compares milliseconds', async () => {
  const count = async (createdAt: object) => {
    const { dialogs } = await execute(
      'query ($filter: DialogFilter) { dialogs(filter: $filter) { totalCount } }',
      { filter: { createdAt } },
      ann,
    );
    const { messages } = await execute(
      'query ($id: ID!, $filter: MessageFilter) { messages(dialogId: $id, filter: $filter) { totalCount } }',
      { id: room, filter: { createdAt } },
      ben,
    );
    return [dialogs.totalCount, messages.totalCount];
  };
  expect(await count({ eq: '2026-11-20T17:46:59Z' })).toEqual([1, 1]);
  expect(await count({ gt: '2026-11-20T17:46:59Z' })).toEqual([3, 3]);
  expect(await count({ lte: '2026-11-20T17:46:59.250Z' })).toEqual([3, 3]);
  expect(await count({ in: ['2026-11-20T17:46:59Z', '2026-11-20T17:46:59.999Z'] })).toEqual([2, 2]);
  expect(await count({ lt: '9999-12-31T23:59:59-23:00' })).toEqual([5, 5]);
  expect(await count({ gt: '0001-01-01T00:00:00+14:00' })).toEqual([5, 5]);
});

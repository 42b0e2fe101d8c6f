import { beforeAll, describe, expect, test } from 'vitest';
import { clock, useApp } from '../../support/app/app.ts';
import { rest } from '../../support/clients/rest.ts';
import { createOtherApplication } from '../../support/fixtures/applications.ts';
import { created } from '../../support/fixtures/chat-cast.ts';
import {
  ALL_OPERATORS,
  fitsKind,
  listed,
  queriesOf,
  type Shown,
  type ShownField,
  sorted,
} from '../../support/fixtures/shown-lists.ts';
import { apiKey, type Caller, createUser, onBehalfOf, type TestUser } from '../../support/fixtures/users.ts';

useApp();

const PATH = '/chat/Dialog.json?';
const SENT_AT = 1_795_196_819;

let ann: TestUser;
let ben: TestUser;
let cleo: TestUser;
let dan: TestUser;
const callers: Record<string, Caller> = {};
const ids: Record<string, string> = {};

function at(seconds: number): void {
  clock.reset(seconds * 1000);
}

/** Each dialog is created one second after the previous one, by its owner with its occupants. */
async function make(word: string, as: Caller, others: { id: number }[], fields: object): Promise<void> {
  at(Object.keys(ids).length);
  const { _id } = await created('/chat/Dialog', { occupants_ids: others.map(({ id }) => id), ...fields }, as);
  ids[word] = _id;
}

/** A message at that second; the listed users delete it for themselves immediately. */
async function say(word: string, seconds: number, from: Caller, message: string, hiddenFrom: Caller[] = []) {
  at(seconds);
  const { _id } = await created('/chat/Message', { chat_dialog_id: ids[word], message }, from);
  for (const as of hiddenFrom) await succeed('DELETE', `/chat/Message/${_id}`, as);
}

async function succeed(method: string, path: string, as: Caller, json?: object): Promise<void> {
  const { status, text } = await rest(method, path, { as, json });
  if (status !== 200) throw new Error(`${method} ${path}: ${status} ${text}`);
}

beforeAll(async () => {
  ann = await createUser({ login: 'annie' });
  ben = await createUser({ full_name: 'Ben Boss' });
  cleo = await createUser({ login: 'cleo' });
  dan = await createUser({ full_name: 'Lunch' });
  await make('apple', ann, [ben, cleo], { type: 2, name: 'Apple' });
  await make('apple2', ben, [ann], { type: 2, name: 'Apple' });
  await make('pear', ann, [ben], { type: 2, name: 'Pear' });
  await make('lunch', cleo, [ann], { type: 2, name: 'Lunch' });
  await make('lobby', dan, [], { type: 1, name: 'Lobby' });
  await make('withBen', ben, [ann], { type: 3 });
  await make('withCleo', ann, [cleo], { type: 3 });
  await make('withDan', dan, [ann], { type: 3 });
  await make('left', ben, [ann, cleo], { type: 2, name: 'Left' });
  await make('back', ben, [ann], { type: 2, name: 'Back' });
  await make('theirs', ben, [cleo], { type: 2, name: 'Apple' });

  await say('apple', 20, ben, 'seen by all');
  await say('lunch', 20, cleo, 'at the same moment');
  await say('apple', 30, cleo, 'hidden from Ann', [ann]);
  await say('pear', 31, ben, 'the only one', [ann]);
  await say('lobby', 32, cleo, 'first');
  await say('lobby', 33, cleo, 'last', [ann, ben]);
  await say('withBen', 34, ann, 'hidden from both', [ann, ben]);
  await say('withDan', 35, ann, 'before it is hidden');
  await say('left', 36, ann, 'what Ann has left behind');
  await say('back', 37, ben, 'before');
  await say('theirs', 38, ben, 'not for Ann');
  await succeed('DELETE', `/chat/Dialog/${ids.withDan}`, ann);
  await succeed('DELETE', `/chat/Dialog/${ids.withCleo}`, ann);
  await say('withCleo', 40, cleo, 'shows it again');
  await succeed('DELETE', `/chat/Dialog/${ids.left}`, ann);
  await succeed('DELETE', `/chat/Dialog/${ids.back}`, ann);
  await say('back', 41, ben, 'while Ann was away');
  await succeed('PUT', `/chat/Dialog/${ids.back}`, ben, { push_all: { occupants_ids: [ann.id] } });
  at(50);

  const { key } = await createOtherApplication();
  const { user } = await created('/users', { user: { login: 'far', password: 'password-1' } }, key);
  Object.assign(callers, { ann, ben, cleo, key: apiKey, 'key for ann': onBehalfOf(ann) });
  Object.assign(callers, { 'other key': key });
  callers.stranger = { headers: { ...key.headers, 'On-Behalf-Of': String(user.id) } };
});

const shownTo = async (as: Caller): Promise<Shown[]> => (await rest('GET', PATH, { as })).body.items;
const wordOf = (id: string) => Object.keys(ids).find((word) => ids[word] === id)!;
const words = (found: string[]) => found.map(wordOf).join(' ');

describe('visibility of dialogs', () => {
  test.each([
    ['ann', 'back withCleo lobby lunch apple withBen pear apple2', 'hidden, left and foreign dialogs are missing'],
    ['ben', 'back theirs left lobby pear apple withBen apple2', 'others see what Ann has hidden or left'],
    ['cleo', 'withCleo theirs left lobby apple lunch', 'and each only their own'],
    ['key', 'back withCleo theirs left withDan withBen lobby pear apple lunch apple2', 'an API key alone has all'],
    ['key for ann', 'back withCleo lobby lunch apple withBen pear apple2', 'with a user it has what they have'],
    ['stranger', '', 'another application has none'],
    ['other key', '', 'nor has its key'],
  ])('%s lists %s since %s', async (caller, expected) => {
    const as = callers[caller]!;
    const { ids: found, count } = await listed(PATH, '', as);
    expect(words(found)).toBe(expected);
    expect(count).toBe(found.length);
    for (const [word, id] of Object.entries(ids)) {
      const isShown = found.includes(id);
      expect([word, await listed(PATH, `_id=${id}`, as)]).toEqual([
        word,
        { ids: isShown ? [id] : [], count: isShown ? 1 : 0 },
      ]);
    }
  });

  test('a private dialog is named after the other user, and for an API key after the view of its owner', async () => {
    const nameFor = async (caller: string, word: string) =>
      (await shownTo(callers[caller]!)).find(({ _id }) => _id === ids[word])?.name;
    expect(await nameFor('ann', 'withBen')).toBe('Ben Boss');
    expect(await nameFor('ben', 'withBen')).toBe('annie');
    expect(await nameFor('key', 'withBen')).toBe('annie');
    expect(await nameFor('ann', 'withCleo')).toBe('cleo');
    expect(await nameFor('key', 'withDan')).toBe('annie');
    expect(words((await listed(PATH, 'name=annie', ann)).ids)).toBe('');
    expect(words((await listed(PATH, 'name=annie', ben)).ids)).toBe('withBen');
    expect(words((await listed(PATH, 'name[ctn]=BOSS', ann)).ids)).toBe('withBen');
    expect(words((await listed(PATH, 'name=annie', apiKey)).ids)).toBe('withDan withBen');
  });

  test.each(['ann', 'ben', 'cleo'])('the last message is the latest one that %s can see', async (caller) => {
    const as = callers[caller]!;
    for (const dialog of await shownTo(as)) {
      const query = `chat_dialog_id=${dialog._id}&sort_desc=date_sent&limit=1&mark_as_read=0`;
      const [last] = (await rest('GET', `/chat/Message.json?${query}`, { as })).body.items as Shown[];
      expect([wordOf(dialog._id), dialog]).toMatchObject([
        wordOf(dialog._id),
        {
          last_message: last?.message ?? null,
          last_message_id: last?._id ?? null,
          last_message_date_sent: last?.date_sent ?? null,
          last_message_user_id: last?.sender_id ?? null,
        },
      ]);
      expect((await rest('GET', `/chat/Dialog/${dialog._id}`, { as })).body).toEqual(dialog);
    }
  });
});

const FIELDS: Record<string, ShownField> = {
  _id: { kind: 'id', of: (item) => item._id, others: ['abc', '0'.repeat(24), 'f'.repeat(24)] },
  type: { kind: 'number', of: (item) => item.type, others: ['0', '-2147483647', '2147483647'] },
  name: { kind: 'text', of: (item) => item.name, others: ['apple', 'PP', 'o', ' ', '%', 'Ann'] },
  last_message_date_sent: {
    kind: 'number',
    of: (item) => item.last_message_date_sent,
    others: ['0', String(SENT_AT + 20.5), '-1', '253402300799'],
  },
  created_at: { kind: 'moment', of: (item) => item.created_at, others: ['1999-12-31T00:00:00Z'] },
  updated_at: { kind: 'moment', of: (item) => item.updated_at, others: ['2999-12-31T00:00:00Z'] },
  occupants_ids: { kind: 'numbers', of: (item) => item.occupants_ids, others: ['2147483647', '0'] },
};
const VIEWERS = ['ann', 'ben', 'key'];

describe.each(Object.entries(FIELDS))('filters of %s', (name, field) => {
  test.each(ALL_OPERATORS.filter((one) => one !== 'unknown' && fitsKind(one, field.kind)))(
    'the filter %j finds the dialogs that show a matching value',
    async (operator) => {
      for (const viewer of VIEWERS) {
        const items = await shownTo(callers[viewer]!);
        for (const [query, expected] of queriesOf(items, name, field, operator)) {
          const { ids: found, count } = await listed(PATH, query, callers[viewer]!);
          expect([viewer, query, words(found), count]).toEqual([viewer, query, words(expected), expected.length]);
        }
      }
    },
  );

  test.each(ALL_OPERATORS.filter((one) => one === 'unknown' || !fitsKind(one, field.kind)))(
    'the filter does not support %s',
    async (operator) => {
      const { status, body } = await rest('GET', `${PATH}${name}[${operator}]=1`, { as: ann });
      expect([status, body]).toEqual([422, { errors: [`Incorrect filter: ${name}[${operator}]`] }]);
    },
  );
});

describe('sorting of dialogs', () => {
  const SORTS = ['_id', 'type', 'name', 'last_message_date_sent', 'date_sent', 'created_at', 'updated_at'];

  test.each(SORTS)('dialogs are sorted by %s, unset values last and ties by _id', async (sort) => {
    const { of } = FIELDS[sort === 'date_sent' ? 'last_message_date_sent' : sort]!;
    for (const viewer of VIEWERS) {
      const as = callers[viewer]!;
      const items = await shownTo(as);
      for (const direction of ['asc', 'desc']) {
        const expected = sorted(items, of, direction === 'desc');
        const order = `sort_${direction}=${sort}`;
        expect([order, words((await listed(PATH, order, as)).ids)]).toEqual([order, words(expected)]);
        const windows = [];
        for (let skip = 0; skip < items.length; skip += 3) {
          windows.push(...(await listed(PATH, `${order}&limit=3&skip=${skip}`, as)).ids);
        }
        expect([order, words(windows)]).toEqual([order, words(expected)]);
      }
    }
  });

  test('dialogs without a sort parameter are sorted by latest activity first', async () => {
    for (const viewer of VIEWERS) {
      const items = await shownTo(callers[viewer]!);
      const activity = ({ last_message_date_sent, created_at }: Shown) =>
        last_message_date_sent ?? Date.parse(created_at) / 1000;
      expect(words(items.map(({ _id }) => _id))).toBe(words(sorted(items, activity, true)));
    }
  });
});

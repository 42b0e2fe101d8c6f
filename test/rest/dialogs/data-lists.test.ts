import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { JSON_TYPE, rawRequest } from '../../support/clients/raw-http.ts';
import { rest } from '../../support/clients/rest.ts';
import { type ChatCast, createChatCast, created } from '../../support/fixtures/chat-cast.ts';
import { UNDEFINED_CLASS } from '../../support/fixtures/error-bodies.ts';
import { apiKey, type Caller } from '../../support/fixtures/users.ts';

useApp();

let cast: ChatCast;
beforeAll(async () => {
  cast = await createChatCast();
  const fields = { friends: 'Boolean', level: 'Integer', motto: 'String', since: 'Date', home: 'Location' };
  await created('/class', { name: 'Cool', fields: { ...fields, tags: 'String_a' } }, apiKey);
  // The second class has the same field names with other types, so values of one must never be read as the other's.
  await created('/class', { name: 'Odd', fields: { level: 'String', since: 'String_a', tags: 'Location' } }, apiKey);
  const make = (name: string, data: object | undefined, about: object = {}) =>
    created('/chat/Dialog', { type: 2, name, occupants_ids: [cast.bob.id], ...about, data }, cast.alice);
  await make('one', { class_name: 'Cool', level: 1, friends: true, motto: 'Anna', since: 1000, tags: ['a', 'b'] });
  await make('two', { class_name: 'Cool', level: 2, friends: false, motto: 'Bert', since: 2000, home: '50,8' });
  await make('three', { class_name: 'Cool', tags: [] });
  await make('odd', { class_name: 'Odd', level: 'high', since: ['x', 'y'], tags: '1,2' });
  await make('public', { class_name: 'Cool', level: 3 }, { type: 1, occupants_ids: [] });
  await make('plain', undefined);
});

async function names(query: string, as: Caller = cast.alice): Promise<string[]> {
  const { status, text, body } = await rest('GET', `/chat/Dialog?sort_asc=_id&${query}`, { as });
  expect([status, status === 200 ? '' : text]).toEqual([200, '']);
  expect(body.total_entries).toBe(body.items.length);
  return body.items.map(({ name }: { name: string }) => name);
}

describe('dialog lists filtered by a class', () => {
  test('a class filter lists the visible dialogs with data of the class', async () => {
    expect(await names('data[class_name]=Cool')).toEqual(['one', 'two', 'three', 'public']);
    expect(await names('data[class_name]=Cool', cast.bob)).toEqual(['one', 'two', 'three', 'public']);
    expect(await names('data[class_name]=Cool', cast.mallory)).toEqual(['public']);
    expect(await names('data[class_name]=Cool', apiKey)).toEqual(['one', 'two', 'three', 'public']);
    expect(await names('data[class_name]=Odd')).toEqual(['odd']);
  });

  test.each<[query: string, found: string[]]>([
    ['data[level]=1', ['one']],
    ['data[level]=null', ['three']],
    ['data[level][gt]=1', ['two', 'public']],
    ['data[level][gte]=1&data[level][lt]=3', ['one', 'two']],
    ['data[level][ne]=1', ['two', 'three', 'public']],
    ['data[level][in]=1,3', ['one', 'public']],
    ['data[level][nin]=1,3', ['two', 'three']],
    ['data[friends]=true', ['one']],
    ['data[friends]=0', ['two']],
    ['data[motto][ctn]=ER', ['two']],
    ['data[since][lte]=1000', ['one']],
    ['data[since]=1970-01-01T00:33:20Z', ['two']],
    ['data[tags]=a', ['one']],
    ['data[tags][all]=a,b', ['one']],
    ['data[tags][ne]=a', ['two', 'three', 'public']],
    ['data[home][near]=50,8.001;1000', ['two']],
    ['data[level]=1&data[friends]=true', ['one']],
    ['data[level]=1&data[friends]=false', []],
    ['data[level]=1&name[ctn]=n', ['one']],
    ['data[level][or]=1,2', ['one', 'two']],
    ['data[level][or]=1&data[motto][or]=Bert', ['one', 'two']],
    ['data[level][or]=1&name[or]=public', ['one', 'public']],
    ['data[level][or]=1,3&data[level][gt]=1', ['public']],
    ['data[nope]=1', ['one', 'two', 'three', 'public']],
    ['data[user_id]=1&data[_id]=1&data[created_at]=1', ['one', 'two', 'three', 'public']],
  ])('a class filter combines with field filters: %s', async (query, found) => {
    expect(await names(`data[class_name]=Cool&${query}`)).toEqual(found);
    expect(await names(`data[class_name]=Cool&${query}`, apiKey)).toEqual(found);
    const { body } = await rest('GET', `/chat/Dialog?count=1&data[class_name]=Cool&${query}`, { as: cast.alice });
    expect(body).toEqual({ items: { count: found.length } });
  });

  test('without a class, data fields are not filters', async () => {
    expect(await names('data[level]=1&data[nope][gt]=x', cast.mallory)).toEqual(['Lobby', 'public']);
  });

  test('a class filter works in a JSON body and distinguishes classes with the same field names', async () => {
    const json = { data: { class_name: 'Odd', level: 'high', since: { all: ['x', 'y'] } } };
    const { status, text } = await rawRequest('GET', '/chat/Dialog', {
      as: cast.alice,
      headers: { 'Content-Type': JSON_TYPE },
      body: JSON.stringify(json),
    });
    expect([status, JSON.parse(text).items.map(({ name }: { name: string }) => name)]).toEqual([200, ['odd']]);
    expect(await names('data[class_name]=Odd&data[level][ctn]=IG&data[since]=x&data[tags]=1,2')).toEqual(['odd']);
    expect(await names('data[class_name]=Odd&data[level]=1')).toEqual([]);
  });

  test.each<[query: string, status: number, sentence: string]>([
    ['data[class_name]=Nope', 403, 'Undefined class'],
    ['data[class_name]=Strangers', 403, 'Undefined class'],
    ['data[class_name]=', 403, 'Undefined class'],
    ['data[class_name]=Cool&data[level]=x', 422, 'Incorrect filter: data[level]'],
    ['data[class_name]=Cool&data[level][gt]=x', 422, 'Incorrect filter: data[level][gt]'],
    ['data[class_name]=Cool&data[level][or]=1,x', 422, 'Incorrect filter: data[level][or]'],
    ['data[class_name]=Cool&data[level][like]=1', 422, 'Incorrect filter: data[level][like]'],
    ['data[class_name]=Cool&data[motto][gt]=a', 422, 'Incorrect filter: data[motto][gt]'],
    ['data[class_name]=Cool&data[level][all]=1', 422, 'Incorrect filter: data[level][all]'],
    ['data[class_name]=Cool&data[nope][gt]=1', 422, 'Incorrect filter: data[nope][gt]'],
    ['data[class_name]=Cool&data[user_id][gt]=1', 422, 'Incorrect filter: data[user_id][gt]'],
    ['data[class_name]=Cool&data[_id][gt]=1', 422, 'Incorrect filter: data[_id][gt]'],
    ["data[class_name]=Cool&data[level'--][gt]=1", 422, "Incorrect filter: data[level'--][gt]"],
    ['data[class_name]=Cool&sort_asc=level', 422, 'Incorrect sort field: level'],
    [
      `data[class_name]=Cool&data[level][in]=${Array.from({ length: 1001 }, (_, n) => n).join(',')}`,
      400,
      'Request parameters are too complex',
    ],
  ])('the class filter is rejected: %.80s', async (query, status, sentence) => {
    const answer = await rest('GET', `/chat/Dialog?${query}`, { as: cast.alice });
    expect([answer.status, answer.body]).toEqual([status, { errors: [sentence] }]);
  });

  test('the class filter is rejected for callers of another application', async () => {
    const answer = await rest('GET', '/chat/Dialog?data[class_name]=Cool', { as: cast.stranger });
    expect([answer.status, answer.body]).toEqual([403, UNDEFINED_CLASS]);
  });
});

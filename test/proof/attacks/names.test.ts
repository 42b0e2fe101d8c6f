import { beforeAll, describe, expect, test } from 'vitest';
import { flatten, mergeParameters, parseForm, parseJson } from '../../../src/lib/bracket-keys.ts';
import { readInteger } from '../../../src/lib/casts.ts';
import { useApp } from '../../support/app/app.ts';
import { fc } from '../../support/app/properties.ts';
import { rowCounts, sql } from '../../support/app/sql.ts';
import { JSON_TYPE, rawRequest } from '../../support/clients/raw-http.ts';
import { rest } from '../../support/clients/rest.ts';
import { codeOf, GRAPHQL_TRANSPORTS } from '../../support/clients/transports.ts';
import { createDialog } from '../../support/fixtures/chat.ts';
import { created } from '../../support/fixtures/chat-cast.ts';
import { defineClass } from '../../support/fixtures/typed-classes.ts';
import { apiKey, createUser, openSession, type TestUser } from '../../support/fixtures/users.ts';

useApp();

let alice: TestUser;
let dialogId: string;
beforeAll(async () => {
  alice = await createUser();
  dialogId = await createDialog(alice, [alice]);
  await defineClass('cars', { make: 'String', year: 'Integer' });
  await created('/data/cars', { make: 'AB', year: 5 }, alice);
});

const PROTOTYPES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '__defineGetter__'];

/** Names that would change a statement if they were interpolated. */
const INJECTIONS = [
  "make'; DROP TABLE users; --",
  'make"',
  "make' OR '1'='1",
  "fields->>'make'",
  'make) OR (1=1',
  'r.fields',
  'u.password_hash',
  '1; SELECT pg_sleep(9)',
  'make\\',
  '$1',
  '*',
  'make/**/',
  "E'\\x27'",
  'make\u2019',
];

/** One document per position that accepts a client-supplied name. */
const ASKED: [place: string, document: string, variables: (name: string) => Record<string, unknown>][] = [
  ['class', 'query ($name: String!) { records(className: $name) { totalCount } }', (name) => ({ name })],
  [
    'order',
    'query ($o: RecordOrder) { records(className: "cars", orderBy: $o) { totalCount } }',
    (field) => ({ o: { field, direction: 'ASC' } }),
  ],
  [
    'filter',
    'query ($f: JSON) { records(className: "cars", filter: $f) { totalCount } }',
    (name) => ({ f: { [name]: { eq: 1 } } }),
  ],
  [
    'operator',
    'query ($f: JSON) { records(className: "cars", filter: $f) { totalCount } }',
    (name) => ({ f: { make: { [name]: 1 } } }),
  ],
  [
    'new class',
    'mutation ($name: String!) { createClass(input: { name: $name }) { name } }',
    (name) => ({ name: `${name}'` }),
  ],
  [
    'new field',
    'mutation ($name: String!) { updateClass(name: "cars", input: { fields: [{ name: $name, type: STRING }] }) { name } }',
    (name) => ({ name: `${name}'` }),
  ],
  [
    'new index',
    `mutation ($names: [String!]!) {
      updateClass(name: "cars", input: { indexes: [{ fields: $names }] }) { name } }`,
    (name) => ({ names: ['make', name] }),
  ],
  [
    'explained order',
    'query ($o: RecordOrder) { explainRecords(className: "cars", orderBy: $o) { rowsRead } }',
    (field) => ({ o: { field, direction: 'ASC' } }),
  ],
  [
    'explained filter',
    'query ($f: JSON) { explainRecords(className: "cars", filter: $f) { rowsRead } }',
    (name) => ({ f: { [name]: { eq: 1 } } }),
  ],
  [
    'dialog data',
    'query ($f: JSON) { dialogs(dataClassName: "cars", filter: { data: $f }) { totalCount } }',
    (name) => ({ f: { [name]: { eq: 1 } } }),
  ],
];

const FAIR = ['served', 'BAD_USER_INPUT', 'UNPROCESSABLE', 'FORBIDDEN', 'NOT_FOUND'];

describe('#10 prototype pollution', () => {
  test('parsed parameters have no prototype and no prototype names as keys', () => {
    const key = fc.oneof(fc.constantFrom(...PROTOTYPES, 'a', 'b'), fc.string({ maxLength: 5 }));
    const path = fc.array(key, { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.array(fc.tuple(path, fc.string({ maxLength: 5 })), { maxLength: 6 }), (pairs) => {
        const form = pairs
          .map(
            ([[first, ...rest], value]) =>
              `${encodeURIComponent(first! + rest.map((part) => `[${part}]`).join(''))}=${encodeURIComponent(value)}`,
          )
          .join('&');
        expectClean(parseForm(form));
        const json = pairs.map(([names, value]) =>
          names.reduceRight<string>((inner, name) => `{${JSON.stringify(name)}:${inner}}`, JSON.stringify(value)),
        );
        const parsed = json.map((text) => parseJson(text));
        for (const one of parsed) expectClean(one);
        expectClean(parsed.reduce(mergeParameters, parseForm(form)));
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
    );
  });

  test.each(GRAPHQL_TRANSPORTS)(
    'prototype names neither cause an internal error nor change prototypes: %s',
    async (_name, transport) => {
      const customFields = JSON.parse(
        '{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}},"mine":1}',
      );
      const send = 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { customFields } }';
      const answer = await transport(send, { input: { dialogId, text: 'x', customFields } }, alice);
      expect(FAIR).toContain(codeOf(answer));
      expect(({} as { admin?: boolean }).admin).toBeUndefined();
      for (const name of PROTOTYPES) {
        for (const [place, document, variables] of ASKED) {
          expect(FAIR, `${place} ${name}`).toContain(codeOf(await transport(document, variables(name), apiKey)));
        }
      }
    },
  );

  test('prototype names in REST paths and bodies neither cause a 5xx nor change prototypes', async () => {
    const session = await openSession();
    for (const name of PROTOTYPES) {
      const text = `{"${name}":{"admin":true},"user":{"${name}":{"admin":true}},"make":"x","permissions.${name}.access":"open","application_id":"${name}"}`;
      for (const [method, path] of [
        ['POST', `/data/${name}`],
        ['POST', '/data/cars'],
        ['GET', `/data/cars/${name}`],
        ['POST', '/session'],
        ['POST', '/users'],
        ['POST', '/chat/Message'],
        ['GET', `/class/${name}`],
      ] as const) {
        const as = path === '/users' ? session : alice;
        const { status } = await rawRequest(method, path, { as, headers: { 'Content-Type': JSON_TYPE }, body: text });
        expect([method, path, name, status < 500]).toEqual([method, path, name, true]);
      }
    }
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });
});

describe('#11 SQL injection through identifiers', () => {
  test.each(GRAPHQL_TRANSPORTS)('identifiers that contain SQL are rejected: %s', async (_name, transport) => {
    const before = await rowCounts();
    for (const name of INJECTIONS) {
      for (const [place, document, variables] of ASKED) {
        const code = codeOf(await transport(document, variables(name), apiKey));
        // Filters of dialog data ignore plain names that the class does not define.
        const fair = place === 'dialog data' ? FAIR : FAIR.slice(1);
        expect([place, name, fair.includes(code)]).toEqual([place, name, true]);
      }
    }
    expect(await rowCounts()).toEqual(before);
  });

  test('identifiers that contain SQL never cause a 5xx over REST, and change nothing', async () => {
    const { events_outbox: _, ...before } = await rowCounts();
    for (const name of INJECTIONS) {
      const asked: [path: string, json: object][] = [
        ['/data/cars', { sort_asc: name }],
        ['/data/cars', { [name]: 'x' }],
        ['/data/cars', { make: { [name]: 'x' } }],
        ['/data/cars', { group_by: name }],
        ['/data/cars', { group_by: 'make', [name]: { calc: 'avg' } }],
        ['/data/cars', { group_by: 'make', year: { calc: name } }],
        ['/data/cars', { output: { include: name } }],
        ['/users', { order: `asc string ${name}` }],
        ['/users', { filter: [`string ${name} eq x`] }],
        ['/users', { filter: [`string login ${name} x`] }],
        ['/chat/Dialog', { sort_desc: name }],
        ['/chat/Dialog', { [name]: { gt: 1 } }],
        ['/chat/Message', { chat_dialog_id: dialogId, sort_asc: name }],
        ['/geodata/find', { sort_by: name, sort_asc: 1 }],
      ];
      for (const [path, json] of asked) {
        const { status } = await rawRequest('GET', path, {
          as: alice,
          headers: { 'Content-Type': JSON_TYPE },
          body: JSON.stringify(json),
        });
        expect([path, json, status < 500]).toEqual([path, json, true]);
      }
      const [{ _id }] = (await rest('GET', '/data/cars', { as: alice })).body.items;
      const change = await rest('PUT', `/data/cars/${_id}`, {
        as: alice,
        json: { inc: { [name]: 1 }, push: { [name]: 1 } },
      });
      expect(change.status).toBeLessThan(500);
    }
    expect(await rowCounts()).toMatchObject(before);
  });
});

describe('#14 catastrophic filters', () => {
  test('filter patterns match literally: % and _ are not wildcards, and no regular expression is built from input', async () => {
    await createUser({ full_name: 'a%b_c' });
    const { body } = await rest('GET', '/users/by_full_name?full_name=%25b_', { as: alice });
    expect(body.items).toHaveLength(1);
    expect((await rest('GET', '/users/by_full_name?full_name=a%25%25', { as: alice })).status).toBe(404);
    for (const text of ['%'.repeat(256), '_'.repeat(256), `${'(a+)+'.repeat(51)}$`, '\\', '[', '(?<n>']) {
      const list = 'query ($f: DialogFilter) { dialogs(filter: $f) { totalCount } }';
      for (const [, transport] of GRAPHQL_TRANSPORTS) {
        expect(await transport(list, { f: { name: { contains: text } } }, alice)).toMatchObject({
          data: { dialogs: { totalCount: 0 } },
        });
      }
      const found = await rawRequest('GET', '/data/cars', {
        as: alice,
        headers: { 'Content-Type': JSON_TYPE },
        body: JSON.stringify({ make: { ctn: text } }),
      });
      expect([found.status, JSON.parse(found.text).items]).toEqual([200, []]);
    }
  });

  test('overlong texts in place of numbers, dates and locations are rejected', async () => {
    await defineClass('gauges', { level: 'Float', amount: 'Integer', at: 'Date', place: 'Location' });
    const headers = { 'Content-Type': JSON_TYPE };
    const asking = (path: string, json: object) =>
      rawRequest('GET', path, { as: alice, headers, body: JSON.stringify(json) });
    const zeros = '0'.repeat(100);
    const digits = `${'1'.repeat(150_000)}x`;
    for (const long of [`${zeros}7`, digits, `${' '.repeat(150_000)}x`]) {
      const values = { level: long, amount: long, at: long, place: `${long}, ${long}` };
      for (const [field, value] of Object.entries(values)) {
        const filters: object[] = [{ [field]: value }, { [field]: { ne: value } }, { [field]: { gt: value } }];
        if (field === 'place') filters.splice(0, 3, { place: { near: `${long},${long};${long}` } });
        for (const json of filters) {
          const { status } = await asking('/data/gauges', json);
          expect([field, status]).toEqual([field, 422]);
          for (const [, transport] of GRAPHQL_TRANSPORTS) {
            const list = 'query ($f: JSON) { records(className: "gauges", filter: $f) { totalCount } }';
            const { errors } = await transport(list, { f: json }, alice);
            expect([field, errors?.[0]?.message]).toEqual([field, expect.stringContaining('Incorrect filter')]);
          }
        }
        const stored = await rest('POST', '/data/gauges', { as: alice, json: { [field]: value } });
        expect([field, stored.status]).toEqual([field, 422]);
      }
      const place = { geo_data: { latitude: long, longitude: 1 } };
      expect((await rest('POST', '/geodata', { as: alice, json: place })).status).toBe(422);
      for (const json of [{ page: long }, { per_page: long }]) {
        expect((await asking('/users', json)).status).toBe(422);
      }
    }
  });

  test('every statement of a request has a timeout', async () => {
    const { db } = await import('../../../src/db/client.ts');
    const { BACKGROUND, transact } = await import('../../../src/db/transact.ts');
    const limits = await db.$queryRaw`SELECT current_setting('statement_timeout') AS statement,
      current_setting('lock_timeout') AS lock, current_setting('idle_in_transaction_session_timeout') AS idle`;
    expect(limits).toEqual([{ statement: '1min', lock: '10s', idle: '1min' }]);
    const slow = transact(BACKGROUND, async (transaction) => {
      await transaction.$executeRaw`SET LOCAL statement_timeout = 50`;
      await transaction.$queryRaw`SELECT pg_sleep(60)`;
    });
    await expect(slow).rejects.toThrow(/57014|statement timeout/);
    expect((await sql<{ one: number }>('SELECT 1 AS one'))[0]!.one).toBe(1);
  });
});

describe('#40 edge cases of numbers and texts', () => {
  const odd = fc.oneof(
    fc.constantFrom(
      '9007199254740993',
      '99999999999999999999',
      '1e1',
      '0x10',
      '١٢',
      '１',
      '-0',
      '+1',
      ' 1',
      '1.0',
      'NaN',
      '',
      '\0',
      '\ud800',
      '%00',
      '1\0',
      '2147483648',
      '-1',
      'null',
      '🚗',
    ),
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.bigInt().map(String),
    fc.double().map(String),
  );

  test('readInteger accepts only decimal safe integers', () => {
    fc.assert(
      fc.property(odd, (text) => {
        const read = readInteger(text);
        const isOne = /^[+-]?[0-9]+$/.test(text) && Number.isSafeInteger(Number(text));
        expect(read).toBe(isOne ? Number(text) + 0 : undefined);
      }),
    );
  });

  test('group names must have 1 to 50 characters, so that they fit into their index', async () => {
    const sentence = 'Field groups should be an array of names of 1 to 50 characters';
    const post = (json: object) => rest('POST', '/data/cars', { as: alice, json });
    const named = (groups: unknown) => ({ permissions: { read: { access: 'open_for_groups', groups } } });
    const create = `mutation ($input: CreateRecordInput!) { createRecord(input: $input) { id } }`;
    for (const name of ['x'.repeat(51), 'é'.repeat(2_800), '🚗'.repeat(51), '']) {
      const forms: object[] = [
        named([name, 'ok']),
        { 'permissions.read.access': 'open_for_groups', 'permissions.read.groups': ['ok', name] },
        { permissions: { update: { access: 'open_for_groups', users_groups: ['ok', name] } } },
      ];
      for (const json of forms) {
        const { status, body } = await post(json);
        expect([name.length, status, body]).toEqual([name.length, 422, { errors: [sentence] }]);
      }
      const read = { access: 'OPEN_FOR_GROUPS', groups: [name] };
      for (const [, transport] of GRAPHQL_TRANSPORTS) {
        const { errors } = await transport(
          create,
          { input: { className: 'cars', fields: {}, permissions: { read } } },
          alice,
        );
        expect([name.length, errors?.[0]?.message]).toEqual([name.length, sentence]);
      }
      const changed = await rest('PUT', '/class/cars', { as: apiKey, json: named([name, 'ok']) });
      expect([name.length, changed.status, changed.body]).toEqual([name.length, 422, { errors: [sentence] }]);
      const parent = (await post({ make: 'parent' })).body._id;
      const child = await rest('POST', `/data/cars/${parent}/cars`, { as: alice, json: named([name, 'ok']) });
      expect([name.length, child.status, child.body]).toEqual([name.length, 400, {}]);
    }
    expect((await post(named(['🚗'.repeat(50), 'ok']))).status).toBe(201);
  });

  test('no value of an id or a text causes an internal error, on any transport', async () => {
    const user = 'query ($id: ID!) { dialog(id: $id) { id } }';
    const list = 'query ($t: String) { users(filter: { login: { eq: $t } }) { totalCount } }';
    await fc.assert(
      fc.asyncProperty(odd, async (text) => {
        const id = encodeURIComponent(text.toWellFormed()).replaceAll('.', '%2E');
        const body = JSON.stringify({
          chat_dialog_id: text,
          message: text,
          user: { login: text, external_user_id: text },
          udid: text,
        });
        const headers = { 'Content-Type': JSON_TYPE };
        for (const [method, path, json] of [
          ['GET', `/users/${id}`],
          ['GET', `/chat/Dialog/${id}`],
          ['GET', `/blobs/${id}`],
          ['GET', `/events/${id}`],
          ['DELETE', `/geodata/${id}`],
          ['GET', `/users/by_login?login=${id}`],
          ['POST', '/chat/Message', body],
          ['PUT', `/users/${alice.id}`, JSON.stringify({ user: { external_user_id: text, blob_id: text } })],
        ] as const) {
          const answer = await rawRequest(method, path, { as: alice, ...(json ? { headers, body: json } : {}) });
          expect([method, path, answer.status < 500]).toEqual([method, path, true]);
        }
        for (const [, transport] of GRAPHQL_TRANSPORTS) {
          expect(FAIR).toContain(codeOf(await transport(user, { id: text }, alice)));
          expect(FAIR).toContain(codeOf(await transport(list, { t: text }, alice)));
        }
      }),
      { numRuns: 20, examples: [['\0'], ['a\0b'], ['\ud800']] },
    );
  }, 300_000);

  test('a udid has at most 64 characters', async () => {
    const upload = (udid: string) => rest('POST', '/address_book', { as: alice, json: { contacts: [], udid } });
    expect((await upload('u'.repeat(64))).status).toBe(200);
    expect((await upload('u'.repeat(65))).status).toBe(422);
    expect((await upload('🚗'.repeat(32))).status).toBe(200);
  });
});

function expectClean(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) {
    expect(Object.getPrototypeOf(value)).toBeNull();
    for (const name of ['__proto__', 'constructor', 'prototype']) expect(Object.keys(value)).not.toContain(name);
    flatten(value as Parameters<typeof flatten>[0]);
  }
  for (const member of Object.values(value)) expectClean(member);
}

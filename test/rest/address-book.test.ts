import { beforeAll, describe, expect, test } from 'vitest';
import { db } from '../../src/db/client.ts';
import { APPLICATION, running, useApp } from '../support/app/app.ts';
import { rest } from '../support/clients/rest.ts';
import { type Scenario, testScenarios } from '../support/clients/rest-table.ts';
import { quickUsers } from '../support/fixtures/chat.ts';
import { type ChatCast, createChatCast } from '../support/fixtures/chat-cast.ts';
import { MALFORMED, NEED_USER, TOKEN_REQUIRED } from '../support/fixtures/error-bodies.ts';
import type { Caller } from '../support/fixtures/users.ts';

useApp();

let cast: ChatCast;
beforeAll(async () => {
  cast = await createChatCast();
});

const EMPTY = { errors: ['Empty address book'] };
const NO_LIST = { errors: ['Contacts should be an array'] };
const LONG_UDID = { errors: ["Length of 'udid' field should be max: 64."] };
const INVALID = ['Invalid fields set'];
const BAD_PHONE = ["Length of 'phone' field should be min: 10 and max: 15."];
const BAD_NAME = ["Length of 'name' field should be min: 1 and max: 255."];

const counts = (created: number, updated: number, deleted: number) => ({ created, updated, deleted });
const contact = (name: string, phone: string) => ({ name, phone });

const ANN = contact('Ann', '1234567890');
const BEN = contact('Ben', '1234567891');
const CAT = contact('Cat', '123456789012345');

describe('address book requests', () => {
  const path = '/address_book.json';
  const rows: Scenario[] = [
    ['a book is empty at first', 'alice', 'GET', path, undefined, 404, EMPTY],
    ['so are those of devices', 'alice', 'GET', `${path}?udid=U-1`, undefined, 404, EMPTY],
    ['an upload', 'alice', 'POST', path, { contacts: [BEN, ANN] }, 200, counts(2, 0, 0)],
    ['is listed in its order', 'alice', 'GET', path, undefined, 200, [BEN, ANN]],
    ['also without suffix', 'alice', 'GET', '/address_book', undefined, 200, [BEN, ANN]],
    ['a known phone is updated', 'alice', 'POST', path, { contacts: [BEN] }, 200, counts(0, 1, 0)],
    ['and keeps its place', 'alice', 'POST', path, { contacts: [contact('B', BEN.phone)] }, 200, counts(0, 1, 0)],
    ['with its new name', 'alice', 'GET', path, undefined, 200, [contact('B', BEN.phone), ANN]],
    [
      'phones are compared as typed',
      'alice',
      'POST',
      path,
      { contacts: [contact('C', '+1234567890')] },
      200,
      counts(1, 0, 0),
    ],
    [
      'a contact goes by its phone',
      'alice',
      'POST',
      path,
      { contacts: [{ phone: '+1234567890', destroy: 1 }] },
      200,
      counts(0, 0, 1),
    ],
    [
      'an unknown one counts nothing',
      'alice',
      'POST',
      path,
      { contacts: [{ phone: '+1234567890', destroy: 1 }] },
      200,
      counts(0, 0, 0),
    ],
    [
      'repeats come in their order',
      'alice',
      'POST',
      path,
      { contacts: [CAT, CAT, { ...CAT, destroy: '1' }, CAT] },
      200,
      counts(2, 1, 1),
    ],
    [
      'what comes back is new',
      'alice',
      'POST',
      path,
      { contacts: [{ ...BEN, destroy: 'true' }, BEN] },
      200,
      counts(1, 0, 1),
    ],
    ['and stands behind', 'alice', 'GET', path, undefined, 200, [ANN, CAT, BEN]],
    [
      'a form with numbered contacts',
      'alice',
      'POST',
      path,
      'contacts[1][name]=B%20B&contacts[1][phone]=1234567891&contacts[0][name]=Dan&contacts[0][phone]=%2B123456789&contacts[2][phone]=1234567890&contacts[2][destroy]=1',
      200,
      counts(1, 1, 1),
    ],
    [
      'is the same',
      'alice',
      'GET',
      path,
      undefined,
      200,
      [CAT, contact('B B', BEN.phone), contact('Dan', '+123456789')],
    ],
    [
      'a form with a list',
      'alice',
      'POST',
      path,
      'contacts[][name]=Eve&contacts[][phone]=9999999999&contacts[][name]=Fay&contacts[][phone]=9999999998&force=1',
      200,
      counts(2, 0, 3),
    ],
    [
      'a number is its text',
      'alice',
      'POST',
      path,
      { contacts: [{ name: 7, phone: 1234567890 }], force: '1' },
      200,
      counts(1, 0, 2),
    ],
    ['so it is shown', 'alice', 'GET', path, undefined, 200, [contact('7', '1234567890')]],
    ['nothing replaces without force', 'alice', 'POST', path, { contacts: [] }, 200, counts(0, 0, 0)],
    ['an empty list clears by force', 'alice', 'POST', path, { contacts: [], force: 1 }, 200, counts(0, 0, 1)],
    ['then the book is empty', 'alice', 'GET', path, undefined, 404, EMPTY],
    [
      'a form clears too',
      'alice',
      'POST',
      path,
      'contacts[0][phone]=1234567890&contacts[0][destroy]=1&force=true',
      200,
      counts(0, 0, 0),
    ],

    ['a device has its own book', 'alice', 'POST', path, { contacts: [ANN], udid: 'U-1' }, 200, counts(1, 0, 0)],
    ['a device id in the query', 'alice', 'POST', `${path}?udid=U-2`, { contacts: [ANN] }, 200, counts(1, 0, 0)],
    ['asked for by a form', 'alice', 'GET', `${path}?udid=U-1`, undefined, 200, [ANN]],
    ['by a JSON query', 'alice', 'GET', `${path}?%7B%22udid%22:%22U-1%22%7D`, undefined, 200, [ANN]],
    ['by a body', 'alice', 'GET', path, { udid: 'U-1' }, 200, [ANN]],
    ['which is not that of no device', 'alice', 'GET', path, undefined, 404, EMPTY],
    ['an empty udid is none', 'alice', 'GET', `${path}?udid=`, undefined, 404, EMPTY],
    [
      'one device leaves the others alone',
      'alice',
      'POST',
      path,
      { contacts: [], force: 1, udid: 'U-1' },
      200,
      counts(0, 0, 1),
    ],
    ['as they were', 'alice', 'GET', `${path}?udid=U-2`, undefined, 200, [ANN]],
    ['the longest udid', 'alice', 'POST', path, { contacts: [ANN], udid: '😀'.repeat(64) }, 200, counts(1, 0, 0)],
    ['one more', 'alice', 'POST', path, { contacts: [ANN], udid: 'u'.repeat(65) }, 422, LONG_UDID],
    ['one more of a list', 'alice', 'GET', `${path}?udid=${'u'.repeat(65)}`, undefined, 422, LONG_UDID],
    [
      'one more of registered users',
      'alice',
      'GET',
      `/address_book/registered_users.json?udid=${'u'.repeat(65)}`,
      undefined,
      422,
      LONG_UDID,
    ],
    ['a book is of one user', 'bob', 'GET', `${path}?udid=U-2`, undefined, 404, EMPTY],
    ['an API key acts for one', 'key for alice', 'GET', `${path}?udid=U-2`, undefined, 200, [ANN]],
    [
      'a user of another application has their own',
      'stranger',
      'POST',
      path,
      { contacts: [CAT], udid: 'U-2' },
      200,
      counts(1, 0, 0),
    ],
    ['and only that', 'stranger', 'GET', `${path}?udid=U-2`, undefined, 200, [CAT]],

    ['no contacts', 'alice', 'POST', path, {}, 422, NO_LIST],
    ['contacts that are null', 'alice', 'POST', path, { contacts: null }, 422, NO_LIST],
    ['a text', 'alice', 'POST', path, { contacts: 'Ann' }, 422, NO_LIST],
    ['a number', 'alice', 'POST', path, { contacts: 1 }, 422, NO_LIST],
    ['an object without numbers', 'alice', 'POST', path, { contacts: { name: 'A' } }, 422, NO_LIST],
    ['a form without them', 'alice', 'POST', path, 'force=1', 422, NO_LIST],
    [
      'both at once',
      'alice',
      'POST',
      path,
      { udid: 'u'.repeat(65) },
      422,
      { errors: [...NO_LIST.errors, ...LONG_UDID.errors] },
    ],
  ];
  testScenarios(() => cast, rows);

  test('malformed JSON yields the JSON error form', async () => {
    const { status, body } = await rest('POST', path, {
      as: cast.alice,
      headers: { 'Content-Type': 'application/json' },
      form: '{',
    });
    expect([status, body]).toEqual([400, MALFORMED]);
  });
});

describe('callers of the address book', () => {
  const calls: [method: string, path: string][] = [
    ['POST', '/address_book.json'],
    ['GET', '/address_book.json'],
    ['GET', '/address_book/registered_users.json'],
  ];
  test.each(calls)('%s %s responds as the contract says', async (method, path) => {
    const outcome = async (as: Caller) => {
      const { status, body } = await rest(method, path, {
        as,
        ...(method === 'POST' && { json: { contacts: [ANN] } }),
      });
      return [status, body];
    };
    const { callers } = cast;
    expect(await outcome(callers.application!)).toEqual([422, NEED_USER]);
    expect(await outcome(callers.key!)).toEqual([422, NEED_USER]);
    expect(await outcome({ headers: {} })).toEqual([401, TOKEN_REQUIRED]);
    expect(await outcome({ headers: { 'SVC-Token': 'x' } })).toEqual([
      401,
      { errors: { base: ['Required session does not exist'] } },
    ]);
    expect(await outcome({ headers: { Authorization: 'ApiKey x' } })).toEqual([401, { errors: ['Unauthorized'] }]);
    expect((await outcome(callers.mallory!))[0]).toBe(200);
  });
});

describe('rejected contacts', () => {
  const LONG = 'n'.repeat(256);
  test.each<[what: string, item: unknown, errors: string[] | undefined]>([
    ['a missing name', { phone: ANN.phone }, INVALID],
    ['a missing phone', { name: 'A' }, INVALID],
    ['neither', {}, INVALID],
    ['nulls', { name: null, phone: null }, INVALID],
    ['a name that is null', { name: null, phone: ANN.phone }, INVALID],
    ['a name that is a list', { name: ['A'], phone: ANN.phone }, INVALID],
    ['a phone that is an object', { name: 'A', phone: {} }, INVALID],
    ['a text', 'Ann', INVALID],
    ['a null', null, INVALID],
    ['a list', [], INVALID],
    ['an empty name', { name: '', phone: ANN.phone }, BAD_NAME],
    ['a name of 256', { name: LONG, phone: ANN.phone }, BAD_NAME],
    ['a phone of 9', { name: 'A', phone: '123456789' }, BAD_PHONE],
    ['a phone of 16', { name: 'A', phone: '1234567890123456' }, BAD_PHONE],
    ['an empty phone', { name: 'A', phone: '' }, BAD_PHONE],
    ['both wrong', { name: '', phone: '1' }, [...BAD_PHONE, ...BAD_NAME]],
    ['a deletion without phone', { destroy: 1 }, INVALID],
    ['a deletion with a short phone', { phone: '1', destroy: 1 }, BAD_PHONE],
    ['the longest name', { name: '😀'.repeat(255), phone: ANN.phone }, undefined],
    ['the longest phone', { name: 'A', phone: '1'.repeat(15) }, undefined],
    ['the shortest name and phone', { name: 'A', phone: '1'.repeat(10) }, undefined],
    ['a non-numeric phone', { name: 'A', phone: 'not a phone' }, undefined],
    ['an invalid flag', { name: 'A', phone: ANN.phone, destroy: 'maybe' }, undefined],
  ])('uploading %s responds as the contract says', async (_what, item, errors) => {
    const [user] = await quickUsers(1);
    const { status, body } = await rest('POST', '/address_book', { as: user!, json: { contacts: [BEN, item, CAT] } });
    expect([status, body]).toEqual([200, errors ? { ...counts(2, 0, 0), rejected: { 1: errors } } : counts(3, 0, 0)]);
    expect((await rest('GET', '/address_book', { as: user! })).body).toHaveLength(errors ? 2 : 3);
  });

  test('a rejected contact leaves the stored one unchanged, and force deletes it', async () => {
    const [user] = await quickUsers(1);
    const upload = async (json: object) => (await rest('POST', '/address_book', { as: user!, json })).body;
    await upload({ contacts: [ANN, BEN] });
    expect(await upload({ contacts: [{ ...ANN, name: '' }] })).toEqual({
      ...counts(0, 0, 0),
      rejected: { 0: BAD_NAME },
    });
    expect(await upload({ contacts: [{ ...ANN, name: '' }, BEN], force: 1 })).toEqual({
      ...counts(0, 1, 1),
      rejected: { 0: BAD_NAME },
    });
  });
});

describe('registered users', () => {
  let asker: Caller;
  let ids: number[];
  beforeAll(async () => {
    const [first, ...others] = await quickUsers(5);
    asker = first!;
    ids = others.map(({ id }) => id);
    for (const [place, phone] of ['5550000001', '5550000002', '5550000002', '+15550000003'].entries()) {
      await db.user.updateMany({ where: { applicationId: APPLICATION.id, id: ids[place]! }, data: { phone } });
    }
    const at = running.now();
    const other = await db.application.findFirstOrThrow({ where: { id: { not: APPLICATION.id } } });
    await db.user.create({ data: { applicationId: other.id, phone: '5550000001', createdAt: at, updatedAt: at } });
  });

  const registered = async (query = '') => {
    const { status, body } = await rest('GET', `/address_book/registered_users.json${query}`, { as: asker });
    return [status, body];
  };
  const upload = (phones: string[], udid?: string) =>
    rest('POST', '/address_book', {
      as: asker,
      json: { udid, force: 1, contacts: phones.map((phone) => contact('X', phone)) },
    });

  test('an empty book has no registered users', async () => {
    expect(await registered()).toEqual([404, EMPTY]);
    expect(await registered('?compact=1')).toEqual([404, EMPTY]);
  });

  test('contacts without an account yield no registered users', async () => {
    await upload(['5550000009', '15550000003', '5550000003']);
    expect(await registered()).toEqual([200, { items: [] }]);
  });

  test('registered users are those with exactly the phone of a contact, by id and each once', async () => {
    await upload(['+15550000003', '5550000002', '5550000001', '5550000009']);
    const { status, body } = await rest('GET', '/address_book/registered_users', { as: asker });
    expect([status, body.items.map(({ user }: { user: { id: number } }) => user.id)]).toEqual([200, ids]);
    for (const item of body.items) {
      expect(item).toEqual((await rest('GET', `/users/${item.user.id}`, { as: asker })).body);
    }
    expect(await registered('?force=1')).toEqual([200, body]);
  });

  test('compact registered users have only an id and a phone', async () => {
    const compact = [
      { user: { id: ids[0], phone: '5550000001' } },
      { user: { id: ids[1], phone: '5550000002' } },
      { user: { id: ids[2], phone: '5550000002' } },
      { user: { id: ids[3], phone: '+15550000003' } },
    ];
    for (const flag of ['1', 'true']) expect(await registered(`?compact=${flag}`)).toEqual([200, { items: compact }]);
    const full = await registered('?compact=0');
    expect(full).toEqual(await registered());
    expect(full[1].items[0].user).toHaveProperty('email');
  });

  test('registered users are those of the requested book', async () => {
    await upload(['5550000001'], 'phone');
    expect(await registered('?compact=1&udid=phone')).toEqual([
      200,
      { items: [{ user: { id: ids[0], phone: '5550000001' } }] },
    ]);
    expect(await registered('?udid=other')).toEqual([404, EMPTY]);
  });
});

describe('XML', () => {
  test('XML responses contain the same values as JSON', async () => {
    const [user] = await quickUsers(1);
    await db.user.updateMany({ where: { id: user!.id }, data: { phone: '7770000001' } });
    const xml = async (method: string, path: string, json?: object) =>
      (await rest(method, path, { as: user!, ...(json && { json }) })).text.replace(/^<\?.*?\?>/, '');
    expect(await xml('GET', '/address_book.xml')).toBe('<errors><error>Empty address book</error></errors>');
    expect(await xml('POST', '/address_book.xml', { contacts: [contact('A & B', '7770000001'), {}] })).toBe(
      '<result><created type="integer">1</created><updated type="integer">0</updated><deleted type="integer">0</deleted>' +
        '<rejected><entry key="1" type="array"><value>Invalid fields set</value></entry></rejected></result>',
    );
    expect(await xml('GET', '/address_book.xml')).toBe(
      '<contacts type="array"><item><name>A &amp; B</name><phone>7770000001</phone></item></contacts>',
    );
    expect(await xml('GET', '/address_book/registered_users.xml?compact=1')).toBe(
      `<users><items type="array"><user><id type="integer">${user!.id}</id><phone>7770000001</phone></user></items></users>`,
    );
  });
});

describe('upload limits', () => {
  const many = (count: number, name: string) =>
    Array.from({ length: count }, (_, nth) => contact(name, String(10_000_000_000 + nth)));

  test('an upload accepts 10,000 contacts and at most 4 MiB', async () => {
    const [user] = await quickUsers(1);
    const contacts = many(10_000, 'x'.repeat(200));
    const first = await rest('POST', '/address_book', { as: user!, json: { contacts, force: 1, udid: 'U' } });
    expect([first.status, first.body]).toEqual([200, counts(10_000, 0, 0)]);
    const listed = await rest('GET', '/address_book?udid=U', { as: user! });
    expect(listed.body).toEqual(contacts);
    const padded = (bytes: number) => {
      const body = JSON.stringify({ contacts: [ANN], pad: '' });
      return body.replace('"pad":""', `"pad":"${'x'.repeat(bytes - body.length)}"`);
    };
    const send = async (bytes: number, path = '/address_book.json') => {
      const headers = { 'Content-Type': 'application/json' };
      const { status, body } = await rest('POST', path, { as: user!, headers, form: padded(bytes) });
      return [status, body];
    };
    const TOO_LARGE = { errors: ['Request body is too large'] };
    expect(await send(4 * 1024 * 1024)).toEqual([200, counts(1, 0, 0)]);
    expect(await send(4 * 1024 * 1024 + 1)).toEqual([413, TOO_LARGE]);
    expect(await send(1024 * 1024 + 1, '/users.json')).toEqual([413, TOO_LARGE]);
  });

  test('an upload accepts as many keys as fit into its bytes', async () => {
    const [user] = await quickUsers(1);
    const call = async (keys: number) => {
      const json = {
        contacts: [ANN],
        ...Object.fromEntries(Array.from({ length: keys - 3 }, (_, nth) => [`k${nth}`, 1])),
      };
      return (await rest('POST', '/address_book', { as: user!, json })).status;
    };
    expect([await call(80_000), await call(80_001)]).toEqual([200, 400]);
  });
});

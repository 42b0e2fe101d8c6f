import { describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { useApp } from '../../support/app/app.ts';
import { LOCKED_HERE, ownConnection, rowCounts, sql, statementsOf } from '../../support/app/sql.ts';
import { errorOf, execute, type QuickUser, quickUsers } from '../../support/fixtures/chat.ts';
import { apiKey } from '../../support/fixtures/users.ts';

useApp();

const UPLOAD = `mutation ($contacts: [ContactInput], $udid: String, $force: Boolean) {
  uploadContacts(contacts: $contacts, udid: $udid, force: $force) { created updated deleted rejected { index errors } } }`;
const CONTACTS = `query ($udid: String, $first: Int, $after: String, $last: Int, $before: String) {
  contacts(udid: $udid, first: $first, after: $after, last: $last, before: $before) {
    totalCount edges { cursor node { name phone } } pageInfo { hasNextPage hasPreviousPage endCursor startCursor } } }`;
const REGISTERED = `query ($first: Int, $after: String, $last: Int, $before: String) {
  registeredContacts(first: $first, after: $after, last: $last, before: $before) {
    totalCount edges { node { id } } pageInfo { hasNextPage hasPreviousPage endCursor startCursor } } }`;
const BOOK = 'query ($udid: String) { addressBook(udid: $udid) { contacts { name phone } registeredUsers { id } } }';

interface WalkedPage {
  totalCount: number;
  edges: { node: unknown }[];
  pageInfo: { hasNextPage: boolean; endCursor: string };
}

const EMPTY = { message: 'Empty address book', code: 'NOT_FOUND' };

const numbered = (count: number, from = 0) =>
  Array.from({ length: count }, (_, nth) => ({ name: `N${from + nth}`, phone: String(10_000_000_000 + from + nth) }));

const upload = async (as: QuickUser, contacts: unknown[], more: object = {}) =>
  (await execute(UPLOAD, { contacts, ...more }, as)).uploadContacts;

const phonesOf = async (as: QuickUser) =>
  (await execute(BOOK, {}, as)).addressBook.contacts.map(({ phone }: { phone: string }) => phone);

async function withPhone(phone: string): Promise<QuickUser> {
  const [user] = (await quickUsers(1)) as [QuickUser];
  await db.user.updateMany({ where: { id: user.id }, data: { phone } });
  return user;
}

describe('uploadContacts', () => {
  test('uploadContacts returns the counts of changes and the rejected contacts', async () => {
    const [alice] = (await quickUsers(1)) as [QuickUser];
    const contacts = [
      { name: 'A', phone: '1234567890' },
      null,
      { phone: '1234567890', destroy: 1 },
      { name: '', phone: '1' },
    ];
    expect(await upload(alice, contacts)).toEqual({
      created: 1,
      updated: 0,
      deleted: 1,
      rejected: [
        { index: 1, errors: ['Invalid fields set'] },
        {
          index: 3,
          errors: [
            "Length of 'phone' field should be min: 10 and max: 15.",
            "Length of 'name' field should be min: 1 and max: 255.",
          ],
        },
      ],
    });
  });

  test('uploadContacts requires contacts and limits the length of the udid', async () => {
    const [alice] = (await quickUsers(1)) as [QuickUser];
    expect(await errorOf(UPLOAD, {}, alice)).toEqual({
      message: 'Contacts should be an array',
      code: 'UNPROCESSABLE',
    });
    expect(await errorOf(UPLOAD, { contacts: [], udid: 'u'.repeat(65) }, alice)).toEqual({
      message: "Length of 'udid' field should be max: 64.",
      code: 'UNPROCESSABLE',
    });
    expect(await errorOf(UPLOAD, { contacts: [] }, apiKey)).toEqual({
      message: 'Forbidden. Need user.',
      code: 'FORBIDDEN',
    });
  });

  test('uploadContacts runs the same number of statements for 10,000 contacts as for one', async () => {
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const few = await statementsOf(() => upload(alice, numbered(1), { force: true }));
    const many = await statementsOf(() => upload(bob, numbered(10_000), { force: true }));
    expect(many).toEqual(few);
    expect(many.filter((text) => text.includes('INSERT INTO contacts'))).toHaveLength(1);
    expect((await execute(CONTACTS, {}, bob)).contacts.totalCount).toBe(10_000);
  });

  test('concurrent uploads to one book run one after the other, without duplicates or failures', async () => {
    const [alice] = (await quickUsers(1)) as [QuickUser];
    const contacts = numbered(500);
    const results = await Promise.all(
      Array.from({ length: 6 }, (_, nth) => upload(alice, nth % 2 ? contacts.toReversed() : contacts)),
    );
    expect(results.map(({ created, updated }) => created + updated)).toEqual(Array(6).fill(500));
    expect(results.reduce((sum, { created }) => sum + created, 0)).toBe(500);
    expect((await phonesOf(alice)).sort()).toEqual(contacts.map(({ phone }) => phone));
  });

  test('concurrent uploads that replace the book leave the contacts of one of them', async () => {
    const [alice] = (await quickUsers(1)) as [QuickUser];
    const books = Array.from({ length: 6 }, (_, nth) => numbered(200, nth * 100));
    const results = await Promise.all(books.map((contacts) => upload(alice, contacts, { force: true })));
    const left = await phonesOf(alice);
    // Contacts keep the position of their first upload.
    expect(books.map((book) => book.map(({ phone }) => phone).sort())).toContainEqual(left.toSorted());
    const balance = results.reduce((sum, { created, deleted }) => sum + created - deleted, 0);
    expect(balance).toBe(left.length);
  });

  test('uploads to different books do not wait for each other', async () => {
    const [alice] = (await quickUsers(1)) as [QuickUser];
    const holder = await ownConnection();
    await holder.query('BEGIN');
    const { rows } = await holder.query('SELECT application_id FROM users WHERE id = $1', [alice.id]);
    await holder.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `address book ${rows[0].application_id} ${alice.id} one`,
    ]);
    expect(await upload(alice, numbered(1), { udid: 'other' })).toMatchObject({ created: 1 });
    let isDone = false;
    const waiting = upload(alice, numbered(1), { udid: 'one' }).finally(() => {
      isDone = true;
    });
    while (
      (await sql(`SELECT FROM pg_locks WHERE ${LOCKED_HERE} AND locktype = 'advisory' AND NOT granted`)).length === 0
    );
    expect(isDone).toBe(false);
    await holder.query('COMMIT');
    await holder.end();
    expect(await waiting).toMatchObject({ created: 1 });
  });

  test('an upload while the user is deleted leaves no contacts', async () => {
    for (let round = 0; round < 5; round++) {
      const [alice] = (await quickUsers(1)) as [QuickUser];
      await upload(alice, numbered(10), { udid: 'old' });
      const outcomes = await Promise.allSettled([
        ...Array.from({ length: 4 }, () => upload(alice, numbered(300))),
        execute('mutation ($id: Int!) { deleteUser(id: $id) }', { id: alice.id }, apiKey),
      ]);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(String(outcome.reason)).toMatch(/NOT_FOUND|UNAUTHENTICATED/);
      }
      expect(outcomes.at(-1)!.status).toBe('fulfilled');
      expect(await sql('SELECT FROM contacts WHERE user_id = $1', [alice.id])).toEqual([]);
      expect(await sql('SELECT FROM daily_usage WHERE user_id = $1', [alice.id])).toEqual([]);
    }
  });

  test('a failed upload changes nothing', async () => {
    const [alice] = (await quickUsers(1)) as [QuickUser];
    await upload(alice, numbered(2));
    const before = await rowCounts();
    const nul = [{ name: 'a\0b', phone: '1234567890' }];
    expect(await errorOf(UPLOAD, { contacts: [...numbered(3), ...nul], force: true }, alice)).toMatchObject({
      code: 'BAD_USER_INPUT',
    });
    expect(await rowCounts()).toEqual(before);
  });
});

describe('contacts', () => {
  test('contacts are paged forward and backward', async () => {
    const [alice] = (await quickUsers(1)) as [QuickUser];
    const contacts = numbered(5).toReversed();
    await upload(alice, contacts);
    const walked: unknown[] = [];
    let after: string | null = null;
    do {
      const page: WalkedPage = (await execute(CONTACTS, { first: 2, after }, alice)).contacts;
      expect(page.totalCount).toBe(5);
      walked.push(...page.edges.map((edge) => edge.node));
      after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
    } while (after);
    expect(walked).toEqual(contacts);
    const last = (await execute(CONTACTS, { last: 2 }, alice)).contacts;
    expect(last.edges.map((edge: { node: unknown }) => edge.node)).toEqual(contacts.slice(3));
    const before = (await execute(CONTACTS, { last: 2, before: last.pageInfo.startCursor }, alice)).contacts;
    expect(before.edges.map((edge: { node: unknown }) => edge.node)).toEqual(contacts.slice(1, 3));
    expect(before.pageInfo).toMatchObject({ hasPreviousPage: true, hasNextPage: true });
  });

  test('contacts and registered users of an empty book are an error', async () => {
    const [alice] = (await quickUsers(1)) as [QuickUser];
    for (const query of [CONTACTS, REGISTERED, BOOK]) expect(await errorOf(query, {}, alice)).toEqual(EMPTY);
  });

  test('contacts reject cursors of other lists', async () => {
    const [alice] = (await quickUsers(1)) as [QuickUser];
    await upload(alice, numbered(1));
    const cursor = (value: unknown, id: unknown) => Buffer.from(JSON.stringify([value, id])).toString('base64url');
    for (const after of ['x', cursor('x', 'y'), cursor(1.5, 'y'), cursor(1, 2), cursor(1, 'a\0')]) {
      expect(await errorOf(CONTACTS, { after }, alice)).toMatchObject({ message: 'Invalid cursor' });
    }
    for (const after of ['x', cursor(1, 'y'), cursor(1, '0'), cursor(1, '2147483648')]) {
      expect(await errorOf(REGISTERED, { after }, alice)).toMatchObject({ message: 'Invalid cursor' });
    }
  });
});

describe('registeredContacts', () => {
  test('registeredContacts are paged by id', async () => {
    const [alice] = (await quickUsers(1)) as [QuickUser];
    const users: QuickUser[] = [];
    for (const phone of ['3330000003', '3330000001', '3330000002']) users.push(await withPhone(phone));
    const ids = users.map(({ id }) => id);
    await upload(
      alice,
      [1, 2, 3].map((nth) => ({ name: 'X', phone: `333000000${nth}` })),
    );
    const first = (await execute(REGISTERED, { first: 2 }, alice)).registeredContacts;
    expect(first).toMatchObject({ totalCount: 3, edges: ids.slice(0, 2).map((id) => ({ node: { id } })) });
    const { endCursor, hasNextPage } = first.pageInfo;
    const rest = (await execute(REGISTERED, { first: 2, after: endCursor }, alice)).registeredContacts;
    expect([hasNextPage, rest.edges]).toEqual([true, [{ node: { id: ids[2] } }]]);
    const last = (await execute(REGISTERED, { last: 1 }, alice)).registeredContacts;
    const back = (await execute(REGISTERED, { last: 5, before: last.pageInfo.startCursor }, alice)).registeredContacts;
    expect(back.edges.map((edge: { node: { id: number } }) => edge.node.id)).toEqual(ids.slice(0, 2));
  });
});

describe('matching by phone number', () => {
  const SETTINGS = `mutation ($input: UpdateApplicationInput!) {
    updateApplication(input: $input) { phoneMatching phoneRegion } }`;
  const set = async (input: object) => (await execute(SETTINGS, { input }, apiKey)).updateApplication;
  const found = async (as: QuickUser, phones: string[]) => {
    await upload(
      as,
      phones.map((phone) => ({ name: 'X', phone })),
      { force: true },
    );
    return (await execute(BOOK, {}, as)).addressBook.registeredUsers.map(({ id }: { id: number }) => id);
  };

  test('matching by number is a setting of the application and off by default', async () => {
    const query = '{ application { phoneMatching phoneRegion } }';
    expect((await execute(query, {}, apiKey)).application).toEqual({ phoneMatching: 'IDENTICAL', phoneRegion: null });
    expect(await errorOf(SETTINGS, { input: { phoneRegion: 'XX' } }, apiKey)).toMatchObject({
      message: 'Phone region should be an ISO country code',
      code: 'UNPROCESSABLE',
    });
  });

  test('matching by number finds a phone in any notation', async () => {
    const [alice] = (await quickUsers(1)) as [QuickUser];
    const national = await withPhone('(0)20-7946.0018');
    const international = await withPhone('+44 20 7946 0018');
    const island = await withPhone('+290 23456');
    const other = await withPhone('+49 20 7946 0018');
    const sameTail = await withPhone('030 7946 0018');
    const odd = await withPhone('((((()))))');
    const all = [national, international].map(({ id }) => id);

    expect(await found(alice, ['020 7946 0018'])).toEqual([]);
    expect(await set({ phoneMatching: 'E164', phoneRegion: 'GB' })).toEqual({
      phoneMatching: 'E164',
      phoneRegion: 'GB',
    });
    expect(await found(alice, ['020 7946 0018'])).toEqual(all);
    expect(await found(alice, ['+442079460018', '+44 (0)20 7946'])).toEqual(all);
    expect(await found(alice, ['0044 20794600', '00442079460018'])).toEqual(all);
    expect(await found(alice, ['+492079460018'])).toEqual([other.id]);
    expect(await found(alice, ['+44 3079460018'])).toEqual([sameTail.id]);
    expect(await found(alice, ['00 290 23 456'])).toEqual([island.id]);
    expect(await found(alice, ['((((()))))', 'not a phone'])).toEqual([odd.id]);

    expect(await set({ phoneRegion: null })).toEqual({ phoneMatching: 'E164', phoneRegion: null });
    expect(await found(alice, ['+442079460018'])).toEqual([international.id]);
    expect(await found(alice, ['(0)20-7946.0018'])).toEqual([national.id]);
    expect(await set({ phoneMatching: 'IDENTICAL' })).toMatchObject({ phoneMatching: 'IDENTICAL' });
    expect(await found(alice, ['+442079460018'])).toEqual([]);
  });
});
